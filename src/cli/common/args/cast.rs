//! Arguments that assign models and people to seats.

use super::SEATS;
use crate::cli::common::completers::{complete_models, complete_seat};
use clap::Args;
use clap_complete::ArgValueCompleter;
use std::path::PathBuf;

/// Assignment of models and people to seats.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = SEATS)]
pub struct CastArgs {
    /// A cast file (TOML): model = "…" and [seats.NAME] with model or models, persona
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
    /// The model of every seat that is not named
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub model: Option<String>,
    /// Models of a seat: one, or one for each chair (repeatable); or 'human', 'recorded:SESSION', 'fixed:FILE', 'said:SESSION|RUN|RUN/ROLLOUT'
    #[arg(long = "seat", value_name = "SEAT=MODEL[,MODEL…]", add = ArgValueCompleter::new(complete_seat))]
    pub seat: Vec<String>,
    /// Models of the seat 'debater'
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',', add = ArgValueCompleter::new(complete_models))]
    pub debaters: Vec<String>,
    /// Model of the seat 'evaluator' [default: as every seat, so that one model judges itself]; a known guard (Llama Guard, Qwen3Guard ...) is asked in its own format
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub evaluator: Option<String>,
    /// Model of the seat 'feedback'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub feedback: Option<String>,
    /// Model of the seat 'socratic'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub socratic: Option<String>,
    /// Model of the seat 'angel'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub angel: Option<String>,
    /// Model of the seat 'devil'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub devil: Option<String>,
    /// Model of the seat 'proposer'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub proposer: Option<String>,
    /// Model of the seat 'critic'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub critic: Option<String>,
    /// Model of the seat 'judge'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub judge: Option<String>,
}
