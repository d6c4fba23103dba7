//! Judged games, outcomes and costs, computed by hand.

use crate::{
    Advantages, DebateOutcome, DebateRow, DecisionLabel, DecisionRow, Dimension, HumanTurns,
    LeftOutReason, Measure, UsageRow, advantages_to_csv, advantages_to_json, advantages_to_table,
    group_advantages,
};

use super::{assert_not_applicable, assert_value, course, debate, figure, judged, part, reported};

fn decided(topic: &str, label: DecisionLabel, correct: bool, reward: f64) -> DebateRow {
    DebateRow {
        decision: Some(DecisionRow {
            label,
            proposal_correct: Some(correct),
            proposer_reward: Some(reward),
            inherited: false,
        }),
        rewards: vec![
            ("critic".to_owned(), -reward),
            ("proposer".to_owned(), reward),
        ],
        turns: course("proposer", 0, "C"),
        ..debate(topic, "pcd-2")
    }
}

#[test]
fn a_judged_game_is_read_both_ways_for_the_middle_decision() {
    use DecisionLabel::{Accept, Middle, Reject, Unparsed};
    let report = reported(&[
        decided("a", Accept, true, 1.0),
        decided("b", Accept, false, 1.0),
        decided("c", Middle, true, 0.0),
        decided("d", Middle, true, 0.0),
        decided("e", Middle, false, 0.0),
        decided("f", Reject, true, -1.0),
        decided("g", Reject, false, -1.0),
        decided("h", Unparsed, true, 0.0),
    ]);
    assert_value(figure(&report, Measure::ProposerAccuracy), 5.0 / 8.0);
    assert_value(
        figure(&report, Measure::JudgeAlignmentMiddleAccepts),
        4.0 / 7.0,
    );
    assert_value(
        figure(&report, Measure::JudgeAlignmentMiddleRejects),
        3.0 / 7.0,
    );
    assert_value(
        figure(&report, Measure::JudgeAlignmentMiddleNeither),
        2.0 / 7.0,
    );
    assert_value(figure(&report, Measure::RejectGivenCorrect), 1.0 / 4.0);
    assert_value(figure(&report, Measure::AcceptGivenIncorrect), 1.0 / 3.0);
    assert_value(figure(&report, Measure::MiddleRate), 3.0 / 7.0);
    let aligned = figure(&report, Measure::JudgeAlignmentMiddleAccepts);
    assert_eq!(
        aligned.left_out,
        [(LeftOutReason::DecisionUnparsed, 1)].into()
    );
    assert_value(
        part(&report, Measure::MeanReward, Dimension::Seat, "proposer"),
        0.0,
    );
    // No turn of this game is judged for safety, so no figure pretends one was.
    assert!(
        report.sections[0]
            .figures
            .iter()
            .all(|f| f.measure != Measure::ErrorRate)
    );
}

#[test]
fn reward_and_accuracy_correlate_as_pearson_has_it() {
    use DecisionLabel::{Accept, Reject};
    // x = 1 1 −1 −1, y = 1 0 0 0: covariance 1/4, deviations 1 and √3/4, so r = 1/√3.
    let rows = [
        decided("a", Accept, true, 1.0),
        decided("b", Accept, false, 1.0),
        decided("c", Reject, false, -1.0),
        decided("d", Reject, false, -1.0),
    ];
    let report = reported(&rows);
    assert_value(
        figure(&report, Measure::RewardAccuracyCorrelation),
        1.0 / 3f64.sqrt(),
    );
    assert_not_applicable(
        figure(&reported(&rows[2..]), Measure::RewardAccuracyCorrelation),
        "reward or correctness does not vary",
    );
    // A game without rewards has no such figure, not one without a value.
    let mut plain = rows;
    for row in &mut plain {
        row.rewards.clear();
        if let Some(decision) = &mut row.decision {
            decision.proposer_reward = None;
        }
    }
    assert!(
        reported(&plain)
            .sections
            .iter()
            .flat_map(|section| &section.figures)
            .all(|figure| figure.measure != Measure::RewardAccuracyCorrelation)
    );
}

