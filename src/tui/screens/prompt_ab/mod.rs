//! Two prompts compared on recorded turns: set out, played, and what they came to.
//!
//! | file | what it is |
//! |---|---|
//! | `list` | the comparisons that there are |
//! | `form` | on which turns, how, at what cost; `fields` and `form_paint` are parts of it |
//! | `report` | a comparison as it stands |
//! | `page` | what it came to, as text |

mod fields;
mod form;
mod form_paint;
mod list;
mod page;
mod report;

pub use form::Form;
pub use list::Comparisons;
pub use report::Report;

use crate::driver::prompt_desk::PromptName;
use crate::driver::tries::AbArm;
use crate::tui::app::Effect;
use crate::tui::theme::Role;

/// Which prompts are to be compared.
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
            let (form, survey) = Form::of(wish);
            vec![Effect::Show(Box::new(form)), survey]
        }
        None => {
            let (list, read) = Comparisons::new();
            vec![Effect::Show(Box::new(list)), read]
        }
    }
}

fn say(text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.into())]
}
