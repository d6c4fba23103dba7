//! Verdicts of people as tools write them: one word, none, or what is no single verdict.

use elenchus_dataset::{is_missing, number_text};
use serde_json::{Map, Value};

/// What a person answered to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Word(String),
    Nothing,
    /// Several choices at once.
    Several,
    /// A span of the text, a box, a ranking and the like.
    Unfit(&'static str),
}

/// Reads a value: a word or number, a list of one choice, or an object around choices.
pub(super) fn read_verdict(value: &Value) -> Verdict {
    match value {
        Value::Null => Verdict::Nothing,
        Value::Bool(is) => Verdict::Word(is.to_string()),
        Value::Number(number) => Verdict::Word(number_text(number)),
        Value::String(text) => read_text_verdict(text),
        Value::Array(all) => read_choices(all),
        Value::Object(object) => read_object(object),
    }
}

/// Reads a cell, which holds a word, or several choices or spans as JSON or in Python's way.
pub(super) fn read_text_verdict(text: &str) -> Verdict {
    let text = text.trim();
    if text.is_empty() {
        return Verdict::Nothing;
    }
    match text
        .starts_with(['[', '{'])
        .then(|| read_literal(text))
        .flatten()
    {
        Some(value) => read_verdict(&value),
        None => Verdict::Word(text.to_owned()),
    }
}

/// Reads JSON in a cell, or a list of Python's; `None` for any other text.
pub(super) fn read_literal(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['[', '{']) {
        return None;
    }
    let json = serde_json::from_str(text).ok();
    json.or_else(|| serde_json::from_str(&python_as_json(text)?).ok())
}

/// Writes Python's literals as JSON: its quotes, and its words for nothing and for truth.
fn python_as_json(text: &str) -> Option<String> {
    let mut json = String::new();
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() || matches!(letter, '.' | '-' | '+' | '_') {
            word.push(letter);
            continue;
        }
        push_word(&mut json, &mut word);
        if letter != '\'' && letter != '"' {
            json.push(letter);
            continue;
        }
        let mut string = String::new();
        loop {
            match letters.next()? {
                '\\' => string.push(letters.next()?),
                end if end == letter => break,
                other => string.push(other),
            }
        }
        json.push_str(&Value::String(string).to_string());
        // numpy writes no commas between texts.
        if letters.peek() == Some(&' ') && letters.clone().nth(1).is_some_and(|next| next == '\'') {
            json.push(',');
        }
    }
    push_word(&mut json, &mut word);
    Some(json)
}

fn push_word(json: &mut String, word: &mut String) {
    json.push_str(match word.as_str() {
        "None" | "nan" | "NaN" => "null",
        "True" => "true",
        "False" => "false",
        other => other,
    });
    word.clear();
}

fn read_choices(all: &[Value]) -> Verdict {
    match all {
        [] => Verdict::Nothing,
        [Value::Array(_), ..] => Verdict::Unfit("spans"),
        [only] => read_verdict(only),
        [Value::Object(first), ..] if is_span(first) => Verdict::Unfit("spans"),
        [Value::Object(first), ..] if first.contains_key("rank") => Verdict::Unfit("a ranking"),
        [..] => Verdict::Several,
    }
}

fn read_object(object: &Map<String, Value>) -> Verdict {
    /// Keys around what was said.
    const SAID: [&str; 7] = [
        "choices", "choice", "value", "label", "rating", "number", "text",
    ];
    if is_span(object) {
        return Verdict::Unfit("spans");
    }
    if object.contains_key("rank") || object.contains_key("ranker") {
        return Verdict::Unfit("a ranking");
    }
    match SAID.iter().find_map(|key| object.get(*key)) {
        Some(said) => read_verdict(said),
        None => marked_label(object),
    }
}

/// Reads an object of labels with whether each was given: `{"safe": 1, "unsafe": 0}`.
pub(super) fn marked_label(object: &Map<String, Value>) -> Verdict {
    let mut labels = object.iter().filter(|(_, mark)| is_marked(mark));
    match (labels.next(), labels.next()) {
        (None, _) => Verdict::Nothing,
        (Some((label, _)), None) => Verdict::Word(label.trim().to_owned()),
        (Some(_), Some(_)) => Verdict::Several,
    }
}

fn is_marked(mark: &Value) -> bool {
    match mark {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.trim().to_lowercase();
            !is_missing(&text) && !["", "0", "0.0", "false", "none"].contains(&text.as_str())
        }
        Value::Array(all) => !all.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}

fn is_span(object: &Map<String, Value>) -> bool {
    let keys = [
        "start",
        "start_offset",
        "startOffset",
        "x",
        "points",
        "brushlabels",
        "token_start",
    ];
    keys.iter().any(|key| object.contains_key(*key))
}

/// Returns who answered: a name, an address or a number as it is given, or that of an object about a person;
/// `None` where nobody is named.
pub(super) fn read_person(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) => None,
        Value::Number(number) => Some(number_text(number)),
        Value::String(text) => {
            let text = text.trim();
            match read_literal(text) {
                Some(value) => read_person(&value),
                None => (!text.is_empty() && !is_missing(text) && text != "None")
                    .then(|| text.to_owned()),
            }
        }
        Value::Array(all) => match all.as_slice() {
            [only] => read_person(only),
            _ => None,
        },
        Value::Object(object) => {
            let keys = ["username", "email", "name", "user", "id", "user_id", "pk"];
            keys.iter().find_map(|key| read_person(object.get(*key)?))
        }
    }
}

/// Returns a task's text: what it says, numbers as texts, turns of a chat one under the other.
pub(super) fn read_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number_text(number),
        Value::Array(all) => {
            let turns: Option<Vec<String>> = all.iter().map(read_turn).collect();
            match turns.filter(|turns| !turns.is_empty()) {
                Some(turns) => turns.join("\n"),
                None => value.to_string(),
            }
        }
        Value::Bool(_) | Value::Object(_) => value.to_string(),
    }
}

fn read_turn(value: &Value) -> Option<String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    match (
        text("role").or_else(|| text("author")),
        text("content").or_else(|| text("text")),
    ) {
        (Some(role), Some(content)) => Some(format!("{role}: {content}")),
        (None, _) | (_, None) => value.as_str().map(str::to_owned),
    }
}
