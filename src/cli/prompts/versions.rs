//! `elenchus prompts label` and `restore`: labels on versions of prompts, and earlier versions brought back.

use super::args::{LabelPromptArgs, RestorePromptArgs};
use super::text::named;
use crate::cli::common::{Workshop, output};
use anyhow::Result;
use elenchus_records::library::{Library, short};
use elenchus_records::workspace::prompts::{NOW, PromptBook, find_version, read_prompt, restore};
use std::path::PathBuf;

/// Labels a version of a prompt, or takes a label away.
///
/// # Errors
/// When there is no such prompt, version or label, or the disk refuses.
pub fn label(args: &LabelPromptArgs, shop: &Workshop) -> Result<()> {
    let name = named(&args.prompt)?;
    let book = PromptBook::for_person(&shop.desk("prompts label", None)?);
    if let Some(label) = &args.remove {
        let hash = book.unlabel(&name, label)?;
        output::notice(&format!("{} is no longer '{label}'", short(&hash)));
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
    output::notice(&format!("{} of {name} is '{label}'{before}", short(&hash)));
    Ok(())
}

/// Makes an earlier text of a prompt the one that is used.
///
/// # Errors
/// When there is no such prompt or version, or the file cannot be written.
pub fn bring_back(args: &RestorePromptArgs, shop: &Workshop) -> Result<()> {
    let name = named(&args.prompt)?;
    let (library, folder) = home(shop);
    let desk = shop.desk("prompts restore", None)?;
    let before = read_prompt(&library, &name)?;
    let (wanted, _) = find_version(&shop.layout, &library, Some(&name), &args.version)?;
    if wanted == before.glance.hash {
        output::notice(&format!("{name} says that already; nothing was changed"));
        return Ok(());
    }
    let saved = restore(&desk, &library, &folder, &name, &args.version)?;
    output::notice(&format!(
        "{name} is {} again, in {}; what stood there is kept as {}",
        short(&saved.now.glance.hash),
        saved.path.display(),
        short(&before.glance.hash)
    ));
    Ok(())
}

/// Returns the folder for changed prompts that are not the user's own, and the library in which it
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
    (shop.library.over(folders), folder)
}
