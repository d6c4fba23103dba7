//! Selection measured on repetitions: against a restatement that is as plain as the formulas, and on judges and
//! critics whose truth is known.

use crate::{
    CurveTopics, DebateRow, DecisionLabel, Measure, Report, ReportSettings, Resampling, Selection,
    SelectionError, SelectionSettings, selection_report,
};
use elenchus_test_support::drawn::datasets;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

use super::selection::{repeats, rollout_row};

const A: DecisionLabel = DecisionLabel::Accept;
const M: DecisionLabel = DecisionLabel::Middle;
const R: DecisionLabel = DecisionLabel::Reject;

fn reward(label: DecisionLabel) -> f64 {
    match label {
        DecisionLabel::Accept => 1.0,
        DecisionLabel::Reject => -1.0,
        _ => 0.0,
    }
}

fn selected(
    rows: &[DebateRow],
    repetitions: &[DebateRow],
    seat: &str,
    selections: &[Selection],
    resamples: u32,
) -> Result<Report, SelectionError> {
    let seats = [seat.to_owned()];
    let settings = ReportSettings {
        resampling: Resampling { resamples, seed: 5 },
        ..ReportSettings::default()
    };
    let selected = SelectionSettings {
        seats: &seats,
        selections,
        topics: CurveTopics::Shared,
        judged_by: Some(repetitions),
    };
    selection_report(rows, &settings, &selected)
}

fn value(report: &Report, section: usize, measure: Measure) -> Option<f64> {
    let mut figures = report.sections[section].figures.iter();
    figures.find(|figure| figure.measure == measure)?.value
}

/// A topic: for each rollout its proposal and critique, whether the proposal is right, and what was decided in the
/// first run and in each repetition.
type Topic = Vec<(u64, u64, Vec<DecisionLabel>)>;

/// Text 0 and all other even ones are right.
fn is_right(proposal: u64) -> bool {
    proposal.is_multiple_of(2)
}

fn played(topics: &[Topic], seats: &[&str]) -> (Vec<DebateRow>, Vec<DebateRow>) {
    let (mut rows, mut repetitions) = (Vec::new(), Vec::new());
    for (number, rollouts) in topics.iter().enumerate() {
        for (rollout, (proposal, critique, labels)) in (0..).zip(rollouts) {
            for (seed, label) in (0..).zip(labels) {
                let row = rollout_row(
                    &format!("t{number:02}"),
                    (seed, rollout),
                    (*proposal, *critique),
                    (reward(*label), is_right(*proposal), *label),
                );
                match seed {
                    0 => rows.push(row),
                    _ => repetitions.push(repeats(seats, row)),
                }
            }
        }
    }
    (rows, repetitions)
}

/// What is told apart: (the group of rollouts, the answer) of a rollout.
fn told(seat: &str, all: bool, proposal: u64, critique: u64) -> (u64, (u64, u64)) {
    match (seat, all) {
        ("proposer", false) => (0, (proposal, 0)),
        ("proposer", true) => (0, (proposal, critique)),
        _ => (proposal, (proposal, critique)),
    }
}

/// Every way to draw `n` of the rollouts; the best ones of a draw share it.
fn best_of(rewards: &[f64], n: u32) -> Vec<f64> {
    let mut chances = vec![0.0; rewards.len()];
    let mut ways = 0.0;
    for drawn in 0u32..1 << rewards.len() {
        if drawn.count_ones() == n {
            ways += 1.0;
            let members: Vec<usize> = (0..rewards.len()).filter(|i| drawn >> i & 1 == 1).collect();
            let best = members.iter().map(|i| rewards[*i]).fold(f64::MIN, f64::max);
            let winners: Vec<usize> = members
                .into_iter()
                .filter(|i| rewards[*i] == best)
                .collect();
            for winner in &winners {
                chances[*winner] += 1.0 / winners.len() as f64;
            }
        }
    }
    chances.iter().map(|chance| chance / ways).collect()
}

