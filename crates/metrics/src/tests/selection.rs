//! Rollouts weighted by rewards: against enumeration, and against numpy. Decisions are measured on repetitions
//! whose judge decides as the first did, so that their figures are plain weighted means here.

use std::collections::BTreeMap;

use crate::{
    CurveTopics, DebateOrigin, DebateRow, DecisionLabel, DecisionRow, Dimension, Figure,
    LeftOutReason, Measure, Report, ReportSettings, Selection, SelectionSettings, TextHash,
    TurnRow, compute_report, selection_report,
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

/// A public turn with a text of its own.
pub fn said(seat: &str, stage: &str, text: u64) -> TurnRow {
    let turn = course(seat, 0, "C").remove(0);
    TurnRow {
        stage: stage.to_owned(),
        text: Some(TextHash(text)),
        ..turn
    }
}

fn players(judge: &str) -> BTreeMap<String, String> {
    let chairs = [("proposer-0", "it"), ("critic-0", "it"), ("judge-0", judge)];
    let named = chairs.map(|(chair, who)| (chair.to_owned(), who.to_owned()));
    BTreeMap::from(named)
}

/// A debate of a game of a proposer, a critic and a judge, in a run that is named by its seed.
pub fn rollout_row(
    topic: &str,
    (seed, rollout): (u64, u32),
    (proposal, critique): (u64, u64),
    (reward, right, label): Rollout,
) -> DebateRow {
    DebateRow {
        session: format!("{topic}-{seed}-{rollout}"),
        turns: vec![
            said("proposer", "propose", proposal),
            said("critic", "critique", critique),
        ],
        rollout,
        decision: Some(DecisionRow {
            label,
            proposal_correct: Some(right),
            proposer_reward: Some(reward),
            inherited: false,
        }),
        rewards: vec![
            ("proposer".to_owned(), reward),
            ("critic".to_owned(), -reward),
        ],
        origin: DebateOrigin {
            run: Some(format!("run-{seed}")),
            seed: Some(seed),
            ..DebateOrigin::default()
        },
        players: players("it"),
        ..debate(topic, "pcd-2")
    }
}

/// The same debate in another run, in which these seats say again what they said in the first.
pub fn repeats(seats: &[&str], row: DebateRow) -> DebateRow {
    let mut row = row;
    for turn in &mut row.turns {
        if seats.contains(&turn.seat.as_str()) {
            turn.repeats_run = Some("run-0".to_owned());
        }
    }
    row.arm = format!("pcd-2 {}=said", seats.join(","));
    row
}

fn rows(topics: &[&[Rollout]]) -> Vec<DebateRow> {
    let mut rows = Vec::new();
    for (topic, rollouts) in (0..).zip(topics) {
        for (rollout, result) in (0..).zip(*rollouts) {
            let text = u64::from(rollout);
            rows.push(rollout_row(
                &format!("t{topic}"),
                (0, rollout),
                (text, text),
                *result,
            ));
        }
    }
    rows
}

/// Three repetitions of each debate, in which another judge decides what the first one did.
pub fn repeated_texts(rows: &[DebateRow]) -> Vec<DebateRow> {
    let of_seed = |seed: u64| {
        rows.iter().map(move |row| {
            let mut echo = repeats(&["proposer"], row.clone());
            echo.session = format!("{} again {seed}", row.session);
            echo.origin.run = Some(format!("run-{seed}"));
            echo.origin.seed = Some(seed);
            echo.players = players("another");
            echo
        })
    };
    (1..4).flat_map(of_seed).collect()
}

fn reported(
    rows: &[DebateRow],
    repetitions: Option<&[DebateRow]>,
    seat: &str,
    selections: &[Selection],
) -> Report {
    let selected = SelectionSettings {
        seats: &[seat.to_owned()],
        selections,
        topics: CurveTopics::Shared,
        judged_by: repetitions,
    };
    selection_report(rows, &ReportSettings::default(), &selected).unwrap()
}

fn selected(rows: &[DebateRow], seat: &str, selection: Selection) -> Report {
    reported(rows, None, seat, &[selection])
}

fn judged(rows: &[DebateRow], seat: &str, selection: Selection) -> Report {
    reported(rows, Some(&repeated_texts(rows)), seat, &[selection])
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
        let report = judged(&rows, "proposer", Selection::BestOf(n));
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
        let report = judged(&rows, "proposer", selection);
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
    let report = judged(&rows, "proposer", Selection::Boltzmann(0.7));
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
    let sharp = judged(&rows, "proposer", Selection::Boltzmann(1e-9));
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
fn figures_of_the_decision_that_was_selected_are_left_out_with_the_reason() {
    let rows = rows(&[&FIRST, &SECOND]);
    for selection in [Selection::BestOf(1), Selection::Boltzmann(0.7)] {
        let report = selected(&rows, "proposer", selection);
        for measure in [
            Measure::JudgeAlignmentMiddleNeither,
            Measure::RejectGivenCorrect,
            Measure::AcceptGivenIncorrect,
            Measure::MiddleRate,
            Measure::MeanReward,
        ] {
            let figure = found(&report, measure);
            assert_eq!(figure.value, None, "{measure:?}");
            let why = figure.not_applicable.as_deref();
            assert_eq!(why, Some("made of the decision that was selected"));
        }
        assert!(found(&report, Measure::ProposerAccuracy).value.is_some());
        let notes = report.sections[0].notes.join("\n");
        assert!(notes.contains("--judged-by RUN"), "{notes}");
    }
}

#[test]
fn a_reward_that_the_truth_pays_is_no_matter_of_luck() {
    let mut rows = rows(&[&FIRST, &SECOND]);
    for row in &mut rows {
        let decision = row.decision.as_mut().unwrap();
        decision.label = DecisionLabel::NoJudge;
        let right = decision.proposal_correct.unwrap();
        row.rewards = vec![("proposer".to_owned(), f64::from(u8::from(right)))];
    }
    let report = selected(&rows, "proposer", Selection::BestOf(2));
    // Of the first topic one pair in ten has no right one, of the second none does but for one in four.
    close(value(&report, Measure::MeanReward), 0.95);
    close(value(&report, Measure::ProposerAccuracy), 0.95);
    let alignment = found(&report, Measure::JudgeAlignmentMiddleNeither);
    assert_eq!(
        alignment.not_applicable.as_deref(),
        Some("no judge decides")
    );
}

#[test]
fn rollouts_of_one_answer_share_its_mean_reward() {
    // The first answer won once and lost once; the second won half of what there is to win.
    let mut rows = rows(&[&[(1.0, true, A), (-1.0, true, R), (0.5, false, A)]]);
    rows[1].turns[0].text = rows[0].turns[0].text;
    let report = selected(&rows, "proposer", Selection::BestOf(3));
    close(value(&report, Measure::ProposerAccuracy), 0.0);
    // Two of three draws are of the first answer alone in one of three pairs.
    let two = selected(&rows, "proposer", Selection::BestOf(2));
    close(value(&two, Measure::ProposerAccuracy), 1.0 / 3.0);
}

#[test]
fn a_critic_is_selected_on_one_proposal_alone() {
    // Critics of right proposals lose, those of wrong ones win: among all rollouts the best critic is one of a
    // wrong proposal, which it did not write.
    let mut rows = rows(&[&[
        (1.0, true, A),
        (1.0, true, A),
        (-1.0, false, R),
        (-1.0, false, R),
    ]]);
    for (row, proposal) in rows.iter_mut().zip([0, 0, 1, 1]) {
        row.turns[0].text = Some(TextHash(proposal));
    }
    let report = selected(&rows, "critic", Selection::BestOf(2));
    close(value(&report, Measure::ProposerAccuracy), 0.5);
    for row in &mut rows {
        row.turns[0].text = Some(TextHash(u64::from(row.rollout)));
    }
    let report = selected(&rows, "critic", Selection::BestOf(2));
    let accuracy = found(&report, Measure::ProposerAccuracy);
    assert_eq!(
        accuracy.left_out,
        [(LeftOutReason::TooFewRollouts, 4)].into()
    );
    let notes = report.sections[0].notes.join("\n");
    assert!(notes.contains("the critic answers others"), "{notes}");
}

#[test]
fn the_points_of_a_curve_are_over_one_population() {
    let rows = rows(&[&FIRST, &SECOND]);
    let curve = [Selection::BestOf(1), Selection::BestOf(5)];
    let report = reported(&rows, None, "proposer", &curve);
    for section in &report.sections {
        assert_eq!((section.topics, section.debates), (1, 5));
        let notes = section.notes.join("\n");
        assert!(
            notes.contains("the 1 of 2 topics that have enough"),
            "{notes}"
        );
    }
    close(value(&report, Measure::ProposerAccuracy), 3.0 / 5.0);
    let apart = SelectionSettings {
        seats: &["proposer".to_owned()],
        selections: &curve,
        topics: CurveTopics::OfEachPoint,
        judged_by: None,
    };
    let apart = selection_report(&rows, &ReportSettings::default(), &apart).unwrap();
    let topics: Vec<usize> = apart.sections.iter().map(|it| it.topics).collect();
    assert_eq!(topics, [2, 1]);
    close(
        value(&apart, Measure::ProposerAccuracy),
        (3.0 / 5.0 + 3.0 / 4.0) / 2.0,
    );
}

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
