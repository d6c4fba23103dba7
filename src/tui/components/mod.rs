//! Components: parts of screens that stand alone, each with its own state, tasks and messages, which the messages of
//! a screen wrap.
//!
//! ```text
//! session_acts, session_columns, session_search, session_lock   sessions of a list, and one that is held
//! experiment_columns                                            experiments of a list
//! entry_acts, leave_one_out                                     entries of memory
//! prompt_file, prompt_preview, prompt_versions                  a prompt: its file, what a seat would be shown, versions
//! paid_work, rejudging                                          work from its price to its end
//! shown_writing                                                 what a screen shows, written to a file
//! step_preview                                                  what an open step would be shown
//! drafted_text, writing                                         a text that is written and survives as a draft
//! reply_columns, tagged_text, rows                              replies side by side, parts of views, lines in columns
//! ```

mod drafted_text;
pub(in crate::tui) mod entry_acts;
pub(in crate::tui) mod experiment_columns;
pub(in crate::tui) mod leave_one_out;
pub mod paid_work;
pub(in crate::tui) mod prompt_file;
pub(in crate::tui) mod prompt_preview;
pub(in crate::tui) mod prompt_versions;
pub mod rejudging;
pub(in crate::tui) mod reply_columns;
pub(in crate::tui) mod rows;
pub mod session_acts;
pub(in crate::tui) mod session_columns;
pub(in crate::tui) mod session_lock;
pub mod session_search;
pub mod shown_writing;
pub(in crate::tui) mod step_preview;
pub(in crate::tui) mod tagged_text;
pub(in crate::tui) mod writing;

pub use session_lock::{LockMessage, SessionAccess};
