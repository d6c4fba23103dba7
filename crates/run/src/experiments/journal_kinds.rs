//! Kinds of journals whose events are kept here; those of runs, sweeps and passes are records.

use super::prompt_ab::AbEvent;
use super::prompt_trial::TrialPlan;
use super::{BenchmarkPlan, GoldenPlan};
use elenchus_records::workspace::ItemEvent;
use elenchus_records::workspace::journals::RegisteredKind;

pub static COMPARISONS: RegisteredKind = RegisteredKind::of::<AbEvent>();
pub static GOLDEN_SETS: RegisteredKind = RegisteredKind::of::<ItemEvent<GoldenPlan>>();
pub static TRIALS: RegisteredKind = RegisteredKind::of::<ItemEvent<TrialPlan>>();
pub static BENCHMARKS: RegisteredKind = RegisteredKind::of::<ItemEvent<BenchmarkPlan>>();
