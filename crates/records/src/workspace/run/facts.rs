//! What a run says of its debates, kept in the store's index: its journal has a line for each of them.

use super::event::RunEvent;
use super::whole::ShardFacts;
use crate::workspace::error::Result;
use crate::workspace::journal_kind::JournalKind;
use crate::workspace::journal_lines::known_lines;
use crate::workspace::store_index::{Derived, EntryForm, table};
use elenchus_game::debate::SessionId;
use elenchus_store::{Head, read_journal};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a run says of its debates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Name of its data set; an ablation has none.
    pub dataset: Option<String>,
    pub seed: u64,
    /// RFC 3339.
    pub begun_at: String,
    /// Its finished debates, in the order of its items.
    pub finished: Vec<SessionId>,
    /// Those that failed, in the same order. One that failed before its first line has no session in the store.
    pub failed: Vec<SessionId>,
    /// How many debates came to an end or failed, of how many.
    pub ended: usize,
    pub planned: usize,
    /// What it is as a shard, where it is one.
    pub shard: Option<Box<ShardFacts>>,
}

impl Derived for RunFacts {
    const TABLE: &'static str = table::RUNS;
    const REFUSES_LESS: bool = false;
    const FORM: EntryForm = EntryForm::Compact;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let journal = read_journal(path)?;
        let run = RunEvent::fold_journal(path, known_lines(path, journal.lines)?)?;
        let facts = Self {
            failed: run.list_failed_sessions().cloned().collect(),
            dataset: match run.manifest.ablation {
                Some(_) => None,
                None => Some(run.manifest.dataset.name()),
            },
            seed: run.manifest.seed,
            shard: ShardFacts::from_run(&run).map(Box::new),
            begun_at: run.begun_at,
            ended: run.finished.len() + run.failed.len(),
            planned: run.items.len(),
            finished: (run.finished.into_values())
                .map(|done| done.session)
                .collect(),
        };
        Ok((facts, journal.head))
    }
}
