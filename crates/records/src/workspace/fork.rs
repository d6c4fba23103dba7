//! Forks: new sessions that begin with a copy of their parent's past, up to a chosen point.
//!
//! Something that was already seen is never changed in place: the lines before it was seen are copied
//! and the copy goes on differently. Verdicts that came later, on texts that stay as they are, are copied as well:
//! which of a round's verdicts comes first is chance.

use super::error::{Result, WorkspaceError, reject};
use super::session::{Session, SessionJournal, fold_records, read_records};
use super::store_context::StoreContext;
use elenchus_game::debate::event::{Author, Event, EventGroup, Record};
use elenchus_game::debate::protocol::StageOrder;
use elenchus_game::debate::step::{StepGroup, VerdictStep};
use elenchus_game::debate::{
    Chair, JudgingId, Protocol, SessionId, State, StepId, Target, TurnId, VerdictSlot,
};
use elenchus_store::{Hash, Layout, append_to_prefix, read_prefix};
use std::collections::BTreeSet;
use std::fmt;

/// The part of a session that a fork leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reopen {
    /// A turn with its attempts, which nothing has seen: to be re-rolled, edited or chosen again.
    Turn(TurnId),
    /// A verdict that is not given yet; the first one of the rule on the target where no slot is
    /// named.
    Verdict {
        judging: JudgingId,
        target: Target,
        slot: Option<VerdictSlot>,
    },
    /// The lesson.
    Lesson,
    /// The decision about guardrails that the model of a chair made.
    GuardDecision(Chair),
    /// Everything that comes after a turn; its own verdicts are kept.
    After(TurnId),
    /// Nothing: the whole past is kept, and a ceiling that ended the debate counts from zero.
    Nothing,
}

impl fmt::Display for Reopen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reopen::Turn(turn) | Reopen::After(turn) => write!(f, "turn {turn}"),
            Reopen::Verdict {
                judging, target, ..
            } => write!(f, "verdict of '{judging}' on {target}"),
            Reopen::Lesson => f.write_str("lesson"),
            Reopen::GuardDecision(chair) => write!(f, "decision of {chair} about guardrails"),
            Reopen::Nothing => f.write_str("past"),
        }
    }
}

/// Where a fork leaves its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPoint {
    /// Lines of the parent that the fork begins with.
    pub lines: u64,
    /// Indices of later lines that it takes along: verdicts on turns that it keeps, by judges that saw nothing of what
    /// it leaves open.
    pub later_verdicts: Vec<usize>,
    pub left_out: ForkOmissions,
}

impl ForkPoint {
    /// Leaves a parent after so many lines, and takes along nothing that came later.
    pub fn after_lines(lines: u64) -> Self {
        Self {
            lines,
            later_verdicts: Vec::new(),
            left_out: ForkOmissions::default(),
        }
    }
}

/// Parts of the parent that a fork does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForkOmissions {
    pub turns: usize,
    pub verdicts: usize,
    pub lessons: usize,
}

/// Returns how much of a session a fork keeps at most, so that something is open to change.
///
/// # Errors
/// When the session does not have what is to be opened, or an event does not fit.
pub fn fork_point(records: &[Record], reopen: &Reopen) -> Result<ForkPoint> {
    let mut state = State::default();
    let mut keep = None;
    let mut is_there = false;
    for (at, record) in records.iter().enumerate() {
        match classify_event(&state, &record.event, reopen) {
            Met::Itself => is_there = true,
            // Along with a turn, others may be spoken that come later in the game.
            Met::End if is_there || !is_a_turn(reopen) => {
                keep = Some(at);
                break;
            }
            Met::End | Met::Other => {}
        }
        state.apply_event(record).map_err(WorkspaceError::Refused)?;
    }
    if keep.is_none() && !is_there && *reopen != Reopen::Nothing {
        return reject(format!(
            "the session has no {reopen} that could be opened again; choose something that is there"
        ));
    }
    let kept = keep.unwrap_or(records.len());
    let later_verdicts = take_later_verdicts(state, records, kept, reopen);
    let (kept, left_out) = records.split_at(kept);
    let mut left_out = count_omissions(kept, left_out);
    left_out.verdicts = left_out.verdicts.saturating_sub(later_verdicts.len());
    Ok(ForkPoint {
        lines: kept.len() as u64,
        later_verdicts,
        left_out,
    })
}

