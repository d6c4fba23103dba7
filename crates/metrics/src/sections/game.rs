//! Game section: decisions compared with ground truth, and rewards (FIELD §3).

use std::collections::{BTreeMap, BTreeSet};

use super::counting::{DebatePool, DebateTally};
use crate::report::figure::Advantage;
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, DecisionLabel, DecisionRow, HumanTurns};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::few_apart::{MIN_TOPICS_DIFFERING, effective_number, enough_differ};
use crate::statistics::interval::TopicSums;

/// Interpretation of the decision *middle*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MiddleCounts {
    Accepts,
    Rejects,
    Neither,
}

/// Returns every figure about decisions; empty where no debate of the pool was decided.
pub(crate) fn compute_decision_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    if pool.debates.iter().all(|debate| debate.decision.is_none()) {
        return Vec::new();
    }
    let has_judge = |debate: &&DebateRow| {
        let decision = debate.decision;
        decision.is_some_and(|decision| decision.label != DecisionLabel::NoJudge)
    };
    if !pool.debates.iter().any(has_judge) {
        let mut figures = vec![proposer_accuracy(pool)];
        figures.extend(reward_accuracy_correlation(pool));
        return figures;
    }
    let alignment = |measure, middle| {
        decision_share_figure(pool, measure, "no graded decision", |decision| {
            Some(is_aligned(
                decision.label,
                decision.proposal_correct?,
                middle,
            ))
        })
    };
    let mut figures = vec![
        proposer_accuracy(pool),
        alignment(Measure::JudgeAlignmentMiddleAccepts, MiddleCounts::Accepts),
        alignment(Measure::JudgeAlignmentMiddleRejects, MiddleCounts::Rejects),
        alignment(Measure::JudgeAlignmentMiddleNeither, MiddleCounts::Neither),
        conditional_share_figure(
            pool,
            Measure::RejectGivenCorrect,
            true,
            DecisionLabel::Reject,
        ),
        conditional_share_figure(
            pool,
            Measure::AcceptGivenIncorrect,
            false,
            DecisionLabel::Accept,
        ),
        middle_rate(pool),
    ];
    figures.extend(reward_accuracy_correlation(pool));
    figures
}

/// Returns the share of debates whose outcome is right; nothing where no debate has one.
pub(crate) fn outcome_right_share(pool: &DebatePool<'_>) -> Option<Figure> {
    let mut outcomes = pool.debates.iter().map(|debate| outcome_right(debate));
    if !outcomes.any(|outcome| outcome.is_some()) {
        return None;
    }
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        let exclusion = match debate.has_inherited_turns() {
            true => Some(LeftOutReason::Fork),
            false => debate.exclusion_reason(pool.scope.people),
        };
        match (exclusion, outcome_right(debate)) {
            (Some(reason), _) => tally.leave_out(reason),
            (None, Some(right)) => tally.observe_whether(right),
            (None, None) => tally.leave_out(LeftOutReason::NoOutcome),
        }
        tally
    };
    Some(pool.compute_figure(Measure::OutcomeRight, tally, |_| "no debate has an outcome"))
}

/// Returns whether the last turn of the debate that the ground truth graded is correct; a turn that
/// a fork inherited is its parent's.
pub fn final_answer_right(debate: &DebateRow) -> Option<bool> {
    let own = debate.turns.iter().filter(|turn| !turn.inherited);
    own.rev().find_map(|turn| turn.correct)
}

/// Returns whether a debate's outcome is right: its conclusion or, in a game without conclusions,
/// its last graded turn. A debate that should have concluded and did not has no outcome, because a
/// turn under debate is not its result.
pub fn outcome_right(debate: &DebateRow) -> Option<bool> {
    if debate.concludes {
        debate.concluded_right
    } else {
        final_answer_right(debate)
    }
}

/// Returns whether a decision agrees with the truth.
pub(crate) fn is_aligned(label: DecisionLabel, correct: bool, middle: MiddleCounts) -> bool {
    match (label, middle) {
        (DecisionLabel::Accept, _) | (DecisionLabel::Middle, MiddleCounts::Accepts) => correct,
        (DecisionLabel::Reject, _) | (DecisionLabel::Middle, MiddleCounts::Rejects) => !correct,
        (DecisionLabel::Middle, MiddleCounts::Neither)
        | (
            DecisionLabel::Unparsed
            | DecisionLabel::UnparsedOfMaterial
            | DecisionLabel::Filtered
            | DecisionLabel::Failed
            | DecisionLabel::NoJudge,
            _,
        ) => false,
    }
}

/// Returns the debate's own decision, or the reason why it does not count; `None` where there was
/// none to make.
pub(super) fn own_decision(
    debate: &DebateRow,
    people: HumanTurns,
) -> Option<Result<DecisionRow, LeftOutReason>> {
    let decision = debate.decision?;
    let by_person = match people {
        HumanTurns::LeftOut => debate.touched_by_person(),
        HumanTurns::Included => false,
    };
    Some(if decision.inherited {
        Err(LeftOutReason::Inherited)
    } else if by_person {
        Err(LeftOutReason::ByPerson)
    } else {
        Ok(decision)
    })
}

