//! What screens are put together from.

pub mod lines;
pub mod paragraph;
pub mod secret;
