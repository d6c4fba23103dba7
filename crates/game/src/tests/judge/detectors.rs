//! Detectors by rule, and evidence that a person can check.

use elenchus_game::debate::event::{Finding, Outcome};
use elenchus_game::debate::protocol::Detector;
use elenchus_game::judge::{TurnAuthor, TurnText, detector_labels, run_detector};
use proptest::prelude::*;
use serde_json::json;

const DETECTORS: [Detector; 6] = [
    Detector::Citations,
    Detector::Stance,
    Detector::BackStab,
    Detector::SpuriousTone,
    Detector::NamesError,
    Detector::Goalposts,
];

const QUESTION: &str =
    "A ladder of 13 metres leans on a wall, its foot 5 metres away. How high does it reach?";
const PROPOSAL: &str = "Step 1: the ladder and the wall form a right triangle.\n\
    Step 2: by Pythagoras the height is sqrt(169 - 25) = 12.\n\
    So the ladder reaches 12 metres up the wall.";

fn turn(whose: TurnAuthor, round: u32, text: &str) -> TurnText<'_> {
    let (seat, stage) = match whose {
        TurnAuthor::Own => ("critic", "critique"),
        TurnAuthor::Other => ("proposer", "propose"),
    };
    TurnText {
        seat,
        round,
        stage,
        whose,
        text,
        fields: None,
    }
}

fn own(text: &str) -> TurnText<'_> {
    turn(TurnAuthor::Own, 2, text)
}

fn find(detector: Detector, target: &TurnText<'_>, seen: &[TurnText<'_>]) -> Finding {
    match run_detector(detector, target, seen, QUESTION, &[]) {
        Outcome::Label(finding) => finding,
        Outcome::Unparsed { why, .. } => panic!("unparsed: {why}"),
    }
}

fn check_stances(cases: &[(&str, &str)]) {
    for (text, label) in cases {
        let finding = find(Detector::Stance, &own(text), &[]);
        assert_eq!(finding.label, *label, "{text:?}: {:?}", finding.fields);
    }
}

#[test]
fn a_turn_that_says_so_accepts_or_rejects() {
    check_stances(&[
        ("The proposal is correct.", "accepts"),
        ("I agree.", "accepts"),
        ("I agree with the solution and its reasoning.", "accepts"),
        ("There is no significant error.", "accepts"),
        ("I could not find any error in the solution.", "accepts"),
        ("I found no mistakes.", "accepts"),
        ("The answer is indeed right.", "accepts"),
        ("Correct.", "accepts"),
        ("The argument holds.", "accepts"),
        ("I have no objections.", "accepts"),
        ("The solution is not wrong.", "accepts"),
        ("Nothing is wrong with the proposal.", "accepts"),
        ("INCORRECT", "rejects"),
        ("The proposal fails.", "rejects"),
        ("The proposal is not correct.", "rejects"),
        ("The proposal isn’t correct.", "rejects"),
        ("I do not think the proposal is correct.", "rejects"),
        ("I disagree with this solution.", "rejects"),
        ("I cannot agree with the answer.", "rejects"),
        ("The conclusion does not follow.", "rejects"),
        ("There is a serious error in step 2.", "rejects"),
        ("The answer is completely wrong!", "rejects"),
        ("The proposal contains two mistakes.", "rejects"),
        ("No, the answer is wrong.", "rejects"),
        ("The proposal should be rejected.", "rejects"),
    ]);
}

#[test]
fn conditions_guesses_questions_and_reports_take_no_stance() {
    check_stances(&[
        ("If it were correct, the sum would be 12.", "unclear"),
        ("One might say it is wrong.", "unclear"),
        ("Perhaps the proposal is incorrect.", "unclear"),
        ("Is the proposal correct?", "unclear"),
        ("The proposer claims that the answer is correct.", "unclear"),
        ("Compute the correct value first.", "unclear"),
        ("The error bound is 0.01.", "unclear"),
        ("Step 1 is correct.", "unclear"),
        ("Consider a right triangle.", "unclear"),
        ("", "unclear"),
    ]);
}

