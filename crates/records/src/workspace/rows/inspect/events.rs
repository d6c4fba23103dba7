//! Events of a sample: a span for each turn and each judgement, in the order in which they came.

use super::scores::{Score, name_target};
use super::turns::{SpokenTurn, stop_reason};
use super::usage::usage_value;
use super::{model_name, seconds_between};
use elenchus_game::debate::event::{Created, Reply};
use elenchus_game::debate::{Chair, SessionId, State};
use serde_json::{Map, Value, json};

/// Settings that Inspect calls as we do.
const SETTINGS: [&str; 4] = ["temperature", "top_p", "max_tokens", "seed"];

/// A span that is to be written.
struct Span {
    /// RFC 3339, UTC.
    at: String,
    name: String,
    kind: &'static str,
    event: Map<String, Value>,
    latency_ms: u64,
}

/// Returns the events of the turns and scores that are in a log.
pub(super) fn list_events(
    (session, state, created): (&SessionId, &State, &Created),
    turns: &[SpokenTurn<'_>],
    scores: &[Score],
) -> Vec<Value> {
    let mut spans: Vec<Span> = turns
        .iter()
        .map(|turn| turn_span(session, created, turn))
        .collect();
    spans.extend(judging_spans(state, created, scores));
    // The order of speaking holds among those of one moment.
    spans.sort_by(|one, other| one.at.cmp(&other.at));
    let (began, _) = state.time_span();
    let mut events = Vec::new();
    for (at, span) in spans.into_iter().enumerate() {
        let id = format!("{session}-span-{at}");
        let working_start = seconds_between(began, &span.at);
        let common = |event: &str, part: &str| {
            let mut fields = Map::new();
            let uuid = format!("{id}-{part}");
            let values = [
                ("uuid", json!(uuid)),
                ("event", json!(event)),
                ("span_id", json!(id)),
                ("timestamp", json!(span.at)),
                ("working_start", json!(working_start)),
            ];
            fields.extend(values.map(|(key, value)| (key.to_owned(), value)));
            fields
        };
        let mut begin = common("span_begin", "begin");
        begin.insert("id".to_owned(), json!(id));
        begin.insert("name".to_owned(), json!(span.name));
        begin.insert("type".to_owned(), json!(span.kind));
        let kind = match span.event.contains_key("output") {
            true => "model",
            false => "info",
        };
        let mut content = common(kind, "content");
        content.extend(span.event.clone());
        if kind == "model" {
            content.insert("completed".to_owned(), json!(span.at));
            let seconds = span.latency_ms as f64 / 1000.0;
            content.insert("working_time".to_owned(), json!(seconds));
        }
        let mut end = common("span_end", "end");
        end.insert("id".to_owned(), json!(id));
        events.extend([begin, content, end].map(Value::Object));
    }
    events
}

fn turn_span(session: &SessionId, created: &Created, turn: &SpokenTurn<'_>) -> Span {
    let address = &turn.id.turn;
    let reply = &turn.attempt.reply;
    let name = created.protocol.name_of(&address.chair);
    let model = turn.model(created);
    let event = match model.is_empty() {
        true => info_event(&name, &reply.text),
        false => model_event(
            &model,
            &address.chair.to_string(),
            reply,
            turn.output(session, created),
        ),
    };
    Span {
        at: turn.attempt.at.clone(),
        name: format!("round {} {} {name}", address.round, address.stage),
        kind: "turn",
        event,
        latency_ms: reply.latency_ms,
    }
}

/// Returns the calls of judges whose findings are in the log.
fn judging_spans(state: &State, created: &Created, scores: &[Score]) -> Vec<Span> {
    let mut spans = Vec::new();
    for (judging, target, by_slot) in state.verdicts() {
        let rule = created.protocol.find_judging(judging);
        let Some(seat) = rule.and_then(|rule| rule.by.clone()) else {
            continue;
        };
        let about = name_target(judging, target);
        if !scores.iter().any(|score| score.name == about) {
            continue;
        }
        for (slot, last) in by_slot {
            let chair = Chair {
                seat: seat.clone(),
                index: slot.chair,
            };
            let Some(model) = created.player_of(&chair).and_then(model_name) else {
                continue;
            };
            for verdict in last.earlier.iter().chain([&**last]) {
                let Some(reply) = &verdict.reply else {
                    continue;
                };
                let output = judge_output(&model, reply);
                spans.push(Span {
                    at: verdict.at.clone(),
                    name: format!("{} on {about}", created.protocol.name_of(&chair)),
                    kind: "judging",
                    event: model_event(&model, &chair.to_string(), reply, output),
                    latency_ms: reply.latency_ms,
                });
            }
        }
    }
    spans
}

fn judge_output(model: &str, reply: &Reply) -> Value {
    json!({
        "model": model,
        "choices": [{
            "message": { "role": "assistant", "content": reply.text, "source": "generate", "model": model },
            "stop_reason": stop_reason(&reply.finish),
        }],
        "completion": reply.text,
        "usage": usage_value(&reply.usage, reply.cost_usd),
        "time": reply.latency_ms as f64 / 1000.0,
    })
}

/// Returns the call of a model. What its seat was shown is not in the log.
fn model_event(model: &str, role: &str, reply: &Reply, output: Value) -> Map<String, Value> {
    let sampling = reply.sampling.decode();
    let settings = SETTINGS.iter().filter_map(|key| {
        let value = sampling.get(*key).filter(|value| value.is_number())?;
        Some(((*key).to_owned(), value.clone()))
    });
    let mut event = Map::new();
    let values = [
        ("model", json!(model)),
        ("role", json!(role)),
        ("input", json!([])),
        ("tools", json!([])),
        ("tool_choice", json!("none")),
        ("config", Value::Object(settings.collect())),
        ("output", output),
    ];
    event.extend(values.map(|(key, value)| (key.to_owned(), value)));
    if reply.cached {
        event.insert("cache".to_owned(), json!("read"));
    }
    event
}

fn info_event(name: &str, text: &str) -> Map<String, Value> {
    let mut event = Map::new();
    event.insert("source".to_owned(), json!(name));
    event.insert("data".to_owned(), json!(text));
    event
}
