//! Argument that names the person who acts.

use clap::Args;

/// Person who draws a queue.
#[derive(Debug, Clone, Default, Args)]
pub struct PersonArgs {
    /// Who draws it [default: the configured name, or USER]
    #[arg(long = "as", value_name = "NAME")]
    pub person: Option<String>,
}