#[test]
fn group_advantages_are_rewards_less_the_mean_of_their_group() {
    use DecisionLabel::{Accept, Reject};
    let mut rows = vec![
        DebateRow {
            rollout: 1,
            ..decided("a", Reject, true, -1.0)
        },
        decided("a", Accept, true, 1.0),
        DebateRow {
            rollout: 2,
            ..decided("a", Accept, true, 1.0)
        },
        decided("b", Accept, true, 1.0),
    ];
    rows.push(DebateRow {
        fork: true,
        rollout: 3,
        ..decided("a", Reject, true, -1.0)
    });
    let advantages = group_advantages(&rows, HumanTurns::LeftOut);
    let of_proposer: Vec<_> = advantages
        .rows
        .iter()
        .filter(|advantage| advantage.seat == "proposer")
        .map(|a| (a.topic.as_str(), a.rollout, a.advantage, a.group_size))
        .collect();
    assert_eq!(of_proposer.len(), 4);
    for ((topic, rollout, advantage, size), expected) in of_proposer.into_iter().zip([
        ("a", 0, 2.0 / 3.0, 3),
        ("a", 1, -4.0 / 3.0, 3),
        ("a", 2, 2.0 / 3.0, 3),
        ("b", 0, 0.0, 1),
    ]) {
        assert_eq!((topic, rollout, size), (expected.0, expected.1, expected.3));
        assert!((advantage - expected.2).abs() < 1e-12);
    }
    // √((4 + 16 + 4) / 27)
    let spread = reported(&rows);
    assert_value(
        part(
            &spread,
            Measure::AdvantageSpread,
            Dimension::Seat,
            "proposer",
        ),
        (24.0f64 / 27.0).sqrt(),
    );
}

#[test]
fn a_cost_is_withheld_when_any_call_has_no_price() {
    let usage = |cost_usd| UsageRow {
        calls: 10,
        input_tokens: 1000,
        output_tokens: 500,
        cost_usd,
        wall_ms: 2000,
        critical_path_ms: 1500,
        ..UsageRow::default()
    };
    let priced = DebateRow {
        usage: usage(Some(0.5)),
        ..judged("a", &["S"])
    };
    let free = DebateRow {
        usage: usage(Some(0.0)),
        ..judged("b", &["S"])
    };
    let unknown = DebateRow {
        usage: usage(None),
        ..judged("c", &["S"])
    };
    let report = reported(&[priced.clone(), free]);
    assert_value(figure(&report, Measure::Cost), 0.5);
    assert_value(figure(&report, Measure::CostPerDebate), 0.25);
    assert_value(figure(&report, Measure::Calls), 20.0);
    assert_value(figure(&report, Measure::InputTokens), 2000.0);
    assert_value(figure(&report, Measure::TokensPerDebate), 1500.0);
    assert_value(figure(&report, Measure::CriticalPathPerDebate), 1500.0);
    let withheld = reported(&[priced, unknown]);
    assert_not_applicable(
        figure(&withheld, Measure::Cost),
        "$0.5000 is known; 1 of 2 debates called a model without a price",
    );
}

#[test]
fn failed_and_truncated_debates_are_counted_and_have_no_last_round() {
    let failed = DebateRow {
        outcome: DebateOutcome::Failed("timeout".to_owned()),
        ..judged("a", &["SU"])
    };
    let cut = DebateRow {
        outcome: DebateOutcome::Truncated,
        ..judged("b", &["SU"])
    };
    let report = reported(&[failed, cut, judged("c", &["US"]), judged("d", &["US"])]);
    assert_value(figure(&report, Measure::FailedDebates), 0.25);
    assert_value(figure(&report, Measure::TruncatedDebates), 0.25);
    let last = figure(&report, Measure::LastRoundErrorRate);
    assert_value(last, 0.0);
    assert_eq!(last.left_out, [(LeftOutReason::Incomplete, 2)].into());
}

