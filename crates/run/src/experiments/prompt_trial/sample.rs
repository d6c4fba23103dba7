//! Sample of a prompt trial: a fork, played for one turn or further by the engine.

use super::call::{TriedCall, list_target_findings};
use super::change::PromptChange;
use super::plan::RollForward;
use crate::engine::RunContext;
use crate::engine::live;
use crate::engine::live::{
    CallProgress, IdleReason, LiveCommand, LiveEvent, LiveGroup, LiveTools, Pace,
};
use crate::engine::seats::Seats;
use crate::experiments::engine::{ExperimentContext, ItemEnd, Stage};
use elenchus_game::debate::event::{Author, Outcome, Prompted};
use elenchus_game::debate::protocol::{JudgedThing, Judging};
use elenchus_game::debate::{
    AttemptId, JudgingId, Protocol, SessionId, State, Step, StepId, Target, TurnId, visibility,
};
use elenchus_records::workspace::{ForkPoint, Result, fork_into, read_session, sweep_bare_forks};
use elenchus_store::Layout;
use elenchus_text::format_noun_count;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Update of a trial in progress.
#[derive(Debug)]
pub enum TrialUpdate {
    /// A sample is played now, under this id.
    Begun {
        number: u32,
        session: SessionId,
        /// Stays what its journal says where everything that happens is applied to it.
        state: Arc<State>,
    },
    /// Event of its session, streamed text included.
    Live { number: u32, event: Box<LiveEvent> },
    /// It ended.
    Ended { number: u32, end: SampleEnd },
}

impl TrialUpdate {
    /// Says whether it is a piece of a reply that is coming: many come in a second.
    pub fn is_piece(&self) -> bool {
        match self {
            Self::Live { event, .. } => matches!(**event, LiveEvent::Delta { .. }),
            Self::Begun { .. } | Self::Ended { .. } => false,
        }
    }
}

/// End of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SampleEnd {
    /// As far as was asked.
    Played,
    /// The turn came, and something after it failed; or the turn itself did.
    Failed(String),
    /// The ceiling allows no more calls.
    Paused,
    /// It was cancelled.
    Stopped,
}

impl SampleEnd {
    /// Returns what it is for an experiment.
    pub(crate) fn as_item(&self) -> ItemEnd {
        match self {
            Self::Played => ItemEnd::Done(()),
            Self::Failed(why) => ItemEnd::Failed(why.clone()),
            Self::Paused | Self::Stopped => ItemEnd::Unfinished,
        }
    }
}

/// Finished sample.
#[derive(Debug, Clone)]
pub struct TrySample {
    pub number: u32,
    /// Its session, in the store of tries.
    pub session: SessionId,
    pub call: TriedCall,
    pub state: State,
    pub end: SampleEnd,
}

impl TrySample {
    /// Tells of a sample that was played before.
    pub(super) fn send_updates(&self, tell: &UnboundedSender<TrialUpdate>) {
        let (number, end) = (self.number, self.end.clone());
        let begin_update = TrialUpdate::Begun {
            number,
            session: self.session.clone(),
            state: Arc::new(self.state.clone()),
        };
        // The receiver may have been dropped; the samples can be read.
        let _ = tell.send(begin_update);
        let _ = tell.send(TrialUpdate::Ended { number, end });
    }

    /// Returns the text that came; `None` where none did.
    pub fn reply_text(&self) -> Option<String> {
        self.call.find_own_text(&self.state)
    }

    /// Says whether what came is what an earlier try was answered.
    pub fn is_cached(&self) -> bool {
        let replies = self.call.list_own_replies(&self.state);
        !replies.is_empty() && replies.iter().all(|reply| reply.cached)
    }

    /// Returns what was found of what was asked for, by rule; of a verdict, what it says.
    pub fn list_own_findings(&self) -> Vec<(JudgingId, Outcome)> {
        match self.reply_text() {
            Some(_) => self.call.list_findings(&self.state),
            None => Vec::new(),
        }
    }

    /// Returns what was found on the attempts that followed a tried turn, oldest first.
    pub fn list_later_findings(&self) -> Vec<(TurnId, Outcome)> {
        let Some(tried) = self.call.turn() else {
            return Vec::new();
        };
        let later = own_attempts(&self.state).into_iter();
        let later = later.filter(|id| id.turn != *tried);
        let findings = later.flat_map(|id| {
            let target = Target::Attempt(id.clone());
            let found = list_target_findings(&self.state, &target).into_iter();
            found.map(move |(_, outcome)| (id.turn.clone(), outcome))
        });
        findings.collect()
    }
}

