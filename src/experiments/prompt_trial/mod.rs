//! Another prompt on a recorded turn: what the seat is now shown, what it now says, and, when asked,
//! how the debate goes on.
//!
//! Each sample is a fork of the recorded session with the changed templates, in a store of its own
//! beside the others' sessions ([`Layout::tries`](crate::store::Layout::tries)): it is played by the
//! same engine, and everything it asked and heard stays. Nothing of it enters the recorded session,
//! and nobody learns from it; whoever adopts a sample moves it among the sessions, where it is a fork
//! like any other.

mod ab;
mod ab_contexts;
mod ab_estimate;
mod ab_event;
mod ab_play;
mod ab_report;
mod ab_summary;
mod adopt;
mod change;
mod context;
mod preference;
mod sample;

pub use ab::{Ab, AbEnd, AbPlan, read_ab, read_ab_journal};
pub use ab_contexts::{TurnFilter, find_contexts, fresh_contexts};
pub use ab_estimate::{estimate_ab, estimate_try};
pub use ab_event::{
    AbAnswer, AbArm, AbContext, AbJudge, AbManifest, AbOrder, AbPair, AbPlace, AbPlayed,
    AbPreference, AbState, AbStop, DEFAULT_ALPHA,
};
pub use ab_report::AbRows;
pub use ab_summary::{AbFlip, AbReads, AbSummary, ab_summary, summarise};
pub use adopt::adopt;
pub use change::{PromptChange, PromptFault};
pub use context::{TurnContext, find_turn};
pub use sample::{SampleEnd, TrySample, TryTiding};

use super::budget::Budget;
use super::desk::Desk;
use super::error::DriverError;
use super::library::Library;
use super::reply_cache::ReplyCache;
use super::seats::Seats;
use crate::debate::{SessionId, TurnId};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use sample::Start;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// How many samples of one try are asked for at most.
pub const MAX_SAMPLES: u32 = 64;

/// How far a sample is played.
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

/// What becomes of a request that a try has asked before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// The same request and sample of the same server is answered with what came then, marked as
    /// cached, and costs nothing.
    #[default]
    Serve,
    /// It is asked anew.
    AskAnew,
}

impl Repeats {
    fn serves(&self) -> bool {
        match self {
            Repeats::Serve => true,
            Repeats::AskAnew => false,
        }
    }
}

/// What is tried.
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

/// What a try is carried out with.
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
    fn seats_that(&self, repeats: Repeats) -> Arc<Seats> {
        let replies = ReplyCache::of(&self.desk.layout, repeats);
        Arc::new(self.seats.remembering(replies))
    }
}

/// Plays every sample of a try and returns them in their order; what happens meanwhile is told.
/// Cancelling ends samples where they are: what came is kept.
///
/// # Errors
/// When the turn is not recorded or nobody can be asked for it, the changed prompt cannot be used
/// there, or the disk refuses.
pub async fn play_tries(
    floor: &TryFloor,
    plan: &TryPlan,
    tell: UnboundedSender<TryTiding>,
    cancel: &CancellationToken,
) -> Result<Vec<TrySample>, DriverError> {
    if !(1..=MAX_SAMPLES).contains(&plan.samples) {
        return Err(DriverError::Invalid(format!(
            "{} samples cannot be tried; try 1 to {MAX_SAMPLES}",
            plan.samples
        )));
    }
    let path = floor.desk.layout.session(plan.session.as_str())?;
    let turn = plan.turn.clone();
    let change = plan.change.clone();
    let context = tokio::task::spawn_blocking(move || {
        let context = TurnContext::read(&path, &turn)?;
        // Found out before anything is paid for.
        if let Some(change) = &change {
            context.rendered(change)?;
        }
        Ok::<_, DriverError>(context)
    });
    let context = context
        .await
        .map_err(|error| DriverError::Invalid(format!("reading it ended abnormally: {error}")))??;
    let seats = floor.seats_that(plan.repeats);
    let last = plan.first_sample.saturating_add(plan.samples);
    let mut waiting = plan.first_sample..last;
    let mut doing = FuturesUnordered::new();
    let mut samples = Vec::new();
    loop {
        while doing.len() < floor.concurrency.max(1) && !cancel.is_cancelled() {
            let Some(number) = waiting.next() else { break };
            let start = context.start(floor, &plan.session, number);
            let start = Start {
                change: plan.change.as_ref(),
                roll: plan.roll,
                ..start
            };
            let (seats, tell) = (&seats, &tell);
            doing.push(async move {
                let left = sample::play(floor, seats, start, tell, cancel).await?;
                Ok::<_, DriverError>(TrySample {
                    number,
                    session: left.session,
                    turn: plan.turn.clone(),
                    state: left.state,
                    end: left.end,
                })
            });
        }
        let Some(done) = doing.next().await else {
            break;
        };
        samples.push(done?);
    }
    samples.sort_by_key(|sample: &TrySample| sample.number);
    Ok(samples)
}
