//! Logs of Inspect AI: `.eval` archives and `.json` documents, in and out.
//!
//! ```text
//! archive_writer   an .eval archive, sample by sample
//! summary          what lists of samples show of one
//! read_log         a log as finished conversations
//! archive_reader   documents out of an .eval archive, within bounds
//! log_types        what is read of a log
//! sample           a sample as a finished conversation
//! ```

mod archive_reader;
mod archive_writer;
mod log_types;
mod read_log;
mod sample;
mod summary;

pub use archive_reader::{ArchiveFault, MAX_DOCUMENT_BYTES, MAX_LOG_BYTES};
pub use archive_writer::LogWriter;
pub use read_log::{is_archive, parse_log_document, read_log_archive};
