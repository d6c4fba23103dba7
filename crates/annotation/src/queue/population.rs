//! Population of a queue: units of finished sessions, with the features that strata are made of.

use super::definition::{
    DisagreementOf, LabelledBefore, PeoplesTurns, PlayedBy, QueueFilter, QueueUnit, StratifyBy,
};
use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::protocol::{JudgedThing, SeatKind};
use elenchus_game::debate::{SessionId, State, Target, TurnId, visibility};
use elenchus_game::judge::{LabelTarget, TableSide};
use elenchus_records::library::IMPORTED;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    AnnotationTarget, Annotations, LabelRole, OnAttempt, attempt_hash,
};
use elenchus_records::workspace::find_session_copies;
use elenchus_records::workspace::pass::read_all_passes;
use elenchus_records::workspace::read_session;
use elenchus_records::workspace::rows::{arm_name, find_conclusion, find_decided_proposal};
use elenchus_store::{Hash, Layout};
use elenchus_text::cut_to_width;
use std::collections::{BTreeMap, BTreeSet};

/// Verdict of a turn that no evaluator judged.
pub(super) const NONE: &str = "none";
/// Cells of the first words of a topic.
const TOPIC_CELLS: usize = 28;
/// Verdict of an evaluator whose reply could not be parsed.
const UNPARSED: &str = "unparsed";

/// Unit that can be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PopulationUnit {
    /// Items to be labelled when it is drawn: one, or the two turns of a pair in order.
    pub spots: Vec<AnnotationTarget>,
    pub topic: String,
    /// When its session began, and the first words of what it is about: a run is known by those of its first.
    pub begun: (String, String),
    /// Value of each feature.
    pub features: BTreeMap<StratifyBy, String>,
}

impl PopulationUnit {
    /// Returns its key in draws, of session and text hash.
    pub fn key(&self) -> String {
        let parts = self.spots.iter().map(|spot| match &spot.attempt {
            Some(on) => format!("{}/{}", spot.session, on.sha256),
            None => spot.session.to_string(),
        });
        parts.collect::<Vec<_>>().join("+")
    }
}

/// Units that a filter lets through, with counts of the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct QueuePopulation {
    pub units: Vec<PopulationUnit>,
    /// Sessions with at least one unit in it.
    pub sessions: usize,
    pub disregarded: SkippedCounts,
}

/// Counts of what a filter would let through and no queue may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkippedCounts {
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
    /// Sessions that have nothing of what the label set is about.
    pub sessions_without_subject: usize,
}

/// Verdicts of passes and labels of people, read where a filter needs them.
#[derive(Debug, Default)]
pub(super) struct KnownJudgements {
    /// On which side of zero passes found a text, by its session and hash.
    passes: BTreeMap<(SessionId, Hash), BTreeSet<VerdictSide>>,
    /// What each annotator said by the set, by what it is on.
    labels: BTreeMap<AnnotationTarget, BTreeMap<String, String>>,
}

/// Sign of a verdict, comparable across rubrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VerdictSide {
    Bad,
    Middle,
    Good,
    Unparsed,
}

impl KnownJudgements {
    /// Reads passes and labels where the filter asks for them.
    pub fn read(
        layout: &Layout,
        filter: &QueueFilter,
        annotations: &Annotations,
        set: &str,
    ) -> Result<Self, WorkspaceError> {
        let mut judgements = Self::default();
        if filter.disagreement == Some(DisagreementOf::Evaluators) {
            for verdict in read_all_passes(layout)?
                .into_iter()
                .flatten()
                .flat_map(|it| it.verdicts)
            {
                let key = (verdict.session, verdict.sha256);
                judgements
                    .passes
                    .entry(key)
                    .or_default()
                    .insert(verdict_side(&verdict.outcome));
            }
        }
        let by_set = annotations
            .labels()
            .filter(|standing| standing.label.set == set);
        for standing in by_set {
            let label = &standing.label;
            if label.repeat == 0 && label.role == LabelRole::Annotator {
                let on = judgements.labels.entry(label.on.clone()).or_default();
                on.insert(standing.annotator.clone(), label.label.clone());
            }
        }
        Ok(judgements)
    }
}

