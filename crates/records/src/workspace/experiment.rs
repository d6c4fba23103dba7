//! Journals of experiments: what every kind of experiment writes and what lists show of it.
//!
//! A run, a pass and a prompt comparison keep their own outcomes in their own words. That each is begun
//! once, pauses with a reason, is resumed under ceilings that may be higher, and ends, is said here.

use super::error::{Result, WorkspaceError, reject};
use super::journal_kind::JournalKind;
use super::repeat_key::RepeatKey;
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_store::JournalLine;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Events of an experiment's journal.
pub trait ExperimentEvent: JournalKind<Event = Self> {
    /// Returns the event that goes on with an experiment; ceilings that are given replace its own.
    fn resume_event(ceilings: Ceilings) -> Self;

    /// Returns the event of a stop before the end; the experiment can be resumed.
    fn pause_event(why: String) -> Self;

    /// Returns the event of the end.
    fn completion_event() -> Self;

    /// Returns the event of an end at which everything was tried and some items are missing: resuming
    /// tries them again.
    fn incomplete_event(missing: usize) -> Self {
        Self::pause_event(format!(
            "everything was tried, and {missing} could not be had"
        ))
    }

    /// Returns the state that this event begins; `None` where it begins nothing.
    fn begin_state(&self, at: &str) -> Option<Self::State>;

    /// Applies a later event. `at` is its time.
    fn apply_event(state: &mut Self::State, at: &str, event: Self);

    /// Returns what the event means for the progress of the experiment.
    fn progress_mark(&self) -> Option<ProgressMark>;

    /// Sums an experiment up, for lists.
    fn summarize(state: &Self::State) -> ExperimentSummary;
}

/// What an event means for the progress of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressMark {
    /// It is performed from here on.
    Begins,
    FinishesItem,
    FailsItem,
}

/// Folds the journal of an experiment: one event begins it, and no later one does.
///
/// # Errors
/// When it is empty or begins otherwise.
pub fn fold_experiment<E: ExperimentEvent>(
    path: &Path,
    lines: Vec<JournalLine<E>>,
) -> Result<E::State> {
    let mut state: Option<E::State> = None;
    for line in lines {
        match (line.event.begin_state(&line.at), &mut state) {
            (Some(begun), None) => state = Some(begun),
            (None, Some(state)) => E::apply_event(state, &line.at, line.event),
            (None, None) | (Some(_), Some(_)) => {
                let (one, _) = E::NAMES;
                return reject(format!(
                    "{}: the journal of a {one} must begin with one manifest; it is kept as it is",
                    path.display()
                ));
            }
        }
    }
    state.ok_or_else(|| WorkspaceError::empty_journal(path))
}

/// Experiment in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentSummary {
    /// What it is called, as "run"; a run that measures one memory entry is an ablation.
    pub kind: &'static str,
    pub id: String,
    /// What it is about, in a few words.
    pub about: String,
    /// RFC 3339; empty where the journal does not say.
    pub begun_at: String,
    pub items: ItemCounts,
    /// What its items are called, as in "1 debate", and several.
    pub item_names: (&'static str, &'static str),
    pub standing: Standing,
    pub ceilings: Ceilings,
    /// The most that it may have cost, in US dollars, as far as its own journal says; `None` where a
    /// model without prices was asked.
    pub committed_usd: Option<f64>,
    /// The most that the items that ended may have cost; `None` as above.
    pub ended_usd: Option<f64>,
    /// Replies that providers' filters refused in what ended, as far as its own journal says.
    pub filtered: u64,
    /// Reasons of the failures, by item.
    pub failures: Vec<(String, String)>,
    /// What is played, where it is debates.
    pub setup: Option<ExperimentSetup>,
    /// Runs that are played as parts of it.
    pub runs: Vec<RunId>,
    /// Calls that wait for answers of a batch file.
    pub in_batch: u64,
    /// It is a part of a run, or several parts of one put together.
    pub is_shard: bool,
    /// Key under which it was begun, where it was under one.
    pub repeat: Option<Box<RepeatKey>>,
}

/// What the debates of an experiment are played with, in a few words each; empty where that differs between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExperimentSetup {
    /// The game with the settings that are not its own, or how many arms there are.
    pub arm: String,
    /// Models of the cast, each once.
    pub models: Vec<String>,
    /// Kinds of long-term memory.
    pub memory: String,
}

/// [`Ceilings`] by the names that manifests and events have for them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Ceilings")]
pub struct BudgetFields {
    #[serde(
        rename = "budget_usd",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    cost_usd: Option<f64>,
    #[serde(
        rename = "budget_calls",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    calls: Option<u64>,
    #[serde(
        rename = "budget_tokens",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    tokens: Option<u64>,
}

/// Says whether a recorded cost is all there is: journals of earlier versions do not say whether all models
/// had prices, and there only a cost that is not 0 is known.
pub fn is_cost_known(priced: Option<bool>, committed_usd: f64) -> bool {
    priced.unwrap_or(committed_usd > 0.0)
}

/// Items of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ItemCounts {
    /// `None` where that is known only once they are opened.
    pub all: Option<u64>,
    pub done: u64,
    /// Those that failed and were not done since.
    pub failed: u64,
}

impl ItemCounts {
    /// Says whether every item was done or failed.
    pub fn are_all_tried(&self) -> bool {
        self.all == Some(self.done + self.failed)
    }
}

/// Done and all, with the number of failures where there are some.
impl fmt::Display for ItemCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.all {
            Some(all) => write!(f, "{}/{all}", self.done)?,
            None => write!(f, "{}/?", self.done)?,
        }
        match self.failed {
            0 => Ok(()),
            failed => write!(f, ", {failed}!"),
        }
    }
}

/// Standing of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is performed now, or its process was killed.
    Unfinished,
    Paused(String),
    Completed,
}

impl Standing {
    /// Returns the standing that a journal shows: why it paused last, and whether it ended.
    pub fn from_journal(paused: Option<&String>, completed: bool) -> Self {
        match (completed, paused) {
            (true, _) => Self::Completed,
            (false, Some(why)) => Self::Paused(why.clone()),
            (false, None) => Self::Unfinished,
        }
    }

    /// Returns it in a word.
    pub fn as_word(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Paused(_) => "paused",
            Self::Unfinished => "unfinished",
        }
    }

    /// Returns the reason of a pause.
    pub fn pause_reason(&self) -> Option<&str> {
        match self {
            Self::Paused(why) => Some(why),
            Self::Completed | Self::Unfinished => None,
        }
    }
}
