//! Batch files: calls as lines that OpenAI's Batch API, LiteLLM and `vllm run-batch` take, and their answers
//! by the names of the calls. It opens no files.
//!
//! Answers come in any order, in parts, twice, and with lines that are none; each such line is named.

use elenchus_model::{BatchAnswer, BatchCall};
use elenchus_store::Hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most lines of one file of calls, as OpenAI's Batch API takes them.
pub const MAX_CALLS: usize = 50_000;
/// The most bytes of one file of calls, as OpenAI's Batch API takes them.
pub const MAX_CALL_BYTES: usize = 200 << 20;
/// The longest line of answers that is read.
pub const MAX_ANSWER_BYTES: usize = 16 << 20;
/// The most lines of answers that are read.
pub const MAX_ANSWERS: u64 = 1_000_000;
/// The most bytes of answers to calls of one pass that are held.
const MAX_HELD_BYTES: usize = 1 << 30;
/// Characters of an id's beginning, which names the pass; ids hold 64 at most.
const PASS_CHARS: usize = 31;
/// Characters of an id's end, which names the call.
const CALL_CHARS: usize = 32;
/// Lines of one kind that are named; the rest is counted.
const MAX_NAMED_LINES: usize = 5;

/// Name of a call in batch files: the same for the same call, on every machine and after every restart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(String);

impl CallId {
    /// Names a call of a pass by what it asks for.
    pub fn new(pass: &str, asked: &impl Serialize) -> Self {
        // What is asked for is ids and numbers, which can always be serialised.
        let asked = serde_json::to_vec(asked).unwrap_or_default();
        let call = Hash::digest(&asked).to_string();
        let call: String = call.chars().take(CALL_CHARS).collect();
        Self(format!("{}{call}", pass_prefix(pass)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns how the names of a pass's calls begin: with its id, or where that is too long or holds what not all
/// servers take, with a hash of it.
fn pass_prefix(pass: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if pass.len() <= PASS_CHARS && pass.chars().all(is_plain) {
        return format!("{pass}-");
    }
    let hash = Hash::digest(pass.as_bytes()).to_string();
    let hash: String = hash.chars().take(PASS_CHARS).collect();
    format!("{hash}-")
}

/// Returns the id of the pass that a call's name begins with, if it looks like one of this program.
fn pass_of(id: &str) -> Option<&str> {
    let (pass, call) = id.rsplit_once('-')?;
    let is_call = call.len() == CALL_CHARS && call.chars().all(|c| c.is_ascii_hexdigit());
    (is_call && !pass.is_empty() && pass.len() <= PASS_CHARS).then_some(pass)
}

/// A line of a file of calls.
#[derive(Serialize)]
struct CallLine<'a> {
    custom_id: &'a str,
    method: &'static str,
    url: &'static str,
    body: &'a Value,
}

/// Returns a call as a line, with its end.
pub fn format_call(id: &CallId, call: &BatchCall) -> String {
    let line = CallLine {
        custom_id: id.as_str(),
        method: "POST",
        url: call.url,
        body: &call.body,
    };
    // Texts and numbers can always be serialised.
    let mut line = serde_json::to_string(&line).unwrap_or_default();
    line.push('\n');
    line
}

/// A line that is not taken, or that a person should know of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerNote {
    Unreadable,
    /// The file ends in the middle of it.
    CutShort,
    TooLong,
    /// There are more lines, or more of them to hold, than are read.
    TooMany,
    /// It is a call, not an answer.
    Call,
    OtherPass(String),
    UnknownCall,
    TwiceAlike,
    TwiceOtherwise,
    ErrorBesideAnswer,
    AnsweredBefore,
    WithoutUsage,
    CutByLength,
    Refusal,
}

impl AnswerNote {
    /// Says what such lines are, and what to do.
    fn describe(&self) -> String {
        match self {
            Self::Unreadable => {
                "no JSON object with a custom_id, and left out: look whether the file was changed on its way"
                    .to_owned()
            }
            Self::CutShort => {
                "cut short, and left out: fetch the file again, and take it once more".to_owned()
            }
            Self::TooLong => format!(
                "longer than an answer can be ({} MiB), and left out",
                MAX_ANSWER_BYTES >> 20
            ),
            Self::TooMany => {
                "not read, for the file holds too many: split it, and take one part after the other".to_owned()
            }
            Self::Call => {
                "a call and no answer: give the file that came of the batch, not the one that was handed in"
                    .to_owned()
            }
            Self::OtherPass(pass) => format!(
                "about another pass, and left out: take them by elenchus judge --resume {pass} --batch-in FILE"
            ),
            Self::UnknownCall => {
                "about no call of this pass, and left out: look whether the file belongs to it".to_owned()
            }
            Self::TwiceAlike => "another line says the same: counted once".to_owned(),
            Self::TwiceOtherwise => {
                "another line says something else about the same call: the first is kept".to_owned()
            }
            Self::ErrorBesideAnswer => {
                "an error about a call that another line answers: the answer is kept".to_owned()
            }
            Self::AnsweredBefore => "taken before, and left as it is".to_owned(),
            Self::WithoutUsage => {
                "no count of tokens came with it: its tokens, and so its cost, are estimated".to_owned()
            }
            Self::CutByLength => {
                "the limit of tokens cut the reply: raise max_tokens of the rubric or model if it could not be read"
                    .to_owned()
            }
            Self::Refusal => {
                "the model declined in place of a verdict: it counts as unparsed".to_owned()
            }
        }
    }
}

/// Lines of answers by what is to be said of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerNotes(BTreeMap<AnswerNote, BTreeSet<u64>>);

impl AnswerNotes {
    pub fn add(&mut self, note: AnswerNote, line: u64) {
        self.0.entry(note).or_default().insert(line);
    }

    /// Says each kind in a line.
    pub fn describe(&self) -> Vec<String> {
        let notes = self.0.iter();
        notes
            .map(|(note, lines)| format!("{}: {}", NamedLines(lines), note.describe()))
            .collect()
    }
}

/// Numbers of lines as text: the first few by name.
struct NamedLines<'a>(&'a BTreeSet<u64>);

impl fmt::Display for NamedLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = self
            .0
            .iter()
            .take(MAX_NAMED_LINES)
            .map(u64::to_string)
            .collect();
        let named = named.join(", ");
        match self.0.len() {
            1 => write!(f, "line {named}"),
            count if count <= MAX_NAMED_LINES => write!(f, "{count} lines ({named})"),
            count => write!(f, "{count} lines ({named}, …)"),
        }
    }
}