/// Collects what a filter lets through. Blocks while it reads every session that it may be in.
///
/// # Errors
/// When the sessions cannot be listed.
pub(super) fn collect_units(
    layout: &Layout,
    filter: &QueueFilter,
    unit: QueueUnit,
    judgements: &KnownJudgements,
) -> Result<QueuePopulation, WorkspaceError> {
    let wanted = [(filter.clone(), unit)];
    let populations = collect_each(layout, &filter.sessions, &wanted, judgements)?;
    Ok(populations.into_iter().next().unwrap_or_default())
}

/// Collects what several filters let through, of these sessions or else of all; each is read once.
///
/// # Errors
/// When the sessions cannot be listed.
pub(super) fn collect_each(
    layout: &Layout,
    sessions: &[SessionId],
    wanted: &[(QueueFilter, QueueUnit)],
    judgements: &KnownJudgements,
) -> Result<Vec<QueuePopulation>, WorkspaceError> {
    let sessions = match sessions {
        [] => {
            let names = layout.list_sessions()?.into_iter();
            names.map(SessionId::new).collect()
        }
        named => named.to_vec(),
    };
    let mut populations = vec![QueuePopulation::default(); wanted.len()];
    let copies = find_session_copies(layout)?;
    for session in sessions {
        let read = read_session(&layout.session_path(session.as_str())?);
        let state = read.ok().filter(|_| !copies.contains_key(&session));
        for (population, (filter, unit)) in populations.iter_mut().zip(wanted) {
            let Some(state) = &state else {
                population.disregarded.unreadable_sessions += 1;
                continue;
            };
            let before = population.units.len();
            add_session(population, filter, *unit, judgements, &session, state);
            population.sessions += usize::from(population.units.len() > before);
        }
    }
    Ok(populations)
}

fn add_session(
    population: &mut QueuePopulation,
    filter: &QueueFilter,
    unit: QueueUnit,
    judgements: &KnownJudgements,
    session: &SessionId,
    state: &State,
) {
    let Some(creation) = state
        .first_event()
        .filter(|created| matches_session_filter(filter, created))
        .filter(|created| {
            filter.arms.is_empty() || filter.arms.contains(&arm_name(state, created))
        })
    else {
        return;
    };
    let of = match creation.is_simulated() {
        true => PlayedBy::Simulated,
        false => PlayedBy::Models,
    };
    if of != filter.of {
        population.disregarded.other_kind_sessions += 1;
        return;
    }
    if state.find_open_steps().done.is_none() {
        population.disregarded.unfinished_sessions += 1;
        return;
    }
    let reading = SessionReader {
        has_subject: has_subject(filter.about, creation, state),
        filter,
        judgements,
        session,
        state,
        created: creation,
    };
    if !reading.has_subject {
        population.disregarded.sessions_without_subject += 1;
        return;
    }
    if unit == QueueUnit::Debate {
        population.units.extend(reading.build_debate());
        return;
    }
    let turns = reading.collect_turns(&mut population.disregarded);
    match unit {
        QueueUnit::Pair => population.units.extend(reading.build_pairs(&turns)),
        QueueUnit::Turn | QueueUnit::Debate => {
            let fit = turns
                .iter()
                .filter(|turn| reading.matches_rounds(turn) && turn.fits);
            population
                .units
                .extend(fit.map(|turn| reading.build_unit(&[turn])));
        }
    }
}

fn matches_session_filter(filter: &QueueFilter, created: &Created) -> bool {
    let run = created.run.as_ref().map(|place| &place.run);
    let category = created.topic.category.as_ref();
    (filter.runs.is_empty() || run.is_some_and(|run| filter.runs.contains(run)))
        && (filter.protocols.is_empty() || filter.protocols.contains(&created.protocol.id))
        && (filter.categories.is_empty()
            || category.is_some_and(|category| filter.categories.contains(category)))
}

