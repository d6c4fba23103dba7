//! Filter of a matrix as a person types it: words, `verdict:`, `category:`, `arm:`, and a draw of topics by `sample:`
//! and `seed:`. Pure.

use super::debate::{CellTurn, MatrixDebate};
use super::sample::TopicSample;
use super::verdict::CellVerdict;

/// Terms that must all hold; a `-` before one means that it must not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatrixFilter {
    terms: Vec<Term>,
    /// How many topics are drawn of those that pass.
    sample: Option<usize>,
    seed: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    is_wanted: bool,
    asks: Asks,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Asks {
    /// A line with such a verdict.
    Verdict(CellVerdict),
    /// A part of the category, in lower case.
    Category(String),
    /// A part of the arm's name, in lower case.
    Arm(String),
    /// A part of the topic, its category, its arm or its checkpoint, in lower case.
    Word(String),
}

impl MatrixFilter {
    /// Reads a filter; a term that is not finished yet, or that [`filter_fault`] names, holds for all.
    pub fn parse(text: &str) -> Self {
        let mut filter = Self::default();
        for part in split_terms(text) {
            match read_part(&part) {
                Ok(Some(Part::Term(term))) => filter.terms.push(term),
                Ok(Some(Part::Sample(topics))) => filter.sample = Some(topics),
                Ok(Some(Part::Seed(seed))) => filter.seed = Some(seed),
                Ok(None) | Err(_) => {}
            }
        }
        filter
    }

    /// Asks for a draw of topics, or for none.
    #[must_use]
    pub fn with_sample(self, sample: Option<TopicSample>) -> Self {
        Self {
            sample: sample.map(|sample| sample.topics),
            seed: sample.map(|sample| sample.seed),
            ..self
        }
    }

    /// Returns the draw that is asked for.
    pub fn sample(&self) -> Option<TopicSample> {
        Some(TopicSample {
            topics: self.sample?,
            seed: self.seed.unwrap_or_default(),
        })
    }

    /// Says whether a debate has what is asked of debates.
    pub(super) fn holds_debate(&self, debate: &MatrixDebate) -> bool {
        let has = |text: &str, part: &str| text.to_lowercase().contains(part);
        self.terms.iter().all(|term| {
            let holds = match &term.asks {
                Asks::Verdict(_) => return true,
                Asks::Category(part) => {
                    let category = debate.category.as_deref();
                    category.is_some_and(|category| has(category, part))
                }
                Asks::Arm(part) => has(&debate.arm, part),
                Asks::Word(part) => {
                    let texts = [Some(debate.title.as_str()), debate.category.as_deref()];
                    let conditions = [Some(debate.arm.as_str()), debate.checkpoint.as_deref()];
                    let texts = texts.into_iter().chain(conditions).flatten();
                    texts.into_iter().any(|text| has(text, part))
                }
            };
            holds == term.is_wanted
        })
    }

    /// Says whether a line has what is asked of its verdicts.
    pub(super) fn holds_line<'a>(&self, turns: impl Iterator<Item = &'a CellTurn> + Clone) -> bool {
        self.terms.iter().all(|term| match &term.asks {
            Asks::Verdict(verdict) => {
                turns.clone().any(|turn| turn.verdict == *verdict) == term.is_wanted
            }
            Asks::Category(_) | Asks::Arm(_) | Asks::Word(_) => true,
        })
    }
}

/// Says what is wrong with a filter, and what can be written instead.
pub fn filter_fault(text: &str) -> Option<String> {
    let mut terms = split_terms(text).into_iter();
    terms.find_map(|term| read_part(&term).err())
}

/// Splits a filter at blanks outside of quotes.
fn split_terms(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut is_quoted = false;
    for c in text.chars() {
        match (c, terms.last_mut()) {
            ('"', _) => is_quoted = !is_quoted,
            (c, _) if c.is_whitespace() && !is_quoted => terms.push(String::new()),
            (c, Some(term)) => term.push(c),
            (_, None) => {}
        }
    }
    terms.retain(|term| !term.trim_start_matches('-').is_empty());
    terms
}

/// A part of a filter.
enum Part {
    Term(Term),
    Sample(usize),
    Seed(u64),
}

/// Reads a part; `None` while a field has no value yet.
fn read_part(text: &str) -> Result<Option<Part>, String> {
    let number = |name: &str, value: &str| {
        let number = value.parse::<u64>();
        number.map_err(|_| format!("{name}: takes a whole number, as {name}:20"))
    };
    match text.split_once(':') {
        Some(("sample" | "seed", "")) => Ok(None),
        Some((name @ "sample", value)) => {
            let topics = usize::try_from(number(name, value)?).unwrap_or(usize::MAX);
            Ok(Some(Part::Sample(topics)))
        }
        Some((name @ "seed", value)) => Ok(Some(Part::Seed(number(name, value)?))),
        Some(_) | None => Ok(read_term(text)?.map(Part::Term)),
    }
}

/// Reads a term; `None` while a field has no value yet.
fn read_term(text: &str) -> Result<Option<Term>, String> {
    let negated = text.strip_prefix('-');
    let term = negated.unwrap_or(text).to_lowercase();
    let asks = match term.split_once(':') {
        Some(("verdict" | "category" | "arm", "")) => return Ok(None),
        Some(("verdict", word)) => match CellVerdict::from_word(word) {
            Some(verdict) => Asks::Verdict(verdict),
            None if is_beginning(word) => return Ok(None),
            None => {
                let words = CellVerdict::ALL.map(CellVerdict::word);
                return Err(format!("no verdict is called {word}: {}", words.join(", ")));
            }
        },
        Some(("category", part)) => Asks::Category(part.to_owned()),
        Some(("arm", part)) => Asks::Arm(part.to_owned()),
        Some(_) | None => Asks::Word(term),
    };
    Ok(Some(Term {
        is_wanted: negated.is_none(),
        asks,
    }))
}

/// Says whether it may become the word of a verdict while it is typed.
fn is_beginning(word: &str) -> bool {
    let mut all = CellVerdict::ALL.into_iter();
    all.any(|verdict| verdict.word().starts_with(word))
}
