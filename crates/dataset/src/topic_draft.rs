//! Topic draft: the values of one row, in any of the shapes that files use.

use std::collections::HashSet;

use serde_json::Value;

use super::TopicField;
use super::missing_value::{is_missing, number_text, whole_text};
use super::option_answers::{OptionList, parse_options, parse_python_list};
use super::row_shape::is_talk;
use elenchus_game::debate::{Document, ReferenceAnswer, Utterance, UtteranceRole};

/// Separator of several aliases or paths in one cell.
const DIVIDER: char = '|';

/// The most characters of a file that a message quotes.
const MAX_QUOTED_CHARS: usize = 60;

/// The longest reference that a reply may be expected to hold.
const MAX_COMPARED_CHARS: usize = 500;
/// The longest word that is taken for a label.
const MAX_LABEL_CHARS: usize = 40;

/// A value that was left out, or taken although nothing is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OddValue {
    pub column: String,
    /// What it is, as the rest of a sentence that begins with the value.
    pub what: &'static str,
    pub value: String,
}

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
    pub options: OptionList,
    /// As the file has it: `Level 5`, `5`.
    pub level: Option<String>,
    pub solution: Option<String>,
    /// WildJailbreak's adversarial form of the text.
    pub adversarial: Option<String>,
    pub functional: Option<String>,
    /// How lm-eval took the answer out of the reply: a sample has a row for each filter.
    pub filter: Option<String>,
    pub tags: Option<String>,
    pub odd: Vec<OddValue>,
    /// The column of the reference, for notes.
    pub answer_column: String,
    /// The column of the expected label, for notes.
    pub label_column: String,
}

/// A document in the row, or in a file that the row names.
#[derive(Debug)]
pub(super) enum DocumentSource {
    Inline(Document),
    Path(String),
}

impl TopicDraft {
    /// Sets a field from a JSON value, or returns the reason why not.
    pub fn set_field(
        &mut self,
        field: TopicField,
        column: &str,
        value: Value,
    ) -> Result<(), String> {
        let with_column = |why: &str| format!("`{}` {why}", shorten_text(column));
        match field {
            TopicField::Id => {
                let id = parse_scalar(value).map_err(with_column)?.map(trim_text);
                self.id = id.filter(|id| !id.eq_ignore_ascii_case("nan"));
            }
            TopicField::Text => self.set_text(value).map_err(|why| with_column(&why))?,
            TopicField::Category => self.set_category(column, value),
            TopicField::Context => {
                self.context = parse_text(value)
                    .map_err(with_column)?
                    .filter(|context| !is_missing(context));
            }
            TopicField::Reference => {
                column.clone_into(&mut self.answer_column);
                if let Err(what) = self.set_reference(value) {
                    self.add_odd_value(column, what, "");
                }
                if let Some(answer) = self.answer.take() {
                    self.answer = answer_of_assertion(answer.clone());
                    if self.answer.is_none() {
                        let what = "is an assertion of promptfoo that no answer can be compared with: it is left out";
                        self.add_odd_value(column, what, &answer);
                    }
                }
            }
            TopicField::Aliases => self
                .aliases
                .extend(parse_texts(value).map_err(with_column)?),
            TopicField::Expected => self.set_expected_label(column, value),
            TopicField::Documents => {
                self.documents = parse_documents(value).map_err(with_column)?
            }
            TopicField::Conversation => self.conversation = parse_conversation(value)?,
            TopicField::Options => self.options = parse_options(value).map_err(with_column)?,
            TopicField::Option => {
                if let Some(option) = parse_scalar(value).map_err(with_column)? {
                    self.options.texts.push(trim_text(option));
                }
            }
            TopicField::Assertion => {
                let asserted_text = text_of_any(value).unwrap_or_default();
                if !asserted_text.trim().is_empty() {
                    let what = "is an assertion of promptfoo about a reply, and neither a label nor an answer: \
                                it is left out";
                    self.add_odd_value(column, what, &asserted_text);
                }
            }
            TopicField::Level => self.level = text_of_any(value).map(whole_text),
            TopicField::Solution => self.solution = parse_text(value).map_err(with_column)?,
            TopicField::Adversarial => self.adversarial = parse_text(value).map_err(with_column)?,
            TopicField::FunctionalCategory => {
                self.functional = parse_scalar(value).map_err(with_column)?.map(trim_text)
            }
            TopicField::Tags => self.tags = parse_scalar(value).map_err(with_column)?,
            TopicField::Unused => {}
        }
        Ok(())
    }

