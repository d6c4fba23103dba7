//! The fields of a comparison that is set out: what they are called, what stands in them, what keys
//! change. Pure.

use super::form::Form;
use super::page::roll_words;
use crate::driver::tries::{
    AbPreference, AbStop, DEFAULT_ALPHA, MAX_SAMPLES, Repeats, RollForward,
};
use crate::tui::theme::Role;

/// The rubric that a judge compares replies by.
const PREFERENCE: &str = "preference";
/// The last round that can be asked for here.
const MAX_ROUND: u32 = 99;
/// Numbers of turns that the arrow keys go through; any other is typed.
const TURNS: [usize; 6] = [5, 10, 20, 50, 100, 200];

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Debates,
    Seat,
    Round,
    Turns,
    Samples,
    Roll,
    Stop,
    Judge,
    Repeats,
    Ceiling,
    Seed,
    Begin,
}

impl Field {
    pub(super) const ALL: [Field; 12] = [
        Field::Debates,
        Field::Seat,
        Field::Round,
        Field::Turns,
        Field::Samples,
        Field::Roll,
        Field::Stop,
        Field::Judge,
        Field::Repeats,
        Field::Ceiling,
        Field::Seed,
        Field::Begin,
    ];

    pub(super) fn label(self) -> &'static str {
        match self {
            Field::Debates => "debates",
            Field::Seat => "seat",
            Field::Round => "round",
            Field::Turns => "turns",
            Field::Samples => "samples",
            Field::Roll => "how far",
            Field::Stop => "ends",
            Field::Judge => "preference",
            Field::Repeats => "repeats",
            Field::Ceiling => "ceiling in US$",
            Field::Seed => "seed",
            Field::Begin => "Begin the comparison",
        }
    }

    /// Says what the field is for.
    pub(super) fn duty(self) -> &'static str {
        match self {
            Field::Debates => "whose recorded turns both prompts are tried on; Enter lists them",
            Field::Seat => "only turns of this seat",
            Field::Round => "only turns of this round",
            Field::Turns => "so many turns, drawn by the seed",
            Field::Samples => "of each prompt on every turn; topics count, not samples",
            Field::Roll => "a seat that nobody judges is told by what follows it",
            Field::Stop => "a plan that is fixed, or as soon as a confidence sequence settles it",
            Field::Judge => "a model that says which reply is better, asked in both orders",
            Field::Repeats => "what the same request brought before, or every request anew",
            Field::Ceiling => "it pauses before more is spent; empty for none",
            Field::Seed => "fixes which turns are drawn and in which order",
            Field::Begin => "Enter begins; it can be stopped and gone on with",
        }
    }
}

impl Form {
    /// Returns what stands in a field.
    pub(super) fn value(&self, field: Field) -> (Role, String) {
        let all = |text: Option<String>, none: &str| match text {
            Some(text) => (Role::Text, text),
            None => (Role::Muted, none.to_owned()),
        };
        match field {
            Field::Debates => match self.source() {
                Some(source) => (Role::Text, format!("{}: {}", source.label, source.detail)),
                None => (
                    Role::Warning,
                    "none of this game: play one first".to_owned(),
                ),
            },
            Field::Seat => all(self.seat_name(), "every seat that the prompt tells"),
            Field::Round => all(self.round.map(|round| round.to_string()), "every round"),
            Field::Turns => all(self.turns.map(|turns| turns.to_string()), "all that fit"),
            Field::Samples => (Role::Text, self.samples.to_string()),
            Field::Roll => (Role::Text, roll_words(self.roll).to_owned()),
            Field::Stop => match self.stop {
                AbStop::Fixed => (Role::Text, "when all samples are played".to_owned()),
                AbStop::Settled { alpha } => (
                    Role::Text,
                    format!("as soon as it is settled (alpha {alpha})"),
                ),
            },
            Field::Judge => all(self.judge_name(), "nobody is asked"),
            Field::Repeats => match self.repeats {
                Repeats::Serve => (
                    Role::Text,
                    "served from before, marked as cached".to_owned(),
                ),
                Repeats::AskAnew => (Role::Text, "asked anew".to_owned()),
            },
            Field::Ceiling => all(self.budget_usd.map(|usd| format!("{usd:.2}")), "none"),
            Field::Seed => (Role::Text, self.seed.to_string()),
            Field::Begin => (Role::Text, String::new()),
        }
    }

