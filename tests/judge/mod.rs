//! Rubrics, detectors, graders, and replies read as verdicts.

mod label_sets;
mod private_turns;
mod simulated_detectors;
mod simulated_evaluator;
