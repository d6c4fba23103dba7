//! Query on sessions as a person types it: words, and fields such as `state:failed` or `cost>0.1`. Pure.
//!
//! Every term must hold; a `-` before one means that it must not. A word that stands in a session is an
//! exact match, letters near each other a near one; exact matches are listed first.

use super::known_sessions::{SessionEntry, SessionOrigin};
use crate::workspace::SessionOverview;
use crate::workspace::session_summary::HIDDEN_VERDICTS;
use jiff::Timestamp;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32String};
use std::cmp::Ordering;

/// Characters of a topic that the filter reads; the search over all sessions reads the whole.
const MAX_TOPIC_CHARS: usize = 400;
/// Distance between the letters of a word, at most: scattered letters are no match.
const MAX_SPAN_A_LETTER: usize = 2;
/// Letters of a word that may match near by, and of an id that is meant, at least.
const MIN_NEAR: usize = 3;
const MIN_ID: usize = 5;

/// How well a session fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Exact,
    Near,
}

/// Searchable texts of a session: topic, protocol, name, tags and models.
#[derive(Debug, Clone, Default)]
pub(super) struct SearchableTexts {
    /// In lower case.
    texts: Vec<String>,
    near: Vec<Utf32String>,
}

impl SearchableTexts {
    /// Collects them.
    pub fn of(entry: &SessionEntry) -> Self {
        let mut texts = Vec::new();
        match &entry.found {
            Ok(glance) => {
                texts.push(glance.summary.topic.chars().take(MAX_TOPIC_CHARS).collect());
                texts.push(glance.summary.protocol.clone());
                texts.extend(glance.models.iter().cloned());
            }
            Err(why) => texts.push(why.clone()),
        }
        texts.extend(entry.name.clone());
        texts.extend(entry.tags.iter().cloned());
        Self {
            near: texts.iter().map(|text| text.as_str().into()).collect(),
            texts: texts.iter().map(|text| text.to_lowercase()).collect(),
        }
    }
}

/// A query that is ready to be asked.
pub(super) struct SessionQuery {
    terms: Vec<Term>,
    matcher: Matcher,
    now: Option<Timestamp>,
}

/// One of the terms of a query.
struct Term {
    is_wanted: bool,
    test: Test,
}

enum Test {
    Word { text: String, near: Atom },
    Text(TextField, String),
    Number(NumberField, NumberRange),
}

/// Field that is compared by its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextField {
    State,
    Verdict,
    Model,
    Protocol,
    Arm,
    Run,
    Tag,
    Is,
    Name,
    Topic,
    Category,
    Id,
}

/// Field that is compared by its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberField {
    /// US dollars; a cost that is not known is in no range.
    Cost,
    /// Seconds since its last event.
    Age,
    Rounds,
    Calls,
}

/// Numbers on one side of a bound.
#[derive(Debug, Clone, Copy)]
struct NumberRange {
    side: Ordering,
    or_equal: bool,
    bound: f64,
}

impl NumberRange {
    fn holds(self, number: f64) -> bool {
        let order = number.total_cmp(&self.bound);
        order == self.side || (self.or_equal && order == Ordering::Equal)
    }
}

const TEXT_FIELDS: [(&str, TextField); 12] = [
    ("state", TextField::State),
    ("verdict", TextField::Verdict),
    ("model", TextField::Model),
    ("protocol", TextField::Protocol),
    ("arm", TextField::Arm),
    ("run", TextField::Run),
    ("tag", TextField::Tag),
    ("is", TextField::Is),
    ("name", TextField::Name),
    ("topic", TextField::Topic),
    ("category", TextField::Category),
    ("id", TextField::Id),
];

const NUMBER_FIELDS: [(&str, NumberField); 4] = [
    ("cost", NumberField::Cost),
    ("age", NumberField::Age),
    ("rounds", NumberField::Rounds),
    ("calls", NumberField::Calls),
];

/// What `is:` and the fields of few words can be.
const KINDS: [&str; 6] = [
    "fork",
    "replicate",
    "example",
    "simulated",
    "named",
    "tagged",
];
const STATES: [&str; 4] = ["open", "failed", "truncated", "complete"];
const VERDICTS: [(&str, char); 5] = [
    ("safe", 's'),
    ("unsafe", 'u'),
    ("unclear", 'm'),
    ("unparsed", '?'),
    ("empty", 'e'),
];

