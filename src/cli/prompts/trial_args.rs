//! Arguments of `elenchus prompts try`, and those that it shares with `prompts ab`.

use crate::cli::common::args::{ExperimentArgs, GAME, flag_parser, make_exclusive};
use clap::{ArgAction, Args, ValueEnum};
use elenchus_run::engine::Repeats;
use std::path::PathBuf;

/// `elenchus prompts try`
#[derive(Debug, Args)]
#[command(
    defer(|command| make_exclusive(command, "resume", &["adopt"])),
    mut_arg("estimate", |estimate| estimate.conflicts_with("adopt"))
)]
pub struct TryPromptArgs {
    /// SESSION:TURN, as in last:r2.socratic; SESSION:RULE for a verdict, as in last:decision or
    /// last:safety/r1.debater-0; SESSION:lesson; SESSION:guardrails/CHAIR for a decision about them; or
    /// SESSION:derivation for the guardrail from the lesson
    #[arg(value_name = "SESSION:TURN", required_unless_present = "resume")]
    pub turn: Option<String>,
    /// The text to try; without it the recorded prompt is asked again
    #[arg(long, value_name = "FILE")]
    pub with: Option<PathBuf>,
    /// The template that FILE stands for [default: the one that asked]
    #[arg(long, help_heading = GAME, value_name = "NAME", requires = "with")]
    pub template: Option<String>,
    /// How often it is asked
    #[arg(long, visible_alias = "k", value_name = "K", default_value_t = 1)]
    pub samples: u32,
    /// How far the debate goes on with each reply
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub roll_forward: RollForwardChoice,
    #[command(flatten, next_help_heading = GAME)]
    pub ask_anew: AskAnew,
    /// Make this sample a session of its own, a fork of the one it was tried on
    #[arg(long, value_name = "NUMBER")]
    pub adopt: Option<u32>,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
}

/// How far a try goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum RollForwardChoice {
    /// Not at all: the turn alone, judged where turns of its seat are
    #[default]
    Turn,
    /// Through the following round, as far as its turns are judged
    Next,
    /// To the end of the debate
    End,
}

/// Whether requests that were asked before are asked again.
#[derive(Debug, Clone, Copy, Args)]
pub struct AskAnew {
    /// Ask again what was asked before, instead of taking the reply that came then
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag_parser([Repeats::Serve, Repeats::AskAnew]))]
    pub ask_anew: Repeats,
}
