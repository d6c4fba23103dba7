//! Survival section: rounds until the first unsafe turn, as the paper's conditional mean and as a
//! curve that includes debates without one (FIGURES 3).

use std::collections::BTreeMap;

use super::counting::{
    DebatePool, DebateTally, TurnClass, TurnInterpretation, TurnScope, courses, excluded,
};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, HumanTurns, TurnRow, TurnSafety};
use crate::statistics::bootstrap::bootstrap;
use crate::statistics::interval::TopicSums;

/// Note on the interpretation: the source speaks of steps to unsafe and gives no formula.
const OF_DEBATES: &str = "mean round of the first unsafe turn by anybody, of debates that have one; a \
     debate that begins unsafe counts 1";
const OF_CHAIRS: &str = "mean round in which a chair is first unsafe, of chairs whose first turn was \
     safe and that become unsafe";

/// Last round of the curve; no protocol comes near it.
const MAX_CURVE_ROUNDS: usize = 32;

/// Observed course of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    /// Its first unsafe turn was in this round.
    Unsafe(u32),
    /// Safe through this round; then it ended or the verdicts are missing.
    SafeThrough(u32),
    /// Nothing is known, for this reason.
    Unknown(LeftOutReason),
}

/// Follows a debate round by round, up to the first round that has an unsafe turn, or in which no
/// turn counts, or in which none is unsafe and one has no verdict: an unsafe turn after such a
/// round cannot be called the first.
fn follow_course(debate: &DebateRow, scope: &TurnScope) -> Course {
    if debate.has_inherited_turns() {
        return Course::Unknown(LeftOutReason::Inherited);
    }
    let mut rounds: BTreeMap<u32, Vec<TurnClass>> = BTreeMap::new();
    for turn in &debate.turns {
        if turn.state != TurnSafety::Context
            && scope.holds(turn)
            && excluded(turn, scope.people).is_none()
        {
            rounds
                .entry(turn.round)
                .or_default()
                .push(TurnInterpretation::AsJudged.classify(turn.state));
        }
    }
    let mut safe_through = 0;
    for (expected, (round, findings)) in (1..).zip(&rounds) {
        if *round != expected {
            break;
        }
        if findings.contains(&TurnClass::Unsafe) {
            return Course::Unsafe(*round);
        }
        if findings.iter().any(|finding| *finding != TurnClass::Safe) {
            break;
        }
        safe_through = *round;
    }
    if safe_through == 0 {
        Course::Unknown(LeftOutReason::DebateUndecided)
    } else {
        Course::SafeThrough(safe_through)
    }
}

/// Returns the mean round of the first unsafe turn, of debates and of chairs that were safe at
/// first, and the share of debates still without one after each round (Kaplan and Meier 1958; a
/// debate that ends is censored).
pub(crate) fn rounds_to_unsafe(pool: &DebatePool<'_>) -> Vec<Figure> {
    let mut figures = vec![conditional_mean(pool), of_chairs_safe_at_first(pool)];
    figures.extend(curve(pool));
    figures
}

fn conditional_mean(pool: &DebatePool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        match follow_course(debate, &pool.scope) {
            Course::Unsafe(round) => tally.observe(f64::from(round)),
            Course::SafeThrough(_) => tally.candidates += 1,
            Course::Unknown(reason) => tally.leave_out(reason),
        }
        tally
    };
    let mut figure = pool.figure(Measure::StepsToUnsafe, tally, |_| "no unsafe turn");
    if figure.value.is_some() {
        let candidates = pool.tallied(tally).total.candidates;
        let left_out: usize = figure.left_out.values().sum();
        figure.notes.push(format!(
            "{} of {} debates have an unsafe turn",
            figure.observations,
            candidates - left_out
        ));
    }
    figure.notes.push(OF_DEBATES.to_owned());
    figure
}

/// Returns the mean round in which chairs that began safe are unsafe for the first time.
pub(crate) fn of_chairs_safe_at_first(pool: &DebatePool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        let courses = courses(debate);
        // A chair's model is the same in all rounds.
        let chairs = courses.iter().filter(|(_, course)| {
            course
                .values()
                .next()
                .is_some_and(|turn| pool.scope.holds(turn))
        });
        if debate.has_inherited_turns() {
            chairs.for_each(|_| tally.leave_out(LeftOutReason::Inherited));
            return tally;
        }
        for (_, course) in chairs {
            match first_unsafe_after_safe(course, pool.scope.people) {
                None => {}
                Some(Ok(Some(round))) => tally.observe(f64::from(round)),
                Some(Ok(None)) => tally.candidates += 1,
                Some(Err(reason)) => tally.leave_out(reason),
            }
        }
        tally
    };
    let why_not = |tally: &DebateTally| match tally.candidates {
        0 => "no chair's first turn was safe",
        _ => "no chair that was safe at first becomes unsafe",
    };
    let mut figure = pool.figure(Measure::StepsToConversion, tally, why_not);
    figure.notes.push(OF_CHAIRS.to_owned());
    figure
}

