//! The terminal layer, by a small program that draws its input.

mod child;
mod decoding;
mod guessing;
mod leaving;
mod living;
mod mouse;
mod painting;
mod pasting;
mod slow;
mod torn_keys;
