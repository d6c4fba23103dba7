//! Events of a pass's journal, and the state that is folded from them.

use super::rules::PassManifest;
use crate::debate::event::{Outcome, Reply};
use crate::debate::protocol::Ceilings;
use crate::debate::view::View;
use crate::debate::{Judge, JudgingId, SessionId, ShownOrder, Target};
use crate::store::{Hash, JournalEvent, JournalLine};
use crate::workspace::error::Result;
use crate::workspace::experiment::{
    ExperimentEvent, ExperimentSummary, ItemCounts, Standing, fold_experiment,
};
use crate::workspace::{JournalKind, has_fields};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// One line of a pass's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum PassEvent {
    Begun(Box<PassManifest>),
    /// The pass is resumed; the ceiling replaces the one before.
    Resumed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_usd: Option<f64>,
    },
    /// A request is about to be sent. Written before the call, without waiting for the disk.
    CallStarted {
        asked: VerdictAddress,
        /// The most that the call can cost, in US dollars, if its model has prices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worst_case_usd: Option<f64>,
    },
    /// A try failed and another one follows.
    CallRetried {
        asked: VerdictAddress,
        why: String,
        wait_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may_have_cost_usd: Option<f64>,
    },
    Judged(Box<Rejudged>),
    /// A verdict could not be had. Going on tries it again.
    Failed {
        asked: VerdictAddress,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may_have_cost_usd: Option<f64>,
    },
    Paused {
        why: String,
    },
    Completed {},
}

/// Address of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct VerdictAddress {
    pub session: SessionId,
    pub judging: JudgingId,
    /// Index of the judge's chair.
    pub chair: u32,
    pub target: Target,
    #[serde(default)]
    pub order: ShownOrder,
}

impl VerdictAddress {
    pub(crate) fn from_judge(session: &SessionId, judge: &Judge) -> Self {
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
pub(crate) struct Rejudged {
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
    /// Returns its cost; zero where no model was asked, `None` where the model has no price.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        self.reply
            .as_ref()
            .map_or(Some(0.0), |reply| reply.cost_usd)
    }
}

/// State of a pass.
#[derive(Debug, Clone)]
pub(crate) struct PassState {
    pub manifest: PassManifest,
    pub begun_at: String,
    /// The last verdict of each, with its time.
    pub judged: BTreeMap<VerdictAddress, (String, Rejudged)>,
    /// The last failure of each that was not judged since.
    pub failed: BTreeMap<VerdictAddress, String>,
    pub completed: bool,
    pub paused: Option<String>,
    /// Calls without a known outcome, at their worst.
    started: BTreeMap<VerdictAddress, f64>,
    spent_usd: f64,
}

impl PassState {
    pub(crate) fn begin(manifest: PassManifest, at: &str) -> Self {
        Self {
            manifest,
            begun_at: at.to_owned(),
            failed: BTreeMap::new(),
            judged: BTreeMap::new(),
            completed: false,
            paused: None,
            started: BTreeMap::new(),
            spent_usd: 0.0,
        }
    }

    /// Returns the most it may have cost.
    pub(crate) fn committed_usd(&self) -> f64 {
        self.spent_usd + self.started.values().sum::<f64>()
    }

    /// Returns how many of its verdicts came from a model without prices.
    pub(crate) fn unpriced_calls(&self) -> u64 {
        let judged = self.judged.values();
        let unpriced = judged.filter(|(_, judged)| judged.cost_usd().is_none());
        unpriced.count() as u64
    }

    pub(crate) fn apply(&mut self, at: &str, event: PassEvent) {
        match event {
            // One begins it; the reader has checked that.
            PassEvent::Begun(_) => {}
            PassEvent::Resumed { budget_usd } => {
                self.paused = None;
                self.completed = false;
                self.manifest.budget_usd = budget_usd.or(self.manifest.budget_usd);
                self.spent_usd = self.committed_usd();
                self.started.clear();
            }
            PassEvent::CallStarted {
                asked,
                worst_case_usd,
            } => {
                let worst = worst_case_usd.unwrap_or(0.0);
                self.started.insert(asked, worst);
            }
            PassEvent::CallRetried {
                may_have_cost_usd, ..
            } => self.spent_usd += may_have_cost_usd.unwrap_or(0.0),
            PassEvent::Judged(judged) => {
                self.started.remove(&judged.asked);
                self.failed.remove(&judged.asked);
                self.spent_usd += judged.cost_usd().unwrap_or(0.0);
                let asked = judged.asked.clone();
                self.judged.insert(asked, (at.to_owned(), *judged));
            }
            PassEvent::Failed {
                asked,
                message,
                may_have_cost_usd,
            } => {
                self.started.remove(&asked);
                self.spent_usd += may_have_cost_usd.unwrap_or(0.0);
                self.failed.insert(asked, message);
            }
            PassEvent::Paused { why } => self.paused = Some(why),
            PassEvent::Completed {} => self.completed = true,
        }
    }
}

impl JournalEvent for PassEvent {
    const KIND: &'static str = "pass";
}

impl JournalKind for PassEvent {
    type State = PassState;
    const NAMES: (&'static str, &'static str) = ("pass", "passes");
    const FOLDERS: &'static [&'static str] = &["passes"];
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["pass", "rules"])
    }

    fn fold(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<PassState> {
        fold_experiment(path, lines)
    }
}

impl ExperimentEvent for PassEvent {
    fn resumed(ceilings: Ceilings) -> Self {
        Self::Resumed {
            budget_usd: ceilings.cost_usd,
        }
    }

    fn paused(why: String) -> Self {
        Self::Paused { why }
    }

    fn completed() -> Self {
        Self::Completed {}
    }

    fn begun(&self, at: &str) -> Option<PassState> {
        match self {
            Self::Begun(manifest) => Some(PassState::begin((**manifest).clone(), at)),
            Self::Resumed { .. }
            | Self::CallStarted { .. }
            | Self::CallRetried { .. }
            | Self::Judged(_)
            | Self::Failed { .. }
            | Self::Paused { .. }
            | Self::Completed {} => None,
        }
    }

    fn apply(state: &mut PassState, at: &str, event: Self) {
        state.apply(at, event);
    }

    fn summary(state: &PassState) -> ExperimentSummary {
        let manifest = &state.manifest;
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
                all: state.completed.then_some(state.judged.len() as u64),
                done: state.judged.len() as u64,
                failed: state.failed.len() as u64,
            },
            item_names: ("verdict", "verdicts"),
            standing: Standing::of(state.paused.as_ref(), state.completed),
            ceilings: Ceilings::of_usd(manifest.budget_usd),
            committed_usd: (state.unpriced_calls() == 0).then(|| state.committed_usd()),
            failures: state
                .failed
                .iter()
                .map(|(asked, why)| (format!("{}, {}", asked.session, asked.target), why.clone()))
                .collect(),
        }
    }
}
