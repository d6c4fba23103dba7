//! Harnesses and sample data that several tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub mod answer;
pub mod builtin_games;
pub mod compared;
pub mod debates;
pub mod drawing;
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
pub mod sample_sessions;
pub mod server;
pub mod simulated;
pub mod socratic;
pub mod test_screen;
pub mod validation;

#[allow(unused_imports, reason = "each test uses a part")]
pub use answer::{Answer, Barrier};
#[allow(unused_imports, reason = "each test uses a part")]
pub use pty::Pty;
#[allow(unused_imports, reason = "each test uses a part")]
pub use server::{ChatRequest, ChatServer};
