//! The debate screen.

mod forks;
mod layout;
mod legends;
mod live;
mod one_here;
mod orientation;
mod round_rows;
mod seat;
mod transcript;
mod unjudged;
pub mod walk;
