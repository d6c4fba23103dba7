//! Head of a transcript: what only a whole session has, and what no seat was shown of its topic.

use elenchus_game::debate::event::{Created, RunPlace};
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::Import;
use elenchus_text::{Page, cost};

/// How wide the column of names is.
const NAMES: usize = 13;

/// Writes the head of a session.
pub(super) fn write(
    page: &mut Page,
    (session, state, created): (&SessionId, &State, &Created),
    imported: Option<&Import>,
) {
    if created.is_simulated() {
        page.at(0).middle(
            "SIMULATED: simulated models played this; it is no evidence about models or protocols",
        );
        page.gap();
    }
    page.bold(&format!("Session {session}"));
    let mut field = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            page.field(0, name, NAMES, &text);
        }
    };
    let protocol = &created.protocol;
    let name = format!("{} - {}", protocol.id, protocol.name);
    field("protocol", Some(name));
    let settings = created.changed_settings().join(", ");
    field("settings", Some(settings).filter(|all| !all.is_empty()));
    field("seed", Some(created.seed.to_string()));
    let topic = &created.topic;
    let for_graders = |answer: &str| format!("{answer} (for graders alone)");
    let reference = topic.reference.as_ref();
    field("reference", reference.map(|one| for_graders(&one.answer)));
    let unseen = |text: String| format!("{text} (by the dataset; not shown to any seat)");
    let expected = topic.expected.as_ref().map(ToString::to_string);
    field("expected", expected.map(unseen));
    let level = topic.level.map(|level| level.to_string());
    field("level", level.map(unseen));
    field("memory", memory(created));
    field("run", created.run.as_ref().map(run));
    let parents = state.forked_from().iter().map(SessionId::as_str);
    let parents = parents.collect::<Vec<_>>().join(", from ");
    field("forked from", Some(parents).filter(|from| !from.is_empty()));
    field("imported", imported.map(import));
    for changed in state.replaced_templates() {
        let names: Vec<&str> = changed.texts.keys().map(String::as_str).collect();
        let text = format!("{} changed {}", names.join(", "), changed.at);
        field("prompts", (!names.is_empty()).then_some(text));
    }
    field("estimate", created.estimate.as_ref().map(cost::estimate));
    field("used", used(state, created));
    let begun = state.span().0;
    field("begun", Some(format!("{begun}, by {}", created.software)));
}

fn memory(created: &Created) -> Option<String> {
    let memory = &created.memory;
    let used = match (memory.reads, memory.writes) {
        (false, false) => return None,
        (true, false) => "read",
        (false, true) => "written",
        (true, true) => "read and written",
    };
    Some(format!("'{}', {used}", memory.namespace))
}

fn run(place: &RunPlace) -> String {
    let mut text = format!("{}, item {}", place.run, place.item);
    if place.rollout > 0 {
        text.push_str(&format!(", rollout {}", place.rollout));
    }
    if let Some(batch) = place.batch {
        text.push_str(&format!(", batch {batch}"));
    }
    text
}

fn import(import: &Import) -> String {
    let from = import.from.iter().map(|from| format!(" from {from}"));
    let from: String = from.collect();
    format!("{}{from}", import.at)
}

/// Returns what was used of an estimate, and how much of what was likely that is.
fn used(state: &State, created: &Created) -> Option<String> {
    let estimate = created.estimate?;
    let spend = state.spend();
    let tokens = spend.tokens();
    let cost = cost::sum(spend.cost_usd, spend.unpriced_calls);
    let used = format!("{cost}; {tokens} tokens");
    let usd = (spend.unpriced_calls == 0).then_some(spend.cost_usd);
    // A fork uses only a part of what the whole was estimated to use.
    let is_whole = state.forked_from().is_empty();
    let times = cost::multiple(&estimate.likely, usd, tokens).filter(|_| is_whole);
    Some(match times {
        Some(times) => format!("{used} ({times:.2} times what was likely)"),
        None => used,
    })
}