/// The figures by their formulas: numerator and denominator of accuracy, P(reject | correct), P(accept | incorrect),
/// share in between and reward.
fn naive(topics: &[Topic], seat: &str, all: bool, n: u32) -> [Option<f64>; 5] {
    let mut sums = [[0.0; 2]; 5];
    for topic in topics {
        let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, (proposal, critique, _)) in topic.iter().enumerate() {
            let group = told(seat, all, *proposal, *critique).0;
            groups.entry(group).or_default().push(at);
        }
        groups.retain(|_, members| members.len() >= n as usize);
        let kept: usize = groups.values().map(Vec::len).sum();
        for members in groups.values() {
            let answer = |at: usize| told(seat, all, topic[at].0, topic[at].1).1;
            // The draws of an answer, those of the first run first, then by run and by rollout.
            let draws = |of: (u64, u64)| {
                let with = || members.iter().filter(move |at| answer(**at) == of);
                let mut draws: Vec<DecisionLabel> = with().map(|at| topic[*at].2[0]).collect();
                for seed in 1..topic[members[0]].2.len() {
                    draws.extend(with().map(|at| topic[*at].2[seed]));
                }
                draws
            };
            for chooses in [0, 1] {
                let half = |of: (u64, u64), parity: usize| {
                    let draws = draws(of).into_iter().enumerate();
                    let half = draws.filter(move |(at, _)| at % 2 == parity);
                    half.map(|(_, label)| label).collect::<Vec<_>>()
                };
                let mean = |labels: &[DecisionLabel], of: &dyn Fn(DecisionLabel) -> f64| {
                    labels.iter().map(|label| of(*label)).sum::<f64>() / labels.len() as f64
                };
                let sign = if seat == "critic" { -1.0 } else { 1.0 };
                let rewards: Vec<f64> = members
                    .iter()
                    .map(|at| mean(&half(answer(*at), chooses), &|label| sign * reward(label)))
                    .collect();
                for (at, weight) in members.iter().zip(best_of(&rewards, n)) {
                    let weight = weight * members.len() as f64 / kept as f64;
                    let measuring = half(answer(*at), 1 - chooses);
                    let is = |wanted: DecisionLabel| {
                        mean(&measuring, &|label| f64::from(u8::from(label == wanted)))
                    };
                    let right = is_right(topic[*at].0);
                    let values = [
                        Some(f64::from(u8::from(right))),
                        right.then(|| is(R)),
                        (!right).then(|| is(A)),
                        Some(is(M)),
                        Some(mean(&measuring, &|label| sign * reward(label))),
                    ];
                    for (sum, value) in sums.iter_mut().zip(values) {
                        if let Some(value) = value {
                            sum[0] += weight * value;
                            sum[1] += weight;
                        }
                    }
                }
            }
        }
    }
    sums.map(|[of, over]| (over > 0.0).then(|| of / over))
}

const MEASURES: [Measure; 5] = [
    Measure::ProposerAccuracy,
    Measure::RejectGivenCorrect,
    Measure::AcceptGivenIncorrect,
    Measure::MiddleRate,
    Measure::MeanReward,
];

fn topics() -> impl Strategy<Value = Vec<Topic>> {
    let label = || prop_oneof![3 => Just(A), 1 => Just(M), 3 => Just(R)];
    let rollout = (0u64..4, 0u64..3, proptest::collection::vec(label(), 4));
    // Every answer is given at least once in the first run and in three repetitions.
    proptest::collection::vec(proptest::collection::vec(rollout, 3..6), 1..4)
}

