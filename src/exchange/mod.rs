//! Other people's formats, in and out, and text that is safe to print.

pub mod record;
mod record_parts;
pub mod text;

pub use text::{Keep, visible};
