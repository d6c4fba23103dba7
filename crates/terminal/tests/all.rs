//! Keys read and frames written, byte by byte.

mod guessing;
mod painting;
