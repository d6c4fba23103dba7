//! `elenchus prompts eject`: built-in prompts, copied to where they can be edited.

use crate::cli::common::built_in_files::copy_built_in_files;
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::Result;
use clap::Args;
use elenchus_records::library::Library;
use std::path::{Path, PathBuf};

/// `elenchus prompts eject`
#[derive(Debug, Args)]
pub struct EjectArgs {
    /// The protocol; without one, every protocol
    #[arg(value_name = "PROTOCOL")]
    pub protocol: Option<String>,
    /// The folder of prompts to copy to [default: the project's .elenchus/prompts, or one here]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

/// Copies what a protocol is played with, all of it or nothing.
///
/// # Errors
/// When there is no such built-in protocol, or as [`copy_built_in_files`].
pub fn run(args: &EjectArgs, context: &CommandContext) -> Result<()> {
    let to = match (&args.to, &context.config.project_prompts) {
        (Some(to), _) => to.clone(),
        (None, Some(project)) => project.clone(),
        (None, None) => PathBuf::from(".elenchus").join("prompts"),
    };
    let built_in = Library::default();
    let ids: Vec<String> = match &args.protocol {
        Some(id) => vec![id.clone()],
        None => {
            let all_ids = built_in.list_protocols().into_iter();
            all_ids.map(|(id, _)| id).collect()
        }
    };
    let mut files = std::collections::BTreeMap::new();
    for id in &ids {
        files.extend(built_in.built_in_files(id)?);
    }
    let copied = copy_built_in_files(&files, &to, "copy to another folder with --to")?;
    output::print_notice(&format!(
        "{} copied to {}, {} there already",
        format_noun_count(copied.written.len(), "file"),
        to.display(),
        copied.there_already,
    ));
    copied.print_edited();
    let is_used = context
        .config
        .prompts
        .iter()
        .any(|folder| is_same_path(folder, &to));
    if !is_used && args.to.is_some() {
        output::print_notice(&format!(
            "notice: {} is no folder that prompts are looked for in; those are .elenchus/prompts of \
             a project, and prompts in the folder of the user's configuration",
            to.display()
        ));
    } else {
        output::print_notice(
            "a file there wins over the built-in one of the same name; delete it to go back",
        );
    }
    copied.print_written()
}

fn is_same_path(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => one == other,
    }
}
