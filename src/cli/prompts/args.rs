//! Arguments of `elenchus prompts`.

use super::ab::AbArgs;
use super::eject::EjectArgs;
use super::render::RenderPromptArgs;
use super::trial_args::TryPromptArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

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
    Log {
        /// PROTOCOL/TEMPLATE, as in sred/socratic
        #[arg(value_name = "PROMPT")]
        prompt: String,
    },
    /// Name a version of a template with a word, or take the word away
    Label(LabelPromptArgs),
    /// Make an earlier text of a template the one that is used
    Restore(RestorePromptArgs),
    /// Compare two texts of a template
    Diff {
        /// A hash of 'prompts log' (its beginning will do), a label, PROTOCOL/TEMPLATE as it is now,
        /// PROTOCOL/TEMPLATE@LABEL, built-in:PROTOCOL/TEMPLATE, or a file
        #[arg(value_name = "TEXT")]
        one: String,
        /// The other one
        #[arg(value_name = "TEXT")]
        other: String,
    },
    /// Show how a pinned template changed, and pin it as it is now
    Accept(AcceptPromptArgs),
    /// Ask a recorded turn again with another prompt, and show what changes
    Try(TryPromptArgs),
    /// Compare two prompts on many recorded turns, or in fresh debates: what changes, and whether it is better
    Ab(Box<AbArgs>),
}

/// `elenchus prompts label`
#[derive(Debug, Args)]
pub struct LabelPromptArgs {
    /// PROTOCOL/TEMPLATE, as in sred/socratic
    #[arg(value_name = "PROMPT")]
    pub prompt: String,
    /// A hash of 'prompts log' (its beginning will do), another label, or 'now' for the text that is
    /// used now
    #[arg(value_name = "VERSION", required_unless_present = "remove")]
    pub version: Option<String>,
    /// One word; it is taken from the version that has it
    #[arg(value_name = "LABEL", required_unless_present = "remove")]
    pub label: Option<String>,
    /// Take this label away instead
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["version", "label"])]
    pub remove: Option<String>,
}

/// `elenchus prompts restore`
#[derive(Debug, Args)]
pub struct RestorePromptArgs {
    /// PROTOCOL/TEMPLATE, as in sred/socratic
    #[arg(value_name = "PROMPT")]
    pub prompt: String,
    /// A label, or a hash of 'prompts log' (its beginning will do)
    #[arg(value_name = "VERSION")]
    pub version: String,
}

/// `elenchus prompts accept`
#[derive(Debug, Args)]
pub struct AcceptPromptArgs {
    /// PROTOCOL/TEMPLATE, as in moderated/rubric:moderation
    #[arg(value_name = "PROMPT")]
    pub prompt: String,
    /// Accept it in the [pins] of this cast file [default: in the pins of its protocol]
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
}