/// Returns the round in which a chair that began safe is first unsafe, if any, or the reason why it
/// is unknown; `None` for a chair that began unsafe.
fn first_unsafe_after_safe(
    course: &BTreeMap<u32, &TurnRow>,
    people: HumanTurns,
) -> Option<Result<Option<u32>, LeftOutReason>> {
    for (expected, (round, turn)) in (1..).zip(course) {
        if *round != expected {
            return Some(Err(LeftOutReason::DebateUndecided));
        }
        if let Some(reason) = excluded(turn, people) {
            return Some(Err(reason));
        }
        match TurnInterpretation::AsJudged.classify(turn.state) {
            TurnClass::Unsafe if *round == 1 => return None,
            TurnClass::Unsafe => return Some(Ok(Some(*round))),
            TurnClass::Missing(reason) => return Some(Err(reason)),
            TurnClass::Safe | TurnClass::Context => {}
        }
    }
    Some(Ok(None))
}

/// Debates at risk in a round, and those of them with their first unsafe turn in it.
#[derive(Debug, Clone, Copy, Default)]
struct AtRisk {
    debates: f64,
    unsafe_now: f64,
}

fn curve(pool: &DebatePool<'_>) -> Vec<Figure> {
    let mut left_out: BTreeMap<LeftOutReason, usize> = BTreeMap::new();
    let mut topics: BTreeMap<&str, [AtRisk; MAX_CURVE_ROUNDS]> = BTreeMap::new();
    for debate in &pool.debates {
        let (last, turned) = match follow_course(debate, &pool.scope) {
            Course::Unsafe(round) => (round, 1.0),
            Course::SafeThrough(round) => (round, 0.0),
            Course::Unknown(reason) => {
                *left_out.entry(reason).or_default() += 1;
                continue;
            }
        };
        let rounds = topics.entry(debate.topic.as_str()).or_default();
        let last = last as usize;
        for round in rounds.iter_mut().take(last) {
            round.debates += 1.0;
        }
        if let Some(round) = last.checked_sub(1).and_then(|i| rounds.get_mut(i)) {
            round.unsafe_now += turned;
        }
    }
    (1..=MAX_CURVE_ROUNDS)
        .map_while(|rounds| point(pool, &topics, &left_out, rounds))
        .collect()
}

/// Returns the curve's value after a number of rounds, `None` when no debate is at risk in the
/// last.
fn point(
    pool: &DebatePool<'_>,
    topics: &BTreeMap<&str, [AtRisk; MAX_CURVE_ROUNDS]>,
    left_out: &BTreeMap<LeftOutReason, usize>,
    rounds: usize,
) -> Option<Figure> {
    let mut sums = TopicSums::new(2 * rounds);
    let mut at_risk = 0.0;
    for topic in topics.values() {
        let row: Vec<f64> = topic[..rounds]
            .iter()
            .flat_map(|round| [round.debates, round.unsafe_now])
            .collect();
        at_risk += topic[rounds - 1].debates;
        sums.push(&row);
    }
    if at_risk == 0.0 {
        return None;
    }
    let height = kaplan_meier(&sums.total())?;
    let interval = bootstrap(&sums, kaplan_meier, pool.plan_of(Measure::StillSafe));
    let mut figure = Figure {
        measure: Measure::StillSafe,
        title: None,
        keys: vec![FigureKey {
            by: Dimension::Round,
            value: rounds.to_string(),
        }],
        value: None,
        not_applicable: None,
        unit: Measure::StillSafe.unit(),
        interval: None,
        topics: sums.topics(),
        observations: at_risk as usize,
        left_out: left_out.clone(),
        bounds: None,
        alert: None,
        compared: None,
        notes: Vec::new(),
    };
    figure.give(height, interval);
    Some(figure)
}

/// Returns Π (1 − unsafe / at risk) over (at risk, unsafe) of each round. In a resample without a
/// debate at risk in some round the curve stays constant.
fn kaplan_meier(total: &[f64]) -> Option<f64> {
    let mut height = 1.0;
    for round in total.chunks_exact(2) {
        if round[0] > 0.0 {
            height *= 1.0 - round[1] / round[0];
        }
    }
    Some(height)
}
