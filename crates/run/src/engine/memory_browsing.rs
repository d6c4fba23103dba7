//! Work of a person who browses memory: reads, looks for entries, changes them. Each question is answered by
//! news for the browser.

use super::{PlayDefaults, RunContext, preview_topic_memory};
use elenchus_records::workspace::memory::{
    ChangedEntry, EntrySearch, EntryUses, WithNotices, apply_change, find_uses, search_entries,
};
use elenchus_records::workspace::{
    EntryId, EntryKind, StoreContext, StoreIndex, WorkspaceError, reject,
};
use elenchus_text::Role;
use elenchus_view::memory::{MemoryBrowser, ReadNamespace, TopicMemory, WantedChange};
use std::sync::Arc;

/// Entries that a search finds at most.
const MAX_FOUND: usize = 200;

/// News for a browser of memory; errors are in words.
pub enum MemoryNews {
    Read(Result<Arc<ReadNamespace>, WorkspaceError>),
    /// What a question found, by its number.
    Found(u64, Result<WithNotices<EntrySearch>, WorkspaceError>),
    TopicMemory(u64, Result<Box<WithNotices<TopicMemory>>, WorkspaceError>),
    Uses(EntryId, Result<EntryUses, WorkspaceError>),
}

impl MemoryNews {
    /// Gives the news to the browser; returns what a person should know.
    pub fn take_into(self, browser: &mut MemoryBrowser) -> Option<(Role, String)> {
        match self {
            MemoryNews::Read(Ok(read)) => browser.apply_namespace(&read),
            MemoryNews::Read(Err(why)) => {
                browser.set_read_error(why.to_string());
                Some((Role::Error, why.to_string()))
            }
            MemoryNews::Found(asked, found) => browser.apply_search(asked, found),
            MemoryNews::TopicMemory(asked, given) => {
                browser.apply_topic_memory(asked, given.map(|given| *given))
            }
            MemoryNews::Uses(id, uses) => {
                browser.set_uses(id, uses);
                None
            }
        }
    }
}

/// A question about a namespace that was read. Blocks while it is answered.
#[derive(Debug, Clone)]
pub enum MemoryQuery {
    /// Finds entries of a kind by meaning.
    Search(u64, EntryKind, String),
    /// Previews what a debate about a topic would be shown.
    Topic(u64, String),
    /// Lists the debates that were shown an entry or asked about it.
    Uses(EntryId),
}

impl MemoryQuery {
    /// Answers the question.
    pub fn answer(
        self,
        run: &RunContext,
        defaults: &PlayDefaults,
        read: &ReadNamespace,
    ) -> MemoryNews {
        match self {
            MemoryQuery::Search(asked, kind, text) => {
                let ranking = run.memory_ranking(read);
                let hits = search_entries(&read.entries, &ranking, &text, MAX_FOUND, &[kind]);
                MemoryNews::Found(asked, hits)
            }
            MemoryQuery::Topic(asked, text) => {
                let given = preview_topic_memory(run, &defaults.protocol, read, text);
                MemoryNews::TopicMemory(asked, given.map(Box::new))
            }
            MemoryQuery::Uses(id) => {
                let (entries, layout) = (&read.entries, &run.store.layout);
                let entry_uses = match entries.folded.find_entry(&id) {
                    Some(entry) => find_uses(layout, &entries.namespace, entry),
                    None => reject("the entry is not there any more"),
                };
                MemoryNews::Uses(id, entry_uses)
            }
        }
    }
}

/// What of the index memory is read from.
pub fn memory_index(store: &StoreContext) -> StoreIndex {
    let namespaces = store.layout.list_namespaces().unwrap_or_default();
    StoreIndex::open_memory(&store.layout, &namespaces)
}

/// Reads a namespace, or the one that a newcomer wants to see. Blocks.
pub fn read_memory(run: &RunContext, index: &StoreIndex, namespace: Option<&str>) -> MemoryNews {
    let by_words = run.embedding.describe_word_search();
    let read = ReadNamespace::read(index, namespace, by_words);
    let read = read.map(|read| ReadNamespace {
        shown_examples: run.store.guardrail_examples,
        ..read
    });
    MemoryNews::Read(read.map(Arc::new))
}

/// Writes a change.
///
/// # Errors
/// When it cannot be written.
pub async fn change_memory(
    store: &StoreContext,
    wanted: WantedChange,
) -> Result<Box<ChangedEntry>, WorkspaceError> {
    let entry = apply_change(store, &wanted.namespace, wanted.change).await;
    entry.map(Box::new)
}
