//! Answers that a careful reader judged (`answers.toml`), written by somebody who did not write the
//! graders.

use super::generated::wilson;
use super::{UNGRADED, grade_reply};
use elenchus_game::debate::protocol::Grader;
use elenchus_game::judge::{CORRECT, INCORRECT};
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    answers: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    reference: String,
    reply: String,
    kind: String,
    equal: Equal,
    /// Why it is so.
    why: String,
    /// The decision may be debated.
    #[serde(default)]
    doubtful: bool,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Equal {
    Yes,
    No,
    /// The reply holds no final answer.
    None,
}

fn cases() -> Vec<Case> {
    let corpus: Corpus = toml::from_str(include_str!("answers.toml")).unwrap();
    corpus.answers
}

impl Case {
    fn found(&self) -> String {
        grade_reply(Grader::Auto, &self.reference, &self.reply)
    }

    fn described(&self) -> String {
        let doubt = if self.doubtful { " (doubtful)" } else { "" };
        format!(
            "{}{doubt}: {} against {}: {} ({})",
            self.kind,
            self.reference,
            self.reply,
            self.found(),
            self.why
        )
    }
}

/// What the graders come to of a reader's decision; an empty reply keeps its state.
fn expected(case: &Case) -> &'static str {
    match case.equal {
        Equal::Yes => CORRECT,
        Equal::No => INCORRECT,
        Equal::None if case.reply.trim().is_empty() => UNGRADED,
        Equal::None => "incorrect [",
    }
}

/// Asserts that under 1 % of the decisions that nobody debates are missed.
fn assert_agreement(what: &str, equal: &Equal) {
    let cases = cases();
    let of_kind: Vec<&Case> = cases.iter().filter(|case| case.equal == *equal).collect();
    let wrong = of_kind
        .iter()
        .filter(|case| !case.found().starts_with(expected(case)));
    let wrong: Vec<&&Case> = wrong.collect();
    let (low, high) = wilson(wrong.len(), of_kind.len());
    let described: Vec<String> = wrong.iter().map(|case| case.described()).collect();
    println!(
        "{what}: {} of {}, {:.1} % to {:.1} %\n{}",
        wrong.len(),
        of_kind.len(),
        100.0 * low,
        100.0 * high,
        described.join("\n")
    );
    let clear = wrong.iter().filter(|case| !case.doubtful).count();
    assert!(clear * 100 < of_kind.len(), "{}", described.join("\n"));
}

#[test]
fn answers_that_a_careful_reader_calls_equal_are_correct() {
    assert_agreement("false rejects", &Equal::Yes);
}

#[test]
fn answers_that_a_careful_reader_calls_unequal_are_incorrect() {
    assert_agreement("false accepts", &Equal::No);
}

#[test]
fn replies_without_an_answer_are_incorrect_by_kind() {
    assert_agreement("answers found where there are none", &Equal::None);
}
