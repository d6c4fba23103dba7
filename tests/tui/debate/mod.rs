//! The debate screen.

mod layout;
mod live;
mod orientation;
mod transcript;
mod unjudged;
pub mod walk;
