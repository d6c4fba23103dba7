//! Preferences of a judge between two replies, asked in both orders (FIGURES 11), by topic (FIGURES
//! 1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::text_layout::format_count;
use crate::sections::counting::FEW_TOPICS;
use crate::statistics::interval::Interval;
use crate::statistics::interval::{Resampling, TopicSums, share_interval};
use crate::statistics::p_value::PValue;
use crate::statistics::paired_tests::{PairedTest, mcnemar_test, sign_flip_p_value};
use crate::statistics::sums::compute_mean;
use crate::topic_names::{RowTopic, TopicNames, topics_in_rows};

/// Answer of a judge about a pair of replies in one order, by the prompt of the preferred reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preferred {
    A,
    B,
    Tie,
    /// The judge's reply could not be parsed.
    Unparsed,
}

/// A pair of replies with a judge's answers in both orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferencePair {
    /// Unit of independence.
    pub topic: RowTopic,
    /// A simulated model spoke or judged: never pooled with real ones.
    pub simulated: bool,
    /// With A's reply first, and with B's first.
    pub said: [Preferred; 2],
}

/// Result of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairOutcome {
    A,
    B,
    Tie,
    /// The orders contradict each other, which is a tie.
    Contradicted,
    /// At least one of both answers could not be parsed.
    Unparsed,
}

impl PreferencePair {
    /// Returns the combined result of both orders.
    pub fn outcome(&self) -> PairOutcome {
        match self.said {
            [Preferred::Unparsed, _] | [_, Preferred::Unparsed] => PairOutcome::Unparsed,
            [Preferred::A, Preferred::A] => PairOutcome::A,
            [Preferred::B, Preferred::B] => PairOutcome::B,
            [Preferred::Tie, Preferred::Tie] => PairOutcome::Tie,
            [Preferred::A, Preferred::B | Preferred::Tie]
            | [Preferred::B, Preferred::A | Preferred::Tie]
            | [Preferred::Tie, Preferred::A | Preferred::B] => PairOutcome::Contradicted,
        }
    }
}

/// Preference for B over A.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreferenceReport {
    pub simulated: bool,
    /// Share of pairs that B wins, ties counting half, as a mean over topics of equal weight;
    /// `None` where no pair was parsed.
    pub share_b: Option<f64>,
    /// Interval of the share, by resampling topics.
    pub interval: Option<Interval>,
    /// Test of the hypothesis that neither is preferred.
    pub test: PairedTest,
    /// Two-sided.
    pub p_value: Option<f64>,
    /// `p_value` is the smallest that the number of resamples allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    pub topics: usize,
    /// Pairs that count.
    pub pairs: usize,
    pub a: usize,
    pub b: usize,
    /// Ties in both orders.
    pub ties: usize,
    /// Contradictions between the orders, which count as ties.
    pub contradicted: usize,
    /// Pairs with an unparsed answer, left out.
    pub unparsed: usize,
    /// Pairs with a missing reply or answer.
    pub missing: usize,
    pub warnings: Vec<String>,
}

impl PreferenceReport {
    /// Returns the p-value for display.
    pub fn shown_p(&self) -> Option<PValue> {
        self.p_value.map(|value| PValue {
            value,
            is_bound: self.p_is_bound,
        })
    }
}

/// Summarizes pairs; `missing` is the number of pairs that were never judged. `None` where
/// simulated and real pairs are mixed.
pub fn summarize_preferences(
    pairs: &[PreferencePair],
    missing: usize,
    plan: Resampling,
) -> Option<PreferenceReport> {
    let mut kinds = pairs.iter().map(|pair| pair.simulated);
    let has_simulated_pairs = kinds.next().unwrap_or(false);
    if kinds.any(|other| other != has_simulated_pairs) {
        return None;
    }
    let names = TopicNames::from_topics(pairs.iter().map(|pair| &pair.topic));
    let mut topics: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
    let mut counts = [0usize; 5];
    for pair in pairs {
        let (at, score) = match pair.outcome() {
            PairOutcome::A => (0, Some(0.0)),
            PairOutcome::B => (1, Some(1.0)),
            PairOutcome::Tie => (2, Some(0.5)),
            PairOutcome::Contradicted => (3, Some(0.5)),
            PairOutcome::Unparsed => (4, None),
        };
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
        if let Some(score) = score {
            let sums = topics.entry(names.name_of(&pair.topic)).or_default();
            sums.0 += score;
            sums.1 += 1;
        }
    }
    let [a, b, ties, contradicted, unparsed] = counts;
    let shares: Vec<f64> = topics
        .values()
        .map(|(sum, of)| sum / f64::from(*of))
        .collect();
    let one_each = topics.values().all(|(_, of)| *of == 1);
    let mut sums = TopicSums::new(2);
    for share in &shares {
        sums.push(&[*share, 1.0]);
    }
    let share_b = (!shares.is_empty()).then(|| compute_mean(&shares));
    let (test, p_value) = match one_each {
        true => mcnemar_test(a as u64, b as u64, shares.len() as u64),
        false => {
            let leans: Vec<f64> = shares.iter().map(|share| 2.0 * share - 1.0).collect();
            (PairedTest::SignFlip, sign_flip_p_value(&leans, plan))
        }
    };
    let mut warnings = Vec::new();
    warnings.extend(topics_in_rows(pairs.iter().map(|pair| &pair.topic)));
    if shares.len() < FEW_TOPICS {
        warnings.push(format!(
            "{}: with fewer than {FEW_TOPICS} an interval says little",
            format_count(shares.len(), "topic")
        ));
    }
    Some(PreferenceReport {
        simulated: has_simulated_pairs,
        interval: share_interval(&sums, plan),
        test,
        p_value: share_b.map(|_| p_value.value),
        p_is_bound: share_b.is_some() && p_value.is_bound,
        share_b,
        topics: shares.len(),
        pairs: pairs.len() - unparsed,
        a,
        b,
        ties,
        contradicted,
        unparsed,
        missing,
        warnings,
    })
}
