//! Prompt comparison (A/B) on recorded turns: list, form and report.
//!
//! | file | content |
//! |---|---|
//! | `list` | list of comparisons |
//! | `form`, `fields`, `form_paint` | form of a new comparison |
//! | `report`, `report_text` | report of a comparison, and its text |
//! | `survey` | what a comparison can be made of, and its cost |
//! | `playing`, `tasks` | comparisons that are played, and other work in the background |

mod fields;
mod form;
mod form_paint;
mod list;
mod playing;
mod report;
mod report_text;
mod survey;
mod tasks;

pub use form::{ComparisonForm, FormMessage};
pub use list::{ComparisonList, KnownComparisons};
pub(crate) use playing::PlayedComparisons;
use report::ReportMessage;
pub use survey::{AbPlanned, AbSource, AbSurvey, AbWish};

use crate::experiments::prompt_ab::{AbArm, AbState, AbSummary};
use crate::tui::app::Effect;
use crate::workspace::prompts::PromptName;
use std::collections::BTreeMap;

/// Prompts to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareWish {
    pub prompt: PromptName,
    pub a: AbArm,
    pub b: AbArm,
}

/// State of a comparison.
#[derive(Debug, Clone)]
struct AbCard {
    state: AbState,
    summary: AbSummary,
    /// This workbench plays it now.
    playing: bool,
    /// Texts of the topics with different results, by their ids, where they were read.
    topics: BTreeMap<String, String>,
}

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
