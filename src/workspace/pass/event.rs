//! Events of a pass's journal, and the state that is folded from them.

use super::rules::PassManifest;
use crate::debate::event::{Outcome, Reply};
use crate::debate::view::View;
use crate::debate::{Judge, JudgingId, SessionId, ShownOrder, Target};
use crate::store::Hash;
use crate::store::JournalEvent;
use crate::store::JournalLine;
use crate::workspace::JournalKind;
use crate::workspace::error::WorkspaceError;
use crate::workspace::has_fields;
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
    /// The last verdict of each, with its time.
    pub judged: BTreeMap<VerdictAddress, (String, Rejudged)>,
    pub completed: bool,
    pub paused: Option<String>,
    /// Calls without a known outcome, at their worst.
    started: BTreeMap<VerdictAddress, f64>,
    spent_usd: f64,
}

impl PassState {
    pub(crate) fn begin(manifest: PassManifest) -> Self {
        Self {
            manifest,
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

    pub(crate) fn apply(&mut self, at: &str, event: &PassEvent) {
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
                self.started.insert(asked.clone(), worst);
            }
            PassEvent::CallRetried {
                may_have_cost_usd, ..
            } => self.spent_usd += may_have_cost_usd.unwrap_or(0.0),
            PassEvent::Judged(judged) => {
                self.started.remove(&judged.asked);
                self.spent_usd += judged.cost_usd().unwrap_or(0.0);
                let kept = (at.to_owned(), (**judged).clone());
                self.judged.insert(judged.asked.clone(), kept);
            }
            PassEvent::Failed {
                asked,
                may_have_cost_usd,
                ..
            } => {
                self.started.remove(asked);
                self.spent_usd += may_have_cost_usd.unwrap_or(0.0);
            }
            PassEvent::Paused { why } => self.paused = Some(why.clone()),
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

    fn fold(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<PassState, WorkspaceError> {
        let mut lines = lines.into_iter();
        let first = lines.next().ok_or_else(|| WorkspaceError::Empty {
            path: path.display().to_string(),
        })?;
        let two_or_none = || {
            WorkspaceError::Invalid(format!(
                "{}: a pass's journal must begin with one manifest; it is kept as it is",
                path.display()
            ))
        };
        let PassEvent::Begun(manifest) = first.event else {
            return Err(two_or_none());
        };
        let mut state = PassState::begin(*manifest);
        for line in lines {
            if let PassEvent::Begun(_) = line.event {
                return Err(two_or_none());
            }
            state.apply(&line.at, &line.event);
        }
        Ok(state)
    }
}
