//! Engine of experiments: what every kind of experiment has in common.
//!
//! An experiment opens items, each of which is performed on its own; its outcome is durable before the next
//! item is opened. The end of every experiment is an [`ExperimentEnd`].

mod end;
mod perform;

pub use end::{ExperimentEnd, WOULD_BE_REFUSED};
pub(super) use perform::{Opened, Work, perform};
