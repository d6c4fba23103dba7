//! Table of turns: a row for each, with its text, what was found of it, and how its model was asked.

use super::cells::{DEBATE_COLUMNS, cell_text, debate_cells, finding_of, label_of, name_of};
use super::pass_columns::PassColumns;
use super::person_columns::PersonColumns;
use crate::workspace::annotations::{Annotations, attempt_hash};
use crate::workspace::pass::Pass;
use crate::workspace::rows::{player_name, safety_judging, turn_row};
use elenchus_game::debate::event::{Author, Created};
use elenchus_game::debate::protocol::JudgedThing;
use elenchus_game::debate::step::StepId;
use elenchus_game::debate::{Attempt, AttemptId, SessionId, State, Target, TurnId};
use elenchus_metrics::{DebateRow, TurnSafety};
use std::collections::BTreeSet;

/// What stands for the finish reason of a turn that the provider's filter refused.
const FILTERED: &str = "filtered";

/// Columns of every table, behind those that say which debate it is.
const COLUMNS: [&str; 25] = [
    "round",
    "stage",
    "private",
    "seat",
    "chair",
    "model",
    "state",
    "failure",
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
    "sampling",
    "asked_otherwise",
];

/// The columns that a store's sessions need beside the common ones.
#[derive(Debug, Default)]
pub struct TurnTable {
    /// Judging rules about turns, except the one on safety.
    rules: BTreeSet<String>,
    passes: PassColumns,
    people: PersonColumns,
}

impl TurnTable {
    /// Begins a table that holds people's labels and what passes found.
    pub fn new(annotations: &Annotations, passes: &[Pass]) -> Self {
        let is_turn = |target: &Target| match target {
            Target::Attempt(_) => true,
            Target::Round(_) | Target::Debate => false,
        };
        Self {
            rules: BTreeSet::new(),
            passes: PassColumns::from_passes(passes, is_turn),
            people: PersonColumns::from_annotations(annotations),
        }
    }

    /// Adds the columns that a session needs.
    pub fn add_columns(&mut self, session: &SessionId, state: &State) {
        let Some(created) = state.first_event() else {
            return;
        };
        let rules = created.protocol.judging.iter();
        let rules = rules
            .filter(|rule| rule.enabled && rule.of == JudgedThing::Turn && rule.grader.is_none());
        for rule in rules {
            let is_safety_turn = |turn: &TurnId| {
                safety_judging(created, turn).is_some_and(|safety| safety.id == rule.id)
            };
            if !state.turns().keys().any(is_safety_turn) {
                self.rules.insert(rule.id.to_string());
            }
        }
        self.passes.add_session(session);
        self.people.add_session(session);
    }

    /// Returns the names of the columns: `found.RULE` is what a rule of judging found, `pass.PASS.RULE` what a
    /// pass found, `label.SET.PERSON` what a person said by a label set, `settled.SET` what an adjudicator
    /// decided.
    pub fn column_names(&self) -> Vec<String> {
        let common = DEBATE_COLUMNS
            .iter()
            .chain(&COLUMNS)
            .map(|&name| name.to_owned());
        let rules = self.rules.iter().map(|rule| format!("found.{rule}"));
        common
            .chain(rules)
            .chain(self.passes.column_names())
            .chain(self.people.column_names())
            .collect()
    }

    /// Returns a row for each turn of a session that was asked for, also where it failed or was refused, in
    /// the order of speaking.
    pub fn list_rows(
        &self,
        row: &DebateRow,
        session: &SessionId,
        state: &State,
    ) -> Vec<Vec<String>> {
        let Some(created) = state.first_event() else {
            return Vec::new();
        };
        let protocol = &created.protocol;
        // A turn that failed and was not asked for again has left nothing but its failure.
        let failed_turns = state.failures().keys().filter_map(StepId::turn);
        let turn_ids: BTreeSet<TurnId> =
            state.turns().keys().cloned().chain(failed_turns).collect();
        let mut turns: Vec<TurnId> = turn_ids.into_iter().collect();
        turns.sort_by_key(|turn| {
            (
                turn.round,
                protocol.stage_place(&turn.stage),
                turn.chair.clone(),
            )
        });
        let rows = turns.iter().filter_map(|turn| {
            let mut cells = debate_cells(row, created);
            let choice = state.chosen_attempt(turn);
            match &choice {
                Some((id, attempt)) => cells.extend(turn_cells(state, created, id, attempt)),
                None => cells.extend(unsaid_cells(state, created, turn)?),
            }
            let target = choice.as_ref().map(|(id, _)| Target::Attempt(id.clone()));
            let rule_label = |rule: &String| {
                let mut rules = protocol.judging.iter();
                let rule = rules.find(|one| one.enabled && one.id.as_str() == rule)?;
                Some(label_of(&state.combined_outcome(rule, target.as_ref()?)?))
            };
            let rules = self.rules.iter();
            cells.extend(rules.map(|rule| rule_label(rule).unwrap_or_default()));
            cells.extend(self.passes.target_cells(session, target.as_ref()));
            let hash = choice
                .as_ref()
                .map(|(id, attempt)| attempt_hash(id, &attempt.reply.text));
            cells.extend(self.people.attempt_cells(session, hash));
            Some(cells)
        });
        rows.collect()
    }
}

