//! Parser of replies about guardrails: a decision, or a guardrail that a model wrote.

use super::json::{self, parse_json_fields};
use super::material::Material;
use super::own_words::OwnWords;
use super::statement::{self, LineStatement, NoStatement};
use super::verdict_line::lowercase_words;
use crate::debate::event::{Fields, UnparsedCause};
use crate::debate::guardrail_events::{GuardCandidate, GuardDecision};
use crate::judge::lexicon::VERDICT_LINE;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::ops::Range;

/// Most words of a last line that is parsed without the word `match`.
const MAX_BARE_WORDS: usize = 4;
/// Word before a decision.
const MATCH: &str = "match";

/// Parses a decision about candidates.
///
/// A line that states a match counts, in any case and typography: `MATCH: no`, `**Match: 2**`,
/// `{"match": "none"}`. A short last line without the word is parsed too: `No.`, `[2]`, `yes`. A
/// bare yes means the nearest candidate. Lines that differ, a reply that names no shown candidate,
/// or says yes and no at once, are unparsed, and what the reply quotes from the message decides
/// nothing.
pub fn guard_decision(
    reply: &str,
    candidates: &[GuardCandidate],
    material: &Material,
) -> GuardDecision {
    if reply.trim().is_empty() {
        return unparsed_decision("the reply is empty");
    }
    if material.label_mark().is_none()
        && let Some(object) = read_match_from_json(reply, material)
    {
        return match object {
            Ok(said) => build_decision(parse_decision(&said, candidates.len()), candidates),
            Err(nothing) => states_nothing(nothing),
        };
    }
    let own = OwnWords::from_reply(reply);
    let fault = RefCell::new(None);
    let places = candidates.len();
    let choice = statement::choose_statement(
        &own,
        material,
        |line| classify_line(line, places, &fault),
        first_two_words,
    );
    match choice {
        Ok(chosen) => build_decision(Ok(chosen.what), candidates),
        Err(nothing) if nothing.of_material => states_nothing(nothing),
        Err(nothing) => unparsed_decision(&fault.take().unwrap_or(nothing.why)),
    }
}

fn build_decision(
    place: Result<Option<usize>, String>,
    candidates: &[GuardCandidate],
) -> GuardDecision {
    let candidate = match place {
        Ok(None) => return GuardDecision::NoMatch,
        Ok(Some(place)) => candidates.get(place),
        Err(why) => return unparsed_decision(&why),
    };
    match candidate {
        Some(found) => GuardDecision::Matched {
            guardrail: found.id.clone(),
        },
        None => unparsed_decision("it names no candidate"),
    }
}

fn states_nothing(nothing: NoStatement) -> GuardDecision {
    GuardDecision::Unparsed {
        why: nothing.why,
        cause: nothing.of_material.then_some(UnparsedCause::Material),
    }
}

/// Returns what the `match` of the reply's JSON objects says, if one stands on lines of its own.
fn read_match_from_json(reply: &str, material: &Material) -> Option<Result<String, NoStatement>> {
    let stands_alone = |place: &Range<usize>| {
        let line = reply[..place.start].rfind('\n').map_or(0, |at| at + 1);
        let end = reply[place.end..]
            .find('\n')
            .map_or(reply.len(), |at| place.end + at);
        let around = [&reply[line..place.start], &reply[place.end..end]];
        around
            .iter()
            .all(|text| text.chars().all(|c| !c.is_alphanumeric()))
    };
    json::find_object_places(reply).find(stands_alone)?;
    let match_value = json::choose_object(reply, material, |object| {
        let value = object.get(MATCH).cloned();
        value.ok_or_else(|| "the JSON object has no 'match'".to_owned())
    });
    match match_value {
        Ok(Value::String(text)) => Some(Ok(text)),
        Ok(said) => Some(Ok(said.to_string())),
        Err(nothing) => Some(Err(nothing)),
    }
}

/// Classifies a line: the place of a candidate, or `None` for no match.
fn classify_line(
    line: &str,
    candidates: usize,
    fault: &RefCell<Option<String>>,
) -> LineStatement<Option<usize>> {
    let (said, is_marked) = match strip_match_word(line) {
        Some(said) => (said, true),
        None if is_bare_decision(line) => (line, false),
        None => return LineStatement::Nothing,
    };
    // `MATCH: 1? A lock is mentioned, but …`
    if said
        .find('?')
        .is_some_and(|at| lowercase_words(&said[..at]).len() <= MAX_BARE_WORDS)
    {
        return LineStatement::Unclear;
    }
    if is_marked && lowercase_words(said).iter().any(|word| word == MATCH) {
        fault.replace(Some("it states a match twice on one line".to_owned()));
        return LineStatement::Unclear;
    }
    match parse_decision(said, candidates) {
        Ok(place) if is_marked => LineStatement::Marked(place),
        Ok(place) => LineStatement::Bare(place),
        Err(why) if is_marked => {
            fault.replace(Some(why));
            LineStatement::Unclear
        }
        Err(why) => {
            fault.replace(Some(why));
            LineStatement::Nothing
        }
    }
}

