//! Draft of a prompt comparison: its settings as they are chosen and typed, field by field. Pure.

use super::draft_fields::AbField;
use crate::engine::Repeats;
use crate::experiments::prompt_ab::{AbArm, AbPlan, AbPreference, AbStop, DEFAULT_ALPHA};
use crate::experiments::prompt_ab::{
    AbSource, AbSurvey, AbWish, TruthChoice, VerdictTruth, scored_kind,
};
use crate::experiments::prompt_trial::{MAX_SAMPLES, RollForward};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::prompts::PromptName;
use elenchus_text::{FormField, FormValues, PickItem, PickList, Role, wrap_index};

/// Samples of each prompt on every turn, where nothing else is said.
const USUAL_SAMPLES: u32 = 2;
/// The rubric that a judge compares replies by.
const PREFERENCE: &str = "preference";
/// The last round that can be asked for here.
const MAX_ROUND: u32 = 99;
/// Numbers of turns that the arrow keys go through; any other is typed.
const TURNS: [usize; 6] = [5, 10, 20, 50, 100, 200];

/// Prompts to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareWish {
    pub prompt: PromptName,
    pub a: AbArm,
    pub b: AbArm,
}

impl CompareWish {
    /// Compares an edited text with the one that is used; where they are the same, with the one that each
    /// debate had.
    pub fn from_edit(prompt: &PromptName, text_in_use: &str, new_text: String) -> Self {
        let in_use = format!("{prompt} as it is used");
        let (a, a_text, b) = match text_in_use == new_text {
            true => ("recorded".to_owned(), None, in_use),
            false => (
                in_use,
                Some(text_in_use.to_owned()),
                format!("{prompt}, changed"),
            ),
        };
        Self {
            prompt: prompt.clone(),
            a: AbArm {
                name: a,
                text: a_text,
            },
            b: AbArm {
                name: b,
                text: Some(new_text),
            },
        }
    }
}

/// Comparison as far as it is set out.
#[derive(Debug, Clone)]
pub struct AbDraft {
    pub prompts: CompareWish,
    /// What it can be made of; `None` while that is looked for.
    survey: Option<AbSurvey>,
    /// Indices into the survey.
    source: usize,
    seat: Option<usize>,
    judge: Option<usize>,
    truth: usize,
    round: Option<u32>,
    turns: Option<usize>,
    samples: u32,
    roll: RollForward,
    stop: AbStop,
    repeats: Repeats,
    budget_usd: Option<f64>,
    seed: u64,
}

impl AbDraft {
    /// Returns the usual comparison of two prompts.
    pub fn from_wish(prompts: CompareWish) -> Self {
        Self {
            prompts,
            survey: None,
            source: 0,
            seat: None,
            judge: None,
            truth: 0,
            round: None,
            turns: None,
            samples: USUAL_SAMPLES,
            roll: RollForward::Turn,
            stop: AbStop::Fixed,
            repeats: Repeats::Serve,
            budget_usd: None,
            seed: 1,
        }
    }

    /// Takes what it can be made of, and the ceiling that is configured.
    pub fn take_survey(&mut self, survey: AbSurvey) {
        self.budget_usd = survey.budget_usd;
        // A seat that is never judged itself has nothing to be compared by but what follows it.
        self.roll = RollForward::usual(survey.is_judged);
        self.survey = Some(survey);
    }

    /// Returns the debates that can be chosen; `None` while they are looked for.
    pub fn list_sources(&self) -> Option<PickList> {
        let items = self.survey.as_ref()?.sources.iter().map(|source| PickItem {
            label: source.label.clone(),
            detail: source.detail.clone(),
            aside: String::new(),
        });
        Some(PickList {
            title: "Debates whose turns are used".to_owned(),
            items: items.collect(),
            chosen: self.source,
            typed: None,
        })
    }

    /// Chooses the debates whose turns are used, by their place among all.
    pub fn choose_source(&mut self, at: usize) {
        self.source = at;
    }

