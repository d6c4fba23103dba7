//! Fields of the comparison form: name, value and keys. Pure.

use super::form::ComparisonForm;
use super::report_text::roll_words;
use crate::engine::Repeats;
use crate::experiments::prompt_ab::{AbPreference, AbStop, DEFAULT_ALPHA};
use crate::experiments::prompt_trial::{MAX_SAMPLES, RollForward};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;

/// The rubric that a judge compares replies by.
const PREFERENCE: &str = "preference";
/// The last round that can be asked for here.
const MAX_ROUND: u32 = 99;
/// Numbers of turns that the arrow keys go through; any other is typed.
const TURNS: [usize; 6] = [5, 10, 20, 50, 100, 200];

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComparisonField {
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

impl ComparisonField {
    pub(crate) const ALL: [ComparisonField; 12] = [
        ComparisonField::Debates,
        ComparisonField::Seat,
        ComparisonField::Round,
        ComparisonField::Turns,
        ComparisonField::Samples,
        ComparisonField::Roll,
        ComparisonField::Stop,
        ComparisonField::Judge,
        ComparisonField::Repeats,
        ComparisonField::Ceiling,
        ComparisonField::Seed,
        ComparisonField::Begin,
    ];

    pub(crate) fn label(self) -> &'static str {
        match self {
            ComparisonField::Debates => "debates",
            ComparisonField::Seat => "seat",
            ComparisonField::Round => "round",
            ComparisonField::Turns => "turns",
            ComparisonField::Samples => "samples",
            ComparisonField::Roll => "how far",
            ComparisonField::Stop => "ends",
            ComparisonField::Judge => "preference",
            ComparisonField::Repeats => "repeats",
            ComparisonField::Ceiling => "ceiling in US$",
            ComparisonField::Seed => "seed",
            ComparisonField::Begin => "Begin the comparison",
        }
    }

    /// Says what the field is for.
    pub(crate) fn duty(self) -> String {
        let open = key_for(Context::PromptsCompared, Action::Open);
        let duty = match self {
            ComparisonField::Debates => {
                return format!(
                    "whose recorded turns both prompts are tried on; {open} lists them"
                );
            }
            ComparisonField::Seat => "only turns of this seat",
            ComparisonField::Round => "only turns of this round",
            ComparisonField::Turns => "number of turns, drawn by the seed",
            ComparisonField::Samples => "of each prompt on every turn; topics count, not samples",
            ComparisonField::Roll => "a seat without verdicts is compared by what follows it",
            ComparisonField::Stop => {
                "a plan that is fixed, or as soon as a confidence sequence settles it"
            }
            ComparisonField::Judge => {
                "a model that says which reply is better, asked in both orders"
            }
            ComparisonField::Repeats => {
                "reuse earlier replies to the same request, or send every request again"
            }
            ComparisonField::Ceiling => "it pauses before more is spent; empty for none",
            ComparisonField::Seed => "fixes which turns are drawn and in which order",
            ComparisonField::Begin => {
                return format!("{open} begins; it can be stopped and continued");
            }
        };
        duty.to_owned()
    }
}

impl ComparisonForm {
    /// Returns the value of a field.
    pub(crate) fn value(&self, field: ComparisonField) -> (Role, String) {
        let all = |text: Option<String>, none: &str| match text {
            Some(text) => (Role::Text, text),
            None => (Role::Muted, none.to_owned()),
        };
        match field {
            ComparisonField::Debates => match self.source() {
                Some(source) => (Role::Text, format!("{}: {}", source.label, source.detail)),
                None => (
                    Role::Warning,
                    "none of this game: play one first".to_owned(),
                ),
            },
            ComparisonField::Seat => all(self.seat_name(), "every seat with this prompt"),
            ComparisonField::Round => all(self.round.map(|round| round.to_string()), "every round"),
            ComparisonField::Turns => {
                all(self.turns.map(|turns| turns.to_string()), "all that fit")
            }
            ComparisonField::Samples => (Role::Text, self.samples.to_string()),
            ComparisonField::Roll => (Role::Text, roll_words(self.roll).to_owned()),
            ComparisonField::Stop => match self.stop {
                AbStop::Fixed => (Role::Text, "when all samples are played".to_owned()),
                AbStop::Settled { alpha } => (
                    Role::Text,
                    format!("as soon as it is settled (alpha {alpha})"),
                ),
            },
            ComparisonField::Judge => all(self.judge_name(), "no judge is asked"),
            ComparisonField::Repeats => match self.repeats {
                Repeats::Serve => (Role::Text, "from the cache, marked as cached".to_owned()),
                Repeats::AskAnew => (Role::Text, "asked anew".to_owned()),
            },
            ComparisonField::Ceiling => all(self.budget_usd.map(|usd| format!("{usd:.2}")), "none"),
            ComparisonField::Seed => (Role::Text, self.seed.to_string()),
            ComparisonField::Begin => (Role::Text, String::new()),
        }
    }

