//! Prompt comparison (A/B) on recorded turns: list, form and report.
//!
//! | file | content |
//! |---|---|
//! | `list` | list of comparisons |
//! | `form`, `fields`, `form_paint` | form of a new comparison |
//! | `report`, `report_text` | report of a comparison, and its text |

mod fields;
mod form;
mod form_paint;
mod list;
mod report;
mod report_text;

pub use form::ComparisonForm;
pub use list::ComparisonList;

use crate::experiments::prompt_ab::AbArm;
use crate::tui::app::Effect;
use crate::tui::theme::Role;
use crate::workspace::prompts::PromptName;

/// Prompts to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareWish {
    pub prompt: PromptName,
    pub a: AbArm,
    pub b: AbArm,
}

/// Sets out a comparison of two prompts; without any, shows the comparisons that there are.
pub fn show(wish: Option<CompareWish>) -> Vec<Effect> {
    match wish {
        Some(wish) => {
            let (form, survey) = ComparisonForm::of(wish);
            vec![Effect::Show(Box::new(form)), survey]
        }
        None => {
            let (list, read) = ComparisonList::new();
            vec![Effect::Show(Box::new(list)), read]
        }
    }
}

/// Shows the report of a comparison.
pub(super) fn show_report(id: String) -> Vec<Effect> {
    let (report, read) = report::ComparisonReport::of(id);
    vec![Effect::Show(Box::new(report)), read]
}

fn say(text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.into())]
}
