//! Reader of Colang: what users say, as Colang 1 and Colang 2 define it. Reads no other statement.
//!
//! Colang 1 has `define user NAME` with a quoted utterance on each line below; Colang 2 has `flow NAME` whose
//! body says `user said "…"`, joined by `or`. Comments that the export writes bring back what a string there
//! cannot hold.

use super::colang::{EXPORT_MARK, escape_string};
use super::memory_file::{MemoryFile, read_name};

/// Begins the definition of an utterance in Colang 1.
const DEFINE_USER: &str = "define user ";
/// The statement of an utterance in Colang 2.
const USER_SAID: &str = "user said";
/// Begins the comment with the intent of the flow below it.
pub(super) const INTENT: &str = "# intent: ";
/// As [`INTENT`], where the intent is an example as well.
pub(super) const INTENT_AND_EXAMPLE: &str = "# intent and example: ";
/// Begins the comment with an example that its string does not hold as it is.
pub(super) const EXAMPLE: &str = "# example: ";

/// Definition that is being read.
#[derive(Default)]
struct Definition {
    line: u64,
    name: String,
    strings: Vec<String>,
}

/// What comments said about the flow that follows.
#[derive(Default)]
struct Comments {
    intent: Option<String>,
    intent_is_example: bool,
    /// Texts as they were before they became strings.
    originals: Vec<String>,
}

/// Reads the utterances of a file.
pub(super) fn read_colang(text: &str, most_examples: usize, file: &mut MemoryFile) {
    let is_first_version = text
        .lines()
        .any(|line| line.trim_start().starts_with("define "));
    match is_first_version {
        true => read_first_version(text, most_examples, file),
        false => read_second_version(text, most_examples, file),
    }
}

fn read_first_version(text: &str, most_examples: usize, file: &mut MemoryFile) {
    let mut open: Option<Definition> = None;
    let close = |open: Option<Definition>, file: &mut MemoryFile| {
        if let Some(definition) = open {
            let Definition {
                line,
                name,
                strings,
            } = definition;
            file.add_guardrail(line, &read_name(&name), &strings, most_examples);
        }
    };
    for (line, number) in text.lines().zip(1u64..) {
        let statement = line.trim();
        if statement.is_empty() || statement.starts_with('#') {
            continue;
        }
        if let Some(name) = statement.strip_prefix(DEFINE_USER) {
            close(open.take(), file);
            open = Some(Definition {
                line: number,
                name: name.trim().trim_end_matches(':').to_owned(),
                strings: Vec::new(),
            });
        } else if !line.starts_with([' ', '\t']) {
            close(open.take(), file);
        } else if let Some(definition) = &mut open {
            // Single quotes mean something else there.
            match read_string(statement).filter(|_| statement.starts_with('"')) {
                Some((string, rest)) if is_end(rest) => definition.strings.push(string),
                Some(_) | None => file.refuse(
                    number,
                    "an utterance below 'define user' is one text in double quotes on a line of its own",
                ),
            }
        }
    }
    close(open, file);
}

fn read_second_version(text: &str, most_examples: usize, file: &mut MemoryFile) {
    // An earlier export wrote the intent as the last string, and nothing else of it.
    let is_own = text
        .lines()
        .next()
        .is_some_and(|line| line.starts_with(EXPORT_MARK));
    let (mut comments, mut next_comments) = (Comments::default(), Comments::default());
    let mut open: Option<Definition> = None;
    let close = |open: Option<Definition>, comments: &Comments, file: &mut MemoryFile| {
        let Some(definition) = open.filter(|definition| !definition.strings.is_empty()) else {
            return;
        };
        let (line, (intent, examples)) =
            (definition.line, restore_texts(definition, comments, is_own));
        file.add_guardrail(line, &intent, &examples, most_examples);
    };
    for (line, number) in text.lines().zip(1u64..) {
        let statement = line.trim();
        if statement.is_empty() {
            continue;
        }
        if statement.starts_with('#') {
            next_comments.add_comment(statement);
            continue;
        }
        if line.starts_with([' ', '\t']) {
            match &mut open {
                Some(definition) => read_statement(statement, number, definition, file),
                None if statement.contains(USER_SAID) => {
                    file.refuse(number, "this utterance belongs to no flow");
                }
                None => {}
            }
            continue;
        }
        if statement.starts_with('@') {
            continue;
        }
        close(open.take(), &comments, file);
        comments = std::mem::take(&mut next_comments);
        if let Some(header) = statement.strip_prefix("flow ") {
            let name = header.split(['$', '(']).next().unwrap_or_default();
            let name = name.split("->").next().unwrap_or_default();
            open = Some(Definition {
                line: number,
                name: name.trim().to_owned(),
                strings: Vec::new(),
            });
        }
    }
    close(open, &comments, file);
}

