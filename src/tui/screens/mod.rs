//! The screens.

pub mod annotate;
pub mod attempts;
pub mod compare;
pub mod compared;
pub mod debate;
pub mod first;
pub mod hold;
pub mod inspect;
pub mod memory;
pub mod new;
pub mod prompt;
pub mod prompts;
mod rows;
mod said;
pub mod sessions;
pub mod tree;
pub mod tries;
pub mod validate;
