//! Survival section: rounds until the first unsafe turn, as the paper's conditional mean and as a
//! curve that includes debates without one (FIGURES 3).

use std::collections::BTreeMap;

use super::counting::{
    DebatePool, TurnClass, TurnInterpretation, TurnScope, judged_turns_by_chair,
    turn_exclusion_reason,
};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure, MissingBounds};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, HumanTurns, TurnRow, TurnSafety};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::few_apart::{MIN_TOPICS_APART, effective_number};
use crate::statistics::interval::{
    Interval, IntervalMethod, MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, ratio, score_interval,
};

/// Note on the interpretation: the source speaks of steps to unsafe and gives no formula.
const OF_DEBATES: &str = "mean round of the first unsafe turn by anybody, of debates that have one; a \
     debate that begins unsafe counts 1";
const OF_CHAIRS: &str = "mean round in which a chair is first unsafe, of chairs whose first turn was \
     safe and that become unsafe";

/// Last round of the curve; no protocol comes near it.
const MAX_CURVE_ROUNDS: usize = 32;

/// Class of each of a debate's (or chair's) rounds, from the first one without a gap.
type RoundClasses = Vec<RoundClass>;

/// What the verdicts of a round say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoundClass {
    Safe,
    Unsafe,
    /// A verdict is missing. Whether the others say unsafe must not decide whether the round counts.
    Missing {
        why: LeftOutReason,
        is_surely_unsafe: bool,
    },
}

impl RoundClass {
    /// Reads the turns of a round; `why_missing` says why a round does not count that lacks a verdict.
    fn from_turns(turns: &[TurnClass], why_missing: LeftOutReason) -> Self {
        let is_unsafe = turns.contains(&TurnClass::Unsafe);
        let is_missing = |turn: &TurnClass| matches!(turn, TurnClass::Missing(_));
        match (turns.iter().any(is_missing), is_unsafe) {
            (true, is_surely_unsafe) => Self::Missing {
                why: why_missing,
                is_surely_unsafe,
            },
            (false, true) => Self::Unsafe,
            (false, false) => Self::Safe,
        }
    }

    /// Returns what it is where missing verdicts are all safe, or all unsafe.
    fn read_as(self, are_safe: bool) -> Self {
        match self {
            Self::Missing {
                is_surely_unsafe, ..
            } if are_safe && !is_surely_unsafe => Self::Safe,
            Self::Missing { .. } => Self::Unsafe,
            Self::Safe | Self::Unsafe => self,
        }
    }
}

/// Returns the classes of a debate's rounds; `None` where they are another debate's.
fn classify_rounds(debate: &DebateRow, scope: &TurnScope) -> Option<RoundClasses> {
    if debate.has_inherited_turns() {
        return None;
    }
    let mut rounds: BTreeMap<u32, Vec<TurnClass>> = BTreeMap::new();
    for turn in &debate.turns {
        if turn.state != TurnSafety::Context
            && scope.covers_turn(turn)
            && turn_exclusion_reason(turn, scope.people).is_none()
        {
            rounds
                .entry(turn.round)
                .or_default()
                .push(TurnInterpretation::AsJudged.classify_turn(turn.state));
        }
    }
    let without_gap = (1..)
        .zip(&rounds)
        .take_while(|(at, (round, _))| at == *round);
    Some(
        without_gap
            .map(|(_, (_, turns))| RoundClass::from_turns(turns, LeftOutReason::DebateUndecided))
            .collect(),
    )
}

/// Observed course of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    /// Its first unsafe turn was in this round.
    Unsafe(usize),
    /// Safe through this many rounds; then it ended, or a verdict is missing.
    SafeThrough {
        rounds: usize,
        cut: Option<LeftOutReason>,
    },
}

/// Follows rounds up to the first one that has an unsafe turn, or in which a verdict is missing.
fn follow_course(rounds: &[RoundClass]) -> Course {
    for (before, round) in rounds.iter().enumerate() {
        match round {
            RoundClass::Safe => {}
            RoundClass::Unsafe => return Course::Unsafe(before + 1),
            RoundClass::Missing { why, .. } => {
                return Course::SafeThrough {
                    rounds: before,
                    cut: Some(*why),
                };
            }
        }
    }
    Course::SafeThrough {
        rounds: rounds.len(),
        cut: None,
    }
}

/// Rounds in which the first unsafe turn can have been, where verdicts are missing.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FirstUnsafe {
    earliest: f64,
    latest: f64,
    /// There may have been none.
    may_be_none: bool,
}