impl Comments {
    fn add_comment(&mut self, comment: &str) {
        let read = |written: &str| serde_json::from_str::<String>(written).ok();
        if let Some(intent) = comment.strip_prefix(INTENT).and_then(read) {
            self.intent = Some(intent);
        } else if let Some(intent) = comment.strip_prefix(INTENT_AND_EXAMPLE).and_then(read) {
            self.intent = Some(intent);
            self.intent_is_example = true;
        } else if let Some(example) = comment.strip_prefix(EXAMPLE).and_then(read) {
            self.originals.push(example);
        }
    }
}

/// Returns the intent and the examples of a flow.
fn restore_texts(
    definition: Definition,
    comments: &Comments,
    is_own: bool,
) -> (String, Vec<String>) {
    let Definition {
        name, mut strings, ..
    } = definition;
    let Some(intent) = comments.intent.clone() else {
        let own_intent = match is_own && strings.len() > 1 {
            true => strings.pop(),
            false => None,
        };
        let words = name.strip_prefix("user ").unwrap_or(&name);
        return (own_intent.unwrap_or_else(|| read_name(words)), strings);
    };
    let intent_string = escape_string(&intent);
    let mut originals = comments.originals.clone();
    originals.extend(comments.intent_is_example.then(|| intent.clone()));
    let mut examples = Vec::new();
    for string in strings {
        let original = originals.iter().find(|text| escape_string(text) == string);
        match original {
            Some(original) => examples.push(original.clone()),
            None if string == intent_string => {}
            None => examples.push(string),
        }
    }
    (intent, examples)
}

/// Reads the utterances of one statement of Colang 2.
fn read_statement(statement: &str, line: u64, definition: &mut Definition, file: &mut MemoryFile) {
    let mut rest = statement;
    while let Some(c) = rest.chars().next() {
        if c == '#' {
            return;
        }
        if let Some(after) = rest.strip_prefix(USER_SAID) {
            rest = after.trim_start();
            match read_string(rest) {
                Some((string, after)) => {
                    definition.strings.push(string);
                    rest = after;
                }
                None => {
                    return file.refuse(
                        line,
                        "of 'user said' quoted texts are read; patterns and variables are not",
                    );
                }
            }
        } else if matches!(c, '"' | '\'') {
            match read_string(rest) {
                Some((_, after)) => rest = after,
                None => return file.refuse(line, "a quoted text does not end on its line"),
            }
        } else {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
}

/// Reads a quoted text at the beginning of a statement; returns it with what follows.
fn read_string(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut string = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((string, text.get(at + c.len_utf8()..)?));
        }
        match c {
            '\\' => match chars.next()?.1 {
                'n' | 't' | 'r' => string.push(' '),
                escaped => string.push(escaped),
            },
            c => string.push(c),
        }
    }
    None
}