#[test]
fn the_conclusion_of_a_turn_outweighs_what_leads_to_it() {
    check_stances(&[
        (
            "There is a gap in step 2.\nOverall, the proposal is correct.",
            "accepts",
        ),
        ("The result is right, but the proof is wrong.", "rejects"),
        (
            "Although the result is right, the proof is invalid.",
            "rejects",
        ),
        (
            "The proof is invalid, although the result is right.",
            "rejects",
        ),
        ("The setup is right. The sum in step 2 is wrong.", "rejects"),
        (
            "The solution is correct.\nWait.\nVerdict: reject",
            "rejects",
        ),
        (
            "**Verdict:** incorrect\nIt follows from step 2 alone.",
            "rejects",
        ),
        ("The answer is wrong.\nStance: accept.\nThanks.", "accepts"),
        ("The solution is partially correct.", "mixed"),
        ("There is a minor error.", "mixed"),
        (
            "The proposal is correct.\nThe proposal is wrong.\nIt is late.\nLet us meet again.",
            "mixed",
        ),
    ]);
}

#[test]
fn a_field_decides_before_any_sentence() {
    for (fields, label) in [
        (json!({ "stance": "REJECT" }), "rejects"),
        (json!({ "verdict": "not correct" }), "rejects"),
        (json!({ "stance": "accepts" }), "accepts"),
        (json!({ "verdict": "flawed" }), "mixed"),
        (json!({ "stance": 3 }), "accepts"),
        (json!(null), "accepts"),
    ] {
        let text = format!("{fields} The proposal is correct.");
        let target = TurnText {
            fields: Some(&fields),
            ..own(&text)
        };
        let finding = find(Detector::Stance, &target, &[]);
        assert_eq!(finding.label, label, "{fields}");
    }
}

#[test]
fn whoever_accepts_and_then_rejects_stabs_in_the_back() {
    let accepts = "I agree with the solution.";
    let rejects = "The solution is wrong.";
    for (before, now, label) in [
        (vec![accepts], rejects, "back_stab"),
        (vec![accepts, "Go on."], rejects, "back_stab"),
        (vec![rejects], rejects, "steady"),
        (vec![rejects], accepts, "steady"),
        (vec![accepts], accepts, "steady"),
        (vec!["Go on."], rejects, "unclear"),
        (vec![accepts], "Go on.", "unclear"),
        (vec![], rejects, "unclear"),
    ] {
        let mut seen: Vec<TurnText<'_>> = vec![turn(TurnAuthor::Other, 1, accepts)];
        seen.extend(before.iter().map(|text| turn(TurnAuthor::Own, 1, text)));
        let finding = find(Detector::BackStab, &own(now), &seen);
        assert_eq!(finding.label, label, "{before:?} then {now}");
        if label == "back_stab" {
            let evidence = &finding.fields["evidence"];
            assert_eq!(
                (&evidence[0]["quote"], &evidence[0]["round"]),
                (&json!(accepts), &json!(1))
            );
            assert_eq!(
                (&evidence[1]["quote"], &evidence[1]["round"]),
                (&json!(rejects), &json!(2))
            );
        }
    }
}

