//! Two prompts on the same recorded turns: planned, played, stopped, gone on with.

use super::super::error::DriverError;
use super::super::session::read_session;
use super::super::setting_out::software;
use super::ab_event::{
    AbEvent, AbManifest, AbPlace, AbPreference, AbState, AbStop, FORMAT, failure, fold,
};
use super::context::TurnContext;
use super::sample::{SampleEnd, TrySample, play};
use super::{AbArm, AbContext, MAX_SAMPLES, Repeats, RollForward, TryFloor, TryPlan};
use crate::debate::chance::draw;
use crate::debate::event::Player;
use crate::debate::{SessionId, TurnId};
use crate::store::{JournalWriter, Layout, read_journal};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// Which recorded turns two prompts are compared on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnFilter {
    pub sessions: Vec<SessionId>,
    /// What sessions call the template: only turns that it was asked by.
    pub template: String,
    /// Only these seats, where there are any.
    pub seat: Option<String>,
    pub round: Option<u32>,
    /// So many of them, drawn by the seed; all where left out.
    pub sample: Option<usize>,
}

/// Finds the turns of a filter that models spoke, in an order fixed by the seed. Blocks.
///
/// Sessions that cannot be read come with the reason.
pub fn find_contexts(
    layout: &Layout,
    filter: &TurnFilter,
    seed: u64,
) -> (Vec<AbContext>, Vec<String>) {
    let mut found: Vec<(u64, AbContext)> = Vec::new();
    let mut unread = Vec::new();
    for session in &filter.sessions {
        let state = layout
            .session(session.as_str())
            .map_err(DriverError::from)
            .and_then(|path| read_session(&path));
        let state = match state {
            Ok(state) => state,
            Err(error) => {
                unread.push(error.to_string());
                continue;
            }
        };
        let Some(created) = state.created() else {
            continue;
        };
        for turn in state.turns().keys().filter(|turn| is_wanted(filter, turn)) {
            let stage = created.protocol.stage(&turn.stage);
            let template =
                stage.map(|stage| created.protocol.template_name(stage, &turn.chair.seat));
            let is_model = matches!(created.player(&turn.chair), Some(Player::Model(_)));
            let own = state.chosen(turn).is_some_and(|(_, attempt)| {
                !attempt.inherited && attempt.guardrail.is_none() && attempt.view.is_some()
            });
            if template != Some(filter.template.as_str()) || !is_model || !own {
                continue;
            }
            let place = ["prompts ab", session.as_str(), &turn.to_string()].map(str::to_owned);
            let parts: Vec<&str> = place.iter().map(String::as_str).collect();
            let context = AbContext {
                session: session.clone(),
                turn: Some(turn.clone()),
                topic: created.topic.id.clone(),
            };
            found.push((draw(seed, &parts), context));
        }
    }
    found.sort_by_key(|(drawn, _)| *drawn);
    let mut contexts: Vec<AbContext> = found.into_iter().map(|(_, context)| context).collect();
    contexts.truncate(filter.sample.unwrap_or(usize::MAX));
    (contexts, unread)
}

fn is_wanted(filter: &TurnFilter, turn: &TurnId) -> bool {
    let seat = filter.seat.as_ref();
    seat.is_none_or(|seat| turn.chair.seat.as_str() == seat)
        && filter.round.is_none_or(|round| turn.round == round)
}

/// What a comparison is begun with.
#[derive(Debug, Clone, PartialEq)]
pub struct AbPlan {
    pub template: String,
    pub arms: [AbArm; 2],
    pub contexts: Vec<AbContext>,
    /// From 1 to [`MAX_SAMPLES`].
    pub samples: u32,
    pub roll: RollForward,
    pub stop: AbStop,
    pub preference: Option<AbPreference>,
    pub repeats: Repeats,
    pub budget_usd: Option<f64>,
    pub seed: u64,
}

/// How a comparison was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AbEnd {
    Completed,
    /// Everything was tried; so many samples are missing.
    WithFailures(usize),
    /// It can be gone on with.
    Paused(String),
}

/// A comparison under way: it holds its journal's lock.
pub struct Ab {
    state: AbState,
    journal: JournalWriter<AbEvent>,
}

