//! Gate before a debate: decides if a question is worth one (EAAPL-MAG005 §6.5). Pure: policy and question
//! in, decision out; estimates no cost and asks no model.
//!
//! The source says that debate is triggered *only when* four conditions hold, and that the
//! *default* looks at the downside alone. Both readings are values of [`GateRule`]; the default is
//! the source's default. In every reading a plain look-up is not debated.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// When a debate is worth its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatePolicy {
    pub rule: GateRule,
    /// The downside must exceed this multiple of the debate's cost.
    pub factor: f64,
    /// A single answer with a lower confidence is uncertain. The source names no figure.
    pub confidence_below: f64,
    /// Task types whose wrong answers are known to be dear.
    pub high_risk: Vec<String>,
    /// Task types that are looked up, so that a debate adds nothing.
    pub lookup: Vec<String>,
    /// Words that show uncertainty in a single answer.
    pub hedges: Vec<String>,
}

/// Rule that combines the conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateRule {
    /// The downside alone decides: the source's default.
    #[default]
    Downside,
    /// Every condition must hold: the source's "only when".
    All,
    /// One of downside, uncertainty and high risk is enough.
    Any,
}

impl Default for GatePolicy {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            rule: GateRule::default(),
            factor: 50.0,
            confidence_below: 0.7,
            high_risk: words(&[
                "contract",
                "security",
                "architecture",
                "investment",
                "compliance",
            ]),
            lookup: words(&["factual"]),
            hedges: words(&[
                "not sure",
                "not certain",
                "uncertain",
                "unclear",
                "it depends",
                "hard to say",
                "i think",
                "i believe",
                "as far as i know",
                "probably",
                "possibly",
                "perhaps",
                "maybe",
                "might",
                "could be",
                "it seems",
                "appears to",
                "cannot rule out",
            ]),
        }
    }
}

/// Question to decide about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateQuestion<'a> {
    /// Kind of decision that the question is about, for example `contract`.
    pub task: &'a str,
    /// Confidence of a single answer, 0 to 1.
    pub confidence: f64,
    /// Cost of a wrong answer, in US dollars.
    pub downside_usd: f64,
    /// The single answer, if there is one.
    pub answer: Option<&'a str>,
    /// Expected cost of the debate, in US dollars.
    pub debate_usd: f64,
}

/// Decision of the gate, with reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateDecision {
    pub debate: bool,
    pub rule: GateRule,
    pub conditions: Vec<Condition>,
}

/// One of the four conditions of the source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    pub name: ConditionName,
    pub holds: bool,
    /// It holds for every sum, because the debate costs nothing: nothing was checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_no_check: bool,
    /// The figures or words that it rests on.
    pub because: String,
}

/// The conditions by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionName {
    AsymmetricDownside,
    ObservableUncertainty,
    HighRiskTask,
    GenuinelyContested,
}

/// A figure that cannot be meant.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{what} must be {range}, not {given}")]
pub struct GateFault {
    /// The option or setting.
    pub what: &'static str,
    pub range: &'static str,
    pub given: f64,
}

impl GatePolicy {
    /// Refuses values that cannot be meant.
    ///
    /// # Errors
    /// Names the setting.
    pub fn check_ranges(&self) -> Result<(), GateFault> {
        check_not_negative("[gate] factor", self.factor)?;
        check_share("[gate] confidence_below", self.confidence_below)
    }
}

