//! One sample of a try: a fork that is played a little way by the engine that plays every debate.

use super::super::desk::fork_into;
use super::super::error::DriverError;
use super::super::live::{self, LiveTools, Order, Pace, Rest, Tiding};
use super::super::seats::Seats;
use super::change::PromptChange;
use super::{RollForward, TryFloor};
use crate::debate::event::{Author, Event, Judged, Outcome};
use crate::debate::{AttemptId, SessionId, State, Target, TurnId};
use crate::store::Layout;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// What a try tells while it goes on.
#[derive(Debug)]
pub enum TryTiding {
    /// A sample is played now, under this id.
    Begun {
        number: u32,
        session: SessionId,
        /// Stays what its journal says where everything that happens is applied to it.
        state: Arc<State>,
    },
    /// What its session tells: streams among it.
    Went { number: u32, tiding: Box<Tiding> },
    /// It was left.
    Left { number: u32, end: SampleEnd },
}

/// How a sample was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SampleEnd {
    /// As far as was asked.
    Played,
    /// The turn came, and something after it failed; or the turn itself did.
    Failed(String),
    /// The ceiling allows no more calls.
    Paused,
    /// Somebody stopped it.
    Stopped,
}

/// A sample as it was left.
#[derive(Debug, Clone)]
pub struct TrySample {
    pub number: u32,
    /// Its session, in the store of tries.
    pub session: SessionId,
    pub turn: TurnId,
    pub state: State,
    pub end: SampleEnd,
}

impl TrySample {
    /// Returns the attempt that the try brought; `None` where none came.
    pub fn attempt(&self) -> Option<AttemptId> {
        let (id, attempt) = self.state.chosen(&self.turn)?;
        (!attempt.inherited).then_some(id)
    }

    /// Returns the text that the seat said.
    pub fn text(&self) -> Option<&str> {
        self.attempt()?;
        let (_, attempt) = self.state.chosen(&self.turn)?;
        Some(&attempt.reply.text)
    }

    /// Says whether what the seat said is what an earlier try was answered.
    pub fn is_cached(&self) -> bool {
        let chosen = self.state.chosen(&self.turn);
        chosen.is_some_and(|(_, attempt)| !attempt.inherited && attempt.reply.cached)
    }

    /// Returns what was found on the attempts that this sample brought, oldest turn first: of the
    /// tried turn and of those that followed it.
    pub fn findings(&self) -> Vec<(AttemptId, Outcome)> {
        findings(&self.state)
    }
}

/// Returns what was found on a session's own attempts that count.
fn findings(state: &State) -> Vec<(AttemptId, Outcome)> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let own = own_attempts(state);
    let found = own.into_iter().flat_map(|id| {
        let target = Target::Attempt(id.clone());
        let rules = protocol.judging.iter().filter(|rule| rule.enabled);
        let outcomes = rules.filter_map(move |rule| state.finding(rule, &target));
        outcomes.map(move |outcome| (id.clone(), outcome))
    });
    found.collect()
}

/// Returns the attempts that count and that no parent has, in the order of the game.
pub(super) fn own_attempts(state: &State) -> Vec<AttemptId> {
    let turns = state.turns().keys();
    let chosen = turns.filter_map(|turn| state.chosen(turn));
    let own = chosen.filter(|(_, attempt)| !attempt.inherited);
    let mut own: Vec<AttemptId> = own.map(|(id, _)| id).collect();
    if let Some(protocol) = state.protocol() {
        own.sort_by_key(|id| (id.turn.round, protocol.stage_place(&id.turn.stage)));
    }
    own
}

/// What a sample does next, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Speaks,
    Rolls,
    IsJudged,
}

/// What a sample begins with.
pub(super) struct Start<'a> {
    /// The store of the session that is forked.
    pub from: Layout,
    pub parent: &'a SessionId,
    /// How many of its lines the fork begins with.
    pub lines: u64,
    /// Verdicts on what is kept that came later.
    pub verdicts: &'a [(Author, Judged)],
    /// The turn that is asked again; `None` to play all that is missing.
    pub turn: Option<&'a TurnId>,
    pub change: Option<&'a PromptChange>,
    pub roll: RollForward,
    pub number: u32,
}

