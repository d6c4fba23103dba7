//! Effects of labelling: what is to be shown, read and written for it, as data.

use super::reads_writes::{LabellingRead, LabellingWrite};
use crate::labelling::ParagraphGroups;
use elenchus_records::workspace::Draft;
use elenchus_text::Role;

/// Something to be done for a sitting; they are done in their order.
#[derive(Debug, Clone, PartialEq)]
pub enum LabellingEffect {
    /// Another item is on the screen, from its beginning: its time begins.
    ItemShown,
    /// The pages of the item on the screen are others.
    PageChanged,
    /// The item on the screen can only now be read: its time begins.
    TimeBegins,
    /// Something is to be said; keys are named by their marks.
    Say(Role, String),
    /// Words of the person's own are to be typed.
    TypeWords,
    /// A text is to be read.
    ShowText(LabellingText),
    /// That text is not to be seen any more.
    CloseText,
    /// The sitting is over.
    Leave,
    /// A note of an earlier time on an item is to be looked for, by its draft's place.
    FindNote(usize, String),
    /// A note is to be kept until its label comes; an empty one is forgotten.
    KeepNote(Draft),
    Read(LabellingRead),
    Write(LabellingWrite),
}

/// A text that is read beside the item: the codebook, or what the seat saw.
#[derive(Debug, Clone, PartialEq)]
pub struct LabellingText {
    pub title: String,
    pub page: ParagraphGroups,
    /// Something in it is hidden that can be revealed.
    pub hides: bool,
}

/// Says something.
pub(super) fn notice_effect(text: impl Into<String>) -> Vec<LabellingEffect> {
    vec![LabellingEffect::Say(Role::Notice, text.into())]
}

/// Says what a person should heed.
pub(super) fn warning_effect(text: impl Into<String>) -> Vec<LabellingEffect> {
    vec![LabellingEffect::Say(Role::Warning, text.into())]
}

/// Says what went wrong.
pub(super) fn error_effect(why: impl Into<String>) -> Vec<LabellingEffect> {
    vec![LabellingEffect::Say(Role::Error, why.into())]
}
