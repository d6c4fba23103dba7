//! Finished debates and answers from other tools' files. Pure.
//!
//! Every row becomes a [`FinishedItem`] or is refused with its line and the reason; none is dropped in
//! silence.

use super::label_columns::LabelReading;
use elenchus_dataset::{TableRows, is_same_column};
use elenchus_game::debate::Utterance;
use elenchus_game::debate::event::Finish;
use elenchus_model::SplitReply;
use std::borrow::Cow;

/// The most debates of one file.
pub const MAX_FINISHED: usize = 100_000;
/// The most rounds of one debate.
pub const MAX_ROUNDS: usize = 200;

/// Content of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FinishedFile {
    pub items: Vec<FinishedItem>,
    pub refused: Vec<RefusedRow>,
    /// Columns with labels by people, in their order.
    pub people: Vec<String>,
    /// Columns with labels by programs.
    pub automatic: Vec<String>,
    /// The label set of the labels; RedDebate's files have none.
    pub set: Option<String>,
    /// Notes on content that is not imported.
    pub notes: Vec<String>,
    /// What the file calls its source, where it has a name of its own.
    pub source: Option<String>,
    /// How the columns of a table or of a tool's export are read.
    pub reading: Option<LabelReading>,
}

/// A refused row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    /// Line from 1; 0 for the file as a whole.
    pub line: u64,
    pub why: String,
}

/// One answer or debate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FinishedItem {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its id in the file, where it has one.
    pub id: Option<String>,
    pub prompt: String,
    /// What was said before the prompt, oldest first.
    pub conversation: Vec<Utterance>,
    pub category: Option<String>,
    pub context: Option<String>,
    /// Answers that the prompt offers.
    pub options: Vec<String>,
    /// The right answer according to the source.
    pub reference: Option<String>,
    /// The right label according to the source.
    pub expected: Option<String>,
    pub form: FinishedKind,
    /// The probability, as the source states it, with which it was chosen to be labelled.
    pub probability: Option<f64>,
    pub turns: Vec<FinishedTurn>,
    /// Its models were simulated, by the file that says so.
    pub simulated: bool,
    /// What a program found about more than a turn.
    pub findings: Vec<(FindingPlace, FoundLabel)>,
}

/// What a finding is about, where it is no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingPlace {
    Round(u32),
    Debate,
}

/// Kind of a finished item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FinishedKind {
    /// One answer to a prompt.
    #[default]
    Answer,
    Debate,
    /// Messages of any number of speakers: seats and stages are those of its turns.
    Conversation,
}

/// What a turn is to evaluators and people who label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnPart {
    /// It is judged, where its seat is.
    #[default]
    Speech,
    /// It is read, and never judged.
    Context,
    /// It is shown to no other seat, and never judged.
    Private,
}

/// What a file says of the call that a turn came from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundCall {
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` where the file says none.
    pub cost_usd: Option<f64>,
    pub latency_ms: u64,
    pub finish: Finish,
}

/// A turn of a finished item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FinishedTurn {
    /// From 1.
    pub round: u32,
    pub stage: Cow<'static, str>,
    pub seat: Cow<'static, str>,
    /// Index among seats of the same name.
    pub index: u32,
    /// The speaker's name in the file.
    pub name: String,
    pub text: String,
    pub thinking: Option<String>,
    pub part: TurnPart,
    /// A person said it.
    pub by_person: bool,
    pub call: Option<FoundCall>,
    pub labels: Vec<FoundLabel>,
    pub skips: Vec<FoundSkip>,
}

impl FinishedTurn {
    /// Makes the only turn of an answer.
    pub(super) fn from_answer(text: String) -> Self {
        Self {
            round: 1,
            stage: "answer".into(),
            seat: "author".into(),
            name: "author".to_owned(),
            text,
            ..Self::default()
        }
    }

    /// Splits off private reasoning that a model's server left in the text, as when a reply is recorded.
    pub fn split_reasoning(&mut self) {
        let split = SplitReply::from_text(&self.text, self.thinking.as_deref());
        if split.public != self.text {
            self.thinking = split.thinking;
            self.text = split.public;
        }
    }
}

/// A label on a turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundLabel {
    /// Its column or field.
    pub column: String,
    pub label: String,
    pub by: LabelledBy,
    /// From −1 (bad) to 1 (good), where the source says so; else the label's own.
    pub value: Option<f64>,
    /// The probability that it gives the worst label.
    pub probability: Option<f64>,
    pub reason: Option<String>,
}

/// Author of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelledBy {
    #[default]
    Person,
    /// The label that several people agreed on.
    Settled,
    Program,
}

/// A person who was shown a turn and gave no label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSkip {
    pub by: String,
    /// The tool's own word for it.
    pub why: String,
}

/// The columns of a table by name.
pub(super) struct ColumnIndex<'a> {
    header: &'a [String],
}

impl<'a> ColumnIndex<'a> {
    pub(super) fn from_rows(rows: &'a TableRows) -> Self {
        Self {
            header: &rows.header,
        }
    }

    /// Returns the index of a column, ignoring case.
    pub(super) fn find_column(&self, name: &str) -> Option<usize> {
        let mut header = self.header.iter();
        header.position(|column| column.trim().eq_ignore_ascii_case(name))
    }

    /// Returns the index of a column that a person named; case and signs between letters may differ.
    pub(super) fn find_named_column(&self, name: &str) -> Option<usize> {
        let mut header = self.header.iter();
        let same = || header.position(|column| is_same_column(name, column.trim()));
        self.find_column(name).or_else(same)
    }

    pub(super) fn find_any_column(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.find_column(name))
    }
}

/// Returns a cell that is not blank.
pub(super) fn cell_text(cells: &[String], place: Option<usize>) -> Option<String> {
    let text = cells.get(place?)?;
    (!text.trim().is_empty()).then(|| text.clone())
}

/// Refuses rows beyond [`MAX_FINISHED`].
pub(super) fn limit_rows(finds: &mut FinishedFile) {
    if finds.items.len() > MAX_FINISHED {
        let line = finds.items.get(MAX_FINISHED).map_or(0, |one| one.line);
        finds.items.truncate(MAX_FINISHED);
        finds.refused.push(RefusedRow {
            line,
            why: format!("at most {MAX_FINISHED} rows are taken from one file; divide it"),
        });
    }
}
