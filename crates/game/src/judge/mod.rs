//! Judgement: rubrics, parsing of replies into verdicts or fields, and detectors that examine turns
//! by rule.
//!
//! Pure: text comes in, findings come out. It never calls a model, and it never counts an
//! unreadable reply: a reply without a clear label is *unparsed*, which is neither good nor bad.
//!
//! Detectors are heuristics for English, each with its rules and limits in its module. Like any
//! evaluator they have to be validated against human labels before their results mean anything.

mod detectors;
mod label_set;
mod lexicon;
mod peer_objection;
mod replies;

pub use detectors::citation::{MAX_CITATIONS, check_citations};
pub use detectors::names_error::{NAMES_ERROR, NAMES_NOTHING};
pub use detectors::refusal::{FULL_REFUSAL, REFUSAL_RUBRIC};
pub use detectors::turn_text::{TurnAuthor, TurnText};
pub use detectors::{detector_labels, run_detector};
pub use label_set::{
    FollowUp, LABEL_KEYS, LabelChoice, LabelSet, LabelSetError, LabelTarget, SeatNames, TableSide,
};
pub use peer_objection::{PEER_OBJECTION_LABELS, PEER_OBJECTION_RUBRIC};
pub use replies::grade::{
    CORRECT, GradedText, INCORRECT, NoAnswer, ReplyEnding, find_final_answer, grade_answer,
};
pub use replies::guardrail::{guard_decision, guardrail_schema, parse_guardrail};
pub use replies::json::parse_json_fields;
pub use replies::material::Material;
pub use replies::rubric::{
    Constraint, FenceStyle, LINE_FIELD, ReplyFormat, Rubric, RubricError, RubricLabel,
    RubricSubject, ScoreFrom,
};
pub use replies::verdict::{parse_reply_verdict, parse_verdict};