/// Two rollouts of a and one of b, at a checkpoint.
fn rollouts(checkpoint: &str) -> Vec<DebateRow> {
    use DecisionLabel::{Accept, Reject};
    let at = |topic, rollout, row: DebateRow| DebateRow {
        session: format!("{checkpoint}-{topic}-{rollout}"),
        checkpoint: Some(checkpoint.to_owned()),
        rollout,
        ..row
    };
    vec![
        at("a", 0, decided("a", Accept, true, 1.0)),
        at("a", 1, decided("a", Reject, true, -0.5)),
        at("b", 0, decided("b", Accept, true, 1.0)),
    ]
}

#[test]
fn advantages_compare_within_a_checkpoint_and_say_which_groups_have_one_rollout() {
    let mut rows = rollouts("step-10");
    rows.extend(rollouts("step-9"));
    let mut unrewarded = debate("c", "pcd-2");
    unrewarded.rewards.clear();
    rows.push(unrewarded);
    let found = group_advantages(&rows, HumanTurns::LeftOut);
    let of_proposer: Vec<_> = found
        .rows
        .iter()
        .filter(|row| row.seat == "proposer")
        .map(|row| (row.session.as_str(), row.advantage, row.rollouts))
        .collect();
    // The mean of 1 and −0.5 is 0.25.
    assert_eq!(
        of_proposer,
        [
            ("step-9-a-0", 0.75, 2),
            ("step-9-a-1", -0.75, 2),
            ("step-10-a-0", 0.75, 2),
            ("step-10-a-1", -0.75, 2),
            ("step-9-b-0", 0.0, 1),
            ("step-10-b-0", 0.0, 1),
        ]
    );
    // A topic, a seat and a checkpoint each: 2 × 2 × 2 groups, half of them of b.
    assert_eq!((found.groups, found.groups_of_one), (8, 4));
    assert_eq!(found.left_out, [(LeftOutReason::NoReward, 1)].into());
}

#[test]
fn places_of_one_seat_share_a_group_that_still_has_one_rollout() {
    let row = DebateRow {
        rewards: vec![("positions".to_owned(), 3.0), ("positions".to_owned(), 1.0)],
        ..debate("a", "positions")
    };
    let found = group_advantages(&[row], HumanTurns::LeftOut);
    let sizes: Vec<_> = found
        .rows
        .iter()
        .map(|row| (row.advantage, row.group_size, row.rollouts))
        .collect();
    assert_eq!(sizes, [(1.0, 2, 1), (-1.0, 2, 1)]);
    assert_eq!(found.groups_of_one, 1);
}

#[test]
fn advantages_fit_a_terminal_and_keep_every_digit_for_a_trainer() {
    let mut rows = rollouts("step-9");
    rows.extend(rollouts("step-10"));
    for row in &mut rows[3..] {
        row.topic = crate::RowTopic::from_name(&format!(
            "{} 議論の議題がとても長い場合でも列は揃っていなければならない",
            row.topic.id
        ));
        row.rewards[0].1 = 1.0 / 3.0;
    }
    let found = group_advantages(&rows, HumanTurns::LeftOut);
    let table = advantages_to_table(&found, 80);
    for line in table.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
    }
    insta::assert_snapshot!(table);
    let csv = advantages_to_csv(&found).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), found.rows.len());
    for (record, row) in records.iter().zip(&found.rows) {
        assert_eq!(record[6], row.session);
        assert_eq!(record[7].parse::<f64>().unwrap(), row.reward);
        assert_eq!(record[8].parse::<f64>().unwrap(), row.advantage);
    }
    let json = advantages_to_json(&found).unwrap();
    assert_eq!(serde_json::from_str::<Advantages>(&json).unwrap(), found);
    let none = group_advantages(&[], HumanTurns::LeftOut);
    assert_eq!(advantages_to_table(&none, 80), "no rewards to compare\n");
}