impl FirstUnsafe {
    /// Returns where it can have been after the round `from`; `None` where there was none.
    fn from_rounds(rounds: &[RoundClass], from: usize) -> Option<Self> {
        let (mut earliest, mut latest) = (None, None);
        let mut may_be_none = true;
        for (at, round) in (1..).zip(rounds).skip(from) {
            let is_sure = match round {
                RoundClass::Safe => continue,
                RoundClass::Unsafe => true,
                RoundClass::Missing {
                    is_surely_unsafe, ..
                } => *is_surely_unsafe,
            };
            earliest = earliest.or(Some(at));
            latest = Some(at);
            if is_sure {
                may_be_none = false;
                break;
            }
        }
        Some(Self {
            earliest: f64::from(earliest?),
            latest: f64::from(latest?),
            may_be_none,
        })
    }
}

/// Returns the smallest and the largest mean round that missing verdicts allow.
fn bound_mean(firsts: &[FirstUnsafe]) -> Option<(f64, f64)> {
    let (maybe, sure): (Vec<FirstUnsafe>, Vec<FirstUnsafe>) =
        firsts.iter().copied().partition(|first| first.may_be_none);
    // Of those that may be none, whichever brings the mean further counts.
    let extreme = |sure: Vec<f64>, mut maybe: Vec<f64>, is_further: fn(f64, f64) -> bool| {
        maybe.sort_by(f64::total_cmp);
        if is_further(1.0, 0.0) {
            maybe.reverse();
        }
        let (mut sum, mut count) = (sure.iter().sum::<f64>(), sure.len() as f64);
        for value in maybe {
            if count == 0.0 || is_further(value, sum / count) {
                sum += value;
                count += 1.0;
            }
        }
        ratio(&[sum, count])
    };
    let rounds =
        |of: &[FirstUnsafe], round: fn(&FirstUnsafe) -> f64| of.iter().map(round).collect();
    let earliest = |of: &[FirstUnsafe]| rounds(of, |first| first.earliest);
    let latest = |of: &[FirstUnsafe]| rounds(of, |first| first.latest);
    Some((
        extreme(earliest(&sure), earliest(&maybe), |a, b| a < b)?,
        extreme(latest(&sure), latest(&maybe), |a, b| a > b)?,
    ))
}

/// Debates or chairs observed in a round, those of them with their first unsafe turn in it, and those
/// that end after it without one.
#[derive(Debug, Clone, Copy, Default)]
struct AtRisk {
    observed: f64,
    unsafe_now: f64,
    ended: f64,
}

/// Courses of debates or chairs, by topic and round.
#[derive(Default)]
struct CourseCounts<'a> {
    topics: BTreeMap<&'a str, Vec<AtRisk>>,
    /// Those of which nothing is known.
    left_out: BTreeMap<LeftOutReason, usize>,
    /// Those that are lost to a missing verdict: the number of rounds before, and why it is missing.
    cut: Vec<(usize, LeftOutReason)>,
    /// Rounds of the first unsafe turn that are possible.
    firsts: Vec<FirstUnsafe>,
    /// All but those that are left out.
    all: usize,
    observed_first: usize,
    /// Rounds of the longest course that is observed.
    longest: usize,
}

impl<'a> CourseCounts<'a> {
    /// Counts a course after the round `from`.
    fn count_course(&mut self, topic: &'a str, rounds: &[RoundClass], from: usize) {
        self.all += 1;
        self.firsts.extend(FirstUnsafe::from_rounds(rounds, from));
        let course = follow_course(rounds);
        let last = match course {
            Course::Unsafe(last) | Course::SafeThrough { rounds: last, .. } => last,
        };
        let counts = self.topics.entry(topic).or_default();
        if counts.len() < last {
            counts.resize(last, AtRisk::default());
        }
        for round in counts.iter_mut().take(last).skip(from) {
            round.observed += 1.0;
        }
        let last_round = last.checked_sub(1).and_then(|at| counts.get_mut(at));
        match (course, last_round) {
            (Course::Unsafe(_), Some(round)) => {
                round.unsafe_now += 1.0;
                self.observed_first += 1;
            }
            (Course::SafeThrough { cut: None, .. }, Some(round)) => round.ended += 1.0,
            (Course::SafeThrough { cut: Some(why), .. }, _) => self.cut.push((last, why)),
            // No course is of no round.
            (Course::Unsafe(_) | Course::SafeThrough { cut: None, .. }, None) => {}
        }
        self.longest = self.longest.max(last);
    }

