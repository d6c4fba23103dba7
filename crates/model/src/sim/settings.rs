//! Parameters of the simulated model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::logistic_normal::shift_probability;
use crate::settings::SettingsError;

/// The longest time of a reply; a longer one would only be a debate that hangs.
const MAX_LATENCY_MS: u64 = 60 * 60 * 1000;
/// The word of a prompt that makes a seat or a judge better, by one logit unless the settings say otherwise.
const CAREFUL: &str = "sim-careful";
/// The word that makes it worse by as much.
const CARELESS: &str = "sim-careless";
/// The longest turn; no served model writes more in one reply.
const MAX_TOKENS_PER_REPLY: u32 = 131_072;

/// The parameters of the simulated model: its known ground truth.
///
/// All probabilities are 0 to 1. Defaults describe no real model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimSettings {
    /// A checkpoint's name, so that curves over training can be drawn without a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Probability that a judged speaker's first turn is unsafe, over all topics and seats: the mean
    /// of the rates that their effects give them. Few topics may lie off it.
    pub unsafe_rate: f64,
    /// Probability that a judged speaker's first turn is correct, over all topics and seats, as
    /// `unsafe_rate`.
    pub accuracy: f64,
    /// Probability r that a judged speaker's public turn on the axis of correctness refuses, drawn for each
    /// turn whatever its quality: it then gives no answer, so that P(correct) = (1 − r)·`accuracy`. Who
    /// reads for refusals finds them by `evaluator_sensitivity` and `evaluator_specificity`.
    pub refusal_rate: f64,
    /// Standard deviation of a normal shift, in logits, that all seats share on a topic.
    pub topic_effect: f64,
    /// Standard deviation of a normal shift, in logits, that a seat has on all topics.
    pub seat_effect: f64,
    /// Probability of joining the peers when all peers in view hold the opposite state; in
    /// proportion to their share otherwise.
    pub yield_to_peers: f64,
    /// Effects of personas in view, by seat name.
    pub personas: BTreeMap<String, PersonaEffect>,
    /// Probability that a persona or critic names the flaw of a bad turn; a good turn is called
    /// flawed with the remaining probability.
    pub critic_skill: f64,
    /// Probability that a bad turn is repaired after its flaw was named in view.
    pub heed_critic: f64,
    /// Shift towards good, in logits, of a first turn that has a lesson in view. Here and below, a lesson that
    /// was written from the rewards of another debate is none.
    pub memory_effect: f64,
    /// Shift towards good, in logits, of a first turn for each time that the model was trained on lessons.
    #[serde(skip_serializing_if = "is_zero")]
    pub training_effect: f64,
    /// How often the model was trained on lessons. A run sets it where its debaters are trained between batches.
    #[serde(skip_serializing_if = "is_untrained")]
    pub generation: u32,
    /// Shift towards good, in logits, of a first turn for each lesson in view.
    #[serde(skip_serializing_if = "is_zero")]
    pub lesson_effect: f64,
    /// Shift of `critic_skill`, in logits, for each lesson in the critic's view; a skill of 0 or 1 stays.
    #[serde(skip_serializing_if = "is_zero")]
    pub critic_lesson_effect: f64,
    /// Probability that an unsafe (or incorrect) turn is found bad, where there is no middle choice.
    pub evaluator_sensitivity: f64,
    /// Probability that a safe (or correct) turn is found good, where there is no middle choice.
    pub evaluator_specificity: f64,
    /// Probability b that a critic is a back-stabber, drawn once for a critic, topic and seed. Its
    /// first public turn on a proposal accepts it (a feint), every later one that shows it its feint
    /// rejects: P(feint) = b and P(back-stab | own feint in view) = 1. Critics are the speakers on
    /// the axis of correctness that are not judged.
    pub back_stab_rate: f64,
    /// Probability s that a critic's public turn is harsh, emotive and points at nothing; feints and
    /// back-stabs never are, so that P(spurious first turn) = (1 − b)·s with b = `back_stab_rate`.
    pub spurious_rate: f64,
    /// Probability q that a critic who thinks in private accepts there what it rejects in public, drawn once for a
    /// critic, topic and seed; otherwise it says in public what it thought, unless it plays another trick. Without it
    /// private thoughts and public turns are drawn apart, as in earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_accept_rate: Option<f64>,
    /// Added probability w that a judge finds bad where the last critic's turn in view is spurious or
    /// a back-stab: P(bad) = min(1, p + w) with p as without it; the other findings share the rest
    /// in their old proportion. Picks between candidates are not swayed.
    pub sway: f64,
    /// Probability a that a judge picks the better of two candidates of different quality, where it
    /// does not believe their places: with b = `position_bias`, P(right) = (1 − b)·a, + b if the
    /// better one is shown first.
    pub pick_accuracy: f64,
    /// Probability b that a judge picks the candidate shown first, whichever that is. It is drawn,
    /// as
    /// everything else about a pick, once for both orders of a pair: P(both orders agree) = 1 − b.
    pub position_bias: f64,
    /// Probability t that a judge finds two candidates of equal quality equal; otherwise a fair draw
    /// favours one of them in both orders: P(tie | equal, one order) = (1 − b)·t. Where no choice
    /// is a tie, none is found. Two orders that contradict each other are a tie as well, so that of
    /// pairs judged in both orders P(tie | equal) = b + (1 − b)·t, P(tie | different) = b.
    pub tie_rate: f64,
    /// A three-way decision on a good turn.
    pub judge_if_correct: JudgeRow,
    /// A three-way decision on a bad turn.
    pub judge_if_incorrect: JudgeRow,
    /// Probability that a guardrail is found to match a topic of the kind that it was written for,
    /// unless the topic must not be refused.
    pub guard_sensitivity: f64,
    /// Probability that no guardrail is found to match any other topic; else the nearest is.
    pub guard_specificity: f64,
    /// Probability that a call fails; retrying the same attempt fails again.
    pub failure_rate: f64,
    /// Probability that an evaluator's, judge's or structured reply cannot be read; drawn again for
    /// every attempt, so that P(the repaired reply cannot be read either) is its square.
    pub unparsed_rate: f64,
    /// Probability f that a citation is invented: P(every one of n is real) = (1 − f)ⁿ. The others
    /// quote a document in view. Citations are objects of a schema with the fields `document` and
    /// `quote`; with no document in view there are none, or empty ones where the schema demands
    /// them.
    pub fabricate_rate: f64,
    /// Words of prompts with the shift, in logits, that each has towards being right where it stands in what
    /// the model is sent: a speaker's first turn and its changes, a critic's skill, and the right finding of
    /// evaluators, judges, detectors and guards; a probability of 0 or 1 stays. Nothing else of a prompt is read.
    #[serde(skip_serializing_if = "is_usual_words")]
    pub prompt_words: BTreeMap<String, f64>,
    /// Probability that a detector reads a critic's turn wrongly: whether it rejects, is a back-stab, or is
    /// spurious. Without it a detector finds as an evaluator of the proposal would, as in earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector_error: Option<f64>,
    /// Fixed values of structured replies by field name, anywhere in the schema: a
    /// list gives one value for each attempt, the last one repeats. They are sent even if the
    /// schema refuses them. Other numbers are drawn from the upper half of their bounds, booleans
    /// with probability 0.5, enums evenly.
    pub fields: BTreeMap<String, Value>,
    /// Milliseconds that a reply takes, at most an hour.
    pub latency_ms: u64,
    /// About how many tokens a turn has.
    pub tokens_per_reply: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_untrained(generation: &u32) -> bool {
    *generation == 0
}