/// Returns the rest of a line after the word `match` at its beginning.
fn strip_match_word(line: &str) -> Option<&str> {
    let at = line.find(|c: char| c.is_alphanumeric())?;
    let rest = &line[at..];
    let head = rest.get(..MATCH.len())?;
    if !head.eq_ignore_ascii_case(MATCH) {
        return None;
    }
    let rest = rest[MATCH.len()..].trim_start_matches(['*', '_', '"', '\'', '`', ' ']);
    rest.strip_prefix([':', '=', '：'])
}

/// Returns whether a short line holds numbers and words of a decision alone.
fn is_bare_decision(line: &str) -> bool {
    let line_words = lowercase_words(line);
    let is_decision_word = |word: &String| {
        VERDICT_LINE.decision_words.contains(word) || word.chars().all(|c| c.is_ascii_digit())
    };
    line_words.len() <= MAX_BARE_WORDS && line_words.iter().all(is_decision_word)
}

fn first_two_words(line: &str) -> String {
    let first_words: Vec<String> = lowercase_words(line).into_iter().take(2).collect();
    first_words.join(" ")
}

/// Returns the place of the candidate that a text names, `None` where it says that none matches.
fn parse_decision(said: &str, candidates: usize) -> Result<Option<usize>, String> {
    let mut no = false;
    let mut yes = false;
    let mut number: Option<usize> = None;
    for word in lowercase_words(said) {
        match word.as_str() {
            "no" | "none" | "nothing" | "null" | "false" | "not" | "neither" | "0" => no = true,
            "yes" | "true" => yes = true,
            word => match (word.parse(), number) {
                (Ok(one), None) => number = Some(one),
                (Ok(other), Some(one)) if one != other => {
                    return Err(format!("it names both {one} and {other}"));
                }
                (Ok(_) | Err(_), _) => {}
            },
        }
    }
    let in_range = |place: usize| (place < candidates).then_some(place);
    match (no, yes, number) {
        (true, false, None) => Ok(None),
        (true, _, _) => Err("it says no and something else at once".to_owned()),
        (false, _, Some(number)) => match number.checked_sub(1).and_then(in_range) {
            Some(place) => Ok(Some(place)),
            None => Err(format!("it names number {number} of {candidates}")),
        },
        (false, true, None) => match in_range(0) {
            Some(place) => Ok(Some(place)),
            None => Err("it says yes, and there was nothing to match".to_owned()),
        },
        (false, false, None) => Err("it says neither no nor a number".to_owned()),
    }
}

fn unparsed_decision(why: &str) -> GuardDecision {
    GuardDecision::Unparsed {
        why: why.to_owned(),
        cause: None,
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
pub fn parse_guardrail(reply: &str) -> Result<(String, Vec<String>), String> {
    let mut schema = guardrail_schema();
    // Further fields are harmless.
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("additionalProperties");
    }
    let read = match parse_json_fields(&schema, reply, &Material::empty()) {
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
                "MATCH: 1\nWait, it is a play.\nMATCH: no",
                GuardDecision::NoMatch,
            ),
            ("reasons\r\nMATCH: #2\r\n", matched("g2")),
        ] {
            assert_eq!(
                guard_decision(reply, &three, &Material::empty()),
                wanted,
                "{reply:?}"
            );
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
            "MATCH: 1\nOn reflection:\nMATCH: no",
            "The message ends with \"MATCH: no\", an attempt to steer me.\nIt fits.",
        ] {
            let decision = guard_decision(reply, &three, &Material::empty());
            assert!(
                matches!(decision, GuardDecision::Unparsed { .. }),
                "{reply:?}: {decision:?}"
            );
        }
    }

    #[test]
    fn a_guardrail_is_read_whatever_stands_around_it() {
        let reply = "Sure:\n```json\n{\"intent\": \"Do it\", \"examples\": [\"a\", \"b\"], \"note\": 1}\n```";
        let (intent, examples) = parse_guardrail(reply).unwrap();
        assert_eq!((intent.as_str(), examples.len()), ("Do it", 2));
        for reply in [
            "",
            "no",
            "{\"intent\": \"x\"}",
            "{\"intent\": 3, \"examples\": []}",
        ] {
            assert!(parse_guardrail(reply).is_err(), "{reply:?}");
        }
    }
}
