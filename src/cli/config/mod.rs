//! `elenchus config init`: a commented configuration to start from.

use super::common::{CommandContext, output};
use crate::config::{CONFIG_VARIABLE, FILE_NAME, PROJECT_FOLDER};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use directories::ProjectDirs;
use elenchus_records::workspace::write_new_private;
use elenchus_store::{create_folders, parent_of};
use std::path::PathBuf;

/// Every line that begins with `#` and no space is an example: it can be uncommented as it is.
const SAMPLE: &str = include_str!("sample.toml");

/// `elenchus config`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a commented configuration to start from
    Init(ConfigInitArgs),
}

/// `elenchus config init`
#[derive(Debug, Args)]
pub struct ConfigInitArgs {
    /// Write ./.elenchus/config.toml instead of the user's own
    #[arg(long)]
    pub project: bool,
}

/// Writes the configuration; never over one that is there.
///
/// # Errors
/// When it cannot be written.
pub fn run(args: &ConfigInitArgs, _shop: &CommandContext) -> Result<()> {
    let path = choose_path(args)?;
    let path_display = path.display();
    if path.exists() {
        output::print_notice(&format!(
            "{path_display} exists already and is left as it is; edit it, or move it away first"
        ));
        return Ok(());
    }
    create_folders(&parent_of(&path))?;
    write_new_private(&path, SAMPLE.as_bytes())?;
    output::print_text(&format!(
        "wrote {}\n\
         Everything in it is commented out; uncomment what you need. Keys stay in the environment:\n\
         a provider names the variable that holds its key. 'elenchus doctor' checks the result.\n",
        output::clean_line(&path_display.to_string()),
    ))?;
    if args.project {
        output::print_text(
            "Sessions that are played in this folder or below are kept in .elenchus/store from now on,\n\
             unless --store or ELENCHUS_STORE says otherwise. Servers that the file adds to those of your own\n\
             configuration are contacted once you approve them; you are asked, and 'elenchus trust' does it.\n",
        )?;
    }
    Ok(())
}

fn choose_path(args: &ConfigInitArgs) -> Result<PathBuf> {
    if args.project {
        let current_folder =
            std::env::current_dir().context("the current folder cannot be read")?;
        return Ok(current_folder.join(PROJECT_FOLDER).join(FILE_NAME));
    }
    if let Some(path) = std::env::var_os(CONFIG_VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    let folders = ProjectDirs::from("", "", "elenchus").context(
        "there is no home folder for a configuration; use --project, or set ELENCHUS_CONFIG",
    )?;
    Ok(folders.config_dir().join(FILE_NAME))
}
