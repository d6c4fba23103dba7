//! Play of a prompt comparison: samples and preference questions, until a stop rule ends it.

use super::event::{AbCell, AbEvent, AbPair, AbState, failure};
use super::preference::{PreferenceJudge, PreferenceReply};
use super::report::AbRows;
use super::summary::sequence;
use super::{Ab, AbEnd};
use crate::experiments::prompt_trial::TryFloor;
use crate::experiments::prompt_trial::TurnContext;
use crate::experiments::prompt_trial::{PlayedSample, SampleEnd, SampleStart, play};
use crate::workspace::WorkspaceError;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
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
    Sample(AbCell, Box<Result<PlayedSample, WorkspaceError>>),
    Answer(AbPair, PreferenceReply),
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
        mut played: impl FnMut(&AbState),
        cancel: &CancellationToken,
    ) -> Result<AbEnd, WorkspaceError> {
        let seats = floor.seats_that(self.state.manifest.repeats);
        let kept = self.state.manifest.judge.as_deref();
        let judge = kept.map(|kept| PreferenceJudge::new(&seats, kept, self.state.manifest.seed));
        let judge = judge.transpose()?;
        let mut rows = AbRows::default();
        let mut settled = self.has_settled(floor, &mut rows)?;
        let mut waiting: VecDeque<AbCell> = match settled {
            true => VecDeque::new(),
            false => self.state.missing().into(),
        };
        let mut asked: BTreeSet<AbPair> = BTreeSet::new();
        let mut grounds: BTreeMap<u32, Ground> = BTreeMap::new();
        let mut doing: FuturesUnordered<BoxFuture<'_, FinishedCall>> = FuturesUnordered::new();
        let mut paused = false;
        loop {
            while doing.len() < floor.concurrency.max(1) && !paused && !cancel.is_cancelled() {
                let mut unasked = self.state.unasked().into_iter();
                let pair = unasked.find(|pair| !asked.contains(pair));
                if let (Some(judge), Some(pair)) = (&judge, pair) {
                    asked.insert(pair);
                    if let Some(asking) = self.ask(floor, judge, pair).await? {
                        doing.push(Box::pin(async move {
                            FinishedCall::Answer(pair, asking.send(floor, cancel).await)
                        }));
                    }
                    continue;
                }
                let Some(place) = waiting.pop_front() else {
                    break;
                };
                grounds.retain(|context, _| *context >= place.context);
                match self.ground(floor, &mut grounds, place).await {
                    Ok(ground) => {
                        let seats = Arc::clone(&seats);
                        let state = self.state.manifest.clone();
                        doing.push(Box::pin(async move {
                            let left = one(floor, &seats, &state, place, &ground, cancel).await;
                            FinishedCall::Sample(place, Box::new(left))
                        }));
                    }
                    Err(error @ WorkspaceError::Store(_)) => return Err(error),
                    Err(error) => {
                        let why = error.to_string();
                        self.note(floor, AbEvent::Impossible { place, why }).await?;
                    }
                }
            }
            let Some(done) = doing.next().await else {
                break;
            };
            match done {
                FinishedCall::Sample(place, left) => {
                    let left = (*left)?;
                    paused |= left.end == SampleEnd::Paused;
                    let event = AbEvent::Played {
                        place,
                        session: left.session.clone(),
                        failed: failure(&left.end),
                        committed_usd: left.state.committed_usd(),
                    };
                    self.note(floor, event).await?;
                    if !settled && self.has_settled(floor, &mut rows)? {
                        settled = true;
                        waiting.clear();
                    }
                }
                FinishedCall::Answer(pair, answered) => {
                    paused |= matches!(answered, PreferenceReply::Refused);
                    self.note(floor, event_of(pair, answered)).await?;
                }
            }
            played(&self.state);
        }
        let end = self.end(settled, paused, cancel.is_cancelled());
        let event = match &end {
            AbEnd::Completed | AbEnd::WithFailures(_) => AbEvent::Completed {},
            AbEnd::Paused(why) => AbEvent::Paused { why: why.clone() },
        };
        self.note(floor, event).await?;
        Ok(end)
    }

    fn end(&self, settled: bool, paused: bool, cancelled: bool) -> AbEnd {
        let missing = match settled {
            true => 0,
            false => self.state.missing().len() + self.state.impossible.len(),
        };
        let missing = missing + self.state.unasked().len();
        if cancelled {
            AbEnd::Paused("it was stopped".to_owned())
        } else if paused {
            AbEnd::Paused("the ceiling allows no more calls".to_owned())
        } else if missing > 0 {
            AbEnd::WithFailures(missing)
        } else {
            AbEnd::Completed
        }
    }

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
    seats: &Arc<crate::engine::seats::Seats>,
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
