//! The screens.

pub mod debate;
pub mod new;
pub mod sessions;
