//! Columns of tables and keys of objects: recognition of their fields.

use std::collections::{HashMap, HashSet};

use super::column_choice::is_same;
use super::option_answers::option_columns;
use super::{ColumnChoice, DatasetKind};

/// Field that a column was recognised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TopicField {
    Id,
    Text,
    Category,
    Context,
    Reference,
    Aliases,
    #[strum(serialize = "expected label")]
    Expected,
    Documents,
    Conversation,
    /// The answers or positions that the topic offers.
    Options,
    /// One of them, in a column of its own.
    Option,
    /// What a test of promptfoo asserts of a reply, which is neither a label nor an answer.
    Assertion,
    /// The difficulty of the topic.
    Level,
    /// A worked solution, with the answer in its last box.
    Solution,
    /// WildJailbreak's adversarial form of a text.
    #[strum(serialize = "adversarial text")]
    Adversarial,
    /// HarmBench's standard, contextual or copyright.
    #[strum(serialize = "functional category")]
    FunctionalCategory,
    /// HarmBench's tags; `hash_check` is the one that matters.
    Tags,
    /// The column is not read.
    Unused,
}

impl TopicField {
    /// Returns the field's name in our own files, for the report of the detection.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

type ColumnNames = &'static [(TopicField, &'static [&'static str])];

/// Column names in HarmBench's own table, as [`normalise_name`].
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
            "customid",
            "docid",
        ],
    ),
    (
        TopicField::Text,
        &[
            "text",
            "topic",
            "prompt",
            "question",
            // Where both are there the behaviour is a short name of the goal.
            "goal",
            "behavior",
            "behaviour",
            "problem",
            "proposition",
            "statement",
            "instruction",
            "query",
            "forbiddenprompt",
            "forbiddenquestion",
            "adversarialprompt",
            "questionstem",
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
            "metadatacategory",
            "riskcategory",
            "riskarea",
            "hazardcategory",
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
            "bestanswer",
            "goldanswer",
            "expectedanswer",
            "expectedoutput",
            "answerkey",
            "correctoption",
            "correctchoice",
            "finalanswer",
            "ideal",
            "gold",
            "cop",
        ],
    ),
    (
        TopicField::Aliases,
        &["aliases", "answeraliases", "correctanswers"],
    ),
    (
        TopicField::Expected,
        &["expected", "expectedlabel", "label"],
    ),
    (TopicField::Documents, &["documents", "docs"]),
    (
        TopicField::Conversation,
        &[
            "conversation",
            "messages",
            "dialogue",
            "history",
            "turns",
            "conversations",
            "contents",
        ],
    ),
    (
        TopicField::Options,
        &[
            "options",
            "choices",
            "endings",
            "answerchoices",
            "mc1targets",
            "targetscores",
        ],
    ),
    (TopicField::Assertion, &["assert"]),
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

/// Column names of JailbreakBench's behaviours; `Behavior` is their short name, `Target` no answer.
const JAILBREAKBENCH: ColumnNames = &[
    (TopicField::Id, &["id", "index"]),
    (TopicField::Text, &["goal"]),
    (TopicField::Category, &["category"]),
];

/// Column names of StrongREJECT's prompts.
const STRONGREJECT: ColumnNames = &[
    (TopicField::Id, &["id"]),
    (TopicField::Text, &["forbiddenprompt"]),
    (TopicField::Category, &["category"]),
];

/// Column names of do-not-answer; its harms are named on three levels.
const DO_NOT_ANSWER: ColumnNames = &[
    (TopicField::Id, &["id"]),
    (TopicField::Text, &["question"]),
    (TopicField::Category, &["riskarea"]),
];

/// Column names of BeaverTails; `is_safe` is said of the response, which is no topic.
const BEAVERTAILS: ColumnNames = &[
    (TopicField::Id, &["id"]),
    (TopicField::Text, &["prompt"]),
    (TopicField::Category, &["category"]),
];