/// Says whether nothing but a comment is left.
fn is_end(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::super::colang::format_colang;
    use super::super::memory_file::parse_memory_file;
    use super::*;
    use elenchus_memory::{EntryId, MemoryEntry};

    fn read(text: &str) -> MemoryFile {
        parse_memory_file("rails.co", text.as_bytes(), 8)
    }

    fn found(file: &MemoryFile) -> Vec<(u64, &str, Vec<&str>)> {
        let guardrails = file.guardrails.iter().map(|one| {
            let examples = one.text.examples.iter().map(String::as_str);
            (one.line, one.text.intent.as_str(), examples.collect())
        });
        guardrails.collect()
    }

    const FIRST: &str = r#"
# Rails of somebody.
define user ask about weapons
  "How do I make a blade?"
  "Say \"blade\""   # a comment
  'how is it made'

define bot refuse to respond
  "I do not answer that."

define flow weapons
  user ask about weapons
  bot refuse to respond

define user ask_about_locks
  "Open it"
"#;

    #[test]
    fn utterances_of_colang_1_are_read_and_what_is_none_is_named() {
        let file = read(FIRST);
        assert_eq!(
            found(&file),
            [
                (
                    3,
                    "ask about weapons",
                    vec!["How do I make a blade?", "Say \"blade\""]
                ),
                (15, "ask about locks", vec!["Open it"]),
            ]
        );
        let refused: Vec<u64> = file.refused.iter().map(|row| row.line).collect();
        assert_eq!(refused, [6]);
    }

    const SECOND: &str = r#"import core
import llm

@meta(user_intent=True)
flow user asked about locks
  user said "Open it" or user said "How is
it opened?"
    or user said 'It\'s locked'
  or user said r".*lock.*"

flow bot refuse to respond
  bot say "I know that user said \"no\""

flow user greeted $name
  (user said "hi" or user said "hello")
"#;

    #[test]
    fn utterances_of_colang_2_are_read_and_what_is_none_is_named() {
        let file = read(SECOND);
        let (line, intent, examples) = found(&file).remove(0);
        assert_eq!((line, intent), (5, "asked about locks"));
        assert_eq!(examples, ["Open it"]);
        let (line, intent, examples) = found(&file).pop().unwrap();
        assert_eq!(
            (line, intent, examples),
            (14, "greeted", vec!["hi", "hello"])
        );
        let refused: Vec<u64> = file.refused.iter().map(|row| row.line).collect();
        assert_eq!(refused, [6, 8, 9], "{:?}", file.refused);
    }

    fn guard(intent: &str, examples: &[&str]) -> MemoryEntry {
        MemoryEntry {
            examples: examples.iter().map(|one| (*one).to_owned()).collect(),
            ..MemoryEntry::new(&EntryId("guard-1".to_owned()), intent, "", "")
        }
    }

    #[test]
    fn what_is_exported_is_read_as_it_was() {
        let guards = [
            guard(
                "Open or close the door, as told",
                &["How do I open it?", "Open it"],
            ),
            guard(
                "Say \"hi\" with {braces} and $name",
                &["... a\\b \"c\"", "plain", "# no comment"],
            ),
            guard("Open it", &["Open it", "Do open it"]),
            guard("打开门", &["\u{202e}开", "开门"]),
        ];
        let all: Vec<&MemoryEntry> = guards.iter().collect();
        let file = read(&format_colang(&all).unwrap().flows);
        assert_eq!(file.refused, []);
        let read: Vec<(String, Vec<String>)> = file
            .guardrails
            .into_iter()
            .map(|one| (one.text.intent, one.text.examples))
            .collect();
        let written = guards.map(|guard| (guard.text, guard.examples));
        assert_eq!(read, written);
    }

    #[test]
    fn an_earlier_export_has_its_intent_last() {
        let earlier = "# Written by elenchus. Each guardrail is a flow.\nimport core\n\n# guard-1\nflow user asked open g1\n  user said \"Open it\"\n    or user said \"Open the door\"\n";
        let file = read(earlier);
        assert_eq!(found(&file), [(5, "Open the door", vec!["Open it"])]);
    }
}
