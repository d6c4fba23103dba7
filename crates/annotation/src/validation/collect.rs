//! Rows of a validation: turns with verdicts and labels, and counts of what was left out.

use super::ValidateQuery;
use super::evaluator_findings::{
    NamedFinding, PassFindings, WantedEvaluators, other_rules, own_finding, own_on_debate,
};
use super::labels::select_latest_labels;
use crate::import::is_codebook_unknown;
use crate::queue::LaterDraws;
use elenchus_game::debate::SessionId;
use elenchus_game::judge::{LabelSet, LabelTarget};
use elenchus_metrics::{
    EvaluatorFinding, EvaluatorRole, Forks, GivenLabel, HumanTurns, ValidateRow,
};
use elenchus_records::workspace::annotations::{CurrentLabel, read_annotations};
use elenchus_records::workspace::pass::read_all_passes;
use elenchus_records::workspace::rows::{
    FoundSession, FoundTurn, SessionFindings, session_findings,
};
use elenchus_records::workspace::{StoreIndex, WorkspaceError, copied_sessions};
use elenchus_store::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that were read, with counts of what was not.
#[derive(Debug, Clone, Default)]
pub struct ValidateRows {
    pub rows: Vec<ValidateRow>,
    pub sessions: usize,
    /// Sessions still being played, or stopped before the end without a failure.
    pub unfinished: usize,
    /// Journals that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Turns of people, left out.
    pub by_people: usize,
    /// Forks, left out with the turns of their own.
    pub forks: usize,
    /// Labels of the set on attempts that are not here: not chosen, not selected, or gone.
    pub elsewhere: usize,
    /// The same, those of an attempt together: what was drawn is labelled by them too.
    pub other_labels: Vec<Vec<GivenLabel>>,
    /// Labels on turns that are not what the set is about.
    pub other_kind: usize,
    /// What evaluators are, by their names; the others judge turns.
    pub roles: BTreeMap<String, EvaluatorRole>,
    /// Labels by another version of the set or its codebook.
    pub other_codebook: usize,
    /// Labels from files that do not say which codebook they were given by.
    pub unknown_codebook: usize,
    /// Labels on simulated turns whose screens showed the simulated model's marks, as far as is known.
    pub saw_marks: usize,
}

/// The address of a debate as a whole in its row.
pub(super) const WHOLE_DEBATE: &str = "debate";

/// A turn's chosen attempt; a debate as a whole has no hash.
type RowKey = (SessionId, Option<Hash>);