    /// Returns the comparison that is set out; `None` where there are no debates.
    pub fn build_wish(&self) -> Option<AbWish> {
        let CompareWish { prompt, a, b } = &self.prompts;
        Some(AbWish {
            sessions: self.chosen_source()?.sessions.clone(),
            plan: AbPlan {
                template: prompt.template.clone(),
                arms: [a.clone(), b.clone()],
                contexts: Vec::new(),
                samples: self.samples,
                roll: self.roll,
                stop: self.stop,
                preference: self.build_preference(),
                truth: self
                    .chosen_truth()
                    .map(|choice| choice.truth.clone())
                    .unwrap_or_default(),
                repeats: self.repeats,
                ceilings: Ceilings::from_usd(self.budget_usd),
                seed: self.seed,
                repeat: None,
            },
            seat: self.seat_name(),
            round: self.round,
            turns: self.turns,
        })
    }

    fn chosen_source(&self) -> Option<&AbSource> {
        self.survey.as_ref()?.sources.get(self.source)
    }

    fn chosen_truth(&self) -> Option<&TruthChoice> {
        self.survey.as_ref()?.truths.get(self.truth)
    }

    /// Returns the value of a field.
    fn describe_value(&self, field: AbField) -> (Role, String) {
        let all = |text: Option<String>, none: &str| match text {
            Some(text) => (Role::Text, text),
            None => (Role::Muted, none.to_owned()),
        };
        match field {
            AbField::Debates => match self.chosen_source() {
                Some(source) => (Role::Text, format!("{}: {}", source.label, source.detail)),
                None => (
                    Role::Warning,
                    "none of this game: play one first".to_owned(),
                ),
            },
            AbField::Seat => all(self.seat_name(), "every seat with this prompt"),
            AbField::Round => all(self.round.map(|round| round.to_string()), "every round"),
            AbField::Turns => all(self.turns.map(|turns| turns.to_string()), "all that fit"),
            AbField::Samples => (Role::Text, self.samples.to_string()),
            AbField::Roll => (Role::Text, self.roll.describe().to_owned()),
            AbField::Stop => match self.stop {
                AbStop::Fixed => (Role::Text, "when all samples are played".to_owned()),
                AbStop::Settled { alpha } => (
                    Role::Text,
                    format!("as soon as it is settled (alpha {alpha})"),
                ),
            },
            AbField::Judge => all(self.judge_name(), "no judge is asked"),
            AbField::Truth => {
                let name = match self.chosen_truth() {
                    Some(choice) if choice.truth != VerdictTruth::Grader => choice.name.clone(),
                    Some(_) | None => {
                        let kind = scored_kind(&self.prompts.prompt.template);
                        VerdictTruth::Grader.describe(kind)
                    }
                };
                (Role::Text, name)
            }
            AbField::Repeats => match self.repeats {
                Repeats::Serve => (Role::Text, "from the cache, marked as cached".to_owned()),
                Repeats::AskAnew => (Role::Text, "asked anew".to_owned()),
            },
            AbField::Ceiling => all(self.budget_usd.map(|usd| format!("{usd:.2}")), "none"),
            AbField::Seed => (Role::Text, self.seed.to_string()),
            AbField::Begin => (Role::Text, String::new()),
        }
    }

    /// Returns what is typed into a field, and what it begins with; `None` where nothing is.
    fn typed_text(&self, field: AbField) -> Option<(&'static str, String)> {
        let text_or_empty = |number: Option<String>| number.unwrap_or_default();
        let field_text = match field {
            AbField::Round => (
                "a round; empty for every one",
                text_or_empty(self.round.map(|round| round.to_string())),
            ),
            AbField::Turns => (
                "how many turns; empty for all",
                text_or_empty(self.turns.map(|turns| turns.to_string())),
            ),
            AbField::Samples => ("a number from 1 to 64", self.samples.to_string()),
            AbField::Ceiling => (
                "an amount, for example 2.50; empty for none",
                text_or_empty(self.budget_usd.map(|usd| usd.to_string())),
            ),
            AbField::Seed => ("a whole number", self.seed.to_string()),
            AbField::Debates
            | AbField::Seat
            | AbField::Roll
            | AbField::Stop
            | AbField::Judge
            | AbField::Truth
            | AbField::Repeats
            | AbField::Begin => return None,
        };
        Some(field_text)
    }