proptest! {
    #[test]
    fn cross_fitted_figures_are_those_of_the_formula(topics in topics(), n in 1u32..4) {
        for (seat, seats, all) in [
            ("proposer", &["proposer"][..], false),
            ("proposer", &["proposer", "critic"][..], true),
            ("critic", &["proposer", "critic"][..], true),
        ] {
            let (mut rows, mut repetitions) = played(&topics, seats);
            // A judge that never differs is refused, and has a test of its own.
            let (unlike, again) = played(&[vec![(0, 0, vec![A, R, A, R])]], seats);
            let rename = |rows: Vec<DebateRow>| rows.into_iter().map(|row| DebateRow {
                topic: crate::RowTopic::from_name("unlike"),
                session: format!("unlike {}", row.session),
                ..row
            }).collect::<Vec<_>>();
            rows.extend(rename(unlike));
            repetitions.extend(rename(again));
            let with_unlike: Vec<Topic> =
                topics.iter().cloned().chain([vec![(0, 0, vec![A, R, A, R])]]).collect();
            let report =
                selected(&rows, &repetitions, seat, &[Selection::BestOf(n)], 0).unwrap();
            let expected = naive(&with_unlike, seat, all, n);
            let certain = report.sections[0].notes.iter().any(|note| note.contains("never differs"));
            for (measure, expected) in MEASURES.into_iter().zip(expected) {
                if certain && measure != Measure::ProposerAccuracy {
                    continue;
                }
                let found = value(&report, 0, measure);
                match (found, expected) {
                    (Some(found), Some(expected)) => {
                        prop_assert!((found - expected).abs() < 1e-9, "{seat} {measure:?}: {found} {expected}");
                    }
                    (found, expected) => prop_assert_eq!(found, expected, "{} {:?}", seat, measure),
                }
            }
        }
    }
}

#[test]
fn each_question_stands_in_the_heading() {
    let topic: Topic = vec![
        (0, 0, vec![A, R, A, R]),
        (0, 1, vec![R, A, A, M]),
        (1, 0, vec![R, R, A, R]),
        (1, 1, vec![A, R, R, R]),
    ];
    for (seat, seats, heading) in [
        (
            "proposer",
            &["proposer"][..],
            "best of 2 by proposer, a fresh critic and judge on the same proposals",
        ),
        (
            "proposer",
            &["proposer", "critic"][..],
            "best of 2 by proposer, a fresh judge on the same transcripts",
        ),
        (
            "critic",
            &["proposer", "critic"][..],
            "best of 2 by critic, the critic selected, on frozen turns of proposer",
        ),
    ] {
        let (rows, repetitions) = played(std::slice::from_ref(&topic), seats);
        let report = selected(&rows, &repetitions, seat, &[Selection::BestOf(2)], 0).unwrap();
        let section = &report.sections[0];
        assert_eq!(section.group.last().unwrap().value, heading);
        assert!(value(&report, 0, Measure::DrawsOfAnswer).unwrap() >= 4.0);
        let notes = section.notes.join("\n");
        assert!(notes.contains("draws of each"), "{notes}");
    }
}

#[test]
fn a_judge_that_never_differs_is_said_and_no_fresh_judge_of_transcripts() {
    let topic: Topic = vec![(0, 0, vec![A; 4]), (1, 1, vec![R; 4]), (2, 2, vec![R; 4])];
    let both = ["proposer", "critic"];
    let (rows, repetitions) = played(std::slice::from_ref(&topic), &both);
    let report = selected(&rows, &repetitions, "proposer", &[Selection::BestOf(2)], 0).unwrap();
    let refused = report.sections[0].figures.iter();
    let refused =
        refused.filter(|it| it.not_applicable.as_deref() == Some("the judge never differs"));
    assert_eq!(refused.count(), 5);
    let notes = report.sections[0].notes.join("\n");
    assert!(
        notes.contains("the judge never differs: 3 transcripts"),
        "{notes}"
    );
    // What other critics say to the same proposals is another question.
    let (rows, repetitions) = played(&[topic], &["proposer"]);
    let report = selected(&rows, &repetitions, "proposer", &[Selection::BestOf(2)], 0).unwrap();
    assert!(value(&report, 0, Measure::RejectGivenCorrect).is_some());
}

