//! `elenchus memory export` and `import`: the lessons and guardrails of a namespace as one file.
//!
//! Import adds journals to those that are there. Chains are never merged, and no file is
//! changed: what cannot be taken in without that is refused, with everything else.

use super::args::{MemoryExportArgs, MemoryImportArgs};
use crate::cli::common::{
    ExistingCopy, JournalCopy, Workshop, compare, counted, output, publish_all, there_already,
};
use crate::memory::{EntryKind, MemoryEvent, WriterJournal, fold_journals};
use crate::workspace::memory::{Bundle, BundledJournal, NamespaceEntries, journal_path};
use crate::workspace::write_new;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// Name of standard output on the command line.
const STANDARD: &str = "-";
/// How many digits of a journal's head tell it from others of its name.
const SHORT_HASH: usize = 8;

/// Writes a namespace to a file that is not there yet.
///
/// # Errors
/// When a journal is broken or the file cannot be written; then there is none.
pub fn export(args: &MemoryExportArgs, shop: &Workshop) -> Result<()> {
    let namespace = &args.place.namespace;
    NamespaceEntries::read_existing(&shop.layout, namespace)?.check_guardrails()?;
    let bundle = Bundle::of(&shop.layout, namespace)?;
    let bytes = bundle.to_bytes();
    if args.output == Path::new(STANDARD) {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)
            .and_then(|()| out.flush())
            .context("standard output cannot be written to")?;
        return Ok(());
    }
    write_new(&args.output, &bytes)?;
    output::notice(&format!(
        "exported memory '{namespace}' to {}: {}, {}",
        args.output.display(),
        counted(bundle.journals.len(), "journal"),
        counted(lines(&bundle.journals), "line"),
    ));
    Ok(())
}

/// Takes a file in.
///
/// # Errors
/// When anything in it is broken or foreign, or conflicts with what is there; then nothing is
/// taken.
pub fn import(args: &MemoryImportArgs, shop: &Workshop) -> Result<()> {
    let bundle = Bundle::read(&args.file).context("nothing was imported")?;
    let namespace = args.namespace.as_ref().unwrap_or(&bundle.namespace);
    // A name that comes out of a file is checked before anything is made.
    journal_path(&shop.layout, EntryKind::Lesson, namespace, "any")?;
    let here = NamespaceEntries::read(&shop.layout, namespace).context("nothing was imported")?;
    if bundle
        .journals
        .iter()
        .any(|one| one.kind == EntryKind::Guardrail)
    {
        here.check_guardrails().context("nothing was imported")?;
    }
    shop.layout.create()?;
    let mut arrivals: Vec<(String, &BundledJournal)> = Vec::new();
    let mut there: Vec<&str> = Vec::new();
    let mut copies = Vec::new();
    for journal in &bundle.journals {
        match name_here(shop, namespace, journal).context("nothing was imported")? {
            Some(name) => arrivals.push((name, journal)),
            None => there.push(&journal.name),
        }
    }
    let changed = check(&here, &arrivals).context("nothing was imported")?;
    for (name, journal) in &arrivals {
        let path = journal_path(&shop.layout, journal.kind, namespace, name)?;
        copies.push(JournalCopy::write(&path, &journal.content, journal.head)?);
    }
    publish_all(&copies)?;
    let now = shop.clock.now();
    copies.iter().try_for_each(|copy| copy.begin_head(&now))?;
    for name in &there {
        output::notice(&format!("'{name}' is here already, and was left as it is"));
    }
    let renamed = |(name, journal): &&(String, &BundledJournal)| *name != journal.name;
    for (name, journal) in arrivals.iter().filter(renamed) {
        output::notice(&format!(
            "'{}' is another journal here; it was imported as '{name}'",
            journal.name
        ));
    }
    if changed > 0 {
        output::notice(&format!(
            "notice: what was imported also changes {changed} entries that were here before; \
             'elenchus memory show' lists the journal of each text"
        ));
    }
    output::notice(&format!(
        "imported into memory '{namespace}': {}, {}{}",
        counted(arrivals.len(), "journal"),
        counted(lines(arrivals.iter().map(|(_, journal)| *journal)), "line"),
        there_already(there.len())
    ));
    Ok(())
}

fn lines<'a>(journals: impl IntoIterator<Item = &'a BundledJournal>) -> usize {
    let lines = journals.into_iter().map(|journal| journal.events.len());
    lines.sum()
}

/// Under which name a journal is taken in; `None` when all of it is here.
fn name_here(shop: &Workshop, namespace: &str, journal: &BundledJournal) -> Result<Option<String>> {
    let path = journal_path(&shop.layout, journal.kind, namespace, &journal.name)?;
    match compare(&path, &journal.content)? {
        ExistingCopy::Nothing => return Ok(Some(journal.name.clone())),
        ExistingCopy::Same | ExistingCopy::Longer => return Ok(None),
        ExistingCopy::Shorter => bail!(
            "the journal '{}' goes further than the one here, {}: chains are never merged; take it \
             into another namespace with --namespace",
            journal.name,
            path.display()
        ),
        ExistingCopy::Different => {}
    }
    let first = |bytes: &[u8]| {
        bytes
            .split(|byte| *byte == b'\n')
            .next()
            .map(<[u8]>::to_vec)
    };
    let here =
        std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    if first(&here) == first(&journal.content) {
        bail!(
            "the journal '{}' and the one here, {}, began as one and went different ways: chains are \
             never merged; take it into another namespace with --namespace",
            journal.name,
            path.display()
        );
    }
    // Two people of one name, each with a journal of their own.
    let hash = journal.head.hash.to_string();
    let name = format!("{}.{hash:.SHORT_HASH$}", journal.name);
    let path = journal_path(&shop.layout, journal.kind, namespace, &name)?;
    match compare(&path, &journal.content)? {
        ExistingCopy::Nothing => Ok(Some(name)),
        ExistingCopy::Same => Ok(None),
        ExistingCopy::Shorter | ExistingCopy::Longer | ExistingCopy::Different => bail!(
            "{} is there already and differs; take the file into another namespace with --namespace",
            path.display()
        ),
    }
}

/// Refuses what conflicts with entries that are here. Returns how many entries that are here would be
/// changed.
fn check(here: &NamespaceEntries, arrivals: &[(String, &BundledJournal)]) -> Result<usize> {
    let journals = arrivals.iter().map(|(name, journal)| WriterJournal {
        name,
        events: &journal.events,
    });
    let alone = fold_journals(journals);
    let twice = alone
        .entries
        .iter()
        .find(|entry| here.folded.find(&entry.id).is_some());
    if let Some(entry) = twice {
        bail!(
            "the entry {} is in memory '{}' already, from another journal; take the file into \
             another namespace with --namespace",
            entry.id,
            here.namespace
        );
    }
    let events = arrivals.iter().flat_map(|(_, journal)| &journal.events);
    let changed: BTreeSet<_> = events
        .filter_map(MemoryEvent::entry)
        .filter(|id| here.folded.find(id).is_some())
        .collect();
    Ok(changed.len())
}
