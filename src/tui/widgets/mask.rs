//! Content that is masked for work in public: how much there is stays visible, what it says does not.

/// Whether what topics, models and people say is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    #[default]
    Shown,
    Masked,
}

impl Content {
    /// The other one.
    #[must_use]
    pub fn toggled(self) -> Self {
        match self {
            Content::Shown => Content::Masked,
            Content::Masked => Content::Shown,
        }
    }

    /// Returns the text, or what stands for it.
    pub fn of(self, text: &str) -> String {
        match self {
            Content::Shown => text.to_owned(),
            Content::Masked => format!("[masked: {} characters]", text.chars().count()),
        }
    }
}