    /// Notes a value that is left out, or taken although nothing is known of it.
    pub(super) fn add_odd_value(&mut self, column: &str, what: &'static str, value: &str) {
        self.odd.push(OddValue {
            column: shorten_text(column),
            what,
            value: shorten_text(value.trim()),
        });
    }

    /// Sets the text; a list of what was said is a conversation.
    fn set_text(&mut self, value: Value) -> Result<(), String> {
        if is_talk(&value) {
            self.conversation = parse_conversation(value)?;
            return Ok(());
        }
        let read = match value {
            Value::Array(parts) => {
                if parts.len() > 1 && parts.iter().all(Value::is_string) {
                    return Err("is a list of texts: give each of them a row of its own".to_owned());
                }
                text_of_parts(parts)?
            }
            other => parse_text(other)?,
        };
        if let Some(word) = read.as_deref().filter(|text| is_missing(text)) {
            return Err(format!(
                "is {}, which stands for a missing value: give the row a text, or leave it out",
                word.trim()
            ));
        }
        self.text = read;
        Ok(())
    }

    /// Sets the category from a text, a list whose first text it is, or an object of marks whose first marked
    /// name it is.
    fn set_category(&mut self, column: &str, value: Value) {
        let value = match &value {
            Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
                let read = serde_json::from_str(text)
                    .ok()
                    .or_else(|| parse_python_list(text));
                read.unwrap_or(value)
            }
            _ => value,
        };
        let read = match value {
            Value::Array(items) => match items.into_iter().next() {
                Some(first) => parse_scalar(first),
                None => Ok(None),
            },
            Value::Object(marks) if marks.values().all(is_mark) => {
                let first_mark = marks.into_iter().find(|(_, mark)| is_set_mark(mark));
                Ok(first_mark.map(|(name, _)| name))
            }
            other => parse_scalar(other),
        };
        match read {
            Ok(Some(missing)) if is_missing(&missing) => {
                self.add_odd_value(
                    column,
                    "stands for a missing value and is no category",
                    &missing,
                );
            }
            Ok(category) => self.category = category.map(trim_text),
            Err(_) => self.add_odd_value(
                column,
                "is not understood as a category and is left out",
                "",
            ),
        }
    }

    fn set_expected_label(&mut self, column: &str, value: Value) {
        let value = match value {
            // doccano's list of labels, of which one is meant where there is one.
            Value::Array(mut items) if items.len() == 1 => items.remove(0),
            other => other,
        };
        match parse_scalar(value) {
            Ok(Some(missing)) if is_missing(&missing) => {
                self.add_odd_value(
                    column,
                    "stands for a missing value and is no label",
                    &missing,
                );
            }
            Ok(label) => {
                column.clone_into(&mut self.label_column);
                self.expected = label.map(trim_text);
            }
            Err(_) => {
                self.add_odd_value(column, "is not understood as a label and is left out", "")
            }
        }
    }

    /// Notes a reference that no grader is likely to find in a reply.
    pub(super) fn note_odd_answer(&mut self) {
        let Some(answer) = self.answer.clone() else {
            return;
        };
        let column = self.answer_column.clone();
        if !answer.chars().any(char::is_alphanumeric) {
            let what =
                "holds no letter or digit, so hardly anything can be compared with it: it is kept";
            self.add_odd_value(&column, what, &answer);
        } else if answer.chars().count() > MAX_COMPARED_CHARS {
            let what = "is a long text as a reference, which no reply repeats: it is kept, but an answer is \
                        compared well only with a short one";
            self.add_odd_value(&column, what, &answer);
        }
    }

    /// Keeps an expected label that is known, or a word that a person may have meant; others are left out. Each
    /// but the known ones is noted.
    pub(super) fn filter_expected_label(&mut self) {
        const KNOWN: [&str; 2] = ["safe", "unsafe"];
        let Some(label) = self.expected.take() else {
            return;
        };
        let column = std::mem::take(&mut self.label_column);
        let lower = label.to_lowercase();
        if KNOWN.contains(&lower.as_str()) {
            self.expected = Some(lower);
            return;
        }
        let is_word = label.chars().count() <= MAX_LABEL_CHARS
            && label.parse::<f64>().is_err()
            && !label.contains([':', '\n', '{', '['])
            && label.chars().any(char::is_alphabetic);
        if is_word {
            let what = "is neither safe nor unsafe: it is kept, but no figure reads it";
            self.add_odd_value(&column, what, &label);
            self.expected = Some(label);
        } else {
            let what = "is no label (safe or unsafe) and is left out";
            self.add_odd_value(&column, what, &label);
        }
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
            // TruthfulQA divides right answers so.
            TopicField::Aliases if !cell.contains(DIVIDER) && cell.contains(';') => {
                cell.split(';').map(str::trim).map(Value::from).collect()
            }
            // A talk that was written into a cell.
            TopicField::Text if cell.trim_start().starts_with("[{") => {
                let read = serde_json::from_str(cell)
                    .ok()
                    .or_else(|| parse_python_list(cell));
                read.filter(is_talk)
                    .unwrap_or_else(|| Value::String(cell.to_owned()))
            }
            TopicField::Aliases
            | TopicField::Documents
            | TopicField::Conversation
            | TopicField::Options => parse_list_cell(cell).map_err(|error| {
                format!(
                    "`{}` is not valid JSON: {}",
                    shorten_text(column),
                    describe_json_error(&error)
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
            | TopicField::Option
            | TopicField::Assertion
            | TopicField::Unused => Value::String(cell.to_owned()),
        };
        self.set_field(field, column, value)
    }

    /// Returns the reference answer, if there is one.
    pub fn take_reference(&mut self) -> Option<ReferenceAnswer> {
        let answer = self.answer.take()?;
        let mut unique_answers = HashSet::from([answer.clone()]);
        let mut aliases = std::mem::take(&mut self.aliases);
        aliases.retain(|alias| unique_answers.insert(alias.clone()));
        Some(ReferenceAnswer { answer, aliases })
    }

    /// Sets the reference from a plain answer, a list whose first item is the answer, or an object
    /// with `answer` or `value` and `aliases` (TriviaQA's shape).
    fn set_reference(&mut self, value: Value) -> Result<(), &'static str> {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    match key.to_ascii_lowercase().replace('_', "").as_str() {
                        "answer" | "value" => self.answer = parse_scalar(value)?,
                        "aliases" | "normalizedaliases" => self.aliases.extend(parse_texts(value)?),
                        _ => {}
                    }
                }
                match self.answer {
                    Some(_) => Ok(()),
                    None => Err("is an object without `answer` or `value` and is left out"),
                }
            }
            Value::Array(_) => {
                let mut all = parse_texts(value)?.into_iter();
                self.answer = all.next();
                self.aliases.extend(all);
                Ok(())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.answer = parse_scalar(value)?.map(whole_text);
                Ok(())
            }
        }
    }
}

