//! What several tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub mod answer;
pub mod server;

pub use answer::{Answer, Barrier};
pub use server::{Seen, Server};