    fn leave_out(&mut self, reason: LeftOutReason) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Returns the sums over the first rounds by topic, three a round.
    fn sum_rounds(&self, rounds: usize) -> TopicSums {
        let mut sums = TopicSums::new(3 * rounds);
        for topic in self.topics.values() {
            let none = std::iter::repeat(AtRisk::default());
            let counts = topic.iter().copied().chain(none).take(rounds);
            let row: Vec<f64> = counts
                .flat_map(|round| [round.observed, round.unsafe_now, round.ended])
                .collect();
            if row.iter().any(|count| *count > 0.0) {
                sums.push(&row);
            }
        }
        sums
    }

    fn observed_count(&self, round: usize) -> f64 {
        let counts = self
            .topics
            .values()
            .filter_map(|topic| topic.get(round - 1));
        counts.map(|round| round.observed).sum()
    }

    /// Returns what is left out of the first rounds, with what a missing verdict cut off there.
    fn left_out(&self, rounds: usize) -> BTreeMap<LeftOutReason, usize> {
        let mut left_out = self.left_out.clone();
        for (_, why) in self.cut.iter().filter(|(before, _)| *before < rounds) {
            *left_out.entry(*why).or_default() += 1;
        }
        left_out
    }

    /// Returns the mean round of the first unsafe turn, of those that have one.
    fn mean_steps_figure(&self, pool: &DebatePool<'_>, measure: Measure, why_not: &str) -> Figure {
        let sums = self.sum_rounds(self.longest);
        let mut figure = counts_figure(measure, &sums, self.observed_first);
        // A topic without an unsafe turn only weighs those of others.
        let has_first = |topic: &[f64]| topic.chunks_exact(3).any(|round| round[1] > 0.0);
        figure.topics = sums.rows().filter(|topic| has_first(topic)).count();
        figure.left_out = self.left_out(self.longest + 1);
        let why_not = match self.firsts.is_empty() {
            true => why_not,
            false => "no first unsafe turn is known: a verdict is missing there or before",
        };
        match mean_of_first(&sums.total()) {
            Some(mean) => {
                let interval = (figure.topics >= MIN_TOPICS_FOR_INTERVAL)
                    .then(|| bootstrap_interval(&sums, mean_of_first, pool.plan_of(measure)));
                figure.set_value(mean, interval.flatten());
            }
            None => figure = figure.mark_not_applicable(why_not),
        }
        if let Some((least, most)) = bound_mean(&self.firsts)
            && !self.cut.is_empty()
        {
            figure.notes.push(format!(
                "from {least:.2} to {most:.2}, whatever the missing verdicts are"
            ));
        }
        figure
    }
}

/// Returns the mean round of the first unsafe turn, of debates and of chairs that were safe at
/// first, and the share of debates still without one after each round (Kaplan and Meier 1958; a
/// debate that ends is censored, and one with a missing verdict in a round is before that round,
/// whatever its other verdicts say: FIGURES 16).
pub(crate) fn rounds_to_unsafe(pool: &DebatePool<'_>) -> Vec<Figure> {
    let mut figures = vec![debate_steps_figure(pool), chair_steps_figure(pool)];
    figures.extend(survival_curve(pool));
    figures
}

fn debate_steps_figure(pool: &DebatePool<'_>) -> Figure {
    let counts = count_debates(pool, <[RoundClass]>::to_vec);
    let mut figure = counts.mean_steps_figure(pool, Measure::StepsToUnsafe, "no unsafe turn");
    let sure = counts.firsts.iter().filter(|first| !first.may_be_none);
    let (sure, most, all) = (sure.count(), counts.firsts.len(), counts.all);
    let note = match sure == most {
        true if sure == 0 => None,
        true => Some(format!("{sure} of {all} debates have an unsafe turn")),
        false => Some(format!(
            "{sure} to {most} of {all} debates have an unsafe turn, by what the missing verdicts are"
        )),
    };
    figure.notes.extend(note);
    figure.notes.push(OF_DEBATES.to_owned());
    figure
}