/// Reads a list of `{role, content}` (or `{role, text}`), oldest first.
pub(super) fn parse_conversation(value: Value) -> Result<Vec<Utterance>, String> {
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
            parse_utterance(item)
                .map_err(|why| format!("utterance {} of the conversation {why}", at + 1))
        })
        .collect()
}

/// Returns a text shortened for a message.
pub(super) fn shorten_text(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(MAX_QUOTED_CHARS).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

/// Returns the parser's message without its line number, which counts from the beginning of the
/// piece and not of the file.
pub(super) fn describe_json_error(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let what = whole.split(" at line ").next().unwrap_or_default();
    match line {
        0 | 1 => format!("{what} (column {column})"),
        _ => format!("{what} (column {column} of its line {line})"),
    }
}

/// Types of promptfoo's assertions, before a colon; what follows is no answer of a topic.
const ASSERTION_TYPES: [&str; 18] = [
    "answer-relevance",
    "contains",
    "contains-all",
    "contains-any",
    "contains-json",
    "factuality",
    "icontains",
    "icontains-all",
    "icontains-any",
    "is-json",
    "javascript",
    "levenshtein",
    "llm-rubric",
    "model-graded-closedqa",
    "python",
    "regex",
    "similar",
    "starts-with",
];

/// Returns the answer that a promptfoo assertion asks for (`equals: 18`), `None` where it asks for something else;
/// any other text is itself.
fn answer_of_assertion(text: String) -> Option<String> {
    let Some((before, after)) = text.split_once(':') else {
        return Some(text);
    };
    let kind = before.trim().to_ascii_lowercase();
    let kind = kind.split('(').next().unwrap_or_default();
    let kind = kind.strip_prefix("not-").unwrap_or(kind);
    match kind {
        "equals" if !before.trim().starts_with("not-") => Some(after.trim().to_owned()),
        "equals" => None,
        other if ASSERTION_TYPES.contains(&other) => None,
        _ => Some(text),
    }
}

/// Says whether a value is something that somebody said.
pub(super) fn is_said(value: &Value) -> bool {
    let is_key = |map: &serde_json::Map<String, Value>, keys: &[&str]| {
        map.keys()
            .any(|key| keys.contains(&key.to_ascii_lowercase().as_str()))
    };
    let map = value.as_object();
    map.is_some_and(|map| is_key(map, &WHO) && is_key(map, &WHAT))
}

/// Keys of who said something, and of what; `from` and `value` are ShareGPT's.
const WHO: [&str; 3] = ["role", "from", "speaker"];
const WHAT: [&str; 4] = ["content", "text", "value", "parts"];

fn parse_utterance(item: Value) -> Result<Utterance, String> {
    let Value::Object(map) = item else {
        return Err("is no object with `role` and `content`".to_owned());
    };
    let (mut role, mut said) = (None, None);
    for (key, value) in map {
        let key = key.to_ascii_lowercase();
        match value {
            Value::String(name) if WHO.contains(&key.as_str()) => role = Some(role_of(&name)?),
            Value::String(text) if WHAT.contains(&key.as_str()) => said = Some(text),
            Value::Array(parts) if WHAT.contains(&key.as_str()) => {
                said = Some(text_of_parts(parts)?.unwrap_or_default());
            }
            _ if WHAT.contains(&key.as_str()) => {
                return Err("holds something else than text".to_owned());
            }
            _ => {}
        }
    }
    match (role, said) {
        (Some(role), Some(text)) => Ok(Utterance { role, text }),
        (None, _) => Err("has no `role`".to_owned()),
        (_, None) => Err("has no `content`".to_owned()),
    }
}

/// Joins the texts of a message in parts.
///
/// # Errors
/// When a part is no text: a seat could not be shown it.
fn text_of_parts(parts: Vec<Value>) -> Result<Option<String>, String> {
    let mut texts = Vec::new();
    for part in parts {
        match part {
            Value::String(text) => texts.push(text),
            Value::Object(mut part) => match part.remove("text") {
                Some(Value::String(text)) => texts.push(text),
                _ => {
                    let kind = part.get("type").and_then(Value::as_str);
                    return Err(format!(
                        "holds a part that is no text ({}), which no seat can be shown: leave the row out",
                        shorten_text(kind.unwrap_or("without a type"))
                    ));
                }
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                return Err("is a list of something else than parts of text".to_owned());
            }
        }
    }
    let message_text = texts.join("\n");
    Ok((!message_text.trim().is_empty()).then_some(message_text))
}

fn is_mark(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Null) || matches!(value.as_f64(), Some(0.0 | 1.0))
}

