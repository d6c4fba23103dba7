//! `elenchus memory add`, `edit`, `disable`, `enable`, `delete` and `restore`, and these of `elenchus memory
//! guardrails` with `reject` and `reopen`.

use super::args::{MemoryAddArgs, MemoryEditArgs, MemoryEnableArgs};
use super::entry_args::MemoryEntriesArgs;
use super::shelf::open_existing;
use crate::cli::common::{Workshop, output, text_input, wait_for};
use anyhow::{Context, Result, anyhow, bail};
use elenchus_memory::{EntryKind, GuardText, MemoryEntry};
use elenchus_records::workspace::memory::{
    ChangedEntry, EntryAction, EntryChange, EntryText, change,
};
use elenchus_records::workspace::{self, Desk, WorkspaceError};
use elenchus_store::{StoreError, replace_private as keep_private};
use std::io::IsTerminal;
use std::process::Command;
use std::time::Duration;

/// How often, and how long each time, another command is waited for that writes to the same journal.
const MOST_WAITS: u32 = 60;
const WAIT: Duration = Duration::from_millis(50);

/// Adds an entry and prints its id.
///
/// # Errors
/// As [`add_text`].
pub fn add(args: &MemoryAddArgs, shop: &Workshop) -> Result<()> {
    let text = match &args.text {
        Some(text) => text_input::text(text)?,
        None => edited("", shop)?,
    };
    let text = match args.example.as_slice() {
        [] => read(EntryKind::Lesson, &text)?,
        examples => guardrail(&text, examples)?,
    };
    add_text(&args.place.namespace, text, shop)
}

/// Adds an entry with a text and prints its id.
///
/// # Errors
/// When the text is empty or too long, or the journal cannot be written.
pub fn add_text(namespace: &str, text: EntryText, shop: &Workshop) -> Result<()> {
    shop.layout.create()?;
    let added = make(
        &shop.desk("memory", None)?,
        namespace,
        EntryChange::Add(text),
    )?;
    output::out(&format!("{}\n", added.entry.id))?;
    output::notice(&match added.entry.kind() {
        EntryKind::Lesson => {
            format!("added to memory '{namespace}'; debates that begin from now on can be shown it")
        }
        EntryKind::Guardrail => format!(
            "proposed in memory '{namespace}'; 'elenchus memory guardrails test' says what it would refuse"
        ),
    });
    Ok(())
}

/// Gives an entry a new text.
///
/// # Errors
/// When there is no such entry; as [`edit_entry`].
pub fn edit(args: &MemoryEditArgs, shop: &Workshop) -> Result<()> {
    let namespace = &args.place.namespace;
    let shelf = open_existing(shop, namespace)?;
    let text = args.text.as_deref().map(text_input::text).transpose()?;
    edit_entry(
        namespace,
        shelf.find(&args.entry)?,
        text,
        &args.example,
        shop,
    )
}

/// Gives an entry a new text; what is not given stays, or is written in an editor.
///
/// # Errors
/// When a text is empty or too long, or the journal cannot be written.
pub fn edit_entry(
    namespace: &str,
    entry: &MemoryEntry,
    text: Option<String>,
    examples: &[String],
    shop: &Workshop,
) -> Result<()> {
    let text = match (text, examples, entry.kind()) {
        (None, [], kind) => read(kind, &edited(&entry.as_lines(), shop)?)?,
        (Some(text), [], EntryKind::Lesson) => read(EntryKind::Lesson, &text)?,
        (text, [], _) => guardrail(text.as_ref().unwrap_or(&entry.text), &entry.examples)?,
        (text, examples, _) => guardrail(text.as_ref().unwrap_or(&entry.text), examples)?,
    };
    let wanted = EntryChange::Do(entry.id.clone(), EntryAction::Edit(text));
    let changed = make(&shop.desk("memory", None)?, namespace, wanted)?;
    let entry = &changed.entry;
    match (entry.kind(), changed.already) {
        (EntryKind::Lesson, true) => output::notice(&format!(
            "{} has these words already; nothing was written",
            entry.id
        )),
        (EntryKind::Lesson, false) => output::notice(&format!(
            "{} has a new text, revision {}; 'elenchus memory show' shows the earlier ones",
            entry.id, entry.revision
        )),
        (EntryKind::Guardrail, already) => {
            print_change(&changed, "");
            if !already {
                output::notice("its text has changed: test it and accept it again");
            }
        }
    }
    Ok(())
}

