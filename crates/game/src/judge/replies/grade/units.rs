//! Units of answers: compared where both answers have one, converted where both measure the same.

use super::tokens::{Bracket, Sign, Token};
use crate::judge::lexicon::{UNITS, UnitEntry};
use std::collections::BTreeMap;

/// Most words of a unit.
const MAX_WORDS: usize = 16;
/// Most tokens of a unit.
const MAX_UNIT_TOKENS: usize = 24;

/// A unit: what it measures, each with its power, and how many basic units it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Unit {
    pub measures: BTreeMap<String, i32>,
    pub times: f64,
}

impl Unit {
    fn dimensionless() -> Self {
        Self {
            measures: BTreeMap::new(),
            times: 1.0,
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let mut unit = Self::dimensionless();
        unit.multiply_by(find_unit(name)?, 1);
        Some(unit)
    }

    /// The modulus of a remainder is compared as a unit is: where both answers have one.
    fn from_modulus(tokens: &[Token]) -> Self {
        let modulus: String = tokens.iter().map(unit_text).collect();
        Self {
            measures: BTreeMap::from([(format!("modulo {}", modulus.trim()), 1)]),
            times: 1.0,
        }
    }

    pub(super) fn is_percent(&self) -> bool {
        self.measures.contains_key("percent")
    }

    fn multiply_by(&mut self, entry: &UnitEntry, power: i32) {
        let power = power.saturating_mul(entry.power).clamp(-9, 9);
        let of = self.measures.entry(entry.of.clone()).or_default();
        *of += power;
        self.times *= entry.times.powi(power);
        if *of == 0 {
            self.measures.remove(&entry.of);
        }
    }
}

fn find_unit(name: &str) -> Option<&'static UnitEntry> {
    let lower = name.to_lowercase();
    let mut units = UNITS.unit.iter();
    units.find(|unit| unit.names.contains(&lower))
}

/// Reads words of a unit: `cm^2`, `square inches`, `miles per hour`, `m/s`. `None` where a word is
/// no unit; words for what is counted are none.
fn read_words(words: &str) -> Option<Unit> {
    let spaced_words = words
        .replace('/', " / ")
        .replace(['^', '{', '}', '(', ')'], " ");
    let mut unit = Unit::dimensionless();
    let mut last: Option<(&UnitEntry, i32)> = None;
    let (mut sign, mut raised) = (1, 1);
    for word in spaced_words.split_whitespace().take(MAX_WORDS) {
        let lower = word.to_lowercase();
        let lower = match UNITS.spelled_out.get(&lower) {
            Some(meaning) => return read_words(meaning),
            None => lower,
        };
        let power = lower.parse::<i32>().ok();
        if let Some(power) = power.or_else(|| UNITS.powers.get(&lower).copied()) {
            match last {
                // `cm 2`, `inches squared`: the unit counts once already.
                Some((entry, sign)) if power.abs() <= 9 => {
                    unit.multiply_by(entry, (power - 1) * sign);
                    last = None;
                }
                Some(_) => return None,
                None => raised = power,
            }
        } else if let Some(entry) = find_unit(&lower) {
            unit.multiply_by(entry, raised * sign);
            last = Some((entry, sign));
            raised = 1;
        } else if UNITS.per.contains(&lower) && last.is_some() {
            sign = -1;
            last = None;
        } else if matches!(lower.as_str(), "of" | "·") {
        } else {
            return None;
        }
    }
    (!unit.measures.is_empty()).then_some(unit)
}

/// Cuts the unit off the end, and the currency off the beginning of an answer's tokens. Words that
/// are no unit (what was counted) are cut off as well.
///
/// `letters`: whether single letters after a number are units, as in `5 m`.
pub(super) fn split_unit(tokens: &[Token], letters: bool) -> (&[Token], Option<Unit>) {
    let modulus = Sign::Command("pmod".to_owned());
    if let Some(at) = tokens.iter().position(|token| token.sign == modulus) {
        return (&tokens[..at], Some(Unit::from_modulus(&tokens[at + 1..])));
    }
    let (tokens, currency) = split_currency(tokens);
    let start = unit_start(tokens, letters);
    let (rest, unit) = tokens.split_at(start);
    // The angle of a function is no unit of its value.
    let is_angle = rest
        .iter()
        .any(|token| matches!(token.sign, Sign::Function(_)))
        && unit
            .first()
            .is_some_and(|token| token.sign == Sign::Plain('^'));
    if rest.is_empty() || is_angle {
        return (tokens, None);
    }
    let words: String = unit.iter().map(unit_text).collect();
    let words = words
        .replace("- ", "-")
        .replace("° C", "°c")
        .replace("° F", "°f");
    let is_number = |token: &Token| match &token.sign {
        Sign::Number(_) => true,
        Sign::Command(name) => matches!(name.as_str(), "frac" | "sqrt" | "pi"),
        _ => false,
    };
    let known_unit = match currency {
        // `$5 million` has one unit alone.
        Some(currency) => Some(currency),
        None => read_words(&words),
    };
    // Words behind letters are a sentence.
    if known_unit.is_none() && start < tokens.len() && !rest.iter().any(is_number) {
        return (tokens, None);
    }
    (rest, known_unit)
}

