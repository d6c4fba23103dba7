//! Columns of tables and keys of objects: recognition of their fields.

use std::collections::{HashMap, HashSet};

use super::DatasetKind;

/// Field that a column was recognised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TopicField {
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
    /// The difficulty of the topic.
    Level,
    /// A worked solution, with the answer in its last box.
    Solution,
    /// WildJailbreak's adversarial form of a text.
    Adversarial,
    /// HarmBench's standard, contextual or copyright.
    FunctionalCategory,
    /// HarmBench's tags; `hash_check` is the one that matters.
    Tags,
    /// The column is not read.
    Unused,
}

impl TopicField {
    /// Returns the field's name in our own files, for the report of the detection.
    pub fn name(self) -> &'static str {
        match self {
            TopicField::Id => "id",
            TopicField::Text => "text",
            TopicField::Category => "category",
            TopicField::Context => "context",
            TopicField::Reference => "reference",
            TopicField::Aliases => "aliases",
            TopicField::Expected => "expected",
            TopicField::Documents => "documents",
            TopicField::Conversation => "conversation",
            TopicField::Options => "options",
            TopicField::Level => "level",
            TopicField::Solution => "solution",
            TopicField::Adversarial => "adversarial text",
            TopicField::FunctionalCategory => "functional category",
            TopicField::Tags => "tags",
            TopicField::Unused => "unused",
        }
    }
}

type ColumnNames = &'static [(TopicField, &'static [&'static str])];

/// Column names in HarmBench's own table, as [`normalised`].
const HARMBENCH: ColumnNames = &[
    (TopicField::Id, &["behaviorid", "behaviourid"]),
    (TopicField::Text, &["behavior", "behaviour"]),
    (TopicField::Category, &["semanticcategory"]),
    (TopicField::Context, &["contextstring"]),
    (TopicField::FunctionalCategory, &["functionalcategory"]),
    (TopicField::Tags, &["tags"]),
];

/// Column names in all other files. Within a field the first one present wins.
///
/// `target` is absent on purpose: in other benchmarks it is the opening of a compliant reply and
/// not a right answer.
const OWN: ColumnNames = &[
    (
        TopicField::Id,
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
        TopicField::Text,
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
        TopicField::Category,
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
        TopicField::Context,
        &["context", "contextstring", "passage", "background"],
    ),
    (
        TopicField::Reference,
        &[
            "reference",
            "referenceanswer",
            "answer",
            "correctanswer",
            "groundtruth",
            "solution",
        ],
    ),
    (TopicField::Aliases, &["aliases", "answeraliases"]),
    (
        TopicField::Expected,
        &["expected", "expectedlabel", "label"],
    ),
    (TopicField::Documents, &["documents", "docs"]),
    (
        TopicField::Conversation,
        &["conversation", "messages", "dialogue", "history", "turns"],
    ),
    (TopicField::Options, &["options"]),
    (TopicField::Level, &["level"]),
];

/// Column names of XSTest's prompts.
const XSTEST: ColumnNames = &[
    (TopicField::Id, &["id"]),
    (TopicField::Text, &["prompt"]),
    (TopicField::Category, &["type"]),
    (TopicField::Expected, &["label"]),
];

/// Keys of TriviaQA's questions, in the original release and in tables made from it.
const TRIVIAQA: ColumnNames = &[
    (TopicField::Id, &["questionid"]),
    (TopicField::Text, &["question"]),
    (TopicField::Reference, &["answer"]),
];

/// Keys of MATH's problems; selections of it add an id, and call the type `subject`.
const MATH: ColumnNames = &[
    (TopicField::Id, &["uniqueid", "id"]),
    (TopicField::Text, &["problem"]),
    (TopicField::Category, &["type", "subject"]),
    (TopicField::Reference, &["answer"]),
    (TopicField::Solution, &["solution"]),
    (TopicField::Level, &["level"]),
];

/// Column names of Aegis 2's prompts; a row also holds a response, which is no topic.
const AEGIS: ColumnNames = &[
    (TopicField::Id, &["id"]),
    (TopicField::Text, &["prompt"]),
    (TopicField::Category, &["violatedcategories"]),
    (TopicField::Expected, &["promptlabel"]),
];

/// Column names of WildJailbreak's prompts; the evaluation set has adversarial ones alone.
const WILDJAILBREAK: ColumnNames = &[
    (TopicField::Text, &["vanilla"]),
    (TopicField::Adversarial, &["adversarial"]),
    (TopicField::Category, &["datatype"]),
];

/// Keys of QuALITY's texts; questions are objects of their own.
const QUALITY: ColumnNames = &[
    (TopicField::Documents, &["article"]),
    (TopicField::Text, &["questions"]),
];

/// A column under any of these names.
type AnyOf = &'static [&'static str];

