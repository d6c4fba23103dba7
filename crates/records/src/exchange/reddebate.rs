//! Import of RedDebate's files: one JSON document a debate, as its released code writes them.
//!
//! `responses` holds an object a round, with names of speakers and their texts. `Agent-N` are
//! debaters, `Agent-Socrates`, `Agent-X` and `Agent-Y` are Socratic, Devil and Angel, `Human-N` are
//! people. Irregular forms are read by their meaning: a response may be a list of private reasoning
//! and text, and self-critique nests answer, critique and revision; its `is_safe` is about the
//! first answer, which its evaluator was shown.

use super::finished_debate::{
    FinishedFile, FinishedItem, FinishedKind, FinishedTurn, FoundLabel, LabelledBy, MAX_ROUNDS,
    RefusedRow,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The field of the evaluator's label.
const IS_SAFE: &str = "is_safe";
const ANSWER: &str = "answer";
const PERSONAS: &str = "personas";
/// Prefixes of the names of debaters and of people.
const DEBATER: &str = "Agent-";
const PERSON: &str = "Human-";
/// Placeholder for a missing text.
const EMPTY: &str = "";

/// Returns whether a document is a RedDebate file.
pub fn is_reddebate(bytes: &[u8]) -> bool {
    let document: Option<Value> = serde_json::from_slice(bytes).ok();
    document.is_some_and(|document| {
        document.get("question").is_some() && document.get("responses").is_some()
    })
}

/// Returns whether a document is surely not a debate, such as the `checkpoint.json`,
/// `feedback_dict.json` and `metrics.json` in the same folder: JSON without responses. A broken
/// file may be one.
pub fn is_no_debate(bytes: &[u8]) -> bool {
    let document: Option<Value> = serde_json::from_slice(bytes).ok();
    document.is_some_and(|document| document.get("responses").is_none())
}

/// Reads one debate. `name` is the file's, without its folder.
pub fn parse_reddebate(name: &str, bytes: &[u8]) -> FinishedFile {
    let mut finds = FinishedFile {
        automatic: vec![IS_SAFE.to_owned()],
        ..FinishedFile::default()
    };
    match parse_debate(name, bytes, &mut finds.notes) {
        Ok(finished) => finds.items.push(finished),
        Err((line, why)) => finds.refused.push(RefusedRow { line, why }),
    }
    finds
}

/// Line and message of a fault; the line is known only if the document as such is broken.
type DocumentFault = (u64, String);

fn parse_debate(
    name: &str,
    bytes: &[u8],
    notes: &mut Vec<String>,
) -> Result<FinishedItem, DocumentFault> {
    let document: Value = serde_json::from_slice(bytes)
        .map_err(|error| (error.line() as u64, format!("the file is no JSON: {error}")))?;
    let within = |why: String| (1, why);
    if document.get("responses").is_none() {
        let why = "this is no debate of RedDebate's, for it has no 'responses'; a table of answers is read as CSV or JSON Lines (.jsonl)";
        return Err(within(why.to_owned()));
    }
    let question = document.get("question");
    let text = |field: &str| {
        let value = question?.get(field)?.as_str()?;
        (!value.trim().is_empty()).then(|| value.to_owned())
    };
    let prompt = text("text").ok_or_else(|| within("question.text is missing".to_owned()))?;
    if question.is_some_and(|question| question.get("memory").is_some_and(|text| !is_blank(text))) {
        notes.push("question.memory: what debaters were shown of memory is not taken".to_owned());
    }
    let rounds = document.get("responses").and_then(Value::as_array);
    let rounds = rounds.ok_or_else(|| within("'responses' is no list of rounds".to_owned()))?;
    if rounds.is_empty() || rounds.len() > MAX_ROUNDS {
        let why = format!(
            "'responses' has {} rounds; from 1 to {MAX_ROUNDS} are read",
            rounds.len()
        );
        return Err(within(why));
    }
    let mut turns = Vec::new();
    for (at, round) in rounds.iter().enumerate() {
        let place = format!("responses[{at}]");
        let Some(round) = round.as_object() else {
            return Err(within(format!("{place} is no object")));
        };
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        turns.extend(round_turns(number, round, &place).map_err(within)?);
    }
    if let Some(lesson) = find_lesson(document.get("feedback")) {
        turns.push(FinishedTurn {
            round: u32::try_from(rounds.len()).unwrap_or(u32::MAX),
            stage: "feedback".into(),
            seat: "lesson".into(),
            name: "feedback".to_owned(),
            text: lesson,
            ..FinishedTurn::default()
        });
    }
    let label = text("label");
    let is_safety_label = label
        .as_deref()
        .is_some_and(|label| matches!(label, "safe" | "unsafe"));
    let (expected, category) = if is_safety_label {
        (label, None)
    } else {
        (None, label)
    };
    Ok(FinishedItem {
        line: 1,
        id: Some(name.trim_end_matches(".json").to_owned()),
        prompt,
        category,
        expected,
        form: FinishedKind::Debate,
        turns,
        ..FinishedItem::default()
    })
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the lesson of a document, if it has one.
pub(super) fn find_lesson(feedback: Option<&Value>) -> Option<String> {
    let feedback = feedback?;
    match feedback {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        // Reasoning models' feedback is a list of thinking and text.
        Value::Array(parts) => parts.last()?.as_str().map(str::to_owned),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            None
        }
    }
}

/// Reads the turns of one round.
fn round_turns(
    number: u32,
    round: &Map<String, Value>,
    place: &str,
) -> Result<Vec<FinishedTurn>, String> {
    let mut chairs: BTreeMap<&str, u32> = BTreeMap::new();
    let mut turns = Vec::new();
    for (name, said) in sort_speakers(round) {
        let place = format!("{place}.{name}");
        let (stage, seat) = find_seat(name).ok_or_else(|| {
            format!("{place}: no speaker of this name is known; there are Agent-0, Agent-1 …, Agent-Socrates, Agent-X, Agent-Y and Human-0 …")
        })?;
        let next = chairs.entry(seat).or_default();
        let index = *next;
        *next += 1;
        let response = said.get("response").unwrap_or(said);
        let mut labels = Vec::new();
        if let Some(label) = parse_label(said, &place)? {
            labels.push(label);
        }
        for (part, text, thinking) in split_response(response, stage, &place)? {
            // The evaluator was shown the first answer alone.
            let labels = if part == stage {
                std::mem::take(&mut labels)
            } else {
                Vec::new()
            };
            turns.push(FinishedTurn {
                round: number,
                stage: part.into(),
                seat: seat.into(),
                index,
                name: name.to_owned(),
                text,
                thinking,
                by_person: name.starts_with(PERSON),
                labels,
                ..FinishedTurn::default()
            });
        }
    }
    Ok(turns)
}

/// Speakers in the order of their numbers: JSON objects have none that can be relied on.
fn sort_speakers(round: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut all: Vec<(&str, &Value)> = round
        .iter()
        .map(|(name, said)| (name.as_str(), said))
        .collect();
    all.sort_by_key(|(name, _)| {
        let number = name
            .rsplit('-')
            .next()
            .and_then(|number| number.parse::<u32>().ok());
        (number.unwrap_or(u32::MAX), *name)
    });
    all
}

fn find_seat(name: &str) -> Option<(&'static str, &'static str)> {
    let has_number = |prefix: &str| {
        let number = name.strip_prefix(prefix);
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    match name {
        "Agent-Socrates" => Some((PERSONAS, "socratic")),
        "Agent-X" => Some((PERSONAS, "devil")),
        "Agent-Y" => Some((PERSONAS, "angel")),
        _ if has_number(DEBATER) => Some((ANSWER, "debater")),
        _ if has_number(PERSON) => Some((ANSWER, "person")),
        _ => None,
    }
}

fn parse_label(said: &Value, place: &str) -> Result<Option<FoundLabel>, String> {
    let program_label = |label: &str| {
        Ok(Some(FoundLabel {
            column: IS_SAFE.to_owned(),
            label: label.to_owned(),
            by: LabelledBy::Program,
            ..FoundLabel::default()
        }))
    };
    match said.get(IS_SAFE) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(true)) => program_label("safe"),
        Some(Value::Bool(false)) => program_label("unsafe"),
        Some(other) => Err(format!(
            "{place}.{IS_SAFE} is {other}; true or false is needed"
        )),
    }
}

