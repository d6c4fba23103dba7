//! Arguments of `elenchus doctor`.

use clap::Args;

/// `elenchus doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Contact the configured servers and the usual loopback ports, and ask a model of each
    /// configured server for at most 16 tokens (where a key is needed, only a configured model)
    #[arg(long)]
    pub probe: bool,
}