    /// Takes the next or the previous value of a field; says whether anything changed.
    pub(super) fn step(&mut self, field: Field, by: isize) -> bool {
        let (sources, seats, judges) = match &self.survey {
            Some(survey) => (
                survey.sources.len(),
                survey.seats.len(),
                survey.judges.len(),
            ),
            None => return false,
        };
        match field {
            Field::Debates if sources > 0 => self.source = around(self.source, sources, by),
            Field::Debates | Field::Begin | Field::Ceiling => return false,
            Field::Seat => self.seat = optional(self.seat, seats, by),
            Field::Round => {
                let rounds = MAX_ROUND as usize;
                let at = self.round.map(|round| round.saturating_sub(1) as usize);
                let at = optional(at, rounds, by).and_then(|at| u32::try_from(at).ok());
                self.round = at.map(|at| at.saturating_add(1));
            }
            Field::Turns => {
                let here = self.turns.map(|turns| {
                    let next = TURNS.iter().position(|known| *known >= turns);
                    next.unwrap_or(TURNS.len() - 1)
                });
                let at = optional(here, TURNS.len(), by);
                self.turns = at.and_then(|at| TURNS.get(at).copied());
            }
            Field::Samples => {
                let samples = i64::from(self.samples) + by as i64;
                let samples = samples.clamp(1, i64::from(MAX_SAMPLES));
                self.samples = u32::try_from(samples).unwrap_or(1);
            }
            Field::Roll => {
                self.roll = match (self.roll, by >= 0) {
                    (RollForward::Turn, true) | (RollForward::End, false) => RollForward::Next,
                    (RollForward::Next, true) | (RollForward::Turn, false) => RollForward::End,
                    (RollForward::End, true) | (RollForward::Next, false) => RollForward::Turn,
                };
            }
            Field::Stop => {
                self.stop = match self.stop {
                    AbStop::Fixed => AbStop::Settled {
                        alpha: DEFAULT_ALPHA,
                    },
                    AbStop::Settled { .. } => AbStop::Fixed,
                };
            }
            Field::Judge => self.judge = optional(self.judge, judges, by),
            Field::Repeats => {
                self.repeats = match self.repeats {
                    Repeats::Serve => Repeats::AskAnew,
                    Repeats::AskAnew => Repeats::Serve,
                };
            }
            Field::Seed => self.seed = self.seed.saturating_add_signed(by as i64),
        }
        true
    }

    /// Returns what is typed into a field, and what it begins with; `None` where nothing is.
    pub(super) fn typed_text(&self, field: Field) -> Option<(&'static str, String)> {
        let shown = |number: Option<String>| number.unwrap_or_default();
        let found = match field {
            Field::Round => (
                "a round; empty for every one",
                shown(self.round.map(|round| round.to_string())),
            ),
            Field::Turns => (
                "how many turns; empty for all",
                shown(self.turns.map(|turns| turns.to_string())),
            ),
            Field::Samples => ("a number from 1 to 64", self.samples.to_string()),
            Field::Ceiling => (
                "an amount, for example 2.50; empty for none",
                shown(self.budget_usd.map(|usd| usd.to_string())),
            ),
            Field::Seed => ("a whole number", self.seed.to_string()),
            Field::Debates
            | Field::Seat
            | Field::Roll
            | Field::Stop
            | Field::Judge
            | Field::Repeats
            | Field::Begin => return None,
        };
        Some(found)
    }

    /// Takes what was typed into a field; says what can be typed where it does not fit.
    pub(super) fn take(&mut self, field: Field, text: &str) -> Result<(), String> {
        let text = text.trim();
        let hint = self.typed_text(field).map(|(hint, _)| hint);
        let unfit = || hint.unwrap_or_default().to_owned();
        let is_empty = text.is_empty();
        match field {
            Field::Round if is_empty => self.round = None,
            Field::Round => {
                let round = text.parse().map_err(|_| unfit())?;
                if !(1..=MAX_ROUND).contains(&round) {
                    return Err(unfit());
                }
                self.round = Some(round);
            }
            Field::Turns if is_empty => self.turns = None,
            Field::Turns => {
                let turns: usize = text.parse().map_err(|_| unfit())?;
                self.turns = Some(turns.max(1));
            }
            Field::Samples => {
                let samples = text.parse().map_err(|_| unfit())?;
                if !(1..=MAX_SAMPLES).contains(&samples) {
                    return Err(unfit());
                }
                self.samples = samples;
            }
            Field::Ceiling if is_empty => self.budget_usd = None,
            Field::Ceiling => {
                let usd: f64 = text.trim_start_matches('$').parse().map_err(|_| unfit())?;
                if !usd.is_finite() || usd <= 0.0 {
                    return Err(unfit());
                }
                self.budget_usd = Some(usd);
            }
            Field::Seed => self.seed = text.parse().map_err(|_| unfit())?,
            Field::Debates
            | Field::Seat
            | Field::Roll
            | Field::Stop
            | Field::Judge
            | Field::Repeats
            | Field::Begin => {}
        }
        Ok(())
    }

    pub(super) fn seat_name(&self) -> Option<String> {
        let survey = self.survey.as_ref()?;
        survey.seats.get(self.seat?).cloned()
    }

    fn judge_name(&self) -> Option<String> {
        let survey = self.survey.as_ref()?;
        survey.judges.get(self.judge?).cloned()
    }

    pub(super) fn preference(&self) -> Option<AbPreference> {
        Some(AbPreference {
            judge: self.judge_name()?,
            rubric: PREFERENCE.to_owned(),
        })
    }
}

fn around(at: usize, len: usize, by: isize) -> usize {
    (at + len).saturating_add_signed(by) % len.max(1)
}

/// Steps through none and every place of a list.
fn optional(at: Option<usize>, len: usize, by: isize) -> Option<usize> {
    let here = at.map_or(0, |at| at + 1);
    around(here, len + 1, by).checked_sub(1)
}