    fn seat_name(&self) -> Option<String> {
        let survey = self.survey.as_ref()?;
        survey.seats.get(self.seat?).cloned()
    }

    fn judge_name(&self) -> Option<String> {
        let survey = self.survey.as_ref()?;
        survey.judges.get(self.judge?).cloned()
    }

    fn build_preference(&self) -> Option<AbPreference> {
        Some(AbPreference {
            judge: self.judge_name()?,
            rubric: PREFERENCE.to_owned(),
        })
    }
}

impl FormValues for AbDraft {
    type Field = AbField;

    fn list_fields(&self) -> Vec<FormField<AbField>> {
        let is_of_verdicts = self
            .survey
            .as_ref()
            .is_some_and(|survey| survey.is_of_verdicts);
        let fields = AbField::ALL.iter();
        let fields = fields.filter(|field| field.is_asked(is_of_verdicts));
        let fields = fields.map(|&field| {
            let (kind, name, help) = match is_of_verdicts {
                true => field.describe_for_verdicts(),
                false => field.describe(),
            };
            let (role, value) = self.describe_value(field);
            let value_text = self.typed_text(field).map(|(_, text)| text);
            FormField {
                text: value_text.unwrap_or_default(),
                ..FormField::new(field, kind, name, help).with_value(role, value)
            }
        });
        fields.collect()
    }

    fn set_value(&mut self, field: &AbField, text: &str) -> Result<(), String> {
        let hint = self.typed_text(*field).map(|(hint, _)| hint);
        let unfit = || hint.unwrap_or_default().to_owned();
        let is_empty = text.is_empty();
        match *field {
            AbField::Round if is_empty => self.round = None,
            AbField::Round => {
                let round = text.parse().map_err(|_| unfit())?;
                if !(1..=MAX_ROUND).contains(&round) {
                    return Err(unfit());
                }
                self.round = Some(round);
            }
            AbField::Turns if is_empty => self.turns = None,
            AbField::Turns => {
                let turns: usize = text.parse().map_err(|_| unfit())?;
                self.turns = Some(turns.max(1));
            }
            AbField::Samples => {
                let samples = text.parse().map_err(|_| unfit())?;
                if !(1..=MAX_SAMPLES).contains(&samples) {
                    return Err(unfit());
                }
                self.samples = samples;
            }
            AbField::Ceiling if is_empty => self.budget_usd = None,
            AbField::Ceiling => {
                let usd: f64 = text.trim_start_matches('$').parse().map_err(|_| unfit())?;
                if !usd.is_finite() || usd <= 0.0 {
                    return Err(unfit());
                }
                self.budget_usd = Some(usd);
            }
            AbField::Seed => self.seed = text.parse().map_err(|_| unfit())?,
            AbField::Debates
            | AbField::Seat
            | AbField::Roll
            | AbField::Stop
            | AbField::Judge
            | AbField::Truth
            | AbField::Repeats
            | AbField::Begin => {}
        }
        Ok(())
    }