impl SessionQuery {
    /// Reads a query; ages are counted up to `now`. A field that is not finished yet holds for all, as
    /// does one that [`query_fault`] names.
    pub fn new(filter: &str, now: &str) -> Self {
        let terms = words(filter).into_iter().filter_map(|(is_wanted, word)| {
            let test = read_term(&word).unwrap_or_default()?;
            Some(Term { is_wanted, test })
        });
        Self {
            terms: terms.collect(),
            matcher: Matcher::new(Config::DEFAULT),
            now: now.parse().ok(),
        }
    }

    /// Says whether replicates of ablations are listed: only where they or a run are asked for.
    pub fn shows_replicates(&self) -> bool {
        self.terms.iter().any(|term| match &term.test {
            Test::Text(TextField::Is, value) => "replicate".starts_with(value) && term.is_wanted,
            Test::Text(TextField::Run, _) => term.is_wanted,
            Test::Text(..) | Test::Word { .. } | Test::Number(..) => false,
        })
    }

    /// Says how well a session fits; `None` where it does not.
    pub fn fit(&mut self, entry: &SessionEntry) -> Option<Fit> {
        let mut fit = Fit::Exact;
        for term in &self.terms {
            let found = match &term.test {
                Test::Word { text, near } => fits_word(entry, text, near, &mut self.matcher),
                Test::Text(field, text) => has_text(entry, *field, text).then_some(Fit::Exact),
                Test::Number(field, range) => number(entry, *field, self.now)
                    .is_some_and(|number| range.holds(number))
                    .then_some(Fit::Exact),
            };
            match (term.is_wanted, found) {
                (true, Some(found)) => fit = fit.max(found),
                (true, None) | (false, Some(Fit::Exact)) => return None,
                (false, Some(Fit::Near) | None) => {}
            }
        }
        Some(fit)
    }
}

/// Says what is wrong with a query, and what can be written instead.
pub fn query_fault(filter: &str) -> Option<String> {
    let mut words = words(filter).into_iter();
    words.find_map(|(_, word)| read_term(&word).err())
}

/// Splits a query at blanks outside of quotes; `-` and `!` before a term negate it.
fn words(filter: &str) -> Vec<(bool, String)> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted) = (String::new(), false);
    for c in filter.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    let negated = |word: String| match word.strip_prefix(['-', '!']) {
        Some(rest) => (false, rest.to_owned()),
        None => (true, word),
    };
    let words = words.into_iter().map(negated);
    words.filter(|(_, word)| !word.is_empty()).collect()
}

/// Reads a term; `None` while a field has no value yet.
fn read_term(word: &str) -> Result<Option<Test>, String> {
    let at = word.find([':', '<', '>', '=']);
    let (name, rest) = at.map_or((word, ""), |at| word.split_at(at));
    let name = name.to_lowercase();
    let text = TEXT_FIELDS.iter().find(|(field, _)| *field == name);
    let number = NUMBER_FIELDS.iter().find(|(field, _)| *field == name);
    match (at, text, number) {
        (Some(_), Some((_, field)), _) => {
            let value = rest.trim_start_matches([':', '=']).to_lowercase();
            check_value(&name, *field, &value)?;
            Ok((!value.is_empty()).then_some(Test::Text(*field, value)))
        }
        (Some(_), None, Some((_, field))) => read_number(&name, *field, rest),
        (None, _, _) | (Some(_), None, None) => Ok(Some(Test::Word {
            text: word.to_lowercase(),
            near: Atom::new(
                word,
                CaseMatching::Ignore,
                Normalization::Smart,
                AtomKind::Fuzzy,
                false,
            ),
        })),
    }
}

/// Fields of few words take these, and their beginnings while they are typed.
fn check_value(name: &str, field: TextField, value: &str) -> Result<(), String> {
    let known: Vec<&str> = match field {
        TextField::State => STATES.to_vec(),
        TextField::Verdict => VERDICTS.iter().map(|(word, _)| *word).collect(),
        TextField::Is => KINDS.to_vec(),
        _ => return Ok(()),
    };
    match known.iter().any(|word| word.starts_with(value)) {
        true => Ok(()),
        false => Err(format!("{name}: is one of {}", known.join(", "))),
    }
}