/// Column names of TruthfulQA, in the table and in what is made from it.
const TRUTHFULQA: ColumnNames = &[
    (TopicField::Id, &["id"]),
    (TopicField::Text, &["question"]),
    (TopicField::Category, &["category"]),
    (TopicField::Reference, &["bestanswer"]),
    (TopicField::Aliases, &["correctanswers"]),
];

/// Columns that hold the topic's text where no other does.
const LAST_RESORT: &[&str] = &[
    "input",
    "inputs",
    "userinput",
    "userprompt",
    "userquery",
    "request",
    "message",
    "ctx",
    "sentence",
    "claim",
    "content",
];

/// How promptfoo names columns that are no variables of its prompts.
const PROMPTFOO_MARK: &str = "__";

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
    (
        DatasetKind::JailbreakBench,
        &[
            &["goal"],
            &["behavior", "behaviour"],
            &["category"],
            &["target", "index", "source"],
        ],
    ),
    (
        DatasetKind::StrongReject,
        &[&["forbiddenprompt"], &["category"]],
    ),
    (
        DatasetKind::DoNotAnswer,
        &[&["question"], &["riskarea"], &["typesofharm"]],
    ),
    (
        DatasetKind::BeaverTails,
        &[&["prompt"], &["response"], &["category"], &["issafe"]],
    ),
    (
        DatasetKind::TruthfulQa,
        &[
            &["question"],
            &["bestanswer"],
            &["correctanswers"],
            &["incorrectanswers"],
        ],
    ),
    // A file that says more than a goal and its target is somebody's own.
    (DatasetKind::AdvBench, &[&["goal"], &["target"]]),
];

const XSTEST_COMPLETIONS: &[AnyOf] = &[
    &["prompt"],
    &["completion"],
    &["annotation1", "annotation2", "finallabel"],
];

/// Recognition of the columns of one data set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns<'c> {
    pub kind: DatasetKind,
    pub choice: &'c ColumnChoice,
}

impl<'c> Columns<'c> {
    /// The columns of files of no kind.
    pub(super) fn from_choice(choice: &'c ColumnChoice) -> Self {
        let kind = DatasetKind::Own;
        Self { kind, choice }
    }

    /// Returns the field of a column, with its rank among the names of that field (0 wins).
    pub(super) fn field_of(&self, column: &str) -> Option<(TopicField, usize)> {
        if self.choice.ignores_column(column) {
            return None;
        }
        if let Some(field) = self.choice.field_of(column) {
            return Some((field, 0));
        }
        let names = match self.kind {
            DatasetKind::HarmBench => HARMBENCH,
            DatasetKind::XsTest => XSTEST,
            DatasetKind::TriviaQa => TRIVIAQA,
            DatasetKind::Math => MATH,
            DatasetKind::Aegis => AEGIS,
            DatasetKind::WildJailbreak => WILDJAILBREAK,
            DatasetKind::Quality => QUALITY,
            DatasetKind::JailbreakBench => JAILBREAKBENCH,
            DatasetKind::StrongReject => STRONGREJECT,
            DatasetKind::DoNotAnswer => DO_NOT_ANSWER,
            DatasetKind::BeaverTails => BEAVERTAILS,
            DatasetKind::TruthfulQa => TRUTHFULQA,
            DatasetKind::CoSafe | DatasetKind::AdvBench | DatasetKind::Own => OWN,
        };
        if is_assertion(column) {
            return Some((TopicField::Assertion, 1));
        }
        let column = normalise_name(column);
        let (field, rank) = names.iter().find_map(|(field, names)| {
            let rank = names.iter().position(|name| *name == column)?;
            Some((*field, rank))
        })?;
        // What a person named stands for its field alone.
        let is_taken = self.choice.has_field(field)
            || (field == TopicField::Adversarial && self.choice.has_field(TopicField::Text));
        (!is_taken).then_some((field, rank + 1))
    }