impl Ab {
    /// Begins a comparison; its manifest is durable when this returns. Blocks while texts are tried
    /// on the first turns.
    ///
    /// # Errors
    /// When there is no turn, a text cannot be used on the first one, or the disk refuses.
    pub async fn begin(floor: &TryFloor, plan: AbPlan) -> Result<Self, DriverError> {
        if plan.contexts.is_empty() {
            return Err(DriverError::Invalid(
                "no recorded turn fits: choose other sessions, another seat or another round"
                    .to_owned(),
            ));
        }
        if !(1..=MAX_SAMPLES).contains(&plan.samples) {
            return Err(DriverError::Invalid(format!(
                "{} samples cannot be tried; try 1 to {MAX_SAMPLES}",
                plan.samples
            )));
        }
        // A text that fails is found before anything is paid for.
        if let Some((first, turn)) = plan.contexts.first().and_then(|first| {
            let turn = first.turn.as_ref()?;
            Some((first, turn))
        }) {
            let path = floor.desk.layout.session(first.session.as_str())?;
            let context = TurnContext::read(&path, turn)?;
            for arm in &plan.arms {
                if let Some(change) = arm.change(&plan.template) {
                    context.rendered(&change)?;
                }
            }
        }
        let manifest = AbManifest {
            format: FORMAT,
            id: floor.desk.clock.fresh_id(),
            software: software(),
            template: plan.template,
            arms: plan.arms,
            contexts: plan.contexts,
            samples: plan.samples,
            roll: plan.roll,
            stop: plan.stop,
            preference: plan.preference,
            repeats: plan.repeats,
            budget_usd: plan.budget_usd,
            seed: plan.seed,
        };
        let store = floor.desk.layout.tries();
        store.create()?;
        let path = store.comparison(&manifest.id)?;
        let journal = JournalWriter::create(&path, &floor.desk.holder, &floor.desk.fsync)?;
        let at = floor.desk.clock.now();
        let begun = AbEvent::Begun(Box::new(manifest.clone()));
        journal.append(&at, "engine", &begun).await?;
        Ok(Self {
            state: AbState::begin(manifest),
            journal,
        })
    }

    /// Goes on with a comparison: what was played is not played again, what failed is tried again.
    /// `budget_usd` replaces its ceiling.
    ///
    /// # Errors
    /// When another process plays it, or its journal cannot be read.
    pub async fn resume(
        floor: &TryFloor,
        id: &str,
        budget_usd: Option<f64>,
    ) -> Result<Self, DriverError> {
        let path = floor.desk.layout.tries().comparison(id)?;
        let opened = JournalWriter::open(&path, &floor.desk.holder, &floor.desk.fsync)?;
        let mut state = fold(&path, opened.lines)?;
        let resumed = AbEvent::Resumed { budget_usd };
        let at = floor.desk.clock.now();
        opened.writer.append(&at, "engine", &resumed).await?;
        state.apply(&resumed);
        Ok(Self {
            state,
            journal: opened.writer,
        })
    }

    /// Returns what is known.
    pub fn state(&self) -> &AbState {
        &self.state
    }