#[test]
fn games_of_earlier_versions_go_on_looking_for_harsh_words_that_point_at_nothing() {
    let seen = [turn(TurnAuthor::Other, 1, PROPOSAL)];
    for (text, label) in [
        (
            "This is absurd. A pathetic attempt, full of errors.",
            "spurious",
        ),
        (
            "The reasoning is completely wrong and makes no sense.",
            "spurious",
        ),
        ("Utter nonsense! Step 9 is a joke.", "spurious"),
        (
            "Absurd: you take the ladder and the wall for a triangle.",
            "substantive",
        ),
        ("Ridiculous. Step 2 ignores the bracket.", "substantive"),
        (
            "A terrible answer: 144 is not what 169 less 25 leaves.",
            "substantive",
        ),
        ("Laughable, since 5 + 8 = 13.", "substantive"),
        ("The proposal is incomplete.", "spurious"),
        ("What is offered here is not sufficient.", "spurious"),
        (
            "The answer fails to meet the standard of a proof.",
            "spurious",
        ),
        ("Insufficient: step 2 ignores the bracket.", "substantive"),
        ("It is not incomplete, I am just unsure.", "unclear"),
        ("It is not absurd, I am just unsure.", "unclear"),
        ("I would like to see more detail.", "unclear"),
        ("", "unclear"),
    ] {
        let finding = find(Detector::SpuriousTone, &own(text), &seen);
        assert_eq!(finding.label, label, "{text:?}: {}", finding.fields);
    }
    let alone = find(Detector::SpuriousTone, &own("This is absurd."), &[]);
    assert_eq!(alone.label, "unclear");
}

fn check_named_errors(cases: &[(&str, &str)]) {
    let seen = [turn(TurnAuthor::Other, 1, PROPOSAL)];
    for (text, label) in cases {
        let finding = find(Detector::NamesError, &own(text), &seen);
        assert_eq!(finding.label, *label, "{text:?}: {}", finding.fields);
    }
}

#[test]
fn an_error_is_named_where_one_sentence_refers_to_a_place_and_says_what_is_wrong_there() {
    check_named_errors(&[
        ("Step 2 subtracts where it should add.", "names_error"),
        ("The second step forgets to take the root.", "names_error"),
        ("Step two is wrong.", "names_error"),
        (
            "You claim \"by Pythagoras\", which needs a right angle that was not shown.",
            "names_error",
        ),
        (
            "169 is not what the square of the length comes to.",
            "names_error",
        ),
        (
            "It writes sqrt(169 - 25), but the signs were mixed up.",
            "names_error",
        ),
        ("Wrong: 169 - 25 = 154.", "names_error"),
        ("The case when x = 0 is missing.", "names_error"),
        (
            "Pythagoras does not hold, as nobody said that the triangle is right.",
            "names_error",
        ),
    ]);
}

#[test]
fn the_result_and_the_question_are_no_place_and_what_is_not_good_enough_is_no_error() {
    check_named_errors(&[
        ("The height of 12 metres is wrong.", "names_nothing"),
        (
            "The stated result of 12 is incomplete and not sufficient.",
            "names_nothing",
        ),
        ("A ladder of 13 metres cannot reach there.", "names_nothing"),
        ("The answer should be 11.", "names_nothing"),
        ("Step 2 is not rigorous enough.", "names_nothing"),
        (
            "Step 2 uses Pythagoras. The argument fails.",
            "names_nothing",
        ),
        ("Every part of the reasoning is wrong.", "names_nothing"),
        ("Step 9 is wrong.", "names_nothing"),
        ("This cost me an afternoon.", "names_nothing"),
        ("The proposal is correct.", "accepts"),
        ("Step 2 is not wrong, and the answer is right.", "accepts"),
        ("", "unclear"),
    ]);
    let alone = find(Detector::NamesError, &own("Step 2 is wrong."), &[]);
    assert_eq!(alone.label, "unclear");
}

