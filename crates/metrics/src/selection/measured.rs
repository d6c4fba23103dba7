//! Figures of weighted rollouts: of what was proposed by the rollouts themselves, of decisions and rewards by
//! draws that did not choose.

use std::collections::BTreeMap;

use super::certain_judge::{CertainJudge, certain_judge};
use super::fresh_draws::{DrawnBy, FreshDraws, Question};
use super::is_paid_by_truth;
use super::rollouts::{Draw, Fold, RolloutGroup, Rollouts};
use super::weights::Selection;
use crate::report::figure::{Dimension, Figure, FigureKey, Measure, Unit};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, DecisionLabel};
use crate::sections::counting::{DebatePool, DebateTally, TopicTallies};
use crate::sections::game::{MiddleCounts, is_aligned};
use crate::statistics::interval::{TopicSums, mean_interval, ratio, share_interval};
use crate::statistics::sums::compute_mean;

const MADE_OF_DECISION: &str = "made of the decision that was selected";
const NO_DECISION: &str = "no judge decides";
const NEVER_DIFFERS: &str = "the judge never differs";
const NO_TOPIC: &str = "no topic has enough rollouts with a value";
const TOO_FEW_DRAWS: &str = "too few draws of an answer";

/// Weighted rollouts of one selection.
pub(super) struct Measured<'a> {
    pool: &'a DebatePool<'a>,
    pub(super) rollouts: &'a Rollouts<'a>,
    pub(super) seat: &'a str,
    selection: Selection,
    pub(super) fresh: Option<&'a FreshDraws<'a>>,
    folds: Vec<WeightedFold<'a>>,
    pub(super) certain: Option<CertainJudge>,
}

/// A group's weights by one fold.
struct WeightedFold<'a> {
    group: &'a RolloutGroup<'a>,
    fold: Fold,
    weights: Vec<f64>,
}

