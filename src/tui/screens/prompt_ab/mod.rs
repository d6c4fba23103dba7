//! Prompt comparison (A/B) on recorded turns: list, form and report.
//!
//! | file | content |
//! |---|---|
//! | `list` | list of comparisons |
//! | `form` | form of a new comparison |
//! | `report` | report of a comparison |
//! | `tasks` | work in the background |

mod form;
mod list;
mod report;
mod tasks;

pub use form::{ComparisonForm, FormMessage};
pub use list::{ComparisonList, KnownComparisons};
use report::ReportMessage;

use crate::experiments::prompt_ab::CompareWish;
use crate::tui::app::Effect;

/// Sets out a comparison of two prompts; without any, shows the comparisons that there are.
pub fn show(wish: Option<CompareWish>) -> Vec<Effect> {
    match wish {
        Some(wish) => vec![Effect::Show(Box::new(ComparisonForm::of(wish)))],
        None => vec![Effect::Show(Box::new(ComparisonList::default()))],
    }
}

/// Shows the report of a comparison.
pub(super) fn show_report(id: String) -> Vec<Effect> {
    vec![Effect::Show(Box::new(report::ComparisonReport::of(id)))]
}