    /// Returns the column that holds the text where none is known as it.
    pub(super) fn guess_text_column<'k, K: AsRef<str> + 'k>(
        &self,
        columns: impl Iterator<Item = &'k K> + Clone,
    ) -> Option<&'k str> {
        let can_guess = matches!(self.kind, DatasetKind::Own | DatasetKind::AdvBench);
        if !can_guess || self.choice.has_field(TopicField::Text) {
            return None;
        }
        let readable = columns.map(AsRef::as_ref).filter(|column| {
            !self.choice.ignores_column(column) && self.choice.field_of(column).is_none()
        });
        let by_name = LAST_RESORT.iter().find_map(|name| {
            let mut columns = readable.clone();
            columns.find(|column| normalise_name(column) == *name)
        });
        by_name.or_else(|| {
            // A table of promptfoo with one variable.
            let is_of_promptfoo = |column: &&str| column.trim().starts_with(PROMPTFOO_MARK);
            let mut variables = readable.clone().filter(|column| !is_of_promptfoo(column));
            let only = variables.next().filter(|_| variables.next().is_none());
            only.filter(|_| readable.clone().any(|column| is_of_promptfoo(&column)))
        })
    }

    /// Assigns fields to columns; of two columns for one field the better name wins, and the other one is in the
    /// second list, with the winner.
    pub(super) fn assign_fields<'a>(
        &self,
        columns: &[&'a str],
    ) -> (Vec<TopicField>, Vec<(&'a str, &'a str)>) {
        let mut candidates: Vec<Option<(TopicField, usize)>> =
            columns.iter().map(|column| self.field_of(column)).collect();
        let has = |found: &[Option<(TopicField, usize)>], wanted: TopicField| {
            found.iter().flatten().any(|(field, _)| *field == wanted)
        };
        if !has(&candidates, TopicField::Text)
            && !has(&candidates, TopicField::Conversation)
            && let Some(column) = self.guess_text_column(columns.iter())
            && let Some(at) = columns.iter().position(|known| *known == column)
            && let Some(field) = candidates.get_mut(at)
        {
            *field = Some((TopicField::Text, 1));
        }
        let mut best: HashMap<TopicField, (usize, usize)> = HashMap::new();
        for (at, (field, rank)) in candidates
            .iter()
            .enumerate()
            .filter_map(|(at, f)| Some((at, (*f)?)))
        {
            let winner = best.entry(field).or_insert((rank, at));
            *winner = (rank, at).min(*winner);
        }
        let mut unread_columns = Vec::new();
        let mut fields: Vec<TopicField> = candidates
            .iter()
            .enumerate()
            .map(
                |(at, own)| match own.and_then(|(field, _)| Some((field, best.get(&field)?.1))) {
                    None => TopicField::Unused,
                    Some((field, winner)) if winner == at => field,
                    Some((TopicField::Assertion, _)) => TopicField::Assertion,
                    Some((_, winner)) => {
                        unread_columns.push((columns[at], columns[winner]));
                        TopicField::Unused
                    }
                },
            )
            .collect();
        for at in self.option_columns(columns, |at| fields.get(at).copied()) {
            if let Some(field) = fields.get_mut(at) {
                *field = TopicField::Option;
            }
        }
        (fields, unread_columns)
    }

    /// Returns the columns that hold an option each, where the right one is said too and no column holds all.
    pub(super) fn option_columns(
        &self,
        columns: &[&str],
        field_of: impl Fn(usize) -> Option<TopicField>,
    ) -> Vec<usize> {
        let has = |wanted: &[TopicField]| {
            let mut fields = (0..columns.len()).filter_map(&field_of);
            fields.any(|field| wanted.contains(&field))
        };
        let is_choice = has(&[TopicField::Reference, TopicField::Expected])
            && !has(&[TopicField::Options])
            && matches!(self.kind, DatasetKind::Own);
        if !is_choice {
            return Vec::new();
        }
        let is_free = |at: &usize| field_of(*at).is_none_or(|field| field == TopicField::Unused);
        let is_unread = |at: &usize| {
            columns
                .get(*at)
                .is_some_and(|name| self.choice.ignores_column(name))
        };
        let places = option_columns(columns);
        match places.iter().all(|at| is_free(at) && !is_unread(at)) {
            true => places,
            false => Vec::new(),
        }
    }

    /// Returns the chosen columns that are none of these.
    pub(super) fn find_missing_columns<'k>(
        &self,
        columns: impl Iterator<Item = &'k str> + Clone,
    ) -> Vec<String> {
        let is_there = |name: &str| columns.clone().any(|column| is_same(name, column));
        let missing_columns = self.choice.all_columns().filter(|name| !is_there(name));
        missing_columns.map(str::to_owned).collect()
    }
}

