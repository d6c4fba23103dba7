//! Import and export of other tools' formats, and text that is safe to print.

mod best_sample;
pub mod colang;
mod completion_table;
pub mod cost;
pub mod described;
mod finished_debate;
mod form_field;
mod json_lines;
mod mask;
mod numbers;
mod outline;
mod page;
mod page_item;
mod paragraph;
pub mod price;
mod prompt_comparison;
pub mod record;
mod reddebate;
mod role;
mod round_record_parts;
mod stopped;
pub mod text;
pub mod word_diff;

pub use best_sample::best_sample;
pub use completion_table::completions;
pub use finished_debate::{
    FinishedFile, FinishedItem, FinishedKind, FinishedTurn, LabelColumns, LabelledBy, MAX_FINISHED,
    RefusedRow,
};
pub use form_field::{FieldKind, FormField, FormValues, PickItem, PickList, stepped};
pub use json_lines::json_rows;
pub use mask::Content;
pub use numbers::{around, grouped_count, thousands};
pub use outline::outline;
pub use page::{Colour, Ink, MIN_WIDTH, Page, PageLine, columns, cut, fit, wrap};
pub use page_item::PageItem;
pub use paragraph::{Paragraph, plain_text, prose};
pub use prompt_comparison::PromptFigures;
pub use reddebate::{is_no_debate, is_reddebate, reddebate};
pub use role::Role;
pub use stopped::stopped_heading;
pub use text::{Keep, counted, visible};
