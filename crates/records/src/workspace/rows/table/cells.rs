//! Cells: values as a statistics program reads them, blank where nothing is known.

use elenchus_game::debate::event::{Created, Finding, Outcome};
use elenchus_metrics::{DebateRow, LearningPhase};

/// Columns about a debate that every table begins with, in their order.
pub(super) const DEBATE_COLUMNS: [&str; 20] = [
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
    "memory",
    "settings",
    "began_at",
    "simulated",
    "fork",
];

/// Returns the cells of [`DEBATE_COLUMNS`].
pub(super) fn debate_cells(row: &DebateRow, created: &Created) -> Vec<String> {
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
        cell_text(origin.seed),
        row.rollout.to_string(),
        text(&row.checkpoint),
        origin.phase.map_or("", LearningPhase::label).to_owned(),
        cell_text(origin.lessons_held),
        cell_text(origin.lessons_shown),
        text(&origin.memory),
        text(&origin.settings),
        text(&origin.began_at),
        row.simulated.to_string(),
        row.fork.to_string(),
    ]
}

pub(super) fn cell_text<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Returns the name that a variant has in JSON.
pub(super) fn name_of(variant: &impl serde::Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

pub(super) fn finding_of(outcome: Option<Outcome>) -> Option<Finding> {
    match outcome? {
        Outcome::Label(finding) => Some(finding),
        Outcome::Unparsed { .. } => None,
    }
}

/// Returns a label, or that the reply could not be read.
pub(super) fn label_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) => finding.label.clone(),
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}
