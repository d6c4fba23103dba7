//! `elenchus memory add`, `edit`, `disable`, `enable`, `delete`, `restore`, `reject` and `reopen`.

use super::args::{MemoryAddArgs, MemoryEditArgs, MemoryEnableArgs};
use super::entry_args::MemoryEntriesArgs;
use super::shelf::{find_guardrail, open_existing};
use crate::cli::common::{CommandContext, output, text_input, wait_for};
use anyhow::{Context, Result, anyhow, bail};
use elenchus_memory::{EntryKind, GuardText, MemoryEntry};
use elenchus_records::workspace::memory::{
    ChangedEntry, EntryAction, EntryChange, EntryText, apply_change,
};
use elenchus_records::workspace::{self, StoreContext, WorkspaceError};
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
pub fn add_entry(args: &MemoryAddArgs, context: &CommandContext) -> Result<()> {
    let text = match &args.text {
        Some(text) => text_input::read_text_or_stdin(text)?,
        None => edit_in_editor("", context)?,
    };
    let text = match args.example.as_slice() {
        [] => parse_entry_text(EntryKind::Lesson, &text)?,
        examples => parse_guardrail(&text, examples)?,
    };
    add_text(&args.place.namespace, text, context)
}

/// Adds an entry with a text and prints its id.
///
/// # Errors
/// When the text is empty or too long, or the journal cannot be written.
pub fn add_text(namespace: &str, text: EntryText, context: &CommandContext) -> Result<()> {
    context.store.layout.create_missing_folders()?;
    let addition = change_entry_blocking(
        &context.hold_store("memory", None),
        namespace,
        EntryChange::Add(text),
    )?;
    output::print_text(&format!("{}\n", addition.entry.id))?;
    output::print_notice(&match addition.entry.kind() {
        EntryKind::Lesson => {
            format!("added to memory '{namespace}'; debates that begin from now on can be shown it")
        }
        EntryKind::Guardrail => format!(
            "proposed in memory '{namespace}'; 'elenchus memory test' says what it would refuse"
        ),
    });
    Ok(())
}

