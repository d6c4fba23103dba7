//! The screens.

pub mod debate;
pub mod first;
