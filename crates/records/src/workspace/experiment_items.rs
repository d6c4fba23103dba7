//! Journal of an experiment whose items are numbered when it begins: its plan, and the outcome of each item.
//!
//! A new kind of experiment needs no events of its own: it says what its plan holds and what an item comes
//! to, and has a journal, a fold and a summary.

use super::error::Result;
use super::experiment::{
    ExperimentEvent, ExperimentSummary, ItemCounts, ProgressMark, Standing, fold_experiment,
};
use super::journal_kind::{Intake, JournalKind};
use super::repeat_key::RepeatKey;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Expense, RunId, SessionId};
use elenchus_store::{JournalLine, JournalType};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Plan of an experiment, enough to go on when files have changed.
pub trait ItemPlan: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name of the kind in a journal's envelope.
    const KIND: &'static str;
    /// What one of them is called, and several.
    const NAMES: (&'static str, &'static str);
    /// Folder of a store that holds their journals: one below `experiments`.
    const FOLDERS: &'static [&'static str];
    /// What an item is called, and several.
    const ITEM_NAMES: (&'static str, &'static str);
    /// What an item comes to.
    type Outcome: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Returns the id of the experiment.
    fn id(&self) -> &str;

    /// Says what it is about, in a few words.
    fn describe_subject(&self) -> String;

    /// Returns how many items it has; they are counted from 0.
    fn item_count(&self) -> u64;

    /// Names an item.
    fn item_name(&self, item: u64) -> String;

    /// Returns what it may use up.
    fn ceilings(&self) -> Ceilings;

    /// Replaces the ceilings that are given.
    fn raise_ceilings(&mut self, given: Ceilings);

    /// Lists the runs that are played as parts of it.
    fn list_runs(&self) -> Vec<RunId> {
        Vec::new()
    }

    /// Returns the key under which it was begun, where it was under one.
    fn repeat_key(&self) -> Option<&RepeatKey> {
        None
    }
}

/// Line of such a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[serde(bound(serialize = "P: ItemPlan", deserialize = "P: ItemPlan"))]
pub enum ItemEvent<P: ItemPlan> {
    Begun {
        plan: Box<P>,
    },
    /// A call for an item is about to be sent. Written before the call, without waiting for the disk: it
    /// counts at its worst until more is known.
    CallStarted {
        item: u64,
        worst_case: Expense,
    },
    /// An item is played as this session, which has begun: what it used is in its journal.
    Opened {
        item: u64,
        session: SessionId,
    },
    Done {
        item: u64,
        outcome: P::Outcome,
        /// What the item used since it was opened last.
        used: Expense,
        /// Calls of models without prices among that.
        #[serde(default, skip_serializing_if = "is_zero_count")]
        unpriced_calls: u64,
    },
    /// Resuming tries it again.
    Failed {
        item: u64,
        why: String,
        used: Expense,
        #[serde(default, skip_serializing_if = "is_zero_count")]
        unpriced_calls: u64,
    },
    /// An item was left before its end: a ceiling was reached, or the experiment was stopped.
    Left {
        item: u64,
        used: Expense,
        #[serde(default, skip_serializing_if = "is_zero_count")]
        unpriced_calls: u64,
    },
    Paused {
        why: String,
    },
    /// It goes on; ceilings that are given replace those before.
    Resumed {
        ceilings: Ceilings,
    },
    Completed {},
}

/// State of such an experiment.
#[derive(Debug, Clone)]
pub struct ItemState<P: ItemPlan> {
    pub plan: P,
    pub begun_at: String,
    pub done: BTreeMap<u64, P::Outcome>,
    /// The last failure of each item that was not done since.
    pub failed: BTreeMap<u64, String>,
    pub paused: Option<String>,
    pub completed: bool,
    /// Sessions of items that are played, or were when their process was killed.
    pub sessions: BTreeMap<u64, SessionId>,
    used: Expense,
    unpriced_calls: u64,
    /// Calls without a known outcome, at their worst.
    started: BTreeMap<u64, Expense>,
}

impl<P: ItemPlan> ItemState<P> {
    /// Returns the most that it may have used.
    pub fn committed_expense(&self) -> Expense {
        self.used.plus(self.started.values().copied().sum())
    }

    /// Returns the items that are not done, in their order.
    pub fn missing_items(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.plan.item_count()).filter(|item| !self.done.contains_key(item))
    }

    fn settle_item(&mut self, item: u64, used: Expense, unpriced_calls: u64) {
        self.started.remove(&item);
        self.sessions.remove(&item);
        self.used = self.used.plus(used);
        self.unpriced_calls = self.unpriced_calls.saturating_add(unpriced_calls);
    }
}

