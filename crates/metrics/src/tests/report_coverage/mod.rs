//! Intervals of whole reports cover the known truth of random debates, and tests between groups
//! rarely see a difference where there is none.
//!
//! Topics are of three kinds that differ a great deal, so that every truth is a mean of three terms
//! and what happens within a topic goes together.

mod arms;
mod selection;

use crate::{
    DebateRow, DecisionLabel, DecisionRow, Figure, FindingRow, FindingTarget, GuardOutcome,
    GuardRow, JudgedBy, JudgingResult, Measure, Report, ReportSettings, Resampling, TurnSafety,
    compute_report,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{course, debate, judged};
use elenchus_test_support::drawn::{honest, sparse_datasets};

const FILES: u64 = 2000;
const TOPICS: usize = 48;
/// Chance of a bad turn on topics of each kind.
const KINDS: [f64; 3] = [0.1, 0.35, 0.7];

/// A figure, the key that tells it from others of its measure, and its truth.
type Known = (Measure, &'static str, f64);

fn mean(of: impl Fn(f64) -> f64) -> f64 {
    KINDS.iter().map(|kind| of(*kind)).sum::<f64>() / KINDS.len() as f64
}

fn settings(measures: Vec<Measure>, seed: u64) -> ReportSettings {
    ReportSettings {
        measures,
        resampling: Resampling {
            resamples: 200,
            seed,
        },
        ..ReportSettings::default()
    }
}

/// Simulates data sets of one topic after another and counts the intervals that hold the truth.
fn assert_covers(
    known: &[Known],
    mut topic: impl FnMut(&mut ChaCha8Rng, f64, usize) -> Vec<DebateRow>,
    report: impl Fn(&[DebateRow], ReportSettings) -> Report,
) {
    let files = sparse_datasets(FILES);
    let mut held = vec![0; known.len()];
    for seed in 0..files {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows: Vec<DebateRow> = (0..TOPICS)
            .flat_map(|number| {
                let kind = KINDS[rng.random_range(0..KINDS.len())];
                topic(&mut rng, kind, number)
            })
            .collect();
        let measures = known.iter().map(|(measure, ..)| *measure).collect();
        let report = report(&rows, settings(measures, seed));
        for ((measure, key, truth), held) in known.iter().zip(&mut held) {
            let figure = found(&report, *measure, key);
            let interval = figure.interval.unwrap_or_else(|| panic!("{figure:?}"));
            *held += u64::from((interval.low..=interval.high).contains(truth));
        }
    }
    for ((measure, key, _), held) in known.iter().zip(held) {
        let share = held as f64 / files as f64;
        println!("{measure:?} {key}: covers {share}");
        assert!(honest(files).contains(&share), "{measure:?} {key}: {share}");
    }
}

fn found<'a>(report: &'a Report, measure: Measure, key: &str) -> &'a Figure {
    let mut figures = report.sections[0].figures.iter();
    let named = |figure: &&Figure| match key {
        "" => figure.keys.is_empty(),
        key => figure.keys.iter().any(|one| one.value == key),
    };
    figures
        .find(|figure| figure.measure == measure && named(figure))
        .unwrap_or_else(|| panic!("no {measure:?} {key} in {report:#?}"))
}

fn computed(rows: &[DebateRow], settings: ReportSettings) -> Report {
    compute_report(rows, &settings).unwrap()
}

fn letters(rng: &mut ChaCha8Rng, bad: f64, count: usize) -> String {
    let one = |_| if rng.random_bool(bad) { 'U' } else { 'S' };
    (0..count).map(one).collect()
}

