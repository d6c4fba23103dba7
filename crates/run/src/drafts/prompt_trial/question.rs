//! Question before a trial: how many samples, and how far each is played, with what that costs. Pure.

use super::trial_turn::TrialTurn;
use crate::engine::Repeats;
use crate::experiments::prompt_trial::{MAX_SAMPLES, RollForward};
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_text::{Role, price};
use std::iter::repeat_n;

/// Samples that are asked for where nothing is typed.
pub const USUAL_SAMPLES: u32 = 4;

/// Purpose of samples that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialPurpose {
    /// More samples, next to the present ones.
    More,
    /// The samples that are there go on.
    Onward,
    /// The present samples are requested again, without cached replies.
    Anew,
}

/// The question, with how far samples are played as it is chosen at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialQuestion {
    pub purpose: TrialPurpose,
    /// Samples that are there already.
    present: u32,
    roll: RollForward,
    /// How far samples on the call can be played.
    rolls: &'static [RollForward],
}

/// Decision of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialAnswer {
    pub purpose: TrialPurpose,
    pub samples: u32,
    pub roll: RollForward,
}

impl TrialPurpose {
    /// Returns what becomes of requests that were sent before.
    pub fn repeats(self) -> Repeats {
        match self {
            Self::More | Self::Onward => Repeats::Serve,
            Self::Anew => Repeats::AskAnew,
        }
    }
}

impl TrialQuestion {
    /// Asks for samples next to those that are there; `roll` is how far those were played, of all that can be.
    pub(super) fn new(
        purpose: TrialPurpose,
        present: u32,
        (roll, rolls): (RollForward, &'static [RollForward]),
    ) -> Self {
        let roll = match purpose {
            TrialPurpose::More | TrialPurpose::Anew => roll,
            // They have come as far as the turn already.
            TrialPurpose::Onward => RollForward::Next,
        };
        Self {
            purpose,
            present,
            roll,
            rolls,
        }
    }

    /// Returns what it asks, in a few words.
    pub fn title(&self) -> &'static str {
        match self.purpose {
            TrialPurpose::More => "Ask the seat again",
            TrialPurpose::Onward => "Continue the debate with each reply",
            TrialPurpose::Anew => "Ask again, without cached replies",
        }
    }

    /// Says what becomes of the present samples; `None` where a number of samples is typed.
    pub fn describe_present(&self) -> Option<String> {
        let count = self.present;
        match self.purpose {
            TrialPurpose::More => None,
            TrialPurpose::Onward => Some(format!("with the reply of each of {count} samples")),
            TrialPurpose::Anew => Some(format!("{count} new replies replace them")),
        }
    }

    /// Returns how far samples can be played, each in words, and whether it is chosen.
    pub fn list_choices(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let options = self.roll_options().iter();
        options.map(|roll| (roll.short_text(), *roll == self.roll))
    }

