//! The terminal: the only place that touches it. Knows bytes, modes and signals; never what a screen
//! means, and never what a key is for.
//!
//! ```text
//! bytes ── reader (thread, waits in poll) ── Decoder (pure) ──► Input
//! Buffer ── Painter (pure: differences as few bytes) ──► one buffer ── writer (thread) ──► terminal
//! ```
//!
//! The terminal is asked nothing, so nothing that it sends is an answer; what looks like one is
//! swallowed. With nothing to read and nothing to write no thread wakes up.

mod copy;
mod decode;
mod guess;
mod modes;
mod paint;
mod reader;
mod signals;
mod terminal;
mod writer;

pub use copy::Copied;
pub use decode::{Decoder, PASTE_LIMIT_BYTES, Waiting};
pub use guess::{Depth, GlyphSet, Link, Surroundings};
pub use paint::Painter;
pub use signals::{Signal, Signals};
pub use terminal::{Drawn, Suspended, TermError, TermOptions, Terminal};
pub use writer::Written;
