//! Judged games: decisions against ground truth, and rewards (FIELD §3).

use std::collections::{BTreeMap, BTreeSet};

use super::advantage::Advantage;
use super::count::{Pool, Tally};
use super::figure::{By, Figure, Key, LeftOut, Measure};
use super::interval::{TopicSums, bootstrap};
use super::rows::{DebateRow, DecisionLabel, DecisionRow, People};

/// What a decision says about the proposal under one reading of *middle*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Middle {
    Accepts,
    Rejects,
    Neither,
}

/// Returns every figure about decisions; none where no debate of the pool was decided.
pub(super) fn decisions(pool: &Pool<'_>) -> Vec<Figure> {
    if pool.debates.iter().all(|debate| debate.decision.is_none()) {
        return Vec::new();
    }
    let judged = |debate: &&DebateRow| {
        let decision = debate.decision;
        decision.is_some_and(|decision| decision.label != DecisionLabel::NoJudge)
    };
    if !pool.debates.iter().any(judged) {
        let mut figures = vec![proposer_accuracy(pool)];
        figures.extend(reward_accuracy_correlation(pool));
        return figures;
    }
    let alignment = |measure, middle| {
        share(pool, measure, "no graded decision", |decision| {
            Some(aligned(decision.label, decision.proposal_correct?, middle))
        })
    };
    let mut figures = vec![
        proposer_accuracy(pool),
        alignment(Measure::JudgeAlignmentMiddleAccepts, Middle::Accepts),
        alignment(Measure::JudgeAlignmentMiddleRejects, Middle::Rejects),
        alignment(Measure::JudgeAlignmentMiddleNeither, Middle::Neither),
        given(
            pool,
            Measure::RejectGivenCorrect,
            true,
            DecisionLabel::Reject,
        ),
        given(
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

fn aligned(label: DecisionLabel, correct: bool, middle: Middle) -> bool {
    match (label, middle) {
        (DecisionLabel::Accept, _) | (DecisionLabel::Middle, Middle::Accepts) => correct,
        (DecisionLabel::Reject, _) | (DecisionLabel::Middle, Middle::Rejects) => !correct,
        (DecisionLabel::Middle, Middle::Neither)
        | (DecisionLabel::Unparsed | DecisionLabel::NoJudge, _) => false,
    }
}

/// The debate's own decision, or why it does not count; `None` where there was nothing to decide.
fn own_decision(debate: &DebateRow, people: People) -> Option<Result<DecisionRow, LeftOut>> {
    let decision = debate.decision?;
    let by_person = match people {
        People::LeftOut => debate.touched_by_person(),
        People::Included => false,
    };
    Some(if decision.inherited {
        Err(LeftOut::Inherited)
    } else if by_person {
        Err(LeftOut::ByPerson)
    } else {
        Ok(decision)
    })
}

/// A share over decisions that could be read and have a ground truth.
fn share(
    pool: &Pool<'_>,
    measure: Measure,
    why_not: &'static str,
    holds: impl Fn(DecisionRow) -> Option<bool>,
) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
        match own_decision(debate, pool.scope.people) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(decision)) if decision.label == DecisionLabel::NoJudge => {}
            Some(Ok(decision)) if decision.label == DecisionLabel::Unparsed => {
                tally.leave_out(LeftOut::DecisionUnparsed);
            }
            Some(Ok(decision)) if decision.proposal_correct.is_none() => {
                tally.leave_out(LeftOut::NoGroundTruth);
            }
            Some(Ok(decision)) => match holds(decision) {
                Some(holds) => tally.observe_whether(holds),
                None => tally.candidates += 1,
            },
        }
        tally
    };
    pool.figure(measure, tally, |_| why_not)
}

fn given(pool: &Pool<'_>, measure: Measure, correct: bool, label: DecisionLabel) -> Figure {
    let why_not = if correct {
        "no decision on a correct proposal"
    } else {
        "no decision on an incorrect proposal"
    };
    share(pool, measure, why_not, |decision| {
        (decision.proposal_correct == Some(correct)).then_some(decision.label == label)
    })
}

/// Over every graded proposal, whether or not its decision could be read.
fn proposer_accuracy(pool: &Pool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
        match own_decision(debate, pool.scope.people) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(decision)) => match decision.proposal_correct {
                Some(correct) => tally.observe_whether(correct),
                None => tally.leave_out(LeftOut::NoGroundTruth),
            },
        }
        tally
    };
    pool.figure(Measure::ProposerAccuracy, tally, |_| "no graded proposal")
}

fn middle_rate(pool: &Pool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
        match own_decision(debate, pool.scope.people) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(decision)) => match decision.label {
                DecisionLabel::Accept | DecisionLabel::Reject => tally.observe_whether(false),
                DecisionLabel::Middle => tally.observe_whether(true),
                DecisionLabel::NoJudge => {}
                DecisionLabel::Unparsed => tally.leave_out(LeftOut::DecisionUnparsed),
            },
        }
        tally
    };
    pool.figure(Measure::MiddleRate, tally, |_| "no decision could be read")
}

