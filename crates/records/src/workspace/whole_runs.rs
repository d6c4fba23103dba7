//! Runs of a store that are played in parts, found and read as a whole.

use super::error::Result;
use super::find::{find_run, read_runs};
use super::run::{
    BegunShard, PlayedTwice, RunFacts, RunState, WholeRun, fold_shards, group_shards, read_run,
};
use super::store_index::StoreIndex;
use elenchus_game::debate::RunId;
use elenchus_store::Layout;
use std::collections::BTreeMap;

/// Reads a run without its lock: of a shard, all of the run that is here.
///
/// # Errors
/// When its journal cannot be read, or the folder of runs cannot be listed.
pub fn read_whole_run(layout: &Layout, id: &RunId) -> Result<RunState> {
    let run = read_run(&layout.run_path(id.as_str())?)?;
    if run.manifest.shard.is_none() {
        return Ok(run);
    }
    // A journal that cannot be read is no shard that could be put together; `verify` names it.
    let (runs, _) = read_runs(layout)?;
    let mut wholes = fold_shards(runs).into_iter();
    let is_of = |whole: &RunState| {
        let whole = whole.whole.as_ref();
        whole.is_some_and(|whole| whole.runs().any(|run| run == id))
    };
    Ok(wholes.find(is_of).unwrap_or(run))
}

/// Returns the runs that a run is made of: itself, or all shards of its plan that are here.
///
/// # Errors
/// As [`read_whole_run`].
pub fn list_runs_of(layout: &Layout, id: &RunId) -> Result<Vec<RunId>> {
    let run = read_whole_run(layout, id)?;
    Ok(match &run.whole {
        Some(whole) => whole.runs().cloned().collect(),
        None => vec![id.clone()],
    })
}

/// Finds the runs that some texts name, as [`find_run`]: of a shard, all shards of its plan that are here.
///
/// # Errors
/// As [`find_run`]; when a journal cannot be read.
pub fn find_whole_runs(layout: &Layout, texts: &[String]) -> Result<Vec<RunId>> {
    let mut runs = Vec::new();
    for text in texts {
        for run in list_runs_of(layout, &find_run(layout, text)?)? {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    Ok(runs)
}

/// Runs of a store that are shards, put together.
#[derive(Debug, Default)]
pub struct WholeRuns {
    wholes: Vec<WholeRun>,
    /// Which of them a shard is of.
    by_run: BTreeMap<RunId, usize>,
}

impl WholeRuns {
    /// Reads the shards of a store, from its index where that knows them. Blocks.
    ///
    /// # Errors
    /// When the folder of runs cannot be listed.
    pub fn read(index: &StoreIndex) -> Result<Self> {
        let layout = index.layout();
        let mut shards: Vec<BegunShard> = Vec::new();
        for id in layout.list_runs()? {
            // A run that cannot be read has no rows either, and is named where that is asked.
            let facts = index.get_or_derive::<RunFacts>(&layout.run_path(&id)?);
            if let Ok(RunFacts {
                shard: Some(shard),
                begun_at,
                ..
            }) = facts
            {
                shards.push((RunId::new(id), begun_at, *shard));
            }
        }
        let wholes = group_shards(shards);
        let by_run = wholes.iter().enumerate();
        let by_run = by_run.flat_map(|(at, whole)| whole.runs().map(move |run| (run.clone(), at)));
        Ok(Self {
            by_run: by_run.collect(),
            wholes,
        })
    }

    /// Returns what a shard is a part of; `None` for other runs.
    pub fn find_whole(&self, run: &RunId) -> Option<&WholeRun> {
        self.wholes.get(*self.by_run.get(run)?)
    }

    /// Returns the sessions of debates that another shard played as well and that are not counted.
    pub fn list_played_twice(&self) -> impl Iterator<Item = &PlayedTwice> {
        self.wholes.iter().flat_map(|whole| &whole.twice)
    }
}
