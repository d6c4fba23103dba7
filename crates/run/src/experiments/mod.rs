//! Experiments: many calls or debates under one plan and one budget, resumable.
//!
//! | file | experiment |
//! |---|---|
//! | `engine` | none: what all of them have in common |
//! | `kinds`, `journal_kinds` | none: the list of all kinds; their journals |
//! | `figures`, `debate_figures`, `arm_rows` | none: what a run, pass, sweep or golden set found, and the debates of its arms |
//! | `debate_rows` | none: rows of the debates of a run, pass, sweep or golden set |
//! | `background` | none: one experiment at a time, played with its progress sent to a callback |
//! | `resume_kinds` | none: sweeps, passes, golden sets and trials that were left, gone on with alike |
//! | `about`, `columns`, `arrange` | none: what is known of one, in paragraphs and in columns of a list; its lines |
//! | `play_on` | none: sessions that are there, played on to their ends |
//! | `runs_of_plan` | none: runs as items of another experiment |
//! | `run` | sessions over a dataset |
//! | `side_by_side` | none: the arms of several, with their differences |
//! | `sweep` | runs of many arms and seeds over one selection of topics |
//! | `rejudge` | a pass: finished sessions judged again |
//! | `prompt_trial` | another prompt on one recorded turn |
//! | `prompt_ab` | two prompts compared on many turns |
//! | `golden` | debate and single answer on labelled questions: two runs |
//! | `ablation`, `replicates` | a recorded debate with and without one memory entry; asked for and played beside something else |
//! | `guardrail_benchmark` | guardrails on labelled prompts |

mod ablation;
mod about;
mod arm_rows;
mod arrange;
mod background;
mod columns;
mod debate_figures;
mod debate_rows;
mod engine;
mod figures;
mod golden;
mod guardrail_benchmark;
pub mod journal_kinds;
mod kinds;
mod play_on;
pub mod prompt_ab;
pub mod prompt_trial;
pub mod rejudge;
mod replicates;
mod resume_kinds;
pub mod run;
mod runs_of_plan;
pub mod side_by_side;
pub mod sweep;
mod trained_rows;

pub use ablation::{
    AblationPlan, AblationReport, PlannedAblation, build_ablation_report, list_ablations,
    plan_ablation,
};
pub use arrange::{ExperimentLine, ExperimentLines};
pub use background::{
    BackgroundEvent, BackgroundRun, BackgroundTask, RunEndState, RunOver, prepare_run,
};
pub use columns::{ExperimentColumn, ListedFigures, MISSING_FIGURE};
pub use debate_figures::DebateFigures;
pub use engine::{
    EndedItem, ExperimentContext, ExperimentEnd, ExperimentObserver, ItemEnd, ItemExperiment,
    ItemPerformer, NoExperimentObserver, OpenItem, PauseCause, StopSignal, estimate_items,
    plan_path, read_items, read_plan,
};
pub use figures::ExperimentFigures;
pub use golden::{
    GoldenPlan, GoldenRun, GoldenSet, check_golden, find_single_model, find_small_task_types,
};
pub use guardrail_benchmark::{
    BenchmarkPlan, BenchmarkRequest, Decider, GuardrailBenchmark, plan_benchmark,
};
pub use kinds::{
    Activity, EXPERIMENT_KINDS, ExperimentKind, ListedExperiment, find_by_key, find_experiment,
    find_whole_experiment, list_experiments,
};
pub use play_on::{PlayOn, PlayOnProgress};
pub use replicates::{
    ReplicateCount, ReplicatesProgress, ReplicatesUpdate, build_replicate_items, plan_replicates,
    play_replicates,
};
pub use trained_rows::{LeftOutOfTraining, keep_trained_rows};