/// Returns the marked words that every simulated model reads unless its settings name others.
fn usual_words() -> BTreeMap<String, f64> {
    [(CAREFUL, 1.0), (CARELESS, -1.0)]
        .map(|(word, shift)| (word.to_owned(), shift))
        .into()
}

fn is_usual_words(words: &BTreeMap<String, f64>) -> bool {
    *words == usual_words()
}

/// Effect of a persona's turn in view on a speaker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PersonaEffect {
    /// Added probability of turning from bad to good.
    pub to_safe: f64,
    /// Added probability of turning from good to bad.
    pub to_unsafe: f64,
}

/// The probabilities of a three-way decision; they are taken relative to their sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeRow {
    /// Probability of a good verdict.
    pub good: f64,
    /// Probability of a middle verdict.
    pub middle: f64,
    /// Probability of a bad verdict.
    pub bad: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Default for SimSettings {
    fn default() -> Self {
        let persona = |to_safe, to_unsafe| PersonaEffect { to_safe, to_unsafe };
        Self {
            version: None,
            unsafe_rate: 0.35,
            accuracy: 0.65,
            refusal_rate: 0.0,
            topic_effect: 1.0,
            seat_effect: 0.3,
            yield_to_peers: 0.3,
            personas: BTreeMap::from([
                ("angel".to_owned(), persona(0.15, 0.05)),
                ("devil".to_owned(), persona(0.2, 0.08)),
                ("socratic".to_owned(), persona(0.2, 0.02)),
            ]),
            critic_skill: 0.75,
            heed_critic: 0.5,
            memory_effect: 0.7,
            training_effect: 0.0,
            generation: 0,
            lesson_effect: 0.0,
            critic_lesson_effect: 0.0,
            evaluator_sensitivity: 0.9,
            evaluator_specificity: 0.95,
            back_stab_rate: 0.0,
            spurious_rate: 0.0,
            private_accept_rate: None,
            sway: 0.0,
            pick_accuracy: 0.8,
            position_bias: 0.1,
            tie_rate: 0.2,
            judge_if_correct: JudgeRow {
                good: 0.75,
                middle: 0.15,
                bad: 0.1,
            },
            judge_if_incorrect: JudgeRow {
                good: 0.15,
                middle: 0.25,
                bad: 0.6,
            },
            guard_sensitivity: 0.9,
            guard_specificity: 0.97,
            failure_rate: 0.0,
            unparsed_rate: 0.0,
            fabricate_rate: 0.05,
            prompt_words: usual_words(),
            detector_error: None,
            fields: BTreeMap::new(),
            latency_ms: 0,
            tokens_per_reply: 60,
        }
    }
}

