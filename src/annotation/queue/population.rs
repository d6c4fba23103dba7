//! What a queue can be drawn from: units of sessions that are over, with what they can be divided by.

use super::super::error::DriverError;
use super::super::margin::{LabelRole, Margins, OnAttempt, Spot, attempt_hash};
use super::super::rows::arm;
use super::super::session::read_session;
use super::super::sources::copies;
use super::definition::{
    DisagreementOf, LabelledBefore, PeoplesTurns, QueueFilter, QueueUnit, SessionsOf, StratifyBy,
};
use crate::debate::event::{Created, Outcome};
use crate::debate::protocol::{JudgedThing, SeatKind};
use crate::debate::{SessionId, State, Target, TurnId, sight};
use crate::driver::desk::passes;
use crate::judge::Counts;
use crate::store::{Hash, Layout};
use std::collections::{BTreeMap, BTreeSet};

/// What no evaluator has looked at.
const NONE: &str = "none";
/// What an evaluator's reply could not be read as.
const UNPARSED: &str = "unparsed";

/// One thing that can be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// What is labelled when it is drawn: one thing, or the two turns of a pair in order.
    pub spots: Vec<Spot>,
    pub topic: String,
    /// What each way of dividing the population says of it.
    pub features: BTreeMap<StratifyBy, String>,
}

impl Unit {
    /// Names it in draws: by session and what was said.
    pub fn key(&self) -> String {
        let parts = self.spots.iter().map(|spot| match &spot.attempt {
            Some(on) => format!("{}/{}", spot.session, on.sha256),
            None => spot.session.to_string(),
        });
        parts.collect::<Vec<_>>().join("+")
    }
}

/// What was found when a population was collected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Population {
    pub units: Vec<Unit>,
    /// Sessions with at least one unit in it.
    pub sessions: usize,
    pub disregarded: Disregarded,
}

/// What a filter would let through and no queue holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Disregarded {
    /// Sessions that can go on: what they will be is not known yet.
    pub unfinished_sessions: usize,
    /// Sessions of simulated models where real ones are wanted, or the other way round.
    pub other_kind_sessions: usize,
    pub unreadable_sessions: usize,
    /// Turns that a guardrail refused.
    pub refused_turns: usize,
    /// Turns in which nothing visible was said.
    pub empty_turns: usize,
    /// Turns that a person wrote, edited or chose.
    pub peoples_turns: usize,
}

/// What is known of evaluators and people besides the sessions themselves.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// On which side of zero passes found a text, by its session and hash.
    passes: BTreeMap<(SessionId, Hash), BTreeSet<Side>>,
    /// What each annotator said by the set, by what it is on.
    labels: BTreeMap<Spot, BTreeMap<String, String>>,
}

/// What a verdict says, so that those of different rubrics can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Bad,
    Middle,
    Good,
    Unparsed,
}

impl Known {
    /// Reads passes and labels where the filter asks for them.
    pub fn read(
        layout: &Layout,
        filter: &QueueFilter,
        margins: &Margins,
        set: &str,
    ) -> Result<Self, DriverError> {
        let mut known = Self::default();
        if filter.disagreement == Some(DisagreementOf::Evaluators) {
            for verdict in passes(layout)?
                .into_iter()
                .flatten()
                .flat_map(|it| it.verdicts)
            {
                let key = (verdict.session, verdict.sha256);
                known
                    .passes
                    .entry(key)
                    .or_default()
                    .insert(side(&verdict.outcome));
            }
        }
        let by_set = margins
            .labels()
            .filter(|standing| standing.label.set == set);
        for standing in by_set {
            let label = &standing.label;
            if label.repeat == 0 && label.role == LabelRole::Annotator {
                let on = known.labels.entry(label.on.clone()).or_default();
                on.insert(standing.annotator.clone(), label.label.clone());
            }
        }
        Ok(known)
    }
}

/// Collects what a filter lets through. Blocks while it reads every session that it may be in.
///
/// # Errors
/// When the sessions cannot be listed.
pub(super) fn collect(
    layout: &Layout,
    filter: &QueueFilter,
    unit: QueueUnit,
    known: &Known,
) -> Result<Population, DriverError> {
    let sessions = if filter.sessions.is_empty() {
        layout.sessions()?.into_iter().map(SessionId::new).collect()
    } else {
        filter.sessions.clone()
    };
    let mut found = Population::default();
    let copies = copies(layout)?;
    for session in sessions {
        let read = read_session(&layout.session(session.as_str())?);
        let Some(state) = read.ok().filter(|_| !copies.contains_key(&session)) else {
            found.disregarded.unreadable_sessions += 1;
            continue;
        };
        let before = found.units.len();
        add(&mut found, filter, unit, known, &session, &state);
        found.sessions += usize::from(found.units.len() > before);
    }
    Ok(found)
}

