//! What a person does with prompts: which there are, what they say now and said before, and how a
//! changed text becomes the one that is used.
//!
//! ```text
//! shelf, read_prompt     every template of every game, with where it comes from
//! save_prompt            a text becomes a file; what stood there stays among the versions
//! ```
//!
//! Tries and comparisons of prompts are next door, in [`tries`](super::tries).

mod name;
mod save;
mod shelf;

pub use name::{NotAPrompt, PromptName};
pub use save::{SaveFault, Saved, save_prompt};
pub use shelf::{PromptGlance, PromptShelf, PromptText, read_prompt, shelf};
