//! Play of a prompt comparison: samples and preference questions, until a stop rule ends it.

use super::Ab;
use super::event::{AbAnswer, AbArm, AbCell, AbContext, AbEvent, AbManifest, AbPair};
use super::preference::{PreferenceJudge, PreferenceRequest};
use super::report::AbRows;
use super::state::{AbState, HELD_UP, STOPPED, failure};
use super::summary::sequence;
use crate::engine::seats::Seats;
use crate::experiments::engine::{
    Experiment, ExperimentContext, ExperimentEnd, ExperimentLog, ItemEnd, ItemLeft, Opened,
    Recorded, Stage, perform, read_apart,
};
use crate::experiments::prompt_trial::{PlayedSample, SampleStart, TurnContext, play, seats_that};
use elenchus_game::debate::{Expense, Spend};
use elenchus_records::workspace::{Result, WorkspaceError};
use elenchus_store::Layout;
use futures_util::FutureExt;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// Recorded turn that samples begin at; `None` for a debate that has only begun.
type Ground = Option<Arc<TurnContext>>;

/// Finished sample or question.
pub(super) enum FinishedCall {
    Sample(AbCell, Box<PlayedSample>),
    Answer(AbPair, ItemEnd<Box<AbAnswer>>, Spend),
}

/// Samples and questions of a comparison that are to be played and asked.
struct OpenSamples<'w> {
    played: &'w mut (dyn FnMut(&AbState) + Send),
    /// Enough of it for items, which outlive no change of it.
    manifest: Arc<AbManifest>,
    seats: Arc<Seats>,
    judge: Option<PreferenceJudge>,
    rows: AbRows,
    settled: bool,
    waiting: VecDeque<AbCell>,
    asked: BTreeSet<AbPair>,
    grounds: BTreeMap<u32, Ground>,
}

impl Ab {
    /// Plays what is missing; each sample and each answer is durable before `played` is called. One
    /// that fails never ends the others.
    ///
    /// # Errors
    /// When the disk stops it, or the judge of a preference cannot be asked.
    pub async fn play(
        &mut self,
        context: &ExperimentContext,
        mut played: impl FnMut(&AbState) + Send,
    ) -> Result<ExperimentEnd> {
        let manifest = Arc::new(self.log.state.manifest.clone());
        let seats = seats_that(context, manifest.plan.repeats, &manifest.id);
        let kept = manifest.judge.as_deref();
        let judge = kept.map(|kept| PreferenceJudge::new(&seats, kept, manifest.plan.seed));
        let mut open = OpenSamples {
            played: &mut played,
            judge: judge.transpose()?,
            seats,
            manifest,
            rows: AbRows::default(),
            settled: false,
            waiting: self.log.state.missing().into(),
            asked: BTreeSet::new(),
            grounds: BTreeMap::new(),
        };
        open.look_whether_settled(&self.log.state, &context.desk.layout)?;
        perform(&mut self.log, &mut open, context).await
    }
}

impl Experiment<'static> for OpenSamples<'_> {
    type Event = AbEvent;
    type Outcome = FinishedCall;

    fn spent(&self, state: &AbState, _: &ExperimentContext) -> Result<Expense> {
        Ok(state.committed)
    }

    fn open<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<AbEvent>,
        stage: &'s Stage,
    ) -> Opened<'s, 'static, FinishedCall> {
        Box::pin(async move {
            loop {
                let mut unasked = log.state.unasked().into_iter();
                if let Some(pair) = unasked.find(|pair| !self.asked.contains(pair))
                    && self.judge.is_some()
                {
                    self.asked.insert(pair);
                    let Some(asking) = self.ask(log, &stage.context.desk.layout, pair).await?
                    else {
                        continue;
                    };
                    let stage = stage.clone();
                    let answered = async move {
                        let (end, spend) = asking.send(&stage).await?;
                        Ok(FinishedCall::Answer(pair, end, spend))
                    };
                    return Ok(Some(answered.boxed()));
                }
                let Some(place) = self.waiting.pop_front() else {
                    return Ok(None);
                };
                self.grounds.retain(|context, _| *context >= place.context);
                match self.ground(&stage.context.desk.layout, place).await {
                    Ok(ground) => {
                        let (stage, seats) = (stage.clone(), Arc::clone(&self.seats));
                        let manifest = Arc::clone(&self.manifest);
                        let played = async move {
                            let left = one(&stage, &seats, &manifest, place, &ground).await?;
                            Ok(FinishedCall::Sample(place, Box::new(left)))
                        };
                        return Ok(Some(played.boxed()));
                    }
                    Err(error @ WorkspaceError::Store(_)) => return Err(error),
                    Err(error) => {
                        let why = error.to_string();
                        log.note(AbEvent::Impossible { place, why }).await?;
                    }
                }
            }
        })
    }

    fn record<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<AbEvent>,
        stage: &'s Stage,
        done: FinishedCall,
    ) -> Recorded<'s> {
        Box::pin(async move {
            let left = match done {
                FinishedCall::Sample(place, left) => {
                    let event = AbEvent::Played {
                        place,
                        session: left.session.clone(),
                        failed: failure(&left.end),
                        committed: left.state.committed(),
                        priced: Some(left.state.spend().unpriced_calls == 0),
                    };
                    log.note(event).await?;
                    self.look_whether_settled(&log.state, &stage.context.desk.layout)?;
                    ItemLeft {
                        name: place.to_string(),
                        end: left.end.as_item(),
                        spend: left.state.spend(),
                    }
                }
                FinishedCall::Answer(pair, end, spend) => {
                    let left = ItemLeft {
                        name: pair.to_string(),
                        end: end.bare(),
                        spend,
                    };
                    let is_stopped = stage.context.stop.is_set();
                    let held_up = if is_stopped { STOPPED } else { HELD_UP };
                    log.note(event_of(pair, end, spend.expense(), held_up))
                        .await?;
                    left
                }
            };
            (self.played)(&log.state);
            Ok(Some(left))
        })
    }

    fn missing(&self, state: &AbState) -> usize {
        let samples = match self.settled {
            true => 0,
            false => state.missing().len() + state.impossible.len(),
        };
        samples + state.unasked().len()
    }
}

