//! What several tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub mod answer;
pub mod program;
pub mod pty;
pub mod server;

#[allow(unused_imports, reason = "each test uses a part")]
pub use answer::{Answer, Barrier};
#[allow(unused_imports, reason = "each test uses a part")]
pub use pty::Pty;
#[allow(unused_imports, reason = "each test uses a part")]
pub use server::{Seen, Server};