/// Returns a share over decisions that were parsed and have a ground truth.
fn decision_share_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    why_not: &'static str,
    holds: impl Fn(DecisionRow) -> Option<bool>,
) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        match own_decision(debate, pool.scope.people) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(decision)) if decision.label == DecisionLabel::NoJudge => {}
            Some(Ok(decision)) if decision.label == DecisionLabel::Unparsed => {
                tally.leave_out(LeftOutReason::DecisionUnparsed);
            }
            Some(Ok(decision)) if decision.label == DecisionLabel::UnparsedOfMaterial => {
                tally.leave_out(LeftOutReason::DecisionUnparsedOfMaterial);
            }
            Some(Ok(decision)) if decision.label == DecisionLabel::Filtered => {
                tally.leave_out(LeftOutReason::DecisionFiltered);
            }
            Some(Ok(decision)) if decision.label == DecisionLabel::Failed => {
                tally.leave_out(LeftOutReason::DecisionFailed);
            }
            Some(Ok(decision)) if decision.proposal_correct.is_none() => {
                tally.leave_out(LeftOutReason::NoGroundTruth);
            }
            Some(Ok(decision)) => match holds(decision) {
                Some(holds) => tally.observe_whether(holds),
                None => tally.candidates += 1,
            },
        }
        tally
    };
    pool.compute_figure(measure, tally, |_| why_not)
}

fn conditional_share_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    correct: bool,
    label: DecisionLabel,
) -> Figure {
    let why_not = if correct {
        "no decision on a correct proposal"
    } else {
        "no decision on an incorrect proposal"
    };
    decision_share_figure(pool, measure, why_not, |decision| {
        (decision.proposal_correct == Some(correct)).then_some(decision.label == label)
    })
}

/// Returns the accuracy over every graded proposal, whether or not its decision was parsed.
fn proposer_accuracy(pool: &DebatePool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        match own_decision(debate, pool.scope.people) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(decision)) => match decision.proposal_correct {
                Some(correct) => tally.observe_whether(correct),
                None => tally.leave_out(LeftOutReason::NoGroundTruth),
            },
        }
        tally
    };
    pool.compute_figure(Measure::ProposerAccuracy, tally, |_| "no graded proposal")
}

fn middle_rate(pool: &DebatePool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        match own_decision(debate, pool.scope.people) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(decision)) => match decision.label {
                DecisionLabel::Accept | DecisionLabel::Reject => tally.observe_whether(false),
                DecisionLabel::Middle => tally.observe_whether(true),
                DecisionLabel::NoJudge => {}
                DecisionLabel::Unparsed => tally.leave_out(LeftOutReason::DecisionUnparsed),
                DecisionLabel::UnparsedOfMaterial => {
                    tally.leave_out(LeftOutReason::DecisionUnparsedOfMaterial);
                }
                DecisionLabel::Filtered => tally.leave_out(LeftOutReason::DecisionFiltered),
                DecisionLabel::Failed => tally.leave_out(LeftOutReason::DecisionFailed),
            },
        }
        tally
    };
    pool.compute_figure(Measure::MiddleRate, tally, |_| "no decision could be read")
}

/// Returns `None` where no debate of the pool has rewards.
fn reward_accuracy_correlation(pool: &DebatePool<'_>) -> Option<Figure> {
    let has_reward = |debate: &&DebateRow| {
        let decision = debate.decision;
        !debate.rewards.is_empty() || decision.is_some_and(|it| it.proposer_reward.is_some())
    };
    if !pool.debates.iter().any(has_reward) {
        return None;
    }
    let observation = |debate: &DebateRow| match own_decision(debate, pool.scope.people)? {
        Err(reason) => Some(Err(reason)),
        Ok(decision) => Some(
            match (decision.proposer_reward, decision.proposal_correct) {
                (Some(reward), _) if !reward.is_finite() => Err(LeftOutReason::NotFinite),
                (Some(reward), Some(correct)) => Ok((reward, if correct { 1.0 } else { 0.0 })),
                (None, _) => Err(LeftOutReason::NoReward),
                (Some(_), None) => Err(LeftOutReason::NoGroundTruth),
            },
        ),
    };
    let tallies = pool.tally_by_topic(|debate| {
        let mut tally = DebateTally::default();
        match observation(debate) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(_)) => tally.observe(1.0),
        }
        tally
    });
    let mut topics: BTreeMap<&str, [f64; 6]> = BTreeMap::new();
    for debate in &pool.debates {
        if let Some(Ok((x, y))) = observation(debate) {
            let sums = topics.entry(pool.topic_name(debate)).or_default();
            for (sum, term) in sums.iter_mut().zip([1.0, x, y, x * x, y * y, x * y]) {
                *sum += term;
            }
        }
    }
    let mut sums = TopicSums::new(6);
    for topic in topics.values() {
        sums.push(topic);
    }
    let mut figure = Figure::from_tallies(Measure::RewardAccuracyCorrelation, &tallies);
    match pearson_correlation(&sums.total()) {
        Some(value) => {
            let plan = pool.plan_of(figure.measure);
            // Of few proposals of one kind many resamples hold almost none.
            let of_kind = |is_correct: bool| {
                let parts = sums.rows().map(|row| match is_correct {
                    true => row[2],
                    false => row[0] - row[2],
                });
                effective_number(parts)
            };
            let is_enough = of_kind(true).min(of_kind(false)) >= MIN_TOPICS_DIFFERING;
            let interval = is_enough.then(|| bootstrap_interval(&sums, pearson_correlation, plan));
            figure.set_value(value, interval.flatten());
        }
        None if figure.observations == 0 => {
            figure = figure.mark_not_applicable("no rewarded and graded decision");
        }
        None => figure = figure.mark_not_applicable("reward or correctness does not vary"),
    }
    Some(figure)
}

