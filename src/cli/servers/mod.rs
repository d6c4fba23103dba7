//! `elenchus servers`: servers of models, in a person's own configuration.

mod add;
mod args;
mod list;
mod remove;

pub(super) use add::check_key;
pub(crate) use args::{SERVERS, ServersCommand};

use super::common::{CommandContext, output};
use crate::config::CONFIG_VARIABLE;
use anyhow::{Context, Result};
use elenchus_model::{ProviderSettings, ServerAnswer, Trust};
use std::path::Path;

/// Does what is asked of the servers.
///
/// # Errors
/// When a server cannot be used as it is, or the configuration cannot be changed.
pub fn run(command: &ServersCommand, context: &CommandContext) -> Result<()> {
    match command {
        ServersCommand::Add(args) => add::run(args, context),
        ServersCommand::List(args) => list::run(args, context),
        ServersCommand::Remove { server } => remove::run(server, context),
    }
}

/// Returns where a person keeps their own configuration, whether or not there is a file.
///
/// # Errors
/// When there is no home folder and no variable names a file.
fn own_config_file(context: &CommandContext) -> Result<&Path> {
    let file = context.config.models.own_file.as_deref();
    file.with_context(|| {
        format!("there is no home folder for a configuration; name a file with {CONFIG_VARIABLE}")
    })
}

/// The text of a person's own configuration; none where there is none.
fn read_own_config(file: &Path) -> String {
    // What cannot be read was an error when the configuration was.
    std::fs::read_to_string(file).unwrap_or_default()
}

/// Asks a server for its models.
async fn ask_server(name: &str, settings: &ProviderSettings, trust: &Trust) -> ServerAnswer {
    let lookup = |variable: &str| std::env::var(variable).ok();
    ServerAnswer::request_models(name, settings, trust, &lookup).await
}

/// Says something of names that servers and files made up.
fn print_line(text: &str) -> Result<()> {
    output::print_text(&format!("{}\n", output::clean_text(text)))
}