/// Reads what evaluators found and people labelled, by one set, whose texts have the hash given: of sessions
/// from the index, and from journals what that does not know. Blocks while it reads.
///
/// # Errors
/// When a pass that was named does not exist, or a folder cannot be listed.
pub fn validate_rows(
    index: &StoreIndex,
    set: &LabelSet,
    codebook: Hash,
    query: &ValidateQuery,
) -> Result<ValidateRows, WorkspaceError> {
    let layout = index.layout();
    let evaluators = WantedEvaluators::resolve(layout, &query.evaluators)?;
    let (annotations, unread) = read_annotations(layout)?;
    let mut reading = ValidateRows::default();
    let unreadable_annotators = unread.into_iter();
    (reading.unreadable)
        .extend(unreadable_annotators.map(|one| format!("{}: {}", one.annotator, one.why)));
    let mut pass_findings = PassFindings::default();
    for pass in read_all_passes(layout)? {
        match pass {
            Ok(pass) => pass_findings.add_pass(pass, &evaluators),
            Err(error) => reading.unreadable.push(error.to_string()),
        }
    }
    let labels: Vec<&CurrentLabel> = annotations
        .labels()
        .filter(|standing| {
            standing.label.set == set.id && standing.label.on.attempt.is_some() == set.of.is_turn()
        })
        .collect();
    for standing in &labels {
        if is_codebook_unknown(&standing.label) {
            reading.unknown_codebook += 1;
        } else if standing.label.codebook != codebook {
            reading.other_codebook += 1;
        }
    }
    let labelled_sessions: BTreeSet<&SessionId> = labels
        .iter()
        .map(|standing| &standing.label.on.session)
        .collect();
    let mut rows: BTreeMap<RowKey, ValidateRow> = BTreeMap::new();
    let mut copies: BTreeMap<RowKey, Vec<SessionId>> = BTreeMap::new();
    let mut other_turns: BTreeSet<RowKey> = BTreeSet::new();
    let all = index.session_ids()?;
    index.forget_gone(&all);
    let is_selected = |id: &SessionId| {
        let sessions = query.sessions.as_ref();
        sessions.is_none_or(|wanted| wanted.contains(id))
    };
    // A label on a fork's copy is one on what was copied, be the fork selected or not.
    let read: Vec<&SessionId> = all
        .iter()
        .filter(|id| is_selected(id) || labelled_sessions.contains(id))
        .collect();
    let mut findings: BTreeMap<&SessionId, _> = read
        .iter()
        .copied()
        .zip(session_findings(index, &read))
        .collect();
    let copies_of_files = copied_sessions(index, &all)?;
    for id in &all {
        if let Some(why) = copies_of_files.get(id) {
            reading.unreadable.push(why.to_string());
            continue;
        }
        let session = match findings.remove(id) {
            Some(Ok(SessionFindings(Some(session)))) => session,
            Some(Ok(SessionFindings(None))) | None => continue,
            Some(Err(error)) => {
                reading.unreadable.push(error.to_string());
                continue;
            }
        };
        for turn in session.turns.iter().filter(|turn| turn.inherited) {
            let from = session.forked_from.iter().rev().cloned().collect();
            copies.insert((id.clone(), Some(turn.sha256)), from);
        }
        if !is_selected(id) {
            continue;
        }
        if !session.is_over {
            reading.unfinished += 1;
            continue;
        }
        let is_fork = !session.forked_from.is_empty();
        if is_fork && query.forks == Forks::LeftOut && !query.named.contains(id) {
            reading.forks += 1;
            continue;
        }
        reading.sessions += 1;
        let collector = RowCollector {
            id,
            session: &session,
            passes: &pass_findings,
            evaluators: &evaluators,
            set,
        };
        let has_subject = match set.of {
            LabelTarget::Conclusion => session.debate.concludes,
            LabelTarget::Debate => true,
            LabelTarget::Turn | LabelTarget::Proposal | LabelTarget::Critique => false,
        };
        if has_subject {
            let row = collector.build_debate(&mut reading.roles);
            rows.insert((id.clone(), None), row);
        }
        for turn in session.turns.iter().filter(|turn| !turn.inherited) {
            let is_labelled_kind = match set.of {
                LabelTarget::Turn => true,
                LabelTarget::Proposal => turn.is_proposal,
                LabelTarget::Critique => turn.is_critique,
                LabelTarget::Debate | LabelTarget::Conclusion => continue,
            };
            if !is_labelled_kind {
                other_turns.insert((id.clone(), Some(turn.sha256)));
                continue;
            }
            if turn.by_person && query.people == HumanTurns::LeftOut {
                reading.by_people += 1;
                continue;
            }
            let row = collector.build_turn(turn, &mut reading.roles);
            rows.insert((id.clone(), Some(turn.sha256)), row);
        }
    }
    let later_draws = LaterDraws::read(layout, labels.iter().map(|standing| &standing.label));
    let mut of_row: BTreeMap<RowKey, Vec<&CurrentLabel>> = BTreeMap::new();
    let mut of_others: BTreeMap<RowKey, Vec<&CurrentLabel>> = BTreeMap::new();
    for standing in labels {
        match find_row_key(standing, &rows, &copies) {
            Some(key) => of_row.entry(key).or_default().push(standing),
            None => {
                let key = label_key(standing);
                match other_turns.contains(&key) {
                    true => reading.other_kind += 1,
                    false => reading.elsewhere += 1,
                }
                of_others.entry(key).or_default().push(standing);
            }
        }
    }
    reading.other_labels = of_others
        .into_values()
        .map(|of| select_latest_labels(&of, &later_draws))
        .collect();
    for (key, labels) in of_row {
        if let Some(row) = rows.get_mut(&key) {
            let saw_marks = |standing: &&&CurrentLabel| {
                let label = &standing.label;
                row.simulated && !label.marks_cut && label.source.is_none()
            };
            reading.saw_marks += labels.iter().filter(saw_marks).count();
            row.labels = select_latest_labels(&labels, &later_draws);
        }
    }
    let has_something = |row: &ValidateRow| !row.found.is_empty() || !row.labels.is_empty();
    reading.rows = rows.into_values().filter(has_something).collect();
    (reading.rows).sort_by(|one, other| sort_key(one).cmp(&sort_key(other)));
    Ok(reading)
}

