//! Entries that journals of another store bring or change, disabled before the journals are there.
//!
//! A lesson steers every later debate of its namespace. So what comes in with an import waits, disabled,
//! until a person here enables it; what it changes of entries that were here waits as well.

use super::browse::NamespaceEntries;
use super::bundle_import::changed_entries;
use super::journals::{MemoryJournal, NamespaceWriter, read_with_index};
use crate::workspace::error::{Result, reject};
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::Author;
use elenchus_memory::{EntryId, EntryKind, MemoryEvent, WriterJournal, fold_journals};
use elenchus_store::Layout;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// Begins the names of journals in which entries are held back.
const IMPORT: &str = "import-";
/// What is held back after the journals' own events of the moment in which they came.
const AFTER: SignedDuration = SignedDuration::from_millis(1);

/// Returns the name of the journal in which lessons of an imported run or session are held back.
pub(super) fn held_back_name(writer: &str) -> String {
    format!("{IMPORT}{writer}")
}

/// Returns whether a journal of this name holds back what an import brought.
pub(super) fn is_of_import(name: &str) -> bool {
    name.starts_with(IMPORT)
}

/// A journal of memory that is about to come in.
pub struct ArrivingJournal {
    pub kind: EntryKind,
    pub name: String,
    pub events: Vec<MemoryEvent>,
}

/// Entries of one namespace that are held back.
pub struct HeldBack {
    pub namespace: String,
    /// How many entries that were here are changed by what comes.
    pub changed: usize,
    entries: Vec<(EntryKind, EntryId)>,
}

impl HeldBack {
    /// Finds what journals that arrive in a namespace would put into use. Blocks.
    ///
    /// # Errors
    /// When they hold an entry that is here from another journal.
    pub fn from_arrivals(
        layout: &Layout,
        namespace: &str,
        arriving: &[ArrivingJournal],
    ) -> Result<Self> {
        let here = NamespaceEntries::read_entries(layout, namespace)?;
        if arriving.iter().any(|one| one.kind == EntryKind::Guardrail) {
            here.check_guardrails()?;
        }
        let journals = || {
            arriving.iter().map(|journal| WriterJournal {
                name: &journal.name,
                events: &journal.events,
            })
        };
        let change_count = match changed_entries(&here, journals()) {
            Ok(changed) => changed,
            Err(id) => {
                return reject(format!(
                    "the entry {id} is in memory '{namespace}' already, from another journal; leave those \
                     acts out, or take that memory into another namespace, with 'elenchus memory export' \
                     there and 'elenchus memory import --namespace' here"
                ));
            }
        };
        let ids = arriving.iter().flat_map(|journal| &journal.events);
        let ids: BTreeSet<&EntryId> = ids.flat_map(ids_of).collect();
        // With what is here: a proposal can become part of a guardrail that is in use.
        let mut there = Vec::new();
        for kind in EntryKind::ALL {
            there.extend(read_with_index(layout, kind, namespace)?.journals);
        }
        let there = there.iter().map(MemoryJournal::as_writer);
        let memory_fold = fold_journals(there.chain(journals()));
        let used = ids.into_iter().filter_map(|id| memory_fold.find_entry(id));
        let used = used.filter(|entry| entry.is_active());
        let entries: BTreeSet<(EntryKind, EntryId)> =
            used.map(|entry| (entry.kind(), entry.id.clone())).collect();
        Ok(Self {
            namespace: namespace.to_owned(),
            changed: change_count,
            entries: entries.into_iter().collect(),
        })
    }

    /// Returns how many entries are held back.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Says whether there is nothing to hold back.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Disables the entries, whether or not they are there yet, in a journal of its own: durable when this
    /// returns. `came` is the time of the import.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn disable_entries(&self, store: &StoreContext, came: &str) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let name = format!("{IMPORT}{}", store.clock.fresh_id());
        let mut writer =
            NamespaceWriter::new(&store.layout, &store.journals(), &self.namespace, &name)?;
        let by = Author::Person(store.person.clone()).to_string();
        let at = time_after(came);
        for (kind, id) in &self.entries {
            let (id, at) = (id.clone(), at.clone());
            let event = match kind {
                EntryKind::Lesson => MemoryEvent::EntryDisabled { id, at },
                EntryKind::Guardrail => MemoryEvent::GuardDisabled { id, at },
            };
            writer.record_without_sync(&by, &event)?;
        }
        writer.sync().await?;
        Ok(())
    }
}

/// Returns the time after one, RFC 3339.
fn time_after(time: &str) -> String {
    let after = time.parse::<Timestamp>().ok();
    let after = after.and_then(|time| time.checked_add(AFTER).ok());
    after.map_or_else(|| time.to_owned(), |time| format!("{time:.3}"))
}

/// Returns the entries that an event names.
fn ids_of(event: &MemoryEvent) -> impl Iterator<Item = &EntryId> {
    let merged_id = if let MemoryEvent::EntryMerged { id, .. } = event {
        Some(id)
    } else {
        None
    };
    event.entry_id().into_iter().chain(merged_id)
}