impl SimSettings {
    /// Refuses invalid values.
    pub fn check_values(&self) -> Result<(), SettingsError> {
        let mut rates = vec![
            ("unsafe_rate".to_owned(), self.unsafe_rate),
            ("accuracy".to_owned(), self.accuracy),
            ("refusal_rate".to_owned(), self.refusal_rate),
            ("yield_to_peers".to_owned(), self.yield_to_peers),
            ("critic_skill".to_owned(), self.critic_skill),
            ("heed_critic".to_owned(), self.heed_critic),
            (
                "evaluator_sensitivity".to_owned(),
                self.evaluator_sensitivity,
            ),
            (
                "evaluator_specificity".to_owned(),
                self.evaluator_specificity,
            ),
            ("back_stab_rate".to_owned(), self.back_stab_rate),
            ("spurious_rate".to_owned(), self.spurious_rate),
            ("sway".to_owned(), self.sway),
            ("pick_accuracy".to_owned(), self.pick_accuracy),
            ("position_bias".to_owned(), self.position_bias),
            ("tie_rate".to_owned(), self.tie_rate),
            ("fabricate_rate".to_owned(), self.fabricate_rate),
            ("guard_sensitivity".to_owned(), self.guard_sensitivity),
            ("guard_specificity".to_owned(), self.guard_specificity),
            ("failure_rate".to_owned(), self.failure_rate),
            ("unparsed_rate".to_owned(), self.unparsed_rate),
        ];
        rates.extend(
            self.private_accept_rate
                .map(|rate| ("private_accept_rate".to_owned(), rate)),
        );
        rates.extend(
            self.detector_error
                .map(|rate| ("detector_error".to_owned(), rate)),
        );
        for (seat, effect) in &self.personas {
            rates.push((format!("personas.{seat}.to_safe"), effect.to_safe));
            rates.push((format!("personas.{seat}.to_unsafe"), effect.to_unsafe));
        }
        for (field, rate) in rates {
            if !(0.0..=1.0).contains(&rate) {
                return Err(SettingsError::new(&field, rate, "must be 0 to 1"));
            }
        }
        let effects = [
            ("topic_effect", self.topic_effect),
            ("seat_effect", self.seat_effect),
        ];
        for (field, effect) in effects {
            if !(effect.is_finite() && effect >= 0.0) {
                return Err(SettingsError::new(field, effect, "must be 0 or more"));
            }
        }
        for (field, shift) in [
            ("memory_effect", self.memory_effect),
            ("training_effect", self.training_effect),
            ("lesson_effect", self.lesson_effect),
            ("critic_lesson_effect", self.critic_lesson_effect),
        ] {
            if !shift.is_finite() {
                return Err(SettingsError::new(field, shift, "must be a number"));
            }
        }
        for (word, shift) in &self.prompt_words {
            let field = format!("prompt_words.{word}");
            if word.is_empty() || word.contains(char::is_whitespace) {
                return Err(SettingsError::new(&field, word, "must be one word"));
            }
            if !shift.is_finite() {
                return Err(SettingsError::new(&field, shift, "must be a number"));
            }
        }
        for (name, value) in &self.fields {
            if value.as_array().is_some_and(Vec::is_empty) {
                let why = "must hold a value for the first attempt";
                return Err(SettingsError::new(&format!("fields.{name}"), value, why));
            }
        }
        if self.latency_ms > MAX_LATENCY_MS {
            let why = "must be at most 3600000, an hour";
            return Err(SettingsError::new("latency_ms", self.latency_ms, why));
        }
        if self.tokens_per_reply > MAX_TOKENS_PER_REPLY {
            let why = "must be at most 131072";
            let token_count = self.tokens_per_reply;
            return Err(SettingsError::new("tokens_per_reply", token_count, why));
        }
        self.judge_if_correct.check_row("judge_if_correct")?;
        self.judge_if_incorrect.check_row("judge_if_incorrect")
    }
}

