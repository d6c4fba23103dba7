//! The options of `elenchus prompts`.

use super::args_ab::AbArgs;
use super::args_prompt_versions::{
    AcceptPromptArgs, DiffPromptArgs, LabelPromptArgs, LogPromptArgs, RestorePromptArgs,
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `elenchus prompts`
#[derive(Debug, Args)]
pub struct PromptsArgs {
    #[command(subcommand)]
    pub command: PromptsCommand,
}

/// What is done with prompts.
#[derive(Debug, Subcommand)]
pub enum PromptsCommand {
    /// List templates: who is told by each, and where it comes from
    List {
        /// Only those of one protocol
        #[arg(value_name = "PROTOCOL")]
        protocol: Option<String>,
    },
    /// Print a template as it is used now
    Show {
        /// PROTOCOL/TEMPLATE, as in sred/socratic
        #[arg(value_name = "PROMPT")]
        prompt: String,
    },
    /// Print exactly what a seat was shown in a turn, or would be by another text
    Render(RenderPromptArgs),
    /// Render every template on sample data, at the ends of every setting, and name what is wrong
    Check {
        /// Only those of these protocols
        #[arg(value_name = "PROTOCOL")]
        protocols: Vec<String>,
    },
    /// Copy a built-in protocol with its prompts to where they can be edited
    Eject(EjectArgs),
    /// List every text that a template had, with what came of the debates that were played with it
    Log(LogPromptArgs),
    /// Name a version of a template with a word, or take the word away
    Label(LabelPromptArgs),
    /// Make an earlier text of a template the one that is used
    Restore(RestorePromptArgs),
    /// Compare two texts of a template
    Diff(DiffPromptArgs),
    /// Show how a pinned template changed, and pin it as it is now
    Accept(AcceptPromptArgs),
    /// Ask a recorded turn again with another prompt, and show what changes
    Try(TryPromptArgs),
    /// Compare two prompts on many recorded turns, or in fresh debates: what changes, and whether it is better
    Ab(Box<AbArgs>),
}

/// `elenchus prompts render`
#[derive(Debug, Args)]
pub struct RenderPromptArgs {
    /// SESSION:TURN, as in last:r2.debater-0; SESSION alone lists its turns
    #[arg(value_name = "SESSION:TURN")]
    pub turn: String,
    /// Render this text instead of the recorded one
    #[arg(long, value_name = "FILE")]
    pub with: Option<PathBuf>,
    /// The template that FILE stands for [default: the one of the turn's seat]
    #[arg(long, value_name = "NAME", requires = "with")]
    pub template: Option<String>,
    /// Say of every part where it comes from
    #[arg(long)]
    pub parts: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "parts")]
    pub json: bool,
}

/// `elenchus prompts eject`
#[derive(Debug, Args)]
pub struct EjectArgs {
    /// The protocol; without one, every protocol
    #[arg(value_name = "PROTOCOL")]
    pub protocol: Option<String>,
    /// The folder of prompts to copy to [default: the project's .elenchus/prompts, or one here]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
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
    #[arg(long)]
    pub ask_anew: bool,
}

/// `elenchus prompts try`
#[derive(Debug, Args)]
pub struct TryPromptArgs {
    /// SESSION:TURN, as in last:r2.socratic
    #[arg(value_name = "SESSION:TURN")]
    pub turn: String,
    /// The text to try; without it the recorded prompt is asked again
    #[arg(long, value_name = "FILE")]
    pub with: Option<PathBuf>,
    /// The template that FILE stands for [default: the one of the turn's seat]
    #[arg(long, value_name = "NAME", requires = "with")]
    pub template: Option<String>,
    /// How often it is asked
    #[arg(long, visible_alias = "k", value_name = "K", default_value_t = 1)]
    pub samples: u32,
    /// How far the debate goes on with each reply
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub roll_forward: RollForwardChoice,
    #[command(flatten)]
    pub ask_anew: AskAnew,
    /// Stop before more than this is spent, in US dollars
    #[arg(long, value_name = "USD")]
    pub budget_usd: Option<f64>,
    /// Samples that are played at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub concurrency: usize,
    /// Make this sample a session of its own, a fork of the one it was tried on
    #[arg(long, value_name = "NUMBER")]
    pub adopt: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