    fn step_value(&mut self, field: &AbField, by: isize) -> bool {
        let (sources, seats, judges, truths) = match &self.survey {
            Some(survey) => (
                survey.sources.len(),
                survey.seats.len(),
                survey.judges.len(),
                survey.truths.len(),
            ),
            None => return false,
        };
        match *field {
            AbField::Debates if sources > 0 => self.source = wrap_index(self.source, by, sources),
            AbField::Debates | AbField::Begin | AbField::Ceiling => {
                return false;
            }
            AbField::Seat => self.seat = step_optional(self.seat, seats, by),
            AbField::Round => {
                let rounds = MAX_ROUND as usize;
                let at = self.round.map(|round| round.saturating_sub(1) as usize);
                let at = step_optional(at, rounds, by).and_then(|at| u32::try_from(at).ok());
                self.round = at.map(|at| at.saturating_add(1));
            }
            AbField::Turns => {
                let here = self.turns.map(|turns| {
                    let next = TURNS.iter().position(|known| *known >= turns);
                    next.unwrap_or(TURNS.len() - 1)
                });
                let at = step_optional(here, TURNS.len(), by);
                self.turns = at.and_then(|at| TURNS.get(at).copied());
            }
            AbField::Samples => {
                let samples = i64::from(self.samples) + by as i64;
                let samples = samples.clamp(1, i64::from(MAX_SAMPLES));
                self.samples = u32::try_from(samples).unwrap_or(1);
            }
            AbField::Roll => {
                self.roll = match (self.roll, by >= 0) {
                    (RollForward::Turn, true) | (RollForward::End, false) => RollForward::Next,
                    (RollForward::Next, true) | (RollForward::Turn, false) => RollForward::End,
                    (RollForward::End, true) | (RollForward::Next, false) => RollForward::Turn,
                };
            }
            AbField::Stop => {
                self.stop = match self.stop {
                    AbStop::Fixed => AbStop::Settled {
                        alpha: DEFAULT_ALPHA,
                    },
                    AbStop::Settled { .. } => AbStop::Fixed,
                };
            }
            AbField::Judge => self.judge = step_optional(self.judge, judges, by),
            AbField::Truth if truths > 0 => self.truth = wrap_index(self.truth, by, truths),
            AbField::Truth => return false,
            AbField::Repeats => {
                self.repeats = match self.repeats {
                    Repeats::Serve => Repeats::AskAnew,
                    Repeats::AskAnew => Repeats::Serve,
                };
            }
            AbField::Seed => self.seed = self.seed.saturating_add_signed(by as i64),
        }
        true
    }
}

/// Steps through none and every place of a list.
fn step_optional(at: Option<usize>, len: usize, by: isize) -> Option<usize> {
    let here = at.map_or(0, |at| at + 1);
    wrap_index(here, by, len + 1).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> AbDraft {
        let arm = |name: &str| AbArm {
            name: name.to_owned(),
            text: None,
        };
        let mut draft = AbDraft::from_wish(CompareWish {
            prompt: PromptName {
                protocol: "pred".to_owned(),
                template: "debater".to_owned(),
            },
            a: arm("a"),
            b: arm("b"),
        });
        draft.take_survey(AbSurvey {
            sources: vec![AbSource {
                label: "all real debates".to_owned(),
                detail: "2 of this game".to_owned(),
                sessions: Vec::new(),
            }],
            seats: vec!["debater".to_owned()],
            is_judged: false,
            is_of_verdicts: false,
            truths: Vec::new(),
            judges: Vec::new(),
            budget_usd: Some(5.0),
        });
        draft
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused_with_what_would_and_changes_nothing() {
        let mut draft = draft();
        let refused = draft.set_value(&AbField::Samples, "900").unwrap_err();
        assert_eq!(refused, "a number from 1 to 64");
        assert!(draft.set_value(&AbField::Ceiling, "-1").is_err());
        let wish = draft.build_wish().unwrap();
        assert_eq!(
            (wish.plan.samples, wish.plan.ceilings.cost_usd),
            (2, Some(5.0))
        );
    }

    #[test]
    fn a_seat_that_is_never_judged_is_compared_by_the_next_verdict() {
        let mut draft = draft();
        assert_eq!(draft.build_wish().unwrap().plan.roll, RollForward::Next);
        let survey = draft.survey.take().unwrap();
        draft.take_survey(AbSurvey {
            is_judged: true,
            ..survey
        });
        assert_eq!(draft.build_wish().unwrap().plan.roll, RollForward::Turn);
    }

    #[test]
    fn an_empty_line_takes_a_limit_away() {
        let mut draft = draft();
        draft.set_value(&AbField::Turns, "30").unwrap();
        assert_eq!(draft.build_wish().unwrap().turns, Some(30));
        for field in [AbField::Turns, AbField::Ceiling] {
            draft.set_value(&field, "").unwrap();
        }
        let wish = draft.build_wish().unwrap();
        assert_eq!((wish.turns, wish.plan.ceilings.cost_usd), (None, None));
    }

    #[test]
    fn stepping_through_what_is_optional_comes_back_to_none() {
        let mut draft = draft();
        assert!(draft.step_value(&AbField::Seat, 1));
        assert_eq!(draft.build_wish().unwrap().seat.as_deref(), Some("debater"));
        assert!(draft.step_value(&AbField::Seat, 1));
        assert_eq!(draft.build_wish().unwrap().seat, None);
    }
}