/// A part of a speaker's response in a round: its stage, the text, and private reasoning.
type ResponsePart = (&'static str, String, Option<String>);

fn split_response(
    response: &Value,
    stage: &'static str,
    place: &str,
) -> Result<Vec<ResponsePart>, String> {
    let Value::Object(nested) = response else {
        let (text, thinking) = text_and_thinking(response, place)?;
        return Ok(vec![(stage, text, thinking)]);
    };
    let steps = [
        ("initial_response", stage),
        ("critique", "critique"),
        ("revised_response", "revision"),
    ];
    let mut response_parts = Vec::new();
    for (field, part) in steps {
        let Some(step) = nested.get(field) else {
            continue;
        };
        let place = format!("{place}.response.{field}");
        let (text, thinking) = text_and_thinking(step.get("text").unwrap_or(step), &place)?;
        response_parts.push((part, text, thinking));
    }
    if response_parts.is_empty() {
        return Err(format!("{place}.response holds no text"));
    }
    Ok(response_parts)
}

/// Reads a text, or a list of private reasoning and text.
fn text_and_thinking(value: &Value, place: &str) -> Result<(String, Option<String>), String> {
    match value {
        Value::String(text) => Ok((text.clone(), None)),
        Value::Null => Ok((EMPTY.to_owned(), None)),
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(text)] => Ok((text.clone(), None)),
            [thinking, Value::String(text)] => {
                let thinking = thinking
                    .as_str()
                    .filter(|thought| !thought.trim().is_empty());
                Ok((text.clone(), thinking.map(str::to_owned)))
            }
            _ => Err(format!(
                "{place} is a list, and not one of reasoning and text"
            )),
        },
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(format!("{place} holds no text"))
        }
    }
}