/// An answer with the number of its line, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberedAnswer {
    pub line: u64,
    pub answer: BatchAnswer,
}

/// A line as the file has it, kept as text: most of it is never looked at again.
#[derive(Debug)]
struct HeldLine {
    number: u64,
    text: String,
}

/// The answers of a file to the calls of one pass.
#[derive(Debug)]
pub struct AnswerFile {
    prefix: String,
    held: BTreeMap<String, HeldLine>,
    held_bytes: usize,
    last_line: u64,
    pub notes: AnswerNotes,
}

/// What tells a line of answers from other lines.
#[derive(Deserialize)]
struct LineShape {
    custom_id: String,
    #[serde(default)]
    response: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    error: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    method: Option<serde::de::IgnoredAny>,
}

/// Whether a line came whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    Ended,
    /// The file ends with it, without a line break.
    FileEnded,
    /// It is longer than [`MAX_ANSWER_BYTES`].
    TooLong,
}

impl AnswerFile {
    /// Begins with no answers to the calls of a pass.
    pub fn new(pass: &str) -> Self {
        Self {
            prefix: pass_prefix(pass),
            held: BTreeMap::new(),
            held_bytes: 0,
            last_line: 0,
            notes: AnswerNotes::default(),
        }
    }

    /// Says whether no more lines are read.
    pub fn is_full(&self) -> bool {
        self.last_line >= MAX_ANSWERS || self.held_bytes >= MAX_HELD_BYTES
    }

    /// Takes note that there are lines behind the last one that is read.
    pub fn note_rest(&mut self) {
        self.notes.add(AnswerNote::TooMany, self.last_line + 1);
    }

