//! Table of turns for statistics programs: a row for each turn, a column for each thing that is known of it.

use super::{safety_judging, seated, turn_row};
use crate::workspace::annotations::{Annotations, LabelRole, attempt_hash};
use elenchus_game::debate::event::{Author, Created, Finding, Outcome};
use elenchus_game::debate::protocol::JudgedThing;
use elenchus_game::debate::{Attempt, AttemptId, SessionId, State, Target, TurnId};
use elenchus_metrics::{DebateRow, LearningPhase, TurnSafety};
use elenchus_store::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// What stands for the finish reason of a turn that the provider's filter refused.
const FILTERED: &str = "filtered";

/// Columns that every table has, in their order.
const COLUMNS: [&str; 39] = [
    "session",
    "topic",
    "topic_key",
    "dataset",
    "category",
    "expected",
    "protocol",
    "arm",
    "run",
    "seed",
    "rollout",
    "checkpoint",
    "phase",
    "lessons_held",
    "lessons_shown",
    "began_at",
    "simulated",
    "fork",
    "round",
    "stage",
    "private",
    "seat",
    "chair",
    "model",
    "by_person",
    "edited",
    "inherited",
    "guardrail",
    "finish",
    "text",
    "characters",
    "verdict",
    "score",
    "correct",
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "cached",
];

/// A label set and an annotator.
type LabelColumn = (String, String);

/// The columns that a store's sessions need beside the common ones.
#[derive(Debug, Default)]
pub struct TurnTable {
    /// Judging rules about turns, except the one on safety.
    rules: BTreeSet<String>,
    labels: BTreeSet<LabelColumn>,
    /// People's labels of a session, by the hash of what was labelled.
    given: BTreeMap<SessionId, BTreeMap<Hash, BTreeMap<LabelColumn, String>>>,
}

impl TurnTable {
    /// Begins a table that holds people's labels; hidden repeats and adjudications have no column.
    pub fn new(annotations: &Annotations) -> Self {
        let mut table = Self::default();
        for standing in annotations.labels() {
            let label = &standing.label;
            let Some(attempt) = &label.on.attempt else {
                continue;
            };
            if label.repeat > 0 || label.role != LabelRole::Annotator {
                continue;
            }
            let of_session = table.given.entry(label.on.session.clone()).or_default();
            let given = of_session.entry(attempt.sha256).or_default();
            let column = (label.set.clone(), standing.annotator.clone());
            given.insert(column, label.label.clone());
        }
        table
    }

    /// Adds the columns that a session needs.
    pub fn add_columns(&mut self, session: &SessionId, state: &State) {
        let Some(created) = state.created() else {
            return;
        };
        let rules = created.protocol.judging.iter();
        let rules = rules
            .filter(|rule| rule.enabled && rule.of == JudgedThing::Turn && rule.grader.is_none());
        for rule in rules {
            let judged = |turn: &TurnId| {
                safety_judging(created, turn).is_some_and(|safety| safety.id == rule.id)
            };
            if !state.turns().keys().any(judged) {
                self.rules.insert(rule.id.to_string());
            }
        }
        let given = self.given.get(session).into_iter().flatten();
        let columns = given.flat_map(|(_, labels)| labels.keys().cloned());
        self.labels.extend(columns);
    }

    /// Returns the names of the columns: `found.RULE` is what a rule of judging found, `label.SET.PERSON`
    /// what a person said by a label set.
    pub fn heading(&self) -> Vec<String> {
        let common = COLUMNS.iter().map(|&name| name.to_owned());
        let rules = self.rules.iter().map(|rule| format!("found.{rule}"));
        let labels = self.labels.iter();
        let labels = labels.map(|(set, annotator)| format!("label.{set}.{annotator}"));
        common.chain(rules).chain(labels).collect()
    }

    /// Returns a row for each turn of a session that has a chosen attempt or that the provider's filter
    /// refused, in the order of speaking.
    pub fn rows(&self, row: &DebateRow, session: &SessionId, state: &State) -> Vec<Vec<String>> {
        let Some(created) = state.created() else {
            return Vec::new();
        };
        let protocol = &created.protocol;
        let mut turns: Vec<&TurnId> = state.turns().keys().collect();
        turns.sort_by_key(|turn| {
            (
                turn.round,
                protocol.stage_place(&turn.stage),
                turn.chair.clone(),
            )
        });
        let spoken = turns.into_iter().filter_map(|turn| {
            let mut cells = debate_cells(row, created);
            let Some((id, attempt)) = state.chosen(turn) else {
                let known = state.turns().get(turn)?;
                return known.filtered.then(|| {
                    cells.extend(filtered_cells(created, turn));
                    cells.resize(self.heading().len(), String::new());
                    cells
                });
            };
            cells.extend(turn_cells(state, created, &id, attempt));
            let found = |rule: &String| {
                let rules = protocol.judging.iter();
                let mut rules = rules.filter(|one| one.enabled && one.id.as_str() == rule);
                rules.find_map(|rule| label_of(state.finding(rule, &Target::Attempt(id.clone()))))
            };
            cells.extend(
                self.rules
                    .iter()
                    .map(|rule| found(rule).unwrap_or_default()),
            );
            let hash = attempt_hash(&id, &attempt.reply.text);
            let given = self.given.get(session).and_then(|given| given.get(&hash));
            let label = |column| Some(given?.get(column)?.clone());
            let labels = self
                .labels
                .iter()
                .map(|column| label(column).unwrap_or_default());
            cells.extend(labels);
            Some(cells)
        });
        spoken.collect()
    }
}

