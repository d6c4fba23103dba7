//! The debate screen.

mod live;
mod orientation;
mod transcript;
mod unjudged;