/// Says whether a column of promptfoo's tables holds what is asserted: `__expected`, `__expected2`.
fn is_assertion(column: &str) -> bool {
    let rest = column.trim().strip_prefix("__expected");
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

/// Returns the kind of dataset that has these columns or keys; `Own` where none is recognised.
pub(super) fn kind_of<'a>(
    columns: impl Iterator<Item = &'a str> + Clone,
    choice: &ColumnChoice,
) -> DatasetKind {
    let columns = columns.filter(|column| !choice.ignores_column(column));
    if choice.has_field(TopicField::Text) && are_completions(columns.clone()) {
        return DatasetKind::Own;
    }
    let there: HashSet<String> = columns.map(normalise_name).collect();
    SIGNATURES
        .iter()
        .find(|(_, signs)| all_there(&there, signs))
        .map_or(DatasetKind::Own, |(kind, _)| *kind)
}

/// Returns whether these are the columns of XSTest's annotated completions, which are not topics.
pub(super) fn are_completions<'a>(columns: impl Iterator<Item = &'a str>) -> bool {
    all_there(&columns.map(normalise_name).collect(), XSTEST_COMPLETIONS)
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
        DatasetKind::JailbreakBench => "Goal",
        DatasetKind::StrongReject => "forbidden_prompt",
        DatasetKind::AdvBench => "goal",
        DatasetKind::DoNotAnswer | DatasetKind::TruthfulQa => "question",
        DatasetKind::BeaverTails => "prompt",
        DatasetKind::CoSafe | DatasetKind::Own => "text, prompt or question",
    };
    ("the topic's text", name)
}

/// Returns the description and the usual name of a required column that is missing.
pub(super) fn find_lacking_column(
    kind: DatasetKind,
    fields: &[TopicField],
) -> Option<(&'static str, &'static str)> {
    let has = |field| fields.contains(&field);
    let has_talk = match kind {
        DatasetKind::CoSafe | DatasetKind::AdvBench | DatasetKind::Own => {
            has(TopicField::Conversation)
        }
        DatasetKind::WildJailbreak => has(TopicField::Adversarial),
        DatasetKind::HarmBench
        | DatasetKind::Aegis
        | DatasetKind::Quality
        | DatasetKind::XsTest
        | DatasetKind::TriviaQa
        | DatasetKind::JailbreakBench
        | DatasetKind::StrongReject
        | DatasetKind::DoNotAnswer
        | DatasetKind::BeaverTails
        | DatasetKind::TruthfulQa
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
        | DatasetKind::JailbreakBench
        | DatasetKind::StrongReject
        | DatasetKind::AdvBench
        | DatasetKind::DoNotAnswer
        | DatasetKind::BeaverTails
        | DatasetKind::TruthfulQa
        | DatasetKind::CoSafe
        | DatasetKind::Own => None,
    }
}

/// Returns a column's name without case, spaces, underscores, hyphens and the like.
pub(super) fn normalise_name(column: &str) -> String {
    column
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
