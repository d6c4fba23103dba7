//! Long-term memory of a run: opened as the run began, recorded at the start, checked on resume.

use crate::engine::guardrails::explain_no_guardrails;
use crate::engine::original_ranking_policy;
use crate::experiments::engine::ExperimentContext;
use elenchus_memory::{Lexical, Retriever};
use elenchus_records::workspace::memory::{
    Embedding, MemoryBook, Ranking, RankingPolicy, describe_word_ranking, lesson_namespaces,
};
use elenchus_records::workspace::run::{Manifest, MemoryRead, RunState};
use elenchus_records::workspace::{
    Import, Result, WorkspaceError, import_of, read_session_without_views, reject,
};
use elenchus_store::Layout;
use elenchus_text::shell_word;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Opens the memory that a run reads or writes.
pub(super) fn open_run_memory(
    state: &RunState,
    context: &ExperimentContext,
) -> Result<Option<MemoryBook>> {
    let memory = &state.manifest.memory;
    // What replicates are given, lessons and guardrails alike, was fixed beforehand.
    let is_fixed = state.manifest.ablation.is_some();
    let is_used = memory.reads || memory.writes || memory.guards || memory.continuous.is_some();
    if is_fixed || !is_used {
        return Ok(None);
    }
    let book = open_book(&state.manifest, context, &state.begun_at)?;
    Ok(Some(book.with_ranking(
        &context.embedding,
        original_ranking_policy(&state.manifest),
    )))
}

/// Records what a run that begins at `at` will read; notes when memory is searched by words, or no guardrail will
/// be derived.
pub(super) async fn read_memory_state(
    manifest: &Manifest,
    context: &ExperimentContext,
    at: &str,
) -> Result<Option<MemoryRead>> {
    if !reads_memory(manifest) {
        return Ok(None);
    }
    if manifest.memory.guards && manifest.memory.writes {
        let why = explain_no_guardrails(&manifest.protocol);
        why.iter().for_each(|why| context.observer.on_notice(why));
    }
    let retriever = match searches_memory(manifest) {
        true => {
            let embedding = find_embedding(context).await?;
            if let Embedding::Lexical { why } = &embedding {
                if context.embedding.is_served() {
                    // Who names a server means it: by words it would be another experiment.
                    return reject(format!(
                        "nothing was begun: {why}; to search by words take 'embeddings' out of [memory]"
                    ));
                }
                context.observer.on_notice(&describe_word_ranking(why));
            }
            embedding.retriever_name().to_owned()
        }
        // Lessons are trained on and not searched; which say the same is found by their words.
        false => Lexical.name().to_owned(),
    };
    Ok(Some(MemoryRead {
        retriever,
        state: open_book(manifest, context, at)?.memory_state(Some(manifest.run.as_str())),
    }))
}

/// Finds out whether a run that goes on can retrieve as it began.
///
/// # Errors
/// When the embedder that it began with is not here.
pub(super) async fn check_memory(state: &RunState, context: &ExperimentContext) -> Result<()> {
    let manifest = &state.manifest;
    if !reads_memory(manifest) {
        return Ok(());
    }
    let policy = original_ranking_policy(manifest);
    if (RankingPolicy::AsBegun {
        retriever: Lexical.name().to_owned(),
    }) == policy
    {
        if searches_memory(manifest) {
            context
                .observer
                .on_notice("memory is searched by words, as when the run began");
        }
    } else {
        find_embedding(context).await?;
    }
    let (layout, embedding) = (&context.store.layout, Arc::clone(&context.embedding));
    let ranking = Ranking::new(layout, &manifest.memory.namespace, embedding, policy);
    // A server that did not answer is asked once more.
    spawn_blocking(move || ranking.semantic_retriever()).await??;
    let memory_read = manifest.memory_read.as_ref();
    let import = import_of(&layout.run_path(manifest.run.as_str())?);
    let now =
        open_book(manifest, context, &state.begun_at)?.memory_state(Some(manifest.run.as_str()));
    let change = memory_read.filter(|read| read.state != now);
    if let Some(Import {
        from: Some(from), ..
    }) = &import
    {
        // What is in use here is not what the run was shown elsewhere.
        if change.is_some() || lacks_own_lessons(state, layout)? {
            return reject(format!(
                "run {} was imported from {from}, and the lessons and guardrails that it goes on with are not \
                 here: 'elenchus import {word}' lists whose there are, and 'elenchus import {word} --take NAME' \
                 takes them, for this run and, disabled, for yourself",
                manifest.run,
                word = shell_word(from),
            ));
        }
    }
    if let Some(old_read) = change {
        context.observer.on_notice(&format!(
            "the memory that this run reads has changed since it began: {} entries then, {} now; \
             debates played from here on may be shown others",
            old_read.state.entries, now.entries
        ));
    }
    Ok(())
}

/// Returns whether debates of a run taught lessons that are not in the store.
fn lacks_own_lessons(state: &RunState, layout: &Layout) -> Result<bool> {
    let manifest = &state.manifest;
    let run = manifest.run.as_str();
    if !manifest.memory.writes {
        return Ok(false);
    }
    for namespace in lesson_namespaces(&manifest.protocol, &manifest.memory.namespace) {
        if layout.memory_path(&namespace, run)?.exists() {
            return Ok(false);
        }
    }
    for done in state.finished.values() {
        let session = read_session_without_views(&layout.session_path(done.session.as_str())?);
        let has_lesson = session.ok().is_some_and(|session| {
            let mut lessons = session.lessons();
            lessons.any(|written| !written.reply.is_empty())
        });
        if has_lesson {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What replicates are given was fixed beforehand.
fn reads_memory(manifest: &Manifest) -> bool {
    (searches_memory(manifest) || manifest.memory.continuous.is_some())
        && manifest.ablation.is_none()
}

fn searches_memory(manifest: &Manifest) -> bool {
    manifest.memory.reads || manifest.memory.guards
}

fn open_book(
    manifest: &Manifest,
    context: &ExperimentContext,
    begun_at: &str,
) -> Result<MemoryBook> {
    MemoryBook::open_for_game(
        &context.store.layout,
        &context.store.fsync,
        (&manifest.protocol, &manifest.memory),
        manifest.run.as_str(),
        begun_at,
    )
}

async fn find_embedding(context: &ExperimentContext) -> Result<Embedding> {
    let embedding = Arc::clone(&context.embedding);
    let task = spawn_blocking(move || embedding.get());
    task.await
        .map_err(|_| WorkspaceError::Invalid("the search for an embedder was given up".to_owned()))
}