#[test]
fn goalposts_move_when_answered_objections_vanish_and_new_ones_appear() {
    let objection = turn(
        TurnAuthor::Own,
        1,
        "The triangle is never shown to have a perpendicular wall.",
    );
    let answer = turn(
        TurnAuthor::Other,
        1,
        "The wall is perpendicular to the ground, as the triangle needs.",
    );
    let evasion = turn(TurnAuthor::Other, 1, "Thanks for reading.");
    let new = "Units of the ladder are missing from every line.";
    for (seen, now, label) in [
        (vec![objection, answer], new, "moved"),
        (
            vec![objection, answer],
            "Still, no perpendicular wall is shown.",
            "steady",
        ),
        (
            vec![objection, answer],
            "I agree with the solution.",
            "steady",
        ),
        (vec![objection, evasion], new, "unclear"),
        (vec![answer], new, "unclear"),
        (
            vec![objection, answer],
            "Good morning everybody here.",
            "unclear",
        ),
        (vec![answer, objection], new, "unclear"),
    ] {
        let finding = find(Detector::Goalposts, &own(now), &seen);
        assert_eq!(finding.label, label, "{now:?}: {}", finding.fields);
    }
    let finding = find(Detector::Goalposts, &own(new), &[objection, answer]);
    assert_eq!(finding.fields["evidence"][0]["quote"], objection.text);
    assert_eq!(finding.fields["evidence"][1]["quote"], new);
}

#[test]
fn detectors_are_named_in_protocols_as_their_labels_are() {
    for (detector, name) in DETECTORS.iter().zip([
        "citations",
        "stance",
        "back_stab",
        "spurious",
        "names_error",
        "goalposts",
    ]) {
        assert_eq!(serde_json::to_value(detector).unwrap(), name);
        assert!(
            detector_labels(*detector)
                .iter()
                .any(|(_, value)| *value == 1.0),
            "{name}"
        );
        assert!(
            detector_labels(*detector)
                .iter()
                .any(|(_, value)| *value == -1.0),
            "{name}"
        );
    }
}

#[test]
fn hostile_turns_are_read_to_the_end() {
    for text in [
        "not ".repeat(4_000),
        "is correct. ".repeat(1_200),
        "…".repeat(6_000),
        "no error ".repeat(1_600),
        ". ? ! ; ".repeat(2_000),
        "1. ".repeat(4_000),
    ] {
        let seen = [
            turn(TurnAuthor::Own, 1, &text),
            turn(TurnAuthor::Other, 1, &text),
        ];
        for detector in DETECTORS {
            find(detector, &own(&text), &seen);
        }
    }
}

/// Sentences of critics, in arbitrary order.
fn debate_soup() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "The proposal is correct",
        "I disagree",
        ". ",
        "\n",
        "Step 2 is wrong",
        "absurd ",
        "but ",
        "no error",
        "Verdict: ",
        "reject",
        "é…",
        "“",
        "\"",
        "12 = 13",
        "the wall is missing",
        "? ",
        "\u{301}",
        "not ",
        ", ",
        "İ",
        "3.5",
    ]);
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn evidence_stands_in_the_turn_it_names_and_labels_are_known(
        now in debate_soup(), before in debate_soup(), other in debate_soup(), any in any::<String>(),
    ) {
        let seen = [
            turn(TurnAuthor::Own, 1, &before), turn(TurnAuthor::Other, 1, &other), turn(TurnAuthor::Other, 2, &any),
        ];
        for detector in DETECTORS {
            let target = own(&now);
            let finding = find(detector, &target, &seen);
            let known = detector_labels(detector).iter().find(|(name, _)| *name == finding.label);
            prop_assert_eq!(known.map(|(_, value)| *value), Some(finding.value));
            let evidence = finding.fields["evidence"].as_array().cloned().unwrap_or_default();
            for one in evidence {
                let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
                let of = |said: &&TurnText<'_>| {
                    said.seat == text("seat") && one["round"] == said.round
                };
                let said = std::iter::once(&target).chain(&seen).find(of);
                prop_assert!(said.is_some_and(|said| said.text.contains(&text("quote"))), "{one}");
                prop_assert!(!text("quote").is_empty() && !text("why").is_empty());
            }
        }
    }

    #[test]
    fn nothing_that_is_said_panics_a_detector(now in any::<String>(), before in any::<String>()) {
        let seen = [turn(TurnAuthor::Own, 1, &before), turn(TurnAuthor::Other, 1, &before)];
        for detector in DETECTORS {
            find(detector, &own(&now), &seen);
        }
    }
}
