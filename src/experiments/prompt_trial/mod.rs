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

use crate::debate::{SessionId, TurnId};
use crate::engine::ReplyCache;
use crate::engine::cost::Budget;
use crate::engine::seats::Seats;
use crate::experiments::engine::{Opened, Work, perform};
use crate::library::Library;
use crate::workspace::Desk;
use crate::workspace::WorkspaceError;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

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
}

/// Context of a trial.
#[derive(Clone)]
pub struct TryFloor {
    pub desk: Desk,
    /// Where the rubric of a judged preference is found.
    pub library: Library,
    pub seats: Arc<Seats>,
    /// Shared by every sample: reaching its ceiling ends them all.
    pub budget: Arc<Budget>,
    /// Samples that are played at once; at least one is.
    pub concurrency: usize,
}

impl TryFloor {
    /// Returns the models with what they answered to earlier tries.
    pub(in crate::experiments) fn seats_that(&self, repeats: Repeats) -> Arc<Seats> {
        let replies = ReplyCache::new(&self.desk.layout, repeats);
        Arc::new(self.seats.remembering(replies))
    }
}

/// Plays every sample of a trial and returns them in their order; updates are sent meanwhile.
/// Cancelling ends samples where they are: what came is kept.
///
/// # Errors
/// When the turn is not recorded or nobody can be asked for it, the changed prompt cannot be used
/// there, or the disk refuses.
pub async fn play_tries(
    floor: &TryFloor,
    plan: &TryPlan,
    tell: UnboundedSender<TrialUpdate>,
    cancel: &CancellationToken,
) -> Result<Vec<TrySample>, WorkspaceError> {
    if !(1..=MAX_SAMPLES).contains(&plan.samples) {
        return Err(WorkspaceError::Invalid(format!(
            "{} samples cannot be tried; try 1 to {MAX_SAMPLES}",
            plan.samples
        )));
    }
    let path = floor.desk.layout.session(plan.session.as_str())?;
    let turn = plan.turn.clone();
    let change = plan.change.clone();
    let context = tokio::task::spawn_blocking(move || {
        let context = TurnContext::read(&path, &turn)?;
        // Checked before anything is paid for.
        if let Some(change) = &change {
            context.rendered(change)?;
        }
        Ok::<_, WorkspaceError>(context)
    });
    let context = context.await.map_err(|error| {
        WorkspaceError::Invalid(format!("reading it ended abnormally: {error}"))
    })??;
    let mut samples = Samples {
        floor,
        plan,
        context: &context,
        seats: &floor.seats_that(plan.repeats),
        tell: &tell,
        cancel,
        waiting: plan.first_sample..plan.first_sample.saturating_add(plan.samples),
        came: Vec::new(),
    };
    perform(&mut samples, floor.concurrency).await?;
    let mut samples = samples.came;
    samples.sort_by_key(|sample: &TrySample| sample.number);
    Ok(samples)
}

type PlayedTry = Result<TrySample, WorkspaceError>;

/// Samples of a trial.
struct Samples<'a> {
    floor: &'a TryFloor,
    plan: &'a TryPlan,
    context: &'a TurnContext,
    seats: &'a Arc<Seats>,
    tell: &'a UnboundedSender<TrialUpdate>,
    cancel: &'a CancellationToken,
    waiting: Range<u32>,
    came: Vec<TrySample>,
}

impl<'a> Work<'a, PlayedTry> for Samples<'a> {
    fn open(&mut self) -> Opened<'_, 'a, PlayedTry> {
        Box::pin(async move {
            let (floor, plan, cancel) = (self.floor, self.plan, self.cancel);
            let Some(number) = self.waiting.next().filter(|_| !cancel.is_cancelled()) else {
                return Ok(None);
            };
            let start = SampleStart {
                change: plan.change.as_ref(),
                roll: plan.roll,
                ..self.context.start(floor, &plan.session, number)
            };
            let (seats, tell) = (self.seats, self.tell);
            Ok(Some(
                async move {
                    let left = sample::play(floor, seats, start, tell, cancel).await?;
                    Ok(TrySample {
                        number,
                        session: left.session,
                        turn: plan.turn.clone(),
                        state: left.state,
                        end: left.end,
                    })
                }
                .boxed(),
            ))
        })
    }

    fn record(&mut self, sample: PlayedTry) -> BoxFuture<'_, Result<(), WorkspaceError>> {
        Box::pin(async move {
            self.came.push(sample?);
            Ok(())
        })
    }
}
