//! Guardrails and lessons from other tools' files: Colang flows, and what RedDebate's code releases. Pure.
//!
//! Nothing of a file is dropped in silence: what cannot be read is a [`RefusedRow`] with its line. Whoever
//! takes a file in proposes its guardrails and disables its lessons.

use super::colang_reader;
use super::finished_debate::RefusedRow;
use super::reddebate::find_lesson;
use elenchus_memory::{GuardText, MAX_EXAMPLE_CHARS, normal_form};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::HashSet;

/// The largest file that is read, in bytes.
pub const MAX_MEMORY_FILE_BYTES: usize = 4 << 20;
/// The most guardrails, and the most lessons, of one file.
const MAX_FOUND: usize = 2_000;
/// The most items of a document that are looked at: the line of each is searched for.
const MAX_ITEMS: usize = MAX_FOUND + MAX_REFUSED + 1;
/// The most lines that are named as refused, and the most notes.
const MAX_REFUSED: usize = 200;
/// The longest lesson that is taken, in bytes.
const MAX_LESSON_BYTES: usize = 64 << 10;

/// Content of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFile {
    pub guardrails: Vec<FoundGuardrail>,
    pub lessons: Vec<String>,
    pub refused: Vec<RefusedRow>,
    /// Notes on what is taken otherwise than it stands there.
    pub notes: Vec<String>,
}

/// A guardrail of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundGuardrail {
    /// The line it begins on, from 1.
    pub line: u64,
    pub text: GuardText,
}

