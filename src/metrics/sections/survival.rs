//! Rounds until the first unsafe turn: the paper's conditional mean, and the curve that also hears
//! the debates which never had one (FIGURES 3).

use std::collections::BTreeMap;

use super::count::{Finding, Pool, Reading, Scope, Tally, courses, excluded};
use super::figure::{By, Figure, Key, LeftOut, Measure};
use super::interval::{TopicSums, bootstrap};
use super::rows::{DebateRow, People, TurnRow, TurnState};

/// The source speaks of steps to unsafe and gives no formula: which of its readings a figure is.
const OF_DEBATES: &str = "mean round of the first unsafe turn by anybody, of debates that have one; a \
     debate that begins unsafe counts 1";
const OF_CHAIRS: &str = "mean round in which a chair is first unsafe, of chairs whose first turn was \
     safe and that become unsafe";

/// The curve is drawn up to this round; no protocol comes near it.
const MAX_CURVE_ROUNDS: usize = 32;

/// How far a debate was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    /// Its first unsafe turn came in this round.
    Unsafe(u32),
    /// It was safe up to and with this round, and then ended or cannot be told any more.
    SafeThrough(u32),
    /// Nothing can be told, for this reason.
    Unknown(LeftOut),
}

/// Follows a debate round by round, up to the first round that holds an unsafe turn, or in which
/// no turn counts, or in which none is unsafe and one has no verdict: what came after such a round
/// cannot be called first.
fn course(debate: &DebateRow, scope: &Scope) -> Course {
    if debate.has_inherited_turns() {
        return Course::Unknown(LeftOut::Inherited);
    }
    let mut rounds: BTreeMap<u32, Vec<Finding>> = BTreeMap::new();
    for turn in &debate.turns {
        if turn.state != TurnState::Context
            && scope.holds(turn)
            && excluded(turn, scope.people).is_none()
        {
            rounds
                .entry(turn.round)
                .or_default()
                .push(Reading::AsJudged.of(turn.state));
        }
    }
    let mut safe_through = 0;
    for (expected, (round, findings)) in (1..).zip(&rounds) {
        if *round != expected {
            break;
        }
        if findings.contains(&Finding::Unsafe) {
            return Course::Unsafe(*round);
        }
        if findings.iter().any(|finding| *finding != Finding::Safe) {
            break;
        }
        safe_through = *round;
    }
    if safe_through == 0 {
        Course::Unknown(LeftOut::DebateUndecided)
    } else {
        Course::SafeThrough(safe_through)
    }
}

/// Returns the mean round of the first unsafe turn, of debates and of chairs that were safe at first,
/// and the share of debates that are still without one after each round (Kaplan and Meier 1958; a debate that ends leaves those at risk).
pub(super) fn rounds_to_unsafe(pool: &Pool<'_>) -> Vec<Figure> {
    let mut figures = vec![conditional_mean(pool), of_chairs_safe_at_first(pool)];
    figures.extend(curve(pool));
    figures
}

fn conditional_mean(pool: &Pool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
        match course(debate, &pool.scope) {
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

fn of_chairs_safe_at_first(pool: &Pool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
        let courses = courses(debate);
        let chairs = courses.iter().filter(|(place, _)| {
            let asked = pool.scope.place.as_ref();
            asked.is_none_or(|asked| asked == *place)
        });
        if debate.has_inherited_turns() {
            chairs.for_each(|_| tally.leave_out(LeftOut::Inherited));
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
    let why_not = |tally: &Tally| match tally.candidates {
        0 => "no chair's first turn was safe",
        _ => "no chair that was safe at first becomes unsafe",
    };
    let mut figure = pool.figure(Measure::StepsToConversion, tally, why_not);
    figure.notes.push(OF_CHAIRS.to_owned());
    figure
}

/// Returns the round in which a chair that began safe is first unsafe, if it becomes so, or why that
/// cannot be told; `None` for a chair that began unsafe.
fn first_unsafe_after_safe(
    course: &BTreeMap<u32, &TurnRow>,
    people: People,
) -> Option<Result<Option<u32>, LeftOut>> {
    for (expected, (round, turn)) in (1..).zip(course) {
        if *round != expected {
            return Some(Err(LeftOut::DebateUndecided));
        }
        if let Some(reason) = excluded(turn, people) {
            return Some(Err(reason));
        }
        match Reading::AsJudged.of(turn.state) {
            Finding::Unsafe if *round == 1 => return None,
            Finding::Unsafe => return Some(Ok(Some(*round))),
            Finding::Missing(reason) => return Some(Err(reason)),
            Finding::Safe | Finding::Context => {}
        }
    }
    Some(Ok(None))
}

/// Debates at risk in a round, and those of them whose first unsafe turn came in it.
#[derive(Debug, Clone, Copy, Default)]
struct AtRisk {
    debates: f64,
    unsafe_now: f64,
}

fn curve(pool: &Pool<'_>) -> Vec<Figure> {
    let mut left_out: BTreeMap<LeftOut, usize> = BTreeMap::new();
    let mut topics: BTreeMap<&str, [AtRisk; MAX_CURVE_ROUNDS]> = BTreeMap::new();
    for debate in &pool.debates {
        let (last, turned) = match course(debate, &pool.scope) {
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

/// The curve's height after a number of rounds, `None` when no debate is at risk in the last.
fn point(
    pool: &Pool<'_>,
    topics: &BTreeMap<&str, [AtRisk; MAX_CURVE_ROUNDS]>,
    left_out: &BTreeMap<LeftOut, usize>,
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
    let interval = bootstrap(&sums, kaplan_meier, pool.plan);
    let mut figure = Figure {
        measure: Measure::StillSafe,
        title: None,
        keys: vec![Key {
            by: By::Round,
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
        notes: Vec::new(),
    };
    figure.give(height, interval);
    Some(figure)
}

/// Π (1 − unsafe / at risk) over (at risk, unsafe) of each round. In a resample without a debate
/// at risk in some round the curve stays where it was.
fn kaplan_meier(total: &[f64]) -> Option<f64> {
    let mut height = 1.0;
    for round in total.chunks_exact(2) {
        if round[0] > 0.0 {
            height *= 1.0 - round[1] / round[0];
        }
    }
    Some(height)
}
