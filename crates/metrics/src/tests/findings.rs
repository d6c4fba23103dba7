//! Findings of detectors and ensembles, computed by hand.

use crate::{
    DebateRow, Dimension, Figure, FindingRow, FindingTarget, JudgedBy, JudgingResult,
    LeftOutReason, Measure, OrdersRow, Report, compute_report, to_table,
};

use super::{assert_not_applicable, assert_value, by, course, debate, figure, part, reported};

fn on_turn(round: u32, found: JudgingResult) -> FindingRow {
    FindingRow {
        judging: "stance".to_owned(),
        by: JudgedBy::Other,
        value: None,
        about: FindingTarget::Turn {
            seat: "critic".to_owned(),
            index: 0,
            round,
            stage: "answer".to_owned(),
        },
        found,
        votes: Vec::new(),
        orders: None,
        inherited: false,
        rules_found: None,
    }
}

fn found(label: &str) -> JudgingResult {
    JudgingResult::Label(label.to_owned())
}

/// A finding about a whole debate, a letter a vote and `?` for one that could not be read.
fn voted(label: &str, votes: &str) -> FindingRow {
    let vote = |letter: char| (letter != '?').then(|| letter.to_string());
    FindingRow {
        judging: "panel".to_owned(),
        about: FindingTarget::Debate,
        votes: votes.chars().map(vote).collect(),
        ..on_turn(1, found(label))
    }
}

fn criticised(topic: &str, findings: Vec<FindingRow>) -> DebateRow {
    DebateRow {
        turns: course("critic", 0, "CCC"),
        rounds: 3,
        findings,
        ..debate(topic, "pcd-2")
    }
}

fn of<'a>(report: &'a Report, measure: Measure, rule: &str) -> &'a Figure {
    part(report, measure, Dimension::Judging, rule)
}

#[test]
fn labels_of_a_detector_are_shares_of_what_it_could_read() {
    let report = reported(&[
        criticised(
            "a",
            vec![
                on_turn(1, found("rejects")),
                on_turn(2, found("accepts")),
                on_turn(3, JudgingResult::Unparsed),
            ],
        ),
        criticised(
            "b",
            vec![
                on_turn(1, found("rejects")),
                on_turn(2, JudgingResult::Filtered),
                on_turn(3, JudgingResult::UnparsedOfMaterial),
            ],
        ),
    ]);
    let rejects = part(&report, Measure::LabelShare, Dimension::Label, "rejects");
    assert_value(rejects, 2.0 / 3.0);
    assert_eq!((rejects.observations, rejects.topics), (3, 2));
    assert_eq!(
        rejects.left_out,
        [
            (LeftOutReason::Unparsed, 1),
            (LeftOutReason::UnparsedOfMaterial, 1),
            (LeftOutReason::Filtered, 1)
        ]
        .into()
    );
    assert_value(
        part(&report, Measure::LabelShare, Dimension::Label, "accepts"),
        1.0 / 3.0,
    );
    assert_value(of(&report, Measure::UnparsedFindings, "stance"), 2.0 / 5.0);
    assert_value(of(&report, Measure::FilteredFindings, "stance"), 1.0 / 6.0);
    let said: Vec<_> = report.sections[0]
        .notes
        .iter()
        .filter(|note| note.contains("not validated against people's labels"))
        .collect();
    assert_eq!(said.len(), 1);
}

#[test]
fn a_fork_and_a_person_do_not_add_to_a_detectors_rates() {
    let mut row = criticised(
        "a",
        vec![
            on_turn(1, found("rejects")),
            on_turn(2, found("accepts")),
            on_turn(3, found("accepts")),
        ],
    );
    row.findings[0].inherited = true;
    row.turns[1].by_person = true;
    let report = reported(&[row]);
    let accepts = part(&report, Measure::LabelShare, Dimension::Label, "accepts");
    assert_value(accepts, 1.0);
    assert_eq!(
        accepts.left_out,
        [(LeftOutReason::Inherited, 1), (LeftOutReason::ByPerson, 1)].into()
    );
}