/// Says whether a session has something of what a label set is about.
fn has_subject(about: LabelTarget, created: &Created, state: &State) -> bool {
    let mut turns = state.turns().keys();
    match about {
        LabelTarget::Turn | LabelTarget::Debate => true,
        LabelTarget::Proposal | LabelTarget::Critique => {
            turns.any(|turn| is_of_kind(about, created, turn))
        }
        LabelTarget::Conclusion => find_conclusion(state).is_some(),
    }
}

/// Says whether a turn is of the kind that a label set is about; where debates are labelled none is.
fn is_of_kind(about: LabelTarget, created: &Created, turn: &TurnId) -> bool {
    let protocol = &created.protocol;
    // A file says by its columns what was labelled, and no game says what its turns are.
    let is_imported = protocol.id == IMPORTED;
    match about {
        LabelTarget::Turn => true,
        LabelTarget::Proposal => is_imported || protocol.is_proposal(turn),
        LabelTarget::Critique => is_imported || protocol.is_critique(turn),
        LabelTarget::Debate | LabelTarget::Conclusion => false,
    }
}

/// Says whether a label set about something fits a thing that a person chose.
pub fn fits_target(of: LabelTarget, state: &State, on: &AnnotationTarget) -> bool {
    let created = state.first_event();
    match &on.attempt {
        Some(on) => created.is_some_and(|created| is_of_kind(of, created, &on.id.turn)),
        None => !of.is_turn() && created.is_some_and(|created| has_subject(of, created, state)),
    }
}

/// Session whose turns are read into units.
struct SessionReader<'a> {
    /// Whether it has something of what the label set is about.
    has_subject: bool,
    filter: &'a QueueFilter,
    judgements: &'a KnownJudgements,
    session: &'a SessionId,
    state: &'a State,
    created: &'a Created,
}

/// A turn that can be labelled.
struct LabelableTurn {
    id: TurnId,
    spot: AnnotationTarget,
    verdict: String,
    /// Whether the filters on single turns, other than by round, let it through.
    fits: bool,
}

