//! Screens of the workbench.

pub(crate) mod annotate;
pub mod attempts;
pub mod comparison_form;
pub mod debate;
mod drafted_text;
mod entry_acts;
mod experiments;
mod first;
pub mod inspect;
mod leave_one_out;
mod memory;
pub mod new_debate;
mod paid_work;
mod places;

pub mod prompt_ab;
mod prompt_editor;
mod prompt_file;
mod prompt_list;
mod prompt_preview;
pub mod prompt_trial;
mod prompt_versions;
mod queues;
pub mod rejudging;
mod reply_columns;
mod rows;
pub mod session_acts;
mod session_columns;
pub mod session_diff;
mod session_lock;
pub mod session_search;
pub mod sessions;
mod tagged_text;
pub mod tree;
mod validate;
mod writing;

pub(crate) use first::annotate_screen;
pub use first::first_screen;
pub use places::{PLACES, Place, default_keys};
pub use session_lock::{Hold, LockMessage};
