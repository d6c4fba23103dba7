//! Plan of a prompt trial, and what its samples come to.

use super::call::TriedCall;
use super::change::PromptChange;
use crate::engine::Repeats;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{BudgetFields, ItemPlan, Result, reject};
use serde::{Deserialize, Serialize};

/// Maximum number of samples of a trial.
pub const MAX_SAMPLES: u32 = 64;
/// Format of journals that this version writes.
pub(super) const FORMAT: u32 = 1;

/// Distance that a sample is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RollForward {
    /// The turn alone, and its verdicts where it is judged.
    #[default]
    Turn,
    /// To the last turn of the following round that is judged on its own; where none is, to the end
    /// of that round.
    Next,
    /// To the end of the debate.
    End,
}

impl RollForward {
    /// From the shortest to the longest.
    pub const ALL: [Self; 3] = [Self::Turn, Self::Next, Self::End];

    /// Returns how far replies are usually followed: to a verdict, of the turn itself where it is
    /// judged.
    pub fn usual(is_judged: bool) -> Self {
        match is_judged {
            true => Self::Turn,
            false => Self::Next,
        }
    }

    /// Says how far that is.
    pub fn short_text(self) -> &'static str {
        match self {
            Self::Turn => "this turn",
            Self::Next => "to the next verdict",
            Self::End => "to the end",
        }
    }

    /// Says how far samples are played, where each is called by what it plays.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Turn => "the turn alone",
            Self::Next => "rolled forward to the next verdict",
            Self::End => "rolled forward to the end",
        }
    }
}

/// Requested trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TryPlan {
    pub session: SessionId,
    #[serde(flatten)]
    pub call: TriedCall,
    /// `None` tries the prompt as it was recorded: the other arm of a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<PromptChange>,
    /// From 1 to [`MAX_SAMPLES`].
    pub samples: u32,
    /// The number of the first sample: equal numbers share their luck across prompts.
    pub first_sample: u32,
    pub roll: RollForward,
    pub repeats: Repeats,
    #[serde(flatten, with = "BudgetFields")]
    pub ceilings: Ceilings,
}

/// Checks how often something is tried.
///
/// # Errors
/// When that is never, or more than [`MAX_SAMPLES`].
pub(crate) fn check_sample_count(samples: u32) -> Result<()> {
    match (1..=MAX_SAMPLES).contains(&samples) {
        true => Ok(()),
        false => reject(format!(
            "{samples} samples cannot be tried; try 1 to {MAX_SAMPLES}"
        )),
    }
}

impl TryPlan {
    /// Checks how often it asks, and how far samples are played.
    ///
    /// # Errors
    /// When that is never, or more than [`MAX_SAMPLES`]; when what is no turn is followed by more.
    pub fn check_samples(&self) -> Result<()> {
        match (&self.call, self.roll) {
            (
                TriedCall::Verdict(_)
                | TriedCall::Lesson(_)
                | TriedCall::GuardDecision(_)
                | TriedCall::Derivation(_),
                RollForward::Next | RollForward::End,
            ) => reject(format!(
                "{} is no turn and is asked for alone: leave out how far the debate goes on",
                self.call
            )),
            (TriedCall::Turn(_), _)
            | (
                TriedCall::Verdict(_)
                | TriedCall::Lesson(_)
                | TriedCall::GuardDecision(_)
                | TriedCall::Derivation(_),
                RollForward::Turn,
            ) => check_sample_count(self.samples),
        }
    }

    /// Says whether another one asks for the same, under whatever ceilings.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let ceilings = self.ceilings;
        *self
            == Self {
                ceilings,
                ..other.clone()
            }
    }
}

/// Plan of a trial, as its journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialPlan {
    pub format: u32,
    pub id: String,
    pub software: String,
    #[serde(flatten)]
    pub asked: TryPlan,
}

/// What a sample came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedTry {
    /// Its session, in the store of tries unless it was adopted.
    pub session: SessionId,
}

impl TrialPlan {
    /// Returns the number of a sample by its place.
    pub(super) fn sample_number(&self, item: u64) -> u32 {
        let place = u32::try_from(item).unwrap_or(u32::MAX);
        self.asked.first_sample.saturating_add(place)
    }
}

impl ItemPlan for TrialPlan {
    const KIND: &'static str = "prompt_trial";
    const NAMES: (&'static str, &'static str) = ("prompt trial", "prompt trials");
    const FOLDERS: &'static [&'static str] = &["experiments/prompt-trials"];
    const ITEM_NAMES: (&'static str, &'static str) = ("sample", "samples");
    type Outcome = PlayedTry;

    fn id(&self) -> &str {
        &self.id
    }

    fn describe_subject(&self) -> String {
        let try_plan = &self.asked;
        let prompt = match &try_plan.change {
            Some(change) => format!("{} as {}", change.named, change.template),
            None => "the recorded prompt".to_owned(),
        };
        format!(
            "{prompt} on {} of session {}",
            try_plan.call, try_plan.session
        )
    }

    fn item_count(&self) -> u64 {
        self.asked.samples.into()
    }

    fn item_name(&self, item: u64) -> String {
        format!("sample {}", self.sample_number(item))
    }

    fn ceilings(&self) -> Ceilings {
        self.asked.ceilings
    }

    fn raise_ceilings(&mut self, given: Ceilings) {
        self.asked.ceilings = self.asked.ceilings.with_overrides(given);
    }
}
