//! Graders in MATH's normal form: forms of answers, replies without one, and generated pairs.

mod corpus;
mod forms;
mod generated;
mod replies;

use crate::tests::debate::{harness::protocol, kitchen_sink::KITCHEN};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::{Grader, GraderVersion};
use elenchus_game::debate::{Protocol, ReferenceAnswer};
use elenchus_game::judge::{GradedText, ReplyEnding, grade_answer};

const UNGRADED: &str = "ungraded";

/// Grades by the current version; the label with its codes, as `incorrect [refusal]`.
fn grade_text(grader: Grader, reference: &str, graded: GradedText<'_>) -> String {
    let reference = ReferenceAnswer {
        answer: reference.to_owned(),
        aliases: Vec::new(),
    };
    match grade_answer(grader, GraderVersion::CURRENT, &reference, graded) {
        Outcome::Label(finding) if finding.codes.is_empty() => finding.label,
        Outcome::Label(finding) => format!("{} [{}]", finding.label, finding.codes.join(", ")),
        Outcome::Unparsed { why, .. } => {
            assert!(!why.is_empty());
            UNGRADED.to_owned()
        }
    }
}

fn grade_reply(grader: Grader, reference: &str, text: &str) -> String {
    let ending = ReplyEnding::Whole;
    grade_text(grader, reference, GradedText::Reply { text, ending })
}

/// Grades an answer in a box.
fn grade_box(reference: &str, answer: &str) -> String {
    grade_reply(
        Grader::Auto,
        reference,
        &format!("So it is $\\boxed{{{answer}}}$."),
    )
}

#[test]
fn a_protocol_of_a_journal_that_names_no_version_is_graded_by_the_first() {
    let protocol = protocol(KITCHEN, &[]);
    let versions = |protocol: &Protocol| -> Vec<GraderVersion> {
        let rules = protocol.judging.iter().filter(|rule| rule.grader.is_some());
        rules.map(|rule| rule.grader_version).collect()
    };
    assert_eq!(versions(&protocol), [GraderVersion::NormalForm]);
    let mut recorded = serde_json::to_value(&protocol).unwrap();
    let read: Protocol = serde_json::from_value(recorded.clone()).unwrap();
    assert_eq!(versions(&read), [GraderVersion::NormalForm]);
    for rule in recorded["judging"].as_array_mut().unwrap() {
        rule.as_object_mut().unwrap().remove("grader_version");
    }
    let older: Protocol = serde_json::from_value(recorded).unwrap();
    assert_eq!(versions(&older), [GraderVersion::First]);
}
