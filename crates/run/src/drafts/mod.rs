//! Drafts

pub mod debate_draft;
pub mod prompt_edit;
mod prompt_history;
mod prompt_preview;

pub use prompt_history::{LastResult, PromptHistory, PromptResults, PromptVersion, history};
pub use prompt_preview::{
    LivePreview, PreviewItem, PreviewPlace, PromptPreview, PromptStage, RenderRequest,
};
