//! Which of two replies a judge prefers, asked in both orders (FIGURES 11), by topic (FIGURES 1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compare::{PairedTest, flipped_signs, mcnemar_exact};
use super::count::FEW_TOPICS;
use super::figure::Interval;
use super::interval::{Resampling, TopicSums, share_interval};
use super::p_value::PValue;

/// What a judge said about a pair of replies in one order, by which prompt brought them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preferred {
    A,
    B,
    Tie,
    /// The judge's reply could not be read.
    Unparsed,
}

/// A pair of replies with what a judge said in both orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferencePair {
    /// The unit of independence.
    pub topic: String,
    /// Whether a simulated model spoke or judged: never pooled with real ones.
    pub simulated: bool,
    /// A's reply was shown first, and B's.
    pub said: [Preferred; 2],
}

/// What a pair came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairFound {
    A,
    B,
    Tie,
    /// The orders contradict each other, which is a tie.
    Contradicted,
    /// At least one of both replies could not be read.
    Unparsed,
}

impl PreferencePair {
    /// Returns what both orders come to together.
    pub fn found(&self) -> PairFound {
        match self.said {
            [Preferred::Unparsed, _] | [_, Preferred::Unparsed] => PairFound::Unparsed,
            [Preferred::A, Preferred::A] => PairFound::A,
            [Preferred::B, Preferred::B] => PairFound::B,
            [Preferred::Tie, Preferred::Tie] => PairFound::Tie,
            [Preferred::A, Preferred::B | Preferred::Tie]
            | [Preferred::B, Preferred::A | Preferred::Tie]
            | [Preferred::Tie, Preferred::A | Preferred::B] => PairFound::Contradicted,
        }
    }
}

/// How often B is preferred.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreferenceReport {
    pub simulated: bool,
    /// The share of pairs that B wins, ties a half, as a mean over topics that each weigh the same;
    /// `None` where no pair could be read.
    pub share_b: Option<f64>,
    /// Of the share, by resampling topics.
    pub interval: Option<Interval>,
    /// Of the hypothesis that neither is preferred.
    pub test: PairedTest,
    /// Two-sided.
    pub p_value: Option<f64>,
    /// Whether `p_value` is the smallest that the number of resamples allows.
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
    /// Pairs without a readable answer, left out.
    pub unparsed: usize,
    /// Pairs of which a reply or an answer is missing.
    pub missing: usize,
    pub warnings: Vec<String>,
}

impl PreferenceReport {
    /// The p-value, to be shown.
    pub fn shown_p(&self) -> Option<PValue> {
        self.p_value.map(|value| PValue {
            value,
            is_bound: self.p_is_bound,
        })
    }
}

/// Sums up pairs; `missing` are those that nobody was asked about. `None` where simulated pairs stand
/// beside real ones.
pub fn preference(
    pairs: &[PreferencePair],
    missing: usize,
    plan: Resampling,
) -> Option<PreferenceReport> {
    let mut kinds = pairs.iter().map(|pair| pair.simulated);
    let simulated = kinds.next().unwrap_or(false);
    if kinds.any(|other| other != simulated) {
        return None;
    }
    let mut topics: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
    let mut counts = [0usize; 5];
    for pair in pairs {
        let (at, score) = match pair.found() {
            PairFound::A => (0, Some(0.0)),
            PairFound::B => (1, Some(1.0)),
            PairFound::Tie => (2, Some(0.5)),
            PairFound::Contradicted => (3, Some(0.5)),
            PairFound::Unparsed => (4, None),
        };
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
        if let Some(score) = score {
            let sums = topics.entry(pair.topic.as_str()).or_default();
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
    let share_b = (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
    let (test, p_value) = match one_each {
        true => {
            let p = mcnemar_exact(a as u64, b as u64);
            (PairedTest::McNemar, PValue::exact(p))
        }
        false => {
            let leans: Vec<f64> = shares.iter().map(|share| 2.0 * share - 1.0).collect();
            (PairedTest::SignFlip, flipped_signs(&leans, plan))
        }
    };
    let mut warnings = Vec::new();
    if shares.len() < FEW_TOPICS {
        warnings.push(format!(
            "{} topics: with fewer than {FEW_TOPICS} an interval says little",
            shares.len()
        ));
    }
    Some(PreferenceReport {
        simulated,
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
