//! Work of a person who browses memory: reads, looks for entries, changes them. Each question is answered by
//! news for the browser.

use super::{PlayTools, preview_topic_memory};
use elenchus_records::workspace::memory::{
    ChangedEntry, EntrySearch, EntryUses, WithNotices, change, search, uses,
};
use elenchus_records::workspace::{Desk, EntryId, EntryKind, StoreIndex, WorkspaceError};
use elenchus_text::Role;
use elenchus_view::memory::{MemoryBrowser, ReadNamespace, TopicMemory, WantedChange};
use std::sync::Arc;

/// Entries that a search finds at most.
const MAX_FOUND: usize = 200;

/// News for a browser of memory; errors are in words.
pub enum MemoryNews {
    Read(Result<Arc<ReadNamespace>, String>),
    /// What a question found, by its number.
    Found(u64, Result<WithNotices<EntrySearch>, String>),
    Given(u64, Result<Box<WithNotices<TopicMemory>>, String>),
    Uses(EntryId, Result<EntryUses, String>),
}

impl MemoryNews {
    /// Gives the news to the browser; returns what a person should know.
    pub fn take_into(self, browser: &mut MemoryBrowser) -> Option<(Role, String)> {
        match self {
            MemoryNews::Read(Ok(read)) => browser.take_read(&read),
            MemoryNews::Read(Err(why)) => {
                browser.not_read(why.clone());
                Some((Role::Error, why))
            }
            MemoryNews::Found(asked, found) => browser.take_found(asked, found),
            MemoryNews::Given(asked, given) => browser.take_topic(asked, given.map(|given| *given)),
            MemoryNews::Uses(id, uses) => {
                browser.take_uses(id, uses);
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
    pub fn answer(self, tools: &PlayTools, read: &ReadNamespace) -> MemoryNews {
        match self {
            MemoryQuery::Search(asked, kind, text) => {
                let ranking = tools.ranking(read);
                let found = search(&read.entries, &ranking, &text, MAX_FOUND, &[kind]);
                MemoryNews::Found(asked, found.map_err(in_words))
            }
            MemoryQuery::Topic(asked, text) => {
                let given = preview_topic_memory(tools, read, text).map(Box::new);
                MemoryNews::Given(asked, given.map_err(in_words))
            }
            MemoryQuery::Uses(id) => {
                let (entries, layout) = (&read.entries, &tools.desk.layout);
                let found = match entries.folded.find(&id) {
                    Some(entry) => uses(layout, &entries.namespace, entry).map_err(in_words),
                    None => Err("the entry is not there any more".to_owned()),
                };
                MemoryNews::Uses(id, found)
            }
        }
    }
}

/// What of the index memory is read from.
pub fn memory_index(desk: &Desk) -> StoreIndex {
    let namespaces = desk.layout.namespaces().unwrap_or_default();
    StoreIndex::for_memory(&desk.layout, &namespaces)
}

/// Reads a namespace, or the one that a newcomer wants to see. Blocks.
pub fn read_memory(tools: &PlayTools, index: &StoreIndex, named: Option<&str>) -> MemoryNews {
    let by_words = tools.embedding.places().by_words();
    let read = ReadNamespace::read(index, named, by_words);
    MemoryNews::Read(read.map(Arc::new).map_err(in_words))
}

/// Writes a change.
///
/// # Errors
/// In words, when it cannot be written.
pub async fn change_memory(desk: &Desk, wanted: WantedChange) -> Result<Box<ChangedEntry>, String> {
    let changed = change(desk, &wanted.namespace, wanted.change).await;
    changed.map(Box::new).map_err(in_words)
}

fn in_words(error: WorkspaceError) -> String {
    error.to_string()
}
