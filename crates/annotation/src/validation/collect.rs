//! Rows of a validation: turns with verdicts and labels, and counts of what was left out.

use super::ValidateQuery;
use super::evaluator_findings::{PassFindings, WantedEvaluators, other_rules, own};
use super::labels::given;
use crate::import::is_codebook_unknown;
use elenchus_game::debate::event::Created;
use elenchus_game::debate::{AttemptId, SessionId, State};
use elenchus_game::judge::LabelSet;
use elenchus_metrics::{Forks, GivenLabel, HumanTurns, RowTopic, ValidateRow};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{CurrentLabel, attempt_hash, read_annotations};
use elenchus_records::workspace::copies as copied_files;
use elenchus_records::workspace::pass::passes;
use elenchus_records::workspace::read_session;
use elenchus_records::workspace::rows::{arm, safety_judging};
use elenchus_store::{Hash, Layout};
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

/// Reads what evaluators found and people labelled, by one set, whose texts have the hash given.
/// Blocks while it reads.
///
/// # Errors
/// When a pass that was named does not exist, or a folder cannot be listed.
pub fn validate_rows(
    layout: &Layout,
    set: &LabelSet,
    codebook: Hash,
    query: &ValidateQuery,
) -> Result<ValidateRows, WorkspaceError> {
    let wanted = WantedEvaluators::resolve(layout, &query.evaluators)?;
    let (annotations, unread) = read_annotations(layout)?;
    let mut reading = ValidateRows::default();
    let broken = unread.into_iter();
    (reading.unreadable).extend(broken.map(|one| format!("{}: {}", one.annotator, one.why)));
    let mut found = PassFindings::default();
    for pass in passes(layout)? {
        match pass {
            Ok(pass) => found.add(pass, &wanted),
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
    let labelled: BTreeSet<&SessionId> = labels
        .iter()
        .map(|standing| &standing.label.on.session)
        .collect();
    let mut rows: BTreeMap<AttemptKey, ValidateRow> = BTreeMap::new();
    let mut copies: BTreeMap<AttemptKey, Vec<SessionId>> = BTreeMap::new();
    let copies_of_files = copied_files(layout)?;
    for id in layout.sessions()? {
        let id = SessionId::new(id);
        if let Some(why) = copies_of_files.get(&id) {
            reading.unreadable.push(why.to_string());
            continue;
        }
        let selected = query
            .sessions
            .as_ref()
            .is_none_or(|wanted| wanted.contains(&id));
        // A label on a fork's copy is one on what was copied, be the fork selected or not.
        if !selected && !labelled.contains(&id) {
            continue;
        }
        let state = match read_session(&layout.session(id.as_str())?) {
            Ok(state) => state,
            Err(error) => {
                reading.unreadable.push(error.to_string());
                continue;
            }
        };
        let Some(created) = state.created() else {
            continue;
        };
        let attempts = attempts(&state, created);
        for attempt in attempts.iter().filter(|attempt| attempt.inherited) {
            let from = state.forked_from().iter().rev().cloned().collect();
            copies.insert((id.clone(), attempt.sha256), from);
        }
        if !selected {
            continue;
        }
        if state.open().done.is_none() && state.failures().is_empty() {
            reading.unfinished += 1;
            continue;
        }
        let is_fork = !state.forked_from().is_empty();
        if is_fork && query.forks == Forks::LeftOut && !query.named.contains(&id) {
            reading.forks += 1;
            continue;
        }
        reading.sessions += 1;
        for attempt in attempts.into_iter().filter(|attempt| !attempt.inherited) {
            if attempt.by_person && query.people == HumanTurns::LeftOut {
                reading.by_people += 1;
                continue;
            }
            let row = row(&id, &state, created, &attempt, &found, &wanted, set);
            rows.insert((id.clone(), attempt.sha256), row);
        }
    }
    let mut of_row: BTreeMap<AttemptKey, Vec<&CurrentLabel>> = BTreeMap::new();
    let mut of_others: BTreeMap<AttemptKey, Vec<&CurrentLabel>> = BTreeMap::new();
    for standing in labels {
        match place(standing, &rows, &copies) {
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
    reading.other_labels = of_others.into_values().map(|of| given(&of)).collect();
    for (key, labels) in of_row {
        if let Some(row) = rows.get_mut(&key) {
            let saw_marks = |standing: &&&CurrentLabel| {
                let label = &standing.label;
                row.simulated && !label.marks_cut && label.source.is_none()
            };
            reading.saw_marks += labels.iter().filter(saw_marks).count();
            row.labels = given(&labels);
        }
    }
    let has_something = |row: &ValidateRow| !row.found.is_empty() || !row.labels.is_empty();
    reading.rows = rows.into_values().filter(has_something).collect();
    (reading.rows).sort_by(|one, other| in_order(one).cmp(&in_order(other)));
    Ok(reading)
}

/// Sort key: by topic, so that a reader meets each question once.
fn in_order(row: &ValidateRow) -> (&str, &str, u32, &str) {
    (&row.topic.id, &row.session, row.round, &row.turn)
}

/// Chosen attempt of a public turn.
struct ChosenAttempt {
    id: AttemptId,
    sha256: Hash,
    inherited: bool,
    by_person: bool,
}

fn attempts(state: &State, created: &Created) -> Vec<ChosenAttempt> {
    let public = |turn: &&elenchus_game::debate::TurnId| {
        let stage = created.protocol.stage(&turn.stage);
        stage.is_some_and(|stage| !stage.private)
    };
    let chosen = state.turns().keys().filter(public).filter_map(|turn| {
        let (id, attempt) = state.chosen(turn)?;
        Some(ChosenAttempt {
            sha256: attempt_hash(&id, &attempt.reply.text),
            inherited: attempt.inherited,
            by_person: attempt.is_persons_choice(),
            id,
        })
    });
    chosen.collect()
}

fn row(
    session: &SessionId,
    state: &State,
    created: &Created,
    attempt: &ChosenAttempt,
    passes: &PassFindings,
    wanted: &WantedEvaluators,
    set: &LabelSet,
) -> ValidateRow {
    let turn = &attempt.id.turn;
    let safety = safety_judging(created, turn).map(|rule| &rule.id);
    let mut found = passes.on(session, attempt.sha256, safety, set);
    if wanted.own() {
        found.extend(own(state, created, &attempt.id, set));
        found.extend(other_rules(state, created, &attempt.id, set));
    }
    ValidateRow {
        topic: RowTopic::of(&created.topic),
        arm: arm(state, created),
        category: created.topic.category.clone(),
        session: session.to_string(),
        turn: attempt.id.to_string(),
        seat: format!("{}/{}", turn.chair.seat, turn.chair.index),
        round: turn.round,
        simulated: created.is_simulated(),
        hash_check: created.topic.needs_hash_check,
        found,
        labels: Vec::new(),
    }
}

/// The row that a label is about: its own, or that of what a fork copied.
fn place(
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
