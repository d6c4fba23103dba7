//! What the screens of prompts want done, and what came of it.

/// Something to be done with prompts; answered with [`PromptTold`].
#[derive(Debug, Clone)]
pub enum PromptDeed {}

/// What came of something that was done with prompts.
#[derive(Debug, Clone)]
pub enum PromptTold {}
