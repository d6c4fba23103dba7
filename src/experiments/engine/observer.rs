//! Observer of an experiment: its items as they come to their ends.

use crate::debate::event::Record;
use crate::debate::{SessionId, Spend, State};
use crate::engine::Observer;
use crate::workspace::ItemCounts;

/// Watches an experiment.
pub trait ExperimentObserver: Observer {
    /// An item came to its end, and that is durable.
    fn left(&self, item: &LeftItem<'_>);
}

/// Item that came to its end.
#[derive(Debug, Clone, Copy)]
pub struct LeftItem<'a> {
    /// What people call it.
    pub name: &'a str,
    pub end: &'a ItemEnd,
    /// What it used.
    pub spend: Spend,
    /// All items of the experiment, this one included.
    pub counts: ItemCounts,
}

/// End of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemEnd {
    Done,
    /// Resuming the experiment tries it again.
    Failed(String),
    /// It can be resumed: a ceiling was reached, or the experiment was stopped.
    Unfinished,
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoExperimentObserver;

impl Observer for NoExperimentObserver {
    fn happened(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

impl ExperimentObserver for NoExperimentObserver {
    fn left(&self, _item: &LeftItem<'_>) {}
}
