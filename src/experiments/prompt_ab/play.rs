//! Play of a prompt comparison: samples and preference questions, until a stop rule ends it.

use super::Ab;
use super::event::{AbCell, AbEvent, AbPair, AbState, failure};
use super::preference::{PreferenceJudge, PreferenceReply};
use super::report::AbRows;
use super::summary::sequence;
use crate::engine::seats::Seats;
use crate::experiments::engine::{ExperimentEnd, Opened, Work, perform};
use crate::experiments::prompt_trial::TryFloor;
use crate::experiments::prompt_trial::TurnContext;
use crate::experiments::prompt_trial::{PlayedSample, SampleEnd, SampleStart, play};
use crate::workspace::WorkspaceError;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// Start of a sample.
#[derive(Clone)]
enum Ground {
    Turn(Arc<TurnContext>),
    /// A debate that has only begun.
    Fresh,
}

/// Finished sample or question.
enum FinishedCall {
    Sample(AbCell, Box<PlayedSample>),
    Answer(AbPair, PreferenceReply),
}

type PlayedCall = Result<FinishedCall, WorkspaceError>;

/// Samples and questions of a comparison, and the state that changes while they are under way.
struct AbWork<'w, 'a> {
    ab: &'w mut Ab,
    floor: &'a TryFloor,
    cancel: &'a CancellationToken,
    played: &'w mut (dyn FnMut(&AbState) + Send),
    seats: Arc<Seats>,
    judge: Option<PreferenceJudge>,
    rows: AbRows,
    settled: bool,
    waiting: VecDeque<AbCell>,
    asked: BTreeSet<AbPair>,
    grounds: BTreeMap<u32, Ground>,
    paused: bool,
}

impl Ab {
    /// Plays what is missing; each sample and each answer is durable before `played` is called. One
    /// that fails never ends the others.
    ///
    /// # Errors
    /// When the disk stops it, or the judge of a preference cannot be asked.
    pub async fn play(
        &mut self,
        floor: &TryFloor,
        mut played: impl FnMut(&AbState) + Send,
        cancel: &CancellationToken,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let seats = floor.seats_that(self.state.manifest.repeats);
        let kept = self.state.manifest.judge.as_deref();
        let judge = kept.map(|kept| PreferenceJudge::new(&seats, kept, self.state.manifest.seed));
        let mut work = AbWork {
            floor,
            cancel,
            played: &mut played,
            judge: judge.transpose()?,
            seats,
            rows: AbRows::default(),
            settled: false,
            waiting: self.state.missing().into(),
            asked: BTreeSet::new(),
            grounds: BTreeMap::new(),
            paused: false,
            ab: self,
        };
        work.look_whether_settled()?;
        perform(&mut work, floor.concurrency).await?;
        let settled = work.settled;
        let end = self.end(floor, settled, cancel.is_cancelled());
        let event = match &end {
            ExperimentEnd::Completed | ExperimentEnd::WithFailures(_) => AbEvent::Completed {},
            ExperimentEnd::Paused(why) => AbEvent::Paused { why: why.clone() },
        };
        self.note(floor, event).await?;
        Ok(end)
    }

    fn end(&self, floor: &TryFloor, settled: bool, cancelled: bool) -> ExperimentEnd {
        let missing = match settled {
            true => 0,
            false => self.state.missing().len() + self.state.impossible.len(),
        };
        let missing = missing + self.state.unasked().len();
        ExperimentEnd::of(&floor.budget, cancelled, missing)
    }
}

impl<'a> Work<'a, PlayedCall> for AbWork<'_, 'a> {
    fn open(&mut self) -> Opened<'_, 'a, PlayedCall> {
        Box::pin(async move {
            let (floor, cancel) = (self.floor, self.cancel);
            while !self.paused && !cancel.is_cancelled() {
                let mut unasked = self.ab.state.unasked().into_iter();
                let pair = unasked.find(|pair| !self.asked.contains(pair));
                if let (Some(judge), Some(pair)) = (&self.judge, pair) {
                    self.asked.insert(pair);
                    let Some(asking) = self.ab.ask(floor, judge, pair).await? else {
                        continue;
                    };
                    return Ok(Some(
                        async move {
                            let came = asking.send(floor, cancel).await?;
                            Ok(FinishedCall::Answer(pair, came))
                        }
                        .boxed(),
                    ));
                }
                let Some(place) = self.waiting.pop_front() else {
                    break;
                };
                self.grounds.retain(|context, _| *context >= place.context);
                match self.ab.ground(floor, &mut self.grounds, place).await {
                    Ok(ground) => {
                        let seats = Arc::clone(&self.seats);
                        let manifest = self.ab.state.manifest.clone();
                        return Ok(Some(
                            async move {
                                let left =
                                    one(floor, &seats, &manifest, place, &ground, cancel).await?;
                                Ok(FinishedCall::Sample(place, Box::new(left)))
                            }
                            .boxed(),
                        ));
                    }
                    Err(error @ WorkspaceError::Store(_)) => return Err(error),
                    Err(error) => {
                        let why = error.to_string();
                        let event = AbEvent::Impossible { place, why };
                        self.ab.note(floor, event).await?;
                    }
                }
            }
            Ok(None)
        })
    }

