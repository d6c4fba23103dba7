//! Curves over training: what a reader needs to draw them is in the CSV, in order.

use crate::{DebateRow, DecisionLabel, DecisionRow, Dimension, compute_report, to_csv};

use super::{by, course, debate};

/// Twelve topics at a checkpoint, two of a kind; the proposer is right on `right` of six kinds and accepted on
/// `accepted`.
fn trained(checkpoint: &str, right: usize, accepted: usize) -> Vec<DebateRow> {
    (0..12)
        .map(|topic| {
            let i = topic / 2;
            let label = match i {
                i if i < accepted => DecisionLabel::Accept,
                5 => DecisionLabel::Middle,
                _ => DecisionLabel::Reject,
            };
            let reward = if i < accepted { 1.0 } else { -1.0 };
            DebateRow {
                session: format!("{checkpoint}-{topic}"),
                checkpoint: Some(checkpoint.to_owned()),
                turns: course("proposer", 0, "C"),
                decision: Some(DecisionRow {
                    label,
                    proposal_correct: Some(i < right),
                    proposer_reward: Some(reward),
                    inherited: false,
                }),
                rewards: vec![
                    ("proposer".to_owned(), reward),
                    ("critic".to_owned(), -reward),
                ],
                ..debate(&format!("t{topic}"), "pcd-2")
            }
        })
        .collect()
}

#[test]
fn every_figure_of_a_game_is_a_row_for_each_checkpoint_in_the_order_of_training() {
    let mut rows = trained("step-100", 5, 4);
    rows.extend(trained("step-10", 3, 4));
    rows.extend(trained("step-9", 2, 3));
    let csv = to_csv(&compute_report(&rows, &by(&[Dimension::Checkpoint])).unwrap()).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    let curve = |measure: &str, seat: &str| -> Vec<(String, f64)> {
        records
            .iter()
            .filter(|r| &r[column("measure")] == measure && &r[column("seat")] == seat)
            .map(|record| {
                let number = |name: &str| -> f64 { record[column(name)].parse().unwrap() };
                let value = number("value");
                assert!(
                    number("low") <= value && value <= number("high"),
                    "{measure}"
                );
                assert_eq!(number("debates"), 12.0);
                assert!((1.0..=12.0).contains(&number("topics")));
                assert!((1.0..=12.0).contains(&number("observations")));
                (record[column("checkpoint")].to_owned(), value)
            })
            .collect()
    };
    let steps = |values: [f64; 3]| -> Vec<(String, f64)> {
        let names = ["step-9", "step-10", "step-100"].map(str::to_owned);
        names.into_iter().zip(values).collect()
    };
    assert_eq!(
        curve("proposer_accuracy", ""),
        steps([2.0 / 6.0, 3.0 / 6.0, 5.0 / 6.0])
    );
    // The last topic is undecided and its proposal wrong: aligned where *middle* rejects.
    assert_eq!(
        curve("judge_alignment_middle_accepts", ""),
        steps([4.0 / 6.0, 4.0 / 6.0, 4.0 / 6.0])
    );
    assert_eq!(
        curve("judge_alignment_middle_rejects", ""),
        steps([5.0 / 6.0, 5.0 / 6.0, 5.0 / 6.0])
    );
    assert_eq!(
        curve("mean_reward", "critic"),
        steps([0.0, -2.0 / 6.0, -2.0 / 6.0])
    );
    assert_eq!(
        curve("mean_reward", "proposer"),
        steps([0.0, 2.0 / 6.0, 2.0 / 6.0])
    );
    // Conditional rates and the correlation may rest on too few topics for an interval, and are
    // there all the same.
    for measure in [
        "reject_given_correct",
        "accept_given_incorrect",
        "reward_accuracy_correlation",
        "advantage_spread",
    ] {
        let checkpoints: Vec<&str> = records
            .iter()
            .filter(|record| &record[column("measure")] == measure)
            .map(|record| &record[column("checkpoint")])
            .collect();
        let seats = if measure == "advantage_spread" { 2 } else { 1 };
        assert_eq!(checkpoints.len(), 3 * seats, "{measure}");
        assert!(checkpoints[0] == "step-9" && checkpoints[3 * seats - 1] == "step-100");
    }
    let value = |measure: &str, checkpoint: &str| -> f64 {
        let mut found = records.iter().filter(|record| {
            &record[column("measure")] == measure && &record[column("checkpoint")] == checkpoint
        });
        found.next().unwrap()[column("value")].parse().unwrap()
    };
    // step-9: both right ones accepted, one wrong one of four too; step-100: the only wrong one is
    // not accepted, one of five right ones rejected.
    assert_eq!(value("reject_given_correct", "step-9"), 0.0);
    assert_eq!(value("accept_given_incorrect", "step-9"), 1.0 / 4.0);
    assert_eq!(value("reject_given_correct", "step-100"), 1.0 / 5.0);
    assert_eq!(value("accept_given_incorrect", "step-100"), 0.0);
    // Sums of x, y, xy over six: (0, 2, 2): r = 12 / √(36 · 8) = 1/√2.
    let r = value("reward_accuracy_correlation", "step-9");
    assert!((r - 0.5f64.sqrt()).abs() < 1e-12, "{r}");
}
