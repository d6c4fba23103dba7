//! Logs of Inspect AI: `.eval` archives and `.json` documents, in and out.
//!
//! ```text
//! archive_writer   an .eval archive, sample by sample
//! summary          what lists of samples show of one
//! ```

mod archive_writer;
mod summary;

pub use archive_writer::LogWriter;
