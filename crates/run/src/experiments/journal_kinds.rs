//! Kinds of journals whose events are kept here; those of runs, sweeps and passes are records.

use super::prompt_ab::AbEvent;
use super::prompt_trial::TrialPlan;
use super::{BenchmarkPlan, GoldenPlan};
use elenchus_records::workspace::ItemEvent;
use elenchus_records::workspace::journals::RegisteredKind;

pub static COMPARISONS: RegisteredKind = RegisteredKind::new::<AbEvent>();
pub static GOLDEN_SETS: RegisteredKind = RegisteredKind::new::<ItemEvent<GoldenPlan>>();
pub static TRIALS: RegisteredKind = RegisteredKind::new::<ItemEvent<TrialPlan>>();
pub static BENCHMARKS: RegisteredKind = RegisteredKind::new::<ItemEvent<BenchmarkPlan>>();