    /// Reads the next line; empty ones are passed over.
    pub fn add_line(&mut self, bytes: &[u8], end: LineEnd) {
        self.last_line += 1;
        let number = self.last_line;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if let Err(note) = self.hold_line(number, bytes, end) {
            self.notes.add(note, number);
        }
    }

    fn hold_line(&mut self, number: u64, bytes: &[u8], end: LineEnd) -> Result<(), AnswerNote> {
        let unreadable = match end {
            LineEnd::TooLong => return Err(AnswerNote::TooLong),
            LineEnd::FileEnded => AnswerNote::CutShort,
            LineEnd::Ended => AnswerNote::Unreadable,
        };
        // Some write a mark of the byte order before the first line.
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|_| unreadable.clone())?;
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let shape: LineShape = serde_json::from_str(text).map_err(|_| match is_json {
            true => AnswerNote::Unreadable,
            false => unreadable,
        })?;
        if shape.response.is_none() && shape.error.is_none() && shape.method.is_some() {
            return Err(AnswerNote::Call);
        }
        let answer = read_answer(text).ok_or(AnswerNote::Unreadable)?;
        let id = shape.custom_id;
        if !id.starts_with(&self.prefix) {
            return Err(match pass_of(&id) {
                Some(pass) => AnswerNote::OtherPass(pass.to_owned()),
                None => AnswerNote::UnknownCall,
            });
        }
        if let Some(first) = self.held.get(&id) {
            let earlier = read_answer(&first.text).unwrap_or_default();
            match (earlier.is_error(), answer.is_error()) {
                (true, false) => self.notes.add(AnswerNote::ErrorBesideAnswer, first.number),
                (false, true) => return Err(AnswerNote::ErrorBesideAnswer),
                (true, true) | (false, false) if earlier.brings_same(&answer) => {
                    return Err(AnswerNote::TwiceAlike);
                }
                (true, true) | (false, false) => return Err(AnswerNote::TwiceOtherwise),
            }
        }
        let text = text.to_owned();
        self.held_bytes += text.len();
        self.held.insert(id, HeldLine { number, text });
        Ok(())
    }

    /// Takes the answer to a call out.
    pub fn take_answer(&mut self, id: &CallId) -> Option<NumberedAnswer> {
        let line = self.held.remove(id.as_str())?;
        let answer = read_answer(&line.text)?;
        Some(NumberedAnswer {
            line: line.number,
            answer,
        })
    }

    /// Takes note that a call was answered before; its answer, if there is one, is left out.
    pub fn note_answered(&mut self, id: &CallId) {
        if let Some(line) = self.held.remove(id.as_str()) {
            self.notes.add(AnswerNote::AnsweredBefore, line.number);
        }
    }

    /// Takes note of the answers that nobody took: they are about no call of the pass.
    pub fn note_unknown(&mut self) {
        for line in std::mem::take(&mut self.held).into_values() {
            self.notes.add(AnswerNote::UnknownCall, line.number);
        }
    }
}

fn read_answer(text: &str) -> Option<BatchAnswer> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_name_of_a_call_fits_every_server_and_tells_calls_and_passes_apart(pass in ".{1,80}", asked in ".*") {
            let id = CallId::new(&pass, &asked);
            prop_assert!(id.as_str().len() <= 64);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            prop_assert!(id.as_str().chars().all(is_plain));
            prop_assert_eq!(&id, &CallId::new(&pass, &asked));
            prop_assert_ne!(&id, &CallId::new(&format!("{pass}x"), &asked));
            prop_assert_ne!(&id, &CallId::new(&pass, &format!("{asked}x")));
        }

        #[test]
        fn no_line_panics_and_each_is_held_or_named(lines in prop::collection::vec(".{0,60}", 0..8)) {
            let mut file = AnswerFile::new("pass");
            for line in &lines {
                file.add_line(line.as_bytes(), LineEnd::Ended);
            }
            let is_blank = |line: &&String| line.bytes().all(|byte| byte.is_ascii_whitespace());
            let blank = lines.iter().filter(is_blank).count();
            let named: usize = file.notes.0.values().map(BTreeSet::len).sum();
            prop_assert_eq!(named + file.held.len() + blank, lines.len());
        }
    }
}
