//! Arguments of `elenchus servers`.

use crate::cli::common::args::JsonLinesArgs;
use clap::{Args, Subcommand};

/// Examples.
pub(crate) const SERVERS: &str = include_str!("servers.txt");

/// What can be done with servers.
#[derive(Debug, Subcommand)]
pub enum ServersCommand {
    /// Ask servers for their models, and write both into your own configuration
    Add(ServersAddArgs),
    /// List the servers that are configured, with their models
    List(ServersListArgs),
    /// Take a server and the models that it alone has out of your own configuration
    Remove {
        /// A server's name or address
        #[arg(value_name = "NAME|URL")]
        server: String,
    },
}

/// `elenchus servers add`
#[derive(Debug, Args)]
pub struct ServersAddArgs {
    /// Addresses, with or without /v1; HOST:PORT or PORT alone is one of this machine
    #[arg(value_name = "URL", required = true)]
    pub url: Vec<String>,
    /// The environment variable that holds the key; it is sent to these addresses from now on
    #[arg(long, value_name = "VARIABLE")]
    pub key: Option<String>,
    /// What the server is called [default: made from its address]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Only this model (repeatable), also where the server lists none
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
}

/// `elenchus servers list`
#[derive(Debug, Args)]
pub struct ServersListArgs {
    /// Ask each server for its models
    #[arg(long)]
    pub probe: bool,
    #[command(flatten)]
    pub output: JsonLinesArgs,
}
