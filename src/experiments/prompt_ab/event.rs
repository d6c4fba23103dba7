//! Journal events of a prompt comparison, and the state that they fold to.

use crate::debate::event::ModelPlayer;
use crate::debate::protocol::Ceilings;
use crate::debate::{SessionId, TurnId};
use crate::engine::Repeats;
use crate::experiments::prompt_trial::{PromptChange, RollForward, SampleEnd};
use crate::metrics::Preferred;
use crate::store::{JournalEvent, JournalLine};
use crate::workspace::{
    ExperimentEvent, ExperimentSummary, ItemCounts, JournalKind, Result, Standing, fold_experiment,
    has_fields, is_cost_known,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The format of journals of comparisons that this version writes.
pub(super) const FORMAT: u32 = 1;

/// What a comparison was begun with, enough to go on when files have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbManifest {
    pub format: u32,
    pub id: String,
    /// The program and version that wrote this.
    pub software: String,
    /// What sessions call the template.
    pub template: String,
    pub arms: [AbArm; 2],
    pub contexts: Vec<AbContext>,
    /// Samples of each arm on each turn.
    pub samples: u32,
    pub roll: RollForward,
    #[serde(default, skip_serializing_if = "AbStop::is_fixed")]
    pub stop: AbStop,
    /// Who is asked which of both replies is better, where anybody is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference: Option<AbPreference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Box<AbJudge>>,
    #[serde(default, skip_serializing_if = "Repeats::serves")]
    pub repeats: Repeats,
    /// A ceiling that pauses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Fixes the order in which turns are asked.
    pub seed: u64,
}

/// When a comparison is over.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum AbStop {
    /// When every planned sample is played.
    #[default]
    Fixed,
    /// As soon as a confidence sequence of the difference of error rates leaves 0 out, and with the
    /// planned samples at the latest. Topics come in an order drawn by the seed.
    Settled {
        /// The chance, over all looks together, that it settles although nothing differs.
        alpha: f64,
    },
}

/// Default error probability of stopping early.
pub const DEFAULT_ALPHA: f64 = 0.05;

impl AbStop {
    pub(super) fn is_fixed(&self) -> bool {
        match self {
            AbStop::Fixed => true,
            AbStop::Settled { .. } => false,
        }
    }

    /// Returns the error rate of the confidence sequence that is shown.
    pub fn alpha(self) -> f64 {
        match self {
            AbStop::Fixed => DEFAULT_ALPHA,
            AbStop::Settled { alpha } => alpha,
        }
    }
}

/// Who compares the replies of both prompts, pair by pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbPreference {
    /// The name of a configured model.
    pub judge: String,
    /// The name of a rubric.
    pub rubric: String,
}

/// Everything that the judge of a preference is asked with, kept so that it can be asked when files
/// and configuration have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbJudge {
    pub player: ModelPlayer,
    /// The text of the rubric, and of its template.
    pub rubric: String,
    pub template: String,
    /// Whether it is of one family with a seat whose replies it compares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kin: bool,
}

/// One question to the judge of a preference: about the replies of one sample of both arms, in one
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AbPair {
    /// Counts the contexts from 0.
    pub context: u32,
    pub sample: u32,
    pub order: AbOrder,
}

/// Whose reply is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbOrder {
    AFirst,
    BFirst,
}

/// What the judge of a preference said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbAnswer {
    pub said: Preferred,
    /// The judge's whole reply.
    pub text: String,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Of the exact request, hex.
    pub request_sha256: String,
    pub cached: bool,
    /// `None` where the model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// One of the two prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbArm {
    /// What it is called: a file, `built-in`, `recorded`.
    pub name: String,
    /// `None` for the text that each debate was recorded with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl AbArm {
    /// Returns the change that this arm makes.
    pub(crate) fn change(&self, template: &str) -> Option<PromptChange> {
        Some(PromptChange {
            template: template.to_owned(),
            text: self.text.clone()?,
            named: self.name.clone(),
        })
    }
}

/// What both prompts are tried on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbContext {
    /// The recorded session; for a fresh debate, one in the store of tries that has only begun.
    pub session: SessionId,
    /// The recorded turn; `None` for a whole fresh debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The topic's id.
    pub topic: String,
}

/// One sample of one arm on one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AbCell {
    /// Counts the contexts from 0.
    pub context: u32,
    /// 0 or 1.
    pub arm: u8,
    pub sample: u32,
}

impl fmt::Display for AbCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arm = match self.arm {
            0 => "A",
            _ => "B",
        };
        write!(
            f,
            "turn {}, prompt {arm}, sample {}",
            self.context, self.sample
        )
    }
}

