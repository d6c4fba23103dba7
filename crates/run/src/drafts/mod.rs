//! What is filled in or written before it is played, and what is watched while it is: forms field by field,
//! prompts as they are edited, trials and comparisons as they come. It asks nobody and draws nothing.
//!
//! | file | content |
//! |---|---|
//! | `debate_draft` | a debate or run as it is filled in, field by field |
//! | `prompt_edit` | a prompt whose text is written, and what can be tried with it |
//! | `prompt_history`, `prompt_preview` | past texts of a prompt and their results; a text rendered before use |
//! | `prompt_trial` | another prompt on one recorded turn, as it is watched |
//! | `prompt_ab` | two prompts compared: the form, and comparisons in the background |
//! | `typed_ceilings` | ceilings as a line that is typed |

pub mod debate_draft;
pub mod prompt_ab;
pub mod prompt_edit;
mod prompt_history;
mod prompt_preview;
pub mod prompt_trial;
mod typed_ceilings;

pub use prompt_history::{
    ComparedPrompts, LastResult, PromptHistory, PromptResults, PromptVersion, read_compared,
    read_history,
};
pub use prompt_preview::{
    LivePreview, PreviewItem, PreviewPlace, PromptPreview, PromptStage, RenderRequest,
};
pub use typed_ceilings::{format_ceilings, parse_ceilings};
