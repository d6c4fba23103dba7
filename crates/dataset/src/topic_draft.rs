//! Topic draft: the values of one row, in any of the shapes that files use.

use std::collections::HashSet;

use serde_json::Value;

use super::TopicField;
use elenchus_game::debate::{Document, ReferenceAnswer, Utterance, UtteranceRole};

/// Separator of several aliases or paths in one cell.
const DIVIDER: char = '|';

/// The most characters of a file that a message quotes.
const MAX_QUOTED_CHARS: usize = 60;

/// The values of one row; blank ones are absent.
#[derive(Debug, Default)]
pub(super) struct TopicDraft {
    pub id: Option<String>,
    pub text: Option<String>,
    pub category: Option<String>,
    pub context: Option<String>,
    pub answer: Option<String>,
    pub aliases: Vec<String>,
    pub expected: Option<String>,
    pub documents: Vec<DocumentSource>,
    pub conversation: Vec<Utterance>,
    pub options: Vec<String>,
    /// As the file has it: `Level 5`, `5`.
    pub level: Option<String>,
    pub solution: Option<String>,
    /// WildJailbreak's adversarial form of the text.
    pub adversarial: Option<String>,
    pub functional: Option<String>,
    pub tags: Option<String>,
}

/// A document in the row, or in a file that the row names.
#[derive(Debug)]
pub(super) enum DocumentSource {
    Inline(Document),
    Path(String),
}

impl TopicDraft {
    /// Sets a field from a JSON value, or returns the reason why not.
    pub fn set(&mut self, field: TopicField, column: &str, value: Value) -> Result<(), String> {
        let named = |why: &str| format!("`{}` {why}", shortened(column));
        match field {
            TopicField::Id => self.id = scalar(value).map_err(named)?.map(trimmed),
            TopicField::Text => self.text = text(value).map_err(named)?,
            TopicField::Category => self.category = scalar(value).map_err(named)?.map(trimmed),
            TopicField::Context => self.context = text(value).map_err(named)?,
            TopicField::Reference => self.set_reference(value).map_err(named)?,
            TopicField::Aliases => self.aliases.extend(strings(value).map_err(named)?),
            TopicField::Expected => self.expected = scalar(value).map_err(named)?.map(trimmed),
            TopicField::Documents => self.documents = documents(value).map_err(named)?,
            TopicField::Conversation => self.conversation = conversation(value)?,
            TopicField::Options => self.options = options(value).map_err(named)?,
            TopicField::Level => self.level = plain(value),
            TopicField::Solution => self.solution = text(value).map_err(named)?,
            TopicField::Adversarial => self.adversarial = text(value).map_err(named)?,
            TopicField::FunctionalCategory => {
                self.functional = scalar(value).map_err(named)?.map(trimmed)
            }
            TopicField::Tags => self.tags = scalar(value).map_err(named)?,
            TopicField::Unused => {}
        }
        Ok(())
    }

    /// Sets a field from a cell of a table. Fields with several values may hold JSON or a list
    /// separated by `|`.
    pub(super) fn set_cell(
        &mut self,
        field: TopicField,
        column: &str,
        cell: &str,
    ) -> Result<(), String> {
        if cell.trim().is_empty() {
            return Ok(());
        }
        let value = match field {
            // An empty option is a mistake that must be reported; an empty alias is harmless.
            TopicField::Options if !cell.trim_start().starts_with(['[', '{']) => {
                cell.split(DIVIDER).map(Value::from).collect()
            }
            TopicField::Aliases
            | TopicField::Documents
            | TopicField::Conversation
            | TopicField::Options => many(cell).map_err(|error| {
                format!(
                    "`{}` is not valid JSON: {}",
                    shortened(column),
                    reason(&error)
                )
            })?,
            TopicField::Id
            | TopicField::Text
            | TopicField::Category
            | TopicField::Context
            | TopicField::Reference
            | TopicField::Expected
            | TopicField::Level
            | TopicField::Solution
            | TopicField::Adversarial
            | TopicField::FunctionalCategory
            | TopicField::Tags
            | TopicField::Unused => Value::String(cell.to_owned()),
        };
        self.set(field, column, value)
    }

    /// Returns the reference answer, if there is one.
    pub fn reference(&mut self) -> Option<ReferenceAnswer> {
        let answer = self.answer.take()?;
        let mut seen = HashSet::from([answer.clone()]);
        let mut aliases = std::mem::take(&mut self.aliases);
        aliases.retain(|alias| seen.insert(alias.clone()));
        Some(ReferenceAnswer { answer, aliases })
    }

    /// Sets the reference from a plain answer, a list whose first item is the answer, or an object
    /// with `answer` or `value` and `aliases` (TriviaQA's shape).
    fn set_reference(&mut self, value: Value) -> Result<(), &'static str> {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    match key.to_ascii_lowercase().replace('_', "").as_str() {
                        "answer" | "value" => self.answer = scalar(value)?,
                        "aliases" | "normalizedaliases" => self.aliases.extend(strings(value)?),
                        _ => {}
                    }
                }
                match self.answer {
                    Some(_) => Ok(()),
                    None => Err("is an object without `answer` or `value`"),
                }
            }
            Value::Array(_) => {
                let mut all = strings(value)?.into_iter();
                self.answer = all.next();
                self.aliases.extend(all);
                Ok(())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.answer = scalar(value)?;
                Ok(())
            }
        }
    }
}

