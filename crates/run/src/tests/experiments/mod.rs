//! Many debates or calls under one plan.

mod debate_setup;
mod new_kind;
mod placebo;
mod prompt_ab_background;
mod rejudge;
