//! A prompt tried on a recorded turn, on the screen.

mod pty;
mod screen;