/// Reads a sample of a try, wherever it is. Blocks.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read_sample(layout: &Layout, session: &SessionId) -> Result<State> {
    // An adopted sample was moved among the sessions.
    let tries_path = layout.tries_store().session_path(session.as_str())?;
    let path = match tries_path.exists() {
        true => tries_path,
        false => layout.session_path(session.as_str())?,
    };
    read_session(&path)
}

/// Returns the attempts that count and that no parent has, in the order of the game.
pub(crate) fn own_attempts(state: &State) -> Vec<AttemptId> {
    let turns = state.turns().keys();
    let choices = turns.filter_map(|turn| state.chosen_attempt(turn));
    let own_ids = choices.filter(|(_, attempt)| !attempt.inherited);
    let mut own_ids: Vec<AttemptId> = own_ids.map(|(id, _)| id).collect();
    if let Some(protocol) = state.protocol() {
        own_ids.sort_by_key(|id| (id.turn.round, protocol.stage_place(&id.turn.stage)));
    }
    own_ids
}

/// Phase of a sample; each occurs once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Speaks,
    Rolls,
    IsJudged,
}

/// Start of a sample.
pub(crate) struct SampleStart<'a> {
    /// The store of the session that is forked.
    pub from: Layout,
    pub parent: &'a SessionId,
    /// What the fork begins with.
    pub point: ForkPoint,
    /// What is asked for again; without it all that is missing is played.
    pub call: Option<&'a TriedCall>,
    pub change: Option<&'a PromptChange>,
    pub roll: RollForward,
    pub number: u32,
}

/// Told of the session of a sample that has begun.
pub(crate) type OpenedSample<'a> = dyn Fn(&SessionId) -> Result<()> + Send + Sync + 'a;

/// Sample that was played.
pub(crate) struct PlayedSample {
    pub session: SessionId,
    pub state: State,
    pub end: SampleEnd,
}

/// Removes what kills left of samples that had not begun, and says so.
///
/// # Errors
/// As [`sweep_bare_forks`].
pub(crate) fn remove_bare_samples(context: &ExperimentContext) -> Result<()> {
    let removal_count = sweep_bare_forks(&context.store)?;
    if removal_count > 0 {
        context.observer.on_notice(&format!(
            "{} in which nothing had happened yet, left by a process that was killed, are removed",
            format_noun_count(removal_count, "sample")
        ));
    }
    Ok(())
}

