//! Which column, or key of an object, holds what.

use std::collections::{HashMap, HashSet};

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
    /// The answers or positions that the topic offers.
    Options,
    /// How hard the topic is.
    Level,
    /// A worked solution, with the answer in its last box.
    Solution,
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
            Field::Options => "options",
            Field::Level => "level",
            Field::Solution => "solution",
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
    (Field::Options, &["options"]),
    (Field::Level, &["level"]),
];

/// The names of XSTest's prompts.
const XSTEST: Names = &[
    (Field::Id, &["id"]),
    (Field::Text, &["prompt"]),
    (Field::Category, &["type"]),
    (Field::Expected, &["label"]),
];

/// The names of TriviaQA's questions, in the original release and in tables made from it.
const TRIVIAQA: Names = &[
    (Field::Id, &["questionid"]),
    (Field::Text, &["question"]),
    (Field::Reference, &["answer"]),
];

/// The names of MATH's problems; selections of it add an id, and say `subject` for `type`.
const MATH: Names = &[
    (Field::Id, &["uniqueid", "id"]),
    (Field::Text, &["problem"]),
    (Field::Category, &["type", "subject"]),
    (Field::Reference, &["answer"]),
    (Field::Solution, &["solution"]),
    (Field::Level, &["level"]),
];

/// A column under any of these names.
type AnyOf = &'static [&'static str];

/// The columns that tell a dataset; the first whose columns are all there is it.
const SIGNS: &[(Kind, &[AnyOf])] = &[
    (
        Kind::HarmBench,
        &[
            &["behavior", "behaviour"],
            &["behaviorid", "behaviourid"],
            &["functionalcategory"],
        ],
    ),
    (
        Kind::XsTest,
        &[&["prompt"], &["type"], &["label"], &["focus"]],
    ),
    (Kind::XsTest, XSTEST_COMPLETIONS),
    (
        Kind::TriviaQa,
        &[
            &["question"],
            &["questionid"],
            &["answer"],
            &[
                "normalizedvalue",
                "normalizedaliases",
                "questionsource",
                "entitypages",
                "searchresults",
            ],
        ],
    ),
    (
        Kind::Math,
        &[
            &["problem"],
            &["solution"],
            &["level"],
            &["type", "subject"],
        ],
    ),
];

const XSTEST_COMPLETIONS: &[AnyOf] = &[
    &["prompt"],
    &["completion"],
    &["annotation1", "annotation2", "finallabel"],
];

/// Reads a column's name as a field, with its rank among the names of that field (0 wins).
pub(super) fn field_of(kind: Kind, column: &str) -> Option<(Field, usize)> {
    let names = match kind {
        Kind::HarmBench => HARMBENCH,
        Kind::XsTest => XSTEST,
        Kind::TriviaQa => TRIVIAQA,
        Kind::Math => MATH,
        Kind::CoSafe | Kind::Own => OWN,
    };
    let column = normalised(column);
    names.iter().find_map(|(field, names)| {
        let rank = names.iter().position(|name| *name == column)?;
        Some((*field, rank))
    })
}

/// Tells whose columns, or keys, these are; `Own` where nothing else is recognised.
pub(super) fn kind_of<'a>(columns: impl Iterator<Item = &'a str>) -> Kind {
    let there: HashSet<String> = columns.map(normalised).collect();
    SIGNS
        .iter()
        .find(|(_, signs)| all_there(&there, signs))
        .map_or(Kind::Own, |(kind, _)| *kind)
}

/// Tells XSTest's annotated completions, which are no topics, from its prompts.
pub(super) fn are_completions<'a>(columns: impl Iterator<Item = &'a str>) -> bool {
    all_there(&columns.map(normalised).collect(), XSTEST_COMPLETIONS)
}

fn all_there(columns: &HashSet<String>, signs: &[AnyOf]) -> bool {
    signs
        .iter()
        .all(|names| names.iter().any(|name| columns.contains(*name)))
}

/// What holds a topic's text in words, and how its column is called in files of this kind.
pub(super) fn text_column(kind: Kind) -> (&'static str, &'static str) {
    let name = match kind {
        Kind::HarmBench => "Behavior",
        Kind::XsTest => "prompt",
        Kind::TriviaQa => "question",
        Kind::Math => "problem",
        Kind::CoSafe | Kind::Own => "text, prompt or question",
    };
    ("the topic's text", name)
}

/// What a table of this kind lacks: what no column holds, and how that column is called.
pub(super) fn lacking(kind: Kind, fields: &[Field]) -> Option<(&'static str, &'static str)> {
    let has = |field| fields.contains(&field);
    let has_talk = match kind {
        Kind::CoSafe | Kind::Own => has(Field::Conversation),
        Kind::HarmBench | Kind::XsTest | Kind::TriviaQa | Kind::Math => false,
    };
    if !has(Field::Text) && !has_talk {
        return Some(text_column(kind));
    }
    match kind {
        Kind::XsTest if !has(Field::Expected) => Some(("the right label", "label")),
        Kind::Math if !has(Field::Solution) && !has(Field::Reference) => {
            Some(("the solution", "solution"))
        }
        Kind::XsTest | Kind::Math | Kind::HarmBench | Kind::TriviaQa | Kind::CoSafe | Kind::Own => {
            None
        }
    }
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
