//! Rollouts weighted by rewards: against enumeration, and against numpy.

use crate::{
    DebateRow, DecisionLabel, DecisionRow, Dimension, Figure, LeftOutReason, Measure, Report,
    ReportSettings, Selection, compute_report, selection_report,
};

use super::{by, course, debate};

/// A rollout: the proposer's reward, whether its proposal is right, and what the judge said.
type Rollout = (f64, bool, DecisionLabel);

const A: DecisionLabel = DecisionLabel::Accept;
const R: DecisionLabel = DecisionLabel::Reject;

const FIRST: [Rollout; 5] = [
    (1.0, true, A),
    (-1.0, true, R),
    (1.0, false, A),
    (-1.0, false, R),
    (0.5, true, DecisionLabel::Middle),
];
const SECOND: [Rollout; 4] = [
    (-1.0, true, R),
    (-1.0, true, R),
    (1.0, true, A),
    (-1.0, false, R),
];

fn rows(topics: &[&[Rollout]]) -> Vec<DebateRow> {
    let mut rows = Vec::new();
    for (topic, rollouts) in (0..).zip(topics) {
        for (rollout, (reward, right, label)) in (0..).zip(*rollouts) {
            let topic: u32 = topic;
            rows.push(DebateRow {
                session: format!("{topic}-{rollout}"),
                turns: course("proposer", 0, "C"),
                rollout,
                decision: Some(DecisionRow {
                    label: *label,
                    proposal_correct: Some(*right),
                    proposer_reward: Some(*reward),
                    inherited: false,
                }),
                rewards: vec![
                    ("proposer".to_owned(), *reward),
                    ("critic".to_owned(), -reward),
                ],
                ..debate(&format!("t{topic}"), "pcd-2")
            });
        }
    }
    rows
}

fn selected(rows: &[DebateRow], seat: &str, selection: Selection) -> Report {
    let settings = ReportSettings::default();
    selection_report(rows, &settings, &[seat.to_owned()], &[selection]).unwrap()
}

fn found(report: &Report, measure: Measure) -> &Figure {
    let mut figures = report.sections[0].figures.iter();
    figures.find(|figure| figure.measure == measure).unwrap()
}

fn value(report: &Report, measure: Measure) -> f64 {
    found(report, measure).value.unwrap()
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

/// Every way to draw `n` of a topic's rollouts; of the best ones each has an equal share.
fn chances(rollouts: &[Rollout], n: u32) -> Vec<f64> {
    let mut chances = vec![0.0; rollouts.len()];
    let mut ways = 0.0;
    for drawn in 0u32..1 << rollouts.len() {
        if drawn.count_ones() != n {
            continue;
        }
        ways += 1.0;
        let members: Vec<usize> = (0..rollouts.len())
            .filter(|i| drawn >> i & 1 == 1)
            .collect();
        let best = members
            .iter()
            .map(|i| rollouts[*i].0)
            .fold(f64::MIN, f64::max);
        let winners: Vec<&usize> = members.iter().filter(|i| rollouts[**i].0 == best).collect();
        for winner in &winners {
            chances[**winner] += 1.0 / winners.len() as f64;
        }
    }
    chances.iter().map(|chance| chance / ways).collect()
}

#[test]
fn the_best_of_n_is_what_enumerating_all_draws_gives() {
    let rows = rows(&[&FIRST, &SECOND]);
    for n in 1..=4 {
        let report = selected(&rows, "proposer", Selection::BestOf(n));
        let weighted = |of: fn(&Rollout) -> Option<f64>| {
            let (mut sum, mut weight) = (0.0, 0.0);
            for rollouts in [&FIRST[..], &SECOND[..]] {
                for (rollout, chance) in rollouts.iter().zip(chances(rollouts, n)) {
                    if let Some(value) = of(rollout) {
                        sum += chance * value;
                        weight += chance;
                    }
                }
            }
            sum / weight
        };
        close(
            value(&report, Measure::ProposerAccuracy),
            weighted(|(_, right, _)| Some(f64::from(u8::from(*right)))),
        );
        close(
            value(&report, Measure::RejectGivenCorrect),
            weighted(|(_, right, label)| right.then_some(f64::from(u8::from(*label == R)))),
        );
        close(
            value(&report, Measure::MeanReward),
            weighted(|(reward, ..)| Some(*reward)),
        );
    }
}

#[test]
fn the_best_of_one_and_a_weak_tilt_are_the_rollouts_as_they_were_played() {
    let rows = rows(&[&FIRST, &FIRST]);
    let plain = compute_report(&rows, &by(&[Dimension::Protocol])).unwrap();
    for selection in [Selection::BestOf(1), Selection::Boltzmann(1e15)] {
        let report = selected(&rows, "critic", selection);
        for measure in [
            Measure::ProposerAccuracy,
            Measure::JudgeAlignmentMiddleNeither,
            Measure::AcceptGivenIncorrect,
        ] {
            close(value(&report, measure), value(&plain, measure));
        }
        close(value(&report, Measure::SelectionDivergence), 0.0);
        close(value(&report, Measure::EffectiveRollouts), 5.0);
    }
}

#[test]
fn boltzmann_weights_are_those_of_numpy() {
    let rows = rows(&[&FIRST, &SECOND]);
    let report = selected(&rows, "proposer", Selection::Boltzmann(0.7));
    close(value(&report, Measure::ProposerAccuracy), NUMPY[0]);
    close(
        value(&report, Measure::JudgeAlignmentMiddleNeither),
        NUMPY[1],
    );
    close(value(&report, Measure::RejectGivenCorrect), NUMPY[2]);
    close(value(&report, Measure::MeanReward), NUMPY[3]);
    close(value(&report, Measure::SelectionDivergence), NUMPY[4]);
    close(value(&report, Measure::EffectiveRollouts), NUMPY[5]);
    // A strong tilt takes the best alone, however large the exponent.
    let sharp = selected(&rows, "proposer", Selection::Boltzmann(1e-9));
    close(value(&sharp, Measure::MeanReward), 1.0);
}

const NUMPY: [f64; 6] = [
    0.772_495_919_180_638_9,
    0.654_016_845_192_326_6,
    0.077_693_013_887_802_82,
    0.761_929_681_319_683_2,
    0.599_680_294_141_597_3,
    2.190_244_801_020_47,
];

#[test]
fn too_few_rollouts_forks_and_missing_rewards_are_left_out_and_said() {
    let mut rows = rows(&[&FIRST, &SECOND]);
    rows[0].fork = true;
    rows[1].rewards.clear();
    let report = selected(&rows, "proposer", Selection::BestOf(4));
    let accuracy = found(&report, Measure::ProposerAccuracy);
    assert_eq!(accuracy.topics, 1);
    assert_eq!(
        accuracy.left_out,
        [
            (LeftOutReason::NoReward, 1),
            (LeftOutReason::Fork, 1),
            (LeftOutReason::TooFewRollouts, 3)
        ]
        .into()
    );
    let none = selected(&rows, "proposer", Selection::BestOf(9));
    let accuracy = found(&none, Measure::ProposerAccuracy);
    assert_eq!(accuracy.value, None);
    assert!(accuracy.not_applicable.is_some());
}
