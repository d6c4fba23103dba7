//! What critics said, crossed with the truth and with the judge's decision: by hand, and restated naively.

use crate::{
    DebateRow, DecisionLabel, DecisionRow, Figure, FindingRow, FindingTarget, JudgedBy,
    JudgingResult, LeftOutReason, Measure, ReportSettings, compute_report,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{course, debate, quick};

const ASKED: [Measure; 5] = [
    Measure::CriticHonesty,
    Measure::LabelGivenCorrect,
    Measure::LabelGivenIncorrect,
    Measure::RejectGivenCorrectWhereFound,
    Measure::RejectionSway,
];

fn finding(rule: &str, by: JudgedBy, round: u32, label: &str) -> FindingRow {
    let value = match label {
        "accepts" | "substantive" => 1.0,
        "rejects" | "spurious" => -1.0,
        _ => 0.0,
    };
    FindingRow {
        judging: rule.to_owned(),
        by,
        value: Some(value),
        about: FindingTarget::Turn {
            seat: "critic".to_owned(),
            index: 0,
            round,
            stage: "answer".to_owned(),
        },
        found: match label {
            "?" => JudgingResult::Unparsed,
            _ => JudgingResult::Label(label.to_owned()),
        },
        votes: Vec::new(),
        orders: None,
        inherited: false,
        rules_found: None,
    }
}

/// A debate whose critic takes a stance, and whose two turns are of these kinds.
fn criticised(
    topic: usize,
    correct: bool,
    label: DecisionLabel,
    stance: &str,
    kinds: [&str; 2],
) -> DebateRow {
    let kinds = (1..).zip(kinds);
    let kinds = kinds.map(|(round, kind)| finding("spurious", JudgedBy::Other, round, kind));
    DebateRow {
        session: format!("{topic}-{stance}-{label:?}"),
        turns: course("critic", 0, "CC"),
        decision: Some(DecisionRow {
            label,
            proposal_correct: Some(correct),
            proposer_reward: None,
            inherited: false,
        }),
        findings: [finding("stance", JudgedBy::Stance, 1, stance)]
            .into_iter()
            .chain(kinds)
            .collect(),
        ..debate(&format!("t{topic}"), "pcd-4")
    }
}

fn figures(rows: &[DebateRow]) -> Vec<Figure> {
    let settings = ReportSettings {
        measures: ASKED.to_vec(),
        ..quick()
    };
    compute_report(rows, &settings)
        .unwrap()
        .sections
        .remove(0)
        .figures
}

fn of<'a>(figures: &'a [Figure], measure: Measure, label: &str) -> &'a Figure {
    let named = |figure: &&Figure| {
        figure.measure == measure
            && (label.is_empty() || figure.keys.iter().any(|key| key.value == label))
    };
    figures.iter().find(named).unwrap()
}

#[test]
fn a_critic_is_honest_where_it_takes_the_side_of_the_truth() {
    use DecisionLabel::{Accept, Reject};
    let rows = [
        criticised(0, true, Reject, "rejects", ["spurious", "substantive"]),
        criticised(1, true, Accept, "accepts", ["substantive", "substantive"]),
        criticised(2, false, Reject, "rejects", ["substantive", "substantive"]),
        criticised(3, true, Reject, "mixed", ["spurious", "spurious"]),
        criticised(4, true, Accept, "rejects", ["spurious", "substantive"]),
        criticised(5, false, Accept, "?", ["spurious", "substantive"]),
    ];
    let found = figures(&rows);
    let honest = of(&found, Measure::CriticHonesty, "");
    assert_eq!(honest.value, Some(2.0 / 4.0));
    let left_out = [(LeftOutReason::NoSide, 1), (LeftOutReason::Unparsed, 1)];
    assert_eq!(honest.left_out, left_out.into());
    let given = |measure, label| of(&found, measure, label).value.unwrap();
    assert_eq!(given(Measure::LabelGivenCorrect, "spurious"), 4.0 / 8.0);
    assert_eq!(given(Measure::LabelGivenIncorrect, "spurious"), 1.0 / 4.0);
    assert_eq!(given(Measure::LabelGivenCorrect, "rejects"), 2.0 / 4.0);
    let where_found = of(&found, Measure::RejectGivenCorrectWhereFound, "spurious");
    assert_eq!(
        (where_found.value, where_found.observations),
        (Some(2.0 / 3.0), 3)
    );
    assert_eq!(given(Measure::RejectionSway, "spurious"), 2.0 / 3.0 - 0.0);
    // Nobody graded the ground truth's own rule.
    assert!(
        found
            .iter()
            .all(|figure| figure.keys.iter().all(|key| key.value != "truth"))
    );
}