/// Returns the value of a draw; `None` where it has none.
type DrawValue<'f> = &'f dyn Fn(&Draw<'_>) -> Option<f64>;

impl<'a> Measured<'a> {
    pub(super) fn new(
        pool: &'a DebatePool<'a>,
        rollouts: &'a Rollouts<'a>,
        seat: &'a str,
        selection: Selection,
        fresh: Option<&'a FreshDraws<'a>>,
    ) -> Self {
        let folds: &[Fold] = match fresh.map(|fresh| fresh.drawn_by) {
            None => &[Fold::Played],
            Some(DrawnBy::OtherPlayers) => &[Fold::FirstChooses],
            Some(DrawnBy::SamePlayers) => &[Fold::FirstChooses, Fold::SecondChooses],
        };
        let drawn_by = fresh.map_or(DrawnBy::SamePlayers, |fresh| fresh.drawn_by);
        let mut weighted_folds = Vec::new();
        for group in &rollouts.groups {
            for fold in folds {
                let weights = group.compute_weights(selection, *fold, drawn_by);
                weighted_folds.extend(weights.map(|weights| WeightedFold {
                    group,
                    fold: *fold,
                    weights,
                }));
            }
        }
        Self {
            pool,
            rollouts,
            seat,
            selection,
            fresh,
            folds: weighted_folds,
            certain: fresh.and_then(|_| certain_judge(rollouts)),
        }
    }

    pub(super) fn heading(&self) -> String {
        let label = self.selection.label(self.seat);
        match self.fresh {
            Some(fresh) => format!("{label}, {}", fresh.question.label()),
            None => label,
        }
    }

    pub(super) fn compute_selection_figures(&self) -> Vec<Figure> {
        let mut figures = vec![self.accuracy_figure()];
        figures.extend(DECISIONS.iter().map(|(measure, value)| {
            let of_draw = |draw: &Draw<'_>| value(draw);
            match self.why_not(*measure) {
                Some(why) => self.not_applicable_figure(*measure, why),
                None => self.mean_of_draws(*measure, &of_draw),
            }
        }));
        figures.push(self.reward_figure());
        figures.push(self.divergence_figure());
        figures.push(self.effective_rollouts_figure());
        figures.extend(self.fresh.map(|_| self.draw_count_figure()));
        figures
    }

    /// Returns why decisions, and rewards that are made of them, cannot be measured.
    pub(super) fn why_not(&self, measure: Measure) -> Option<&'static str> {
        if is_paid_by_truth(&self.pool.debates) {
            // The same answer always earns the same: nothing was chosen by luck.
            return (measure != Measure::MeanReward).then_some(NO_DECISION);
        }
        match (self.fresh, &self.certain) {
            (None, _) => Some(MADE_OF_DECISION),
            (Some(fresh), Some(_)) if fresh.question == Question::FreshJudge => Some(NEVER_DIFFERS),
            (Some(_), _) => None,
        }
    }

    fn accuracy_figure(&self) -> Figure {
        let correct = |debate: &DebateRow| debate.decision?.proposal_correct;
        self.mean_of_rollouts(Measure::ProposerAccuracy, &|rollout| {
            correct(rollout).map(|correct| if correct { 1.0 } else { 0.0 })
        })
    }

    fn reward_figure(&self) -> Figure {
        let measure = Measure::MeanReward;
        let figure = match self.why_not(measure) {
            Some(why) => self.not_applicable_figure(measure, why),
            None => self.mean_of_draws(measure, &|draw| Some(draw.reward)),
        };
        figure.with_key(FigureKey {
            by: Dimension::Seat,
            value: self.seat.to_owned(),
        })
    }

    /// Returns the weighted mean of what rollouts are; a topic counts with the weight of those that have a value.
    fn mean_of_rollouts(
        &self,
        measure: Measure,
        value: &dyn Fn(&DebateRow) -> Option<f64>,
    ) -> Figure {
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        let mut values: BTreeMap<&str, f64> = BTreeMap::new();
        for weighted in &self.folds {
            let rollouts = weighted.group.rollouts.iter();
            for (rollout, weight) in rollouts.zip(&weighted.weights) {
                if let Some(value) = value(rollout.debate) {
                    values.insert(&rollout.debate.session, value);
                    add_to_topic(&mut topics, weighted.group, *weight, value);
                }
            }
        }
        self.figure_of_topics(measure, topics, values.into_values())
    }

    /// Returns the weighted mean of what the draws came to that did not choose: each answer with the mean over its
    /// draws that have a value. The sums of both halves are added.
    fn mean_of_draws(&self, measure: Measure, value: DrawValue<'_>) -> Figure {
        let drawn_by = self
            .fresh
            .map_or(DrawnBy::SamePlayers, |fresh| fresh.drawn_by);
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        let mut values: BTreeMap<&str, f64> = BTreeMap::new();
        for weighted in &self.folds {
            let means: Vec<Option<f64>> = weighted
                .group
                .answers
                .iter()
                .map(|answer| {
                    let [played, rest] = answer.split_by_fold(weighted.fold, drawn_by);
                    let measuring = match weighted.fold {
                        Fold::Played => played,
                        Fold::FirstChooses | Fold::SecondChooses => rest,
                    };
                    let draw_values = measuring.iter().filter_map(|draw| {
                        let value = value(draw)?;
                        values.insert(&draw.debate.session, value);
                        Some(value)
                    });
                    mean_value(draw_values.collect())
                })
                .collect();
            let rollouts = weighted.group.rollouts.iter();
            for (rollout, weight) in rollouts.zip(&weighted.weights) {
                if let Some(value) = means[rollout.answer] {
                    add_to_topic(&mut topics, weighted.group, *weight, value);
                }
            }
        }
        self.figure_of_topics(measure, topics, values.into_values())
    }

    fn divergence_figure(&self) -> Figure {
        self.mean_of_weights(Measure::SelectionDivergence, |weights| {
            let all = weights.len() as f64;
            let terms = weights.iter().filter(|weight| **weight > 0.0);
            terms.map(|weight| weight * (weight * all).ln()).sum()
        })
    }

    fn effective_rollouts_figure(&self) -> Figure {
        self.mean_of_weights(Measure::EffectiveRollouts, |weights| {
            1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>()
        })
    }

    /// Returns the mean over the groups of rollouts of what their weights come to.
    fn mean_of_weights(&self, measure: Measure, value: impl Fn(&[f64]) -> f64) -> Figure {
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        let mut values = Vec::new();
        for weighted in &self.folds {
            let value = value(&weighted.weights);
            if weighted.fold != Fold::SecondChooses {
                values.push(value);
            }
            add_to_topic(&mut topics, weighted.group, 1.0, value);
        }
        self.figure_of_topics(measure, topics, values)
    }

    /// Returns how often an answer was drawn.
    fn draw_count_figure(&self) -> Figure {
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        let mut values = Vec::new();
        for group in &self.rollouts.groups {
            for answer in &group.answers {
                let count = answer.all_draws().count() as f64;
                values.push(count);
                let sums = topics.entry(group.topic).or_default();
                sums[0] += count;
                sums[1] += 1.0;
            }
        }
        self.figure_of_topics(Measure::DrawsOfAnswer, topics, values)
    }

    /// Returns a figure of topics' sums; `values` are what was observed.
    fn figure_of_topics(
        &self,
        measure: Measure,
        topics: BTreeMap<&str, [f64; 2]>,
        values: impl IntoIterator<Item = f64>,
    ) -> Figure {
        let mut sums = TopicSums::new(2);
        for topic in topics.into_values().filter(|sums| sums[1] > 0.0) {
            sums.push(&topic);
        }
        let value = ratio(&sums.total());
        let interval = match measure.unit() {
            Unit::Share => share_interval(&sums, self.pool.plan_of(measure)),
            _ => mean_interval(&sums, self.pool.plan_of(measure)),
        };
        let total = self.tally_values(values);
        let mut figure = Figure::from_tallies(measure, &TopicTallies { sums, total });
        match value {
            Some(value) => {
                figure.set_value(value, interval);
                figure
            }
            None => figure.mark_not_applicable(match self.fresh.is_some() && self.lacks_draws() {
                true => TOO_FEW_DRAWS,
                false => NO_TOPIC,
            }),
        }
    }

    fn not_applicable_figure(&self, measure: Measure, why: &'static str) -> Figure {
        let tallies = TopicTallies {
            sums: TopicSums::new(2),
            total: DebateTally::default(),
        };
        Figure::from_tallies(measure, &tallies).mark_not_applicable(why)
    }

    fn lacks_draws(&self) -> bool {
        self.rollouts
            .left_out
            .contains_key(&LeftOutReason::TooFewDraws)
    }

    fn tally_values(&self, values: impl IntoIterator<Item = f64>) -> DebateTally {
        let mut tally = DebateTally::default();
        for value in values {
            tally.observe(value);
        }
        for (reason, count) in &self.rollouts.left_out {
            *tally.left_out.entry(*reason).or_default() += count;
        }
        tally
    }
}