    fn record(&mut self, done: PlayedCall) -> BoxFuture<'_, Result<(), WorkspaceError>> {
        Box::pin(async move {
            match done? {
                FinishedCall::Sample(place, left) => {
                    self.paused |= left.end == SampleEnd::Paused;
                    let event = AbEvent::Played {
                        place,
                        session: left.session.clone(),
                        failed: failure(&left.end),
                        committed_usd: left.state.committed_usd(),
                    };
                    self.ab.note(self.floor, event).await?;
                    self.look_whether_settled()?;
                }
                FinishedCall::Answer(pair, answered) => {
                    self.paused |= matches!(answered, PreferenceReply::Refused);
                    self.ab.note(self.floor, event_of(pair, answered)).await?;
                }
            }
            (self.played)(&self.ab.state);
            Ok(())
        })
    }
}

impl AbWork<'_, '_> {
    fn look_whether_settled(&mut self) -> Result<(), WorkspaceError> {
        if !self.settled && self.ab.has_settled(self.floor, &mut self.rows)? {
            self.settled = true;
            self.waiting.clear();
        }
        Ok(())
    }
}

impl Ab {
    /// Says whether a comparison that ends as soon as it is settled is so. Blocks while it reads what
    /// is new.
    fn has_settled(&self, floor: &TryFloor, rows: &mut AbRows) -> Result<bool, WorkspaceError> {
        if self.state.manifest.stop.is_fixed() {
            return Ok(false);
        }
        rows.read(&floor.desk.layout, &self.state)?;
        Ok(sequence(rows, &self.state).is_settled())
    }

    /// Makes a question ready and notes that it is asked; `None` where it cannot be asked.
    async fn ask(
        &mut self,
        floor: &TryFloor,
        judge: &PreferenceJudge,
        pair: AbPair,
    ) -> Result<Option<super::preference::PreferenceRequest>, WorkspaceError> {
        match judge.ask(&floor.desk.layout, &self.state, pair) {
            Ok(asking) => {
                let worst_case_usd = asking.worst_case.usd.unwrap_or(0.0);
                let event = AbEvent::Asked {
                    pair,
                    worst_case_usd,
                };
                self.note(floor, event).await?;
                Ok(Some(asking))
            }
            Err(error @ WorkspaceError::Store(_)) => Err(error),
            Err(error) => {
                let answered = PreferenceReply::Failed(error.to_string(), 0.0);
                self.note(floor, event_of(pair, answered)).await?;
                Ok(None)
            }
        }
    }

    async fn ground(
        &self,
        floor: &TryFloor,
        grounds: &mut BTreeMap<u32, Ground>,
        place: AbCell,
    ) -> Result<Ground, WorkspaceError> {
        let manifest = &self.state.manifest;
        let (Some(on), Some(arm)) = (
            self.state.context(place),
            manifest.arms.get(usize::from(place.arm)),
        ) else {
            return Err(WorkspaceError::Invalid(
                "there is no such sample".to_owned(),
            ));
        };
        let ground = match (grounds.get(&place.context), &on.turn) {
            (Some(ground), _) => ground.clone(),
            (None, None) => Ground::Fresh,
            (None, Some(turn)) => {
                let path = floor.desk.layout.session(on.session.as_str())?;
                let turn = turn.clone();
                let read = tokio::task::spawn_blocking(move || TurnContext::read(&path, &turn));
                let read = read.await.map_err(|error| {
                    WorkspaceError::Invalid(format!("reading it ended abnormally: {error}"))
                })?;
                Ground::Turn(Arc::new(read?))
            }
        };
        grounds.insert(place.context, ground.clone());
        if let (Ground::Turn(context), Some(change)) = (&ground, arm.change(&manifest.template)) {
            context.rendered(&change)?;
        }
        Ok(ground)
    }
}

async fn one(
    floor: &TryFloor,
    seats: &Arc<Seats>,
    manifest: &super::event::AbManifest,
    place: AbCell,
    ground: &Ground,
    cancel: &CancellationToken,
) -> Result<PlayedSample, WorkspaceError> {
    let at = usize::try_from(place.context).unwrap_or(usize::MAX);
    let (Some(on), Some(arm)) = (
        manifest.contexts.get(at),
        manifest.arms.get(usize::from(place.arm)),
    ) else {
        return Err(WorkspaceError::Invalid(
            "there is no such sample".to_owned(),
        ));
    };
    let change = arm.change(&manifest.template);
    let start = match ground {
        Ground::Turn(context) => context.start(floor, &on.session, place.sample),
        Ground::Fresh => SampleStart {
            from: floor.desk.layout.tries(),
            parent: &on.session,
            lines: 1,
            verdicts: &[],
            turn: None,
            change: None,
            roll: manifest.roll,
            number: place.sample,
        },
    };
    let start = SampleStart {
        change: change.as_ref(),
        roll: manifest.roll,
        ..start
    };
    // Events of the sample are in its own journal.
    let (tell, told) = unbounded_channel();
    drop(told);
    play(floor, seats, start, &tell, cancel).await
}

fn event_of(pair: AbPair, answered: PreferenceReply) -> AbEvent {
    match answered {
        PreferenceReply::Said(answer, committed_usd) => AbEvent::Answered {
            pair,
            answer,
            committed_usd,
        },
        PreferenceReply::Failed(why, committed_usd) => AbEvent::Unanswered {
            pair,
            why,
            committed_usd,
        },
        PreferenceReply::Refused => AbEvent::Unanswered {
            pair,
            why: "the ceiling allowed no more calls".to_owned(),
            committed_usd: 0.0,
        },
        PreferenceReply::NotSent => AbEvent::Unanswered {
            pair,
            why: "it was stopped".to_owned(),
            committed_usd: 0.0,
        },
    }
}