/// Says whether a field of a journal is left out, as none of what it counts is there.
pub(super) fn is_zero_count(count: &u64) -> bool {
    *count == 0
}

impl<P: ItemPlan> JournalType for ItemEvent<P> {
    type Event = Self;
    const KIND: &'static str = P::KIND;
}

impl<P: ItemPlan> JournalKind for ItemEvent<P> {
    type State = ItemState<P>;
    const NAMES: (&'static str, &'static str) = P::NAMES;
    const FOLDERS: &'static [&'static str] = P::FOLDERS;
    const INTAKE: Intake = Intake::Freely;
    const BEGINS_WITH_ONE: bool = true;

    /// All of them have an envelope.
    fn is_first(_: &serde_json::Value) -> bool {
        false
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<Self::State> {
        fold_experiment(path, lines)
    }
}

impl<P: ItemPlan> ExperimentEvent for ItemEvent<P> {
    fn resume_event(ceilings: Ceilings) -> Self {
        Self::Resumed { ceilings }
    }

    fn pause_event(why: String) -> Self {
        Self::Paused { why }
    }

    fn completion_event() -> Self {
        Self::Completed {}
    }

    fn begin_state(&self, at: &str) -> Option<ItemState<P>> {
        let Self::Begun { plan } = self else {
            return None;
        };
        Some(ItemState {
            plan: (**plan).clone(),
            begun_at: at.to_owned(),
            done: BTreeMap::new(),
            failed: BTreeMap::new(),
            paused: None,
            completed: false,
            sessions: BTreeMap::new(),
            used: Expense::default(),
            unpriced_calls: 0,
            started: BTreeMap::new(),
        })
    }

    fn apply_event(state: &mut ItemState<P>, _at: &str, event: Self) {
        match event {
            // One begins it; the fold has checked that.
            Self::Begun { .. } => {}
            Self::CallStarted { item, worst_case } => {
                let expense = state.started.entry(item).or_default();
                *expense = expense.plus(worst_case);
            }
            Self::Opened { item, session } => drop(state.sessions.insert(item, session)),
            Self::Done {
                item,
                outcome,
                used,
                unpriced_calls,
            } => {
                state.settle_item(item, used, unpriced_calls);
                state.failed.remove(&item);
                state.done.insert(item, outcome);
            }
            Self::Failed {
                item,
                why,
                used,
                unpriced_calls,
            } => {
                state.settle_item(item, used, unpriced_calls);
                state.failed.insert(item, why);
            }
            Self::Left {
                item,
                used,
                unpriced_calls,
            } => state.settle_item(item, used, unpriced_calls),
            Self::Paused { why } => state.paused = Some(why),
            Self::Resumed { ceilings } => {
                state.paused = None;
                state.completed = false;
                state.plan.raise_ceilings(ceilings);
                // What was in flight when its process was killed stays at its worst.
                state.used = state.committed_expense();
                state.started.clear();
            }
            Self::Completed {} => state.completed = true,
        }
    }

    fn progress_mark(&self) -> Option<ProgressMark> {
        match self {
            Self::Begun { .. } | Self::Resumed { .. } => Some(ProgressMark::Begins),
            Self::Done { .. } => Some(ProgressMark::FinishesItem),
            Self::Failed { .. } => Some(ProgressMark::FailsItem),
            Self::CallStarted { .. }
            | Self::Opened { .. }
            | Self::Left { .. }
            | Self::Paused { .. }
            | Self::Completed {} => None,
        }
    }

    fn summarize(state: &ItemState<P>) -> ExperimentSummary {
        let plan = &state.plan;
        let failures = state.failed.iter();
        let (one, _) = P::NAMES;
        let is_cost_known = state.unpriced_calls == 0;
        let committed_usd = is_cost_known.then(|| state.committed_expense().usd);
        ExperimentSummary {
            kind: one,
            id: plan.id().to_owned(),
            about: plan.describe_subject(),
            begun_at: state.begun_at.clone(),
            items: ItemCounts {
                all: Some(plan.item_count()),
                done: state.done.len() as u64,
                failed: state.failed.len() as u64,
            },
            item_names: P::ITEM_NAMES,
            standing: Standing::from_journal(state.paused.as_ref(), state.completed),
            ceilings: plan.ceilings(),
            committed_usd,
            ended_usd: committed_usd,
            filtered: 0,
            failures: failures
                .map(|(item, why)| (plan.item_name(*item), why.clone()))
                .collect(),
            setup: None,
            runs: plan.list_runs(),
            in_batch: 0,
            is_shard: false,
            repeat: plan.repeat_key().cloned().map(Box::new),
        }
    }
}