/// Gives an entry a new text.
///
/// # Errors
/// When there is no such entry; as [`edit_entry`].
pub fn edit_named_entry(args: &MemoryEditArgs, context: &CommandContext) -> Result<()> {
    let namespace = &args.place.namespace;
    let namespace_entries = open_existing(context, namespace)?;
    let text = args
        .text
        .as_deref()
        .map(text_input::read_text_or_stdin)
        .transpose()?;
    edit_entry(
        namespace,
        namespace_entries.find_entry(&args.entry)?,
        text,
        &args.example,
        context,
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
    context: &CommandContext,
) -> Result<()> {
    let text = match (text, examples, entry.kind()) {
        (None, [], kind) => parse_entry_text(kind, &edit_in_editor(&entry.as_lines(), context)?)?,
        (Some(text), [], EntryKind::Lesson) => parse_entry_text(EntryKind::Lesson, &text)?,
        (text, [], _) => parse_guardrail(text.as_ref().unwrap_or(&entry.text), &entry.examples)?,
        (text, examples, _) => parse_guardrail(text.as_ref().unwrap_or(&entry.text), examples)?,
    };
    let request = EntryChange::Do(entry.id.clone(), EntryAction::Edit(text));
    let outcome = change_entry_blocking(&context.hold_store("memory", None), namespace, request)?;
    let entry = &outcome.entry;
    match (entry.kind(), outcome.already) {
        (EntryKind::Lesson, true) => output::print_notice(&format!(
            "{} has these words already; nothing was written",
            entry.id
        )),
        (EntryKind::Lesson, false) => output::print_notice(&format!(
            "{} has a new text, revision {}; 'elenchus memory show' shows the earlier ones",
            entry.id, entry.revision
        )),
        (EntryKind::Guardrail, already) => {
            print_change(&outcome, "");
            if !already {
                output::print_notice("its text has changed: test it and accept it again");
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
pub fn change_entries(
    (doing, done): (EntryAction, &str),
    args: &MemoryEntriesArgs,
    kind: Option<EntryKind>,
    context: &CommandContext,
) -> Result<()> {
    let namespace = &args.place.namespace;
    let namespace_entries = open_existing(context, namespace)?;
    let entries = args.entry.iter().map(|text| match kind {
        Some(EntryKind::Guardrail) => find_guardrail(&namespace_entries, text),
        Some(EntryKind::Lesson) | None => Ok(namespace_entries.find_entry(text)?),
    });
    let entries = entries.collect::<Result<Vec<_>>>()?;
    let store = context.hold_store("memory", None);
    for entry in entries {
        let request = EntryChange::Do(entry.id.clone(), doing.clone());
        print_change(&change_entry_blocking(&store, namespace, request)?, done);
    }
    Ok(())
}

/// Enables entries: those that are named, or all that came with an import and wait.
///
/// # Errors
/// As [`change_entries`].
pub fn enable_entries(args: &MemoryEnableArgs, context: &CommandContext) -> Result<()> {
    let place = args.place.clone();
    let entry = match args.imported {
        true => {
            let namespace_entries = open_existing(context, &place.namespace)?;
            namespace_entries
                .waiting
                .iter()
                .map(|id| id.0.clone())
                .collect()
        }
        false => args.entry.clone(),
    };
    if entry.is_empty() {
        output::print_notice("no entry that came with an import waits to be accepted");
        return Ok(());
    }
    let selection = MemoryEntriesArgs { entry, place };
    change_entries((EntryAction::Enable, "enabled"), &selection, None, context)
}

/// Says what an entry is now: what was done to a lesson, or the standing of a guardrail.
pub fn print_change(changed: &ChangedEntry, done: &str) {
    let already = if changed.already { " already" } else { "" };
    let entry = &changed.entry;
    let standing = match entry.kind() {
        EntryKind::Lesson => done.to_owned(),
        EntryKind::Guardrail => entry.describe_status(),
    };
    output::print_notice(&format!("{}: {standing}{already}", entry.id));
}

/// Returns the text of a guardrail.
///
/// # Errors
/// When a text is empty or too long.
pub fn parse_guardrail(intent: &str, examples: &[String]) -> Result<EntryText> {
    let text = GuardText::new(intent, examples);
    let text = text.map_err(|why| anyhow!("this is no guardrail: {why}"))?;
    Ok(EntryText::Guardrail(text))
}

fn parse_entry_text(kind: EntryKind, text: &str) -> Result<EntryText> {
    EntryText::parse_text(kind, text).map_err(|why| anyhow!(why))
}

/// Makes a change and waits until it is durable.
///
/// # Errors
/// When the entry is gone, or its journal cannot be written.
pub fn change_entry_blocking(
    store: &StoreContext,
    namespace: &str,
    request: EntryChange,
) -> Result<ChangedEntry> {
    wait_for(change_entry(store, namespace, request))?
}

/// Makes a change, durable when this returns. Another command that writes to the same journal is waited for:
/// it is soon over.
///
/// # Errors
/// When the entry is gone, or its journal cannot be written.
pub async fn change_entry(
    store: &StoreContext,
    namespace: &str,
    request: EntryChange,
) -> Result<ChangedEntry> {
    for _ in 0..MOST_WAITS {
        match apply_change(store, namespace, request.clone()).await {
            Err(WorkspaceError::Store(StoreError::Locked { .. })) => {
                tokio::time::sleep(WAIT).await;
            }
            changed => return print_change_notices(changed),
        }
    }
    print_change_notices(apply_change(store, namespace, request).await)
}

fn print_change_notices(changed: workspace::Result<ChangedEntry>) -> Result<ChangedEntry> {
    let outcome = changed?;
    output::print_notices(&outcome.notices);
    Ok(outcome)
}

/// Has a person write in their editor.
fn edit_in_editor(text: &str, context: &CommandContext) -> Result<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(editor) = variable("VISUAL").or_else(|| variable("EDITOR")) else {
        bail!("give the text on the command line, '-' for standard input, or set EDITOR");
    };
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to write on; give the text, or '-' for standard input");
    }
    let path =
        std::env::temp_dir().join(format!("elenchus-{}.txt", context.store.clock.fresh_id()));
    keep_private(&path, text.as_bytes())?;
    let text_result = run_editor(&editor, &path);
    // The text is in the journal, or it was not wanted.
    let _ = std::fs::remove_file(&path);
    text_result
}

fn run_editor(editor: &str, path: &std::path::Path) -> Result<String> {
    // An editor is named with its options, as in "code --wait".
    let status = Command::new("sh")
        .args(["-c", "exec $0 \"$1\"", editor])
        .arg(path)
        .status()
        .with_context(|| format!("the editor '{editor}' could not be started"))?;
    if !status.success() {
        bail!("the editor '{editor}' was left with {status}; nothing was changed");
    }
    std::fs::read_to_string(path)
        .with_context(|| format!("{} could not be read back", path.display()))
}
