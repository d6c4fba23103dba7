//! Replies: where the final answer is found, and what a reply without one is.

use super::{UNGRADED, grade_reply, grade_text};
use elenchus_game::debate::protocol::Grader;
use elenchus_game::judge::{CORRECT, GradedText, INCORRECT, ReplyEnding};
use proptest::prelude::*;

const GSM8K: &str = "Natalia sold 48/2 = <<48/2=24>>24 clips in May.\nShe sold 48+24 = <<48+24=72>>72 \
                     clips.\n#### 72";

#[test]
fn the_marks_of_gsm8k_are_read_in_reference_and_reply() {
    for grader in [Grader::Auto, Grader::Numeric] {
        for reply in [
            "It is 72.",
            "48 + 24 = 72\n#### 72",
            "#### 72 clips",
            r"\boxed{72}",
            "The answer is 72, which is 24 more than 48.",
        ] {
            assert_eq!(grade_reply(grader, GSM8K, reply), CORRECT, "{reply}");
        }
        for reply in [
            "#### 73\nas 72 + 1",
            "#### 7,2",
            r"\boxed{48}",
            "72, no: 73",
        ] {
            assert_eq!(grade_reply(grader, GSM8K, reply), INCORRECT, "{reply}");
        }
    }
    assert_eq!(
        grade_reply(Grader::Auto, "#### 1,234", "It is 1234."),
        CORRECT
    );
}

#[test]
fn a_reply_with_text_and_no_final_answer_is_incorrect_by_kind() {
    let refusal = "I'm sorry, but I can't help with that.";
    for (grader, reference) in [
        (Grader::Boxed, "5"),
        (Grader::Numeric, "5"),
        (Grader::Auto, r"2\sqrt{2}"),
        (Grader::Auto, "5"),
        (Grader::Alias, "Paris"),
    ] {
        let found = grade_reply(grader, reference, refusal);
        assert_eq!(found, "incorrect [refusal]", "{grader:?}");
    }
    let nothing = "Let us think about the problem from the beginning.";
    let text = GradedText::Reply {
        text: nothing,
        ending: ReplyEnding::Cut,
    };
    for (grader, reference) in [(Grader::Boxed, "5"), (Grader::Numeric, "5")] {
        assert_eq!(
            grade_reply(grader, reference, nothing),
            "incorrect [no_answer]"
        );
        assert_eq!(grade_text(grader, reference, text), "incorrect [cut_off]");
    }
    assert_eq!(
        grade_reply(Grader::Boxed, "5", r"\boxed{5"),
        "incorrect [no_answer]"
    );
    assert_eq!(
        grade_reply(Grader::Boxed, "5", r"\boxed{}"),
        "incorrect [no_answer]"
    );
    let unread = GradedText::NoField {
        text: "no JSON",
        ending: ReplyEnding::Whole,
        why: "the reply holds no JSON",
    };
    assert_eq!(
        grade_text(Grader::Auto, "5", unread),
        "incorrect [no_answer]"
    );
}

#[test]
fn only_an_answer_that_cannot_be_compared_is_ungraded() {
    assert_eq!(grade_reply(Grader::Auto, "5", " \n\u{200b}"), UNGRADED);
    assert_eq!(
        grade_reply(Grader::Boxed, r"\int_0^1 f(x)\,dx", r"\boxed{5}"),
        UNGRADED
    );
    assert_eq!(grade_reply(Grader::Numeric, "many", "2"), UNGRADED);
    // What is equal as text needs no comparison.
    let same = grade_reply(
        Grader::Boxed,
        r"\int_0^1 f(x)\,dx",
        r"\boxed{\int_0^1 f(x) dx}",
    );
    assert_eq!(same, CORRECT);
}

#[test]
fn a_final_answer_is_found_without_a_box_too() {
    for reply in [
        r"The answer is $2\sqrt{2}$.",
        r"Therefore the final answer is: \(\sqrt{8}\)",
        r"We get \(x = 2\sqrt2\).",
        r"2\sqrt{2}",
        "**Answer:** $\\sqrt 8$",
    ] {
        assert_eq!(
            grade_reply(Grader::Auto, r"2\sqrt{2}", reply),
            CORRECT,
            "{reply}"
        );
    }
    let wrong = r"The answer is $\sqrt{2}$, not $2\sqrt{2}$ as one might think, so $\sqrt{2}$";
    assert_eq!(grade_reply(Grader::Auto, r"2\sqrt{2}", wrong), INCORRECT);
    assert_eq!(
        grade_text(Grader::Auto, r"2\sqrt{2}", GradedText::Field(r"\sqrt{8}")),
        CORRECT
    );
    assert_eq!(
        grade_text(Grader::Boxed, "5", GradedText::Field("5")),
        CORRECT
    );
}

proptest! {
    #[test]
    fn no_text_panics_or_takes_long(
        answer in any::<String>(),
        reply in r"[\\{}()\[\]|/0-9a-z %.,;:=<>!_$'&\-×−±√^eπ]{0,60}",
        other in r"(\\frac|\\sqrt|\\pm|\\text\{|\\left|\\begin\{pmatrix\}|[{}(),+0-9x^_ ]){0,30}",
    ) {
        for grader in [Grader::Auto, Grader::Exact, Grader::Alias, Grader::Boxed, Grader::Numeric] {
            grade_reply(grader, &answer, &reply);
            grade_reply(grader, &reply, &answer);
            grade_reply(grader, &other, &format!("\\boxed{{{reply}}}"));
            grade_reply(grader, &reply, &format!("\\boxed{{{other}}}"));
            grade_reply(grader, &format!("#### {other}"), &other);
        }
    }
}

#[test]
fn hostile_answers_are_given_up_on() {
    for unit in [
        "{", "(", "\\frac{", "\\sqrt{", "-", "1^", "|", "\\pm 1", "1,", "x!", "9",
    ] {
        let long = unit.repeat(4_000 / unit.len());
        grade_reply(Grader::Auto, "5", &format!("\\boxed{{{long}}}"));
        grade_reply(Grader::Boxed, &long, &format!("\\boxed{{{long}1}}"));
    }
    let tower = "9^{".repeat(40) + "9" + &"}".repeat(40);
    assert_eq!(
        grade_reply(Grader::Boxed, "5", &format!("\\boxed{{{tower}}}")),
        INCORRECT
    );
}
