//! Arguments of `elenchus trust`.

use clap::Args;

/// What is trusted by itself, and examples.
const TRUST: &str = include_str!("trust.txt");

/// `elenchus trust`
#[derive(Debug, Args)]
#[command(after_help = TRUST.trim_end())]
pub struct TrustArgs {
    /// A server's address, or a folder that holds an .elenchus folder
    #[arg(value_name = "URL|FOLDER")]
    pub what: Option<String>,
    /// The environment variable whose key may be sent to that server
    #[arg(long, value_name = "VARIABLE", requires = "what")]
    pub key: Option<String>,
    /// The highest budget_usd that the folder's configuration may set
    #[arg(long, value_name = "USD", requires = "what", conflicts_with_all = ["key", "remove"])]
    pub budget_usd: Option<f64>,
    /// Trust it no longer, and forget the answer that was given
    #[arg(long, requires = "what")]
    pub remove: bool,
}
