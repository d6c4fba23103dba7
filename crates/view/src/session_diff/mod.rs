//! Comparison of two sessions: rows aligned by round, stage and chair, with word differences, verdicts, later
//! verdicts of passes, and totals. It draws nothing. Pure.
//!
//! | file | content |
//! |---|---|
//! | `side` | one session, and its content for each row |
//! | `rows` | rows and folds |
//! | `row_text` | paragraphs of a row |
//! | `totals` | totals of both sides |
//! | `pass_verdicts` | verdicts of passes |
//! | `text` | the comparison as text |

mod pass_verdicts;
mod row_text;
mod rows;
mod side;
mod text;
mod totals;

pub use row_text::{DiffLayout, DiffOptions, RowText};
pub use rows::{DiffItem, DiffRow, VerdictMatch};
pub use side::{DiffSide, Subject};
pub use totals::Total;

use elenchus_game::debate::event::Record;
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::pass::PassVerdict;
use elenchus_records::workspace::{WorkspaceError, describe_fork};
use elenchus_text::{Content, Paragraph, Role, cut_to_width};
use pass_verdicts::PassVerdicts;
use std::sync::Arc;

/// Two sessions that are compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    pub left: DiffSide,
    pub right: DiffSide,
    rows: Vec<DiffRow>,
    /// Rows at the beginning that are the same past of two forks.
    shared: usize,
    pass_verdicts: PassVerdicts,
}

/// What became of records of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsTaken {
    /// They belong to no side.
    OfNeither,
    Taken,
    /// They do not follow the known state: the session has to be read again.
    Unfit,
}

impl Comparison {
    /// Compares two sessions; those that are not read yet are compared once they are.
    pub fn new(left: DiffSide, right: DiffSide) -> Self {
        let mut comparison = Self {
            left,
            right,
            rows: Vec::new(),
            shared: 0,
            pass_verdicts: PassVerdicts::default(),
        };
        comparison.align_rows();
        comparison
    }

    fn align_rows(&mut self) {
        self.rows = rows::build_rows(&self.left, &self.right);
        self.shared = rows::count_shared_rows(&self.left, &self.right, &self.rows);
    }