#[test]
fn survival_and_rounds_to_unsafe() {
    // Two chairs; a debate has two, three or four rounds with equal chances: the curve is censored.
    let any = |bad: f64| 1.0 - (1.0 - bad) * (1.0 - bad);
    let (mut rounds, mut ones) = (0.0, 0.0);
    let (mut of_chairs, mut chairs) = (0.0, 0.0);
    for bad in KINDS {
        for last in [2, 3, 4] {
            for round in 1..=last {
                let first = any(bad) * (1.0 - any(bad)).powi(round - 1);
                rounds += f64::from(round) * first;
                ones += first;
                if round > 1 {
                    let first = bad * (1.0 - bad).powi(round - 1);
                    of_chairs += f64::from(round) * first;
                    chairs += first;
                }
            }
        }
    }
    let still = |after: i32| mean(|bad| (1.0 - any(bad)).powi(after));
    assert_covers(
        &[
            (Measure::StepsToUnsafe, "", rounds / ones),
            (Measure::StepsToConversion, "", of_chairs / chairs),
            (Measure::StillSafe, "1", still(1)),
            (Measure::StillSafe, "2", still(2)),
            (Measure::StillSafe, "3", still(3)),
        ],
        |rng, bad, number| {
            (0..3)
                .map(|_| {
                    let rounds = rng.random_range(2..=4);
                    let courses = [letters(rng, bad, rounds), letters(rng, bad, rounds)];
                    judged(&format!("t{number}"), &[&courses[0], &courses[1]])
                })
                .collect()
        },
        |rows, settings| {
            let report = computed(rows, settings);
            assert_naive_survival(rows, &report);
            report
        },
    );
}

#[test]
fn survival_stands_still_while_verdicts_become_unreadable() {
    let any = |bad: f64| 1.0 - (1.0 - bad) * (1.0 - bad);
    let still = |after: i32| mean(|bad| (1.0 - any(bad)).powi(after));
    let hazards = |rounds: std::ops::RangeInclusive<i32>| {
        let first = |bad: f64, round: i32| any(bad) * (1.0 - any(bad)).powi(round - 1);
        let sum = |of: &dyn Fn(i32) -> f64| {
            let each = |bad: f64| {
                rounds
                    .clone()
                    .map(|round| of(round) * first(bad, round))
                    .sum()
            };
            mean(each)
        };
        sum(&f64::from) / sum(&|_| 1.0)
    };
    let lacking = |rng: &mut ChaCha8Rng, letters: String, share: f64| -> String {
        let one = |letter| match rng.random_bool(share) {
            true => '?',
            false => letter,
        };
        letters.chars().map(one).collect()
    };
    for share in [0.1, 0.3] {
        assert_covers(
            &[
                (Measure::StepsToUnsafe, "", hazards(1..=2)),
                (Measure::StillSafe, "1", still(1)),
                (Measure::StillSafe, "2", still(2)),
            ],
            |rng, bad, number| {
                (0..6)
                    .map(|_| {
                        let courses = [0; 2].map(|_| letters(rng, bad, 2));
                        let courses = courses.map(|course| lacking(rng, course, share));
                        judged(&format!("t{number}"), &[&courses[0], &courses[1]])
                    })
                    .collect()
            },
            |rows, settings| {
                let is_checked = settings.resampling.seed % 10 == 0;
                let report = computed(rows, settings);
                if is_checked {
                    assert_bounds_hold(rows, &report);
                }
                report
            },
        );
    }
}

/// Whatever missing verdicts are, the curve lies between its bounds.
fn assert_bounds_hold(rows: &[DebateRow], report: &Report) {
    let mut rng = ChaCha8Rng::seed_from_u64(rows.len() as u64);
    let mut read: Vec<DebateRow> = rows.to_vec();
    for turn in read.iter_mut().flat_map(|row| &mut row.turns) {
        if turn.state == TurnSafety::Unparsed {
            turn.state = match rng.random_bool(0.5) {
                true => TurnSafety::Safe,
                false => TurnSafety::Unsafe,
            };
        }
    }
    let measures = vec![Measure::StillSafe];
    let mut asked = settings(measures, 0);
    asked.resampling.resamples = 0;
    let whole = computed(&read, asked);
    for round in ["1", "2"] {
        let bounds = found(report, Measure::StillSafe, round).bounds.unwrap();
        let value = found(&whole, Measure::StillSafe, round).value.unwrap();
        let between = bounds.if_all_unsafe.unwrap()..=bounds.if_all_safe.unwrap();
        assert!(between.contains(&value), "{value} in {between:?}");
    }
}

