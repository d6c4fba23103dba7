//! The terminal layer, by a small program that draws its input.

mod child;
mod decoding;
mod dumb;
mod leaving;
mod living;
mod mouse;
mod pasting;
mod slow;
mod torn_keys;