/// Reads a file. `name` is its own, without its folder; a guardrail keeps its first `most_examples`
/// examples.
pub fn parse_memory_file(name: &str, bytes: &[u8], most_examples: usize) -> MemoryFile {
    let mut file = MemoryFile::default();
    if bytes.len() > MAX_MEMORY_FILE_BYTES {
        let why = format!(
            "the file has {} bytes, and at most {MAX_MEMORY_FILE_BYTES} are read",
            bytes.len()
        );
        file.refuse(0, why);
        return file;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        let valid = String::from_utf8_lossy(bytes);
        let line = valid.lines().position(|line| line.contains('\u{fffd}'));
        file.refuse(line.unwrap_or(0) as u64 + 1, "the file is no UTF-8 text");
        return file;
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_json = text.trim_start().starts_with(['{', '[']) && !name.ends_with(".co");
    match is_json {
        true => read_json(name, text, most_examples, &mut file),
        false => colang_reader::read_colang(text, most_examples, &mut file),
    }
    if file.is_empty() && file.refused.is_empty() && file.notes.is_empty() {
        file.refuse(
            0,
            "it is no export of memory, and holds neither a guardrail (flows of Colang with 'user said' or 'define user', or JSON with \
             examples) nor a lesson (RedDebate's debates with their feedback, or JSON with texts)",
        );
    }
    file
}

impl MemoryFile {
    /// Says whether nothing of it can be taken.
    pub fn is_empty(&self) -> bool {
        self.guardrails.is_empty() && self.lessons.is_empty()
    }

    /// Adds a guardrail, cleaned and bounded.
    pub(super) fn add_guardrail(
        &mut self,
        line: u64,
        intent: &str,
        examples: &[String],
        most_examples: usize,
    ) {
        if self.guardrails.len() >= MAX_FOUND {
            return self.refuse(line, format!("a file has at most {MAX_FOUND} guardrails"));
        }
        let is_short = |example: &&String| example.chars().count() <= MAX_EXAMPLE_CHARS;
        let short_examples = examples.iter().filter(is_short);
        let too_long = examples.len() - short_examples.clone().count();
        let mut forms = HashSet::new();
        let unique_examples = short_examples.filter(|example| forms.insert(normal_form(example)));
        let mut unique_examples: Vec<String> = unique_examples.cloned().collect();
        if too_long > 0 {
            self.note(format!(
                "line {line}: {too_long} examples are longer than {MAX_EXAMPLE_CHARS} characters and left out"
            ));
        }
        if unique_examples.len() > most_examples {
            self.note(format!(
                "line {line}: the first {most_examples} of {} examples are taken; 'guardrail_examples' under \
                 [memory] says how many a guardrail has at most",
                unique_examples.len()
            ));
            unique_examples.truncate(most_examples);
        }
        match GuardText::new(intent, &unique_examples) {
            Ok(text) => self.guardrails.push(FoundGuardrail { line, text }),
            Err(why) => self.refuse(line, format!("this is no guardrail: {why}")),
        }
    }

    fn add_lesson(&mut self, line: u64, text: &str) {
        let text = text.trim();
        if self.lessons.len() >= MAX_FOUND {
            return self.refuse(line, format!("a file has at most {MAX_FOUND} lessons"));
        }
        if text.len() > MAX_LESSON_BYTES {
            let why = format!(
                "a lesson has at most {MAX_LESSON_BYTES} bytes, and this one has {}",
                text.len()
            );
            return self.refuse(line, why);
        }
        if !text.is_empty() && !self.lessons.iter().any(|lesson| lesson == text) {
            self.lessons.push(text.to_owned());
        }
    }

    /// Names a line that cannot be read; of very many the first.
    pub(super) fn refuse(&mut self, line: u64, why: impl Into<String>) {
        let why = match self.refused.len().cmp(&MAX_REFUSED) {
            Ordering::Less => why.into(),
            Ordering::Equal => "and more that cannot be read".to_owned(),
            Ordering::Greater => return,
        };
        self.refused.push(RefusedRow { line, why });
    }

    /// Adds a note; of very many the first.
    pub(super) fn note(&mut self, note: String) {
        match self.notes.len().cmp(&MAX_REFUSED) {
            Ordering::Less => self.notes.push(note),
            Ordering::Equal => self.notes.push("and more notes of this kind".to_owned()),
            Ordering::Greater => {}
        }
    }
}

/// Reads one JSON document, or one on each line.
fn read_json(name: &str, text: &str, most_examples: usize, file: &mut MemoryFile) {
    let whole: Result<Value, _> = serde_json::from_str(text);
    let error = match whole {
        Ok(document) => {
            return JsonReader::new(text, most_examples, file).read_document(name, &document);
        }
        Err(error) => error,
    };
    let lines = || {
        text.lines()
            .zip(1u64..)
            .filter(|(line, _)| !line.trim().is_empty())
    };
    let is_lines = lines().count() > 1
        && lines()
            .next()
            .is_some_and(|(line, _)| serde_json::from_str::<Value>(line).is_ok());
    if !is_lines {
        return file.refuse(error.line() as u64, format!("the file is no JSON: {error}"));
    }
    for (line, number) in lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(row) => {
                let mut reader = JsonReader::new("", most_examples, file);
                if !reader.read_object(number, &row) {
                    reader.refuse_value(number, &row);
                }
            }
            Err(error) => file.refuse(number, format!("the line is no JSON: {error}")),
        }
    }
}

/// Reader of a parsed document.
struct JsonReader<'a> {
    text: &'a str,
    /// Where lines begin.
    line_starts: Vec<usize>,
    /// Place up to which items of a list were found.
    found_to: usize,
    most_examples: usize,
    file: &'a mut MemoryFile,
}

