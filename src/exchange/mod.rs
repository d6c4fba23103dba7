//! Other people's formats, in and out, and text that is safe to print.

pub mod colang;
mod outline;
pub mod record;
mod record_parts;
pub mod text;

pub use outline::{OutlineLine, outline};
pub use text::{Keep, visible};
