//! What a debate's first event says about where it comes from. Pure.

use crate::debate::event::{Created, Player};
use crate::debate::{State, Topic};
use crate::metrics::LearningPhase;
use crate::store::Hash;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Hexadecimal digits of a shown hash.
const DIGITS: usize = 6;

/// Returns when a debate began, RFC 3339; empty where it is not known.
pub(super) fn began_at(state: &State) -> String {
    state.span().0.to_owned()
}

/// Returns the part of a learning run that a debate belongs to; `None` without long-term memory.
pub(super) fn phase(created: &Created) -> Option<LearningPhase> {
    let memory = &created.memory;
    if !memory.reads && !memory.guards {
        return None;
    }
    Some(match memory.writes {
        true => LearningPhase::Learning,
        false => LearningPhase::HeldOut,
    })
}

/// Hashes what a seat can be shown of a topic.
pub(super) fn topic_hash(topic: &Topic) -> String {
    short_hash(&(
        &topic.text,
        &topic.conversation,
        &topic.context,
        &topic.options,
    ))
}

/// Hashes what a debate was played with and its arm's name does not spell out.
pub(super) fn conditions(created: &Created) -> BTreeMap<String, String> {
    let texts = (&created.templates, &created.rubrics, &created.lists);
    let models = created.cast.iter().map(|participant| {
        let model = match &participant.player {
            Player::Model(model) => Some((&model.name, sampling(&model.settings))),
            Player::Human { .. } | Player::Fixed(_) => None,
        };
        (&participant.chair, model)
    });
    let models: Vec<_> = models.collect();
    BTreeMap::from([
        ("prompts".to_owned(), short_hash(&texts)),
        ("rules".to_owned(), short_hash(&created.protocol)),
        ("models".to_owned(), short_hash(&models)),
    ])
}

/// Returns of a model's settings what changes its replies: how it is sampled, and what a simulated one does.
/// Prices, deadlines and addresses change nothing.
fn sampling(settings: &Value) -> Vec<Value> {
    let Value::Object(fields) = settings else {
        return Vec::new();
    };
    let found = fields.iter().flat_map(|(name, value)| match name.as_str() {
        "sampling" => vec![value.clone()],
        "sim" => {
            let mut simulated = value.clone();
            if let Value::Object(fields) = &mut simulated {
                fields.remove("latency_ms");
            }
            vec![simulated]
        }
        _ => sampling(value),
    });
    found.collect()
}

fn short_hash(value: &impl Serialize) -> String {
    // What was read from a journal can be written again.
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let mut text = Hash::of(&bytes).to_string();
    text.truncate(DIGITS);
    text
}