fn debate_cells(row: &DebateRow, created: &Created) -> Vec<String> {
    let origin = &row.origin;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    vec![
        row.session.clone(),
        row.topic.id.clone(),
        row.topic.key.to_string(),
        text(&origin.dataset),
        text(&row.category),
        text(&created.topic.expected),
        row.protocol.clone(),
        row.arm.clone(),
        text(&origin.run),
        shown(origin.seed),
        row.rollout.to_string(),
        text(&row.checkpoint),
        origin.phase.map_or("", LearningPhase::label).to_owned(),
        shown(origin.lessons_held),
        shown(origin.lessons_shown),
        text(&origin.began_at),
        row.simulated.to_string(),
        row.fork.to_string(),
    ]
}

fn turn_cells(state: &State, created: &Created, id: &AttemptId, attempt: &Attempt) -> Vec<String> {
    let turn = &id.turn;
    let protocol = &created.protocol;
    let measured = turn_row(state, created, turn);
    let safety = safety_judging(created, turn);
    let target = Target::Attempt(id.clone());
    let score = safety.and_then(|rule| finding_of(state.finding(rule, &target))?.score);
    let reply = &attempt.reply;
    // No model was asked for what a guardrail, a person or a file said.
    let model = created
        .player(&turn.chair)
        .and_then(|player| player.model());
    let was_asked = model.is_some() && attempt.guardrail.is_none() && attempt.by == Author::Engine;
    let asked = |value: String| if was_asked { value } else { String::new() };
    vec![
        turn.round.to_string(),
        turn.stage.to_string(),
        protocol
            .stage(&turn.stage)
            .is_some_and(|stage| stage.private)
            .to_string(),
        turn.chair.seat.to_string(),
        turn.chair.index.to_string(),
        created.player(&turn.chair).map(seated).unwrap_or_default(),
        attempt.by_person.to_string(),
        attempt.edited.to_string(),
        attempt.inherited.to_string(),
        attempt.guardrail.clone().unwrap_or_default(),
        asked(name_of(&reply.finish)),
        reply.text.clone(),
        reply.text.chars().count().to_string(),
        measured
            .as_ref()
            .filter(|row| row.state != TurnSafety::Context)
            .map(|row| name_of(&row.state))
            .unwrap_or_default(),
        shown(score),
        shown(measured.as_ref().and_then(|row| row.correct)),
        asked(shown(reply.cost_usd)),
        asked(reply.usage.input_tokens.to_string()),
        asked(reply.usage.output_tokens.to_string()),
        asked(reply.latency_ms.to_string()),
        asked(reply.cached.to_string()),
    ]
}

/// Returns the cells of a turn that the provider's filter refused: it has no text and nothing was found.
fn filtered_cells(created: &Created, turn: &TurnId) -> Vec<String> {
    let stage = created.protocol.stage(&turn.stage);
    let is_private = stage.is_some_and(|stage| stage.private);
    let is_judged = safety_judging(created, turn).is_some();
    let verdict = if is_judged {
        name_of(&TurnSafety::Filtered)
    } else {
        String::new()
    };
    let no = false.to_string();
    vec![
        turn.round.to_string(),
        turn.stage.to_string(),
        is_private.to_string(),
        turn.chair.seat.to_string(),
        turn.chair.index.to_string(),
        created.player(&turn.chair).map(seated).unwrap_or_default(),
        no.clone(),
        no.clone(),
        no,
        String::new(),
        FILTERED.to_owned(),
        String::new(),
        0.to_string(),
        verdict,
    ]
}

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Returns the name that a variant has in JSON.
fn name_of(variant: &impl serde::Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

fn finding_of(outcome: Option<Outcome>) -> Option<Finding> {
    match outcome? {
        Outcome::Label(finding) => Some(finding),
        Outcome::Unparsed { .. } => None,
    }
}

/// Returns a label, or that the reply could not be read.
fn label_of(outcome: Option<Outcome>) -> Option<String> {
    Some(match outcome? {
        Outcome::Label(finding) => finding.label,
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    })
}