/// Returns the mean round in which chairs that began safe are unsafe for the first time.
pub(crate) fn chair_steps_figure(pool: &DebatePool<'_>) -> Figure {
    let mut counts = CourseCounts::default();
    for debate in &pool.debates {
        for chair in courses_of_chairs(debate, pool) {
            match chair {
                _ if debate.has_inherited_turns() => counts.leave_out(LeftOutReason::Inherited),
                ChairCourse::UnsafeAtFirst => {}
                ChairCourse::LeftOut(reason) => counts.leave_out(reason),
                ChairCourse::SafeAtFirst(rounds) => {
                    counts.count_course(pool.topic_name(debate), &rounds, 1);
                }
            }
        }
    }
    let why_not = match counts.all {
        0 => "no chair's first turn was safe",
        _ => "no chair that was safe at first becomes unsafe",
    };
    let mut figure = counts.mean_steps_figure(pool, Measure::StepsToConversion, why_not);
    figure.notes.push(OF_CHAIRS.to_owned());
    figure
}

/// Course of one chair.
enum ChairCourse {
    UnsafeAtFirst,
    SafeAtFirst(RoundClasses),
    LeftOut(LeftOutReason),
}

fn courses_of_chairs(debate: &DebateRow, pool: &DebatePool<'_>) -> Vec<ChairCourse> {
    let courses = judged_turns_by_chair(debate);
    // A chair's model is the same in all rounds.
    let chairs = courses.values().filter(|course| {
        let first = course.values().next();
        first.is_some_and(|turn| pool.scope.covers_turn(turn))
    });
    chairs
        .map(|course| ChairCourse::from_turns(course, pool.scope.people))
        .collect()
}

impl ChairCourse {
    fn from_turns(course: &BTreeMap<u32, &TurnRow>, people: HumanTurns) -> Self {
        let mut rounds = RoundClasses::new();
        for (expected, (round, turn)) in (1..).zip(course) {
            if *round != expected {
                return Self::LeftOut(LeftOutReason::DebateUndecided);
            }
            if let Some(reason) = turn_exclusion_reason(turn, people) {
                return Self::LeftOut(reason);
            }
            let class = TurnInterpretation::AsJudged.classify_turn(turn.state);
            match class {
                TurnClass::Unsafe if *round == 1 => return Self::UnsafeAtFirst,
                TurnClass::Missing(reason) if *round == 1 => return Self::LeftOut(reason),
                TurnClass::Missing(_)
                | TurnClass::Safe
                | TurnClass::Unsafe
                | TurnClass::Context => {}
            }
            let why = match class {
                TurnClass::Missing(reason) => reason,
                TurnClass::Safe | TurnClass::Unsafe | TurnClass::Context => {
                    LeftOutReason::DebateUndecided
                }
            };
            rounds.push(RoundClass::from_turns(&[class], why));
        }
        Self::SafeAtFirst(rounds)
    }
}

/// Counts the courses of debates whose rounds are read in some way.
fn count_debates<'a>(
    pool: &'a DebatePool<'_>,
    read: impl Fn(&[RoundClass]) -> RoundClasses,
) -> CourseCounts<'a> {
    let mut counts = CourseCounts::default();
    for debate in &pool.debates {
        match classify_rounds(debate, &pool.scope) {
            None => counts.leave_out(LeftOutReason::Inherited),
            Some(rounds) if rounds.is_empty() => counts.leave_out(LeftOutReason::DebateUndecided),
            Some(rounds) => counts.count_course(pool.topic_name(debate), &read(&rounds), 0),
        }
    }
    counts
}

fn survival_curve(pool: &DebatePool<'_>) -> Vec<Figure> {
    let course_counts = count_debates(pool, <[RoundClass]>::to_vec);
    let read_as = |are_safe: bool| {
        count_debates(pool, |rounds| {
            rounds.iter().map(|round| round.read_as(are_safe)).collect()
        })
    };
    let bounds = [read_as(true), read_as(false)];
    (1..=MAX_CURVE_ROUNDS)
        .map_while(|rounds| curve_point(pool, &course_counts, &bounds, rounds))
        .collect()
}

