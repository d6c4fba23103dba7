//! The terminal itself, by a small program that draws what comes from it.

mod child;
mod decoding;
mod guessing;
mod leaving;
mod living;
mod painting;
mod pasting;
mod slow;
