//! Widgets of screens and overlays. Pure: they hold what is shown and return the result of a key;
//! they perform nothing.

mod cells;
mod click_rows;
mod draw_context;
mod editor;
mod fast_cells;
mod filter_list;
mod form;
mod frame;
mod fuzzy;
mod layout;
mod line_input;
mod line_position;
mod list;
mod page;
mod scroll_list;
mod scroll_text;
mod table;
mod tabs;
mod text_columns;
mod two_panes;
mod typed_letters;
mod verdict_letters;
mod wrapped_lines;

pub use cells::{cells, graphemes};
pub use click_rows::ClickRows;
pub use draw_context::DrawContext;
pub use editor::{Edited, Editor, MAX_EDITOR_BYTES, MAX_EDITOR_LINES};
pub(crate) use editor::{EditorFault, TooLong};
pub(crate) use elenchus_text::around;
pub(crate) use elenchus_text::word_diff::{Marking, woven};
pub use elenchus_text::{Content, Paragraph, plain_text, prose};
pub(crate) use filter_list::FilterList;
pub use form::{Form, FormEvent};
pub use frame::{Focus, frame};
pub(crate) use frame::{centred, fill, put};
pub(crate) use fuzzy::{Ranked, rank};
pub(crate) use layout::{
    Split, body_and_foot, head_and_body, hint_on_edge, label_and_rest, line_across, lines_and_rest,
};
pub(crate) use line_input::{LineInput, Typed};
pub(crate) use line_position::LinePosition;
pub use list::{ListCursor, Moved};
pub(crate) use list::{mark_row, moving_action};
pub(crate) use page::Page;
pub(crate) use scroll_list::{LayOut, ScrollList};
pub use scroll_text::ScrollText;
pub use table::{Align, Table, TableCell, TableColumn, TableRow};
pub(crate) use table::{TABLE_MARGIN, told_apart};
pub use tabs::tabs;
pub(crate) use text_columns::{ColumnHead, TextColumns};
pub(crate) use two_panes::{Side, TwoPanes};
pub(crate) use verdict_letters::verdict_letters;
pub use wrapped_lines::{StyledLine, WrappedText, lay_out};
pub(crate) use wrapped_lines::{draw_lines, draw_text};
