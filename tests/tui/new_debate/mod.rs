//! The form for a new debate.

mod again;
mod guard_models;
mod screen;
