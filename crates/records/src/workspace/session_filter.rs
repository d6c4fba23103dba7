//! Filter of sessions by one field, as `state:failed`, `model~llama` or `cost>0.5`, or by its opposite with a `-`
//! before it. The list of sessions at the workbench and `ls --where` read the same. Pure.

use super::session_list::SessionOverview;
use super::session_summary::{FILTERED_LETTER, HIDDEN_VERDICTS};
use crate::workspace::{WorkspaceError, reject};
use elenchus_game::debate::SessionId;
use jiff::Timestamp;
use std::str::FromStr;

/// Condition on one field of a session, or its opposite.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFilter {
    is_wanted: bool,
    field: Field,
    comparison: Comparison,
    /// In lower case.
    value: String,
    /// The value as a number; seconds where it is an age.
    number: f64,
}

/// What is known of a session that is filtered.
#[derive(Debug, Clone, Copy)]
pub struct FilteredSession<'a> {
    pub id: &'a SessionId,
    /// `None` where it could not be read.
    pub overview: Option<&'a SessionOverview>,
    pub name: Option<&'a str>,
    pub tags: &'a [String],
    /// It comes with the program.
    pub is_example: bool,
    /// Time up to which ages are counted.
    pub now: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// As it is typed: it begins so, or holds it.
    Typed,
    Equals,
    Contains,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
}

/// The comparisons by their signs, the longer ones first.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::MoreOrEqual),
    (":", Comparison::Typed),
    ("=", Comparison::Equals),
    ("~", Comparison::Contains),
    ("<", Comparison::Less),
    (">", Comparison::More),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Protocol,
    Model,
    State,
    Verdict,
    /// Verdicts of one letter of a summary's; all where there is none.
    Verdicts(Option<char>),
    /// Turns that were found bad after a good one of their chair, and the other way round.
    Converted,
    Corrected,
    Cost,
    Age,
    Rounds,
    Calls,
    Run,
    Parent,
    Id,
    Arm,
    Is,
    Simulated,
    Begun,
    Last,
    Tag,
    Name,
    Topic,
    Category,
}

const FIELDS: [(&str, Field); 29] = [
    ("protocol", Field::Protocol),
    ("model", Field::Model),
    ("state", Field::State),
    ("verdict", Field::Verdict),
    ("verdicts", Field::Verdicts(None)),
    ("safe", Field::Verdicts(Some('s'))),
    ("middle", Field::Verdicts(Some('m'))),
    ("unsafe", Field::Verdicts(Some('u'))),
    ("unparsed", Field::Verdicts(Some('?'))),
    ("empty", Field::Verdicts(Some('e'))),
    ("filtered", Field::Verdicts(Some(FILTERED_LETTER))),
    ("converted", Field::Converted),
    ("corrected", Field::Corrected),
    ("cost", Field::Cost),
    ("age", Field::Age),
    ("rounds", Field::Rounds),
    ("calls", Field::Calls),
    ("run", Field::Run),
    ("parent", Field::Parent),
    ("id", Field::Id),
    ("arm", Field::Arm),
    ("is", Field::Is),
    ("simulated", Field::Simulated),
    ("begun", Field::Begun),
    ("last", Field::Last),
    ("tag", Field::Tag),
    ("name", Field::Name),
    ("topic", Field::Topic),
    ("category", Field::Category),
];

/// Words of the fields that have few.
const STATES: [&str; 4] = ["open", "failed", "truncated", "complete"];
const KINDS: [&str; 6] = [
    "fork",
    "replicate",
    "example",
    "simulated",
    "named",
    "tagged",
];
const VERDICTS: [(&str, char); 6] = [
    ("safe", 's'),
    ("unsafe", 'u'),
    ("unclear", 'm'),
    ("unparsed", '?'),
    ("empty", 'e'),
    ("filtered", FILTERED_LETTER),
];

/// Kind of value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    /// One of few words.
    Word,
    Text,
    Tag,
    /// It may be named by its beginning or end.
    Id,
    /// RFC 3339, UTC: a beginning of it is a day or an hour.
    Time,
    Number,
}

impl Field {
    fn value_kind(self) -> ValueKind {
        match self {
            Field::State | Field::Verdict | Field::Is | Field::Simulated => ValueKind::Word,
            Field::Protocol
            | Field::Model
            | Field::Arm
            | Field::Name
            | Field::Topic
            | Field::Category => ValueKind::Text,
            Field::Tag => ValueKind::Tag,
            Field::Run | Field::Parent | Field::Id => ValueKind::Id,
            Field::Begun | Field::Last => ValueKind::Time,
            Field::Verdicts(_)
            | Field::Converted
            | Field::Corrected
            | Field::Cost
            | Field::Age
            | Field::Rounds
            | Field::Calls => ValueKind::Number,
        }
    }

