//! Masking of content for work in public: its amount stays visible, its words do not.

/// Visibility of texts of topics, models and people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    #[default]
    Shown,
    Masked,
}

impl Content {
    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Content::Shown => Content::Masked,
            Content::Masked => Content::Shown,
        }
    }

    /// Returns the text, or its mask.
    pub fn show_or_mask(self, text: &str) -> String {
        match self {
            Content::Shown => text.to_owned(),
            Content::Masked => format!("[masked: {} characters]", text.chars().count()),
        }
    }
}
