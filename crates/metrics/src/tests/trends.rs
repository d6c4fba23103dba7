//! Trends over checkpoints: slopes against a naive fit, and judges that are hacked, planted and not.

use crate::{
    CompareError, ComparisonSettings, DebateRow, DecisionLabel, DecisionRow, Dimension, Figure,
    Measure, Report, ReportSettings, Resampling, sign_flip, trend_over, trend_to_table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{course, debate};
use elenchus_test_support::drawn::datasets;

fn settings(resamples: u32) -> ComparisonSettings {
    ComparisonSettings {
        groups: ReportSettings {
            resampling: Resampling { resamples, seed: 3 },
            ..ReportSettings::default()
        },
        ..ComparisonSettings::default()
    }
}

fn decided(topic: usize, checkpoint: u32, label: DecisionLabel, correct: bool) -> DebateRow {
    DebateRow {
        session: format!("{topic}-{checkpoint}"),
        checkpoint: Some(format!("step-{}", 50 * checkpoint)),
        turns: course("proposer", 0, "C"),
        decision: Some(DecisionRow {
            label,
            proposal_correct: Some(correct),
            proposer_reward: None,
            inherited: false,
        }),
        ..debate(&format!("t{topic}"), "pcd-4")
    }
}

/// A training whose proposer is right with these chances, and whose judge agrees with the truth with these.
fn training(seed: u64, topics: usize, right: &[f64], aligned: &[f64]) -> Vec<DebateRow> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::new();
    for topic in 0..topics {
        for (checkpoint, (right, aligned)) in (0..).zip(right.iter().zip(aligned)) {
            let correct = random.random_bool(*right);
            let label = match random.random_bool(*aligned) == correct {
                true => DecisionLabel::Accept,
                false => DecisionLabel::Reject,
            };
            rows.push(decided(topic, checkpoint, label, correct));
        }
    }
    rows
}

fn followed(rows: &[DebateRow], resamples: u32) -> Report {
    trend_over(rows, Dimension::Checkpoint, &settings(resamples)).unwrap()
}

fn figure(report: &Report, measure: Measure) -> &Figure {
    let mut figures = report.sections[0].figures.iter();
    figures.find(|figure| figure.measure == measure).unwrap()
}

fn said(report: &Report) -> &str {
    let notes = report.sections[0].notes.iter();
    notes.map(String::as_str).next_back().unwrap()
}

/// Least squares by the normal equations, on positions of each topic's own.
fn naive_slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let sum = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>();
    let (x, y, xx, xy) = (
        sum(|p| p.0),
        sum(|p| p.1),
        sum(|p| p.0 * p.0),
        sum(|p| p.0 * p.1),
    );
    (n * xy - x * y) / (n * xx - x * x)
}

#[test]
fn the_slope_is_the_mean_of_the_slopes_of_topics() {
    let mut rows = training(1, 12, &[0.4, 0.5, 0.7, 0.8], &[0.9, 0.8, 0.7, 0.5]);
    // A topic that misses a checkpoint keeps the positions of the others; one with a single value has no slope.
    rows.retain(|row| row.session != "3-1" && !(row.topic.id == "t5" && row.session != "5-2"));
    let report = followed(&rows, 500);
    let accuracy = figure(&report, Measure::ProposerAccuracy);
    let slopes: Vec<f64> = (0..12)
        .filter_map(|topic| {
            let own = rows
                .iter()
                .filter(|row| row.topic.id == format!("t{topic}"));
            let points: Vec<(f64, f64)> = own
                .map(|row| {
                    let step: f64 = row.checkpoint.as_ref().unwrap()[5..].parse().unwrap();
                    let correct = row.decision.unwrap().proposal_correct.unwrap();
                    (step / 50.0 + 1.0, f64::from(u8::from(correct)))
                })
                .collect();
            (points.len() > 1).then(|| naive_slope(&points))
        })
        .collect();
    assert_eq!((slopes.len(), accuracy.topics), (11, 11));
    let mean = slopes.iter().sum::<f64>() / 11.0;
    assert!(
        (accuracy.value.unwrap() - mean).abs() < 1e-12,
        "{accuracy:?}"
    );
    let test = accuracy.compared.unwrap().test.unwrap();
    let plan = Resampling {
        resamples: 500,
        seed: 3,
    };
    assert!((test.p_value - sign_flip(&slopes, plan)).abs() < 1e-12);
    assert!(test.p_holm >= test.p_value && test.family > 2, "{test:?}");
    let table = trend_to_table(&report, 100);
    assert!(table.contains("checkpoint step-0 to step-150"), "{table}");
    assert!(table.contains("proposer accuracy"), "{table}");
}

