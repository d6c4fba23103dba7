//! Arguments that select sessions.

use clap::Args;

/// Sessions by id or by run; all of them when none is named.
#[derive(Debug, Clone, Default, Args)]
pub struct SessionFilterArgs {
    /// Only these sessions (repeatable)
    #[arg(long, value_name = "SESSION")]
    pub session: Vec<String>,
    /// Only sessions of these runs (repeatable)
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
}