impl OpenSamples<'_> {
    /// Looks whether a comparison that ends as soon as it is settled is so. Blocks while it reads what
    /// is new.
    fn look_whether_settled(&mut self, state: &AbState, layout: &Layout) -> Result<()> {
        if self.settled || state.manifest.plan.stop.is_fixed() {
            return Ok(());
        }
        self.rows.read(layout, state)?;
        if sequence(&self.rows, state).is_settled() {
            self.settled = true;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Makes a question ready and notes that it is asked; `None` where it cannot be asked.
    async fn ask(
        &mut self,
        log: &mut ExperimentLog<AbEvent>,
        layout: &Layout,
        pair: AbPair,
    ) -> Result<Option<PreferenceRequest>> {
        let Some(judge) = &self.judge else {
            return Ok(None);
        };
        match judge.ask(layout, &log.state, pair) {
            Ok(asking) => {
                let worst_case = asking.worst_case.expense();
                log.note(AbEvent::Asked { pair, worst_case }).await?;
                Ok(Some(asking))
            }
            Err(error @ WorkspaceError::Store(_)) => Err(error),
            Err(error) => {
                let event = AbEvent::Unanswered {
                    pair,
                    why: error.to_string(),
                    committed: Expense::default(),
                };
                log.note(event).await?;
                Ok(None)
            }
        }
    }

    async fn ground(&mut self, layout: &Layout, place: AbCell) -> Result<Ground> {
        let (on, arm) = cell_of(&self.manifest, place)?;
        let ground = match (self.grounds.get(&place.context), &on.turn) {
            (Some(ground), _) => ground.clone(),
            (None, None) => None,
            (None, Some(turn)) => {
                let (path, turn) = (on.path(layout)?, turn.clone());
                let read = read_apart(move || TurnContext::read(&path, &turn));
                Some(Arc::new(read.await?))
            }
        };
        if let (Some(turn), Some(change)) = (&ground, arm.change(&self.manifest.plan.template)) {
            turn.rendered(&change)?;
        }
        self.grounds.insert(place.context, ground.clone());
        Ok(ground)
    }
}

fn cell_of(manifest: &AbManifest, place: AbCell) -> Result<(&AbContext, &AbArm)> {
    let at = usize::try_from(place.context).unwrap_or(usize::MAX);
    let on = manifest.plan.contexts.get(at);
    let arm = manifest.plan.arms.get(usize::from(place.arm));
    on.zip(arm)
        .ok_or_else(|| WorkspaceError::Invalid("there is no such sample".to_owned()))
}

async fn one(
    stage: &Stage,
    seats: &Arc<Seats>,
    manifest: &AbManifest,
    place: AbCell,
    ground: &Ground,
) -> Result<PlayedSample> {
    let (on, arm) = cell_of(manifest, place)?;
    let change = arm.change(&manifest.plan.template);
    let desk = &stage.context.desk;
    let start = match ground {
        Some(turn) => turn.start(desk, &on.session, place.sample),
        None => SampleStart {
            from: desk.layout.tries(),
            parent: &on.session,
            lines: 1,
            verdicts: &[],
            turn: None,
            change: None,
            roll: manifest.plan.roll,
            number: place.sample,
        },
    };
    let start = SampleStart {
        change: change.as_ref(),
        roll: manifest.plan.roll,
        ..start
    };
    // Events of the sample are in its own journal.
    let (tell, told) = unbounded_channel();
    drop(told);
    play(stage, seats, start, (&tell, &|_| Ok(()))).await
}

fn event_of(
    pair: AbPair,
    end: ItemEnd<Box<AbAnswer>>,
    committed: Expense,
    held_up: &str,
) -> AbEvent {
    let why = match end {
        ItemEnd::Done(answer) => {
            return AbEvent::Answered {
                pair,
                answer,
                committed,
            };
        }
        ItemEnd::Failed(why) => why,
        ItemEnd::Unfinished => held_up.to_owned(),
    };
    AbEvent::Unanswered {
        pair,
        why,
        committed,
    }
}