/// Returns nothing where no debate of the pool is of a game that rewards anybody.
fn reward_accuracy_correlation(pool: &Pool<'_>) -> Option<Figure> {
    let is_rewarded = |debate: &&DebateRow| {
        let decision = debate.decision;
        !debate.rewards.is_empty() || decision.is_some_and(|it| it.proposer_reward.is_some())
    };
    if !pool.debates.iter().any(is_rewarded) {
        return None;
    }
    let observed = |debate: &DebateRow| match own_decision(debate, pool.scope.people)? {
        Err(reason) => Some(Err(reason)),
        Ok(decision) => Some(
            match (decision.proposer_reward, decision.proposal_correct) {
                (Some(reward), _) if !reward.is_finite() => Err(LeftOut::NotFinite),
                (Some(reward), Some(correct)) => Ok((reward, if correct { 1.0 } else { 0.0 })),
                (None, _) => Err(LeftOut::NoReward),
                (Some(_), None) => Err(LeftOut::NoGroundTruth),
            },
        ),
    };
    let pooled = pool.tallied(|debate| {
        let mut tally = Tally::default();
        match observed(debate) {
            None => {}
            Some(Err(reason)) => tally.leave_out(reason),
            Some(Ok(_)) => tally.observe(1.0),
        }
        tally
    });
    let mut topics: BTreeMap<&str, [f64; 6]> = BTreeMap::new();
    for debate in &pool.debates {
        if let Some(Ok((x, y))) = observed(debate) {
            let sums = topics.entry(debate.topic.as_str()).or_default();
            for (sum, term) in sums.iter_mut().zip([1.0, x, y, x * x, y * y, x * y]) {
                *sum += term;
            }
        }
    }
    let mut sums = TopicSums::new(6);
    for topic in topics.values() {
        sums.push(topic);
    }
    let mut figure = Figure::empty(Measure::RewardAccuracyCorrelation, &pooled);
    match correlation(&sums.total()) {
        Some(value) => figure.give(value, bootstrap(&sums, correlation, pool.plan)),
        None if figure.observations == 0 => {
            figure = figure.without_value("no rewarded and graded decision");
        }
        None => figure = figure.without_value("reward or correctness does not vary"),
    }
    Some(figure)
}

/// Pearson's correlation from (n, Σx, Σy, Σx², Σy², Σxy); with a binary y it is the
/// point-biserial one. `None` when either does not vary.
fn correlation(total: &[f64]) -> Option<f64> {
    let &[n, x, y, xx, yy, xy] = total else {
        return None;
    };
    if n < 2.0 {
        return None;
    }
    let (var_x, var_y) = (n * xx - x * x, n * yy - y * y);
    // What is left of equal values after rounding is no variation.
    let varies = |variance: f64, squares: f64| variance > 1e-12 * n * squares;
    if !varies(var_x, xx) || !varies(var_y, yy) {
        return None;
    }
    let r = (n * xy - x * y) / (var_x.sqrt() * var_y.sqrt());
    r.is_finite().then(|| r.clamp(-1.0, 1.0))
}

/// The debate's own rewards, or why they do not count.
pub(super) fn own_rewards(debate: &DebateRow, people: People) -> Result<&[(String, f64)], LeftOut> {
    if debate.decision.is_some_and(|decision| decision.inherited) {
        return Err(LeftOut::Inherited);
    }
    match people {
        People::LeftOut if debate.touched_by_person() => Err(LeftOut::ByPerson),
        People::LeftOut | People::Included => Ok(&debate.rewards),
    }
}

/// Returns mean reward and advantage spread of each seat that is rewarded.
pub(super) fn rewards(pool: &Pool<'_>, advantages: &[Advantage]) -> Vec<Figure> {
    let seats: BTreeSet<&str> = pool
        .debates
        .iter()
        .flat_map(|debate| &debate.rewards)
        .map(|(seat, _)| seat.as_str())
        .collect();
    let mut figures: Vec<Figure> = seats
        .iter()
        .map(|seat| mean_reward(pool, seat).keyed(seat_key(seat)))
        .collect();
    figures.extend(
        seats
            .iter()
            .map(|seat| advantage_spread(pool, seat, advantages).keyed(seat_key(seat))),
    );
    figures
}

fn seat_key(seat: &str) -> Key {
    Key {
        by: By::Seat,
        value: seat.to_owned(),
    }
}

fn mean_reward(pool: &Pool<'_>, seat: &str) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
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
    pool.figure(Measure::MeanReward, tally, |_| "no reward")
}

fn advantage_spread(pool: &Pool<'_>, seat: &str, advantages: &[Advantage]) -> Figure {
    let mut squares: BTreeMap<&str, Tally> = BTreeMap::new();
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
    let spread = |total: &[f64]| super::interval::ratio(total).map(f64::sqrt);
    let mut figure = Figure::empty(
        Measure::AdvantageSpread,
        &pool.tallied(|_| Tally::default()),
    );
    figure.topics = sums.topics();
    figure.observations = observations;
    match spread(&sums.total()) {
        Some(value) => figure.give(value, bootstrap(&sums, spread, pool.plan)),
        None => figure = figure.without_value("needs several rollouts of a topic"),
    }
    figure
}