impl<'a> JsonReader<'a> {
    fn new(text: &'a str, most_examples: usize, file: &'a mut MemoryFile) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            line_starts: breaks.collect(),
            found_to: 0,
            most_examples,
            file,
        }
    }

    fn read_document(&mut self, name: &str, document: &Value) {
        if self.read_object(1, document) {
            return;
        }
        // RedDebate's checkpoints keep lessons by their topic, those of reasoning models as [thought, lesson].
        let holds_lessons = name.contains("feedback") || name.contains("lesson");
        let item_count = match document {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        };
        if item_count > MAX_ITEMS {
            let why = format!(
                "the file has {item_count} items, and the first {MAX_ITEMS} are read; divide it"
            );
            self.file.refuse(0, why);
        }
        match document {
            Value::Array(items) => {
                for item in items.iter().take(MAX_ITEMS) {
                    let line = self.find_next_line(item);
                    match item {
                        Value::String(text) => self.file.add_lesson(line, text),
                        item if self.read_object(line, item) => {}
                        item => self.refuse_value(line, item),
                    }
                }
            }
            Value::Object(fields) => {
                for (key, value) in fields.iter().take(MAX_ITEMS) {
                    let line = self.find_key(key);
                    match (value, string_list(value)) {
                        (Value::String(text), _) => self.file.add_lesson(line, text),
                        (_, Some(texts)) if holds_lessons => {
                            self.file
                                .add_lesson(line, texts.last().map_or("", String::as_str));
                        }
                        (_, Some(examples)) => {
                            let most = self.most_examples;
                            self.file
                                .add_guardrail(line, &read_name(key), &examples, most);
                        }
                        (value, None) if self.read_object(line, value) => {}
                        (value, None) => self.refuse_value(line, value),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.refuse_value(1, document);
            }
        }
    }

    /// Reads an object of a known form; returns whether it is one.
    fn read_object(&mut self, line: u64, value: &Value) -> bool {
        let text_of = |names: &[&str]| {
            let mut fields = names.iter().filter_map(|name| value.get(name)?.as_str());
            fields.next().map(str::to_owned)
        };
        let examples = ["examples", "utterances"]
            .iter()
            .find_map(|name| value.get(name));
        if let (Some(intent), Some(examples)) =
            (text_of(&["intent", "expression", "name", "flow"]), examples)
        {
            match string_list(examples) {
                Some(examples) => {
                    let most = self.most_examples;
                    self.file
                        .add_guardrail(line, &read_name(&intent), &examples, most);
                }
                None => self.file.refuse(line, "its examples are no list of texts"),
            }
            return true;
        }
        let is_debate = value.get("responses").is_some();
        if is_debate || value.get("feedback").is_some() {
            match find_lesson(value.get("feedback")) {
                Some(lesson) => self.file.add_lesson(line, &lesson),
                None => self.file.note(format!(
                    "line {line}: the debate has no feedback, so no lesson"
                )),
            }
            return true;
        }
        match text_of(&["lesson", "text"]) {
            Some(lesson) => {
                self.file.add_lesson(line, &lesson);
                true
            }
            None => false,
        }
    }

    fn refuse_value(&mut self, line: u64, value: &Value) {
        let what = match value {
            Value::Object(_) => {
                "an object without feedback, lesson, text, or an intent with examples"
            }
            Value::Array(_) => "a list that is not one of texts",
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                "neither a text nor an object"
            }
        };
        self.file.refuse(line, format!("this is {what}"));
    }

    /// Returns the line of a key of the document's outermost object.
    fn find_key(&self, key: &str) -> u64 {
        let written = serde_json::to_string(key).unwrap_or_default();
        self.line_at(self.text.find(&written).unwrap_or(0))
    }

    /// Returns the line of the first text of an item of a list, behind the item before.
    fn find_next_line(&mut self, item: &Value) -> u64 {
        let first_text = match item {
            Value::String(text) => Some(text.as_str()),
            Value::Object(fields) => fields.values().find_map(Value::as_str),
            Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
        };
        let written = first_text.and_then(|text| serde_json::to_string(text).ok());
        let rest = self.text.get(self.found_to..).unwrap_or_default();
        if let Some(at) = written.and_then(|written| rest.find(&written)) {
            self.found_to += at + 1;
        }
        self.line_at(self.found_to)
    }

    fn line_at(&self, place: usize) -> u64 {
        self.line_starts.partition_point(|start| *start <= place) as u64 + 1
    }
}

