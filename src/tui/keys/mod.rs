//! Keys and what they ask for: one table of named actions with contexts.

mod action;
mod table;

pub use action::Action;
pub use table::{Binding, Chord, Context};