    /// Plays what is missing; each sample is durable before `played` hears of it. One that fails
    /// never ends the others.
    ///
    /// # Errors
    /// When the disk stops it.
    pub async fn play(
        &mut self,
        floor: &TryFloor,
        mut played: impl FnMut(&AbState),
        cancel: &CancellationToken,
    ) -> Result<AbEnd, DriverError> {
        let mut waiting: VecDeque<AbPlace> = self.state.missing().into();
        let mut contexts: BTreeMap<u32, Arc<TurnContext>> = BTreeMap::new();
        let mut doing = FuturesUnordered::new();
        let mut paused = false;
        let seats = floor.seats_that(self.state.manifest.repeats);
        let (tell, told) = unbounded_channel();
        drop(told);
        loop {
            while doing.len() < floor.concurrency.max(1) && !paused && !cancel.is_cancelled() {
                let Some(place) = waiting.pop_front() else {
                    break;
                };
                contexts.retain(|context, kept| {
                    *context >= place.context || Arc::strong_count(kept) > 1
                });
                match self.plan_of(floor, &mut contexts, place).await {
                    Ok((plan, context)) => {
                        let (tell, cancel) = (tell.clone(), cancel.clone());
                        let seats = Arc::clone(&seats);
                        doing.push(async move {
                            let sample = place.sample;
                            let sample =
                                play(floor, &seats, &plan, &context, sample, &tell, &cancel);
                            (place, sample.await)
                        });
                    }
                    Err(error @ DriverError::Store(_)) => return Err(error),
                    Err(error) => {
                        let why = error.to_string();
                        self.note(floor, AbEvent::Impossible { place, why }).await?;
                    }
                }
            }
            let Some((place, came)) = doing.next().await else {
                break;
            };
            let sample: TrySample = came?;
            paused |= sample.end == SampleEnd::Paused;
            let event = AbEvent::Played {
                place,
                session: sample.session.clone(),
                failed: failure(&sample.end),
                committed_usd: sample.state.committed_usd(),
            };
            self.note(floor, event).await?;
            played(&self.state);
        }
        let end = self.end(paused, cancel.is_cancelled());
        let event = match &end {
            AbEnd::Completed | AbEnd::WithFailures(_) => AbEvent::Completed {},
            AbEnd::Paused(why) => AbEvent::Paused { why: why.clone() },
        };
        self.note(floor, event).await?;
        Ok(end)
    }

    fn end(&self, paused: bool, cancelled: bool) -> AbEnd {
        let missing = self.state.missing().len();
        if cancelled {
            AbEnd::Paused("it was stopped".to_owned())
        } else if paused {
            AbEnd::Paused("the ceiling allows no more calls".to_owned())
        } else if missing > 0 || !self.state.impossible.is_empty() {
            AbEnd::WithFailures(missing + self.state.impossible.len())
        } else {
            AbEnd::Completed
        }
    }

    async fn plan_of(
        &self,
        floor: &TryFloor,
        contexts: &mut BTreeMap<u32, Arc<TurnContext>>,
        place: AbPlace,
    ) -> Result<(TryPlan, Arc<TurnContext>), DriverError> {
        let manifest = &self.state.manifest;
        let at = usize::try_from(place.context).unwrap_or(usize::MAX);
        let (Some(on), Some(arm)) = (
            manifest.contexts.get(at),
            manifest.arms.get(usize::from(place.arm)),
        ) else {
            return Err(DriverError::Invalid("there is no such sample".to_owned()));
        };
        let Some(turn) = on.turn.clone() else {
            return Err(DriverError::Invalid(
                "whole debates cannot be compared yet".to_owned(),
            ));
        };
        let context = match contexts.get(&place.context) {
            Some(context) => Arc::clone(context),
            None => {
                let path = floor.desk.layout.session(on.session.as_str())?;
                let turn = turn.clone();
                let read = tokio::task::spawn_blocking(move || TurnContext::read(&path, &turn));
                let read = read.await.map_err(|error| {
                    DriverError::Invalid(format!("reading it ended abnormally: {error}"))
                })?;
                let context = Arc::new(read?);
                contexts.insert(place.context, Arc::clone(&context));
                context
            }
        };
        let change = arm.change(&manifest.template);
        if let Some(change) = &change {
            context.rendered(change)?;
        }
        let plan = TryPlan {
            session: on.session.clone(),
            turn,
            change,
            samples: 1,
            first_sample: place.sample,
            roll: manifest.roll,
            repeats: manifest.repeats,
        };
        Ok((plan, context))
    }

    async fn note(&mut self, floor: &TryFloor, event: AbEvent) -> Result<(), DriverError> {
        let at = floor.desk.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        self.state.apply(&event);
        Ok(())
    }
}

/// Reads a comparison without its lock. Blocks.
///
/// # Errors
/// When there is none of that id, or its journal cannot be read.
pub fn read_ab(layout: &Layout, id: &str) -> Result<AbState, DriverError> {
    let path = layout.tries().comparison(id)?;
    fold(&path, read_journal(&path)?.lines)
}
