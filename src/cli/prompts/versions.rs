//! Labels on texts of prompts, and earlier texts brought back.

use super::desk;
use super::text::named;
use crate::cli::args_prompt_versions::{LabelPromptArgs, RestorePromptArgs};
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::driver::prompt_desk::{NOW, PromptBook, find_version, read_prompt, restore};
use crate::driver::{Library, short};
use std::path::PathBuf;

/// Labels a version of a prompt, or takes a label away.
///
/// # Errors
/// When there is no such prompt, version or label, or the disk refuses.
pub fn label(args: &LabelPromptArgs, shop: &Workshop) -> anyhow::Result<()> {
    let name = named(&args.prompt)?;
    let book = PromptBook::of(&desk(shop, "prompts label")?);
    if let Some(label) = &args.remove {
        let hash = book.unlabel(&name, label)?;
        page::notice(&format!("{} is no longer '{label}'", short(&hash)));
        return Ok(());
    }
    let (Some(version), Some(label)) = (&args.version, &args.label) else {
        // The command line asks for both.
        return Ok(());
    };
    let (hash, text) = match version.as_str() {
        NOW => {
            let now = read_prompt(&shop.library, &name)?;
            (now.glance.hash, now.text.into())
        }
        version => find_version(&shop.layout, &shop.library, Some(&name), version)?,
    };
    let stood = book.label(&name, &text, label)?;
    let before = stood.map_or_else(String::new, |before| {
        format!(", which {} was until now", short(&before))
    });
    page::notice(&format!("{} of {name} is '{label}'{before}", short(&hash)));
    Ok(())
}

/// Makes an earlier text of a prompt the one that is used.
///
/// # Errors
/// When there is no such prompt or version, or the file cannot be written.
pub fn bring_back(args: &RestorePromptArgs, shop: &Workshop) -> anyhow::Result<()> {
    let name = named(&args.prompt)?;
    let (library, folder) = home(shop);
    let desk = desk(shop, "prompts restore")?;
    let before = read_prompt(&library, &name)?;
    let (wanted, _) = find_version(&shop.layout, &library, Some(&name), &args.version)?;
    if wanted == before.glance.hash {
        page::notice(&format!("{name} says that already; nothing was changed"));
        return Ok(());
    }
    let saved = restore(&desk, &library, &folder, &name, &args.version)?;
    page::notice(&format!(
        "{name} is {} again, in {}; what stood there is kept as {}",
        short(&saved.now.glance.hash),
        saved.path.display(),
        short(&before.glance.hash)
    ));
    Ok(())
}

/// Returns the folder that changed prompts of nobody's own are written to, and the library in which it
/// wins.
fn home(shop: &Workshop) -> (Library, PathBuf) {
    let config = &shop.config;
    let folder = config
        .project_prompts
        .as_ref()
        .or(config.user_prompts.as_ref());
    let folder = folder.cloned();
    let folder = folder.unwrap_or_else(|| PathBuf::from(".elenchus").join("prompts"));
    let mut folders = shop.config.prompts.clone();
    if !folders.contains(&folder) {
        folders.insert(0, folder.clone());
    }
    (Library::new(folders), folder)
}
