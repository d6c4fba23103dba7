//! Parts of round records: fields of chosen replies, citations, tokens and flags.

use elenchus_game::debate::event::{Fields, Finding, Outcome, Usage};
use elenchus_game::debate::gauge_number;
use elenchus_game::debate::protocol::{Gauge, RecordRoles, Take};
use elenchus_game::debate::state::{StoppedReply, field_at_path};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, JudgingId, StageId, State, TurnId};
use elenchus_text::stopped::stopped_reason;
use serde_json::{Value, json};

/// The deepest nesting of a position's fields that is searched for citations.
const MAX_DEPTH: usize = 8;

/// Digits of a hash that a flag shows, as warnings do.
const SHOWN_DIGITS: usize = 12;

/// The fields that list evidence.
const EVIDENCE: [&str; 2] = ["evidence", "evidence_cited"];

/// A structured reply that counts.
pub(super) struct Position<'a> {
    pub id: AttemptId,
    pub fields: &'a Value,
}

/// Returns the turns of a stage in a round, in the order of their seats.
fn turns_of<'a>(
    state: &'a State,
    stage: &'a StageId,
    round: u32,
) -> impl Iterator<Item = &'a TurnId> {
    state
        .turns()
        .keys()
        .filter(move |turn| turn.round == round && &turn.stage == stage)
}

/// Returns the reply that counts as a stage's position in a round, if it could be parsed.
pub(super) fn chosen_fields<'a>(
    state: &'a State,
    stage: &'a StageId,
    round: u32,
) -> Option<Position<'a>> {
    turns_of(state, stage, round).find_map(|turn| {
        let (id, attempt) = state.chosen_attempt(turn)?;
        match attempt.fields.as_ref()? {
            Fields::Read(fields) => Some(Position { id, fields }),
            Fields::Unparsed { .. } => None,
        }
    })
}

/// Returns a text field.
pub(super) fn text_field(fields: &Value, key: &str) -> Option<String> {
    fields.get(key)?.as_str().map(str::to_owned)
}

/// Returns a list field.
pub(super) fn list_field(fields: &Value, key: &str) -> Option<Vec<Value>> {
    fields.get(key)?.as_array().cloned()
}

/// Returns all citations of a position: from the citation check, else as written.
pub(super) fn list_citations(
    state: &State,
    check: Option<&JudgingId>,
    position: &Position<'_>,
) -> Vec<Value> {
    let checked_citations = check
        .and_then(|check| find_citation_check(state, check, &position.id))
        .and_then(|finding| list_field(&finding.fields, "citations"));
    checked_citations.unwrap_or_else(|| {
        let mut citations = Vec::new();
        collect_nested_citations(position.fields, &mut citations, 0);
        citations
    })
}

fn find_citation_check(state: &State, check: &JudgingId, attempt: &AttemptId) -> Option<Finding> {
    let rule = state.protocol()?.find_judging(check)?;
    let outcome = state.combined_outcome(rule, &Target::Attempt(attempt.clone()))?;
    outcome.as_finding().cloned()
}