fn add(
    found: &mut Population,
    filter: &QueueFilter,
    unit: QueueUnit,
    known: &Known,
    session: &SessionId,
    state: &State,
) {
    let Some(created) = state.created().filter(|created| lets_in(filter, created)) else {
        return;
    };
    let of = match created.is_simulated() {
        true => SessionsOf::Simulated,
        false => SessionsOf::Models,
    };
    if of != filter.of {
        found.disregarded.other_kind_sessions += 1;
        return;
    }
    if state.open().done.is_none() {
        found.disregarded.unfinished_sessions += 1;
        return;
    }
    let reading = Reading {
        filter,
        known,
        session,
        state,
        created,
    };
    if unit == QueueUnit::Debate {
        found.units.extend(reading.debate());
        return;
    }
    let turns = reading.turns(&mut found.disregarded);
    match unit {
        QueueUnit::Pair => found.units.extend(reading.pairs(&turns)),
        QueueUnit::Turn | QueueUnit::Debate => {
            let fit = turns
                .iter()
                .filter(|turn| reading.fits_round(turn) && turn.fits);
            found.units.extend(fit.map(|turn| reading.unit(&[turn])));
        }
    }
}

fn lets_in(filter: &QueueFilter, created: &Created) -> bool {
    let run = created.run.as_ref().map(|place| &place.run);
    let category = created.topic.category.as_ref();
    (filter.runs.is_empty() || run.is_some_and(|run| filter.runs.contains(run)))
        && (filter.protocols.is_empty() || filter.protocols.contains(&created.protocol.id))
        && (filter.categories.is_empty()
            || category.is_some_and(|category| filter.categories.contains(category)))
}

/// A session that is being looked through.
struct Reading<'a> {
    filter: &'a QueueFilter,
    known: &'a Known,
    session: &'a SessionId,
    state: &'a State,
    created: &'a Created,
}

/// A turn that can be labelled.
struct Turn {
    id: TurnId,
    spot: Spot,
    verdict: String,
    /// Whether the filters on single turns, other than by round, let it through.
    fits: bool,
}

impl Reading<'_> {
    fn turns(&self, disregarded: &mut Disregarded) -> Vec<Turn> {
        let mut ids: Vec<&TurnId> = self.state.turns().keys().collect();
        let protocol = &self.created.protocol;
        ids.sort_by_key(|id| (id.round, protocol.stage_place(&id.stage), id.chair.clone()));
        ids.into_iter()
            .filter_map(|id| self.turn(id, disregarded))
            .collect()
    }

    fn turn(&self, id: &TurnId, disregarded: &mut Disregarded) -> Option<Turn> {
        if !self.is_asked_for(id) {
            return None;
        }
        let (attempt_id, attempt) = self.state.chosen(id)?;
        // A fork counts its own turns alone.
        if attempt.inherited {
            return None;
        }
        if attempt.guardrail.is_some() {
            disregarded.refused_turns += 1;
            return None;
        }
        if attempt.is_empty_reply() {
            disregarded.empty_turns += 1;
            return None;
        }
        if attempt.by_person && self.filter.people == PeoplesTurns::LeftOut {
            disregarded.peoples_turns += 1;
            return None;
        }
        let sha256 = attempt_hash(&attempt_id, &attempt.reply.text);
        let verdicts = verdicts_on(self.state, &Target::Attempt(attempt_id.clone()));
        let spot = Spot {
            session: self.session.clone(),
            attempt: Some(OnAttempt {
                id: attempt_id,
                sha256,
            }),
        };
        Some(Turn {
            id: id.clone(),
            fits: self.fits(&spot, &verdicts),
            verdict: verdicts.word().to_owned(),
            spot,
        })
    }

    /// Says whether a turn is of those that are labelled: of the seats named, or else of those that
    /// evaluators judge, or, where nobody judges turns, whatever was said in public.
    fn is_asked_for(&self, id: &TurnId) -> bool {
        let protocol = &self.created.protocol;
        if protocol.stage(&id.stage).is_none_or(|stage| stage.private) {
            return false;
        }
        if !self.filter.seats.is_empty() {
            let seat = id.chair.seat.as_str();
            return self.filter.seats.iter().any(|wanted| wanted == seat);
        }
        let speaks = protocol.seat(&id.chair.seat);
        let judging = protocol.judging.iter();
        let mut judging = judging
            .filter(|rule| rule.enabled && rule.of == JudgedThing::Turn && rule.by.is_some());
        let mut judged = judging.clone().peekable();
        match judged.peek() {
            Some(_) => judging.any(|rule| sight::is_target(protocol, rule, id)),
            None => speaks.is_some_and(|seat| seat.kind == SeatKind::Speaker),
        }
    }

    fn fits(&self, spot: &Spot, verdicts: &Verdicts) -> bool {
        let wanted = &self.filter.verdicts;
        let labels = self.known.labels.get(spot);
        let disagreement = match self.filter.disagreement {
            None => true,
            Some(DisagreementOf::Evaluators) => {
                let mut sides = verdicts.sides.clone();
                if let Some(on) = &spot.attempt {
                    let key = (spot.session.clone(), on.sha256);
                    sides.extend(self.known.passes.get(&key).into_iter().flatten());
                }
                sides.len() > 1
            }
            Some(DisagreementOf::People) => labels.is_some_and(|labels| {
                let said: BTreeSet<&String> = labels.values().collect();
                said.len() > 1
            }),
        };
        let labelled = match self.filter.labelled {
            LabelledBefore::Included => true,
            LabelledBefore::LeftOut => labels.is_none(),
        };
        disagreement
            && labelled
            && (wanted.is_empty() || wanted.iter().any(|word| word == verdicts.word()))
    }

    fn fits_round(&self, turn: &Turn) -> bool {
        let rounds = &self.filter.rounds;
        rounds.is_empty() || rounds.contains(&turn.id.round)
    }

    /// Returns the pairs of which at least one turn fits.
    fn pairs(&self, turns: &[Turn]) -> Vec<Unit> {
        let place = |turn: &Turn| (turn.id.stage.clone(), turn.id.chair.clone(), turn.id.round);
        let by_place: BTreeMap<_, &Turn> = turns.iter().map(|turn| (place(turn), turn)).collect();
        let pairs = turns.iter().filter_map(|first| {
            let (stage, chair, round) = place(first);
            let second = by_place.get(&(stage, chair, round + 1))?;
            let fits = self.fits_round(first) && (first.fits || second.fits);
            fits.then(|| self.unit(&[first, second]))
        });
        pairs.collect()
    }

    fn unit(&self, turns: &[&Turn]) -> Unit {
        let mut features = self.features_of_session();
        if let Some(first) = turns.first() {
            features.insert(StratifyBy::Verdict, first.verdict.clone());
            features.insert(StratifyBy::Seat, first.id.chair.seat.to_string());
            features.insert(StratifyBy::Round, first.id.round.to_string());
        }
        Unit {
            spots: turns.iter().map(|turn| turn.spot.clone()).collect(),
            topic: self.created.topic.id.clone(),
            features,
        }
    }

    fn debate(&self) -> Option<Unit> {
        let spot = Spot::debate(self.session.clone());
        let verdicts = verdicts_on(self.state, &Target::Debate);
        if !self.fits(&spot, &verdicts) || !self.state.forked_from().is_empty() {
            return None;
        }
        let mut features = self.features_of_session();
        features.insert(StratifyBy::Verdict, verdicts.word().to_owned());
        Some(Unit {
            spots: vec![spot],
            topic: self.created.topic.id.clone(),
            features,
        })
    }

    fn features_of_session(&self) -> BTreeMap<StratifyBy, String> {
        let created = self.created;
        let none = || NONE.to_owned();
        let run = created.run.as_ref().map(|place| place.run.to_string());
        BTreeMap::from([
            (StratifyBy::Run, run.unwrap_or_else(none)),
            (StratifyBy::Protocol, created.protocol.id.clone()),
            (
                StratifyBy::Category,
                created.topic.category.clone().unwrap_or_else(none),
            ),
            (StratifyBy::Arm, arm(self.state, created)),
        ])
    }
}

