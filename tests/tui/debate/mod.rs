//! The debate screen.

mod layout;
mod live;
mod one_here;
mod orientation;
mod transcript;
mod unjudged;
pub mod walk;