    /// Returns the words that the field can have, where they are few.
    fn list_words(self) -> Vec<&'static str> {
        match self {
            Field::State => STATES.to_vec(),
            Field::Verdict => VERDICTS.iter().map(|(word, _)| *word).collect(),
            Field::Is => KINDS.to_vec(),
            Field::Simulated => vec!["yes", "no"],
            _ => Vec::new(),
        }
    }

    /// Returns an example of how it is written.
    fn describe_example(self, name: &str) -> String {
        match self {
            Field::Cost => "cost>0.10, a number of US dollars".to_owned(),
            Field::Age => "age<2d, a number with m, h, d or w".to_owned(),
            Field::Begun | Field::Last => {
                format!("{name}>2026-11-23, a time or its beginning, UTC")
            }
            _ => format!("{name}>=3, a number"),
        }
    }

    fn parse_number(self, value: &str) -> Option<f64> {
        let number = match self {
            Field::Age => parse_age(value),
            Field::Cost => value.trim_start_matches('$').parse().ok(),
            _ => value.parse().ok(),
        };
        number.filter(|number| number.is_finite())
    }

    /// Returns the texts that a session has in the field, in lower case.
    fn texts_of(self, session: FilteredSession<'_>) -> Vec<String> {
        let one = |text: Option<&str>| text.map(str::to_lowercase).into_iter().collect();
        let (overview, summary) = match (self, session.overview) {
            (Field::Id, _) => return one(Some(session.id.as_str())),
            (Field::Name, _) => return one(session.name),
            (Field::Tag, _) => return session.tags.iter().map(|tag| tag.to_lowercase()).collect(),
            (_, Some(overview)) => (overview, &overview.summary),
            (_, None) => return Vec::new(),
        };
        match self {
            Field::Protocol => one(Some(&summary.protocol)),
            Field::Model => overview
                .models
                .iter()
                .map(|one| one.to_lowercase())
                .collect(),
            Field::State => one(Some(summary.state.as_word())),
            Field::Verdict => {
                let there = VERDICTS
                    .iter()
                    .filter(|(word, _)| has_verdict(overview, word));
                there.map(|(word, _)| (*word).to_owned()).collect()
            }
            Field::Run => one(summary.run.as_ref().map(|run| run.as_str())),
            Field::Parent => one(overview.parent.as_ref().map(|parent| parent.as_str())),
            Field::Arm => one(Some(&overview.arm)),
            Field::Is => KINDS
                .into_iter()
                .filter(|kind| is_of_kind(session, overview, kind))
                .map(str::to_owned)
                .collect(),
            Field::Simulated => one(Some(if summary.simulated { "yes" } else { "no" })),
            Field::Begun => one(Some(&summary.begun_at)),
            Field::Last => one(Some(&summary.last_at)),
            Field::Topic => one(Some(&summary.topic)),
            Field::Category => one(summary.category.as_deref()),
            Field::Id
            | Field::Name
            | Field::Tag
            | Field::Verdicts(_)
            | Field::Converted
            | Field::Corrected
            | Field::Cost
            | Field::Age
            | Field::Rounds
            | Field::Calls => Vec::new(),
        }
    }

    /// Returns the number that a session has in the field, where it is known: an unknown cost is neither more
    /// nor less than another.
    fn number_of(self, session: FilteredSession<'_>) -> Option<f64> {
        let summary = &session.overview?.summary;
        match self {
            Field::Verdicts(_) | Field::Converted | Field::Corrected
                if summary.verdicts == HIDDEN_VERDICTS =>
            {
                None
            }
            Field::Converted => Some(f64::from(summary.converted)),
            Field::Corrected => Some(f64::from(summary.corrected)),
            Field::Verdicts(letter) => {
                let letters = summary.verdicts.chars();
                let matching_letters =
                    letters.filter(|one| letter.is_none_or(|letter| letter == *one));
                Some(matching_letters.count() as f64)
            }
            Field::Cost => summary.cost_usd,
            Field::Age => {
                let last: Timestamp = summary.last_at.parse().ok()?;
                Some((session.now?.as_second() - last.as_second()).max(0) as f64)
            }
            Field::Rounds => Some(f64::from(summary.rounds.0)),
            // Far below 2^53.
            Field::Calls => Some(summary.calls as f64),
            _ => None,
        }
    }
}

