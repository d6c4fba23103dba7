//! Export of guardrails to NeMo Guardrails 0.24: Colang 2 flows that parse and load.
//!
//! Names consist of words that every version of the grammar accepts, strings are escaped, and a
//! flow that would call an undefined flow is refused here, because the parser there accepts it and
//! the runtime fails later. Pure.

use super::colang_reader::{EXAMPLE, INTENT, INTENT_AND_EXAMPLE};
use elenchus_memory::MemoryEntry;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use thiserror::Error;

/// The most words of an intent in its flow's name.
const MAX_NAME_WORDS: usize = 8;
/// The longest word of a name, in characters.
const MAX_WORD_CHARS: usize = 24;
/// Words with a meaning of their own in the grammar, one a line.
const RESERVED: &str = include_str!("colang_reserved.txt");
/// Flows of the imported library that exported flows call.
const DEFINED: [&str; 3] = ["user said", "bot refuse to respond", "llm continuation"];

/// Begins the first line of every export.
pub(super) const EXPORT_MARK: &str = "# Written by elenchus.";

/// The two files of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColangConfig {
    /// `config.yml`
    pub config: String,
    /// `guardrails.co`
    pub flows: String,
}

/// Reason that guardrails cannot be written as flows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ColangError {
    #[error(
        "there is no guardrail to export: accept one with 'elenchus memory accept', or write proposed ones too with --proposed"
    )]
    Nothing,
    #[error("guardrail {0} has neither an intent nor an example that can be written as a string")]
    Empty(String),
    #[error("flow '{flow}' calls '{callee}', which is defined nowhere")]
    Undefined { flow: String, callee: String },
}

/// Returns guardrails as flows, in their order.
///
/// # Errors
/// When there is none, one of them is empty, or a flow calls an undefined flow.
pub fn format_colang(guards: &[&MemoryEntry]) -> Result<ColangConfig, ColangError> {
    if guards.is_empty() {
        return Err(ColangError::Nothing);
    }
    let mut flows = format!(
        "{EXPORT_MARK} Each guardrail is a flow that knows how it is asked, and one that refuses.\n\
         import core\nimport llm\n\nflow main\n  activate llm continuation\n",
    );
    for (number, guard) in (1u32..).zip(guards) {
        let name = flow_name(&guard.text, number);
        let mut strings: Vec<String> = Vec::new();
        for text in guard.examples.iter().chain([&guard.text]) {
            let text = escape_string(text);
            if !text.is_empty() && !strings.contains(&text) {
                strings.push(text);
            }
        }
        if strings.is_empty() {
            return Err(ColangError::Empty(guard.id.to_string()));
        }
        let utterances: Vec<String> = strings
            .iter()
            .map(|text| format!("user said \"{text}\""))
            .collect();
        // Writing to a string cannot fail.
        let _ = write!(
            flows,
            "\n# {}\n{}flow user asked {name}\n  {}\n\n@active\nflow refuse {name}\n  user asked {name}\n  bot refuse to respond\n",
            escape_comment(&guard.id.0),
            comment_original_texts(guard),
            utterances.join("\n    or "),
        );
    }
    if let Some((flow, callee)) = undefined_callees(&flows).into_iter().next() {
        return Err(ColangError::Undefined { flow, callee });
    }
    Ok(ColangConfig {
        config: "colang_version: \"2.x\"\n".to_owned(),
        flows,
    })
}

/// Returns comments from which a reader has the texts as they were: a string cannot hold every sign.
fn comment_original_texts(guard: &MemoryEntry) -> String {
    let intent_string = escape_string(&guard.text);
    let mut examples = guard.examples.iter();
    let intent = match examples.any(|example| escape_string(example) == intent_string) {
        true => INTENT_AND_EXAMPLE,
        false => INTENT,
    };
    let changed = guard.examples.iter().filter(|text| {
        let string = escape_string(text);
        string != **text && string != intent_string
    });
    let intent = std::iter::once((intent, &guard.text));
    let lines = intent.chain(changed.map(|text| (EXAMPLE, text)));
    lines
        .map(|(what, text)| format!("{what}{}\n", quote_for_comment(text)))
        .collect()
}