impl SessionReader<'_> {
    fn collect_turns(&self, disregarded: &mut SkippedCounts) -> Vec<LabelableTurn> {
        let mut ids: Vec<&TurnId> = self.state.turns().keys().collect();
        let protocol = &self.created.protocol;
        ids.sort_by_key(|id| (id.round, protocol.stage_place(&id.stage), id.chair.clone()));
        ids.into_iter()
            .filter_map(|id| self.read_turn(id, disregarded))
            .collect()
    }

    fn read_turn(&self, id: &TurnId, disregarded: &mut SkippedCounts) -> Option<LabelableTurn> {
        if !self.is_asked_for(id) {
            return None;
        }
        let (attempt_id, attempt) = self.state.chosen_attempt(id)?;
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
        let target = Target::Attempt(attempt_id.clone());
        let verdicts = match self.filter.about {
            LabelTarget::Proposal => own_verdicts_about(self.state, &target),
            LabelTarget::Turn
            | LabelTarget::Critique
            | LabelTarget::Debate
            | LabelTarget::Conclusion => own_verdicts_on(self.state, &target),
        };
        let spot = AnnotationTarget {
            session: self.session.clone(),
            attempt: Some(OnAttempt {
                id: attempt_id,
                sha256,
            }),
        };
        Some(LabelableTurn {
            id: id.clone(),
            fits: self.passes_filter(&spot, &verdicts),
            verdict: verdicts.first_label().to_owned(),
            spot,
        })
    }

    /// Says whether a turn is of those that are labelled: of the kind that the set is about, and of the seats named;
    /// where the set is about turns and no seat is named, of those that evaluators judge, or, where turns are not
    /// judged, all public turns of speakers.
    fn is_asked_for(&self, id: &TurnId) -> bool {
        let protocol = &self.created.protocol;
        if protocol
            .find_stage(&id.stage)
            .is_none_or(|stage| stage.private)
        {
            return false;
        }
        let about = self.filter.about;
        if !is_of_kind(about, self.created, id) {
            return false;
        }
        if !self.filter.seats.is_empty() {
            let seat = id.chair.seat.as_str();
            return self.filter.seats.iter().any(|wanted| wanted == seat);
        }
        // What the set is about says which turns these are.
        if !about.is_default() {
            return true;
        }
        let speaks = protocol.find_seat(&id.chair.seat);
        let judging = protocol.judging.iter();
        let mut judging =
            judging.filter(|rule| rule.enabled && rule.of == JudgedThing::Turn && rule.has_judge());
        let mut rules = judging.clone().peekable();
        match rules.peek() {
            Some(_) => judging.any(|rule| visibility::is_target(protocol, rule, id)),
            None => speaks.is_some_and(|seat| seat.kind == SeatKind::Speaker),
        }
    }

    fn passes_filter(&self, spot: &AnnotationTarget, verdicts: &OwnVerdicts) -> bool {
        let verdict_names = &self.filter.verdicts;
        let labels = self.judgements.labels.get(spot);
        let disagreement = match self.filter.disagreement {
            None => true,
            Some(DisagreementOf::Evaluators) => {
                let mut sides = verdicts.sides.clone();
                if let Some(on) = &spot.attempt {
                    let key = (spot.session.clone(), on.sha256);
                    sides.extend(self.judgements.passes.get(&key).into_iter().flatten());
                }
                sides.len() > 1
            }
            Some(DisagreementOf::People) => labels.is_some_and(|labels| {
                let label_names: BTreeSet<&String> = labels.values().collect();
                label_names.len() > 1
            }),
        };
        let allows_label = match self.filter.labelled {
            LabelledBefore::Included => true,
            LabelledBefore::LeftOut => labels.is_none(),
        };
        disagreement
            && allows_label
            && (verdict_names.is_empty()
                || verdict_names
                    .iter()
                    .any(|word| word == verdicts.first_label()))
    }

    fn matches_rounds(&self, turn: &LabelableTurn) -> bool {
        let rounds = &self.filter.rounds;
        rounds.is_empty() || rounds.contains(&turn.id.round)
    }

    /// Returns the pairs of which at least one turn fits.
    fn build_pairs(&self, turns: &[LabelableTurn]) -> Vec<PopulationUnit> {
        let place =
            |turn: &LabelableTurn| (turn.id.stage.clone(), turn.id.chair.clone(), turn.id.round);
        let by_place: BTreeMap<_, &LabelableTurn> =
            turns.iter().map(|turn| (place(turn), turn)).collect();
        let pairs = turns.iter().filter_map(|first| {
            let (stage, chair, round) = place(first);
            let second = by_place.get(&(stage, chair, round + 1))?;
            let fits = self.matches_rounds(first) && (first.fits || second.fits);
            fits.then(|| self.build_unit(&[first, second]))
        });
        pairs.collect()
    }

    fn build_unit(&self, turns: &[&LabelableTurn]) -> PopulationUnit {
        let mut features = self.features_of_session();
        if let Some(first) = turns.first() {
            features.insert(StratifyBy::Verdict, first.verdict.clone());
            features.insert(StratifyBy::Seat, first.id.chair.seat.to_string());
            features.insert(StratifyBy::Round, first.id.round.to_string());
        }
        PopulationUnit {
            spots: turns.iter().map(|turn| turn.spot.clone()).collect(),
            topic: self.created.topic.id.clone(),
            begun: self.describe_begin(),
            features,
        }
    }

    fn build_debate(&self) -> Option<PopulationUnit> {
        let spot = AnnotationTarget::from_session(self.session.clone());
        let verdicts = own_verdicts_on(self.state, &Target::Debate);
        if !self.passes_filter(&spot, &verdicts) || !self.state.forked_from().is_empty() {
            return None;
        }
        let mut features = self.features_of_session();
        features.insert(StratifyBy::Verdict, verdicts.first_label().to_owned());
        Some(PopulationUnit {
            spots: vec![spot],
            topic: self.created.topic.id.clone(),
            begun: self.describe_begin(),
            features,
        })
    }

    fn describe_begin(&self) -> (String, String) {
        let (begun, _) = self.state.time_span();
        let words = &self.created.topic.text;
        (begun.to_owned(), cut_to_width(words, TOPIC_CELLS))
    }

    fn features_of_session(&self) -> BTreeMap<StratifyBy, String> {
        let creation = self.created;
        let none = || NONE.to_owned();
        let run = creation.run.as_ref().map(|place| place.run.to_string());
        BTreeMap::from([
            (StratifyBy::Run, run.unwrap_or_else(none)),
            (StratifyBy::Protocol, creation.protocol.id.clone()),
            (
                StratifyBy::Category,
                creation.topic.category.clone().unwrap_or_else(none),
            ),
            (StratifyBy::Arm, arm_name(self.state, creation)),
        ])
    }
}

