//! Import of a namespace that came as one file: adds its journals to those that are there.
//!
//! Chains are never merged, and no file is changed: what cannot be taken in without that is refused,
//! with everything else.

use super::browse::NamespaceEntries;
use super::bundle::{Bundle, BundledJournal};
use super::journals::journal_path;
use crate::workspace::error::{Result, reject};
use crate::workspace::journals::{ExistingCopy, JournalCopy, compare_file, publish_all};
use elenchus_memory::{EntryId, EntryKind, MemoryEvent, WriterJournal, fold_journals};
use elenchus_store::{Layout, StoreError};
use std::collections::BTreeSet;

/// How many digits of a journal's head tell it from others of its name.
const SHORT_HASH: usize = 8;

/// A file that was taken in.
pub struct ImportedBundle<'a> {
    copies: Vec<JournalCopy>,
    /// Journals that came, with the names that they have here.
    pub arrivals: Vec<(String, &'a BundledJournal)>,
    /// Names of those that were here already.
    pub there: Vec<&'a str>,
    /// How many entries that were here before are changed by what came.
    pub changed: usize,
}

impl ImportedBundle<'_> {
    /// Says in the store how far each journal goes, when it came and from where.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn begin_heads(&self, at: &str, from: &str) -> Result<()> {
        let mut copies = self.copies.iter();
        copies.try_for_each(|copy| copy.begin_head(at, from))
    }
}

impl Bundle {
    /// Takes the file into a namespace. Blocks.
    ///
    /// # Errors
    /// When anything in it conflicts with what is there, or the disk refuses; then nothing is taken.
    pub fn import_into(&self, layout: &Layout, namespace: &str) -> Result<ImportedBundle<'_>> {
        // A name that comes out of a file is checked before anything is made.
        journal_path(layout, EntryKind::Lesson, namespace, "any")?;
        let here = NamespaceEntries::read_entries(layout, namespace)?;
        let is_guardrail = |journal: &BundledJournal| journal.kind == EntryKind::Guardrail;
        if self.journals.iter().any(is_guardrail) {
            here.check_guardrails()?;
        }
        layout.create_missing_folders()?;
        let mut result = ImportedBundle {
            copies: Vec::new(),
            arrivals: Vec::new(),
            there: Vec::new(),
            changed: 0,
        };
        for journal in &self.journals {
            match name_here(layout, namespace, journal)? {
                Some(name) => result.arrivals.push((name, journal)),
                None => result.there.push(&journal.name),
            }
        }
        let arrivals = result.arrivals.iter();
        let arrivals = arrivals.map(|(name, journal)| WriterJournal {
            name,
            events: &journal.events,
        });
        result.changed = changed_entries(&here, arrivals).or_else(|id| {
            reject(format!(
                "the entry {id} is in memory '{namespace}' already, from another journal; take the file \
                 into another namespace with --namespace"
            ))
        })?;
        for (name, journal) in &result.arrivals {
            let path = journal_path(layout, journal.kind, namespace, name)?;
            let copy = JournalCopy::write_hidden(&path, &journal.content, journal.head)?;
            result.copies.push(copy);
        }
        publish_all(&result.copies)?;
        Ok(result)
    }
}

/// Under which name a journal is taken in; `None` when all of it is here.
fn name_here(layout: &Layout, namespace: &str, journal: &BundledJournal) -> Result<Option<String>> {
    let path = journal_path(layout, journal.kind, namespace, &journal.name)?;
    match compare_file(&path, &journal.content)? {
        ExistingCopy::Nothing => return Ok(Some(journal.name.clone())),
        ExistingCopy::Same | ExistingCopy::Longer => return Ok(None),
        ExistingCopy::Shorter => {
            return reject(format!(
                "the journal '{}' goes further than the one here, {}: chains are never merged; take it \
                 into another namespace with --namespace",
                journal.name,
                path.display()
            ));
        }
        ExistingCopy::Different => {}
    }
    let first = |bytes: &[u8]| {
        bytes
            .split(|byte| *byte == b'\n')
            .next()
            .map(<[u8]>::to_vec)
    };
    let here = std::fs::read(&path).map_err(StoreError::from_io("read", &path))?;
    if first(&here) == first(&journal.content) {
        return reject(format!(
            "the journal '{}' and the one here, {}, began as one and went different ways: chains are \
             never merged; take it into another namespace with --namespace",
            journal.name,
            path.display()
        ));
    }
    // Two people of one name, each with a journal of their own.
    let hash = journal.head.hash.to_string();
    let name = format!("{}.{hash:.SHORT_HASH$}", journal.name);
    let path = journal_path(layout, journal.kind, namespace, &name)?;
    match compare_file(&path, &journal.content)? {
        ExistingCopy::Nothing => Ok(Some(name)),
        ExistingCopy::Same => Ok(None),
        ExistingCopy::Shorter | ExistingCopy::Longer | ExistingCopy::Different => reject(format!(
            "{} is there already and differs; take the file into another namespace with --namespace",
            path.display()
        )),
    }
}

/// Returns how many entries that are here would be changed by journals.
///
/// # Errors
/// The id of an entry that is here already, from another journal.
pub(super) fn changed_entries<'a>(
    here: &NamespaceEntries,
    arrivals: impl Iterator<Item = WriterJournal<'a>> + Clone,
) -> Result<usize, EntryId> {
    let alone = fold_journals(arrivals.clone());
    let twice = alone
        .entries
        .iter()
        .find(|entry| here.folded.find_entry(&entry.id).is_some());
    if let Some(entry) = twice {
        return Err(entry.id.clone());
    }
    let events = arrivals.flat_map(|journal| journal.events);
    let ids: BTreeSet<_> = events
        .filter_map(MemoryEvent::entry_id)
        .filter(|id| here.folded.find_entry(id).is_some())
        .collect();
    Ok(ids.len())
}
