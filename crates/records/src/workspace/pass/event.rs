//! Events of a pass's journal, and the state that is folded from them.

use super::rules::PassManifest;
use crate::workspace::error::Result;
use crate::workspace::experiment::{
    BudgetFields, ExperimentEvent, ExperimentSummary, ItemCounts, ProgressMark, Standing,
    fold_experiment,
};
use crate::workspace::{Intake, JournalKind, has_fields};
use elenchus_game::debate::event::{Outcome, Reply};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::view::View;
use elenchus_game::debate::{Expense, Judge, JudgingId, SessionId, ShownOrder, Spend, Target};
use elenchus_store::{Hash, JournalLine, JournalType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// One line of a pass's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PassEvent {
    Begun(Box<PassManifest>),
    /// The pass is resumed; ceilings that are given replace those before.
    Resumed {
        #[serde(flatten, with = "BudgetFields")]
        ceilings: Ceilings,
    },
    /// A request is about to be sent. Written before the call, without waiting for the disk.
    CallStarted {
        asked: VerdictAddress,
        /// The most that the call can cost, in US dollars, if its model has prices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worst_case_usd: Option<f64>,
        /// The most that it can read and write; passes of version 0.1.0 do not say.
        #[serde(default)]
        worst_case_tokens: u64,
        /// It is written to a batch file and answered by another one, whenever that comes. Never set by
        /// earlier versions.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        batch: bool,
    },
    /// A try failed and another one follows.
    CallRetried {
        asked: VerdictAddress,
        why: String,
        wait_ms: u64,
        #[serde(flatten)]
        charge: FailedTry,
    },
    Judged(Box<Rejudged>),
    /// A verdict could not be had. Going on tries it again, unless the provider's filter refused it.
    Failed {
        asked: VerdictAddress,
        message: String,
        /// The provider's filter refused: another call would be refused too. Never set by earlier versions.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        filtered: bool,
        #[serde(flatten)]
        charge: FailedTry,
    },
    Paused {
        why: String,
    },
    Completed {},
}

/// What a try that failed may have used; passes of version 0.1.0 know its dollars alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FailedTry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_used_tokens: Option<u64>,
    /// Nothing reached a server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsent: bool,
}

impl FailedTry {
    fn expense(self) -> Expense {
        Expense {
            usd: self.may_have_cost_usd.unwrap_or(0.0),
            calls: u64::from(!self.unsent),
            tokens: self.may_have_used_tokens.unwrap_or(0),
        }
    }
}

/// Address of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VerdictAddress {
    pub session: SessionId,
    pub judging: JudgingId,
    /// Index of the judge's chair.
    pub chair: u32,
    pub target: Target,
    #[serde(default)]
    pub order: ShownOrder,
}

impl VerdictAddress {
    pub fn from_judge(session: &SessionId, judge: &Judge) -> Self {
        Self {
            session: session.clone(),
            judging: judge.judging.clone(),
            chair: judge.chair.index,
            target: judge.target.clone(),
            order: judge.order,
        }
    }
}

/// A verdict with everything that came with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejudged {
    pub asked: VerdictAddress,
    /// Hash of the judged text.
    pub sha256: Hash,
    pub rubric: String,
    /// The judge's model, by its name in the configuration.
    pub model: String,
    /// Number of the attempt, from 0.
    #[serde(default)]
    pub attempt: u32,
    pub outcome: Outcome,
    /// Absent where a rule judged, or the verdict came with a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
}

impl Rejudged {
    /// Returns what it used.
    fn expense(&self) -> Expense {
        let reply = self.reply.as_ref();
        reply.map_or_else(Expense::default, |reply| {
            Spend::from_reply(reply).to_expense()
        })
    }

    /// Returns its cost; zero where no model was asked, `None` where the model has no price.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        self.reply
            .as_ref()
            .map_or(Some(0.0), |reply| reply.cost_usd)
    }
}

/// State of a pass.
#[derive(Debug, Clone)]
pub struct PassState {
    pub manifest: PassManifest,
    pub begun_at: String,
    /// The last verdict of each, with its time.
    pub judged: BTreeMap<VerdictAddress, (String, Rejudged)>,
    /// The last failure of each that was not judged since.
    pub failed: BTreeMap<VerdictAddress, String>,
    /// Those that the provider's filter refused.
    pub filtered: BTreeMap<VerdictAddress, String>,
    pub completed: bool,
    pub paused: Option<String>,
    /// Calls without a known outcome, at their worst.
    started: BTreeMap<VerdictAddress, Expense>,
    /// Calls that wait in a batch file for their answers, at their worst.
    in_batch: BTreeMap<VerdictAddress, Expense>,
    spent: Expense,
}

impl PassState {
    pub(crate) fn new(manifest: PassManifest, at: &str) -> Self {
        Self {
            manifest,
            begun_at: at.to_owned(),
            failed: BTreeMap::new(),
            filtered: BTreeMap::new(),
            judged: BTreeMap::new(),
            completed: false,
            paused: None,
            started: BTreeMap::new(),
            in_batch: BTreeMap::new(),
            spent: Expense::default(),
        }
    }

    /// Returns how many of its verdicts are not asked for again: those that are there, and those that the
    /// provider's filter refused.
    pub fn settled_count(&self) -> u64 {
        (self.judged.len() + self.filtered.len()) as u64
    }

    /// Returns the most it may have used.
    pub fn committed_expense(&self) -> Expense {
        let in_batch = self.in_batch.values().copied().sum();
        self.expense_outside_batches().plus(in_batch)
    }

    /// Returns the most that may have been used by calls other than those that wait in a batch file.
    pub fn expense_outside_batches(&self) -> Expense {
        self.spent.plus(self.started.values().copied().sum())
    }

