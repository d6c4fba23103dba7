//! The games as data, rubrics, verdicts read from replies, and ground-truth graders.

mod citations;
mod fields;
mod games;
mod grading;
mod verdicts;
