//! Debates and answers that were finished elsewhere, as other people's files hold them. Pure.
//!
//! A file is taken row by row: every row becomes a [`Finished`] or is refused with its line and the
//! reason; none is dropped in silence.

use crate::dataset::Rows;

/// The most debates that are taken from one file.
pub const MAX_FINISHED: usize = 100_000;
/// The most rounds of one debate.
pub const MAX_ROUNDS: usize = 200;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finds {
    pub taken: Vec<Finished>,
    pub refused: Vec<RefusedRow>,
    /// Columns whose labels people gave, in their order.
    pub people: Vec<String>,
    /// Columns whose labels a program gave.
    pub automatic: Vec<String>,
    /// The label set that the labels belong to; RedDebate's files are of none.
    pub set: Option<String>,
    /// What is in the file and is not taken.
    pub notes: Vec<String>,
}

/// A row that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    /// Counts from 1; 0 where the file as a whole is meant.
    pub line: u64,
    pub why: String,
}

/// One answer or debate.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its id in the file, where it has one.
    pub id: Option<String>,
    pub prompt: String,
    pub category: Option<String>,
    pub context: Option<String>,
    /// What the source says the right label is.
    pub expected: Option<String>,
    pub form: Form,
    pub turns: Vec<FinishedTurn>,
}

/// What kind of thing was finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One answer to a prompt.
    Answer,
    Debate,
}

/// One turn of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedTurn {
    /// From 1.
    pub round: u32,
    pub stage: &'static str,
    pub seat: &'static str,
    /// Which of the seat's chairs.
    pub index: u32,
    /// What the file calls the speaker.
    pub name: String,
    pub text: String,
    pub thinking: Option<String>,
    pub labels: Vec<FoundLabel>,
}

/// A label on a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLabel {
    /// The column, or the field, that it stood in.
    pub column: String,
    pub label: String,
    pub by: LabelledBy,
}

/// Who gave a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelledBy {
    Person,
    /// What several people's labels were settled as.
    Settled,
    Program,
}

/// Which columns of a table hold labels, where the table does not say itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelColumns {
    pub people: Vec<String>,
    pub automatic: Vec<String>,
    pub set: Option<String>,
}

/// The columns of a table by name.
pub(super) struct Columns<'a> {
    header: &'a [String],
}

impl<'a> Columns<'a> {
    pub(super) fn of(rows: &'a Rows) -> Self {
        Self {
            header: &rows.header,
        }
    }

    /// Returns the place of a column, however its name is capitalised.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let mut header = self.header.iter();
        header.position(|column| column.trim().eq_ignore_ascii_case(name))
    }

    pub(super) fn any(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.place(name))
    }
}

/// Returns a cell that is not blank.
pub(super) fn cell(cells: &[String], place: Option<usize>) -> Option<String> {
    let text = cells.get(place?)?;
    (!text.trim().is_empty()).then(|| text.clone())
}

/// Refuses rows beyond the most that are taken.
pub(super) fn bounded(finds: &mut Finds) {
    if finds.taken.len() > MAX_FINISHED {
        let line = finds.taken.get(MAX_FINISHED).map_or(0, |one| one.line);
        finds.taken.truncate(MAX_FINISHED);
        finds.refused.push(RefusedRow {
            line,
            why: format!("at most {MAX_FINISHED} rows are taken from one file; divide it"),
        });
    }
}
