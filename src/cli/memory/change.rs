//! `elenchus memory add`, `edit`, `disable`, `enable`, `delete` and `restore`.

use super::args::{MemoryAddArgs, MemoryEditArgs, MemoryEntriesArgs};
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::output;
use crate::cli::common::text_input;
use crate::memory::EntryId;
use crate::store::replace_private as keep_private;
use crate::workspace::Desk;
use crate::workspace::memory::{ChangedEntry, EntryChange, NamespaceEntries, change};
use anyhow::{Context, bail};
use std::io::IsTerminal;
use std::process::Command;

/// What is done to every entry that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryAction {
    Disable,
    Enable,
    Delete,
    Restore,
}

impl EntryAction {
    fn change(self, id: EntryId) -> EntryChange {
        match self {
            EntryAction::Disable => EntryChange::Disable(id),
            EntryAction::Enable => EntryChange::Enable(id),
            EntryAction::Delete => EntryChange::Delete(id),
            EntryAction::Restore => EntryChange::Restore(id),
        }
    }

    fn done(self) -> &'static str {
        match self {
            EntryAction::Disable => "disabled",
            EntryAction::Enable => "enabled",
            EntryAction::Delete => "deleted",
            EntryAction::Restore => "restored",
        }
    }
}

/// Adds an entry and prints its id.
///
/// # Errors
/// When the text is empty or too long, or the journal cannot be written.
pub fn add(args: &MemoryAddArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let text = match &args.text {
        Some(text) => text_input::text(text)?,
        None => edited("", shop)?,
    };
    shop.layout.create()?;
    let desk = shop.desk("memory", None)?;
    let namespace = &args.place.namespace;
    let added = make(&desk, namespace, EntryChange::Add { text })?;
    output::out(&format!("{}\n", added.entry.id))?;
    output::notice(&format!(
        "added to memory '{namespace}'; debates that begin from now on can be shown it"
    ));
    Ok(Exit::Fine)
}

/// Gives an entry a new text.
///
/// # Errors
/// As [`add`]; when there is no such entry.
pub fn edit(args: &MemoryEditArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = NamespaceEntries::read_existing(&shop.layout, namespace)?;
    let entry = shelf.find(&args.entry)?;
    let text = match &args.text {
        Some(text) => text_input::text(text)?,
        None => edited(&entry.text, shop)?,
    };
    let id = entry.id.clone();
    let changed = make(
        &shop.desk("memory", None)?,
        namespace,
        EntryChange::Edit { id, text },
    )?;
    output::notice(&if changed.already {
        format!(
            "{} has these words already; nothing was written",
            changed.entry.id
        )
    } else {
        format!(
            "{} has a new text, revision {}; 'elenchus memory show' shows the earlier ones",
            changed.entry.id, changed.entry.revision
        )
    });
    Ok(Exit::Fine)
}

/// Does the same to every entry that is named; all of them are found before any is changed.
///
/// # Errors
/// When one cannot be found, or the journal cannot be written.
pub fn all(doing: EntryAction, args: &MemoryEntriesArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = NamespaceEntries::read_existing(&shop.layout, namespace)?;
    let ids = args
        .entry
        .iter()
        .map(|text| Ok(shelf.find(text)?.id.clone()))
        .collect::<anyhow::Result<Vec<EntryId>>>()?;
    let desk = shop.desk("memory", None)?;
    for id in ids {
        let changed = make(&desk, namespace, doing.change(id))?;
        let was = if changed.already { " already" } else { "" };
        output::notice(&format!("{}: {}{was}", changed.entry.id, doing.done()));
    }
    Ok(Exit::Fine)
}

fn make(desk: &Desk, namespace: &str, wanted: EntryChange) -> anyhow::Result<ChangedEntry> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .context("the runtime could not be started")?;
    let changed = runtime.block_on(change(desk, namespace, wanted))?;
    for notice in &changed.notices {
        output::notice(&format!("notice: {notice}"));
    }
    Ok(changed)
}

/// Has a person write in their editor.
fn edited(text: &str, shop: &Workshop) -> anyhow::Result<String> {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(editor) = named("VISUAL").or_else(|| named("EDITOR")) else {
        bail!("give the text on the command line, '-' for standard input, or set EDITOR");
    };
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to write on; give the text, or '-' for standard input");
    }
    let path = std::env::temp_dir().join(format!("elenchus-{}.txt", shop.clock.fresh_id()));
    keep_private(&path, text.as_bytes())?;
    let written = write_with(&editor, &path);
    // The text is in the journal, or it was not wanted.
    let _ = std::fs::remove_file(&path);
    written
}

fn write_with(editor: &str, path: &std::path::Path) -> anyhow::Result<String> {
    // An editor is named with its options, as in "code --wait".
    let left = Command::new("sh")
        .args(["-c", "exec $0 \"$1\"", editor])
        .arg(path)
        .status()
        .with_context(|| format!("the editor '{editor}' could not be started"))?;
    if !left.success() {
        bail!("the editor '{editor}' was left with {left}; nothing was changed");
    }
    std::fs::read_to_string(path)
        .with_context(|| format!("{} could not be read back", path.display()))
}
