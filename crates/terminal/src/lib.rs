//! Terminal: the only module that touches it. Knows bytes, modes and signals; never the meaning of
//! a screen or a key. It imports nothing of ours.
//!
//! ```text
//! bytes ── reader (thread, waits in poll) ── Decoder (pure) ──► Input
//! Buffer ── Painter (pure: ratatui's crossterm backend) ──► one buffer ── writer (thread) ──► terminal
//! ```
//!
//! The terminal is asked nothing, so nothing that it sends is an answer; what looks like one is
//! swallowed. With nothing to read and nothing to write no thread wakes up.

mod capabilities;
mod choices;
mod copy;
pub mod decode;
mod external_programs;
mod input;
mod modes;
pub mod paint;
mod reader;
mod signals;
mod tty;
mod writer;

pub use capabilities::{Depth, GlyphSet, Link, TerminalEnvironment};
pub use choices::{ColorChoice, GlyphChoice, LinkChoice, UnknownChoice};
pub use external_programs::{ProgramError, describe_copy, edit_file, run_pager};
pub use input::{Input, Paste};
pub use signals::{Signal, Signals};
pub use tty::{DrawResult, Mouse, SuspendResult, TermError, TermOptions, Terminal};
