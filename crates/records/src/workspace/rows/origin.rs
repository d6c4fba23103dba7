//! What a debate's first event says about where it comes from. Pure.

use elenchus_game::debate::State;
use elenchus_game::debate::event::{Created, ModelPlayer, Player, TrainingTexts};
use elenchus_metrics::{DebateRow, LearningPhase};
use elenchus_store::Hash;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Setting of a simulated model that says how often it was trained.
const SIMULATED_GENERATION: &str = "generation";
/// Continuous memory, as it is called among the kinds of memory of a debate.
const TRAINED: &str = "continuous";
/// With models that were trained elsewhere.
const ELSEWHERE: &str = "continuous:elsewhere";
/// Before the first training.
const UNTRAINED: &str = "continuous:untrained";
/// On adapters that the topic taught.
const OWN_TOPIC: &str = "continuous:own-topic";
/// Hexadecimal digits of a shown hash.
const DIGITS: usize = 6;

/// Returns when a debate began, RFC 3339; empty where it is not known.
pub(super) fn began_at(state: &State) -> String {
    state.time_span().0.to_owned()
}

/// Returns the part of a learning run that a debate belongs to; `None` without long-term memory.
pub(super) fn learning_phase(created: &Created) -> Option<LearningPhase> {
    let memory = &created.memory;
    if !memory.reads && !memory.guards && memory.continuous.is_none() {
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
    let textual = memory.reads.then_some("textual");
    let continuous = memory.continuous.map(|continuous| {
        match (
            continuous.generation,
            continuous.knows_topic,
            continuous.texts,
        ) {
            (0, _, _) => UNTRAINED,
            (_, true, _) => OWN_TOPIC,
            (_, false, TrainingTexts::Lessons) => TRAINED,
            (_, false, TrainingTexts::Placebo) => "continuous:placebo",
        }
    });
    let judged = created.protocol.judged_chairs();
    let judged_players = created
        .cast
        .iter()
        .filter(|one| judged.contains(&one.chair));
    let mut judged_models = judged_players.filter_map(|one| one.player.as_model());
    let elsewhere = judged_models.any(|model| trained_elsewhere(model).is_some());
    let elsewhere = elsewhere.then_some(ELSEWHERE);
    let guardrails = memory.guards.then_some("guardrails");
    let kinds: Vec<&str> = [textual, continuous, elsewhere, guardrails]
        .into_iter()
        .flatten()
        .collect();
    match kinds.is_empty() {
        true => "none".to_owned(),
        false => kinds.join(" + "),
    }
}

/// Why a debate whose debaters are trained between batches is none of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingFault {
    /// It was played before the first training.
    Untrained,
    /// Its topic, or a near-duplicate of it, taught the adapters.
    OwnTopic,
}

/// Returns what speaks against counting a debate whose debaters are trained between batches; `None` for any other.
pub fn find_training_fault(row: &DebateRow) -> Option<TrainingFault> {
    let mut kinds = row.origin.memory.as_deref()?.split(" + ");
    kinds.find_map(|kind| match kind {
        UNTRAINED => Some(TrainingFault::Untrained),
        OWN_TOPIC => Some(TrainingFault::OwnTopic),
        _ => None,
    })
}

/// Returns what a model says that it was trained on before the debate: lessons, else the name of an adapter.
pub(super) fn trained_elsewhere(model: &ModelPlayer) -> Option<&str> {
    let settings = model.settings.get("server")?.get("model")?;
    let training = settings
        .get("trained_on")
        .or_else(|| settings.get("adapter"));
    training?.as_str()
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

/// Returns how many lessons the adapters of a debate were trained on; `None` where it plays with none, or is
/// shown lessons as well.
pub(super) fn lessons_trained_on(created: &Created) -> Option<u32> {
    let continuous = created
        .memory
        .continuous
        .filter(|_| !created.memory.reads)?;
    if continuous.generation == 0 {
        return Some(0);
    }
    let players = created.cast.iter().filter_map(|one| one.player.as_model());
    let mut adapters = players.filter_map(|model| model.adapter.as_deref());
    let lessons = adapters.next()?.lessons;
    Some(u32::try_from(lessons).unwrap_or(u32::MAX))
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
        .map(|participant| (&participant.chair, base_settings(&participant.player)))
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

/// As [`reply_settings`], of the base where an adapter plays: of which generation that is differs between debates
/// of one arm.
fn base_settings(player: &Player) -> Option<(&String, Vec<Value>)> {
    let (name, mut settings) = reply_settings(player)?;
    let Some(adapter) = player.as_model().and_then(|model| model.adapter.as_deref()) else {
        return Some((name, settings));
    };
    let simulations = settings.iter_mut().filter_map(Value::as_object_mut);
    simulations.for_each(|fields| {
        fields.remove(SIMULATED_GENERATION);
    });
    Some((&adapter.base, settings))
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