/// Returns the verdicts after the lines that are kept which fit to these, and which a fork may have.
fn take_later_verdicts(
    mut state: State,
    records: &[Record],
    kept: usize,
    reopen: &Reopen,
) -> Vec<usize> {
    if !is_a_turn(reopen) {
        return Vec::new();
    }
    let mut taken = Vec::new();
    for (at, record) in records.iter().enumerate().skip(kept) {
        let is_about_turn = match &record.event {
            Event::Judged(judged) => matches!(judged.target, Target::Attempt(_)),
            _ => false,
        };
        let may_have = || match classify_event(&state, &record.event, reopen) {
            Met::Other => true,
            Met::Itself | Met::End => false,
        };
        // What does not fit is about a text that the fork does not have.
        if is_about_turn && may_have() && state.apply_event(record).is_ok() {
            taken.push(at);
        }
    }
    taken
}

/// Relation of an event to the part that is to be opened.
enum Met {
    /// It brings what is to be opened.
    Itself,
    /// A fork must not have it.
    End,
    Other,
}

fn classify_event(state: &State, event: &Event, reopen: &Reopen) -> Met {
    match reopen {
        Reopen::Turn(turn) if gives_text(event, turn) => Met::Itself,
        Reopen::Turn(turn) if state.is_seen_by(event, turn) => Met::End,
        Reopen::After(turn) if gives_text(event, turn) => Met::Itself,
        Reopen::After(turn) if comes_after(state, event, turn) => Met::End,
        Reopen::Verdict {
            judging,
            target,
            slot,
        } if is_verdict(state, event, judging, target, *slot) => Met::End,
        Reopen::Lesson if is_lesson(state, event) => Met::End,
        Reopen::GuardDecision(chair) if event.decides_for(chair) => Met::End,
        Reopen::Turn(_)
        | Reopen::After(_)
        | Reopen::Verdict { .. }
        | Reopen::Lesson
        | Reopen::GuardDecision(_)
        | Reopen::Nothing => Met::Other,
    }
}

fn is_a_turn(reopen: &Reopen) -> bool {
    match reopen {
        Reopen::Turn(_) | Reopen::After(_) => true,
        Reopen::Verdict { .. } | Reopen::Lesson | Reopen::GuardDecision(_) | Reopen::Nothing => {
            false
        }
    }
}

/// Says whether an event is a text for a turn, or a filter's refusal to give one.
fn gives_text(event: &Event, turn: &TurnId) -> bool {
    turn_of(event).as_ref() == Some(turn)
}

/// Returns the turn that an event is about: one that it gives a text, or that it passes over.
pub fn turn_of(event: &Event) -> Option<TurnId> {
    let text_turn = event.changed_turn().cloned();
    text_turn.or_else(|| event.skipped_step()?.turn())
}

/// Says whether an event belongs behind a turn in the order of the game.
fn comes_after(state: &State, event: &Event, turn: &TurnId) -> bool {
    let Some(protocol) = state.protocol() else {
        return false;
    };
    let later = |other: &TurnId| is_later(protocol, other, turn);
    if let Some(other) = turn_of(event) {
        return later(&other);
    }
    match find_verdict_or_lesson(state, event) {
        Some(Found::Verdict(judge)) => match &judge.target {
            Target::Attempt(attempt) => later(&attempt.turn),
            Target::Round(round) => *round > turn.round,
            Target::Debate => true,
        },
        Some(Found::Lesson) => true,
        None => false,
    }
}

fn is_later(protocol: &Protocol, other: &TurnId, turn: &TurnId) -> bool {
    let place = |turn: &TurnId| (turn.round, protocol.stage_place(&turn.stage));
    if place(other) != place(turn) {
        return place(other) > place(turn);
    }
    let stage = protocol.find_stage(&turn.stage);
    match stage.map(|stage| stage.order) {
        Some(StageOrder::Sequential) => {
            let chairs = stage.map_or_else(Vec::new, |stage| protocol.chairs_of(stage));
            let seat = |of: &TurnId| chairs.iter().position(|chair| chair == &of.chair);
            seat(other) > seat(turn)
        }
        Some(StageOrder::Simultaneous) | None => false,
    }
}

/// Verdict or lesson that an event holds.
enum Found {
    Verdict(SoughtVerdict),
    Lesson,
}

/// A verdict by its rule, target and slot.
struct SoughtVerdict {
    judging: JudgingId,
    target: Target,
    slot: VerdictSlot,
}

/// Returns the verdict or lesson of an event; a filter's refusal counts as the one it refused.
fn find_verdict_or_lesson(state: &State, event: &Event) -> Option<Found> {
    match event.group() {
        EventGroup::Verdict(judged) => Some(Found::Verdict(SoughtVerdict {
            judging: judged.judging.clone(),
            target: judged.target.clone(),
            slot: VerdictSlot {
                chair: judged.chair,
                order: judged.order,
            },
        })),
        EventGroup::Lesson(_) => Some(Found::Lesson),
        EventGroup::Call(_) => find_skipped_step(state, event.skipped_step()?),
        EventGroup::Session(_) | EventGroup::Memory(_) | EventGroup::Turn(_) => None,
    }
}