/// Plays a sample. `opened` is told of its session before anything is asked.
pub(crate) async fn play_sample(
    stage: &Stage,
    seats: &Arc<Seats>,
    start: SampleStart<'_>,
    (updates, on_open): (&UnboundedSender<TrialUpdate>, &OpenedSample<'_>),
) -> Result<PlayedSample> {
    let store_context = &stage.context.store;
    let number = start.number;
    let store = store_context.layout.tries_store();
    store.create_missing_folders()?;
    let mut session = fork_into(
        store_context,
        [&start.from, &store],
        start.parent,
        &start.point,
    )
    .await?;
    let prompt_event = match start.change {
        Some(change) => change.to_event(number),
        None => super::change::event_without_change(number),
    };
    let prompt_event = Prompted {
        derives: match start.call {
            Some(TriedCall::Derivation(place)) => Some(place.chair.clone()),
            Some(_) | None => None,
        },
        ..prompt_event
    };
    let author = Author::Person(store_context.person.clone());
    session
        .change_prompts(store_context.clock.now(), author, prompt_event)
        .await?;
    let id = session.id.clone();
    on_open(&id)?;
    let say = |update| {
        // The receiver may have been dropped; the samples can be read.
        let _ = updates.send(update);
    };
    say(TrialUpdate::Begun {
        number,
        session: id.clone(),
        state: Arc::new(session.state.clone()),
    });
    let mut sample = Sample {
        call: start.call,
        roll: start.roll,
        state: session.state.clone(),
        phase: Phase::Speaks,
        was_asked: false,
    };
    let (tell_live, mut live_events) = unbounded_channel();
    let tools = LiveTools {
        run: RunContext {
            seats: Arc::clone(seats),
            ..stage.context.run.clone()
        },
        budget: Arc::clone(&stage.budget),
        // A trial reads the memory that its session was shown already, and adds none.
        memory: None,
    };
    let handle = live::open_session(session, tools, tell_live);
    handle.send_command(match start.call {
        Some(TriedCall::Turn(turn)) => LiveCommand::AskAgain(turn.clone()),
        Some(TriedCall::Verdict(place)) => LiveCommand::GiveVerdict {
            judging: place.judging.clone(),
            target: place.target.clone(),
        },
        Some(TriedCall::Lesson(place)) => {
            LiveCommand::DoStep(StepId::feedback_step(place.learner.as_ref()))
        }
        Some(TriedCall::GuardDecision(place)) => {
            LiveCommand::DoStep(Step::Guard(place.chair.clone()).id())
        }
        Some(TriedCall::Derivation(place)) => {
            LiveCommand::DoStep(Step::DeriveGuardrail(place.chair.clone()).id())
        }
        None => LiveCommand::Play(Pace::End),
    });
    let end = loop {
        let next = tokio::select! {
            biased;
            next = live_events.recv() => next,
            () = stage.context.stop.give_up.cancelled() => break SampleEnd::Stopped,
        };
        let Some((_, event)) = next else {
            break SampleEnd::Failed("the session ended by itself; see the log".to_owned());
        };
        let step = sample.handle_event(&event);
        say(TrialUpdate::Live {
            number,
            event: Box::new(event),
        });
        match step {
            SampleStep::Continue => {}
            SampleStep::Command(order) => handle.send_command(order),
            SampleStep::Ended(SampleEnd::Paused) if stage.context.stop.is_set() => {
                break SampleEnd::Stopped;
            }
            SampleStep::Ended(end) => break end,
        }
    };
    // Replies that arrived are durable and published when this returns.
    handle.close().await;
    while let Some((_, event)) = live_events.recv().await {
        sample.apply_event(&event);
    }
    say(TrialUpdate::Ended {
        number,
        end: end.clone(),
    });
    Ok(PlayedSample {
        session: id,
        state: sample.state,
        end,
    })
}

struct Sample<'a> {
    call: Option<&'a TriedCall>,
    roll: RollForward,
    state: State,
    phase: Phase,
    /// Whether the seat was asked: a session that is idle before that has not read its command yet.
    was_asked: bool,
}

/// Next act after an event of a sample's session.
enum SampleStep {
    Continue,
    Command(LiveCommand),
    Ended(SampleEnd),
}

