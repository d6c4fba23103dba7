//! Rubrics, detectors, graders, and replies read as verdicts.

mod citations;
mod detectors;
mod evaluators;
mod fields;
mod grading;
mod guard_models;
mod label_sets;
mod rubrics;
mod simulated_detectors;
mod simulated_evaluator;
mod verdicts;