/// What the game's own evaluators found on something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// What each rule found, with the rule's name.
    pub found: Vec<(String, String)>,
    sides: BTreeSet<Side>,
}

impl Verdicts {
    /// Returns what the first rule found.
    pub fn word(&self) -> &str {
        self.found.first().map_or(NONE, |(_, label)| label)
    }

    /// Returns on which side of a two-by-two table they stand, *bad* being what is looked for;
    /// `None` where they differ or nobody found anything.
    pub fn counts(&self) -> Option<Counts> {
        let mut sides = self.sides.iter();
        match (sides.next(), sides.next()) {
            (Some(Side::Bad), None) => Some(Counts::Positive),
            (Some(Side::Good), None) => Some(Counts::Negative),
            (Some(Side::Middle | Side::Unparsed), None) => Some(Counts::LeftOut),
            (None, _) | (Some(_), Some(_)) => None,
        }
    }

    /// Says whether evaluators differ: those of an ensemble, or several rules.
    pub fn disagree(&self) -> bool {
        self.sides.len() > 1
    }
}

/// Returns what the evaluators of a session found on an attempt, or on the debate.
pub fn verdicts_on(state: &State, target: &Target) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let Some(protocol) = state.protocol() else {
        return verdicts;
    };
    let rules = protocol
        .judging
        .iter()
        .filter(|rule| rule.enabled && rule.by.is_some());
    for rule in rules {
        if let Some(outcome) = state.finding(rule, target) {
            let word = match &outcome {
                Outcome::Label(finding) => finding.label.clone(),
                Outcome::Unparsed { .. } => UNPARSED.to_owned(),
            };
            verdicts.found.push((rule.id.to_string(), word));
        }
        let chairs = state.verdicts_on(&rule.id, target).into_iter();
        let each = chairs.flat_map(|by_slot| by_slot.values());
        let each = each.filter_map(|verdict| verdict.outcome.as_ref());
        verdicts.sides.extend(each.map(side));
    }
    verdicts
}

fn side(outcome: &Outcome) -> Side {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => Side::Good,
        Outcome::Label(finding) if finding.value < 0.0 => Side::Bad,
        Outcome::Label(_) => Side::Middle,
        Outcome::Unparsed { .. } => Side::Unparsed,
    }
}
