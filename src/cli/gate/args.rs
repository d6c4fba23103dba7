//! Arguments of `elenchus gate`.

use crate::cli::common::args::{CastArgs, GAME, JsonArgs, TOPICS};
use clap::Args;
use std::path::PathBuf;

const USAGE: &str = "\
elenchus gate --task <TYPE> --confidence <SHARE> --downside <USD>
                     [OPTIONS]";

/// `elenchus gate`
#[derive(Debug, Args)]
#[command(override_usage = USAGE)]
pub struct GateArgs {
    /// What kind of decision it is: contract, security, architecture, investment, compliance, factual …
    #[arg(long, value_name = "TYPE")]
    pub task: String,
    /// How sure a single answer is, 0 to 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub confidence: f64,
    /// What a wrong answer costs
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub downside: f64,
    /// The single answer, searched for words that hedge ('-' reads it from standard input)
    #[arg(long, value_name = "TEXT")]
    pub answer: Option<String>,
    /// The game whose cost is estimated [default: moderated]
    #[arg(long, value_name = "ID|FILE")]
    pub protocol: Option<String>,
    /// The question, for the estimate ('-' reads it from standard input)
    #[arg(long, value_name = "TEXT")]
    pub topic: Option<String>,
    /// A text that seats may read, for the estimate (repeatable)
    #[arg(long, help_heading = TOPICS, value_name = "FILE")]
    pub document: Vec<PathBuf>,
    /// An answer or position that the topic offers (repeatable)
    #[arg(long, help_heading = TOPICS, value_name = "TEXT")]
    pub option: Vec<String>,
    /// A setting of the protocol (repeatable)
    #[arg(long = "set", help_heading = GAME, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Rounds, the same as --set rounds=N
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub output: JsonArgs,
    /// Exit with 0 for yes and 10 for no
    #[arg(long)]
    pub exit_code: bool,
    #[command(flatten)]
    pub cast: CastArgs,
}
