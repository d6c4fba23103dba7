//! Argument that names a memory.

use crate::workspace::memory::DEFAULT_NAMESPACE;
use clap::Args;

/// Namespace of long-term memory.
#[derive(Debug, Clone, Args)]
pub struct NamespaceArgs {
    /// Which memory is meant; simulated debates have one of their own, NAME.sim
    #[arg(long, short, value_name = "NAME", default_value = DEFAULT_NAMESPACE)]
    pub namespace: String,
}
