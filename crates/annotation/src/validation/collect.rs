//! Rows of a validation: turns with verdicts and labels, and counts of what was left out.

use super::ValidateQuery;
use super::evaluator_findings::{PassFindings, WantedEvaluators, other_rules, own_finding};
use super::labels::select_latest_labels;
use crate::import::is_codebook_unknown;
use crate::queue::LaterDraws;
use elenchus_game::debate::SessionId;
use elenchus_game::judge::LabelSet;
use elenchus_metrics::{Forks, GivenLabel, HumanTurns, ValidateRow};
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
    /// Labels by another version of the set or its codebook.
    pub other_codebook: usize,
    /// Labels from files that do not say which codebook they were given by.
    pub unknown_codebook: usize,
    /// Labels on simulated turns whose screens showed the simulated model's marks, as far as is known.
    pub saw_marks: usize,
}

/// A turn's chosen attempt.
type AttemptKey = (SessionId, Hash);

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
        .filter(|standing| standing.label.set == set.id && standing.label.on.attempt.is_some())
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
    let mut rows: BTreeMap<AttemptKey, ValidateRow> = BTreeMap::new();
    let mut copies: BTreeMap<AttemptKey, Vec<SessionId>> = BTreeMap::new();
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
            copies.insert((id.clone(), turn.sha256), from);
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
        for turn in session.turns.iter().filter(|turn| !turn.inherited) {
            if turn.by_person && query.people == HumanTurns::LeftOut {
                reading.by_people += 1;
                continue;
            }
            let row = build_row(id, &session, turn, &pass_findings, &evaluators, set);
            rows.insert((id.clone(), turn.sha256), row);
        }
    }
    let later_draws = LaterDraws::read(layout, labels.iter().map(|standing| &standing.label));
    let mut of_row: BTreeMap<AttemptKey, Vec<&CurrentLabel>> = BTreeMap::new();
    let mut of_others: BTreeMap<AttemptKey, Vec<&CurrentLabel>> = BTreeMap::new();
    for standing in labels {
        match find_row_key(standing, &rows, &copies) {
            Some(key) => of_row.entry(key).or_default().push(standing),
            None => {
                reading.elsewhere += 1;
                let on = &standing.label.on;
                let hash = on.attempt.as_ref().map(|attempt| attempt.sha256);
                if let Some(hash) = hash {
                    let key = (on.session.clone(), hash);
                    of_others.entry(key).or_default().push(standing);
                }
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

fn build_row(
    id: &SessionId,
    session: &FoundSession,
    turn: &FoundTurn,
    passes: &PassFindings,
    evaluators: &WantedEvaluators,
    set: &LabelSet,
) -> ValidateRow {
    let mut findings = passes.collect_findings(id, turn.sha256, turn.safety.as_ref(), set);
    if evaluators.includes_own() {
        findings.extend(own_finding(turn, set));
        findings.extend(other_rules(turn, set));
    }
    let place = &turn.id.turn;
    ValidateRow {
        topic: session.topic.clone(),
        arm: session.arm.clone(),
        category: session.category.clone(),
        session: id.to_string(),
        turn: turn.id.to_string(),
        seat: format!("{}/{}", place.chair.seat, place.chair.index),
        round: place.round,
        simulated: session.simulated,
        hash_check: session.hash_check,
        found: findings,
        labels: Vec::new(),
    }
}

/// The row that a label is about: its own, or that of what a fork copied.
fn find_row_key(
    standing: &CurrentLabel,
    rows: &BTreeMap<AttemptKey, ValidateRow>,
    copies: &BTreeMap<AttemptKey, Vec<SessionId>>,
) -> Option<AttemptKey> {
    let on = &standing.label.on;
    let sha256 = on.attempt.as_ref()?.sha256;
    let own = (on.session.clone(), sha256);
    if rows.contains_key(&own) {
        return Some(own);
    }
    let from = copies.get(&own)?.iter();
    let mut origins = from.map(|session| (session.clone(), sha256));
    origins.find(|key| rows.contains_key(key))
}