/// Does the same to every entry that is named, of this kind where it is given, and says what was done to
/// a lesson in this word; all of them are found before any is changed.
///
/// # Errors
/// When one cannot be found, or the journal cannot be written.
pub fn all(
    (doing, done): (EntryAction, &str),
    args: &MemoryEntriesArgs,
    kind: Option<EntryKind>,
    shop: &Workshop,
) -> Result<()> {
    let namespace = &args.place.namespace;
    let shelf = open_existing(shop, namespace)?;
    let found = args.entry.iter().map(|text| match kind {
        Some(kind) => shelf.find_kind(kind, text),
        None => shelf.find(text),
    });
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let desk = shop.desk("memory", None)?;
    for entry in found {
        let wanted = EntryChange::Do(entry.id.clone(), doing.clone());
        print_change(&make(&desk, namespace, wanted)?, done);
    }
    Ok(())
}

/// Enables entries: those that are named, or all that came with an import and wait.
///
/// # Errors
/// As [`all`].
pub fn enable(args: &MemoryEnableArgs, shop: &Workshop) -> Result<()> {
    let place = args.place.clone();
    let entry = match args.imported {
        true => {
            let shelf = open_existing(shop, &place.namespace)?;
            shelf.waiting.iter().map(|id| id.0.clone()).collect()
        }
        false => args.entry.clone(),
    };
    if entry.is_empty() {
        output::notice("no entry that came with an import waits to be accepted");
        return Ok(());
    }
    let named = MemoryEntriesArgs { entry, place };
    all((EntryAction::Enable, "enabled"), &named, None, shop)
}

/// Says what an entry is now: what was done to a lesson, or the standing of a guardrail.
pub fn print_change(changed: &ChangedEntry, done: &str) {
    let already = if changed.already { " already" } else { "" };
    let entry = &changed.entry;
    let standing = match entry.kind() {
        EntryKind::Lesson => done.to_owned(),
        EntryKind::Guardrail => entry.standing_words(),
    };
    output::notice(&format!("{}: {standing}{already}", entry.id));
}

/// Returns the text of a guardrail.
///
/// # Errors
/// When a text is empty or too long.
pub fn guardrail(intent: &str, examples: &[String]) -> Result<EntryText> {
    let text = GuardText::new(intent, examples);
    let text = text.map_err(|why| anyhow!("this is no guardrail: {why}"))?;
    Ok(EntryText::Guardrail(text))
}

fn read(kind: EntryKind, text: &str) -> Result<EntryText> {
    EntryText::read(kind, text).map_err(|why| anyhow!(why))
}

/// Makes a change and waits until it is durable.
///
/// # Errors
/// As [`change`].
pub fn make(desk: &Desk, namespace: &str, wanted: EntryChange) -> Result<ChangedEntry> {
    wait_for(keep(desk, namespace, wanted))?
}

/// Makes a change, durable when this returns. Another command that writes to the same journal is waited for:
/// it is soon over.
///
/// # Errors
/// As [`change`].
pub async fn keep(desk: &Desk, namespace: &str, wanted: EntryChange) -> Result<ChangedEntry> {
    for _ in 0..MOST_WAITS {
        match change(desk, namespace, wanted.clone()).await {
            Err(WorkspaceError::Store(StoreError::Locked { .. })) => {
                tokio::time::sleep(WAIT).await;
            }
            changed => return told(changed),
        }
    }
    told(change(desk, namespace, wanted).await)
}

fn told(changed: workspace::Result<ChangedEntry>) -> Result<ChangedEntry> {
    let changed = changed?;
    output::notices(&changed.notices);
    Ok(changed)
}

/// Has a person write in their editor.
fn edited(text: &str, shop: &Workshop) -> Result<String> {
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

fn write_with(editor: &str, path: &std::path::Path) -> Result<String> {
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
