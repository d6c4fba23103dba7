//! The games as data, rubrics, verdicts read from replies, and ground-truth graders.

mod citations;
mod detectors;
mod evaluators;
mod fields;
mod games;
mod grading;
mod guards;
mod label_sets;
mod rubrics;
mod verdicts;
