//! Comparison of prompts as it is filled in and watched: its settings field by field, what stands on it before
//! it begins, and what came of those that are played in the background.

mod background;
mod comparison_summary;
mod draft;
mod draft_fields;
mod setup;

pub use background::{AbNews, EnteredComparison, RunningComparisons, UnsummedComparison};
pub use comparison_summary::ComparisonSummary;
pub use draft::{AbDraft, CompareWish};
pub use draft_fields::AbField;
pub use setup::{AbBegin, AbSetup};