fn split_currency(tokens: &[Token]) -> (&[Token], Option<Unit>) {
    let Some(Sign::Plain(sign)) = tokens.first().map(|token| &token.sign) else {
        return (tokens, None);
    };
    let name = match sign {
        '$' | '＄' => "$",
        '€' => "€",
        '£' => "£",
        _ => return (tokens, None),
    };
    (tokens.get(1..).unwrap_or_default(), Unit::from_name(name))
}

/// Returns where the unit begins: at the first token from which on all are units.
fn unit_start(tokens: &[Token], letters: bool) -> usize {
    let earliest = tokens.len().saturating_sub(MAX_UNIT_TOKENS);
    (earliest..tokens.len())
        .find(|start| are_units(&tokens[*start..], letters) && !is_prime(tokens, *start))
        .unwrap_or(tokens.len())
}

fn are_units(mut tokens: &[Token], letters: bool) -> bool {
    while let [first, rest @ ..] = tokens {
        tokens = match (&first.sign, rest.first().map(|token| &token.sign)) {
            (Sign::Plain('^'), Some(Sign::Command(name))) if name == "circ" => match rest {
                [_, temperature, rest @ ..] if is_temperature(&temperature.sign) => rest,
                _ => &rest[1..],
            },
            (Sign::Words(_), _) => skip_power(rest),
            (Sign::Letter(letter), _) if letters && find_unit(&letter.to_string()).is_some() => {
                skip_power(rest)
            }
            (Sign::Plain('%' | '＄' | '$' | '€' | '£' | '¢' | '\''), _) => rest,
            (Sign::Plain('/'), Some(Sign::Words(_) | Sign::Letter(_))) => rest,
            (Sign::Command(name), Some(Sign::Words(_) | Sign::Letter(_))) if name == "cdot" => rest,
            _ => return false,
        };
    }
    true
}

/// Returns whether the unit would begin with the prime of a letter, which minutes of arc are not.
fn is_prime(tokens: &[Token], start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| tokens.get(at));
    tokens[start].sign == Sign::Plain('\'')
        && !before.is_some_and(|token| matches!(token.sign, Sign::Number(_)))
}

fn is_temperature(sign: &Sign) -> bool {
    matches!(sign, Sign::Letter('C' | 'F'))
        || matches!(sign, Sign::Words(word) if matches!(word.as_str(), "C" | "F"))
}

/// Skips the power of a unit.
fn skip_power(tokens: &[Token]) -> &[Token] {
    let signs: Vec<&Sign> = tokens.iter().take(5).map(|token| &token.sign).collect();
    let length = match signs.as_slice() {
        [Sign::Plain('^'), Sign::Number(_), ..] => 2,
        [
            Sign::Plain('^'),
            Sign::Open(Bracket::Group),
            Sign::Number(_),
            Sign::Close(_),
            ..,
        ] => 4,
        [
            Sign::Plain('^'),
            Sign::Open(Bracket::Group),
            Sign::Plain('-'),
            Sign::Number(_),
            Sign::Close(_),
        ] => 5,
        _ => 0,
    };
    &tokens[length..]
}

fn unit_text(token: &Token) -> String {
    match &token.sign {
        Sign::Words(words) => format!(" {words}"),
        Sign::Letter(letter) => format!(" {letter}"),
        Sign::Number(digits) => format!(" {}", digits.whole),
        Sign::Command(name) if name == "circ" => " °".to_owned(),
        Sign::Plain('＄') => " $".to_owned(),
        Sign::Plain('-') => " -".to_owned(),
        Sign::Plain('^') => String::new(),
        Sign::Plain(sign) => format!(" {sign}"),
        _ => String::new(),
    }
}