    /// Takes the next or the previous value of a field; says whether anything changed.
    pub(crate) fn step(&mut self, field: ComparisonField, by: isize) -> bool {
        let (sources, seats, judges) = match &self.survey {
            Some(survey) => (
                survey.sources.len(),
                survey.seats.len(),
                survey.judges.len(),
            ),
            None => return false,
        };
        match field {
            ComparisonField::Debates if sources > 0 => {
                self.source = around(self.source, sources, by)
            }
            ComparisonField::Debates | ComparisonField::Begin | ComparisonField::Ceiling => {
                return false;
            }
            ComparisonField::Seat => self.seat = optional(self.seat, seats, by),
            ComparisonField::Round => {
                let rounds = MAX_ROUND as usize;
                let at = self.round.map(|round| round.saturating_sub(1) as usize);
                let at = optional(at, rounds, by).and_then(|at| u32::try_from(at).ok());
                self.round = at.map(|at| at.saturating_add(1));
            }
            ComparisonField::Turns => {
                let here = self.turns.map(|turns| {
                    let next = TURNS.iter().position(|known| *known >= turns);
                    next.unwrap_or(TURNS.len() - 1)
                });
                let at = optional(here, TURNS.len(), by);
                self.turns = at.and_then(|at| TURNS.get(at).copied());
            }
            ComparisonField::Samples => {
                let samples = i64::from(self.samples) + by as i64;
                let samples = samples.clamp(1, i64::from(MAX_SAMPLES));
                self.samples = u32::try_from(samples).unwrap_or(1);
            }
            ComparisonField::Roll => {
                self.roll = match (self.roll, by >= 0) {
                    (RollForward::Turn, true) | (RollForward::End, false) => RollForward::Next,
                    (RollForward::Next, true) | (RollForward::Turn, false) => RollForward::End,
                    (RollForward::End, true) | (RollForward::Next, false) => RollForward::Turn,
                };
            }
            ComparisonField::Stop => {
                self.stop = match self.stop {
                    AbStop::Fixed => AbStop::Settled {
                        alpha: DEFAULT_ALPHA,
                    },
                    AbStop::Settled { .. } => AbStop::Fixed,
                };
            }
            ComparisonField::Judge => self.judge = optional(self.judge, judges, by),
            ComparisonField::Repeats => {
                self.repeats = match self.repeats {
                    Repeats::Serve => Repeats::AskAnew,
                    Repeats::AskAnew => Repeats::Serve,
                };
            }
            ComparisonField::Seed => self.seed = self.seed.saturating_add_signed(by as i64),
        }
        true
    }

    /// Returns what is typed into a field, and what it begins with; `None` where nothing is.
    pub(super) fn typed_text(&self, field: ComparisonField) -> Option<(&'static str, String)> {
        let shown = |number: Option<String>| number.unwrap_or_default();
        let found = match field {
            ComparisonField::Round => (
                "a round; empty for every one",
                shown(self.round.map(|round| round.to_string())),
            ),
            ComparisonField::Turns => (
                "how many turns; empty for all",
                shown(self.turns.map(|turns| turns.to_string())),
            ),
            ComparisonField::Samples => ("a number from 1 to 64", self.samples.to_string()),
            ComparisonField::Ceiling => (
                "an amount, for example 2.50; empty for none",
                shown(self.budget_usd.map(|usd| usd.to_string())),
            ),
            ComparisonField::Seed => ("a whole number", self.seed.to_string()),
            ComparisonField::Debates
            | ComparisonField::Seat
            | ComparisonField::Roll
            | ComparisonField::Stop
            | ComparisonField::Judge
            | ComparisonField::Repeats
            | ComparisonField::Begin => return None,
        };
        Some(found)
    }

    /// Takes what was typed into a field; says what can be typed where it does not fit.
    pub(crate) fn take(&mut self, field: ComparisonField, text: &str) -> Result<(), String> {
        let text = text.trim();
        let hint = self.typed_text(field).map(|(hint, _)| hint);
        let unfit = || hint.unwrap_or_default().to_owned();
        let is_empty = text.is_empty();
        match field {
            ComparisonField::Round if is_empty => self.round = None,
            ComparisonField::Round => {
                let round = text.parse().map_err(|_| unfit())?;
                if !(1..=MAX_ROUND).contains(&round) {
                    return Err(unfit());
                }
                self.round = Some(round);
            }
            ComparisonField::Turns if is_empty => self.turns = None,
            ComparisonField::Turns => {
                let turns: usize = text.parse().map_err(|_| unfit())?;
                self.turns = Some(turns.max(1));
            }
            ComparisonField::Samples => {
                let samples = text.parse().map_err(|_| unfit())?;
                if !(1..=MAX_SAMPLES).contains(&samples) {
                    return Err(unfit());
                }
                self.samples = samples;
            }
            ComparisonField::Ceiling if is_empty => self.budget_usd = None,
            ComparisonField::Ceiling => {
                let usd: f64 = text.trim_start_matches('$').parse().map_err(|_| unfit())?;
                if !usd.is_finite() || usd <= 0.0 {
                    return Err(unfit());
                }
                self.budget_usd = Some(usd);
            }
            ComparisonField::Seed => self.seed = text.parse().map_err(|_| unfit())?,
            ComparisonField::Debates
            | ComparisonField::Seat
            | ComparisonField::Roll
            | ComparisonField::Stop
            | ComparisonField::Judge
            | ComparisonField::Repeats
            | ComparisonField::Begin => {}
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

    pub(crate) fn preference(&self) -> Option<AbPreference> {
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
