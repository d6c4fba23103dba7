//! Parser of replies about guardrails: a decision, or a guardrail that a model wrote.

use super::json::fields;
use crate::debate::event::Fields;
use crate::debate::guardrail_events::{GuardCandidate, GuardDecision};
use serde_json::{Value, json};

/// Most words of a last line that is parsed without the word `match`.
const MAX_BARE_WORDS: usize = 4;
/// Word before a decision.
const MATCH: &str = "match";

/// Parses a decision about candidates.
///
/// The last line that states a match counts, in any case and typography: `MATCH: no`, `**Match:
/// 2**`, `{"match": "none"}`. A short last line without the word is parsed too: `No.`, `[2]`,
/// `yes`. A bare yes means the nearest candidate. A reply that names no shown candidate, or says
/// yes and no at once, is unparsed.
pub fn guard_decision(reply: &str, candidates: &[GuardCandidate]) -> GuardDecision {
    let mut lines = reply.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(last) = lines.next_back() else {
        return unparsed("the reply is empty");
    };
    let stated = std::iter::once(last)
        .chain(lines.rev())
        .find_map(|line| after_match(line));
    match stated {
        Some(said) => decided(said, candidates),
        None if words(last).len() <= MAX_BARE_WORDS => decided(last, candidates),
        None => unparsed("no line of the reply states a match"),
    }
}

/// Returns the rest of a line after the word `match`.
fn after_match(line: &str) -> Option<&str> {
    let lower = line.to_ascii_lowercase();
    let at = lower.rfind(MATCH)?;
    let rest = line.get(at + MATCH.len()..)?;
    let rest = rest.trim_start_matches(['*', '_', '"', '\'', '`', ' ']);
    rest.strip_prefix([':', '='])
}

fn decided(said: &str, candidates: &[GuardCandidate]) -> GuardDecision {
    let mut no = false;
    let mut yes = false;
    let mut number: Option<usize> = None;
    for word in words(said) {
        match word.as_str() {
            "no" | "none" | "nothing" | "null" | "false" | "not" | "neither" | "0" => no = true,
            "yes" | "true" => yes = true,
            word => match (word.parse(), number) {
                (Ok(one), None) => number = Some(one),
                (Ok(other), Some(one)) if one != other => {
                    return unparsed(&format!("it names both {one} and {other}"));
                }
                (Ok(_) | Err(_), _) => {}
            },
        }
    }
    let found = |place: usize| candidates.get(place).map(|found| found.id.clone());
    match (no, yes, number) {
        (true, false, None) => GuardDecision::NoMatch,
        (true, _, _) => unparsed("it says no and something else at once"),
        (false, _, Some(number)) => match number.checked_sub(1).and_then(found) {
            Some(guardrail) => GuardDecision::Matched { guardrail },
            None => unparsed(&format!("it names number {number} of {}", candidates.len())),
        },
        (false, true, None) => match found(0) {
            Some(guardrail) => GuardDecision::Matched { guardrail },
            None => unparsed("it says yes, and there was nothing to match"),
        },
        (false, false, None) => unparsed("it says neither no nor a number"),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn unparsed(why: &str) -> GuardDecision {
    GuardDecision::Unparsed {
        why: why.to_owned(),
    }
}

/// Returns the schema of a guardrail that a model writes.
pub fn guardrail_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "intent": { "type": "string", "minLength": 1 },
            "examples": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        },
        "required": ["intent", "examples"],
        "additionalProperties": false,
    })
}

/// Parses an intent and its examples from the JSON object in a reply.
///
/// # Errors
/// The reason, in words that can be sent back to the author.
pub fn guardrail(reply: &str) -> Result<(String, Vec<String>), String> {
    let mut schema = guardrail_schema();
    // Further fields are harmless.
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("additionalProperties");
    }
    let read = match fields(&schema, reply) {
        Fields::Read(read) => read,
        Fields::Unparsed { why } => return Err(why),
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let intent = read.get("intent").and_then(text).unwrap_or_default();
    let examples = read.get("examples").and_then(Value::as_array);
    let examples = examples.into_iter().flatten().filter_map(text);
    Ok((intent, examples.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(count: usize) -> Vec<GuardCandidate> {
        (1..=count)
            .map(|number| GuardCandidate {
                id: format!("g{number}"),
                revision: 0,
                score: 1.0,
                intent: "Obtain something".to_owned(),
                examples: Vec::new(),
                origins: Vec::new(),
            })
            .collect()
    }

    fn matched(id: &str) -> GuardDecision {
        GuardDecision::Matched {
            guardrail: id.to_owned(),
        }
    }

    #[test]
    fn a_decision_is_read_in_any_typography() {
        let three = candidates(3);
        for (reply, wanted) in [
            ("It fits.\nMATCH: 2", matched("g2")),
            ("It does not fit.\nMATCH: no", GuardDecision::NoMatch),
            ("**Match:** none.", GuardDecision::NoMatch),
            ("{\"match\": 3}", matched("g3")),
            (
                "{\"reason\": \"x\", \"match\": null}",
                GuardDecision::NoMatch,
            ),
            ("match: Yes, number 1", matched("g1")),
            ("Yes", matched("g1")),
            ("No.", GuardDecision::NoMatch),
            ("[2]", matched("g2")),
            (
                "MATCH: 1\n\nThat is my decision on this message, thank you.",
                matched("g1"),
            ),
            (
                "MATCH: 1\nOn reflection:\nMATCH: no",
                GuardDecision::NoMatch,
            ),
            ("reasons\r\nMATCH: #2\r\n", matched("g2")),
        ] {
            assert_eq!(guard_decision(reply, &three), wanted, "{reply:?}");
        }
    }

    #[test]
    fn nonsense_is_unparsed_and_never_a_match() {
        let three = candidates(3);
        for reply in [
            "",
            "  \n",
            "MATCH: 7",
            "MATCH: <number>",
            "MATCH: no\u{2028}or MATCH: maybe",
            "MATCH: no or 2",
            "MATCH: 1 and 2",
            "I would rather talk about the weather, which is fine today.",
            "MATCH: 99999999999999999999999999",
            "MATCH:",
        ] {
            let decision = guard_decision(reply, &three);
            assert!(
                matches!(decision, GuardDecision::Unparsed { .. }),
                "{reply:?}: {decision:?}"
            );
        }
    }

    #[test]
    fn a_guardrail_is_read_whatever_stands_around_it() {
        let reply = "Sure:\n```json\n{\"intent\": \"Do it\", \"examples\": [\"a\", \"b\"], \"note\": 1}\n```";
        let (intent, examples) = guardrail(reply).unwrap();
        assert_eq!((intent.as_str(), examples.len()), ("Do it", 2));
        for reply in [
            "",
            "no",
            "{\"intent\": \"x\"}",
            "{\"intent\": 3, \"examples\": []}",
        ] {
            assert!(guardrail(reply).is_err(), "{reply:?}");
        }
    }
}
