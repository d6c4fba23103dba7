//! The program: reads the command line, does what it says, and says how it went.

use clap::Parser;
use elenchus::cli::{self, Cli, Exit, FAILURE};
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(Cli::parse()) {
        Ok(exit) => exit.into(),
        Err(error) if cli::is_broken_pipe(&error) => Exit::Fine.into(),
        Err(error) => {
            cli::notice(&format!("error: {error:#}"));
            ExitCode::from(FAILURE)
        }
    }
}
