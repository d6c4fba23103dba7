//! Arguments of `elenchus verify`.

use clap::Args;
use std::path::PathBuf;

/// `elenchus verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Journals; the whole store when none is named
    pub file: Vec<PathBuf>,
    /// Go on without what is lost of them, and say what that is: an end that was cut off or is
    /// broken, a journal that is gone. No journal is touched
    #[arg(long)]
    pub accept: bool,
    /// Rebuild the cache from the journals
    #[arg(long)]
    pub repair_cache: bool,
}