fn read_number(name: &str, field: NumberField, rest: &str) -> Result<Option<Test>, String> {
    let value = rest.trim_start_matches([':', '<', '>', '=']);
    let sign = &rest[..rest.len() - value.len()];
    let (side, or_equal) = match sign {
        "<" => (Ordering::Less, false),
        ">" => (Ordering::Greater, false),
        "<=" => (Ordering::Less, true),
        ">=" => (Ordering::Greater, true),
        _ => (Ordering::Equal, true),
    };
    if value.is_empty() {
        return Ok(None);
    }
    let bound = match field {
        NumberField::Age => seconds(value),
        NumberField::Cost => value.trim_start_matches('$').parse().ok(),
        NumberField::Rounds | NumberField::Calls => value.parse().ok(),
    };
    let example = match field {
        NumberField::Age => "age<2d, with m, h, d or w",
        NumberField::Cost => "cost>0.10, in US dollars",
        NumberField::Rounds => "rounds>=3",
        NumberField::Calls => "calls>100",
    };
    match bound.filter(|bound: &f64| bound.is_finite()) {
        Some(bound) => Ok(Some(Test::Number(
            field,
            NumberRange {
                side,
                or_equal,
                bound,
            },
        ))),
        // The unit of an age is typed last.
        None if field == NumberField::Age && value.parse::<f64>().is_ok() => Ok(None),
        None => Err(format!("{name} is written {example}")),
    }
}

fn seconds(age: &str) -> Option<f64> {
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

fn fits_word(entry: &SessionEntry, text: &str, near: &Atom, matcher: &mut Matcher) -> Option<Fit> {
    let stands = entry.texts.texts.iter().any(|hay| hay.contains(text));
    let is_id = text.len() >= MIN_ID && entry.id.as_str().starts_with(text);
    let is_state = entry
        .found
        .as_ref()
        .is_ok_and(|glance| glance.summary.state.word() == text || has_verdict(glance, text));
    if stands || is_id || is_state {
        return Some(Fit::Exact);
    }
    if text.chars().count() < MIN_NEAR {
        return None;
    }
    let most = MAX_SPAN_A_LETTER * near.needle_text().len() + MAX_SPAN_A_LETTER;
    let is_near = entry.texts.near.iter().any(|field| {
        let mut letters = Vec::new();
        let found = near.indices(field.slice(..), matcher, &mut letters);
        let span = letters.iter().max().zip(letters.iter().min());
        found.is_some() && span.is_none_or(|(last, first)| (last - first) as usize <= most)
    });
    is_near.then_some(Fit::Near)
}

/// Verdicts that the person must not see now match nothing.
fn has_verdict(glance: &SessionOverview, word: &str) -> bool {
    let verdicts = &glance.summary.verdicts;
    let letter = VERDICTS.iter().find(|(name, _)| *name == word);
    verdicts != HIDDEN_VERDICTS && letter.is_some_and(|(_, letter)| verdicts.contains(*letter))
}

fn has_text(entry: &SessionEntry, field: TextField, wanted: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(wanted);
    let name = entry.name.as_deref();
    match field {
        TextField::Tag => return entry.tags.iter().any(|tag| tag.to_lowercase() == wanted),
        TextField::Name => return name.is_some_and(holds),
        TextField::Id => return entry.id.as_str().starts_with(wanted),
        _ => {}
    }
    let Ok(glance) = &entry.found else {
        return false;
    };
    let summary = &glance.summary;
    match field {
        TextField::State => summary.state.word().starts_with(wanted),
        TextField::Verdict => {
            let mut meant = VERDICTS.iter().filter(|(word, _)| word.starts_with(wanted));
            meant.any(|(word, _)| has_verdict(glance, word))
        }
        TextField::Model => glance.models.iter().any(|model| holds(model)),
        TextField::Protocol => holds(&summary.protocol),
        TextField::Arm => holds(&glance.arm),
        TextField::Run => {
            let run = summary.run.as_ref().map(|run| run.as_str());
            run.is_some_and(|run| run.starts_with(wanted))
        }
        TextField::Topic => holds(&summary.topic),
        TextField::Category => summary.category.as_deref().is_some_and(holds),
        TextField::Is => {
            let mut meant = KINDS.iter().filter(|kind| kind.starts_with(wanted));
            meant.any(|kind| match *kind {
                "fork" => glance.parent.is_some(),
                "replicate" => glance.is_replicate,
                "example" => entry.origin == SessionOrigin::Example,
                "simulated" => summary.simulated,
                "named" => name.is_some(),
                _ => !entry.tags.is_empty(),
            })
        }
        TextField::Tag | TextField::Name | TextField::Id => false,
    }
}

fn number(entry: &SessionEntry, field: NumberField, now: Option<Timestamp>) -> Option<f64> {
    let summary = &entry.found.as_ref().ok()?.summary;
    match field {
        NumberField::Cost => summary.cost_usd,
        NumberField::Age => {
            let last: Timestamp = summary.last_at.parse().ok()?;
            Some((now?.as_second() - last.as_second()).max(0) as f64)
        }
        NumberField::Rounds => Some(f64::from(summary.rounds.0)),
        // Far below 2^53.
        NumberField::Calls => Some(summary.calls as f64),
    }
}