impl fmt::Display for AbPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "preference on turn {}, sample {}",
            self.context, self.sample
        )
    }
}

/// One line of a comparison's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AbEvent {
    Begun(Box<AbManifest>),
    /// The comparison was resumed; the ceiling replaces the one before.
    Resumed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_usd: Option<f64>,
    },
    Played {
        #[serde(flatten)]
        place: AbCell,
        /// Its session, in the store of tries.
        session: SessionId,
        /// Why it is not as long as was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
        /// The most it may have cost.
        committed_usd: f64,
        /// Whether all models that were called have prices; journals of earlier versions do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priced: Option<bool>,
    },
    /// A question to the preference judge is about to be sent; it counts at this worst case until its
    /// result is recorded.
    Asked {
        #[serde(flatten)]
        pair: AbPair,
        worst_case_usd: f64,
    },
    /// The judge has answered.
    Answered {
        #[serde(flatten)]
        pair: AbPair,
        answer: Box<AbAnswer>,
        committed_usd: f64,
    },
    /// The judge did not answer, or was not asked.
    Unanswered {
        #[serde(flatten)]
        pair: AbPair,
        why: String,
        committed_usd: f64,
    },
    /// A turn on which an arm cannot be tried at all.
    Impossible {
        #[serde(flatten)]
        place: AbCell,
        why: String,
    },
    Paused {
        why: String,
    },
    Completed {},
}

/// A sample as the journal has it.
#[derive(Debug, Clone, PartialEq)]
pub struct AbPlayed {
    pub session: SessionId,
    pub failed: Option<String>,
}

/// A comparison as far as it is known.
#[derive(Debug, Clone)]
pub struct AbState {
    pub manifest: AbManifest,
    pub begun_at: String,
    pub played: BTreeMap<AbCell, AbPlayed>,
    pub impossible: BTreeMap<AbCell, String>,
    pub answers: BTreeMap<AbPair, AbAnswer>,
    /// Why the judge of a preference gave no answer.
    pub unanswered: BTreeMap<AbPair, String>,
    /// What all that was asked may have cost at most.
    pub committed_usd: f64,
    /// Whether that is all, as far as the journal says.
    pub is_cost_known: bool,
    /// Questions without a recorded result, at their worst case.
    open: BTreeMap<AbPair, f64>,
    pub paused: Option<String>,
    pub completed: bool,
}

impl AbState {
    fn begin(manifest: AbManifest, at: &str) -> Self {
        Self {
            manifest,
            begun_at: at.to_owned(),
            played: BTreeMap::new(),
            impossible: BTreeMap::new(),
            answers: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            open: BTreeMap::new(),
            committed_usd: 0.0,
            is_cost_known: true,
            paused: None,
            completed: false,
        }
    }

    /// Returns what a sample is played on.
    pub fn context(&self, place: AbCell) -> Option<&AbContext> {
        let at = usize::try_from(place.context).ok()?;
        self.manifest.contexts.get(at)
    }

