//! `elenchus completions`: the script with which a shell asks this program for completions.

use super::common::output;
use anyhow::{Context, Result};
use clap::Args;
use clap_complete::env::Shells;

/// Set by the script, to the name of the shell.
pub(super) const VARIABLE: &str = "ELENCHUS_COMPLETE";
const PROGRAM: &str = "elenchus";

/// `elenchus completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints the completion script of a shell.
pub fn run(args: &CompletionsArgs) -> Result<()> {
    let shells = Shells::builtins();
    let name = args.shell.to_string();
    let shell = shells.completer(&name);
    let shell = shell.with_context(|| format!("nothing is known of the shell {name}"))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if name == "bash" {
        // Names of models hold colons, at which bash would break them.
        script.push_str("\nCOMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n");
    }
    output::print_text(&script)
}
