//! Opening long-term memory for a run or a session, as either began.

use super::embedding::{Embedding, LazyEmbedding};
use super::error::DriverError;
use super::memory_book::MemoryBook;
use super::memory_state::MemoryState;
use super::ranking::{Ranked, Ranking, by_words};
use super::run::Floor;
use super::run_event::Manifest;
use super::run_state::{RunState, read_run};
use super::session::Session;
use crate::memory::{Lexical, Retriever};
use crate::store::{Fsync, Layout};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a run reads of long-term memory: stated when it begins, the same to its end (FIGURES 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRead {
    /// The retriever's name, which holds that of the embedder.
    pub retriever: String,
    /// What others had taught, before the run taught anything.
    pub state: MemoryState,
}

/// Opens the memory that a session reads or writes, ranked as its run began.
///
/// # Errors
/// When a journal cannot be read.
pub fn memory_of(
    session: &Session,
    layout: &Layout,
    fsync: &Fsync,
    embedding: &Arc<LazyEmbedding>,
) -> Result<Option<MemoryBook>, DriverError> {
    let created = session.created()?;
    let memory = &created.memory;
    if !memory.reads && !memory.writes && !memory.guards {
        return Ok(None);
    }
    let (begun_at, _) = session.state.span();
    let as_of = memory.as_of.as_deref().unwrap_or(begun_at);
    let book = MemoryBook::open(layout, fsync, &memory.namespace, session.id.as_str(), as_of)?;
    if !memory.reads && !memory.guards {
        // What only teaches needs no embedder: its lessons are compared by their words.
        return Ok(Some(book));
    }
    let ranked = match &created.run {
        Some(place) => as_begun(&read_run(&layout.run(place.run.as_str())?)?.manifest),
        None => Ranked::Freely,
    };
    Ok(Some(book.ranked(embedding, ranked)))
}

/// Opens the memory that a run reads or writes.
pub(super) fn memory_of_run(
    state: &RunState,
    floor: &Floor,
) -> Result<Option<MemoryBook>, DriverError> {
    let memory = &state.manifest.memory;
    // What replicates are given, lessons and guardrails alike, was fixed beforehand.
    let fixed = state.manifest.ablation.is_some();
    if fixed || (!memory.reads && !memory.writes && !memory.guards) {
        return Ok(None);
    }
    let book = book(&state.manifest, floor, &state.begun_at)?;
    Ok(Some(
        book.ranked(&floor.embedding, as_begun(&state.manifest)),
    ))
}

/// States what a run that begins at `at` will read, telling when words stand in for meaning.
pub(super) async fn state_of_memory(
    manifest: &Manifest,
    floor: &Floor,
    at: &str,
) -> Result<Option<MemoryRead>, DriverError> {
    if !is_read(manifest) {
        return Ok(None);
    }
    let embedding = found(floor).await?;
    if let Embedding::Lexical { why } = &embedding {
        floor.observer.noticed(&by_words(why));
    }
    Ok(Some(MemoryRead {
        retriever: embedding.retriever_name().to_owned(),
        state: book(manifest, floor, at)?.state(Some(manifest.run.as_str())),
    }))
}

/// Finds out whether a run that goes on can retrieve as it began.
///
/// # Errors
/// When the embedder that it began with is not here.
pub(super) async fn check_memory(state: &RunState, floor: &Floor) -> Result<(), DriverError> {
    let manifest = &state.manifest;
    if !is_read(manifest) {
        return Ok(());
    }
    let ranked = as_begun(manifest);
    if (Ranked::AsBegun {
        retriever: Lexical.name().to_owned(),
    }) == ranked
    {
        floor
            .observer
            .noticed("memory is searched by words, as when the run began");
    } else {
        found(floor).await?;
    }
    let (layout, embedding) = (&floor.layout, Arc::clone(&floor.embedding));
    Ranking::of(layout, &manifest.memory.namespace, embedding, ranked).semantic()?;
    let read = manifest.memory_read.as_ref();
    let now = book(manifest, floor, &state.begun_at)?.state(Some(manifest.run.as_str()));
    if let Some(read) = read.filter(|read| read.state != now) {
        floor.observer.noticed(&format!(
            "the memory that this run reads has changed since it began: {} entries then, {} now; \
             debates played from here on may be shown others",
            read.state.entries, now.entries
        ));
    }
    Ok(())
}

/// What replicates are given was fixed beforehand.
fn is_read(manifest: &Manifest) -> bool {
    (manifest.memory.reads || manifest.memory.guards) && manifest.ablation.is_none()
}

fn book(manifest: &Manifest, floor: &Floor, begun_at: &str) -> Result<MemoryBook, DriverError> {
    let memory = &manifest.memory;
    let as_of = memory.as_of.as_deref().unwrap_or(begun_at);
    let run = manifest.run.as_str();
    MemoryBook::open(&floor.layout, &floor.fsync, &memory.namespace, run, as_of)
}

/// Runs that state nothing are older than ranking by meaning.
fn as_begun(manifest: &Manifest) -> Ranked {
    let stated = manifest.memory_read.as_ref();
    Ranked::AsBegun {
        retriever: stated
            .map_or(Lexical.name(), |read| &read.retriever)
            .to_owned(),
    }
}

async fn found(floor: &Floor) -> Result<Embedding, DriverError> {
    let embedding = Arc::clone(&floor.embedding);
    let task = tokio::task::spawn_blocking(move || embedding.get());
    task.await
        .map_err(|_| DriverError::Invalid("the search for an embedder was given up".to_owned()))
}