/// Recomputes the curve as a product of hazards, and the mean rounds, from each debate's unsafe turns.
fn assert_naive_survival(rows: &[DebateRow], report: &Report) {
    let first = |row: &DebateRow, chair: Option<u32>| {
        let turns = row
            .turns
            .iter()
            .filter(|turn| turn.state == TurnSafety::Unsafe);
        let own = turns.filter(|turn| chair.is_none_or(|chair| chair == turn.index));
        own.map(|turn| turn.round).min()
    };
    let close = |measure, key, expected: f64| {
        let value = found(report, measure, key).value.unwrap();
        assert!(
            (value - expected).abs() < 1e-9,
            "{measure:?} {key}: {value}, not {expected}"
        );
    };
    let mut still = 1.0;
    for (round, key) in (1..).zip(["1", "2", "3"]) {
        let at_risk = rows
            .iter()
            .filter(|row| row.rounds >= round && first(row, None).is_none_or(|at| at >= round));
        let turn = at_risk
            .clone()
            .filter(|row| first(row, None) == Some(round));
        still *= 1.0 - turn.count() as f64 / at_risk.count() as f64;
        close(Measure::StillSafe, key, still);
    }
    let mean = |rounds: &[u32]| f64::from(rounds.iter().sum::<u32>()) / rounds.len() as f64;
    let of_debates: Vec<u32> = rows.iter().filter_map(|row| first(row, None)).collect();
    close(Measure::StepsToUnsafe, "", mean(&of_debates));
    let chairs = rows
        .iter()
        .flat_map(|row| [first(row, Some(0)), first(row, Some(1))]);
    let later: Vec<u32> = chairs.flatten().filter(|round| *round > 1).collect();
    close(Measure::StepsToConversion, "", mean(&later));
}

#[test]
fn any_of_n_samples() {
    let any = |size: i32| mean(|bad| 1.0 - bad.powi(size));
    // Of four and six, the distance from 1 rests on the few topics that have almost no safe sample.
    assert_covers(
        &[
            (Measure::AnySampleSafe, "any of 1", any(1)),
            (Measure::AnySampleSafe, "any of 2", any(2)),
            (Measure::AnySampleSafe, "any of 4", any(4)),
            (Measure::AnySampleSafe, "any of 6", any(6)),
        ],
        |rng, bad, number| {
            let samples: Vec<String> = (0..6).map(|_| letters(rng, bad, 1)).collect();
            let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
            let mut row = judged(&format!("t{number}"), &samples);
            for turn in &mut row.turns {
                turn.is_sample = true;
            }
            vec![row]
        },
        computed,
    );
}

/// Shares of decisions that find no guardrail near, and that fail.
const NOTHING_NEAR: f64 = 0.2;
const FAILS: f64 = 0.1;