#[test]
fn fewer_than_four_draws_of_an_answer_leave_its_topic_out() {
    let enough: Topic = vec![(0, 0, vec![A, R, A, R]), (1, 0, vec![R, A, A, R])];
    let (rows, mut repetitions) = played(&[enough.clone(), enough], &["proposer"]);
    // The other answers of that topic go too: how often one is given depends on what it is.
    repetitions.retain(|row| row.session != "t01-3-0");
    let report = selected(&rows, &repetitions, "proposer", &[Selection::BestOf(2)], 0).unwrap();
    let section = &report.sections[0];
    assert_eq!((section.topics, section.debates), (1, 2));
    let notes = section.notes.join("\n");
    assert!(notes.contains("fewer than 4 draws (3)"), "{notes}");
    assert!(notes.contains("with 1 more seeds"), "{notes}");
}

#[test]
fn repetitions_that_cannot_tell_are_refused_with_the_reason() {
    let topic: Topic = vec![(0, 0, vec![A, R, A, R]), (1, 1, vec![R, A, A, R])];
    let best = [Selection::BestOf(2)];
    let (rows, repetitions) = played(&[topic], &["proposer"]);
    let refused = |rows: &[DebateRow], repetitions: &[DebateRow], seat: &str| {
        selected(rows, repetitions, seat, &best, 0).unwrap_err()
    };
    assert_eq!(
        refused(&rows, &[], "proposer"),
        SelectionError::NoRepetitions
    );
    assert_eq!(
        refused(&rows, &rows, "proposer"),
        SelectionError::RepeatsNothing("run-0".to_owned())
    );
    assert_eq!(
        refused(&rows, &repetitions, "critic"),
        SelectionError::SeatNotRepeated("critic".to_owned())
    );
    let critics: Vec<DebateRow> = rows
        .iter()
        .map(|row| repeats(&["critic"], row.clone()))
        .collect();
    let mut other = critics.clone();
    for row in &mut other {
        row.origin.run = Some("run-1".to_owned());
        row.origin.seed = Some(1);
    }
    assert_eq!(
        refused(&rows, &other, "critic"),
        SelectionError::BeforeNotRepeated {
            seat: "critic".to_owned(),
            before: "proposer".to_owned()
        }
    );
    let mixed: Vec<DebateRow> = repetitions.iter().cloned().chain(other).collect();
    assert!(matches!(
        refused(&rows, &mixed, "proposer"),
        SelectionError::OtherSeats(..)
    ));
    let mut same_seed = repetitions.clone();
    for row in &mut same_seed {
        row.origin.seed = Some(0);
    }
    assert_eq!(
        refused(&rows, &same_seed, "proposer"),
        SelectionError::EqualSeeds {
            run: "run-1".to_owned(),
            other: "run-0".to_owned(),
            seed: 0
        }
    );
    let mut elsewhere = rows.clone();
    for row in &mut elsewhere {
        row.origin.run = Some("run-9".to_owned());
    }
    assert!(matches!(
        refused(&elsewhere, &repetitions, "proposer"),
        SelectionError::RepeatsOther { .. }
    ));
    let mut two_judges = repetitions;
    two_judges[0]
        .players
        .insert("judge-0".to_owned(), "another".to_owned());
    assert_eq!(
        refused(&rows, &two_judges, "proposer"),
        SelectionError::SeveralPlayers
    );
}

/// Chance that the judge rejects a right proposal after an honest, and after a spurious critique.
const REJECTS: [f64; 2] = [0.1, 0.7];
/// The same of a wrong proposal.
const REJECTS_WRONG: [f64; 2] = [0.75, 0.95];
const TOPICS: usize = 40;

fn decide(rng: &mut ChaCha8Rng, right: bool, spurious: bool) -> DecisionLabel {
    let chances = if right { REJECTS } else { REJECTS_WRONG };
    match rng.random_bool(chances[usize::from(spurious)]) {
        true => R,
        false => A,
    }
}

