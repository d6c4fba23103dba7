//! The vocabulary of pages: what is shown of anything, before somebody knows on what. Pages with their lines,
//! paragraphs with roles, masks over what must stay hidden, word differences, form fields, numbers, prices
//! and ages as people read them, and text of others made safe to print.
//!
//! It never reads, never draws, and knows neither a terminal nor a store.

mod age;
pub mod cost;
pub mod described;
mod form_field;
mod mask;
mod numbers;
mod outline;
mod page;
mod page_item;
mod paragraph;
pub mod price;
mod prompt_comparison;
mod role;
pub mod safe_text;
pub mod stopped;
pub mod word_diff;

pub use age::format_age;
pub use form_field::{
    FieldKind, FormField, FormValues, PickItem, PickList, list_steps, step_through, take_steps,
};
pub use mask::Content;
pub use numbers::{format_grouped_count, format_thousands, wrap_index};
pub use outline::outline_value;
pub use page::{
    Colour, Ink, MIN_WIDTH, Page, PageLine, cut_to_width, display_width, fit_to_width, wrap_line,
};
pub use page_item::PageItem;
pub use paragraph::{Paragraph, others_prose, plain_text, prose_paragraphs, set_off};
pub use prompt_comparison::PromptFigures;
pub use role::Role;
pub use safe_text::{Keep, format_noun_count, make_visible, shell_word};
pub use stopped::stopped_heading;
