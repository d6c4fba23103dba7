//! Argument that allows models which their server does not list.

use clap::Args;

/// Permission to send to models that their server does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args)]
pub struct UnlistedArgs {
    /// Ask models that their server does not list, without a question
    #[arg(long)]
    pub unlisted: bool,
}
