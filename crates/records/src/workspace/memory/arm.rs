//! Part of an arm's name that comes from long-term memory: namespace, state, retriever and learning. Names
//! state only what is not the default.

use super::book::{DEFAULT_NAMESPACE, namespace_for};
use super::kind::DEFAULT_TRAIN_EVERY;
use elenchus_game::debate::State;
use elenchus_game::debate::event::{
    ContinuousMemory, Created, MemoryLookup, MemoryUse, TrainingTexts,
};
use elenchus_memory::{Lexical, Retriever as _};

/// Default division of topics into batches: the paper's.
const DEFAULT_BATCH: u32 = 1;

/// Returns the end of an arm's name; empty for a debate that was shown nothing and asked about no
/// guardrail, regardless of what it taught.
pub(crate) fn memory_of_arm(state: &State, created: &Created) -> String {
    let memory = &created.memory;
    if !memory.reads && !memory.guards && memory.continuous.is_none() {
        return String::new();
    }
    let mut name = String::new();
    match (memory.reads, &memory.given) {
        (false, _) => {}
        (true, None) => name.push_str(" memory"),
        // Replicates of one debate that differ in what they are shown are no one arm.
        (true, Some(given)) => {
            let ids = given.entries.iter().map(|entry| entry.id.as_str());
            name.push_str(" memory=");
            name.push_str(&ids.collect::<Vec<_>>().join("+"));
        }
    }
    if memory.guards {
        name.push_str(" guardrails");
    }
    if let Some(continuous) = memory.continuous {
        name.push(' ');
        name.push_str(&describe_continuous(continuous));
    }
    for detail in list_details(state, created) {
        name.push(' ');
        name.push_str(&detail);
    }
    name
}

fn list_details(state: &State, created: &Created) -> Vec<String> {
    let memory = &created.memory;
    let is_simulated = created.is_simulated();
    let default = [
        "",
        DEFAULT_NAMESPACE,
        &namespace_for(DEFAULT_NAMESPACE, is_simulated),
    ]
    .contains(&memory.namespace.as_str());
    let mut details = Vec::new();
    if !default {
        details.push(format!("namespace={}", memory.namespace));
    }
    // What is given was fixed beforehand: nothing was looked up, and nothing was learned.
    if memory.given.is_some() || memory.given_guards.is_some() {
        return details;
    }
    if memory.reads {
        details.extend(describe_lookup(memory.lookup));
    }
    if memory.guards {
        let examples = memory.guard_examples.iter();
        details.extend(examples.map(|count| format!("examples={count}")));
    }
    details.extend(match (memory.first, &memory.as_of) {
        (Some(count), _) => Some(format!("snapshot=first:{count}")),
        (None, at) => at.as_ref().map(|at| format!("snapshot={at}")),
    });
    if memory.as_of.is_none() {
        details.extend(describe_learning(created, memory));
    }
    let lessons = state.retrievals().next();
    let lessons = lessons.map(|retrieved| &retrieved.retriever);
    let guards = state.retrieved_guards().map(|near| &near.retriever);
    let retriever = lessons.filter(|_| memory.reads).or(guards);
    let other_retriever = retriever.filter(|name| name.as_str() != Lexical.name());
    details.extend(other_retriever.map(|name| format!("retriever={name}")));
    details
}

/// Describes continuous memory. Debates before the first training, and those of a topic that taught their
/// adapters, are no debates of the arm that was asked for.
fn describe_continuous(continuous: ContinuousMemory) -> String {
    let mut text = "continuous".to_owned();
    match (continuous.generation, continuous.knows_topic) {
        (0, _) => text.push_str(":untrained"),
        (_, true) => text.push_str(":own-topic"),
        (_, false) => {}
    }
    match continuous.texts {
        TrainingTexts::Lessons => {}
        TrainingTexts::Placebo => text.push_str(" placebo"),
    }
    if continuous.every != DEFAULT_TRAIN_EVERY {
        text.push_str(&format!(" train-every={}", continuous.every));
    }
    text
}

/// Describes how memory was looked up, where that is not the default. Debates of earlier versions were shown
/// only lessons that share a word with the topic.
fn describe_lookup(lookup: Option<MemoryLookup>) -> Vec<String> {
    let Some(lookup) = lookup else {
        return vec!["lookup=earlier".to_owned()];
    };
    let default = MemoryLookup::default();
    let mut parts = Vec::new();
    if lookup.k != default.k {
        parts.push(format!("k={}", lookup.k));
    }
    parts.extend(lookup.min_score.map(|least| format!("min-score={least}")));
    if lookup.query != default.query {
        parts.push(format!("query={}", lookup.query.name()));
    }
    parts
}

/// Describes how the run learned, as far as the session records it.
fn describe_learning(created: &Created, memory: &MemoryUse) -> Vec<String> {
    let teaches = !created.protocol.feedback.is_empty();
    let has_batch = created
        .run
        .as_ref()
        .is_some_and(|place| place.batch.is_some());
    let mut parts = Vec::new();
    if teaches && !memory.merges {
        parts.push("duplicates=kept".to_owned());
    }
    match memory.learning {
        Some(learning) => {
            if learning.batch != DEFAULT_BATCH {
                parts.push(format!("batch={}", learning.batch));
            }
            if let Some(share) = learning.split.filter(|_| teaches) {
                let half = if memory.writes {
                    "learning"
                } else {
                    "held-out"
                };
                parts.push(format!("split={share}:{half}"));
            }
            let placebo = learning.placebo;
            parts.extend(placebo.map(|placebo| format!("placebo={}", placebo.name())));
            let accepts = learning.accepts_up_to;
            parts.extend(accepts.map(|share| format!("accepts={share}")));
        }
        // An earlier version's session does not say how large the batches were; what does not teach
        // where its game writes lessons is held out.
        None if has_batch => {
            parts.push("batch=?".to_owned());
            if teaches && !memory.writes {
                parts.push("split=?:held-out".to_owned());
            }
        }
        None => {}
    }
    parts
}