#[test]
fn a_judge_that_is_hacked_is_named_from_its_checkpoint_on() {
    let right = [0.5, 0.55, 0.6, 0.65, 0.7];
    let aligned = [0.85, 0.85, 0.45, 0.4, 0.4];
    let report = followed(&training(2, 80, &right, &aligned), 1000);
    let said = said(&report);
    assert!(said.starts_with("JUDGE HACKING from step-100 on"), "{said}");
    assert!(said.contains("proposals did not become worse"), "{said}");
    for figure in [
        "judge alignment",
        "proposer accuracy",
        "reject given correct",
    ] {
        assert!(said.contains(figure), "{said}");
    }
}

#[test]
fn proposals_that_become_worse_too_are_not_called_judge_hacking() {
    let right = [0.8, 0.4, 0.3, 0.3];
    let aligned = [0.85, 0.45, 0.4, 0.4];
    let report = followed(&training(3, 80, &right, &aligned), 1000);
    let said = said(&report);
    assert!(
        said.starts_with("from step-50 on the judge agrees"),
        "{said}"
    );
    assert!(said.contains("proposals became worse too"), "{said}");
}

fn notes(report: &Report) -> String {
    report.sections[0].notes.join("\n")
}

/// A training whose judge decides about right proposals with these chances of accepting, being in between and
/// rejecting, and about wrong ones always with the same.
fn decisions(seed: u64, topics: usize, of_right: &[[f64; 3]]) -> Vec<DebateRow> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::new();
    for topic in 0..topics {
        for (checkpoint, of_right) in (0..).zip(of_right) {
            let correct = random.random_bool(0.5);
            let [accepts, between, _] = if correct { *of_right } else { [0.2, 0.3, 0.5] };
            let drawn: f64 = random.random();
            let label = match drawn {
                drawn if drawn < accepts => DecisionLabel::Accept,
                drawn if drawn < accepts + between => DecisionLabel::Middle,
                _ => DecisionLabel::Reject,
            };
            rows.push(decided(topic, checkpoint, label, correct));
        }
    }
    rows
}

#[test]
fn a_judge_that_rejects_ever_more_of_what_is_right_is_named_though_its_alignment_stays() {
    // What was in between is rejected: the reading that counts neither as right sees no change.
    let calm = [0.45, 0.45, 0.1];
    let harsh = [0.45, 0.0, 0.55];
    let report = followed(&decisions(6, 120, &[calm, calm, harsh, harsh]), 1000);
    let notes = notes(&report);
    assert!(
        notes.contains("REJECTS WHAT IS RIGHT from step-100 on: reject given correct"),
        "{notes}"
    );
    assert!(!notes.contains("JUDGE HACKING"), "{notes}");
    assert!(notes.contains("no checkpoint is shown to agree"), "{notes}");
    // A dip that passes is none.
    let report = followed(&decisions(6, 120, &[calm, harsh, calm, calm]), 1000);
    assert!(!self::notes(&report).contains("REJECTS"), "{report:?}");
}

#[test]
fn the_alarm_names_the_reading_of_the_middle_that_it_is_by() {
    let right = [0.5, 0.55, 0.6, 0.65, 0.7];
    let hacked = followed(
        &training(2, 80, &right, &[0.85, 0.85, 0.45, 0.4, 0.4]),
        1000,
    );
    let calm = followed(&training(4, 80, &right, &[0.8; 5]), 1000);
    for report in [hacked, calm] {
        let said = said(&report);
        assert!(
            said.contains("judge alignment, middle is neither"),
            "{said}"
        );
    }
}

