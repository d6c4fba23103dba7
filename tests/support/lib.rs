//! Harnesses and sample data that tests of several crates share: the real program in a home of its own, a
//! pseudo-terminal, a server on loopback that misbehaves, and journals read as text.
//!
//! Nothing here depends on the crates under test, so that checking a test checks nothing else; what does is
//! behind the feature `records`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod answer;
pub mod compared;
pub mod damage;
#[cfg(feature = "records")]
pub mod debates;
pub mod drawn;
pub mod duo;
pub mod guardrails;
pub mod journals;
pub mod labelling;
pub mod lessons;
pub mod minilm;
#[cfg(target_os = "linux")]
pub mod opened;
pub mod peers;
pub mod program;
pub mod pty;
#[cfg(feature = "records")]
pub mod sample_sessions;
pub mod server;
pub mod socratic;
#[cfg(feature = "records")]
pub mod validation;

pub use answer::{Answer, Barrier};
pub use pty::Pty;
pub use server::{ChatRequest, ChatServer};