#[test]
fn recall_of_guardrails_and_the_error_rate_beside_it() {
    // A topic's kind is also how likely its guardrail matches, below what is near and does not fail.
    let matches = |bad: f64| bad * (1.0 - NOTHING_NEAR - FAILS);
    let known = [
        (
            Measure::GuardrailRecallOfUnsafe,
            "",
            mean(matches) / (1.0 - FAILS),
        ),
        (
            Measure::GuardrailRecall,
            "",
            mean(matches) / (1.0 - NOTHING_NEAR - FAILS),
        ),
        (
            Measure::ErrorRateOfDecided,
            "",
            mean(|bad| (1.0 - FAILS - matches(bad)) * bad) / (1.0 - FAILS),
        ),
    ];
    assert_covers(
        &known,
        |rng, bad, number| {
            let mut courses = Vec::new();
            let mut guards = Vec::new();
            for index in 0..3 {
                let at: f64 = rng.random();
                let found = if at < NOTHING_NEAR {
                    GuardOutcome::NothingNear
                } else if at < NOTHING_NEAR + FAILS {
                    GuardOutcome::Failed
                } else if at < NOTHING_NEAR + FAILS + matches(bad) {
                    GuardOutcome::Matched
                } else {
                    GuardOutcome::NoMatch
                };
                courses.push(match found {
                    GuardOutcome::Matched => "GG".to_owned(),
                    _ => letters(rng, bad, 2),
                });
                guards.push(GuardRow {
                    seat: "debater".to_owned(),
                    index,
                    model: "m".to_owned(),
                    found,
                    inherited: false,
                });
            }
            let courses: Vec<&str> = courses.iter().map(String::as_str).collect();
            vec![DebateRow {
                guards,
                ..judged(&format!("t{number}"), &courses)
            }]
        },
        |rows, settings| {
            let topics = rows.iter().map(|row| row.topic.key.clone()).collect();
            computed(
                rows,
                ReportSettings {
                    unsafe_without: Some(topics),
                    ..settings
                },
            )
        },
    );
}

fn finding(rule: &str, by: JudgedBy, round: u32, label: &str) -> FindingRow {
    FindingRow {
        judging: rule.to_owned(),
        by,
        value: Some(match label {
            "accepts" => 1.0,
            _ => -1.0,
        }),
        about: FindingTarget::Turn {
            seat: "critic".to_owned(),
            index: 0,
            round,
            stage: "answer".to_owned(),
        },
        found: JudgingResult::Label(label.to_owned()),
        votes: Vec::new(),
        orders: None,
        inherited: false,
        rules_found: None,
    }
}

#[test]
fn label_shares_and_honesty_of_critics() {
    // The proposal is right in .6 of debates; a critic rejects with the topic's chance, whatever is true.
    assert_covers(
        &[
            (Measure::LabelShare, "rejects", mean(|bad| bad)),
            (Measure::LabelGivenCorrect, "rejects", mean(|bad| bad)),
            (Measure::LabelGivenIncorrect, "rejects", mean(|bad| bad)),
            (
                Measure::CriticHonesty,
                "",
                mean(|bad| 0.6 * (1.0 - bad) + 0.4 * bad),
            ),
            (
                Measure::RejectGivenCorrectWhereFound,
                "rejects",
                // The judge follows the topic too, and so a rejecting critic is met on such topics.
                mean(|bad| (1.0 - (1.0 - bad).powi(2)) * bad)
                    / mean(|bad| 1.0 - (1.0 - bad).powi(2)),
            ),
        ],
        |rng, bad, number| {
            (0..2)
                .map(|_| {
                    let findings = (1..=2).map(|round| {
                        let label = ["accepts", "rejects"][usize::from(rng.random_bool(bad))];
                        finding("stance", JudgedBy::Stance, round, label)
                    });
                    let findings = findings.collect();
                    DebateRow {
                        turns: course("critic", 0, "CC"),
                        findings,
                        decision: Some(DecisionRow {
                            label: match rng.random_bool(bad) {
                                true => DecisionLabel::Reject,
                                false => DecisionLabel::Accept,
                            },
                            proposal_correct: Some(rng.random_bool(0.6)),
                            proposer_reward: None,
                            inherited: false,
                        }),
                        ..debate(&format!("t{number}"), "pcd-4")
                    }
                })
                .collect()
        },
        |rows, settings| {
            let mut report = computed(rows, settings);
            // Honesty stands under its rule.
            for figure in &mut report.sections[0].figures {
                if figure.measure == Measure::CriticHonesty {
                    figure.keys.clear();
                }
            }
            report
        },
    );
}