/// A sample that was left.
pub(super) struct Left {
    pub session: SessionId,
    pub state: State,
    pub end: SampleEnd,
}

pub(super) async fn play(
    floor: &TryFloor,
    seats: &Arc<Seats>,
    start: Start<'_>,
    tell: &UnboundedSender<TryTiding>,
    cancel: &CancellationToken,
) -> Result<Left, DriverError> {
    let desk = &floor.desk;
    let number = start.number;
    let store = desk.layout.tries();
    store.create()?;
    let mut session = fork_into(desk, [&start.from, &store], start.parent, start.lines).await?;
    let prompted = match start.change {
        Some(change) => change.event(number),
        None => super::change::unchanged(number),
    };
    let by = Author::Person(desk.person.clone());
    session
        .change_prompts(desk.clock.now(), by, prompted)
        .await?;
    let known = start.verdicts.iter().cloned();
    let known: Vec<(Author, Event)> = known
        .map(|(by, judged)| (by, Event::Judged(Box::new(judged))))
        .collect();
    if !known.is_empty() {
        session.record_all(desk.clock.now(), known).await?;
    }
    let id = session.id.clone();
    let say = |tiding| {
        // Who does not listen can read the samples.
        let _ = tell.send(tiding);
    };
    say(TryTiding::Begun {
        number,
        session: id.clone(),
        state: Arc::new(session.state.clone()),
    });
    let mut sample = Sample {
        turn: start.turn,
        roll: start.roll,
        state: session.state.clone(),
        phase: Phase::Speaks,
        was_asked: false,
    };
    let (tell_live, mut told) = unbounded_channel();
    let tools = LiveTools {
        seats: Arc::clone(seats),
        budget: Arc::clone(&floor.budget),
        // A try reads what its session was shown already, and nobody learns from it.
        memory: None,
        clock: desk.clock,
        person: desk.person.clone(),
    };
    let handle = live::open(session, tools, tell_live);
    handle.order(match start.turn {
        Some(turn) => Order::AskAgain(turn.clone()),
        None => Order::Play(Pace::End),
    });
    let end = loop {
        let next = tokio::select! {
            biased;
            next = told.recv() => next,
            () = cancel.cancelled() => break SampleEnd::Stopped,
        };
        let Some((_, tiding)) = next else {
            break SampleEnd::Failed("the session ended by itself; see the log".to_owned());
        };
        let went = sample.take(&tiding);
        say(TryTiding::Went {
            number,
            tiding: Box::new(tiding),
        });
        match went {
            Went::On => {}
            Went::Order(order) => handle.order(order),
            Went::Ended(end) => break end,
        }
    };
    // What had come is durable, and told, when this returns.
    handle.close().await;
    while let Some((_, tiding)) = told.recv().await {
        sample.keep(&tiding);
    }
    say(TryTiding::Left {
        number,
        end: end.clone(),
    });
    Ok(Left {
        session: id,
        state: sample.state,
        end,
    })
}

struct Sample<'a> {
    turn: Option<&'a TurnId>,
    roll: RollForward,
    state: State,
    phase: Phase,
    /// Whether the seat was asked: what rests before that has not heard its order yet.
    was_asked: bool,
}

/// What a tiding of a sample's session comes to.
enum Went {
    On,
    Order(Order),
    Ended(SampleEnd),
}

