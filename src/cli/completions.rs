//! `elenchus completions`: a script that completes the command line.

use super::args::{Cli, CompletionsArgs};
use super::exit::Exit;
use super::page;
use clap::CommandFactory;

/// Prints the completion script of a shell.
///
/// # Errors
/// When standard output cannot be written to.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "elenchus", &mut script);
    page::out(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