    /// Says whether the call for a verdict waits in a batch file for its answer.
    pub fn waits_in_batch(&self, asked: &VerdictAddress) -> bool {
        self.in_batch.contains_key(asked)
    }

    /// Returns how many calls do.
    pub fn count_in_batch(&self) -> usize {
        self.in_batch.len()
    }

    /// Returns how many of its verdicts came from a model without prices.
    pub(crate) fn unpriced_calls(&self) -> u64 {
        let verdicts = self.judged.values();
        let unpriced_verdicts = verdicts.filter(|(_, judged)| judged.cost_usd().is_none());
        unpriced_verdicts.count() as u64
    }

    pub(crate) fn apply_pass_event(&mut self, at: &str, event: PassEvent) {
        match event {
            // One begins it; the reader has checked that.
            PassEvent::Begun(_) => {}
            PassEvent::Resumed { ceilings } => {
                self.paused = None;
                self.completed = false;
                self.manifest.ceilings = self.manifest.ceilings.with_overrides(ceilings);
                self.spent = self.expense_outside_batches();
                self.started.clear();
            }
            PassEvent::CallStarted {
                asked,
                worst_case_usd,
                worst_case_tokens,
                batch,
            } => {
                // What waits in a batch file may be answered there as well as asked anew.
                let unanswered = self.in_batch.remove(&asked);
                self.spent = self.spent.plus(unanswered.unwrap_or_default());
                let worst = Expense {
                    usd: worst_case_usd.unwrap_or(0.0),
                    calls: 1,
                    tokens: worst_case_tokens,
                };
                match batch {
                    true => self.in_batch.insert(asked, worst),
                    false => self.started.insert(asked, worst),
                };
            }
            PassEvent::CallRetried { charge, .. } => {
                self.spent = self.spent.plus(charge.expense());
            }
            PassEvent::Judged(judged) => {
                self.started.remove(&judged.asked);
                self.in_batch.remove(&judged.asked);
                self.failed.remove(&judged.asked);
                self.spent = self.spent.plus(judged.expense());
                let address = judged.asked.clone();
                self.judged.insert(address, (at.to_owned(), *judged));
            }
            PassEvent::Failed {
                asked,
                message,
                filtered,
                charge,
            } => {
                self.started.remove(&asked);
                self.in_batch.remove(&asked);
                self.spent = self.spent.plus(charge.expense());
                match filtered {
                    true => {
                        self.failed.remove(&asked);
                        self.filtered.insert(asked, message);
                    }
                    false => drop(self.failed.insert(asked, message)),
                }
            }
            PassEvent::Paused { why } => self.paused = Some(why),
            PassEvent::Completed {} => self.completed = true,
        }
    }
}

impl JournalType for PassEvent {
    type Event = Self;
    const KIND: &'static str = "pass";
}

impl JournalKind for PassEvent {
    type State = PassState;
    const NAMES: (&'static str, &'static str) = ("pass", "passes");
    const FOLDERS: &'static [&'static str] = &["passes"];
    const INTAKE: Intake = Intake::Freely;
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["pass", "rules"])
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<PassState> {
        fold_experiment(path, lines)
    }
}

impl ExperimentEvent for PassEvent {
    fn resume_event(ceilings: Ceilings) -> Self {
        Self::Resumed { ceilings }
    }

    fn pause_event(why: String) -> Self {
        Self::Paused { why }
    }

    fn completion_event() -> Self {
        Self::Completed {}
    }

    fn begin_state(&self, at: &str) -> Option<PassState> {
        let Self::Begun(manifest) = self else {
            return None;
        };
        Some(PassState::new((**manifest).clone(), at))
    }

    fn apply_event(state: &mut PassState, at: &str, event: Self) {
        state.apply_pass_event(at, event);
    }

    fn progress_mark(&self) -> Option<ProgressMark> {
        match self {
            Self::Begun(_) | Self::Resumed { .. } => Some(ProgressMark::Begins),
            Self::Judged(_) => Some(ProgressMark::FinishesItem),
            Self::Failed { .. } => Some(ProgressMark::FailsItem),
            Self::CallStarted { .. }
            | Self::CallRetried { .. }
            | Self::Paused { .. }
            | Self::Completed {} => None,
        }
    }

    fn summarize(state: &PassState) -> ExperimentSummary {
        let manifest = &state.manifest;
        let is_cost_known = state.unpriced_calls() == 0;
        let committed_usd = is_cost_known.then(|| state.committed_expense().usd);
        ExperimentSummary {
            kind: "pass",
            id: manifest.pass.clone(),
            about: format!(
                "{} in {} session{}",
                manifest.rules,
                manifest.sessions.len(),
                if manifest.sessions.len() == 1 {
                    ""
                } else {
                    "s"
                }
            ),
            begun_at: state.begun_at.clone(),
            items: ItemCounts {
                // Sessions say what they want when they are opened.
                all: state.completed.then_some(state.settled_count()),
                done: state.settled_count(),
                failed: state.failed.len() as u64,
            },
            item_names: ("verdict", "verdicts"),
            standing: Standing::from_journal(state.paused.as_ref(), state.completed),
            ceilings: manifest.ceilings,
            committed_usd,
            ended_usd: committed_usd,
            filtered: state.filtered.len() as u64,
            failures: state
                .failed
                .iter()
                .map(|(asked, why)| (format!("{}, {}", asked.session, asked.target), why.clone()))
                .collect(),
            setup: None,
            runs: Vec::new(),
            in_batch: state.in_batch.len() as u64,
            is_shard: false,
            repeat: manifest.repeat.clone(),
        }
    }
}