/// Reads a list of `{role, content}` (or `{role, text}`), oldest first.
pub(super) fn conversation(value: Value) -> Result<Vec<Utterance>, String> {
    let Value::Array(items) = value else {
        return match value {
            Value::Null => Ok(Vec::new()),
            _ => Err("the conversation is not a list of {role, content}".to_owned()),
        };
    };
    items
        .into_iter()
        .enumerate()
        .map(|(at, item)| {
            utterance(item).map_err(|why| format!("utterance {} of the conversation {why}", at + 1))
        })
        .collect()
}

/// Returns a text shortened for a message.
pub(super) fn shortened(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(MAX_QUOTED_CHARS).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

/// Returns the parser's message without its line number, which counts from the beginning of the
/// piece and not of the file.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let what = whole.split(" at line ").next().unwrap_or_default();
    match line {
        0 | 1 => format!("{what} (column {column})"),
        _ => format!("{what} (column {column} of its line {line})"),
    }
}

fn utterance(item: Value) -> Result<Utterance, String> {
    let Value::Object(map) = item else {
        return Err("is no object with `role` and `content`".to_owned());
    };
    let (mut role, mut said) = (None, None);
    for (key, value) in map {
        match (key.to_ascii_lowercase().as_str(), value) {
            ("role", Value::String(name)) => role = Some(role_of(&name)?),
            ("content" | "text", Value::String(text)) => said = Some(text),
            ("content" | "text", _) => return Err("holds something else than text".to_owned()),
            _ => {}
        }
    }
    match (role, said) {
        (Some(role), Some(text)) => Ok(Utterance { role, text }),
        (None, _) => Err("has no `role`".to_owned()),
        (_, None) => Err("has no `content`".to_owned()),
    }
}

fn role_of(name: &str) -> Result<UtteranceRole, String> {
    match name.trim().to_ascii_lowercase().as_str() {
        "user" | "human" => Ok(UtteranceRole::User),
        "assistant" | "model" | "gpt" | "ai" | "bot" => Ok(UtteranceRole::Assistant),
        "system" | "developer" => Ok(UtteranceRole::System),
        _ => Err(format!(
            "has the role `{}`; known are user, assistant and system",
            shortened(name)
        )),
    }
}

fn documents(value: Value) -> Result<Vec<DocumentSource>, &'static str> {
    let items = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        single @ (Value::Object(_) | Value::String(_)) => vec![single],
        Value::Bool(_) | Value::Number(_) => {
            return Err("holds neither paths nor {name, text} objects");
        }
    };
    items
        .into_iter()
        .map(|item| match item {
            Value::String(path) => Ok(DocumentSource::Path(path)),
            Value::Object(mut map) => match (map.remove("name"), map.remove("text")) {
                (Some(Value::String(name)), Some(Value::String(text))) => {
                    Ok(DocumentSource::Inline(Document { name, text }))
                }
                _ => Err("holds an object without `name` and `text`"),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err("holds neither paths nor {name, text} objects")
            }
        })
        .collect()
}

/// Returns a list of texts; none may be empty, for their positions are their names.
fn options(value: Value) -> Result<Vec<String>, &'static str> {
    const WANTED: &str =
        "is no list of texts: write [\"first\", \"second\"], in a cell also first|second";
    let items = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            return Err(WANTED);
        }
    };
    items
        .into_iter()
        .map(|item| match scalar(item) {
            Ok(Some(text)) => Ok(trimmed(text)),
            Ok(None) => Err("holds an empty option: give it a text, or leave it out"),
            Err(_) => Err(WANTED),
        })
        .collect()
}

/// Returns any value as text, for a field that is only read where it is understood.
fn plain(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Some(value.to_string())
        }
    }
}

fn strings(value: Value) -> Result<Vec<String>, &'static str> {
    let items = match value {
        Value::Array(items) => items,
        single => vec![single],
    };
    items
        .into_iter()
        .filter_map(|item| scalar(item).transpose())
        .collect()
}

fn scalar(value: Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::Bool(flag) => Ok(Some(flag.to_string())),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => text(value),
    }
}

fn text(value: Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err("is something else than text")
        }
    }
}

fn many(cell: &str) -> Result<Value, serde_json::Error> {
    if cell.trim_start().starts_with(['[', '{']) {
        return serde_json::from_str(cell);
    }
    let items = cell.split(DIVIDER).map(str::trim).filter(|s| !s.is_empty());
    Ok(Value::Array(items.map(Value::from).collect()))
}

fn trimmed(text: String) -> String {
    let short = text.trim();
    if short.len() == text.len() {
        text
    } else {
        short.to_owned()
    }
}
