//! Which column, or key of an object, holds what.

use std::collections::HashMap;

use super::Kind;

/// What a column was read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    Id,
    Text,
    Category,
    Context,
    Reference,
    Aliases,
    Expected,
    Documents,
    Conversation,
    /// HarmBench's standard, contextual or copyright.
    FunctionalCategory,
    /// HarmBench's tags; `hash_check` is the one that matters.
    Tags,
    /// The column is not read.
    Unused,
}

impl Field {
    /// Returns the name that our own files use, for the report of the detection.
    pub fn name(self) -> &'static str {
        match self {
            Field::Id => "id",
            Field::Text => "text",
            Field::Category => "category",
            Field::Context => "context",
            Field::Reference => "reference",
            Field::Aliases => "aliases",
            Field::Expected => "expected",
            Field::Documents => "documents",
            Field::Conversation => "conversation",
            Field::FunctionalCategory => "functional category",
            Field::Tags => "tags",
            Field::Unused => "unused",
        }
    }
}

type Names = &'static [(Field, &'static [&'static str])];

/// The names in HarmBench's own table, written as [`normalised`] leaves them.
const HARMBENCH: Names = &[
    (Field::Id, &["behaviorid", "behaviourid"]),
    (Field::Text, &["behavior", "behaviour"]),
    (Field::Category, &["semanticcategory"]),
    (Field::Context, &["contextstring"]),
    (Field::FunctionalCategory, &["functionalcategory"]),
    (Field::Tags, &["tags"]),
];

/// The names for everything else. Within a field the first one present wins.
///
/// `target` is missing on purpose: where other benchmarks have it, it is the opening of a compliant
/// reply and no right answer.
const OWN: Names = &[
    (
        Field::Id,
        &[
            "id",
            "topicid",
            "questionid",
            "promptid",
            "behaviorid",
            "behaviourid",
            "uid",
            "uuid",
        ],
    ),
    (
        Field::Text,
        &[
            "text",
            "topic",
            "prompt",
            "question",
            "behavior",
            "behaviour",
            "goal",
            "problem",
            "proposition",
            "statement",
            "instruction",
            "query",
        ],
    ),
    (
        Field::Category,
        &[
            "category",
            "topiccategory",
            "semanticcategory",
            "harmcategory",
            "subject",
            "type",
        ],
    ),
    (
        Field::Context,
        &["context", "contextstring", "passage", "background"],
    ),
    (
        Field::Reference,
        &[
            "reference",
            "referenceanswer",
            "answer",
            "correctanswer",
            "groundtruth",
            "solution",
        ],
    ),
    (Field::Aliases, &["aliases", "answeraliases"]),
    (Field::Expected, &["expected", "expectedlabel", "label"]),
    (Field::Documents, &["documents", "docs"]),
    (
        Field::Conversation,
        &["conversation", "messages", "dialogue", "history", "turns"],
    ),
];

/// Reads a column's name as a field, with its rank among the names of that field (0 wins).
pub(super) fn field_of(kind: Kind, column: &str) -> Option<(Field, usize)> {
    let names = match kind {
        Kind::HarmBench => HARMBENCH,
        Kind::CoSafe | Kind::Own => OWN,
    };
    let column = normalised(column);
    names.iter().find_map(|(field, names)| {
        let rank = names.iter().position(|name| *name == column)?;
        Some((*field, rank))
    })
}

/// Tells whether these columns are HarmBench's.
pub(super) fn look_like_harmbench<'a>(columns: impl Iterator<Item = &'a str>) -> bool {
    let (mut text, mut id, mut functional) = (false, false, false);
    for column in columns {
        match field_of(Kind::HarmBench, column) {
            Some((Field::Text, _)) => text = true,
            Some((Field::Id, _)) => id = true,
            Some((Field::FunctionalCategory, _)) => functional = true,
            Some(_) | None => {}
        }
    }
    text && id && functional
}

/// A column's name without case, spaces, underscores, hyphens and the like.
fn normalised(column: &str) -> String {
    column
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Gives each column its field; of two columns for one field the better name wins, and the loser is
/// named in the second list with the winner.
pub(super) fn detect<'a>(kind: Kind, columns: &[&'a str]) -> (Vec<Field>, Vec<(&'a str, &'a str)>) {
    let found: Vec<Option<(Field, usize)>> = columns
        .iter()
        .map(|column| field_of(kind, column))
        .collect();
    let mut best: HashMap<Field, (usize, usize)> = HashMap::new();
    for (at, (field, rank)) in found
        .iter()
        .enumerate()
        .filter_map(|(at, f)| Some((at, (*f)?)))
    {
        let winner = best.entry(field).or_insert((rank, at));
        *winner = (rank, at).min(*winner);
    }
    let mut lost = Vec::new();
    let fields = found
        .iter()
        .enumerate()
        .map(
            |(at, own)| match own.and_then(|(field, _)| Some((field, best.get(&field)?.1))) {
                None => Field::Unused,
                Some((field, winner)) if winner == at => field,
                Some((_, winner)) => {
                    lost.push((columns[at], columns[winner]));
                    Field::Unused
                }
            },
        )
        .collect();
    (fields, lost)
}