/// Sort key: by topic, so that a reader meets each question once.
fn sort_key(row: &ValidateRow) -> (&str, &str, u32, &str) {
    (&row.topic.id, &row.session, row.round, &row.turn)
}

/// What the rows of a session are made of.
struct RowCollector<'a> {
    id: &'a SessionId,
    session: &'a FoundSession,
    passes: &'a PassFindings,
    evaluators: &'a WantedEvaluators,
    set: &'a LabelSet,
}

impl RowCollector<'_> {
    fn build_turn(
        &self,
        turn: &FoundTurn,
        roles: &mut BTreeMap<String, EvaluatorRole>,
    ) -> ValidateRow {
        let (session, set) = (self.session, self.set);
        let debate = &session.debate;
        let place = &turn.id.turn;
        let safety = turn.safety.as_ref();
        let mut findings = self
            .passes
            .collect_findings(self.id, turn.sha256, safety, set);
        let mut named = Vec::new();
        let is_decided = debate.decided_turn.as_ref() == Some(place);
        // What the judge decided it decided about the proposal.
        let decides = set.of == LabelTarget::Proposal && is_decided;
        let is_decision = |one: &NamedFinding| one.role == Some(EvaluatorRole::Decision);
        if decides {
            let of_passes = self.passes.collect_on_debate(self.id, debate, set);
            named.extend(of_passes.into_iter().filter(is_decision));
        }
        if self.evaluators.includes_own() {
            findings.extend(own_finding(turn, set));
            named.extend(other_rules(session, turn, set));
            if decides {
                let own = own_on_debate(debate, set);
                named.extend(own.into_iter().filter(is_decision));
            }
        }
        add_named(&mut findings, named, roles);
        ValidateRow {
            turn: turn.id.to_string(),
            seat: format!("{}/{}", place.chair.seat, place.chair.index),
            round: place.round,
            found: findings,
            ..self.begin_row()
        }
    }

    fn build_debate(&self, roles: &mut BTreeMap<String, EvaluatorRole>) -> ValidateRow {
        let debate = &self.session.debate;
        let mut named = self.passes.collect_on_debate(self.id, debate, self.set);
        if self.evaluators.includes_own() {
            named.extend(own_on_debate(debate, self.set));
        }
        let mut findings = BTreeMap::new();
        add_named(&mut findings, named, roles);
        ValidateRow {
            turn: WHOLE_DEBATE.to_owned(),
            seat: WHOLE_DEBATE.to_owned(),
            round: debate.last_round,
            found: findings,
            ..self.begin_row()
        }
    }

    fn begin_row(&self) -> ValidateRow {
        let session = self.session;
        ValidateRow {
            topic: session.topic.clone(),
            arm: session.arm.clone(),
            category: session.category.clone(),
            session: self.id.to_string(),
            turn: String::new(),
            seat: String::new(),
            round: 0,
            simulated: session.simulated,
            hash_check: session.hash_check,
            found: BTreeMap::new(),
            labels: Vec::new(),
        }
    }
}

fn add_named(
    findings: &mut BTreeMap<String, EvaluatorFinding>,
    named: Vec<NamedFinding>,
    roles: &mut BTreeMap<String, EvaluatorRole>,
) {
    for one in named {
        if let Some(role) = one.role {
            roles.insert(one.name.clone(), role);
        }
        findings.insert(one.name, one.finding);
    }
}

fn label_key(standing: &CurrentLabel) -> RowKey {
    let on = &standing.label.on;
    let hash = on.attempt.as_ref().map(|attempt| attempt.sha256);
    (on.session.clone(), hash)
}

/// The row that a label is about: its own, or that of what a fork copied.
fn find_row_key(
    standing: &CurrentLabel,
    rows: &BTreeMap<RowKey, ValidateRow>,
    copies: &BTreeMap<RowKey, Vec<SessionId>>,
) -> Option<RowKey> {
    let own = label_key(standing);
    if rows.contains_key(&own) {
        return Some(own);
    }
    let from = copies.get(&own)?.iter();
    let mut origins = from.map(|session| (session.clone(), own.1));
    origins.find(|key| rows.contains_key(key))
}