/// Verdicts of the game's own evaluators on one target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnVerdicts {
    /// What each rule found, with the rule's name.
    pub found: Vec<(String, String)>,
    /// Who found it, and the reason that it gave.
    pub reasons: Vec<(String, Option<String>)>,
    sides: BTreeSet<VerdictSide>,
}

impl OwnVerdicts {
    /// Returns the verdict of the first rule.
    pub fn first_label(&self) -> &str {
        self.found.first().map_or(NONE, |(_, label)| label)
    }

    /// Returns their side of a two-by-two table, *bad* being the positive class;
    /// `None` where they differ or there is none.
    pub fn table_side(&self) -> Option<TableSide> {
        let mut sides = self.sides.iter();
        match (sides.next(), sides.next()) {
            (Some(VerdictSide::Bad), None) => Some(TableSide::Positive),
            (Some(VerdictSide::Good), None) => Some(TableSide::Negative),
            (Some(VerdictSide::Middle | VerdictSide::Unparsed), None) => Some(TableSide::LeftOut),
            (None, _) | (Some(_), Some(_)) => None,
        }
    }

    /// Says whether evaluators differ: those of an ensemble, or several rules.
    pub fn has_disagreement(&self) -> bool {
        self.sides.len() > 1
    }
}

/// Returns what the evaluators of a session found on an attempt or on the debate, and about the last proposal what its
/// judge decided about it.
pub fn own_verdicts_about(state: &State, target: &Target) -> OwnVerdicts {
    let mut verdicts = own_verdicts_on(state, target);
    let is_decided = match target {
        Target::Attempt(id) => find_decided_proposal(state).as_ref() == Some(&id.turn),
        Target::Round(_) | Target::Debate => false,
    };
    if is_decided {
        let decision = own_verdicts_on(state, &Target::Debate);
        verdicts.found.extend(decision.found);
        verdicts.reasons.extend(decision.reasons);
        verdicts.sides.extend(decision.sides);
    }
    verdicts
}

/// Returns what the evaluators of a session found on an attempt, or on the debate.
pub fn own_verdicts_on(state: &State, target: &Target) -> OwnVerdicts {
    let mut verdicts = OwnVerdicts::default();
    let Some(protocol) = state.protocol() else {
        return verdicts;
    };
    let rules = protocol
        .judging
        .iter()
        .filter(|rule| rule.enabled && rule.has_judge());
    for rule in rules {
        if let Some(outcome) = state.combined_outcome(rule, target) {
            let word = match &outcome {
                Outcome::Label(finding) => finding.label.clone(),
                Outcome::Unparsed { .. } => UNPARSED.to_owned(),
            };
            verdicts.found.push((rule.id.to_string(), word));
        }
        let chairs = state.verdicts_on(&rule.id, target).into_iter();
        let each = chairs.flat_map(|by_slot| by_slot.values());
        for outcome in each.filter_map(|verdict| verdict.outcome.as_ref()) {
            verdicts.sides.insert(verdict_side(outcome));
            let reason = outcome
                .as_finding()
                .and_then(|finding| finding.reason.clone());
            verdicts.reasons.push((rule.id.to_string(), reason));
        }
    }
    verdicts
}

fn verdict_side(outcome: &Outcome) -> VerdictSide {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => VerdictSide::Good,
        Outcome::Label(finding) if finding.value < 0.0 => VerdictSide::Bad,
        Outcome::Label(_) => VerdictSide::Middle,
        Outcome::Unparsed { .. } => VerdictSide::Unparsed,
    }
}