fn string_list(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Returns an intent that is written as the name of a flow in words.
pub(super) fn read_name(name: &str) -> String {
    match name.contains(' ') {
        true => name.to_owned(),
        false => name.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> MemoryFile {
        parse_memory_file(name, text.as_bytes(), 8)
    }

    #[test]
    fn lessons_are_read_from_debates_checkpoints_and_lists() {
        let debate = r#"{"question": {"text": "Q"}, "responses": [{}], "feedback": " Say less. "}"#;
        assert_eq!(read("set_q1.json", debate).lessons, ["Say less."]);
        let checkpoint =
            "{\n \"topic one\": \"Ask first.\",\n \"topic two\": [\"I think\", \"Say why.\"]\n}";
        let file = read("feedback_dict.json", checkpoint);
        assert_eq!(file.lessons, ["Ask first.", "Say why."]);
        let lines = "{\"feedback\": \"One.\"}\n\n{\"lesson\": \"Two.\"}\n{\"other\": 1}\nbroken\n";
        let file = read("lessons.jsonl", lines);
        assert_eq!(file.lessons, ["One.", "Two."]);
        let refused: Vec<u64> = file.refused.iter().map(|row| row.line).collect();
        assert_eq!(refused, [4, 5]);
        let list = "[\n\"One.\",\n\"One.\",\n7\n]";
        let file = read("lessons.json", list);
        assert_eq!(file.lessons, ["One."]);
        assert_eq!(file.refused.len(), 1);
    }

    #[test]
    fn guardrails_are_read_from_objects_with_examples() {
        let pairs = "{\n\"open_other_locks\": [\"How do I open it?\", \"Open it\"]\n}";
        let file = read("guardrails.json", pairs);
        assert_eq!(file.guardrails[0].line, 2);
        assert_eq!(file.guardrails[0].text.intent, "open other locks");
        assert_eq!(file.guardrails[0].text.examples.len(), 2);
        let list = r#"[{"expression": "Open locks", "examples": ["Open it"]}, {"intent": "x", "examples": "y"}]"#;
        let file = read("guardrails.json", list);
        assert_eq!(file.guardrails[0].text.intent, "Open locks");
        assert!(file.refused[0].why.contains("no list of texts"));
    }

    #[test]
    fn what_is_too_much_is_cut_and_said() {
        let many: Vec<String> = (0..20)
            .map(|number| format!("\"Example {number}\""))
            .collect();
        let text = format!("{{\"intent\": \"x\", \"examples\": [{}]}}", many.join(","));
        let file = read("a.json", &text);
        assert_eq!(file.guardrails[0].text.examples.len(), 8);
        assert!(file.notes[0].contains("the first 8 of 20 examples"));
        // Looked up one by one among all before it, these take minutes.
        let very_many = (0..200_000).map(|number| format!("\"{number:06}\""));
        let text = very_many.collect::<Vec<_>>().join(",");
        let file = read("a.json", &format!("{{\"x\": [{text}, \"000001!\"]}}"));
        assert!(file.notes[0].contains("the first 8 of 200000 examples"));
        let large = vec![b' '; MAX_MEMORY_FILE_BYTES + 1];
        assert!(
            parse_memory_file("a.co", &large, 8).refused[0]
                .why
                .contains("at most")
        );
        let rows: String = (0..5_000).map(|_| "{\"other\": 1}\n").collect();
        assert_eq!(read("a.jsonl", &rows).refused.len(), MAX_REFUSED + 1);
        assert!(!read("a.co", "hello").refused.is_empty());
        let again = vec!["\"Ask first.\""; MAX_ITEMS + 1].join(",");
        let last = format!("[{again}, \"Ask last.\"]");
        let file = read("a.json", &last);
        assert_eq!(file.lessons, ["Ask first."]);
        let why = &file.refused[0].why;
        assert!(
            why.contains("the file has 2203 items, and the first 2201 are read"),
            "{why}"
        );
        let debates = vec!["{\"feedback\": null}"; MAX_REFUSED + 9].join("\n");
        let file = read("a.jsonl", &debates);
        assert_eq!(file.notes.len(), MAX_REFUSED + 1);
        assert!(file.notes[MAX_REFUSED].contains("and more"));
        let deep = "[".repeat(100_000);
        assert!(!read("a.json", &deep).refused.is_empty());
        assert_eq!(parse_memory_file("a.co", b"x\n\xff", 8).refused[0].line, 2);
    }
}