/// Counts the intervals of P(reject | correct) that hold the truth, at each N by itself.
fn assert_holds(
    name: &str,
    curve: &[(u32, f64)],
    seat: &str,
    seats: &[&str],
    topic: impl Fn(&mut ChaCha8Rng) -> Topic,
) {
    let seeds = datasets(200);
    let mut held = vec![0u32; curve.len()];
    for seed in 0..seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let topics: Vec<Topic> = (0..TOPICS).map(|_| topic(&mut rng)).collect();
        let (rows, repetitions) = played(&topics, seats);
        let selections: Vec<Selection> = curve.iter().map(|(n, _)| Selection::BestOf(*n)).collect();
        let report = selected(&rows, &repetitions, seat, &selections, 300).unwrap();
        for (at, (_, truth)) in curve.iter().enumerate() {
            let mut figures = report.sections[at].figures.iter();
            let figure = figures
                .find(|it| it.measure == Measure::RejectGivenCorrect)
                .unwrap();
            let interval = figure.interval.unwrap();
            held[at] += u32::from((interval.low..=interval.high).contains(truth));
        }
    }
    for (held, (n, _)) in held.iter().zip(curve) {
        let share = f64::from(*held) / seeds as f64;
        println!("{name}, best of {n}: holds {share}");
        // Two standard errors of a share of .93.
        let slack = 2.0 * (0.93 * 0.07 / seeds as f64).sqrt();
        assert!(share >= 0.93 - slack, "{name}, best of {n}: {share}");
    }
}

#[test]
fn selecting_the_proposer_leaves_a_fixed_critic_and_judge_as_they_are() {
    // Nine in ten critiques are spurious, whatever they are about.
    let truth = 0.1 * REJECTS[0] + 0.9 * REJECTS[1];
    let curve = [(1, truth), (2, truth), (4, truth), (8, truth)];
    assert_holds("fixed critic", &curve, "proposer", &["proposer"], |rng| {
        (0..8)
            .map(|rollout| {
                let right = rng.random_bool(0.6);
                let mut draw = || {
                    let spurious = rng.random_bool(0.9);
                    decide(rng, right, spurious)
                };
                let labels = (0..4).map(|_| draw()).collect();
                (2 * rollout + u64::from(!right), rollout, labels)
            })
            .collect()
    });
}

/// P(reject | correct) where the best of `n` of the critics of one right proposal is taken by the mean of two draws: a
/// fifth of the critiques is spurious.
fn rejected_by_best(n: i32) -> f64 {
    let shares = [0.8, 0.2];
    // Chance of a critique of each kind that is rejected in so many of two draws.
    let chance = |kind: usize, rejections: usize| {
        let p: f64 = REJECTS[kind];
        let ways = [(1.0 - p).powi(2), 2.0 * p * (1.0 - p), p.powi(2)];
        shares[kind] * ways[rejections]
    };
    let at = |rejections: usize| chance(0, rejections) + chance(1, rejections);
    let mut below: f64 = 0.0;
    let mut rejected = 0.0;
    for rejections in 0..3 {
        let up_to = below + at(rejections);
        let is_best = up_to.powi(n) - below.powi(n);
        let of_kinds = (0..2).map(|kind| chance(kind, rejections) * REJECTS[kind]);
        rejected += is_best * of_kinds.sum::<f64>() / at(rejections);
        below = up_to;
    }
    rejected
}

#[test]
fn selecting_among_honest_and_spurious_critics_shows_the_known_rise() {
    let curve = [1, 2, 4].map(|n| (n, rejected_by_best(n as i32)));
    let [(_, first), .., (_, last)] = curve;
    assert!(
        (first - 0.22).abs() < 1e-9 && last > first + 0.15,
        "{first} {last}"
    );
    let both = ["proposer", "critic"];
    assert_holds("mixed critics", &curve, "critic", &both, |rng| {
        (0..4)
            .map(|critique| {
                let spurious = rng.random_bool(0.2);
                let labels = (0..4).map(|_| decide(rng, true, spurious)).collect();
                (0, critique, labels)
            })
            .collect()
    });
}