/// Returns the verdict or lesson that a step was to bring.
fn find_skipped_step(state: &State, id: &StepId) -> Option<Found> {
    if id.turn().is_some() {
        return None;
    }
    let steps = state.find_open_steps().steps.into_iter();
    let mut matching_steps = steps.filter(|step| &step.id() == id);
    matching_steps.find_map(|step| match step.group() {
        StepGroup::Verdict(VerdictStep {
            judge: Some(judge), ..
        }) => Some(Found::Verdict(SoughtVerdict {
            slot: VerdictSlot {
                chair: judge.chair.index,
                order: judge.order,
            },
            judging: judge.judging.clone(),
            target: judge.target.clone(),
        })),
        StepGroup::Lesson(_) => Some(Found::Lesson),
        StepGroup::Verdict(VerdictStep { judge: None, .. })
        | StepGroup::Memory
        | StepGroup::Guard(_)
        | StepGroup::Turn(_) => None,
    })
}

fn is_verdict(
    state: &State,
    event: &Event,
    judging: &JudgingId,
    target: &Target,
    slot: Option<VerdictSlot>,
) -> bool {
    match find_verdict_or_lesson(state, event) {
        Some(Found::Verdict(found)) => {
            &found.judging == judging
                && &found.target == target
                && slot.is_none_or(|slot| slot == found.slot)
        }
        Some(Found::Lesson) | None => false,
    }
}

fn is_lesson(state: &State, event: &Event) -> bool {
    match find_verdict_or_lesson(state, event) {
        Some(Found::Lesson) => true,
        Some(Found::Verdict(_)) | None => false,
    }
}

fn count_omissions(kept: &[Record], left_out: &[Record]) -> ForkOmissions {
    let turns = |records: &[Record]| -> BTreeSet<TurnId> {
        let events = records.iter().map(|record| &record.event);
        events.filter_map(turn_of).collect()
    };
    let events = || left_out.iter().map(|record| &record.event);
    ForkOmissions {
        turns: turns(left_out).difference(&turns(kept)).count(),
        verdicts: events()
            .filter(|event| matches!(event, Event::Judged(_)))
            .count(),
        lessons: events()
            .filter(|event| matches!(event, Event::FeedbackWritten(_)))
            .count(),
    }
}

/// Begins a session with what a fork at a point has of another, and opens it. The parent is only read:
/// any process may be writing it, also this one.
///
/// # Errors
/// When the parent cannot be read or is shorter than the point; when the fork cannot be written.
pub async fn fork_session(
    store: &StoreContext,
    parent: &SessionId,
    point: &ForkPoint,
) -> Result<Session> {
    fork_into(store, [&store.layout, &store.layout], parent, point).await
}

/// Begins a fork of a session of one store in another one.
///
/// # Errors
/// As [`fork_session`].
pub async fn fork_into(
    store: &StoreContext,
    [from, into]: [&Layout; 2],
    parent: &SessionId,
    point: &ForkPoint,
) -> Result<Session> {
    let path = from.session_path(parent.as_str())?;
    let prefix = read_prefix(&path, point.lines)?;
    let Some(last) = prefix.split_inclusive(|byte| *byte == b'\n').next_back() else {
        return reject("a fork keeps at least the first event of its parent; choose a later point");
    };
    let id = SessionId::new(store.clock.fresh_id());
    let fork_record = Record {
        at: store.clock.now(),
        by: Author::Person(store.person.clone()),
        event: Event::Forked {
            parent: parent.clone(),
            parent_head: Hash::digest(last).to_string(),
            session: Some(id.clone()),
        },
    };
    let line_count = usize::try_from(point.lines).unwrap_or(usize::MAX);
    let mut past = read_records(&path)?;
    let later = point.later_verdicts.iter();
    let later: Vec<Record> = later.filter_map(|at| past.get(*at).cloned()).collect();
    past.truncate(line_count);
    let events = later
        .iter()
        .map(|record| (record.at.as_str(), record.by.to_string(), &record.event));
    let prefix = append_to_prefix::<SessionJournal>(&path, prefix, events)?;
    past.extend(later);
    let state = fold_records(&path, past.into_iter().chain([fork_record.clone()]))?;
    let path = into.session_path(id.as_str())?;
    let by = fork_record.by.to_string();
    let forking = store.journals();
    let journal = forking.fork_journal(&path, prefix, (&fork_record.at, &by), &fork_record.event);
    let journal = journal.await?;
    Session::from_fork(id, state, journal)
}