/// Columns by which a dataset is recognised; the first entry whose columns are all present wins.
const SIGNATURES: &[(DatasetKind, &[AnyOf])] = &[
    (
        DatasetKind::HarmBench,
        &[
            &["behavior", "behaviour"],
            &["behaviorid", "behaviourid"],
            &["functionalcategory"],
        ],
    ),
    (
        DatasetKind::XsTest,
        &[&["prompt"], &["type"], &["label"], &["focus"]],
    ),
    (DatasetKind::XsTest, XSTEST_COMPLETIONS),
    (
        DatasetKind::TriviaQa,
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
        DatasetKind::Aegis,
        &[&["prompt"], &["promptlabel"], &["violatedcategories"]],
    ),
    (
        DatasetKind::WildJailbreak,
        &[&["adversarial"], &["datatype"]],
    ),
    (
        DatasetKind::Quality,
        &[&["article"], &["questions"], &["articleid", "setuniqueid"]],
    ),
    (
        DatasetKind::Math,
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

/// Returns the field of a column's name, with its rank among the names of that field (0 wins).
pub(super) fn field_of(kind: DatasetKind, column: &str) -> Option<(TopicField, usize)> {
    let names = match kind {
        DatasetKind::HarmBench => HARMBENCH,
        DatasetKind::XsTest => XSTEST,
        DatasetKind::TriviaQa => TRIVIAQA,
        DatasetKind::Math => MATH,
        DatasetKind::Aegis => AEGIS,
        DatasetKind::WildJailbreak => WILDJAILBREAK,
        DatasetKind::Quality => QUALITY,
        DatasetKind::CoSafe | DatasetKind::Own => OWN,
    };
    let column = normalised(column);
    names.iter().find_map(|(field, names)| {
        let rank = names.iter().position(|name| *name == column)?;
        Some((*field, rank))
    })
}

/// Returns the kind of dataset that has these columns or keys; `Own` where none is recognised.
pub(super) fn kind_of<'a>(columns: impl Iterator<Item = &'a str>) -> DatasetKind {
    let there: HashSet<String> = columns.map(normalised).collect();
    SIGNATURES
        .iter()
        .find(|(_, signs)| all_there(&there, signs))
        .map_or(DatasetKind::Own, |(kind, _)| *kind)
}

/// Returns whether these are the columns of XSTest's annotated completions, which are not topics.
pub(super) fn are_completions<'a>(columns: impl Iterator<Item = &'a str>) -> bool {
    all_there(&columns.map(normalised).collect(), XSTEST_COMPLETIONS)
}

fn all_there(columns: &HashSet<String>, signs: &[AnyOf]) -> bool {
    signs
        .iter()
        .all(|names| names.iter().any(|name| columns.contains(*name)))
}

/// Returns the description and the usual name of the text column in files of this kind.
pub(super) fn text_column(kind: DatasetKind) -> (&'static str, &'static str) {
    let name = match kind {
        DatasetKind::HarmBench => "Behavior",
        DatasetKind::XsTest => "prompt",
        DatasetKind::TriviaQa => "question",
        DatasetKind::Math => "problem",
        DatasetKind::Aegis => "prompt",
        DatasetKind::WildJailbreak => "vanilla or adversarial",
        DatasetKind::Quality => "questions",
        DatasetKind::CoSafe | DatasetKind::Own => "text, prompt or question",
    };
    ("the topic's text", name)
}

/// Returns the description and the usual name of a required column that is missing.
pub(super) fn lacking(
    kind: DatasetKind,
    fields: &[TopicField],
) -> Option<(&'static str, &'static str)> {
    let has = |field| fields.contains(&field);
    let has_talk = match kind {
        DatasetKind::CoSafe | DatasetKind::Own => has(TopicField::Conversation),
        DatasetKind::WildJailbreak => has(TopicField::Adversarial),
        DatasetKind::HarmBench
        | DatasetKind::Aegis
        | DatasetKind::Quality
        | DatasetKind::XsTest
        | DatasetKind::TriviaQa
        | DatasetKind::Math => false,
    };
    if !has(TopicField::Text) && !has_talk {
        return Some(text_column(kind));
    }
    match kind {
        DatasetKind::XsTest if !has(TopicField::Expected) => Some(("the right label", "label")),
        DatasetKind::Math if !has(TopicField::Solution) && !has(TopicField::Reference) => {
            Some(("the solution", "solution"))
        }
        DatasetKind::Aegis if !has(TopicField::Expected) => {
            Some(("the right label", "prompt_label"))
        }
        DatasetKind::WildJailbreak if !has(TopicField::Category) => {
            Some(("the type of prompt", "data_type"))
        }
        DatasetKind::XsTest
        | DatasetKind::Math
        | DatasetKind::Aegis
        | DatasetKind::WildJailbreak
        | DatasetKind::Quality
        | DatasetKind::HarmBench
        | DatasetKind::TriviaQa
        | DatasetKind::CoSafe
        | DatasetKind::Own => None,
    }
}

/// Returns a column's name without case, spaces, underscores, hyphens and the like.
fn normalised(column: &str) -> String {
    column
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Assigns fields to columns; of two columns for one field the better name wins, and the other one
/// is in the second list, with the winner.
pub(super) fn detect<'a>(
    kind: DatasetKind,
    columns: &[&'a str],
) -> (Vec<TopicField>, Vec<(&'a str, &'a str)>) {
    let found: Vec<Option<(TopicField, usize)>> = columns
        .iter()
        .map(|column| field_of(kind, column))
        .collect();
    let mut best: HashMap<TopicField, (usize, usize)> = HashMap::new();
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
                None => TopicField::Unused,
                Some((field, winner)) if winner == at => field,
                Some((_, winner)) => {
                    lost.push((columns[at], columns[winner]));
                    TopicField::Unused
                }
            },
        )
        .collect();
    (fields, lost)
}