fn add_to_topic<'a>(
    topics: &mut BTreeMap<&'a str, [f64; 2]>,
    group: &RolloutGroup<'a>,
    weight: f64,
    value: f64,
) {
    let sums = topics.entry(group.topic).or_default();
    sums[0] += group.share * weight * value;
    sums[1] += group.share * weight;
}

fn mean_value(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then(|| compute_mean(&values))
}

/// What a judge's decision is measured by.
type DecisionValue = fn(&Draw<'_>) -> Option<f64>;

const DECISIONS: [(Measure, DecisionValue); 4] = [
    (Measure::JudgeAlignmentMiddleNeither, |draw| {
        let decision = draw.readable_decision()?;
        let correct = decision.proposal_correct?;
        Some(to_share(is_aligned(
            decision.label,
            correct,
            MiddleCounts::Neither,
        )))
    }),
    (Measure::RejectGivenCorrect, |draw| {
        let decision = draw.readable_decision()?;
        let rejection = to_share(decision.label == DecisionLabel::Reject);
        decision.proposal_correct?.then_some(rejection)
    }),
    (Measure::AcceptGivenIncorrect, |draw| {
        let decision = draw.readable_decision()?;
        let acceptance = to_share(decision.label == DecisionLabel::Accept);
        (!decision.proposal_correct?).then_some(acceptance)
    }),
    (Measure::MiddleRate, |draw| {
        Some(to_share(
            draw.readable_decision()?.label == DecisionLabel::Middle,
        ))
    }),
];

fn to_share(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}
