//! Options of every command.

use clap::Args;
use std::path::PathBuf;

/// Help heading of these options, which follow those of each command.
const EVERYWHERE: &str = "Options of every command";

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Where sessions are kept [default: ELENCHUS_STORE, 'store' in the nearest .elenchus folder, the user's data folder]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = EVERYWHERE)]
    pub store: Option<PathBuf>,
    /// Write no colour, as NO_COLOR does
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_color: bool,
}
