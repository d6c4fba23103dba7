//! Rubrics, detectors, graders, and replies read as verdicts.

mod citations;
mod detectors;
mod evaluators;
mod fields;
mod grading;
mod guard_models;
mod judge_replies;
mod label_marks;
mod math_answers;
mod verdicts;
