//! Two-candidate judging, computed by hand.

use crate::{DebateRow, Dimension, LeftOutReason, Measure, MissingAnswer, PickOutcome, PickRow};

use super::{assert_not_applicable, assert_value, course, debate, figure, part, reported};

fn picked(topic: &str, picked: PickOutcome, correct: [bool; 2]) -> DebateRow {
    let mut turns = course("candidate", 0, "C");
    turns.extend(course("candidate", 1, "C"));
    for (turn, correct) in turns.iter_mut().zip(correct) {
        turn.correct = Some(correct);
    }
    DebateRow {
        turns,
        rounds: 1,
        pick: Some(PickRow {
            picked,
            decidable: Some(correct[0] != correct[1]),
            inherited: false,
        }),
        ..debate(topic, "two-candidate")
    }
}

#[test]
fn a_pick_that_is_unparsed_because_of_the_material_is_left_out_apart() {
    let report = reported(&[
        picked("a", PickOutcome::Right, [true, false]),
        picked("b", PickOutcome::UnparsedOfMaterial, [true, false]),
    ]);
    let right = figure(&report, Measure::PicksRight);
    assert_value(right, 1.0);
    assert_eq!(
        right.left_out,
        [(LeftOutReason::DecisionUnparsedOfMaterial, 1)].into()
    );
}

#[test]
fn picks_count_where_exactly_one_candidate_is_right_with_ties_both_ways() {
    let report = reported(&[
        picked("a", PickOutcome::Right, [true, false]),
        picked("b", PickOutcome::Right, [true, false]),
        picked("c", PickOutcome::Wrong, [false, true]),
        picked("d", PickOutcome::Tie, [true, false]),
        picked("e", PickOutcome::Unparsed, [true, false]),
        // Neither or both are right: nothing to get right, but a tie is a tie.
        picked("f", PickOutcome::Tie, [true, true]),
        picked("g", PickOutcome::Wrong, [false, false]),
        debate("h", "two-candidate"),
    ]);
    let right = figure(&report, Measure::PicksRight);
    assert_value(right, 2.0 / 4.0);
    assert_eq!(
        right.left_out,
        [(LeftOutReason::DecisionUnparsed, 1)].into()
    );
    assert_value(figure(&report, Measure::PicksRightTiesHalf), 2.5 / 4.0);
    assert_value(figure(&report, Measure::PickTies), 2.0 / 6.0);
    assert_value(figure(&report, Measure::DecidableShare), 5.0 / 7.0);
    assert_value(figure(&report, Measure::AnswerAccuracy), 7.0 / 14.0);
    assert_value(
        part(
            &report,
            Measure::AnswerAccuracy,
            Dimension::Seat,
            "candidate/0",
        ),
        5.0 / 7.0,
    );
    assert_value(
        part(
            &report,
            Measure::AnswerAccuracy,
            Dimension::Seat,
            "candidate/1",
        ),
        2.0 / 7.0,
    );
}

#[test]
fn inherited_picks_and_games_without_a_right_candidate_have_no_rate() {
    let mut fork = picked("a", PickOutcome::Right, [true, false]);
    fork.pick = fork.pick.map(|pick| PickRow {
        inherited: true,
        ..pick
    });
    let report = reported(&[fork, picked("b", PickOutcome::Right, [true, true])]);
    let right = figure(&report, Measure::PicksRight);
    assert_not_applicable(right, "no readable pick with one right");
    assert_eq!(right.left_out, [(LeftOutReason::Inherited, 1)].into());
    assert_value(figure(&report, Measure::DecidableShare), 0.0);
}

#[test]
fn a_candidate_that_was_not_graded_is_neither_right_nor_wrong() {
    let ungraded = |topic, missing| {
        let mut row = picked(topic, PickOutcome::Right, [true, false]);
        row.pick = row.pick.map(|pick| PickRow {
            decidable: None,
            ..pick
        });
        row.turns[1].correct = None;
        row.turns[1].missing_answer = missing;
        row
    };
    let report = reported(&[
        picked("a", PickOutcome::Right, [true, false]),
        ungraded("b", Some(MissingAnswer::Ungraded)),
        ungraded("c", Some(MissingAnswer::Empty)),
        ungraded("d", None),
    ]);
    for measure in [Measure::DecidableShare, Measure::PicksRight] {
        let figure = figure(&report, measure);
        assert_value(figure, 1.0);
        assert_eq!(
            figure.left_out,
            [
                (LeftOutReason::Ungraded, 1),
                (LeftOutReason::Empty, 1),
                (LeftOutReason::NoGroundTruth, 1)
            ]
            .into()
        );
    }
}
