//! Engine of experiments: what every kind of experiment has in common.
//!
//! ```text
//! context    what items are performed with, and how they are stopped
//! perform    the trait of all kinds; the loop: budget, side by side, until nothing is missing
//! items      kinds whose items are numbered when they begin: a plan, and a function that performs one
//! log        the journal: begun, resumed, noted, closed
//! end        completed, with failures, or paused with a reason
//! observer   items as they come to their ends
//! ```
//!
//! An experiment opens items, each of which is performed on its own; its outcome is durable before the next
//! item is opened.

mod context;
mod end;
mod items;
mod log;
mod observer;
mod perform;

pub(super) use context::read_blocking;
pub use context::{ExperimentContext, StopSignal};
pub use end::{ExperimentEnd, PauseCause};
pub use items::{
    ItemExperiment, ItemPerformer, OpenItem, estimate_items, plan_path, read_items, read_plan,
};
pub(super) use items::{perform_part, read_state};
pub(super) use log::ExperimentJournal;
pub use log::ExperimentLog;
pub use observer::{EndedItem, ExperimentObserver, ItemEnd, NoExperimentObserver};
pub(super) use perform::{Asked, Experiment, OpenedItem, Recorded, perform_experiment};
pub use perform::{ItemReport, Stage};