/// Says whether a session has a verdict of that name; those that the person must not see now match nothing.
pub fn has_verdict(overview: &SessionOverview, word: &str) -> bool {
    let verdicts = &overview.summary.verdicts;
    let letter = VERDICTS.iter().find(|(name, _)| *name == word);
    verdicts != HIDDEN_VERDICTS && letter.is_some_and(|(_, letter)| verdicts.contains(*letter))
}

fn is_of_kind(session: FilteredSession<'_>, overview: &SessionOverview, kind: &str) -> bool {
    match kind {
        "fork" => overview.parent.is_some(),
        "replicate" => overview.is_replicate,
        "example" => session.is_example,
        "simulated" => overview.summary.simulated,
        "named" => session.name.is_some(),
        _ => !session.tags.is_empty(),
    }
}

fn parse_age(age: &str) -> Option<f64> {
    let unit = age.chars().last()?;
    let number: f64 = age.strip_suffix(unit)?.parse().ok()?;
    let of = match unit {
        'm' => 60.0,
        'h' => 3_600.0,
        'd' => 86_400.0,
        'w' => 604_800.0,
        _ => return None,
    };
    Some(number * of)
}

/// Parts of a term: whether it is wanted, its field, if there is one of that name, the comparison and the value.
struct Parts<'a> {
    is_wanted: bool,
    name: &'a str,
    field: Option<Field>,
    comparison: Option<Comparison>,
    value: &'a str,
}

impl<'a> Parts<'a> {
    fn from_term(term: &'a str) -> Self {
        let positive = term.strip_prefix(['-', '!']);
        let text = positive.unwrap_or(term);
        let at = text.find([':', '=', '~', '<', '>']).unwrap_or(text.len());
        let (name, rest) = text.split_at(at);
        let mut signs = COMPARISONS.iter();
        let sign = signs.find_map(|(sign, of)| Some((*of, rest.strip_prefix(sign)?)));
        let name = name.trim();
        let field = FIELDS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        Self {
            is_wanted: positive.is_none(),
            name,
            field: field.map(|(_, field)| *field),
            comparison: sign.map(|(comparison, _)| comparison),
            value: sign.map_or("", |(_, value)| value.trim()),
        }
    }
}

impl SessionFilter {
    /// Says whether a term compares a field; all others are words.
    pub fn compares_a_field(term: &str) -> bool {
        let parts = Parts::from_term(term);
        parts.field.is_some() && parts.comparison.is_some()
    }

    /// Reads a term as it is typed; `None` while its value is not finished.
    ///
    /// # Errors
    /// Says what is wrong, and what can be written instead.
    pub fn parse_term(term: &str) -> Result<Option<Self>, WorkspaceError> {
        let parts = Parts::from_term(term);
        let name = parts.name;
        let field = parts.field.ok_or_else(|| {
            let names = FIELDS.map(|(name, _)| name).join(", ");
            WorkspaceError::invalid(format!("'{name}' is no field; there are {names}"))
        })?;
        let comparison = parts.comparison.ok_or_else(|| {
            WorkspaceError::invalid(format!(
                "after '{name}' comes : or =, ~ (contains), < or >, and a value"
            ))
        })?;
        let filter = Self {
            is_wanted: parts.is_wanted,
            field,
            comparison,
            value: parts.value.to_lowercase(),
            number: 0.0,
        };
        match field.value_kind() {
            ValueKind::Number => filter.with_number(name),
            ValueKind::Time => filter.with_time(name),
            ValueKind::Word | ValueKind::Text | ValueKind::Tag | ValueKind::Id => {
                filter.with_text(name)
            }
        }
    }

    fn with_number(self, name: &str) -> Result<Option<Self>, WorkspaceError> {
        let number = self.field.parse_number(&self.value);
        match (self.comparison, number) {
            (Comparison::Contains, _) => {}
            (_, Some(number)) => return Ok(Some(Self { number, ..self })),
            (_, None) if self.value.is_empty() => return Ok(None),
            // The unit of an age is typed last.
            (_, None) if self.field == Field::Age && self.value.parse::<f64>().is_ok() => {
                return Ok(None);
            }
            (_, None) => {}
        }
        reject(format!(
            "{name} is written {}",
            self.field.describe_example(name)
        ))
    }

