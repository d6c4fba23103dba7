//! `elenchus prompts label` and `restore`: labels on versions of prompts, and earlier versions brought back.

use super::args::{LabelPromptArgs, RestorePromptArgs};
use super::text::parse_prompt_name;
use crate::cli::common::{CommandContext, output};
use anyhow::Result;
use elenchus_records::library::{Library, shorten_hash};
use elenchus_records::workspace::prompts::{
    NOW, PromptBook, find_version, read_prompt, restore_prompt,
};
use std::path::PathBuf;

/// Labels a version of a prompt, or takes a label away.
///
/// # Errors
/// When there is no such prompt, version or label, or the disk refuses.
pub fn label_version(args: &LabelPromptArgs, context: &CommandContext) -> Result<()> {
    let name = parse_prompt_name(&args.prompt)?;
    let book = PromptBook::new(&context.hold_store("prompts label", None));
    if let Some(label) = &args.remove {
        let hash = book.remove_label(&name, label)?;
        output::print_notice(&format!("{} is no longer '{label}'", shorten_hash(&hash)));
        return Ok(());
    }
    let (Some(version), Some(label)) = (&args.version, &args.label) else {
        // The command line asks for both.
        return Ok(());
    };
    let (hash, text) = match version.as_str() {
        NOW => {
            let now = read_prompt(&context.library, &name)?;
            (now.overview.hash, now.text.into())
        }
        version => find_version(
            &context.store.layout,
            &context.library,
            Some(&name),
            version,
        )?,
    };
    let previous_hash = book.label_text(&name, &text, label)?;
    let replaced_note = previous_hash.map_or_else(String::new, |before| {
        format!(", which {} was until now", shorten_hash(&before))
    });
    output::print_notice(&format!(
        "{} of {name} is '{label}'{replaced_note}",
        shorten_hash(&hash)
    ));
    Ok(())
}

/// Makes an earlier text of a prompt the one that is used.
///
/// # Errors
/// When there is no such prompt or version, or the file cannot be written.
pub fn restore_version(args: &RestorePromptArgs, context: &CommandContext) -> Result<()> {
    let name = parse_prompt_name(&args.prompt)?;
    let (library, folder) = open_prompt_folder(context);
    let store = context.hold_store("prompts restore", None);
    let current_prompt = read_prompt(&library, &name)?;
    let (version_hash, _) =
        find_version(&context.store.layout, &library, Some(&name), &args.version)?;
    if version_hash == current_prompt.overview.hash {
        output::print_notice(&format!("{name} says that already; nothing was changed"));
        return Ok(());
    }
    let restoration = restore_prompt(&store, &library, &folder, &name, &args.version)?;
    output::print_notice(&format!(
        "{name} is {} again, in {}; what stood there is kept as {}",
        shorten_hash(&restoration.now.overview.hash),
        restoration.path.display(),
        shorten_hash(&current_prompt.overview.hash)
    ));
    Ok(())
}

/// Returns the folder for changed prompts that are not the user's own, and the library in which it
/// wins.
fn open_prompt_folder(context: &CommandContext) -> (Library, PathBuf) {
    let config = &context.config;
    let folder = config
        .project_prompts
        .as_ref()
        .or(config.user_prompts.as_ref());
    let folder = folder.cloned();
    let folder = folder.unwrap_or_else(|| PathBuf::from(".elenchus").join("prompts"));
    let mut folders = context.config.prompts.clone();
    if !folders.contains(&folder) {
        folders.insert(0, folder.clone());
    }
    (context.library.with_folders(folders), folder)
}
