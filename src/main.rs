//! The program: reads the command line, does what it says, and says how it went.

use elenchus::cli::Cli;
use elenchus::cli::common::{Exit, FAILURE};
use elenchus_memory::embed::NO_TELEMETRY;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    if std::env::var_os(NO_TELEMETRY).is_none() {
        // SAFETY: this is the first thing that is done, and no other thread is there yet.
        #[allow(unsafe_code, reason = "an environment can be changed in no other way")]
        unsafe {
            std::env::set_var(NO_TELEMETRY, "1")
        };
    }
    // A file larger than the system's limit is an error that is told, not the end of the program. Without the
    // handler that end comes, so that nothing is lost by going on.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    elenchus::cli::complete_for_shell();
    match elenchus::cli::run(Cli::read_command_line()) {
        Ok(exit) => exit.into(),
        Err(error) if elenchus::cli::common::is_broken_pipe(&error) => Exit::Fine.into(),
        Err(error) => {
            elenchus::cli::common::print_notice(&format!("error: {error:#}"));
            ExitCode::from(FAILURE)
        }
    }
}
