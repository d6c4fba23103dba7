//! The screens.

pub mod attempts;
pub mod compare;
pub mod debate;
pub mod hold;
pub mod inspect;
mod rows;
mod said;
pub mod tree;
