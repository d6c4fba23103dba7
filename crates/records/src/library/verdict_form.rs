//! Form in which a person gives a verdict that a rubric can read.

use elenchus_game::debate::event::Outcome;
use elenchus_game::judge::{self, Material, ReplyFormat, Rubric};

/// Text that the rubric reads as a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictForm {
    /// The label's word alone.
    Label,
    /// Reasons, if there are any, and what a label says on the last line.
    LabelAfterReasons,
    /// Everything that the seat is asked for: the label is one field of several.
    Whole,
}

/// A label alone is no reply where the rubric's schema asks for more.
pub fn form_of_rubric(rubric: &Rubric) -> VerdictForm {
    let reads = |says: &str| {
        matches!(
            judge::parse_verdict(rubric, says, &Material::empty()),
            Outcome::Label(_)
        )
    };
    match rubric.reading {
        ReplyFormat::LastLine => VerdictForm::LabelAfterReasons,
        ReplyFormat::LlamaGuard
        | ReplyFormat::Json
        | ReplyFormat::Moderation
        | ReplyFormat::FirstWord
        | ReplyFormat::NamedFields
            if rubric.labels.iter().all(|label| reads(&label.says)) =>
        {
            VerdictForm::Label
        }
        ReplyFormat::LlamaGuard
        | ReplyFormat::Json
        | ReplyFormat::Moderation
        | ReplyFormat::FirstWord
        | ReplyFormat::NamedFields => VerdictForm::Whole,
    }
}
