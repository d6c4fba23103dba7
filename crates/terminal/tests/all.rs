//! Keys read and frames written, byte by byte.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod guessing;
mod painting;
