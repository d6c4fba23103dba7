//! Many debates or calls under one plan: runs, passes, prompt trials, prompt comparisons, ablations.

mod ablation;
mod arms;
mod every_kind;
mod interrupted;
mod killed;
mod mended_configuration;
mod prompt_ab;
pub mod prompt_trial;
mod repeated;
mod shards;
mod sweep;
mod sweep_conditions;
mod topics;
