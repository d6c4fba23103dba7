//! Prompt comparisons (A/B) on recorded turns: those that there are, and the report of one.
//!
//! | file | content |
//! |---|---|
//! | `list` | list of comparisons |
//! | `report` | report of a comparison |
//! | `tasks` | work in the background |

mod list;
mod report;
mod tasks;

pub use list::{ComparisonList, KnownComparisons};
pub(super) use report::ComparisonReport;
use report::ReportMessage;

use crate::tui::app::{Effect, show_screen};

/// Shows the comparisons that there are.
pub(super) fn show_comparisons() -> Vec<Effect> {
    show_screen(ComparisonList::default())
}

/// Shows the report of a comparison.
pub(super) fn show_report(id: String) -> Vec<Effect> {
    show_screen(ComparisonReport::from_id(id))
}