#[test]
fn figures_of_labels_are_shown_where_they_are_asked_for() {
    let row = criticised(
        0,
        true,
        DecisionLabel::Accept,
        "accepts",
        ["spurious", "spurious"],
    );
    let report = compute_report(&[row], &quick()).unwrap();
    let shown = |measure| {
        report.sections[0]
            .figures
            .iter()
            .any(|one| one.measure == measure)
    };
    assert!(shown(Measure::CriticHonesty));
    assert!(ASKED[1..].iter().all(|measure| !shown(*measure)));
}

/// The sway by two counts of every debate, without topics.
fn naive_sway(rows: &[DebateRow]) -> Option<f64> {
    let mut counts = [[0.0; 2]; 2];
    for row in rows {
        let decision = row.decision.unwrap();
        if decision.proposal_correct != Some(true) {
            continue;
        }
        let spurious = row
            .findings
            .iter()
            .any(|finding| finding.found == JudgingResult::Label("spurious".to_owned()));
        let [rejected, all] = &mut counts[usize::from(spurious)];
        *rejected += f64::from(u8::from(decision.label == DecisionLabel::Reject));
        *all += 1.0;
    }
    let share = |[rejected, all]: [f64; 2]| (all > 0.0).then(|| rejected / all);
    Some(share(counts[1])? - share(counts[0])?)
}

#[test]
fn random_debates_sway_as_a_naive_count_says_and_the_interval_covers_the_truth() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let files = elenchus_test_support::drawn::datasets(2000);
    let mut covered = 0;
    for file in 0..files {
        let rows: Vec<DebateRow> = (0..60)
            .flat_map(|topic| (0..2).map(move |rollout| (topic, rollout)))
            .map(|(topic, rollout)| {
                let spurious = random.random_bool(0.4);
                // A spurious critique makes a judge reject a correct proposal in .5 of cases, another in .2.
                let rejects = random.random_bool(if spurious { 0.5 } else { 0.2 });
                let label = match rejects {
                    true => DecisionLabel::Reject,
                    false => DecisionLabel::Accept,
                };
                let kinds = if spurious {
                    ["spurious", "substantive"]
                } else {
                    ["substantive"; 2]
                };
                let correct = random.random_bool(0.7);
                let mut row = criticised(topic, correct, label, "rejects", kinds);
                row.session = format!("{topic}-{rollout}");
                row
            })
            .collect();
        let settings = ReportSettings {
            measures: vec![Measure::RejectionSway],
            resampling: crate::Resampling {
                resamples: 200,
                seed: file,
            },
            ..quick()
        };
        let report = compute_report(&rows, &settings).unwrap();
        let found = of(
            &report.sections[0].figures,
            Measure::RejectionSway,
            "spurious",
        );
        let naive = naive_sway(&rows).unwrap();
        assert!((found.value.unwrap() - naive).abs() < 1e-12);
        let interval = found.interval.unwrap();
        covered += u64::from((interval.low..=interval.high).contains(&0.3));
    }
    let share = covered as f64 / files as f64;
    println!("rejection sway: covers {share}");
    assert!(
        elenchus_test_support::drawn::honest(files).contains(&share),
        "{share}"
    );
}
