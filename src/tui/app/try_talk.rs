//! What the screens of tries and comparisons want done, and what came of it.

/// Something to be done with tries of prompts; answered with [`TryTold`].
#[derive(Debug, Clone)]
pub enum TryDeed {}

/// What came of something that was done with tries of prompts.
#[derive(Debug, Clone)]
pub enum TryTold {}
