//! The form for a new debate.

mod guard_models;
mod screen;
