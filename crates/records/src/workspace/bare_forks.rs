//! Sweep of bare forks: samples that a kill left between their fork and their first own line.
//!
//! Such a fork holds its parent's lines, copies of its later verdicts and the line that says so, and belongs to no sample: the trial plays
//! another one. What holds anything of its own, was acknowledged, is written to, or is named anywhere stays.

use super::error::Result;
use super::session::read_records;
use super::sources::journals_of_store;
use super::store_context::StoreContext;
use elenchus_game::debate::event::{Event, Record};
use elenchus_store::{Layout, has_head, partial_files, remove_unwritten};
use std::path::{Path, PathBuf};

/// Forks that are looked at in one sweep, at most.
const MAX_LOOKED_AT: usize = 1000;

/// Removes bare forks among the samples of prompt trials that nothing refers to, and returns how many. Blocks.
///
/// # Errors
/// When a folder cannot be listed, or a file cannot be removed.
pub fn sweep_bare_forks(store: &StoreContext) -> Result<usize> {
    let samples = store.layout.tries_store();
    let mut bare = Vec::new();
    for id in samples.list_sessions()? {
        let path = samples.session_path(&id)?;
        // A sample that was closed has a head: few are read.
        if !has_head(&path) && bare.len() < MAX_LOOKED_AT && is_bare(store, &path)? {
            bare.push((id, path));
        }
    }
    if bare.is_empty() {
        return Ok(0);
    }
    let referenced_ids = names_in_journals(&store.layout, &bare)?;
    let mut count = 0;
    for (_, path) in bare.iter().filter(|(id, _)| !referenced_ids.contains(id)) {
        // Once more under its lock: whoever holds it may be about to write.
        let may_go =
            |path: &Path| partial_files(path).is_empty() && is_bare(store, path).unwrap_or(false);
        count += usize::from(remove_unwritten(path, &store.holder, may_go)?);
    }
    Ok(count)
}

/// Returns whether a journal holds its parent's lines, which are there, and that it is a fork of it: no more.
fn is_bare(store_context: &StoreContext, path: &Path) -> Result<bool> {
    let Ok(records) = read_records(path) else {
        return Ok(false);
    };
    let Some((last, copies)) = records.split_last() else {
        return Ok(false);
    };
    let Event::Forked { parent, .. } = &last.event else {
        return Ok(false);
    };
    let Ok(text) = std::fs::read(path) else {
        return Ok(false);
    };
    // What stands before the fork's own line is all of the parent; its verdicts may stand later there.
    let is_verdict = |record: &Record| matches!(record.event, Event::Judged(_));
    let last_other = copies.iter().rposition(|record| !is_verdict(record));
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let copied: usize = lines
        .take(last_other.map_or(0, |at| at + 1))
        .map(<[u8]>::len)
        .sum();
    let copied = text.get(..copied).unwrap_or_default();
    for store in [&store_context.layout, &store_context.layout.tries_store()] {
        let there = std::fs::read(store.session_path(parent.as_str())?);
        if there.is_ok_and(|there| there.starts_with(copied)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns which of these forks other journals name.
fn names_in_journals(layout: &Layout, bare: &[(String, PathBuf)]) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for (_, path) in journals_of_store(layout)? {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let others = bare.iter().filter(|(_, own)| *own != path);
        let there = others.filter(|(id, _)| text.contains(id.as_str()));
        ids.extend(there.map(|(id, _)| id.clone()));
    }
    Ok(ids)
}
