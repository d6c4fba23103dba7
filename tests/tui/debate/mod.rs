//! The debate screen.

mod live;
mod orientation;
mod unjudged;