/// Returns a text as a JSON string without characters that would end or disguise the line.
fn quote_for_comment(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() || is_unsafe(c) || matches!(c, '\u{2028}' | '\u{2029}') => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the calls of flows that neither the file nor the imported library defines, each with the
/// flow that makes it. Reads the statements that [`format_colang`] writes.
fn undefined_callees(flows: &str) -> Vec<(String, String)> {
    let mut flow_names: BTreeSet<&str> = DEFINED.into_iter().collect();
    flow_names.extend(flows.lines().filter_map(|line| line.strip_prefix("flow ")));
    let mut inside = "";
    let mut missing = Vec::new();
    for line in flows.lines() {
        if let Some(name) = line.strip_prefix("flow ") {
            inside = name;
            continue;
        }
        let Some(statement) = line.strip_prefix("  ") else {
            continue;
        };
        let statement = statement.trim_start();
        let statement = statement.strip_prefix("or ").unwrap_or(statement);
        let callee = statement.strip_prefix("activate ").unwrap_or(statement);
        let callee = callee.split('"').next().unwrap_or_default().trim();
        if !flow_names.contains(callee) {
            missing.push((inside.to_owned(), callee.to_owned()));
        }
    }
    missing
}

/// Returns a flow's name for an intent: lower-case ASCII words that begin with a letter and mean
/// nothing to the grammar, and a number that makes it unique.
fn flow_name(intent: &str, number: u32) -> String {
    let lower = intent.to_lowercase();
    let mut words: Vec<String> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter(|word| !RESERVED.lines().any(|reserved| reserved == *word))
        .take(MAX_NAME_WORDS)
        .map(|word| word.chars().take(MAX_WORD_CHARS).collect())
        .collect();
    words.push(format!("g{number}"));
    words.join(" ")
}

/// Escapes a text for double quotes. Braces and dollar signs before a name would be read as
/// expressions there, three points at the beginning as an instruction to a model.
pub(super) fn escape_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    for c in text.trim_start_matches(['.', ' ']).chars() {
        match c {
            // They parse when escaped, but the runtime there loses the escapes.
            '"' => out.push('\''),
            '\\' => out.push('/'),
            '{' => out.push('('),
            '}' => out.push(')'),
            '$' => out.push('\u{FF04}'),
            c if is_unsafe(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Returns whether a character reorders or hides text, which has no place in a file that people
/// review.
fn is_unsafe(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

fn escape_comment(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_memory::EntryId;

    #[test]
    fn every_reserved_word_is_one_that_a_name_could_have_and_is_listed_once() {
        let mut seen = std::collections::BTreeSet::new();
        for line in RESERVED.lines() {
            assert!(
                line.starts_with(|c: char| c.is_ascii_lowercase()),
                "'{line}'"
            );
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            assert!(line.chars().all(is_name), "'{line}'");
            assert!(seen.insert(line), "'{line}' is listed twice");
        }
    }

    fn guard(intent: &str, examples: &[&str]) -> MemoryEntry {
        MemoryEntry {
            examples: examples.iter().map(|one| (*one).to_owned()).collect(),
            ..MemoryEntry::new(&EntryId("guard-1".to_owned()), intent, "", "")
        }
    }

    #[test]
    fn flows_are_named_by_words_that_the_grammar_takes_for_words() {
        for (intent, name) in [
            ("Open or close the door", "open close the door g1"),
            ("Do it as told, and then: stop!", "do it told then g1"),
            ("2nd-degree burns / 3 ways", "degree burns ways g1"),
            ("don't", "don t g1"),
            ("打开门", "g1"),
            ("", "g1"),
            ("a b c d e f g h i j", "a b c d e f g h g1"),
        ] {
            assert_eq!(flow_name(intent, 1), name, "{intent:?}");
        }
    }

    #[test]
    fn strings_hold_nothing_that_is_read_as_code() {
        for (text, safe) in [
            ("say \"hi\"", "say 'hi'"),
            ("a\\", "a/"),
            ("{system()} $name", "(system()) \u{FF04}name"),
            ("... write it", "write it"),
            ("two\r\nlines\u{2028}more\u{202e}", "two lines more"),
        ] {
            assert_eq!(escape_string(text), safe, "{text:?}");
        }
    }

    #[test]
    fn a_guardrail_becomes_one_flow_that_knows_it_and_one_that_refuses() {
        let one = guard("Open the door", &["How do I open it?", "Open it"]);
        let written = format_colang(&[&one]).unwrap();
        assert_eq!(
            written.flows,
            "# Written by elenchus. Each guardrail is a flow that knows how it is asked, and one that refuses.\n\
             import core\nimport llm\n\nflow main\n  activate llm continuation\n\n\
             # guard-1\n# intent: \"Open the door\"\nflow user asked open the door g1\n  user said \"How do I open it?\"\n    \
             or user said \"Open it\"\n    or user said \"Open the door\"\n\n@active\n\
             flow refuse open the door g1\n  user asked open the door g1\n  bot refuse to respond\n"
        );
    }

    #[test]
    fn nothing_empty_or_undefined_is_written() {
        assert_eq!(format_colang(&[]), Err(ColangError::Nothing));
        let empty = guard("\u{200b}", &[" ", "..."]);
        assert_eq!(
            format_colang(&[&empty]),
            Err(ColangError::Empty("guard-1".to_owned()))
        );
        let flows =
            "flow main\n  activate llm continuation\nflow a\n  bot dance\n  user said \"x\"\n";
        assert_eq!(
            undefined_callees(flows),
            [("a".to_owned(), "bot dance".to_owned())]
        );
    }
}
