//! Arguments of `elenchus prompts log | label | restore | diff | accept`.

use clap::Args;
use std::path::PathBuf;

/// `elenchus prompts log`
#[derive(Debug, Args)]
pub struct LogPromptArgs {
    /// PROTOCOL/TEMPLATE, as in sred/socratic
    #[arg(value_name = "PROMPT")]
    pub prompt: String,
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

/// `elenchus prompts diff`
#[derive(Debug, Args)]
pub struct DiffPromptArgs {
    /// A hash of 'prompts log' (its beginning will do), a label, PROTOCOL/TEMPLATE as it is now,
    /// PROTOCOL/TEMPLATE@LABEL, built-in:PROTOCOL/TEMPLATE, or a file
    #[arg(value_name = "TEXT")]
    pub one: String,
    /// The other one
    #[arg(value_name = "TEXT")]
    pub other: String,
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