fn is_set_mark(value: &Value) -> bool {
    value.as_bool() == Some(true) || value.as_f64() == Some(1.0)
}

fn role_of(name: &str) -> Result<UtteranceRole, String> {
    match name.trim().to_ascii_lowercase().as_str() {
        "user" | "human" | "prompter" => Ok(UtteranceRole::User),
        "assistant" | "model" | "gpt" | "chatgpt" | "claude" | "ai" | "bot" => {
            Ok(UtteranceRole::Assistant)
        }
        "system" | "developer" => Ok(UtteranceRole::System),
        _ => Err(format!(
            "has the role `{}`; known are user, assistant and system",
            shorten_text(name)
        )),
    }
}

fn parse_documents(value: Value) -> Result<Vec<DocumentSource>, &'static str> {
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

/// Returns any value as text, for a field that is only read where it is understood.
fn text_of_any(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number_text(&number)),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}

fn parse_texts(value: Value) -> Result<Vec<String>, &'static str> {
    let items = match value {
        Value::Array(items) => items,
        single => vec![single],
    };
    items
        .into_iter()
        .filter_map(|item| parse_scalar(item).transpose())
        .collect()
}

fn parse_scalar(value: Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Number(number) => Ok(Some(number_text(&number))),
        Value::Bool(flag) => Ok(Some(flag.to_string())),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => parse_text(value),
    }
}

fn parse_text(value: Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err("is something else than text")
        }
    }
}

fn parse_list_cell(cell: &str) -> Result<Value, serde_json::Error> {
    if cell.trim_start().starts_with(['[', '{']) {
        return serde_json::from_str(cell).or_else(|error| parse_python_list(cell).ok_or(error));
    }
    let items = cell.split(DIVIDER).map(str::trim).filter(|s| !s.is_empty());
    Ok(Value::Array(items.map(Value::from).collect()))
}

fn trim_text(text: String) -> String {
    let short = text.trim();
    if short.len() == text.len() {
        text
    } else {
        short.to_owned()
    }
}
