//! Play of a prompt comparison: samples and preference questions, until a stop rule ends it.

use super::Ab;
use super::event::{AbAnswer, AbArm, AbCell, AbContext, AbEvent, AbManifest, AbPair};
use super::preference::{PreferenceJudge, PreferenceRequest};
use super::report::AbRows;
use super::state::{AbState, HELD_UP, STOPPED, explain_incomplete_sample};
use super::summary::compute_sequence;
use crate::engine::seats::Seats;
use crate::experiments::engine::{
    Experiment, ExperimentContext, ExperimentEnd, ExperimentLog, ItemEnd, ItemReport, OpenedItem,
    Recorded, Stage, perform_experiment, read_blocking,
};
use crate::experiments::prompt_trial::{
    CallContext, PlayedSample, SampleStart, play_sample, seats_with_cache,
};
use elenchus_game::debate::{Expense, Spend};
use elenchus_records::workspace::{ForkPoint, Result, WorkspaceError};
use elenchus_store::Layout;
use futures_util::FutureExt;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// What samples begin at.
#[derive(Clone)]
enum Ground {
    /// A debate that has only begun.
    Debate,
    Call(Arc<CallContext>),
}

/// Finished sample or question.
pub(super) enum FinishedCall {
    Sample(AbCell, Box<PlayedSample>),
    Answer(AbPair, ItemEnd<Box<AbAnswer>>, Spend),
}

/// Samples and questions of a comparison that are to be played and asked.
struct OpenSamples<'w> {
    on_result: &'w mut (dyn FnMut(&AbState) + Send),
    /// Enough of it for items, which outlive no change of it.
    manifest: Arc<AbManifest>,
    seats: Arc<Seats>,
    judge: Option<PreferenceJudge>,
    rows: AbRows,
    is_settled: bool,
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
    pub async fn play_comparison(
        &mut self,
        context: &ExperimentContext,
        mut on_result: impl FnMut(&AbState) + Send,
    ) -> Result<ExperimentEnd> {
        let manifest = Arc::new(self.log.state.manifest.clone());
        let seats = seats_with_cache(context, manifest.plan.repeats, &manifest.id);
        let ab_judge = manifest.judge.as_deref();
        let judge = ab_judge.map(|kept| PreferenceJudge::new(&seats, kept, manifest.plan.seed));
        let mut open = OpenSamples {
            on_result: &mut on_result,
            judge: judge.transpose()?,
            seats,
            manifest,
            rows: AbRows::default(),
            is_settled: false,
            waiting: self.log.state.missing_cells().into(),
            asked: BTreeSet::new(),
            grounds: BTreeMap::new(),
        };
        open.update_settled(&self.log.state, &context.store.layout)?;
        perform_experiment(&mut self.log, &mut open, context).await
    }
}

impl Experiment<'static> for OpenSamples<'_> {
    type Event = AbEvent;
    type Outcome = FinishedCall;

    fn sum_earlier_expense(&self, state: &AbState, _: &ExperimentContext) -> Result<Expense> {
        Ok(state.committed)
    }

    fn open_next_item<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<AbEvent>,
        stage: &'s Stage,
    ) -> OpenedItem<'s, 'static, FinishedCall> {
        Box::pin(async move {
            loop {
                let mut pairs = log.state.open_pairs().into_iter();
                if let Some(pair) = pairs.find(|pair| !self.asked.contains(pair))
                    && self.judge.is_some()
                {
                    self.asked.insert(pair);
                    let Some(asking) = self
                        .prepare_question(log, &stage.context.store.layout, pair)
                        .await?
                    else {
                        continue;
                    };
                    let stage = stage.clone();
                    let question = async move {
                        let (end, spend) = asking.send(&stage).await?;
                        Ok(FinishedCall::Answer(pair, end, spend))
                    };
                    return Ok(Some(question.boxed()));
                }
                let Some(place) = self.waiting.pop_front() else {
                    return Ok(None);
                };
                self.grounds.retain(|context, _| *context >= place.context);
                match self.read_ground(&stage.context.store.layout, place).await {
                    Ok(ground) => {
                        let (stage, seats) = (stage.clone(), Arc::clone(&self.seats));
                        let manifest = Arc::clone(&self.manifest);
                        let sample = async move {
                            let result =
                                play_one_sample(&stage, &seats, &manifest, place, &ground).await?;
                            Ok(FinishedCall::Sample(place, Box::new(result)))
                        };
                        return Ok(Some(sample.boxed()));
                    }
                    Err(error @ WorkspaceError::Store(_)) => return Err(error),
                    Err(error) => {
                        let why = error.to_string();
                        log.record_event(AbEvent::Impossible { place, why }).await?;
                    }
                }
            }
        })
    }

    fn record_outcome<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<AbEvent>,
        stage: &'s Stage,
        done: FinishedCall,
    ) -> Recorded<'s> {
        Box::pin(async move {
            let item_left = match done {
                FinishedCall::Sample(place, left) => {
                    let event = AbEvent::Played {
                        place,
                        session: left.session.clone(),
                        failed: explain_incomplete_sample(&left.end),
                        committed: left.state.committed_expense(),
                        priced: Some(left.state.spend().unpriced_calls == 0),
                    };
                    log.record_event(event).await?;
                    self.update_settled(&log.state, &stage.context.store.layout)?;
                    ItemReport {
                        name: place.to_string(),
                        end: left.end.as_item(),
                        spend: left.state.spend(),
                    }
                }
                FinishedCall::Answer(pair, end, spend) => {
                    let item_left = ItemReport {
                        name: pair.to_string(),
                        end: end.to_plain_end(),
                        spend,
                    };
                    let is_stopped = stage.context.stop.is_set();
                    let reason = if is_stopped { STOPPED } else { HELD_UP };
                    log.record_event(to_answer_event(pair, end, spend.to_expense(), reason))
                        .await?;
                    item_left
                }
            };
            (self.on_result)(&log.state);
            Ok(Some(item_left))
        })
    }

    fn count_missing(&self, state: &AbState) -> usize {
        let samples = match self.is_settled {
            true => 0,
            false => state.missing_cells().len() + state.impossible.len(),
        };
        samples + state.open_pairs().len()
    }
}

