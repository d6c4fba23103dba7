//! Layout of a judge's view, as its rubric requires; rubrics themselves are parsed one layer up.

/// Layout of a judge's view.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeFrame {
    /// Name of the template among the session's templates.
    pub template: String,
    pub labels: Vec<LabelHint>,
    /// The line that states the label carries a mark.
    pub marks_label: bool,
    pub fence: FenceMode,
}

/// A label as it is explained to the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelHint {
    pub name: String,
    pub meaning: String,
    /// A reply that is parsed as this label.
    pub says: String,
}

/// Protection of the judge from text under judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceMode {
    /// Marks around the text that it cannot forge.
    Marks,
    /// The text is a chat message of its own; its control tokens are broken.
    ChatRole,
    /// No protection: the reader is no judge.
    Open,
}
