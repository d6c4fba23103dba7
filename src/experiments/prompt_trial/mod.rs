//! Prompt trial: another prompt on a recorded turn. Shows the new view, the new reply and, on request, how the
//! debate goes on.
//!
//! Each sample is a fork of the recorded session with the changed templates, in a store of its own
//! ([`Layout::tries`](crate::store::Layout::tries)). The same engine plays it, and its whole journal is kept.
//! Nothing of it enters the recorded session or long-term memory. Adopting a sample moves it among the
//! sessions, where it is a fork like any other.

mod adopt;
mod change;
mod context;
mod sample;

pub use adopt::adopt;
pub use change::PromptChange;
pub(crate) use change::unchanged;
pub use context::{TurnContext, find_turn};
pub(crate) use sample::{
    PlayedSample, SampleStart, own_attempts, play, rolls_on, turn_judging_rule,
};
pub use sample::{SampleEnd, TrialUpdate, TrySample};

use crate::engine::Repeats;

use crate::debate::protocol::Ceilings;
use crate::debate::{Expense, SessionId, TurnId};
use crate::engine::ReplyCache;
use crate::engine::seats::Seats;
use crate::experiments::engine::{
    Closed, Experiment, ExperimentContext, ExperimentEnd, ItemLeft, Opened, Recorded, Stage,
    perform,
};
use crate::workspace::{ItemCounts, WorkspaceError};
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// Maximum number of samples of a trial.
pub const MAX_SAMPLES: u32 = 64;

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

/// Requested trial.
#[derive(Debug, Clone)]
pub struct TryPlan {
    pub session: SessionId,
    pub turn: TurnId,
    /// `None` tries the prompt as it was recorded: the other arm of a comparison.
    pub change: Option<PromptChange>,
    /// From 1 to [`MAX_SAMPLES`].
    pub samples: u32,
    /// The number of the first sample: equal numbers share their luck across prompts.
    pub first_sample: u32,
    pub roll: RollForward,
    pub repeats: Repeats,
    /// In US dollars.
    pub budget_usd: Option<f64>,
}

/// Returns the models with what they answered to earlier tries.
pub(in crate::experiments) fn seats_that(
    context: &ExperimentContext,
    repeats: Repeats,
) -> Arc<Seats> {
    let replies = ReplyCache::new(&context.desk.layout, repeats);
    Arc::new(context.seats.remembering(replies))
}

/// Plays every sample of a trial and returns them in their order; updates are sent meanwhile.
/// Stopping ends samples where they are: what came is kept.
///
/// # Errors
/// When the turn is not recorded or nobody can be asked for it, the changed prompt cannot be used
/// there, or the disk refuses.
pub async fn play_tries(
    context: &ExperimentContext,
    plan: &TryPlan,
    tell: UnboundedSender<TrialUpdate>,
) -> Result<Vec<TrySample>, WorkspaceError> {
    if !(1..=MAX_SAMPLES).contains(&plan.samples) {
        return Err(WorkspaceError::Invalid(format!(
            "{} samples cannot be tried; try 1 to {MAX_SAMPLES}",
            plan.samples
        )));
    }
    let path = context.desk.layout.session(plan.session.as_str())?;
    let turn = plan.turn.clone();
    let change = plan.change.clone();
    let read = tokio::task::spawn_blocking(move || {
        let turn = TurnContext::read(&path, &turn)?;
        // Checked before anything is paid for.
        if let Some(change) = &change {
            turn.rendered(change)?;
        }
        Ok::<_, WorkspaceError>(turn)
    });
    let turn = read.await.map_err(|error| {
        WorkspaceError::Invalid(format!("reading it ended abnormally: {error}"))
    })??;
    let mut samples = OpenSamples {
        plan,
        turn: &turn,
        seats: seats_that(context, plan.repeats),
        tell,
        waiting: plan.first_sample..plan.first_sample.saturating_add(plan.samples),
        came: Vec::new(),
    };
    perform(&mut samples, context).await?;
    let mut samples = samples.came;
    samples.sort_by_key(|sample: &TrySample| sample.number);
    Ok(samples)
}

/// Samples of a trial that are to be played, and those that were.
struct OpenSamples<'a> {
    plan: &'a TryPlan,
    turn: &'a TurnContext,
    seats: Arc<Seats>,
    tell: UnboundedSender<TrialUpdate>,
    waiting: Range<u32>,
    came: Vec<TrySample>,
}

type PlayedTry = Result<TrySample, WorkspaceError>;

impl<'a> Experiment<'a, PlayedTry> for OpenSamples<'a> {
    fn ceilings(&self) -> Ceilings {
        Ceilings {
            cost_usd: self.plan.budget_usd,
            ..Ceilings::default()
        }
    }

    fn spent(&self, _: &ExperimentContext) -> Result<Expense, WorkspaceError> {
        Ok(Expense::default())
    }

    fn counts(&self) -> ItemCounts {
        let failed = self.came.iter().filter(|sample| !sample.is_played());
        let failed = failed.count() as u64;
        ItemCounts {
            all: Some(self.plan.samples.into()),
            done: self.came.len() as u64 - failed,
            failed,
        }
    }

    fn open<'s>(&'s mut self, stage: &'s Stage) -> Opened<'s, 'a, PlayedTry> {
        Box::pin(async move {
            let Some(number) = self.waiting.next() else {
                return Ok(None);
            };
            let plan = self.plan;
            let start = SampleStart {
                change: plan.change.as_ref(),
                roll: plan.roll,
                ..self.turn.start(&stage.context.desk, &plan.session, number)
            };
            let (stage, seats, tell) = (stage.clone(), Arc::clone(&self.seats), self.tell.clone());
            let played = async move {
                let left = sample::play(&stage, &seats, start, &tell).await?;
                Ok(TrySample {
                    number,
                    session: left.session,
                    turn: plan.turn.clone(),
                    state: left.state,
                    end: left.end,
                })
            };
            Ok(Some(played.boxed()))
        })
    }

    fn record<'s>(&'s mut self, _: &'s Stage, sample: PlayedTry) -> Recorded<'s> {
        Box::pin(async move {
            let sample = sample?;
            let left = ItemLeft {
                name: format!("sample {}", sample.number),
                end: sample.end.as_item(),
                spend: sample.state.spend(),
            };
            self.came.push(sample);
            Ok(Some(left))
        })
    }

    fn missing(&self) -> usize {
        let played = self.came.iter().filter(|sample| sample.is_played());
        self.plan.samples as usize - played.count()
    }

    fn close<'s>(&'s mut self, _: &'s Stage, end: ExperimentEnd) -> Closed<'s> {
        // Its samples are sessions, and what they were tried for is in each.
        Box::pin(async move { Ok(end) })
    }
}