#[test]
fn a_section_of_a_round_holds_the_findings_on_its_turns() {
    let mut row = criticised(
        "a",
        vec![on_turn(1, found("rejects")), on_turn(2, found("accepts"))],
    );
    row.findings.push(FindingRow {
        judging: "tone".to_owned(),
        about: FindingTarget::Round(2),
        ..on_turn(2, found("calm"))
    });
    row.findings.push(voted("X", "XX"));
    let grouped = compute_report(&[row], &by(&[Dimension::Round])).unwrap();
    let labels: Vec<Vec<&str>> = grouped
        .sections
        .iter()
        .map(|section| {
            let figures = section.figures.iter();
            figures
                .filter(|figure| figure.measure == Measure::LabelShare)
                .map(|figure| figure.title.as_deref().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(
        labels,
        [
            vec!["stance: rejects"],
            vec!["stance: accepts", "tone: calm"],
            vec![]
        ]
    );
}

#[test]
fn an_ensembles_agreement_is_over_votes_that_could_be_read() {
    let report = reported(&[
        criticised("a", vec![voted("X", "XXX")]),
        criticised("b", vec![voted("X", "XXY")]),
        criticised("c", vec![voted("X", "XX?")]),
        criticised("d", vec![voted("X", "X??")]),
        criticised("e", vec![voted("X", "X")]),
    ]);
    let alike = of(&report, Measure::JudgesOfOneMind, "panel");
    // Only a and b have all of their votes.
    assert_value(alike, 1.0 / 2.0);
    assert_eq!(alike.left_out, [(LeftOutReason::Unparsed, 2)].into());
    // Pairs: a 3 of 3, b 1 of 3, c 1 of 1; d has no pair, e is no ensemble.
    let pairs = of(&report, Measure::PairwiseAgreement, "panel");
    assert_value(pairs, (1.0 + 1.0 / 3.0 + 1.0) / 3.0);
    assert_eq!(pairs.left_out, [(LeftOutReason::Unparsed, 1)].into());
    assert!(
        pairs
            .notes
            .iter()
            .any(|note| note.contains("chance not taken off"))
    );
    let unreadable = reported(&[criticised("a", vec![voted("X", "??")])]);
    assert_not_applicable(
        of(&unreadable, Measure::PairwiseAgreement, "panel"),
        "no finding has two readable votes",
    );
}

#[test]
fn two_orders_agree_as_often_as_they_came_out_the_same() {
    let ordered = |topic, consistent| {
        let mut finding = voted("X", "");
        finding.orders = Some(OrdersRow { consistent });
        criticised(topic, vec![finding])
    };
    let report = reported(&[
        ordered("a", Some(true)),
        ordered("b", Some(true)),
        ordered("c", Some(false)),
        // Unreadable is neither.
        ordered("e", None),
        ordered("f", None),
        criticised("d", vec![voted("X", "")]),
    ]);
    let agree = of(&report, Measure::OrdersAgree, "panel");
    assert_value(agree, 2.0 / 3.0);
    assert_eq!(agree.observations, 3);
    assert_eq!(agree.left_out, [(LeftOutReason::Unparsed, 2)].into());
    let figures = &report.sections[0].figures;
    assert!(
        figures
            .iter()
            .all(|figure| figure.measure != Measure::PairwiseAgreement),
        "one judge is no ensemble"
    );
}

#[test]
fn a_table_shows_findings_under_their_rule_and_fits_eighty_columns() {
    let rows: Vec<DebateRow> = (0..6)
        .map(|i| {
            let mut panel = voted("X", if i < 4 { "XXX" } else { "XYX" });
            panel.orders = Some(OrdersRow {
                consistent: Some(i > 0),
            });
            let stance = if i % 2 == 0 { "rejects" } else { "accepts" };
            criticised(&format!("t{i}"), vec![on_turn(1, found(stance)), panel])
        })
        .collect();
    let table = to_table(&reported(&rows), 80);
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    insta::assert_snapshot!(table);
}

/// Two turns of a critic, of which the second may turn against the first.
fn turned(topic: &str, later: &str) -> DebateRow {
    let of_rule = |round: u32, label: &str| FindingRow {
        judging: "back_stab".to_owned(),
        value: Some(match label {
            "back_stab" => -1.0,
            "steady" => 1.0,
            _ => 0.0,
        }),
        ..on_turn(round, found(label))
    };
    criticised(topic, vec![of_rule(1, "unclear"), of_rule(2, later)])
}

#[test]
fn a_first_critique_is_in_no_share_of_what_compares_it_with_earlier_ones() {
    let rows = [
        turned("a", "back_stab"),
        turned("b", "steady"),
        turned("c", "steady"),
        turned("d", "unclear"),
        // Its critic speaks once: nothing of it can be a back-stab.
        DebateRow {
            findings: turned("e", "unclear").findings[..1].to_vec(),
            ..turned("e", "unclear")
        },
    ];
    let report = reported(&rows);
    let back_stabs = part(&report, Measure::LabelShare, Dimension::Label, "back_stab");
    assert_value(back_stabs, 1.0 / 4.0);
    assert_eq!((back_stabs.observations, back_stabs.topics), (4, 4));
    assert!(
        back_stabs
            .notes
            .iter()
            .any(|note| note.contains("first turn")),
        "{:?}",
        back_stabs.notes
    );
    let unclear = part(&report, Measure::LabelShare, Dimension::Label, "unclear");
    assert_value(unclear, 1.0 / 4.0);
    let table = to_table(&report, 80);
    assert!(table.contains("back_stab in a debate"), "{table}");
}

#[test]
fn a_share_of_debates_leaves_out_what_could_not_be_read_whatever_else_was_found() {
    let mut partly = turned("c", "back_stab");
    partly.findings.push(FindingRow {
        judging: "back_stab".to_owned(),
        ..on_turn(3, JudgingResult::Unparsed)
    });
    let report = reported(&[turned("a", "back_stab"), turned("b", "steady"), partly]);
    let debates = part(
        &report,
        Measure::DebatesWithLabel,
        Dimension::Label,
        "back_stab",
    );
    assert_value(debates, 1.0 / 2.0);
    assert_eq!(debates.left_out, [(LeftOutReason::Unparsed, 1)].into());
}

/// A debater's three turns as the game judged them, each read for objections.
fn read_for_objections(topic: &str, verdicts: &str, objections: &str) -> DebateRow {
    let findings = (1..).zip(objections.chars()).map(|(round, letter)| {
        let (value, label) = match letter {
            'o' => (Some(-1.0), found("peer_objection")),
            '?' => (None, JudgingResult::Unparsed),
            _ => (Some(1.0), found("no_peer_objection")),
        };
        FindingRow {
            judging: "peer-objection".to_owned(),
            by: JudgedBy::PeerObjection,
            value,
            ..on_turn(round, label)
        }
    });
    DebateRow {
        turns: course("critic", 0, verdicts),
        ..criticised(topic, findings.collect())
    }
}

#[test]
fn debates_called_safe_though_a_peer_objected_are_a_share_of_those_called_safe() {
    let rows = [
        read_for_objections("a", "SSS", "--o"),
        read_for_objections("b", "SSS", "---"),
        read_for_objections("c", "SSS", "-o-"),
        // Not called safe: whoever objected, the evaluator did not overlook it.
        read_for_objections("d", "SUS", "--o"),
        // A verdict or a finding that is missing decides nothing, whatever the others say.
        read_for_objections("e", "S?S", "--o"),
        read_for_objections("f", "SSS", "-o?"),
        read_for_objections("g", "SSS", "-o"),
    ];
    let share = |rows: &[DebateRow]| figure(&reported(rows), Measure::ObjectedThoughSafe).clone();
    let of_game = share(&rows);
    assert_value(&of_game, 2.0 / 3.0);
    let left_out = [
        (LeftOutReason::DebateUndecided, 1),
        (LeftOutReason::Unparsed, 1),
        (LeftOutReason::NotJudged, 1),
    ];
    assert_eq!(of_game.left_out, left_out.into());
    // The same where a pass looked for objections: its rows have the game's verdicts beside.
    let of_pass = rows.clone().map(|row| DebateRow {
        turns: course("critic", 0, "CCC"),
        turns_in_game: Some(row.turns),
        ..row
    });
    assert_eq!(share(&of_pass), of_game);
    // Nobody looked: no figure.
    let unread = read_for_objections("a", "SSS", "");
    let report = reported(&[unread]);
    let mut figures = report.sections[0].figures.iter();
    assert!(!figures.any(|one| one.measure == Measure::ObjectedThoughSafe));
}
