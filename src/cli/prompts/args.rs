//! Arguments of `elenchus prompts`.

use super::ab::AbArgs;
use super::eject::EjectArgs;
use super::render::RenderPromptArgs;
use super::trial_args::TryPromptArgs;
use super::versions_args::{
    AcceptPromptArgs, DiffPromptArgs, LabelPromptArgs, LogPromptArgs, RestorePromptArgs,
};
use clap::Subcommand;

/// What is done with prompts.
#[derive(Debug, Subcommand)]
pub enum PromptsCommand {
    /// List templates with their seats, stages and origins
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
    /// List the versions of a template, with results of the debates played with each
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