    fn roll_options(&self) -> &'static [RollForward] {
        match self.purpose {
            TrialPurpose::More | TrialPurpose::Anew => self.rolls,
            TrialPurpose::Onward => &[RollForward::Next, RollForward::End],
        }
    }

    /// Chooses how far samples are played, so many choices after the present one; the last is followed by the
    /// first.
    pub fn step_roll(&mut self, by: isize) {
        let options = self.roll_options();
        let here = options.iter().position(|roll| *roll == self.roll);
        let to = here.unwrap_or(0).cast_signed() + by;
        let to = to.rem_euclid(options.len().cast_signed());
        if let Some(roll) = options.get(to.cast_unsigned()) {
            self.roll = *roll;
        }
    }

    fn parse_samples(&self, typed: &str) -> Option<u32> {
        let count = match (self.purpose, typed.trim()) {
            (TrialPurpose::Onward | TrialPurpose::Anew, _) => self.present,
            (TrialPurpose::More, "") => USUAL_SAMPLES,
            (TrialPurpose::More, typed) => typed.parse().ok()?,
        };
        (1..=MAX_SAMPLES).contains(&count).then_some(count)
    }

    /// Answers it with the number that was typed.
    ///
    /// # Errors
    /// When that is no number of samples; says which ones are.
    pub fn parse_answer(&self, typed: &str) -> Result<TrialAnswer, WorkspaceError> {
        match self.parse_samples(typed) {
            Some(samples) => Ok(TrialAnswer {
                purpose: self.purpose,
                samples,
                roll: self.roll,
            }),
            None => reject(format!("write a number from 1 to {MAX_SAMPLES}")),
        }
    }

    /// Says what the typed number of samples costs.
    pub fn describe_cost(&self, card: &TrialTurn, typed: &str) -> (Role, String) {
        let Some(samples) = self.parse_samples(typed) else {
            return (Role::Muted, String::new());
        };
        let Some(one) = card.sample_price(self.roll) else {
            return (Role::Warning, "the cost is not known".to_owned());
        };
        let all = price::describe_price(&repeat_n(one, samples as usize).sum());
        match card.is_simulated() {
            true => (Role::Simulated, format!("simulated: {all}")),
            false => (Role::Text, all),
        }
    }

    /// Says whether replies are taken from the cache.
    pub fn describe_caching(&self) -> &'static str {
        match self.purpose.repeats() {
            Repeats::Serve => "cached replies to the same request are used",
            Repeats::AskAnew => "every request is sent and paid for again",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::{CostEstimate, ExpectedUse, State};

    fn asked(purpose: TrialPurpose) -> TrialQuestion {
        TrialQuestion::new(purpose, 2, (RollForward::Turn, &RollForward::ALL))
    }

    fn chosen(question: &TrialQuestion) -> &'static str {
        let chosen = question.list_choices().find(|(_, is_chosen)| *is_chosen);
        chosen.unwrap().0
    }

    #[test]
    fn only_more_samples_are_counted_by_what_is_typed() {
        let samples = |purpose, typed: &str| {
            let answer = asked(purpose).parse_answer(typed);
            answer.map(|answer| answer.samples)
        };
        assert_eq!(samples(TrialPurpose::More, " ").unwrap(), USUAL_SAMPLES);
        assert_eq!(samples(TrialPurpose::More, "64").unwrap(), 64);
        for typed in ["0", "65", "-1", "a few"] {
            let why = samples(TrialPurpose::More, typed).unwrap_err();
            assert_eq!(why.to_string(), "write a number from 1 to 64");
        }
        assert_eq!(samples(TrialPurpose::Onward, "9").unwrap(), 2);
        assert_eq!(samples(TrialPurpose::Anew, "").unwrap(), 2);
    }

    #[test]
    fn how_far_goes_round_and_samples_that_go_on_go_further_than_their_turn() {
        let mut more = asked(TrialPurpose::More);
        let mut seen = Vec::new();
        for _ in 0..4 {
            seen.push(chosen(&more));
            more.step_roll(1);
        }
        let all = ["this turn", "to the next verdict", "to the end"];
        assert_eq!(seen, [&all[..], &all[..1]].concat());
        let mut onward = asked(TrialPurpose::Onward);
        assert_eq!(chosen(&onward), "to the next verdict");
        onward.step_roll(-1);
        assert_eq!(chosen(&onward), "to the end");
        onward.step_roll(1);
        assert_eq!(chosen(&onward), "to the next verdict");
    }

    #[test]
    fn the_cost_is_that_of_all_samples_and_unknown_without_an_estimate() {
        let used = ExpectedUse {
            calls: 2,
            cost_usd: Some(0.01),
            ..ExpectedUse::default()
        };
        let one = CostEstimate {
            likely: used,
            at_most: used,
        };
        let mut card = TrialTurn {
            recorded: State::default(),
            prices: vec![(RollForward::Turn, one)],
            budget_usd: None,
        };
        let more = asked(TrialPurpose::More);
        let (role, cost) = more.describe_cost(&card, "3");
        assert_eq!(role, Role::Text);
        assert_eq!(cost, "likely $0.0300, 6 calls; at most $0.0300, 6 calls");
        assert_eq!(more.describe_cost(&card, "none").1, "");
        card.prices.clear();
        let unknown = (Role::Warning, "the cost is not known".to_owned());
        assert_eq!(more.describe_cost(&card, "3"), unknown);
    }
}
