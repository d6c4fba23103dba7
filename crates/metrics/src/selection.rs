//! What optimising a seat's reward would do, from rollouts that were played: the best of N, and Boltzmann
//! reweighting.
//!
//! Each rollout of a topic gets a weight, and figures of the game are means with these weights. Best of N is
//! exact: the weight is the chance that a rollout has the largest reward of N drawn without replacement. The
//! weights exp(r / β) tilt the policy that was played as far as a penalty of β on the divergence from it
//! allows. Both lie on one axis: the divergence from the rollouts as they were played.

use std::collections::BTreeMap;

use super::report::figure::{Dimension, Figure, FigureKey, Measure, Report, ReportSection, Unit};
use super::report::groups::{Group, divide};
use super::report::left_out::LeftOutReason;
use super::report::{ReportError, ReportSettings};
use super::rows::{DebateRow, DecisionLabel};
use super::sections::counting::{DebatePool, DebateTally, TopicTallies};
use super::sections::game::{MiddleCounts, is_aligned, own_rewards};
use super::statistics::interval::{TopicSums, mean_interval, ratio, share_interval};

/// Effective rollouts of a topic below which a note says that the weights rest on few.
const FEW_EFFECTIVE: f64 = 2.0;

/// How the rollouts of a topic are weighted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// The one with the largest reward of this many; ties share.
    BestOf(u32),
    /// exp(reward / β); β is above 0.
    Boltzmann(f64),
}

impl Selection {
    fn label(self, seat: &str) -> String {
        match self {
            Self::BestOf(n) => format!("best of {n} by {seat}"),
            Self::Boltzmann(beta) => format!("exp(r / {beta}) by {seat}"),
        }
    }

    /// Returns the weights of a topic's rollouts, which add up to 1; `None` where there are too few.
    fn weights(self, rewards: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::BestOf(n) => best_of(rewards, n as usize),
            Self::Boltzmann(beta) => (rewards.len() > 1).then(|| boltzmann(rewards, beta)),
        }
    }
}

/// Returns the chance of each to be the largest of `n` that are drawn without replacement; those of one size
/// share theirs.
fn best_of(rewards: &[f64], n: usize) -> Option<Vec<f64>> {
    let all = rewards.len();
    if n == 0 || all < n {
        return None;
    }
    // Chance that n draws are all among the k smallest.
    let within = |k: usize| -> f64 {
        (0..n)
            .map(|drawn| k.saturating_sub(drawn) as f64 / (all - drawn) as f64)
            .product()
    };
    let weights = rewards.iter().map(|reward| {
        let smaller = rewards.iter().filter(|other| *other < reward).count();
        let alike = rewards.iter().filter(|other| *other == reward).count();
        (within(smaller + alike) - within(smaller)) / alike as f64
    });
    Some(weights.collect())
}

fn boltzmann(rewards: &[f64], beta: f64) -> Vec<f64> {
    // The largest exponent is 0: nothing overflows.
    let largest = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tilted = rewards
        .iter()
        .map(|reward| ((reward - largest) / beta).exp());
    let tilted: Vec<f64> = tilted.collect();
    let total: f64 = tilted.iter().sum();
    tilted.into_iter().map(|weight| weight / total).collect()
}

/// Computes figures of the game under each selection by each seat's reward, in sections like those of a report.
/// The rollouts of a topic are its debates of one arm and checkpoint; forks are none.
///
/// # Errors
/// When the groups are too many.
pub fn selection_report(
    debates: &[DebateRow],
    settings: &ReportSettings,
    seats: &[String],
    selections: &[Selection],
) -> Result<Report, ReportError> {
    let mut sections = Vec::new();
    for group in divide(debates, settings)? {
        for seat in seats {
            for selection in selections {
                sections.push(section(&group, seat, *selection, settings));
            }
        }
    }
    Ok(Report { sections })
}

