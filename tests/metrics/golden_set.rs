//! Two arms on labelled questions, computed by hand.

use elenchus::metrics::{
    CompareError, DebateRow, HumanTurns, LeftOutReason, PairedReport, PairedTest, Resampling,
    UsageRow, final_answer_right, outcome_right, paired_arms, paired_to_json, paired_to_table,
};

use super::{course, debate};

const PLAN: Resampling = Resampling {
    resamples: 400,
    seed: 5,
};

/// One arm's answer to a question.
fn answered(arm: &str, topic: usize, category: &str, right: Option<bool>, cost: f64) -> DebateRow {
    let mut turns = course("answerer", 0, "C");
    turns[0].correct = right;
    DebateRow {
        arm: arm.to_owned(),
        category: Some(category.to_owned()),
        turns,
        usage: UsageRow {
            cost_usd: Some(cost),
            input_tokens: if arm == "debate" { 250 } else { 90 },
            output_tokens: if arm == "debate" { 50 } else { 10 },
            wall_ms: if arm == "debate" { 2000 } else { 500 },
            ..UsageRow::default()
        },
        ..debate(&format!("t{topic}"), arm)
    }
}

/// Ten questions: the debate is right on five of law and three of code, the single answer on one
/// of law and five of code. A debate of law costs three times a single answer, one of code as much.
fn golden() -> Vec<DebateRow> {
    (0..10)
        .flat_map(|i| {
            let (category, cost) = if i < 5 { ("law", 3.0) } else { ("code", 1.0) };
            [
                answered("debate", i, category, Some(i < 8), cost),
                answered("single", i, category, Some(i == 0 || i >= 5), 1.0),
            ]
        })
        .collect()
}

fn paired(rows: &[DebateRow]) -> Result<PairedReport, CompareError> {
    paired_arms(
        rows,
        "debate",
        "single",
        final_answer_right,
        HumanTurns::LeftOut,
        PLAN,
    )
}

