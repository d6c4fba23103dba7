//! Many debates or calls under one plan: runs, passes, prompt trials, prompt comparisons, ablations.

mod ablation;
mod arms;
mod debate_setup;
mod every_kind;
mod interrupted;
mod killed;
mod mended_configuration;
mod new_kind;
mod prompt_ab;
mod prompt_trial;
mod rejudge;
mod shards;
mod sweep;
mod sweep_conditions;
mod topics;
