//! Rows of a data set that are one topic: those that may stand are counted, those that contradict each other
//! are found.

use super::load::format_row_place;
use elenchus_game::debate::{Topic, TopicKey};
use std::collections::{BTreeMap, HashMap};

/// Most rows that a message names beside its own.
const MAX_NAMED: usize = 3;

/// A row that became a topic.
#[derive(Debug, Clone)]
pub(super) struct TopicRow {
    pub file: Option<String>,
    pub line: u64,
    /// Index of the topic, where it is kept.
    pub at: Option<usize>,
    /// Hash of the reference answer and of its other spellings.
    pub reference: u128,
    pub expected: Option<String>,
}

/// What is remembered of the topics of a file: hashes, since a large file has millions.
#[derive(Debug, Default)]
pub(super) struct RepeatedTopics {
    first_rows: HashMap<u128, TopicRow>,
    /// All rows of topics that several rows hold.
    repeated: BTreeMap<u128, Vec<TopicRow>>,
    /// The topic that a folded text was first seen with.
    folded: HashMap<u128, u128>,
    /// How many topics differ from an earlier one in case, white space and punctuation alone; the place of the
    /// first, and of the one that it is near to.
    near: (u64, Option<(String, String)>),
}

/// Rows of one topic that say different things of its truth.
pub(super) struct Contradiction {
    pub rows: Vec<TopicRow>,
    /// Name of the field that differs.
    pub differs: &'static str,
}

impl RepeatedTopics {
    /// Takes a row that became a topic.
    pub(super) fn add_row(&mut self, topic: &Topic, row: TopicRow) {
        let key = number_of(&topic.compute_key());
        if let Some(first) = self.first_rows.get(&key) {
            let rows = self.repeated.entry(key);
            rows.or_insert_with(|| vec![first.clone()]).push(row);
            return;
        }
        let near_to = *self
            .folded
            .entry(number_of(&topic.folded_key()))
            .or_insert(key);
        if let Some(first) = self.first_rows.get(&near_to) {
            self.near.0 += 1;
            let places = (row.format_place(), first.format_place());
            self.near.1.get_or_insert(places);
        }
        self.first_rows.insert(key, row);
    }

    /// Takes out the topics whose rows contradict each other; `topics` are those that are kept.
    pub(super) fn take_contradictions(&mut self, topics: &[Topic]) -> Vec<Contradiction> {
        let mut contradictions = Vec::new();
        self.repeated.retain(|_, rows| {
            let Some(differs) = find_difference(rows, topics) else {
                return true;
            };
            let rows = std::mem::take(rows);
            contradictions.push(Contradiction { rows, differs });
            false
        });
        contradictions
    }

    /// Says how many rows repeat a topic, and how many topics are near to one.
    pub(super) fn list_remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let later = self.repeated.values().flat_map(|rows| {
            let first = rows.first();
            rows.iter()
                .skip(1)
                .filter_map(move |row| Some((row, first?)))
        });
        let places = later.clone().min_by_key(|(row, _)| (&row.file, row.line));
        if let Some((row, first)) = places {
            let (row, first) = (row.format_place(), first.format_place());
            let rows = match later.count() {
                1 => format!("1 row has the text of an earlier one ({row} that of {first})"),
                count => format!(
                    "{count} rows have the text of an earlier one (the first on {row}, that of {first})"
                ),
            };
            remarks.push(format!(
                "{rows}: each is played, and rows of one text are one topic in figures"
            ));
        }
        if let (count, Some((near, first))) = &self.near {
            let topics = match count {
                1 => format!("1 topic differs from an earlier one ({near} from {first})"),
                _ => format!(
                    "{count} topics differ from an earlier one (the first on {near}, from {first})"
                ),
            };
            remarks.push(format!(
                "{topics} in case, white space and punctuation alone: figures count each as a topic of its \
                 own; leave one out if they are meant to be the same"
            ));
        }
        remarks
    }
}

impl TopicRow {
    pub(super) fn format_place(&self) -> String {
        format_row_place(self.file.as_deref(), self.line)
    }
}

impl Contradiction {
    /// Says of each row why it is refused.
    pub(super) fn list_reasons(&self) -> impl Iterator<Item = (&TopicRow, String)> {
        self.rows.iter().enumerate().map(|(own, row)| {
            let others = self.rows.iter().enumerate().filter(|(at, _)| *at != own);
            let others: Vec<String> = others.map(|(_, other)| other.format_place()).collect();
            let first_others = others.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>();
            let more = match others.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let why = format!(
                "it is the topic of {}{more} with another {}, and one of them is wrong: keep the row that is \
                 right, or add to the text what tells them apart",
                first_others.join(", "),
                self.differs
            );
            (row, why)
        })
    }
}

/// Returns what rows of one topic differ in.
fn find_difference(rows: &[TopicRow], topics: &[Topic]) -> Option<&'static str> {
    let first = rows.first()?;
    let reference = |row: &TopicRow| row.at.and_then(|at| topics.get(at)).map(reference_of);
    let differs = |row: &TopicRow| match (reference(row), reference(first)) {
        // Numbers of options are texts by now.
        (Some(own), Some(other)) => own != other,
        _ => row.reference != first.reference,
    };
    if rows.iter().any(differs) {
        return Some("reference answer");
    }
    let other_label = |row: &TopicRow| row.expected != first.expected;
    rows.iter().any(other_label).then_some("expected label")
}

/// Returns the answer with its other spellings, in whatever order they are given.
pub(super) fn reference_of(topic: &Topic) -> Option<(&str, Vec<&str>)> {
    let reference = topic.reference.as_ref()?;
    let mut aliases: Vec<&str> = reference.aliases.iter().map(String::as_str).collect();
    aliases.sort_unstable();
    Some((&reference.answer, aliases))
}

/// Returns a key as a number: a file has many.
fn number_of(key: &TopicKey) -> u128 {
    u128::from_str_radix(key.as_str(), 16).unwrap_or_default()
}
