//! Head of a transcript: what only a whole session has, and what no seat was shown of its topic.

use elenchus_game::debate::event::{ContinuousMemory, Created, RunPlace, TrainingTexts};
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::Import;
use elenchus_text::{Page, cost, format_noun_count};
use std::collections::BTreeSet;

/// How wide the column of names is.
const NAMES: usize = 13;

/// Writes the head of a session.
pub(super) fn write_head(
    page: &mut Page,
    (session, state, creation): (&SessionId, &State, &Created),
    imported: Option<&Import>,
) {
    if creation.is_simulated() {
        page.line_at(0).write_middle(
            "SIMULATED: simulated models played this; it is no evidence about models or protocols",
        );
        page.add_gap();
    }
    page.add_bold_line(&format!("Session {session}"));
    let mut write_field = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            page.add_field(0, name, NAMES, &text);
        }
    };
    let protocol = &creation.protocol;
    let name = format!("{} - {}", protocol.id, protocol.name);
    write_field("protocol", Some(name));
    let settings = creation.changed_settings().join(", ");
    write_field("settings", Some(settings).filter(|all| !all.is_empty()));
    write_field("seed", Some(creation.seed.to_string()));
    let topic = &creation.topic;
    let mark_for_graders = |answer: &str| format!("{answer} (for graders alone)");
    let reference = topic.reference.as_ref();
    write_field(
        "reference",
        reference.map(|one| mark_for_graders(&one.answer)),
    );
    let mark_unseen = |text: String| format!("{text} (by the dataset; not shown to any seat)");
    let expected = topic.expected.as_ref().map(ToString::to_string);
    write_field("expected", expected.map(mark_unseen));
    let level = topic.level.map(|level| level.to_string());
    write_field("level", level.map(mark_unseen));
    write_field("memory", describe_memory_use(creation));
    write_field("run", creation.run.as_ref().map(describe_run_place));
    let parents = state.forked_from().iter().map(SessionId::as_str);
    let parents = parents.collect::<Vec<_>>().join(", from ");
    write_field("forked from", Some(parents).filter(|from| !from.is_empty()));
    write_field("imported", imported.map(describe_import));
    for changed in state.replaced_templates() {
        let names: Vec<&str> = changed.texts.keys().map(String::as_str).collect();
        let text = format!("{} changed {}", names.join(", "), changed.at);
        write_field("prompts", (!names.is_empty()).then_some(text));
    }
    write_field(
        "estimate",
        creation.estimate.as_ref().map(cost::describe_estimate),
    );
    write_field("used", describe_spend_of_estimate(state, creation));
    let begin_time = state.time_span().0;
    write_field(
        "begun",
        Some(format!("{begin_time}, by {}", creation.software)),
    );
}

fn describe_memory_use(creation: &Created) -> Option<String> {
    let memory = &creation.memory;
    let memory_use = match (memory.reads, memory.writes) {
        (false, false) if memory.continuous.is_none() => return None,
        (true, false) | (false, false) => "read",
        (false, true) => "written",
        (true, true) => "read and written",
    };
    let mut text = format!("'{}', {memory_use}", memory.namespace);
    if let Some(continuous) = memory.continuous {
        text.push_str("; ");
        text.push_str(&describe_adapters(creation, continuous));
    }
    Some(text)
}

/// Says with which adapters debaters play.
fn describe_adapters(creation: &Created, continuous: ContinuousMemory) -> String {
    if continuous.generation == 0 {
        return "debaters play untrained".to_owned();
    }
    let players = creation.cast.iter().filter_map(|one| one.player.as_model());
    let adapters: BTreeSet<String> = players
        .filter_map(|model| {
            let adapter = model.adapter.as_deref()?;
            let lessons = match continuous.texts {
                TrainingTexts::Lessons => format_noun_count(adapter.lessons as usize, "lesson"),
                TrainingTexts::Placebo => {
                    format_noun_count(adapter.lessons as usize, "placebo text")
                }
            };
            Some(format!(
                "{} on {lessons}, from {}",
                adapter.model, adapter.base
            ))
        })
        .collect();
    let adapters: Vec<String> = adapters.into_iter().collect();
    let own_topic = match continuous.knows_topic {
        true => "; the topic taught them",
        false => "",
    };
    format!(
        "debaters play with adapters of generation {}: {}{own_topic}",
        continuous.generation,
        adapters.join("; ")
    )
}

fn describe_run_place(place: &RunPlace) -> String {
    let mut text = format!("{}, item {}", place.run, place.item);
    if place.rollout > 0 {
        text.push_str(&format!(", rollout {}", place.rollout));
    }
    if let Some(batch) = place.batch {
        text.push_str(&format!(", batch {batch}"));
    }
    text
}

fn describe_import(import: &Import) -> String {
    let from = import.from.iter().map(|from| format!(" from {from}"));
    let from: String = from.collect();
    format!("{}{from}", import.at)
}

/// Returns what was used of an estimate, and how much of what was likely that is.
fn describe_spend_of_estimate(state: &State, creation: &Created) -> Option<String> {
    let estimate = creation.estimate?;
    let spend = state.spend();
    let tokens = spend.total_tokens();
    let cost = cost::format_cost_sum(spend.cost_usd, spend.unpriced_calls);
    let spend_text = format!("{cost}; {tokens} tokens");
    let usd = (spend.unpriced_calls == 0).then_some(spend.cost_usd);
    // A fork uses only a part of what the whole was estimated to use.
    let is_whole = state.forked_from().is_empty();
    let times = cost::compute_multiple(&estimate.likely, usd, tokens).filter(|_| is_whole);
    Some(match times {
        Some(times) => format!("{spend_text} ({times:.2} times what was likely)"),
        None => spend_text,
    })
}