    fn sides(&self) -> [(&'static str, &DiffSide); 2] {
        let [left, right] = self.side_names();
        [(left, &self.left), (right, &self.right)]
    }

    /// Returns what the sides are called: parent and fork where one was forked from the other, else left and right.
    pub fn side_names(&self) -> [&'static str; 2] {
        let is_parent =
            |one: &DiffSide, of: &DiffSide| of.state.forked_from().last() == Some(&one.session);
        if is_parent(&self.left, &self.right) {
            ["parent", "fork"]
        } else if is_parent(&self.right, &self.left) {
            ["fork", "parent"]
        } else {
            ["left", "right"]
        }
    }

    /// Returns the titles of both sides: what each is to the other, what the person calls it, and what was changed in
    /// a fork by whom. Where that says nothing of one, its id does.
    pub fn side_titles(&self) -> [String; 2] {
        self.sides().map(|(which, side)| {
            if let Some(title) = &side.title {
                return title.clone();
            }
            let fork = describe_fork(&side.state);
            match (which, &side.name, fork) {
                ("parent", None, _) => which.to_owned(),
                ("parent", Some(name), _) | (_, Some(name), None) => format!("{which}: {name}"),
                ("fork", None, Some(fork)) => fork,
                (_, None, Some(fork)) => format!("{which}: {fork}"),
                (_, Some(name), Some(fork)) => format!("{which}: {name}, {fork}"),
                (_, None, None) => format!("{which}: {}", side.session),
            }
        })
    }

    /// Returns the sessions; one, where it is compared with itself.
    pub fn sessions(&self) -> Vec<SessionId> {
        let mut sessions = vec![self.left.session.clone(), self.right.session.clone()];
        sessions.dedup();
        sessions
    }

    /// Returns the sessions that are not read yet.
    pub fn unread_sessions(&self) -> impl Iterator<Item = &SessionId> {
        let sides = [&self.left, &self.right].into_iter();
        sides
            .filter(|side| side.missing.is_some())
            .map(|side| &side.session)
    }

    /// Takes a session that was read with the person's name for it, or why it was not.
    pub fn set_session(
        &mut self,
        session: &SessionId,
        read: Result<(&Arc<State>, Option<&str>), &WorkspaceError>,
    ) {
        for side in [&mut self.left, &mut self.right] {
            if side.session == *session {
                side.set_session(read);
            }
        }
        self.align_rows();
    }

    /// Takes what happened in a session.
    pub fn apply_records(&mut self, session: &SessionId, records: &[Record]) -> RecordsTaken {
        let mut outcome = RecordsTaken::OfNeither;
        for side in [&mut self.left, &mut self.right] {
            if side.session != *session {
                continue;
            }
            let fits = records.iter().all(|record| side.apply_record(record));
            outcome = match (fits, outcome) {
                (true, RecordsTaken::OfNeither | RecordsTaken::Taken) => RecordsTaken::Taken,
                (false, _) | (_, RecordsTaken::Unfit) => RecordsTaken::Unfit,
            };
        }
        if outcome != RecordsTaken::OfNeither {
            self.align_rows();
        }
        outcome
    }

    /// Takes a verdict of a pass.
    pub fn add_verdict(&mut self, verdict: &PassVerdict) {
        self.pass_verdicts.add_verdict(verdict);
    }

    /// Returns the items of the page: rows and totals; a folded shared past is one item.
    pub fn list_items(&self, folded: bool) -> Vec<DiffItem> {
        rows::list_items(&self.rows, self.shared, folded)
    }

    /// Returns the row of an item.
    pub fn find_row(&self, item: &DiffItem) -> Option<&DiffRow> {
        match item {
            DiffItem::Row(at) => self.rows.get(*at),
            DiffItem::Shared { .. } | DiffItem::Totals => None,
        }
    }

    /// Returns how many rows have verdicts that differ, in words.
    pub fn differing_words(&self) -> String {
        let rows = self.rows.iter();
        let differ = rows.filter(|row| row.verdicts == VerdictMatch::Differ);
        match differ.count() {
            0 => "no verdicts differ".to_owned(),
            1 => "1 row with verdicts that differ".to_owned(),
            many => format!("{many} rows with verdicts that differ"),
        }
    }

    /// Returns the next of the items, after one of them, whose verdicts differ; after the last comes the first
    /// again.
    pub fn next_difference(&self, items: &[DiffItem], here: usize) -> Option<usize> {
        let differs = |item: &DiffItem| {
            let row = self.find_row(item);
            row.is_some_and(|row| row.verdicts == VerdictMatch::Differ)
        };
        let places = items.iter().enumerate();
        let mut places = places.filter(|(_, item)| differs(item)).map(|(at, _)| at);
        let next = places.clone().find(|at| *at > here);
        next.or_else(|| places.next())
    }

    /// Returns what both are about, cut to so many cells: one line where it is the same, else one for each.
    pub fn describe_topics(&self, content: Content, width: usize) -> Vec<Paragraph> {
        let role = match content {
            Content::Shown => Role::FromTopic,
            Content::Masked => Role::Masked,
        };
        let line = |what: &str, text: &str| {
            let text = cut_to_width(
                &content.show_or_mask(text),
                width.saturating_sub(what.len() + 1),
            );
            Paragraph::new(Role::Muted, format!("{what} ")).with_run(role, text)
        };
        let topic = |side: &DiffSide| {
            let creation = side.state.first_event();
            creation.map(|created| created.topic.text.clone())
        };
        match (topic(&self.left), topic(&self.right)) {
            (Some(left), Some(right)) if left == right => vec![line("topic:", &left)],
            (left, right) => self
                .side_names()
                .into_iter()
                .zip([left, right])
                .filter_map(|(which, text)| Some(line(&format!("{which} topic:"), &text?)))
                .collect(),
        }
    }
}