    fn with_time(self, name: &str) -> Result<Option<Self>, WorkspaceError> {
        let is_time = |c: char| c.is_ascii_digit() || "-:t.z+".contains(c);
        match self.value.chars().all(is_time) {
            true if self.value.is_empty() => Ok(None),
            true => Ok(Some(self)),
            false => reject(format!(
                "{name} is written {}",
                self.field.describe_example(name)
            )),
        }
    }

    fn with_text(self, name: &str) -> Result<Option<Self>, WorkspaceError> {
        match self.comparison {
            Comparison::Typed | Comparison::Equals | Comparison::Contains => {}
            Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::More
            | Comparison::MoreOrEqual => {
                return reject(format!("'{name}' is compared with : or =, or ~ (contains)"));
            }
        }
        let words = self.field.list_words();
        if self.value.is_empty() {
            return Ok(None);
        }
        let begins = words.iter().any(|word| word.starts_with(&self.value));
        if !words.is_empty() && !begins {
            return reject(format!("{name}: is one of {}", words.join(", ")));
        }
        let is_whole = words.is_empty() || words.contains(&self.value.as_str());
        match self.comparison == Comparison::Equals && !is_whole {
            true => Ok(None),
            false => Ok(Some(self)),
        }
    }

    /// Says whether a list needs tags or names for it.
    pub fn asks_for_marks(&self) -> bool {
        matches!(self.field, Field::Tag | Field::Name | Field::Is)
    }

    /// Says whether it asks for replicates of ablations, which are out of sight otherwise: for them or for a
    /// run.
    pub fn asks_for_replicates(&self) -> bool {
        let asks = match self.field {
            Field::Is => "replicate".starts_with(&self.value),
            Field::Run => true,
            _ => false,
        };
        asks && self.is_wanted
    }

    /// Says whether a session is let through.
    pub fn matches_session(&self, session: FilteredSession<'_>) -> bool {
        let holds = match self.field.value_kind() {
            ValueKind::Number => {
                let number = self.field.number_of(session);
                number.is_some_and(|number| self.holds_for_number(number))
            }
            kind @ (ValueKind::Word
            | ValueKind::Text
            | ValueKind::Tag
            | ValueKind::Id
            | ValueKind::Time) => {
                let texts = self.field.texts_of(session);
                texts.iter().any(|text| self.holds_for_text(kind, text))
            }
        };
        holds == self.is_wanted
    }

    fn holds_for_number(&self, number: f64) -> bool {
        match self.comparison {
            Comparison::Typed | Comparison::Equals | Comparison::Contains => number == self.number,
            Comparison::Less => number < self.number,
            Comparison::LessOrEqual => number <= self.number,
            Comparison::More => number > self.number,
            Comparison::MoreOrEqual => number >= self.number,
        }
    }

    fn holds_for_text(&self, kind: ValueKind, text: &str) -> bool {
        if kind != ValueKind::Id {
            return self.holds_for_value(kind, text, &self.value);
        }
        // One of several: an arm has a run for each seed.
        let mut ids = self.value.split(',').filter(|id| !id.is_empty());
        ids.any(|id| self.holds_for_value(kind, text, id))
    }

    fn holds_for_value(&self, kind: ValueKind, text: &str, value: &str) -> bool {
        match (self.comparison, kind) {
            (Comparison::Contains, _) | (Comparison::Typed, ValueKind::Text) => {
                text.contains(value)
            }
            (Comparison::Typed | Comparison::Equals, ValueKind::Time)
            | (Comparison::Typed, ValueKind::Word | ValueKind::Id) => text.starts_with(value),
            (Comparison::Equals, ValueKind::Id) => text.starts_with(value) || text.ends_with(value),
            (Comparison::Typed | Comparison::Equals, _) => text == value,
            (Comparison::Less, _) => text < value,
            (Comparison::LessOrEqual, _) => text < value || text.starts_with(value),
            // After a day is after its end.
            (Comparison::More, _) => text > value && !text.starts_with(value),
            (Comparison::MoreOrEqual, _) => text >= value,
        }
    }
}

impl FromStr for SessionFilter {
    type Err = WorkspaceError;

    /// Reads a finished term.
    fn from_str(term: &str) -> Result<Self, Self::Err> {
        let parts = Parts::from_term(term);
        let (name, words) = (
            parts.name,
            parts.field.map_or_else(Vec::new, Field::list_words),
        );
        Self::parse_term(term)?.ok_or_else(|| match words.is_empty() {
            true => WorkspaceError::invalid(format!(
                "'{term}' has no value: write what {name} is compared with"
            )),
            false => WorkspaceError::invalid(format!("{name}: is one of {}", words.join(", "))),
        })
    }
}
