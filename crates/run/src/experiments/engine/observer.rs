//! Observer of an experiment: its items as they come to their ends.

use crate::engine::Observer;
use elenchus_game::debate::event::Record;
use elenchus_game::debate::{SessionId, Spend, State};
use elenchus_records::workspace::ItemCounts;

/// Watches an experiment.
pub trait ExperimentObserver: Observer {
    /// An item came to its end, and that is durable.
    fn on_item_end(&self, item: &EndedItem<'_>);
}

/// Item that came to its end.
#[derive(Debug, Clone, Copy)]
pub struct EndedItem<'a> {
    /// What people call it.
    pub name: &'a str,
    pub end: &'a ItemEnd,
    /// What it used.
    pub spend: Spend,
    /// All items of the experiment, this one included.
    pub counts: ItemCounts,
}

/// End of an item, or of a call for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemEnd<T = ()> {
    Done(T),
    /// Resuming the experiment tries it again.
    Failed(String),
    /// It can be resumed: a ceiling was reached, or the experiment was stopped.
    Unfinished,
}

impl<T> ItemEnd<T> {
    /// Returns the end with what `read` makes of the outcome.
    pub fn map<U>(self, read: impl FnOnce(T) -> U) -> ItemEnd<U> {
        match self {
            Self::Done(outcome) => ItemEnd::Done(read(outcome)),
            Self::Failed(why) => ItemEnd::Failed(why),
            Self::Unfinished => ItemEnd::Unfinished,
        }
    }

    /// Returns the end without the outcome.
    pub fn to_plain_end(&self) -> ItemEnd {
        match self {
            Self::Done(_) => ItemEnd::Done(()),
            Self::Failed(why) => ItemEnd::Failed(why.clone()),
            Self::Unfinished => ItemEnd::Unfinished,
        }
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoExperimentObserver;

impl Observer for NoExperimentObserver {
    fn on_event(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

impl ExperimentObserver for NoExperimentObserver {
    fn on_item_end(&self, _item: &EndedItem<'_>) {}
}