#[test]
fn a_debate_that_was_to_conclude_something_and_did_not_has_no_outcome() {
    let graded = answered("debate", 0, "law", Some(true), 1.0);
    assert_eq!(outcome_right(&graded), Some(true), "its last answer stands");
    let mut silent = graded.clone();
    silent.concludes = true;
    assert_eq!(outcome_right(&silent), None, "an argument is no conclusion");
    silent.concluded_right = Some(false);
    assert_eq!(outcome_right(&silent), Some(false));
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn task_types_are_compared_by_mcnemar_and_adjusted_as_a_family() {
    let report = paired(&golden()).unwrap();
    let [code, law] = &report.task_types[..] else {
        panic!("two task types");
    };
    assert_eq!(law.task_type.as_deref(), Some("law"));
    close(law.right_a, 1.0);
    close(law.right_b, 0.2);
    close(law.difference, 0.8);
    assert_eq!((law.test, law.topics), (PairedTest::McNemar, 5));
    // Four questions differ, all for the debate: 2 · ½⁴. Two of code, none for it: 2 · ½².
    close(law.p_value, 0.125);
    close(code.p_value, 0.5);
    close(law.p_holm.unwrap(), 0.25);
    close(code.p_holm.unwrap(), 0.5);
    close(code.difference, -0.4);
    // Four against two: 2 · (1 + 6 + 15) / 2⁶.
    close(report.overall.p_value, 44.0 / 64.0);
    close(report.overall.difference, 0.2);
    assert_eq!(report.overall.p_holm, None);
    assert_eq!(report.overall.topics, 10);
    assert!(
        law.warnings
            .contains(&"fewer than 20 labelled questions of this task type".to_owned())
    );
    assert_eq!(report.overall.warnings, ["fewer than 30 topics"]);
}

#[test]
fn cost_time_and_tokens_are_ratios_of_sums_over_topics_both_played() {
    let report = paired(&golden()).unwrap();
    // Five debates of $3 and five of $1 against ten of $1.
    close(report.overall.cost.value.unwrap(), 2.0);
    let interval = report.overall.cost.interval.unwrap();
    assert!(interval.low < 2.0 && 2.0 < interval.high);
    close(report.overall.wall.value.unwrap(), 4.0);
    close(report.overall.tokens.value.unwrap(), 3.0);
    // Every debate of law costs the same multiple: there is nothing to resample.
    close(report.task_types[1].cost.value.unwrap(), 3.0);
    assert_eq!(report.task_types[1].cost.interval, None);
}

#[test]
fn rollouts_count_within_their_topic_and_failures_cost_without_an_outcome() {
    let mut rows = golden();
    // A second debate of the first question is wrong, a third fails and is paid for.
    rows.push(answered("debate", 0, "law", Some(false), 6.0));
    rows.push(answered("debate", 0, "law", None, 9.0));
    let report = paired(&rows).unwrap();
    let law = &report.task_types[1];
    assert_eq!(law.test, PairedTest::SignFlip);
    close(law.right_a, (0.5 + 4.0) / 5.0);
    // Differences −½, 1, 1, 1, 1: of 32 flips those with a sum of 3½ or more, both ways: −1111,
    // 0.5 with 1111 and their opposites.
    close(law.p_value, 4.0 / 32.0);
    assert_eq!(report.left_out_a, [(LeftOutReason::NoOutcome, 1)].into());
    // (3 + 6 + 9) / 3 for the first question, 3 for the others, against 1 each.
    close(law.cost.value.unwrap(), (6.0 + 4.0 * 3.0) / 5.0);
}

#[test]
fn what_cannot_be_paired_is_left_out_and_said() {
    let mut rows = golden();
    rows.retain(|row| row.arm != "single" || row.topic != "t9");
    rows.push(answered("debate", 20, "art", Some(true), 1.0));
    let mut fork = answered("debate", 0, "law", Some(false), 1.0);
    fork.fork = true;
    rows.push(fork);
    let mut copyright = answered("debate", 30, "law", Some(false), 1.0);
    copyright.hash_check = true;
    rows.push(copyright);
    rows[0].usage.cost_usd = None;
    let report = paired(&rows).unwrap();
    assert_eq!(report.overall.topics, 9);
    assert_eq!(report.unpaired_topics, 2);
    assert_eq!(
        report.left_out_a,
        [(LeftOutReason::Fork, 1), (LeftOutReason::HashCheck, 1)].into()
    );
    assert_eq!(
        report.warnings,
        ["task type art: no question has an outcome in both arms"]
    );
    assert_eq!(report.overall.cost.value, None);
    assert_eq!(
        report.overall.cost.not_applicable.as_deref(),
        Some("debates that called a model without a price: 1")
    );
    assert!(report.overall.tokens.value.is_some());
}

#[test]
fn arms_of_two_kinds_or_without_common_questions_are_refused() {
    let mut mixed = golden();
    mixed[0].simulated = true;
    assert_eq!(paired(&mixed), Err(CompareError::MixesSimulatedAndReal));
    let alone: Vec<_> = golden()
        .into_iter()
        .filter(|row| row.arm == "debate")
        .collect();
    assert!(matches!(
        paired(&alone),
        Err(CompareError::NothingPaired(_))
    ));
}

#[test]
fn a_paired_table_fits_eighty_columns_and_says_that_it_is_simulated() {
    let mut rows = golden();
    for row in &mut rows {
        row.simulated = true;
        if row.category.as_deref() == Some("law") {
            row.category = Some("law of the sea and of whatever else is wet".to_owned());
        }
    }
    rows.push(DebateRow {
        simulated: true,
        ..answered("debate", 0, "law", None, 1.0)
    });
    let report = paired(&rows).unwrap();
    for width in [0, 76, 80] {
        for line in paired_to_table(&report, width).lines() {
            assert!(line.chars().count() <= width.max(76), "{line}");
        }
    }
    insta::assert_snapshot!(paired_to_table(&report, 80));
    let json = paired_to_json(&report).unwrap();
    let read: PairedReport = serde_json::from_str(&json).unwrap();
    assert_eq!(paired_to_table(&read, 80), paired_to_table(&report, 80));
}