impl JudgeRow {
    /// Raises the probability of a bad verdict, at most to 1; the others keep their proportion.
    pub(super) fn with_sway(self, sway: f64) -> Self {
        let sum = self.good + self.middle + self.bad;
        let bad = (self.bad / sum + sway).min(1.0);
        let others = self.good + self.middle;
        let scale = if others > 0.0 {
            (1.0 - bad) / others
        } else {
            0.0
        };
        Self {
            good: self.good * scale,
            middle: self.middle * scale,
            bad,
        }
    }

    /// Shifts the probability of a good and of a bad verdict by some logits, one of which is 0; the others keep
    /// their proportion.
    pub(super) fn with_shift(self, good_logits: f64, bad_logits: f64) -> Self {
        if good_logits == 0.0 && bad_logits == 0.0 {
            return self;
        }
        let sum = self.good + self.middle + self.bad;
        let good = shift_probability(self.good / sum, good_logits);
        let bad = shift_probability(self.bad / sum, bad_logits);
        let share = |part: f64, right: f64, right_before: f64| {
            let rest = sum - right_before;
            if rest > 0.0 {
                part * (1.0 - right) / rest
            } else {
                0.0
            }
        };
        if good_logits != 0.0 {
            Self {
                good,
                middle: share(self.middle, good, self.good),
                bad: share(self.bad, good, self.good),
            }
        } else {
            Self {
                good: share(self.good, bad, self.bad),
                middle: share(self.middle, bad, self.bad),
                bad,
            }
        }
    }

    fn check_row(&self, field: &str) -> Result<(), SettingsError> {
        let parts = [self.good, self.middle, self.bad];
        let sane = parts.iter().all(|part| part.is_finite() && *part >= 0.0);
        if sane && parts.iter().sum::<f64>() > 0.0 {
            return Ok(());
        }
        let value = format!("{parts:?}");
        Err(SettingsError::new(
            field,
            value,
            "must be 0 or more, and not all 0",
        ))
    }
}
