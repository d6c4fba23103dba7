//! The form for a new debate.

mod added_meanwhile;
mod again;
mod guard_models;
mod screen;
