//! Other people's formats, in and out, and text that is safe to print.

pub mod text;

pub use text::{Keep, visible};
