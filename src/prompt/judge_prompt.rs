//! What a rubric asks of a judge's view; rubrics themselves are read one layer up.

/// How a judge's view is laid out.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeFrame {
    /// The name of the template among the session's templates.
    pub template: String,
    pub labels: Vec<LabelHint>,
    pub fence: FenceMode,
}

/// A label as the judge is told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelHint {
    pub name: String,
    pub meaning: String,
    /// A reply that reads as this label.
    pub says: String,
}

/// What keeps text under judgement from speaking to the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceMode {
    /// Marks that the text cannot know, around it.
    Marks,
    /// The text is a chat message of its own; its control tokens are broken.
    ChatRole,
    /// The reader is no judge.
    Open,
}