impl Sample<'_> {
    fn keep(&mut self, tiding: &Tiding) {
        if let Tiding::Happened(record) = tiding {
            // What is told is durable and in order, so it fits.
            let _ = self.state.apply(record);
        }
    }

    fn take(&mut self, tiding: &Tiding) -> Went {
        self.keep(tiding);
        match tiding {
            Tiding::Rests(Rest::Paused) => Went::Ended(SampleEnd::Paused),
            Tiding::Rests(Rest::Stuck(failed)) => {
                let why = failed.first().map(|failed| failed.message.clone());
                Went::Ended(SampleEnd::Failed(why.unwrap_or_default()))
            }
            Tiding::Rests(Rest::Waits(_)) => Went::Ended(SampleEnd::Failed(
                "a person sits on a seat that comes next; a try goes as far as models go"
                    .to_owned(),
            )),
            Tiding::Rests(Rest::Held | Rest::Done(_)) if self.was_asked => self.rests(),
            Tiding::Refused { order, why } => {
                Went::Ended(SampleEnd::Failed(format!("{order}: {why}")))
            }
            Tiding::Broke(why) => Went::Ended(SampleEnd::Failed(why.clone())),
            Tiding::Began { .. } => {
                self.was_asked = true;
                Went::On
            }
            Tiding::Happened(_)
            | Tiding::Rests(_)
            | Tiding::Delta { .. }
            | Tiding::WasThinking { .. }
            | Tiding::Void { .. }
            | Tiding::Ended { .. }
            | Tiding::Asks(..)
            | Tiding::Mended(_)
            | Tiding::Noticed(_) => Went::On,
        }
    }

    /// Everything that was ordered is over.
    fn rests(&mut self) -> Went {
        let is_over = match self.turn {
            Some(turn) => {
                let spoken = self.state.chosen(turn);
                spoken.is_some_and(|(_, attempt)| !attempt.inherited)
            }
            None => self.state.open().done.is_some(),
        };
        if !is_over {
            let failures = self.state.failures().values();
            let why = failures.map(|failed| failed.message.clone()).next();
            return Went::Ended(SampleEnd::Failed(
                why.unwrap_or_else(|| "no reply came; try again".to_owned()),
            ));
        }
        if self.phase == Phase::Speaks {
            self.phase = Phase::Rolls;
        }
        if self.phase == Phase::Rolls {
            let turn = self.turn;
            let pace = turn.and_then(|turn| rolls_on(&self.state, turn, self.roll));
            if let Some(pace) = pace {
                return Went::Order(Order::Play(pace));
            }
            self.phase = Phase::IsJudged;
        }
        // One attempt after the other: each order is over before the next.
        let own = own_attempts(&self.state).into_iter();
        let mut unjudged = own.filter(|id| !self.state.judges_of(id).is_empty());
        match unjudged.next() {
            Some(id) => Went::Order(Order::Judge(id)),
            None => Went::Ended(SampleEnd::Played),
        }
    }
}

/// Says how far a sample goes on once its turn is spoken; `None` where it goes no further.
pub(super) fn rolls_on(state: &State, turn: &TurnId, roll: RollForward) -> Option<Pace> {
    let opening = state.open();
    if opening.done.is_some() {
        return None;
    }
    match roll {
        RollForward::Turn => None,
        RollForward::End => Some(Pace::End),
        RollForward::Next => {
            let following = turn.round.saturating_add(1);
            let turns = opening.steps.iter().filter_map(|step| step.id().turn());
            let next = turns.map(|turn| turn.round).min()?;
            if next > following {
                return None;
            }
            // Whoever speaks after the last turn that is judged would be asked for nothing.
            match judged_turns(state, turn.round, following) {
                TurnsJudged::Never => Some(Pace::Round),
                TurnsJudged::Waits => Some(Pace::Stage),
                TurnsJudged::Spoken => None,
            }
        }
    }
}

/// Says whether turns are still to be spoken, in some rounds, that are judged on their own.
fn judged_turns(state: &State, first: u32, last: u32) -> TurnsJudged {
    let Some(protocol) = state.protocol() else {
        return TurnsJudged::Never;
    };
    let rounds = first..=last.min(protocol.rounds);
    let turns: Vec<TurnId> = rounds
        .flat_map(|round| protocol.turns_in(round))
        .filter(|turn| super::ab_report::rule_on(state, turn).is_some())
        .collect();
    if turns.is_empty() {
        TurnsJudged::Never
    } else if turns.iter().all(|turn| state.is_settled(turn)) {
        TurnsJudged::Spoken
    } else {
        TurnsJudged::Waits
    }
}

/// Where the turns stand that models judge one by one.
enum TurnsJudged {
    /// The game judges no single turn there.
    Never,
    Waits,
    Spoken,
}
