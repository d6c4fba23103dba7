//! The simulated model.
pub mod settings;