fn section(
    group: &Group<'_>,
    seat: &str,
    selection: Selection,
    settings: &ReportSettings,
) -> ReportSection {
    let weighted = WeightedRollouts::new(&group.pool, seat, selection);
    let mut figures: Vec<Figure> = MEASURES
        .into_iter()
        .map(|(measure, of)| weighted.figure(measure, of))
        .collect();
    figures.push(weighted.rewards(seat));
    figures.push(weighted.divergence());
    figures.push(weighted.effective());
    let asked = |figure: &Figure| settings.measures.contains(&figure.measure);
    if !settings.measures.is_empty() {
        figures.retain(asked);
    }
    let mut notes = settings.notes.clone();
    if group.simulated {
        notes.push(
            "simulated: a check of the instrument, no evidence about models or protocols"
                .to_owned(),
        );
    }
    notes.push(
        "no model was trained: rollouts that were played are weighted by their reward".to_owned(),
    );
    if weighted
        .effective()
        .value
        .is_some_and(|rollouts| rollouts < FEW_EFFECTIVE)
    {
        notes.push(format!(
            "a topic's weights rest on fewer than {FEW_EFFECTIVE} rollouts on average: play more of each topic"
        ));
    }
    let mut keys = group.keys.clone();
    keys.push(FigureKey {
        by: Dimension::Selection,
        value: selection.label(seat),
    });
    ReportSection {
        simulated: group.simulated,
        hash_check: group.hash_check,
        group: keys,
        against: Vec::new(),
        debates: weighted.rollouts.len(),
        topics: weighted.topics(),
        notes,
        figures,
        advantages: Vec::new(),
    }
}

/// Returns whether a debate counts, and whether what is measured holds in it.
type Holds = fn(&DebateRow) -> Option<bool>;

const MEASURES: [(Measure, Holds); 5] = [
    (Measure::ProposerAccuracy, |debate| {
        debate.decision?.proposal_correct
    }),
    (Measure::JudgeAlignmentMiddleNeither, |debate| {
        let (label, correct) = graded(debate)?;
        Some(is_aligned(label, correct, MiddleCounts::Neither))
    }),
    (Measure::RejectGivenCorrect, |debate| {
        let (label, correct) = graded(debate)?;
        correct.then_some(label == DecisionLabel::Reject)
    }),
    (Measure::AcceptGivenIncorrect, |debate| {
        let (label, correct) = graded(debate)?;
        (!correct).then_some(label == DecisionLabel::Accept)
    }),
    (Measure::MiddleRate, |debate| {
        let label = debate.decision?.label;
        match label {
            DecisionLabel::Unparsed
            | DecisionLabel::UnparsedOfMaterial
            | DecisionLabel::Filtered
            | DecisionLabel::Failed
            | DecisionLabel::NoJudge => None,
            DecisionLabel::Accept | DecisionLabel::Middle | DecisionLabel::Reject => {
                Some(label == DecisionLabel::Middle)
            }
        }
    }),
];

/// Returns a decision that was parsed, and whether its proposal is correct.
fn graded(debate: &DebateRow) -> Option<(DecisionLabel, bool)> {
    let decision = debate.decision?;
    match decision.label {
        DecisionLabel::Unparsed
        | DecisionLabel::Filtered
        | DecisionLabel::Failed
        | DecisionLabel::NoJudge => None,
        label => Some((label, decision.proposal_correct?)),
    }
}

/// Debates with their weights within the rollouts of their topic.
struct WeightedRollouts<'a> {
    pool: &'a DebatePool<'a>,
    rollouts: Vec<(&'a DebateRow, f64)>,
    /// Weights of each group of rollouts, by topic.
    weights: BTreeMap<&'a str, Vec<Vec<f64>>>,
    left_out: BTreeMap<LeftOutReason, usize>,
}

impl<'a> WeightedRollouts<'a> {
    fn new(pool: &'a DebatePool<'a>, seat: &str, selection: Selection) -> Self {
        let mut found = Self {
            pool,
            rollouts: Vec::new(),
            weights: BTreeMap::new(),
            left_out: BTreeMap::new(),
        };
        let mut groups: BTreeMap<_, Vec<(&DebateRow, f64)>> = BTreeMap::new();
        for debate in &pool.debates {
            match reward_of(debate, seat, pool) {
                Ok(reward) => {
                    let rollouts = (pool.topic(debate), &debate.arm, &debate.checkpoint);
                    groups.entry(rollouts).or_default().push((debate, reward));
                }
                Err(reason) => *found.left_out.entry(reason).or_default() += 1,
            }
        }
        for ((topic, ..), mut rollouts) in groups {
            // Sums do not depend on which rollout was played first.
            rollouts.sort_by(|one, other| one.1.total_cmp(&other.1));
            let rewards: Vec<f64> = rollouts.iter().map(|(_, reward)| *reward).collect();
            let Some(weights) = selection.weights(&rewards) else {
                let few = found
                    .left_out
                    .entry(LeftOutReason::TooFewRollouts)
                    .or_default();
                *few += rollouts.len();
                continue;
            };
            let weighted = rollouts.iter().zip(&weights);
            found
                .rollouts
                .extend(weighted.map(|((debate, _), weight)| (*debate, *weight)));
            found.weights.entry(topic).or_default().push(weights);
        }
        found
    }