impl Sample<'_> {
    fn apply_event(&mut self, event: &LiveEvent) {
        if let Some(record) = event.record() {
            // Events are durable and in order, so they fit.
            let _ = self.state.apply_event(record);
        }
    }

    fn handle_event(&mut self, event: &LiveEvent) -> SampleStep {
        self.apply_event(event);
        match event.group() {
            LiveGroup::Rest(IdleReason::Paused) => SampleStep::Ended(SampleEnd::Paused),
            LiveGroup::Rest(IdleReason::Stuck(failed)) => {
                let why = failed.first().map(|failed| failed.message.clone());
                SampleStep::Ended(SampleEnd::Failed(why.unwrap_or_default()))
            }
            LiveGroup::Rest(IdleReason::Waits(_)) => SampleStep::Ended(SampleEnd::Failed(
                "a person sits on a seat that comes next; a try goes as far as models go"
                    .to_owned(),
            )),
            LiveGroup::Rest(IdleReason::Held | IdleReason::Done(_)) if self.was_asked => {
                self.decide_step()
            }
            LiveGroup::Refused { command, why } => {
                SampleStep::Ended(SampleEnd::Failed(format!("{command}: {why}")))
            }
            LiveGroup::Broke(why) => SampleStep::Ended(SampleEnd::Failed(why.to_owned())),
            LiveGroup::Call(_, CallProgress::Began) => {
                self.was_asked = true;
                SampleStep::Continue
            }
            LiveGroup::Record(_)
            | LiveGroup::Rest(_)
            | LiveGroup::Call(..)
            | LiveGroup::Seat(_)
            | LiveGroup::Notice => SampleStep::Continue,
        }
    }

    /// Decides the next act once all commands are done.
    fn decide_step(&mut self) -> SampleStep {
        let is_over = match self.call {
            Some(call) => call.is_answered(&self.state),
            None => self.state.find_open_steps().done.is_some(),
        };
        if !is_over {
            let why = match self.call {
                Some(call) => call.find_failure(&self.state),
                None => {
                    let mut failures = self.state.failures().values();
                    failures.next().map(|failed| failed.message.as_str())
                }
            };
            return SampleStep::Ended(SampleEnd::Failed(
                why.unwrap_or("no reply came; try again").to_owned(),
            ));
        }
        let turn = match self.call {
            Some(call @ TriedCall::Turn(_)) => call.turn(),
            // They are asked for alone.
            Some(
                TriedCall::Verdict(_)
                | TriedCall::Lesson(_)
                | TriedCall::GuardDecision(_)
                | TriedCall::Derivation(_),
            ) => {
                return SampleStep::Ended(SampleEnd::Played);
            }
            None => None,
        };
        if self.phase == Phase::Speaks {
            self.phase = Phase::Rolls;
        }
        if self.phase == Phase::Rolls {
            let pace = turn.and_then(|turn| pace_after_turn(&self.state, turn, self.roll));
            if let Some(pace) = pace {
                return SampleStep::Command(LiveCommand::Play(pace));
            }
            self.phase = Phase::IsJudged;
        }
        // One attempt after the other: each command is done before the next.
        let ids = own_attempts(&self.state).into_iter();
        let mut open_attempts = ids.filter(|id| !self.state.judges_of(id).is_empty());
        match open_attempts.next() {
            Some(id) => SampleStep::Command(LiveCommand::Judge(id)),
            None => SampleStep::Ended(SampleEnd::Played),
        }
    }
}

/// Says how far a sample goes on once its turn is spoken; `None` where it goes no further.
pub(crate) fn pace_after_turn(state: &State, turn: &TurnId, roll: RollForward) -> Option<Pace> {
    let opening = state.find_open_steps();
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
            // Turns after the last judged one would be paid for without a verdict.
            match judging_progress(state, turn.round, following) {
                TurnsJudged::Never => Some(Pace::Round),
                TurnsJudged::Waits => Some(Pace::Stage),
                TurnsJudged::Spoken => None,
            }
        }
    }
}

/// Returns the rule by which models judge a turn on its own.
pub(crate) fn turn_judging_rule<'a>(state: &'a State, turn: &TurnId) -> Option<&'a Judging> {
    find_judging_rule(state.protocol()?, turn)
}

/// Says whether models judge turns on their own that a template asks for.
pub(crate) fn is_template_judged(protocol: &Protocol, template: &str) -> bool {
    let turns = (1..=protocol.rounds).flat_map(|round| protocol.turns_in(round));
    let mut asked = turns.filter(|turn| {
        let stage = protocol.find_stage(&turn.stage);
        stage.is_some_and(|stage| protocol.template_name(stage, &turn.chair.seat) == template)
    });
    asked.any(|turn| find_judging_rule(protocol, &turn).is_some())
}

fn find_judging_rule<'a>(protocol: &'a Protocol, turn: &TurnId) -> Option<&'a Judging> {
    protocol.judging.iter().find(|rule| {
        rule.enabled
            && rule.of == JudgedThing::Turn
            && rule.has_judge()
            && visibility::is_target(protocol, rule, turn)
    })
}

/// Says whether turns are still to be spoken, in some rounds, that are judged on their own.
fn judging_progress(state: &State, first: u32, last: u32) -> TurnsJudged {
    let Some(protocol) = state.protocol() else {
        return TurnsJudged::Never;
    };
    let rounds = first..=last.min(protocol.rounds);
    let turns: Vec<TurnId> = rounds
        .flat_map(|round| protocol.turns_in(round))
        .filter(|turn| turn_judging_rule(state, turn).is_some())
        .collect();
    if turns.is_empty() {
        TurnsJudged::Never
    } else if turns.iter().all(|turn| state.is_settled(turn)) {
        TurnsJudged::Spoken
    } else {
        TurnsJudged::Waits
    }
}

/// Progress of the turns that models judge one by one.
enum TurnsJudged {
    /// The game judges no single turn there.
    Never,
    Waits,
    Spoken,
}