/// Collects every object that names a document or quotes one.
fn collect_nested_citations(value: &Value, citations: &mut Vec<Value>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(object) => {
            let document = object.get("document").and_then(Value::as_str);
            let quote = object.get("quote").and_then(Value::as_str);
            if document.is_some() || quote.is_some() {
                citations.push(json!({ "document": document, "quote": quote }));
                return;
            }
            for (key, inner) in object {
                match inner {
                    // Evidence as a text of its own: no document is named.
                    Value::Array(items) if EVIDENCE.contains(&key.as_str()) => {
                        let texts = items.iter().filter_map(Value::as_str);
                        citations
                            .extend(texts.map(|text| json!({ "document": null, "quote": text })));
                        collect_nested_citations(inner, citations, depth + 1);
                    }
                    _ => collect_nested_citations(inner, citations, depth + 1),
                }
            }
        }
        Value::Array(items) => {
            for inner in items {
                collect_nested_citations(inner, citations, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the tokens of all attempts of a stage's turns in a round, and of the replies to these turns that
/// were stopped.
pub(super) fn tokens_of_turns(state: &State, stage: &StageId, round: u32) -> u64 {
    let stopped_replies = state.stopped_replies().iter().filter(|stopped| {
        let turn = stopped.reply.step.turn();
        turn.is_some_and(|turn| turn.round == round && &turn.stage == stage)
    });
    turns_of(state, stage, round)
        .filter_map(|turn| state.turns().get(turn))
        .flat_map(|turn| &turn.attempts)
        .map(|attempt| count_tokens(&attempt.reply.usage))
        .chain(tokens_of_stopped_replies(stopped_replies))
        .fold(0, u64::saturating_add)
}

/// Returns the tokens of all replies of a rule's judges on a round, repairs and stopped ones included.
pub(super) fn sum_tokens_of_verdicts_on_round(state: &State, rule: &JudgingId, round: u32) -> u64 {
    let target = Target::Round(round);
    let stopped_verdicts = state.stopped_verdicts_on(&target).filter(|stopped| {
        let judged_step = stopped.reply.step.requested_verdict();
        judged_step.is_some_and(|(judging, ..)| judging == *rule)
    });
    state
        .verdicts_on(rule, &Target::Round(round))
        .into_iter()
        .flat_map(|by_slot| by_slot.values())
        .flat_map(|verdict| verdict.earlier.iter().chain([&**verdict]))
        .filter_map(|verdict| Some(count_tokens(&verdict.reply.as_ref()?.usage)))
        .chain(tokens_of_stopped_replies(stopped_verdicts))
        .fold(0, u64::saturating_add)
}

/// Returns what servers reported of stopped replies; where they did not, only a bound is known.
fn tokens_of_stopped_replies<'a>(
    stopped: impl Iterator<Item = &'a StoppedReply>,
) -> impl Iterator<Item = u64> {
    stopped.filter_map(|stopped| Some(count_tokens(stopped.reply.usage.as_ref()?)))
}

fn count_tokens(usage: &Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.output_tokens)
}

/// Returns the flags of a debate, in the order of its rounds.
pub(super) fn list_flags(state: &State, roles: &RecordRoles) -> Vec<String> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let mut flags = unpinned_flags(state);
    for (turn, known) in state.turns() {
        if known.filtered {
            flags.push(format!("filtered: {turn}"));
        }
        let Some((id, attempt)) = state.chosen_attempt(turn) else {
            continue;
        };
        if attempt.is_empty_reply() {
            flags.push(format!("empty: {id}"));
        } else if let Some(Fields::Unparsed { why }) = &attempt.fields {
            flags.push(format!("unparsed: {id}: {why}"));
        }
        if let Some(Fields::Read(fields)) = &attempt.fields {
            for gauge in &protocol.gauges {
                if gauge.stage.as_ref() == Some(&turn.stage) {
                    flags.extend(flag_low_reading(gauge, fields, &id.to_string()));
                }
            }
        }
        flags.extend(evidence_flags(state, roles, &id));
    }
    for (judging, target, by_slot) in state.verdicts() {
        if protocol
            .find_judging(judging)
            .is_none_or(|rule| rule.is_rule())
        {
            continue;
        }
        for verdict in by_slot.values() {
            match &verdict.outcome {
                None => flags.push(format!("filtered: {judging} {target}")),
                Some(Outcome::Unparsed { why, .. }) => {
                    flags.push(format!("unparsed: {judging} {target}: {why}"));
                }
                Some(Outcome::Label(finding)) => {
                    for gauge in &protocol.gauges {
                        if gauge.judging.as_ref() == Some(judging) {
                            let place = format!("{judging} {target}");
                            flags.extend(flag_low_reading(gauge, &finding.fields, &place));
                        }
                    }
                }
            }
        }
    }
    flags.extend(state.find_undecided_round().map(|round| {
        let asks = protocol.stop.iter().filter_map(|rule| {
            let by = rule.judging.as_ref().map(ToString::to_string);
            by.or_else(|| rule.stage.as_ref().map(ToString::to_string))
        });
        let asks: Vec<String> = asks.collect();
        format!(
            "undecided: {} asked for more after r{round}, the last round",
            asks.join(", ")
        )
    }));
    flags.extend(state.stopped_replies().iter().map(|stopped| {
        let reply = &stopped.reply;
        format!("stopped: {}: {}", reply.step, stopped_reason(reply))
    }));
    flags
}

/// Returns the flags of prompts that could be pinned, were not, and were not as they are built in
/// (EAAPL-MAG005 §10.1: a critic that was made to agree).
fn unpinned_flags(state: &State) -> Vec<String> {
    let unpinned_prompts = state
        .first_event()
        .into_iter()
        .flat_map(|created| &created.unpinned);
    let flags = unpinned_prompts.map(|(path, hash)| {
        let hash: String = hash.chars().take(SHOWN_DIGITS).collect();
        format!("unpinned prompt: {path}: its SHA-256 begins with {hash}")
    });
    flags.collect()
}

/// Returns the flag of a reading below a gauge's bound.
fn flag_low_reading(gauge: &Gauge, fields: &Value, place: &str) -> Option<String> {
    let bound = gauge.flag_below?;
    let field_value = field_at_path(fields, gauge.field.as_ref()?)?;
    let reading = match gauge.take {
        Take::Number => gauge_number(gauge, fields)?,
        Take::Length => field_value.as_array()?.len() as f64,
        // A share is no reading of a single debate.
        Take::Is | Take::Above | Take::SameAs => return None,
    };
    let what = gauge.flag.as_deref().unwrap_or(&gauge.name);
    (reading < bound).then(|| format!("{what}: {place}: {reading} is below {bound}"))
}

/// Returns the flags of a turn's evidence: quotes that are in no document, and evidence that is
/// claimed without a quote or was not checked (EAAPL-MAG005 §10.3: uncited or fabricated).
fn evidence_flags(state: &State, roles: &RecordRoles, attempt: &AttemptId) -> Vec<String> {
    let check = roles.citations.as_ref();
    let Some(finding) = check.and_then(|check| find_citation_check(state, check, attempt)) else {
        return Vec::new();
    };
    let citations = list_field(&finding.fields, "citations").unwrap_or_default();
    let mut flags: Vec<String> = citations
        .iter()
        .filter_map(|citation| evidence_flag(citation, attempt))
        .collect();
    let unchecked_count = finding.fields.get("unchecked").and_then(Value::as_u64);
    flags.extend(unchecked_count.map(|count| {
        format!("unquoted evidence: {attempt}: {count} more citations than are checked")
    }));
    flags
}

fn evidence_flag(citation: &Value, attempt: &AttemptId) -> Option<String> {
    let of = |key| text_field(citation, key).filter(|text| !text.is_empty());
    match of("status")?.as_str() {
        "fabricated" => Some(format!(
            "fabricated citation: {attempt}: \"{}\" ({})",
            of("quote").unwrap_or_default(),
            of("document").unwrap_or_default()
        )),
        "unquoted" => {
            let why = match (of("document"), of("quote")) {
                (document, Some(quote)) => {
                    let document = document.map(|name| format!(" ({name})"));
                    let document = document.unwrap_or_default();
                    format!("\"{quote}\"{document} is too short to prove anything")
                }
                (Some(document), None) => format!("({document}) is named without words of it"),
                (None, None) => "evidence is claimed and none is there".to_owned(),
            };
            Some(format!("unquoted evidence: {attempt}: {why}"))
        }
        _ => None,
    }
}
