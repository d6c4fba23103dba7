//! The screens.

pub mod debate;
