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
mod verdict_grid;
mod verdict_letters;
mod wrapped_lines;

pub use cells::{count_cells, graphemes};
pub use click_rows::ClickRows;
pub use draw_context::DrawContext;
pub use editor::{Edited, Editor, MAX_EDITOR_BYTES, MAX_EDITOR_LINES};
pub(crate) use editor::{EditorFault, TooLong};
pub(crate) use elenchus_text::word_diff::{Marking, compare_inline};
pub(crate) use elenchus_text::wrap_index;
pub use elenchus_text::{Content, Paragraph, plain_text, prose_paragraphs};
pub use fast_cells::{clear_area, put_text};
pub(crate) use filter_list::FilterList;
pub use form::{Form, FormEvent};
pub use frame::{Focus, draw_frame};
pub(crate) use frame::{center_rect, draw_line, fill_area};
pub use fuzzy::{Ranked, rank_texts};
pub(crate) use layout::{
    Split, body_and_foot, draw_at_right, draw_edge_hint, draw_label, draw_line_across,
    draw_top_lines, head_and_body,
};
pub use line_input::{LineInput, MAX_LINE_BYTES, Typed};
pub use line_position::LinePosition;
pub use list::{ListCursor, Moved};
pub(crate) use list::{mark_row, moving_action};
pub(crate) use page::Page;
pub(crate) use scroll_list::LayOut;
pub use scroll_list::ScrollList;
pub use scroll_text::ScrollText;
pub(crate) use table::TABLE_MARGIN;
pub use table::tell_apart;
pub use table::{Align, Table, TableCell, TableColumn, TableRow};
pub(crate) use table::{mark_hidden_after, mark_hidden_before};
pub use tabs::draw_tabs;
pub(crate) use text_columns::ColumnHead;
pub use text_columns::TextColumns;
pub use two_panes::{Side, TwoPanes};
pub(crate) use verdict_grid::{GridColumn, GridFact, GridLine, VerdictGrid};
pub(crate) use verdict_letters::{verdict_legend, verdict_letters, verdict_sign};
pub use wrapped_lines::{StyledLine, WrappedText, lay_out};
pub(crate) use wrapped_lines::{draw_lines, draw_text};