/// Returns Pearson's correlation from (n, Σx, Σy, Σx², Σy², Σxy); with a binary y it is the
/// point-biserial one. `None` when either does not vary.
fn pearson_correlation(total: &[f64]) -> Option<f64> {
    let &[n, x, y, xx, yy, xy] = total else {
        return None;
    };
    if n < 2.0 {
        return None;
    }
    let (var_x, var_y) = (n * xx - x * x, n * yy - y * y);
    // The remainder of equal values after rounding is no variation.
    let varies = |variance: f64, squares: f64| variance > 1e-12 * n * squares;
    if !varies(var_x, xx) || !varies(var_y, yy) {
        return None;
    }
    let r = (n * xy - x * y) / (var_x.sqrt() * var_y.sqrt());
    r.is_finite().then(|| r.clamp(-1.0, 1.0))
}

/// Returns the debate's own rewards, or the reason why they do not count.
pub(crate) fn own_rewards(
    debate: &DebateRow,
    people: HumanTurns,
) -> Result<&[(String, f64)], LeftOutReason> {
    if debate.decision.is_some_and(|decision| decision.inherited) {
        return Err(LeftOutReason::Inherited);
    }
    match people {
        HumanTurns::LeftOut if debate.touched_by_person() => Err(LeftOutReason::ByPerson),
        HumanTurns::LeftOut | HumanTurns::Included => Ok(&debate.rewards),
    }
}

/// Returns mean reward and advantage spread of each seat with rewards.
pub(crate) fn compute_reward_figures(
    pool: &DebatePool<'_>,
    advantages: &[Advantage],
) -> Vec<Figure> {
    let seats: BTreeSet<&str> = pool
        .debates
        .iter()
        .flat_map(|debate| &debate.rewards)
        .map(|(seat, _)| seat.as_str())
        .collect();
    let mut figures: Vec<Figure> = seats
        .iter()
        .map(|seat| mean_reward(pool, seat).with_key(seat_key(seat)))
        .collect();
    figures.extend(
        seats
            .iter()
            .map(|seat| advantage_spread(pool, seat, advantages).with_key(seat_key(seat))),
    );
    figures
}

fn seat_key(seat: &str) -> FigureKey {
    FigureKey {
        by: Dimension::Seat,
        value: seat.to_owned(),
    }
}

fn mean_reward(pool: &DebatePool<'_>, seat: &str) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        match own_rewards(debate, pool.scope.people) {
            Err(reason) => tally.leave_out(reason),
            Ok(rewards) => {
                for (_, reward) in rewards.iter().filter(|(rewarded, _)| rewarded == seat) {
                    tally.observe(*reward);
                }
            }
        }
        tally
    };
    pool.compute_figure(Measure::MeanReward, tally, |_| "no reward")
}

fn advantage_spread(pool: &DebatePool<'_>, seat: &str, advantages: &[Advantage]) -> Figure {
    let mut squares: BTreeMap<&str, DebateTally> = BTreeMap::new();
    for advantage in advantages {
        if advantage.seat == seat && advantage.group_size > 1 {
            squares
                .entry(advantage.topic.as_str())
                .or_default()
                .observe(advantage.advantage * advantage.advantage);
        }
    }
    let mut sums = TopicSums::new(2);
    let mut observations = 0;
    for topic in squares.values() {
        sums.push(&[topic.a, topic.b]);
        observations += topic.b as usize;
    }
    let spread = |total: &[f64]| crate::statistics::interval::ratio(total).map(f64::sqrt);
    let mut figure = Figure::from_tallies(
        Measure::AdvantageSpread,
        &pool.tally_by_topic(|_| DebateTally::default()),
    );
    figure.topics = sums.topic_count();
    figure.observations = observations;
    match spread(&sums.total()) {
        Some(value) => {
            let plan = pool.plan_of(figure.measure);
            let is_enough = enough_differ(sums.rows().filter_map(spread));
            let interval = is_enough.then(|| bootstrap_interval(&sums, spread, plan));
            figure.set_value(value, interval.flatten());
        }
        None => figure = figure.mark_not_applicable("needs several rollouts of a topic"),
    }
    figure
}
