//! Widgets of screens and overlays. Pure: they hold what is shown and return the result of a key;
//! they perform nothing.

mod cells;
mod editor;
mod fast_cells;
mod filter_list;
mod frame;
mod fuzzy;
mod layout;
mod line_input;
mod list;
mod mask;
mod numbers;
mod paragraph;
mod scroll_list;
mod scroll_text;
mod tabs;
pub(crate) mod word_diff;
mod wrapped_lines;

pub use cells::{cells, graphemes};
pub use editor::{Edited, Editor, MAX_EDITOR_BYTES, MAX_EDITOR_LINES};
pub(crate) use editor::{SearchDirection, SearchOutcome, TooLong};
pub(crate) use filter_list::FilterList;
pub(crate) use frame::{Focus, centred, fill, frame, put};
pub(crate) use fuzzy::{Ranked, rank};
pub(crate) use layout::{Split, above_status, head_and_body};
pub(crate) use line_input::{LineInput, Typed};
pub(crate) use list::{ListCursor, Moved, window};
pub use mask::Content;
pub(crate) use numbers::{counted, thousands};
pub use paragraph::{Paragraph, prose};
pub(crate) use scroll_list::{LayOut, ScrollList};
pub(crate) use scroll_text::ScrollText;
pub(crate) use tabs::tabs;
pub(crate) use word_diff::{Marking, beside, woven};
pub use wrapped_lines::{StyledLine, lay_out};
pub(crate) use wrapped_lines::{draw_lines, draw_text};