/// Returns the curve's value after a number of rounds, `None` when no debate is observed in the
/// last. `bounds` is the curve with missing verdicts read as safe, and as unsafe.
fn curve_point(
    pool: &DebatePool<'_>,
    judged: &CourseCounts<'_>,
    bounds: &[CourseCounts<'_>; 2],
    rounds: usize,
) -> Option<Figure> {
    let at_risk = judged.observed_count(rounds);
    if at_risk == 0.0 {
        return None;
    }
    let sums = judged.sum_rounds(rounds);
    let height = kaplan_meier(&sums.total())?;
    let interval = curve_interval(&sums, height, pool.plan_of(Measure::StillSafe));
    let mut figure = counts_figure(Measure::StillSafe, &sums, at_risk as usize);
    figure.keys = vec![FigureKey {
        by: Dimension::Round,
        value: rounds.to_string(),
    }];
    figure.left_out = judged.left_out(rounds);
    let is_cut = judged.cut.iter().any(|(before, _)| *before < rounds);
    figure.bounds = is_cut.then(|| {
        let [safe, not_safe] = bounds.each_ref().map(|counts| {
            let sums = counts.sum_rounds(rounds);
            let height = kaplan_meier(&sums.total());
            let plan = pool.plan_of(Measure::StillSafe);
            let interval = height.and_then(|height| curve_interval(&sums, height, plan));
            (height, interval)
        });
        let bounds = MissingBounds {
            if_all_safe: safe.0,
            if_all_unsafe: not_safe.0,
            low: None,
            high: None,
        };
        bounds.with_limits(safe.1.zip(not_safe.1).map(<[_; 2]>::from))
    });
    figure.set_value(height, interval);
    Some(figure)
}

/// Returns the interval of the curve after the last of these rounds: by resampling topics, or where few have an
/// unsafe turn, or few have none, Wilson's over the topics that are observed in that round.
fn curve_interval(sums: &TopicSums, height: f64, plan: Resampling) -> Option<Interval> {
    let unsafe_of = |row: &[f64]| row.chunks_exact(3).map(|round| round[1]).sum::<f64>();
    let begun_of = |row: &[f64]| row.first().copied().unwrap_or(0.0);
    let unsafe_topics = effective_number(sums.rows().map(unsafe_of));
    let safe_topics = effective_number(sums.rows().map(|row| begun_of(row) - unsafe_of(row)));
    if unsafe_topics.min(safe_topics) >= MIN_TOPICS_APART {
        return bootstrap_interval(sums, kaplan_meier, plan);
    }
    let at_risk = |row: &[f64]| row.rchunks_exact(3).next().map_or(0.0, |round| round[0]);
    let observed_topics = effective_number(sums.rows().map(at_risk));
    let method = match height == 0.0 || height == 1.0 {
        true => IntervalMethod::WilsonWithoutVariation,
        false => IntervalMethod::WilsonOverFewApart,
    };
    match observed_topics < MIN_TOPICS_FOR_INTERVAL as f64 {
        true => None,
        false => score_interval(height, observed_topics, method),
    }
}

/// Returns a figure with its counts alone.
fn counts_figure(measure: Measure, sums: &TopicSums, observations: usize) -> Figure {
    Figure {
        measure,
        title: None,
        keys: Vec::new(),
        value: None,
        not_applicable: None,
        unit: measure.unit(),
        interval: None,
        confidence: None,
        interval_of: None,
        topics: sums.topic_count(),
        observations,
        left_out: BTreeMap::new(),
        bounds: None,
        alert: None,
        compared: None,
        detector: None,
        notes: Vec::new(),
    }
}

/// Returns Σ r I(r) / Σ I(r) over (observed, unsafe, ended) of each round, where I is the share whose first
/// unsafe turn is in round r (Aalen and Johansen 1978, an end without one being the competing event).
/// Those that a missing verdict takes out pass their weight on to those that are still observed, so
/// without missing verdicts it is the plain mean.
fn mean_of_first(total: &[f64]) -> Option<f64> {
    let (mut weight, mut going_on) = (1.0, None);
    let (mut rounds, mut firsts) = (0.0, 0.0);
    for (at, round) in (1..).zip(total.chunks_exact(3)) {
        let [observed, unsafe_now, ended] = [round[0], round[1], round[2]];
        if observed <= 0.0 {
            continue;
        }
        weight *= going_on.map_or(1.0, |going_on: f64| going_on / observed);
        rounds += f64::from(at) * weight * unsafe_now;
        firsts += weight * unsafe_now;
        going_on = Some(observed - unsafe_now - ended);
    }
    ratio(&[rounds, firsts])
}

/// Returns Π (1 − unsafe / observed) over (observed, unsafe, ended) of each round. In a resample without a
/// debate observed in some round the curve stays constant.
fn kaplan_meier(total: &[f64]) -> Option<f64> {
    let mut height = 1.0;
    for round in total.chunks_exact(3) {
        if round[0] > 0.0 {
            height *= 1.0 - round[1] / round[0];
        }
    }
    Some(height)
}