/// Decides whether a question is worth a debate.
///
/// # Errors
/// When a figure is no number or out of its range; names the option.
pub fn decide_debate(
    policy: &GatePolicy,
    question: &GateQuestion<'_>,
) -> Result<GateDecision, GateFault> {
    policy.check_ranges()?;
    check_share("--confidence", question.confidence)?;
    check_not_negative("--downside", question.downside_usd)?;
    check_not_negative("the debate's cost", question.debate_usd)?;
    let conditions = vec![
        downside_condition(policy, question),
        uncertainty_condition(policy, question),
        high_risk_condition(policy, question),
        contested_condition(policy, question),
    ];
    let holds = |wanted: ConditionName| {
        conditions
            .iter()
            .any(|condition| condition.name == wanted && condition.holds)
    };
    let debate = holds(ConditionName::GenuinelyContested)
        && match policy.rule {
            GateRule::Downside => holds(ConditionName::AsymmetricDownside),
            GateRule::All => conditions.iter().all(|condition| condition.holds),
            GateRule::Any => {
                holds(ConditionName::AsymmetricDownside)
                    || holds(ConditionName::ObservableUncertainty)
                    || holds(ConditionName::HighRiskTask)
            }
        };
    Ok(GateDecision {
        debate,
        rule: policy.rule,
        conditions,
    })
}

fn downside_condition(policy: &GatePolicy, question: &GateQuestion<'_>) -> Condition {
    let threshold = policy.factor * question.debate_usd;
    let holds = question.downside_usd > threshold;
    let is_no_check = threshold == 0.0;
    let because = match is_no_check {
        true => format!(
            "no check: {} x ${:.4} is nothing, and every sum is more",
            policy.factor, question.debate_usd
        ),
        false => format!(
            "${:.2} is {}more than {} x ${:.4} = ${threshold:.2}",
            question.downside_usd,
            if holds { "" } else { "not " },
            policy.factor,
            question.debate_usd,
        ),
    };
    Condition {
        name: ConditionName::AsymmetricDownside,
        holds,
        is_no_check,
        because,
    }
}

fn uncertainty_condition(policy: &GatePolicy, question: &GateQuestion<'_>) -> Condition {
    let low = question.confidence < policy.confidence_below;
    let answer = normalize_words(question.answer.unwrap_or_default());
    let hedges: Vec<&str> = policy
        .hedges
        .iter()
        .filter(|hedge| {
            let hedge = normalize_words(hedge);
            !hedge.trim().is_empty() && answer.contains(&hedge)
        })
        .map(String::as_str)
        .collect();
    let mut because = format!(
        "confidence {} is {} {}",
        question.confidence,
        if low { "below" } else { "not below" },
        policy.confidence_below,
    );
    match (question.answer, hedges.as_slice()) {
        (None, _) => {}
        (Some(_), []) => because.push_str("; the answer hedges nowhere"),
        (Some(_), found) => {
            because.push_str(&format!("; the answer hedges: {}", found.join(", ")));
        }
    }
    Condition {
        name: ConditionName::ObservableUncertainty,
        holds: low || !hedges.is_empty(),
        is_no_check: false,
        because,
    }
}

fn high_risk_condition(policy: &GatePolicy, question: &GateQuestion<'_>) -> Condition {
    let holds = is_listed(&policy.high_risk, question.task);
    Condition {
        name: ConditionName::HighRiskTask,
        holds,
        is_no_check: false,
        because: format!(
            "'{}' is {}of: {}",
            question.task,
            if holds { "one " } else { "none " },
            policy.high_risk.join(", ")
        ),
    }
}

fn contested_condition(policy: &GatePolicy, question: &GateQuestion<'_>) -> Condition {
    let looked_up = is_listed(&policy.lookup, question.task);
    Condition {
        name: ConditionName::GenuinelyContested,
        holds: !looked_up,
        is_no_check: false,
        because: format!(
            "'{}' is {}a look-up ({})",
            question.task,
            if looked_up { "" } else { "not " },
            policy.lookup.join(", ")
        ),
    }
}

fn is_listed(list: &[String], task: &str) -> bool {
    let task = task.trim().to_lowercase();
    list.iter()
        .any(|listed| listed.trim().to_lowercase() == task)
}

/// Returns the words of a text in lower case with one space around each, so that a phrase is found
/// only where it occurs as whole words.
fn normalize_words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty());
    let mut spaced_words = String::from(" ");
    for word in words {
        spaced_words.push_str(word);
        spaced_words.push(' ');
    }
    spaced_words
}