impl OpenSamples<'_> {
    /// Looks whether a comparison that ends as soon as it is settled is so. Blocks while it reads what
    /// is new.
    fn update_settled(&mut self, state: &AbState, layout: &Layout) -> Result<()> {
        if self.is_settled || state.manifest.plan.stop.is_fixed() {
            return Ok(());
        }
        self.rows.read_samples(layout, state)?;
        if compute_sequence(&self.rows, state).is_settled() {
            self.is_settled = true;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Makes a question ready and notes that it is asked; `None` where it cannot be asked.
    async fn prepare_question(
        &mut self,
        log: &mut ExperimentLog<AbEvent>,
        layout: &Layout,
        pair: AbPair,
    ) -> Result<Option<PreferenceRequest>> {
        let Some(judge) = &self.judge else {
            return Ok(None);
        };
        match judge.build_question(layout, &log.state, pair) {
            Ok(asking) => {
                let worst_case = asking.worst_case.to_expense();
                log.record_event(AbEvent::Asked { pair, worst_case })
                    .await?;
                Ok(Some(asking))
            }
            Err(error @ WorkspaceError::Store(_)) => Err(error),
            Err(error) => {
                let event = AbEvent::Unanswered {
                    pair,
                    why: error.to_string(),
                    committed: Expense::default(),
                };
                log.record_event(event).await?;
                Ok(None)
            }
        }
    }

    async fn read_ground(&mut self, layout: &Layout, place: AbCell) -> Result<Ground> {
        let (on, arm) = find_cell(&self.manifest, place)?;
        let ground = match (self.grounds.get(&place.context), &on.call) {
            (Some(ground), _) => ground.clone(),
            (None, None) => Ground::Debate,
            (None, Some(call)) => {
                let (layout, session) = (layout.clone(), on.session.clone());
                let call = call.clone();
                let read_task = read_blocking(move || CallContext::read(&layout, &session, &call));
                Ground::Call(Arc::new(read_task.await?))
            }
        };
        let change = arm.build_change(&self.manifest.plan.template);
        match &ground {
            Ground::Call(call) => call.check_change(&self.seats, change.as_ref())?,
            Ground::Debate => {}
        }
        self.grounds.insert(place.context, ground.clone());
        Ok(ground)
    }
}

fn find_cell(manifest: &AbManifest, place: AbCell) -> Result<(&AbContext, &AbArm)> {
    let at = usize::try_from(place.context).unwrap_or(usize::MAX);
    let on = manifest.plan.contexts.get(at);
    let arm = manifest.plan.arms.get(usize::from(place.arm));
    on.zip(arm)
        .ok_or_else(|| WorkspaceError::Invalid("there is no such sample".to_owned()))
}

async fn play_one_sample(
    stage: &Stage,
    seats: &Arc<Seats>,
    manifest: &AbManifest,
    place: AbCell,
    ground: &Ground,
) -> Result<PlayedSample> {
    let (on, arm) = find_cell(manifest, place)?;
    let change = arm.build_change(&manifest.plan.template);
    let store = &stage.context.store;
    let (change, roll) = (change.as_ref(), manifest.plan.roll);
    let start = match ground {
        Ground::Call(call) => call.build_start(store, &on.session, (change, roll), place.sample),
        Ground::Debate => SampleStart {
            from: store.layout.tries_store(),
            parent: &on.session,
            point: ForkPoint::after_lines(1),
            call: None,
            change,
            roll,
            number: place.sample,
        },
    };
    // Events of the sample are in its own journal.
    let (sender, receiver) = unbounded_channel();
    drop(receiver);
    play_sample(stage, seats, start, (&sender, &|_| Ok(()))).await
}

fn to_answer_event(
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