/// Returns the cells of where a turn stands and who was asked for it.
fn place_cells(created: &Created, turn: &TurnId) -> Vec<String> {
    let stage = created.protocol.find_stage(&turn.stage);
    vec![
        turn.round.to_string(),
        turn.stage.to_string(),
        stage.is_some_and(|stage| stage.private).to_string(),
        turn.chair.seat.to_string(),
        turn.chair.index.to_string(),
        created
            .player_of(&turn.chair)
            .map(player_name)
            .unwrap_or_default(),
    ]
}

fn turn_cells(state: &State, created: &Created, id: &AttemptId, attempt: &Attempt) -> Vec<String> {
    let turn = &id.turn;
    let metrics_row = turn_row(state, created, turn);
    let safety = safety_judging(created, turn);
    let target = Target::Attempt(id.clone());
    let score = safety.and_then(|rule| finding_of(state.combined_outcome(rule, &target))?.score);
    let reply = &attempt.reply;
    // No model was asked for what a guardrail, a person or a file said.
    let model = created
        .player_of(&turn.chair)
        .and_then(|player| player.as_model());
    let is_model_reply =
        model.is_some() && attempt.guardrail.is_none() && attempt.by == Author::Engine;
    let model_cell = |value: String| if is_model_reply { value } else { String::new() };
    let turn_state = match (&attempt.guardrail, reply.is_empty()) {
        (Some(_), _) => "guardrail",
        (None, true) => "empty",
        (None, false) => "said",
    };
    let mut cells = place_cells(created, turn);
    cells.extend([
        turn_state.to_owned(),
        String::new(),
        attempt.by_person.to_string(),
        attempt.edited.to_string(),
        attempt.inherited.to_string(),
        attempt.guardrail.clone().unwrap_or_default(),
        model_cell(name_of(&reply.finish)),
        reply.text.clone(),
        reply.text.chars().count().to_string(),
        metrics_row
            .as_ref()
            .filter(|row| row.state != TurnSafety::Context)
            .map(|row| name_of(&row.state))
            .unwrap_or_default(),
        cell_text(score),
        cell_text(metrics_row.as_ref().and_then(|row| row.correct)),
        model_cell(cell_text(reply.cost_usd)),
        model_cell(reply.usage.input_tokens.to_string()),
        model_cell(reply.usage.output_tokens.to_string()),
        model_cell(reply.latency_ms.to_string()),
        model_cell(reply.cached.to_string()),
        model_cell(reply.sampling.decode().to_string()),
        model_cell(reply.list_request_changes().join("; ")),
    ]);
    cells
}

/// Returns the cells of a turn that has no text: its call failed, or the provider's filter refused it. `None`
/// where it is still to come.
fn unsaid_cells(state: &State, created: &Created, turn: &TurnId) -> Option<Vec<String>> {
    let is_filtered = state.turns().get(turn).is_some_and(|known| known.filtered);
    let mut failures = state.failures().iter();
    let failure =
        failures.find_map(|(step, failed)| (step.turn().as_ref() == Some(turn)).then_some(failed));
    let (said, failure, verdict) = match (is_filtered, failure) {
        (true, _) => (FILTERED, String::new(), TurnSafety::Filtered),
        (false, Some(failed)) => ("failed", failed.message.clone(), TurnSafety::Failed),
        (false, None) => return None,
    };
    let finish = match is_filtered {
        true => FILTERED,
        false => "",
    };
    let verdict = match safety_judging(created, turn) {
        Some(_) => name_of(&verdict),
        None => String::new(),
    };
    let no = false.to_string();
    let mut cells = place_cells(created, turn);
    cells.extend([
        said.to_owned(),
        failure,
        no.clone(),
        no.clone(),
        no,
        String::new(),
    ]);
    cells.extend([finish.to_owned(), String::new(), 0.to_string(), verdict]);
    cells.resize(COLUMNS.len(), String::new());
    Some(cells)
}