    fn topics(&self) -> usize {
        self.weights.len()
    }

    fn figure(&self, measure: Measure, holds: Holds) -> Figure {
        self.mean(measure, |debate| {
            holds(debate).map(|holds| if holds { 1.0 } else { 0.0 })
        })
    }

    fn rewards(&self, seat: &str) -> Figure {
        let reward = |debate: &DebateRow| reward_of(debate, seat, self.pool).ok();
        self.mean(Measure::MeanReward, reward).keyed(FigureKey {
            by: Dimension::Seat,
            value: seat.to_owned(),
        })
    }

    /// Returns the weighted mean over topics; a topic counts with the weight of its debates that have a value.
    fn mean(&self, measure: Measure, value: impl Fn(&DebateRow) -> Option<f64>) -> Figure {
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        let mut tally = DebateTally::default();
        for (debate, weight) in &self.rollouts {
            if let Some(value) = value(debate) {
                tally.observe(value);
                let sums = topics.entry(self.pool.topic(debate)).or_default();
                sums[0] += weight * value;
                sums[1] += weight;
            }
        }
        let topics = topics.into_values().filter(|sums| sums[1] > 0.0);
        self.of_topics(measure, topics, tally)
    }

    fn divergence(&self) -> Figure {
        self.of_weights(Measure::SelectionDivergence, |weights| {
            let all = weights.len() as f64;
            let terms = weights.iter().filter(|weight| **weight > 0.0);
            terms.map(|weight| weight * (weight * all).ln()).sum()
        })
    }

    fn effective(&self) -> Figure {
        self.of_weights(Measure::EffectiveRollouts, |weights| {
            1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>()
        })
    }

    /// Returns the mean over the groups of rollouts of what their weights come to.
    fn of_weights(&self, measure: Measure, value: impl Fn(&[f64]) -> f64) -> Figure {
        let mut tally = DebateTally::default();
        let mut topics = Vec::new();
        for groups in self.weights.values() {
            let mut sums = [0.0; 2];
            for weights in groups {
                let value = value(weights);
                tally.observe(value);
                sums[0] += value;
                sums[1] += 1.0;
            }
            topics.push(sums);
        }
        self.of_topics(measure, topics, tally)
    }

    fn of_topics(
        &self,
        measure: Measure,
        topics: impl IntoIterator<Item = [f64; 2]>,
        mut tally: DebateTally,
    ) -> Figure {
        let mut sums = TopicSums::new(2);
        for topic in topics {
            sums.push(&topic);
        }
        for (reason, count) in &self.left_out {
            *tally.left_out.entry(*reason).or_default() += count;
        }
        let value = ratio(&sums.total());
        let interval = match measure.unit() {
            Unit::Share => share_interval(&sums, self.pool.plan_of(measure)),
            _ => mean_interval(&sums, self.pool.plan_of(measure)),
        };
        let mut figure = Figure::empty(measure, &TopicTallies { sums, total: tally });
        match value {
            Some(value) => {
                figure.give(value, interval);
                figure
            }
            None => figure.without_value("no topic has enough rollouts with a value"),
        }
    }
}

/// Returns a seat's mean reward in a debate, or the reason why it does not count.
fn reward_of(debate: &DebateRow, seat: &str, pool: &DebatePool<'_>) -> Result<f64, LeftOutReason> {
    if debate.has_inherited_turns() {
        return Err(LeftOutReason::Fork);
    }
    let rewards = own_rewards(debate, pool.scope.people)?.iter();
    let own: Vec<f64> = rewards
        .filter(|(rewarded, _)| rewarded == seat)
        .map(|(_, reward)| *reward)
        .collect();
    if own.is_empty() {
        return Err(LeftOutReason::NoReward);
    }
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    match mean.is_finite() {
        true => Ok(mean),
        false => Err(LeftOutReason::NotFinite),
    }
}
