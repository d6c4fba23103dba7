//! What a debate's first event says about where it comes from. Pure.

use elenchus_game::debate::State;
use elenchus_game::debate::event::{Created, Player};
use elenchus_metrics::LearningPhase;
use elenchus_store::Hash;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Hexadecimal digits of a shown hash.
const DIGITS: usize = 6;

/// Returns when a debate began, RFC 3339; empty where it is not known.
pub(super) fn began_at(state: &State) -> String {
    state.time_span().0.to_owned()
}

/// Returns the part of a learning run that a debate belongs to; `None` without long-term memory.
pub(super) fn learning_phase(created: &Created) -> Option<LearningPhase> {
    let memory = &created.memory;
    if !memory.reads && !memory.guards {
        return None;
    }
    Some(match memory.writes {
        true => LearningPhase::Learning,
        false => LearningPhase::HeldOut,
    })
}

/// Names the kinds of long-term memory that a debate could be shown.
pub(super) fn memory_kinds(created: &Created) -> String {
    let memory = &created.memory;
    match (memory.reads, memory.guards) {
        (false, false) => "none",
        (true, false) => "textual",
        (false, true) => "guardrails",
        (true, true) => "textual + guardrails",
    }
    .to_owned()
}

/// Returns how many lessons a debate was shown, those of all its seats together; `None` where it looked none up,
/// or had not yet.
pub(super) fn lessons_shown(state: &State, created: &Created) -> Option<u32> {
    let mut retrievals = state
        .retrievals()
        .filter(|_| created.memory.reads)
        .peekable();
    retrievals.peek()?;
    let shown: usize = retrievals.map(|retrieved| retrieved.entries.len()).sum();
    Some(u32::try_from(shown).unwrap_or(u32::MAX))
}

/// Names the settings of a debate that are not the protocol's default.
pub(super) fn describe_settings(created: &Created) -> String {
    let changes = created.changed_settings();
    match changes.is_empty() {
        true => "default".to_owned(),
        false => changes.join(", "),
    }
}

/// Hashes what a debate was played with and its arm's name does not spell out.
pub(super) fn hash_conditions(created: &Created) -> BTreeMap<String, String> {
    let texts = (&created.templates, &created.rubrics, &created.lists);
    let models = created.cast.iter();
    let models: Vec<_> = models
        .map(|participant| (&participant.chair, reply_settings(&participant.player)))
        .collect();
    BTreeMap::from([
        ("prompts".to_owned(), short_hash(&texts)),
        ("rules".to_owned(), short_hash(&created.protocol)),
        ("models".to_owned(), short_hash(&models)),
    ])
}

/// Hashes who sits on each chair, so that two debates can be asked whether the same answered.
pub(super) fn hash_players(created: &Created) -> BTreeMap<String, String> {
    let cast = created.cast.iter();
    let players = cast.map(|participant| {
        let player = &participant.player;
        let hash = short_hash(&(super::player_name(player), reply_settings(player)));
        (participant.chair.to_string(), hash)
    });
    players.collect()
}

/// Returns a model's name at its provider with what changes its replies; `None` of others.
fn reply_settings(player: &Player) -> Option<(&String, Vec<Value>)> {
    match player {
        Player::Model(model) => Some((&model.name, sampling_settings(&model.settings))),
        Player::Human { .. } | Player::Fixed(_) => None,
    }
}

/// Returns of a model's settings what changes its replies: how it is sampled, what the configuration adds to
/// its requests, and what a simulated one does.
/// Prices, deadlines and addresses change nothing.
fn sampling_settings(settings: &Value) -> Vec<Value> {
    let Value::Object(fields) = settings else {
        return Vec::new();
    };
    let values = fields.iter().flat_map(|(name, value)| match name.as_str() {
        "sampling" | "extra_body" => vec![value.clone()],
        "sim" => {
            let mut simulation = value.clone();
            if let Value::Object(fields) = &mut simulation {
                fields.remove("latency_ms");
            }
            vec![simulation]
        }
        _ => sampling_settings(value),
    });
    values.collect()
}

fn short_hash(value: &impl Serialize) -> String {
    // What was read from a journal can be written again.
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let mut text = Hash::digest(&bytes).to_string();
    text.truncate(DIGITS);
    text
}
