//! Long-term memory of a session, opened as the session began.

use elenchus_memory::{Lexical, Retriever};
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::memory::LazyEmbedding;
use elenchus_records::workspace::memory::MemoryBook;
use elenchus_records::workspace::memory::RankingPolicy;
use elenchus_records::workspace::run::Manifest;
use elenchus_records::workspace::run::read_run;
use elenchus_store::{Layout, SyncPool};
use std::sync::Arc;

/// Opens the memory that a session reads or writes, ranked as its run began.
///
/// # Errors
/// When a journal cannot be read.
pub fn open_memory(
    session: &Session,
    layout: &Layout,
    fsync: &SyncPool,
    embedding: &Arc<LazyEmbedding>,
) -> Result<Option<MemoryBook>, WorkspaceError> {
    let created = session.created()?;
    let memory = &created.memory;
    if !memory.reads && !memory.writes && !memory.guards {
        return Ok(None);
    }
    let (begun_at, _) = session.state.time_span();
    let game = (&created.protocol, memory);
    let book = MemoryBook::open_for_game(layout, fsync, game, session.id.as_str(), begun_at)?;
    if !memory.reads && !memory.guards {
        // What only teaches needs no embedder: its lessons are compared by their words.
        return Ok(Some(book));
    }
    let policy = match &created.run {
        Some(place) => {
            original_ranking_policy(&read_run(&layout.run_path(place.run.as_str())?)?.manifest)
        }
        None => RankingPolicy::Freely,
    };
    Ok(Some(book.with_ranking(embedding, policy)))
}

/// Runs that state nothing are older than ranking by meaning.
pub(crate) fn original_ranking_policy(manifest: &Manifest) -> RankingPolicy {
    let memory_read = manifest.memory_read.as_ref();
    RankingPolicy::AsBegun {
        retriever: memory_read
            .map_or(Lexical.name(), |read| &read.retriever)
            .to_owned(),
    }
}