fn check_share(what: &'static str, value: f64) -> Result<(), GateFault> {
    // Not a number is in no range.
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(GateFault {
        what,
        range: "a number from 0 to 1",
        given: value,
    })
}

fn check_not_negative(what: &'static str, value: f64) -> Result<(), GateFault> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(GateFault {
        what,
        range: "a number of at least 0",
        given: value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(task: &str, confidence: f64, downside_usd: f64) -> GateQuestion<'_> {
        GateQuestion {
            task,
            confidence,
            downside_usd,
            answer: None,
            debate_usd: 0.10,
        }
    }

    fn answers(rule: GateRule, question: &GateQuestion<'_>) -> bool {
        let policy = GatePolicy {
            rule,
            ..GatePolicy::default()
        };
        decide_debate(&policy, question).unwrap().debate
    }

    #[test]
    fn each_reading_of_the_source_decides_by_its_own_conditions() {
        // Cost 0.10, so the threshold is 5: task, confidence, downside; downside, all, any.
        let table = [
            ("contract", 0.3, 6.0, [true, true, true]),
            ("contract", 0.9, 6.0, [true, false, true]),
            ("poetry", 0.3, 6.0, [true, false, true]),
            ("poetry", 0.9, 6.0, [true, false, true]),
            ("contract", 0.3, 4.0, [false, false, true]),
            ("poetry", 0.3, 4.0, [false, false, true]),
            ("poetry", 0.9, 4.0, [false, false, false]),
            ("factual", 0.1, 1e9, [false, false, false]),
        ];
        for (task, confidence, downside, [by_downside, all, any]) in table {
            let asked = question(task, confidence, downside);
            assert_eq!(
                answers(GateRule::Downside, &asked),
                by_downside,
                "{asked:?}"
            );
            assert_eq!(answers(GateRule::All, &asked), all, "{asked:?}");
            assert_eq!(answers(GateRule::Any, &asked), any, "{asked:?}");
        }
    }

    #[test]
    fn a_downside_of_exactly_the_threshold_is_not_more_than_it() {
        assert!(!answers(GateRule::Downside, &question("x", 0.5, 5.0)));
        assert!(answers(GateRule::Downside, &question("x", 0.5, 5.01)));
    }

    #[test]
    fn hedges_count_as_whole_words_whatever_their_case() {
        let holds = |answer| {
            let asked = GateQuestion {
                answer: Some(answer),
                ..question("contract", 0.99, 6.0)
            };
            decide_debate(&GatePolicy::default(), &asked)
                .unwrap()
                .conditions[1]
                .holds
        };
        assert!(holds("It MIGHT hold; I'm not  sure."));
        assert!(holds("It depends."));
        assert!(!holds("The mighty clause is binding."));
        assert!(!holds(""));
    }

    #[test]
    fn figures_that_cannot_be_meant_are_refused_by_their_name() {
        let policy = GatePolicy::default();
        for (confidence, downside, named) in [
            (f64::NAN, 1.0, "--confidence"),
            (-0.1, 1.0, "--confidence"),
            (1.1, 1.0, "--confidence"),
            (f64::INFINITY, 1.0, "--confidence"),
            (0.5, -1.0, "--downside"),
            (0.5, f64::NAN, "--downside"),
            (0.5, f64::INFINITY, "--downside"),
        ] {
            let fault = decide_debate(&policy, &question("x", confidence, downside)).unwrap_err();
            assert_eq!(fault.what, named);
            assert!(fault.to_string().starts_with(named), "{fault}");
        }
        for (factor, below, named) in [
            (f64::NAN, 0.5, "[gate] factor"),
            (-1.0, 0.5, "[gate] factor"),
            (50.0, 1.5, "[gate] confidence_below"),
        ] {
            let policy = GatePolicy {
                factor,
                confidence_below: below,
                ..GatePolicy::default()
            };
            let fault = decide_debate(&policy, &question("x", 0.5, 1.0)).unwrap_err();
            assert_eq!(fault.what, named);
        }
    }
}
