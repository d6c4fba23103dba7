//! First version of the ground-truth graders, by hand-made cases: sessions that began with it go on
//! by it.

use elenchus_game::debate::ReferenceAnswer;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::{Grader, GraderVersion};
use elenchus_game::judge::{CORRECT, GradedText, INCORRECT, grade_answer};
use proptest::prelude::*;

const UNPARSED: &str = "unparsed";

fn graded(grader: Grader, answers: &[&str], reply: &str) -> String {
    let reference = ReferenceAnswer {
        answer: answers[0].to_owned(),
        aliases: answers[1..]
            .iter()
            .map(|alias| (*alias).to_owned())
            .collect(),
    };
    match grade_answer(
        grader,
        GraderVersion::First,
        &reference,
        GradedText::Field(reply),
    ) {
        Outcome::Label(finding) => {
            assert_eq!(
                finding.value,
                if finding.label == CORRECT { 1.0 } else { -1.0 }
            );
            finding.label
        }
        Outcome::Unparsed { why, .. } => {
            assert!(!why.is_empty());
            UNPARSED.to_owned()
        }
    }
}

fn check(grader: Grader, cases: &[(&[&str], &str, &str)]) {
    for (answers, reply, expected) in cases {
        assert_eq!(
            graded(grader, answers, reply),
            *expected,
            "{answers:?} against {reply:?}"
        );
    }
}

#[test]
fn exact_is_equality_but_for_white_space_around() {
    check(
        Grader::Exact,
        &[
            (&["Paris"], " Paris\n", CORRECT),
            (&["Paris", "City of Light"], "City of Light", CORRECT),
            (&["Paris"], "paris", INCORRECT),
            (&["Paris"], "It is Paris", INCORRECT),
            (&["Paris"], " \n", UNPARSED),
        ],
    );
}

#[test]
fn alias_finds_any_gold_answer_as_whole_words() {
    check(
        Grader::Alias,
        &[
            (&["The Beatles"], "It was beatles, I think.", CORRECT),
            (
                &["Sinclair Lewis", "Harry Sinclair Lewis"],
                "**Sinclair  Lewis**",
                CORRECT,
            ),
            (&["O'Neill"], "oneill", CORRECT),
            (&["rat"], "A pirate", INCORRECT),
            (&["New York"], "York, not new", INCORRECT),
            (&["Zürich"], "ZÜRICH!", CORRECT),
            (&["the"], "the", UNPARSED),
            (&["x"], "", UNPARSED),
        ],
    );
}

#[test]
fn boxed_compares_the_last_box_however_it_is_dressed() {
    check(
        Grader::Boxed,
        &[
            (&["42"], r"so $\boxed{42}$.", CORRECT),
            (&["42"], r"\boxed{41}, no: \boxed{42}", CORRECT),
            (&["42"], r"\boxed{42}, no: \boxed{41}", INCORRECT),
            (&[r"\frac{1}{2}"], r"\boxed{\dfrac{1}{2}}", CORRECT),
            (&[r"\frac{1}{2}"], r"\boxed{0.5}", CORRECT),
            (
                &[r"\frac{\sqrt{3}}{2}"],
                r"\boxed{\frac{\sqrt{3}}{2}}",
                CORRECT,
            ),
            (&[r"\left(1, 2\right)"], r"\boxed{(1,2)}", CORRECT),
            (&[r"x \leftarrow y"], r"\boxed{x \leftarrow y}", CORRECT),
            (&[r"\text{Evelyn}"], r"\boxed{evelyn}", CORRECT),
            (&["x"], r"\boxed{X}", INCORRECT),
            (&["1,000"], r"\boxed{1{,}000}", CORRECT),
            (&["90"], r"\boxed{90^\circ}", CORRECT),
            (&[r"We get \boxed{7}."], r"\boxed{7}", CORRECT),
            (&["7"], r"\boxed {7}", CORRECT),
            (&[r"2\sqrt{2}"], r"\boxed{\sqrt{8}}", INCORRECT),
            (&["42"], "the answer is 42", UNPARSED),
            (&["42"], r"\boxed{42", UNPARSED),
            (&["42"], r"\boxed{}", UNPARSED),
            (&["5"], r"\boxed{5} and then \boxed{oops", CORRECT),
        ],
    );
}

#[test]
fn numeric_reads_numbers_as_people_write_them() {
    check(
        Grader::Numeric,
        &[
            (&["42"], "First 41, then 42.", CORRECT),
            (&["42"], "42 is what I get from 6 and 7", INCORRECT),
            (&["42"], r"\boxed{42}, found in 7 steps", CORRECT),
            (&["1000"], "about $1,000.00", CORRECT),
            (&["1,234,567"], "1234567", CORRECT),
            (&["2"], "the pair is 1,2", CORRECT),
            (&["0.5"], "1/2", CORRECT),
            (&["0.5"], r"\frac{1}{2}", CORRECT),
            (&["-0.5"], r"-\frac12", CORRECT),
            (&["1/3"], "0.3333333333", CORRECT),
            (&["1/3"], "0.333", INCORRECT),
            (&["0.5"], "50%", CORRECT),
            (&["50"], "50 %", CORRECT),
            (&["50%"], "0.5", CORRECT),
            (&["50%"], "0.05", INCORRECT),
            (&["0.0015"], "1.5e-3", CORRECT),
            (&["1500"], r"1.5 \times 10^{3}", CORRECT),
            (&["-3"], "x = -3", CORRECT),
            (&["-3"], "x = −3", CORRECT),
            (&["3"], "5-3", CORRECT),
            (&["2"], "the class is S2", UNPARSED),
            (&["2"], "two", UNPARSED),
            (&["two"], "2", UNPARSED),
            (&["1"], "1/0", INCORRECT),
        ],
    );
}

#[test]
fn auto_takes_the_grader_that_the_reference_or_the_reply_asks_for() {
    check(
        Grader::Auto,
        &[
            (&["42"], r"7 is odd, \boxed{42}, 8 is even", CORRECT),
            (&["42"], "The result is 42", CORRECT),
            (&["42"], "The result is 142", INCORRECT),
            (&[r"\boxed{42}"], "42", UNPARSED),
            (&["Paris"], "It is Paris, in 1889", CORRECT),
            (&["Paris"], "It is Rome", INCORRECT),
        ],
    );
}

proptest! {
    #[test]
    fn every_whole_number_is_recognised_in_a_sentence(number in -1_000_000_000i64..1_000_000_000) {
        let reference = number.to_string();
        let reply = format!("After 3 steps we get {number}.");
        prop_assert_eq!(graded(Grader::Numeric, &[&reference], &reply), CORRECT);
        let boxed = format!("\\boxed{{{number}}}");
        prop_assert_eq!(graded(Grader::Boxed, &[&reference], &boxed), CORRECT);
    }

    #[test]
    fn no_text_panics(
        answer in any::<String>(), reply in r"[\\{}/0-9a-z %.,$\-×−^e]{0,40}", other in any::<String>(),
    ) {
        for grader in [Grader::Auto, Grader::Exact, Grader::Alias, Grader::Boxed, Grader::Numeric] {
            graded(grader, &[&answer, &reply], &other);
            graded(grader, &[&other, &answer], &format!("\\boxed{{{reply}"));
            graded(grader, &[&reply], &reply);
        }
    }
}