    /// Returns the places of every planned sample, context by context, both arms of a sample together.
    pub fn places(&self) -> impl Iterator<Item = AbCell> + '_ {
        let contexts = u32::try_from(self.manifest.contexts.len()).unwrap_or(u32::MAX);
        let samples = self.manifest.samples;
        (0..contexts).flat_map(move |context| {
            (0..samples).flat_map(move |sample| {
                (0..2).map(move |arm| AbCell {
                    context,
                    arm,
                    sample,
                })
            })
        })
    }

    /// Returns what is still to be played, context by context, both arms of a sample together.
    pub fn missing(&self) -> Vec<AbCell> {
        let is_missing = |place: &AbCell| {
            let done = self.played.get(place);
            let failed = done.is_some_and(|done| done.failed.is_some());
            (done.is_none() || failed) && !self.impossible.contains_key(place)
        };
        self.places().filter(is_missing).collect()
    }

    /// Returns the questions to the judge of a preference that can be asked and are not answered.
    pub fn unasked(&self) -> Vec<AbPair> {
        if self.manifest.judge.is_none() {
            return Vec::new();
        }
        let is_whole = |place: &AbCell| {
            let played = self.played.get(place);
            played.is_some_and(|played| played.failed.is_none())
        };
        let first = self.places().filter(|place| place.arm == 0);
        let both = first.filter(|place| is_whole(place) && is_whole(&AbCell { arm: 1, ..*place }));
        let orders = [AbOrder::AFirst, AbOrder::BFirst];
        let pairs = both.flat_map(|place| {
            orders.map(|order| AbPair {
                context: place.context,
                sample: place.sample,
                order,
            })
        });
        pairs
            .filter(|pair| !self.answers.contains_key(pair))
            .collect()
    }

    /// A question is over: its worst case becomes what it did cost, or may have cost.
    fn came(&mut self, pair: AbPair, committed_usd: f64) {
        self.committed_usd += committed_usd - self.open.remove(&pair).unwrap_or(0.0);
    }

    fn apply(&mut self, event: AbEvent) {
        match event {
            // One begins it; the reader has checked that.
            AbEvent::Begun(_) => {}
            AbEvent::Resumed { budget_usd } => {
                self.paused = None;
                self.completed = false;
                self.manifest.budget_usd = budget_usd.or(self.manifest.budget_usd);
            }
            AbEvent::Played {
                place,
                session,
                failed,
                committed_usd,
                priced,
            } => {
                self.committed_usd += committed_usd;
                self.is_cost_known &= is_cost_known(priced, committed_usd);
                self.played.insert(place, AbPlayed { session, failed });
            }
            AbEvent::Asked {
                pair,
                worst_case_usd,
            } => {
                self.committed_usd += worst_case_usd;
                self.open.insert(pair, worst_case_usd);
            }
            AbEvent::Answered {
                pair,
                answer,
                committed_usd,
            } => {
                self.came(pair, committed_usd);
                self.unanswered.remove(&pair);
                self.answers.insert(pair, *answer);
            }
            AbEvent::Unanswered {
                pair,
                why,
                committed_usd,
            } => {
                self.came(pair, committed_usd);
                self.unanswered.insert(pair, why);
            }
            AbEvent::Impossible { place, why } => {
                self.impossible.insert(place, why);
            }
            AbEvent::Paused { why } => self.paused = Some(why),
            AbEvent::Completed {} => self.completed = true,
        }
    }
}

/// Says why a sample is not as long as was asked.
pub(super) fn failure(end: &SampleEnd) -> Option<String> {
    match end {
        SampleEnd::Played => None,
        SampleEnd::Failed(why) => Some(why.clone()),
        SampleEnd::Paused => Some("the ceiling allowed no more calls".to_owned()),
        SampleEnd::Stopped => Some("it was stopped".to_owned()),
    }
}

impl JournalEvent for AbEvent {
    const KIND: &'static str = "comparison";
}

impl JournalKind for AbEvent {
    type State = AbState;
    const NAMES: (&'static str, &'static str) = ("comparison", "comparisons");
    const FOLDERS: &'static [&'static str] = &["tries/ab"];
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["arms", "contexts"])
    }

    fn fold(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<AbState> {
        fold_experiment(path, lines)
    }
}

impl ExperimentEvent for AbEvent {
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

    /// What failed cannot be distinguished from what no prompt can be tried on: both are left out.
    fn tried(_missing: usize) -> Self {
        Self::Completed {}
    }

    fn begun(&self, at: &str) -> Option<AbState> {
        match self {
            Self::Begun(manifest) => Some(AbState::begin((**manifest).clone(), at)),
            Self::Resumed { .. }
            | Self::Played { .. }
            | Self::Asked { .. }
            | Self::Answered { .. }
            | Self::Unanswered { .. }
            | Self::Impossible { .. }
            | Self::Paused { .. }
            | Self::Completed {} => None,
        }
    }

    fn apply(state: &mut AbState, _at: &str, event: Self) {
        state.apply(event);
    }

    fn summary(state: &AbState) -> ExperimentSummary {
        let manifest = &state.manifest;
        let [a, b] = &manifest.arms;
        let failed = state
            .played
            .iter()
            .filter_map(|(cell, played)| Some((cell.to_string(), played.failed.clone()?)));
        let failures: Vec<(String, String)> = failed.collect();
        ExperimentSummary {
            kind: "comparison",
            id: manifest.id.clone(),
            about: format!("{}: {} against {}", manifest.template, a.name, b.name),
            begun_at: state.begun_at.clone(),
            items: ItemCounts {
                all: Some(state.places().count() as u64),
                done: (state.played.len() - failures.len()) as u64,
                failed: failures.len() as u64,
            },
            item_names: ("sample", "samples"),
            standing: Standing::of(state.paused.as_ref(), state.completed),
            ceilings: Ceilings::of_usd(manifest.budget_usd),
            committed_usd: state.is_cost_known.then_some(state.committed_usd),
            failures,
        }
    }
}
