//! The screens.

pub mod debate;
pub mod first;
pub mod new;
pub mod sessions;