#[test]
fn a_dip_that_passes_is_not_called_judge_hacking() {
    let aligned = [0.7, 0.3, 0.9, 0.9];
    let report = followed(&training(4, 80, &[0.5; 4], &aligned), 1000);
    assert!(
        said(&report).starts_with("no checkpoint is shown"),
        "{}",
        said(&report)
    );
}

#[test]
fn judges_that_do_not_change_are_rarely_called_hacked_and_slopes_cover_none() {
    let files = datasets(2000);
    let (mut alarms, mut covered, mut rejected) = (0, 0, 0);
    for file in 0..files {
        let rows = training(100 + file, 40, &[0.6; 4], &[0.75; 4]);
        let report = followed(&rows, 200);
        let alarm = |word: &str| notes(&report).contains(word);
        alarms += u64::from(alarm("HACKING") || alarm("worse too") || alarm("REJECTS"));
        let slope = figure(&report, Measure::JudgeAlignmentMiddleNeither);
        let interval = slope.interval.unwrap();
        covered += u64::from((interval.low..=interval.high).contains(&0.0));
        rejected += u64::from(slope.compared.unwrap().test.unwrap().p_value <= 0.05);
    }
    let rejected = rejected as f64 / files as f64;
    println!("trend: {rejected} false alarms");
    assert!(
        (rejected - 0.05).abs() <= elenchus_test_support::drawn::slack(0.015),
        "{rejected}"
    );
    let rate = alarms as f64 / files as f64;
    println!("judge hacking: {rate} false alarms");
    // One-sided at .05 over three checkpoints and two alarms (Holm), and the change has to last: the nominal rate is
    // below .025.
    assert!(
        rate <= 0.025 + elenchus_test_support::drawn::slack(0.012),
        "{rate}"
    );
    let share = covered as f64 / files as f64;
    println!("trend: covers {share}");
    assert!(
        elenchus_test_support::drawn::honest(files).contains(&share),
        "{share}"
    );
}

#[test]
fn a_trend_needs_two_groups() {
    let rows = training(5, 3, &[0.5], &[0.5]);
    let refused = trend_over(&rows, Dimension::Checkpoint, &settings(10));
    assert_eq!(refused, Err(CompareError::NothingToFollow("checkpoint")));
}

#[test]
fn the_interval_of_a_slope_is_as_strict_as_its_adjusted_p_value() {
    let right = [0.4, 0.5, 0.6, 0.7];
    let rows = training(1, 30, &right, &[0.8, 0.7, 0.7, 0.6]);
    let report = followed(&rows, 500);
    let mut wider = 0;
    for row in &report.sections[0].figures {
        let Some((test, interval)) = row.compared.and_then(|it| it.test).zip(row.interval) else {
            continue;
        };
        let own = ComparisonSettings {
            measures: vec![row.measure],
            ..settings(500)
        };
        let alone = trend_over(&rows, Dimension::Checkpoint, &own).unwrap();
        let alone = figure(&alone, row.measure);
        assert_eq!(alone.confidence, None);
        let alone = alone.interval.unwrap();
        match row.confidence {
            // The largest p-value of the family is not multiplied.
            None => assert_eq!(interval, alone),
            Some(confidence) => {
                let factor = 0.05 / (1.0 - confidence);
                assert!(test.p_holm <= factor * test.p_value + 1e-12, "{row:?}");
                assert!(
                    interval.low < alone.low && alone.high < interval.high,
                    "{row:?}"
                );
                wider += 1;
            }
        }
    }
    assert!(wider > 2, "{report:?}");
    let text = trend_to_table(&report, 80);
    assert!(
        text.contains("adj. interval") && text.contains("adj. p"),
        "{text}"
    );
    assert!(!text.contains("95 % interval"), "{text}");
    let one = ComparisonSettings {
        measures: vec![Measure::ProposerAccuracy],
        ..settings(500)
    };
    let one = trend_over(&rows, Dimension::Checkpoint, &one).unwrap();
    let text = trend_to_table(&one, 80);
    assert!(text.contains("95 % interval"), "{text}");
    assert!(!text.contains("adj. "), "{text}");
}
