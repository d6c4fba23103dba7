//! Rows of many debates, with what their runs and memories say about where they come from.

use super::origin::{began_at, conditions, lessons_shown, memory_kinds, phase, settings};
use super::row_with_self_judging;
use crate::library::ModelFamilies;
use crate::workspace::error::Result;
use crate::workspace::memory::lessons_at;
use crate::workspace::run::read_run;
use elenchus_game::debate::{RunId, SessionId, State};
use elenchus_memory::{EntryKind, EntryStatus};
use elenchus_metrics::{DebateOrigin, DebateRow};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// Reads rows; a run and the state of a memory are read once for all debates that share them.
pub struct RowReader<'a> {
    layout: &'a Layout,
    families: &'a ModelFamilies,
    runs: BTreeMap<RunId, Option<RunFacts>>,
    memories: BTreeMap<MemoryAt, Vec<LessonSource>>,
}

/// What a run says of its debates.
#[derive(Clone)]
struct RunFacts {
    dataset: Option<String>,
    seed: u64,
    begun_at: String,
}

/// A namespace as one writer saw it from a time on.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct MemoryAt {
    namespace: String,
    writer: String,
    as_of: String,
}

/// The run and the batch that a lesson was first learned in; a person's has none.
type LessonSource = Option<(Option<String>, Option<u32>)>;

impl<'a> RowReader<'a> {
    /// Begins to read rows of a store.
    pub fn new(layout: &'a Layout, families: &'a ModelFamilies) -> Self {
        Self {
            layout,
            families,
            runs: BTreeMap::new(),
            memories: BTreeMap::new(),
        }
    }

    /// Returns the row of a debate, with judges that judge their own family; `None` while it can go on and
    /// nothing has failed.
    ///
    /// # Errors
    /// When a journal of the memory that it read cannot be read.
    pub fn row(&mut self, session: &SessionId, state: &State) -> Result<Option<DebateRow>> {
        let Some(row) = row_with_self_judging(self.families, session, state) else {
            return Ok(None);
        };
        self.with_origin(row, state).map(Some)
    }

    /// Adds to a row where its debate comes from.
    ///
    /// # Errors
    /// When a journal of the memory that it read cannot be read.
    pub fn with_origin(&mut self, row: DebateRow, state: &State) -> Result<DebateRow> {
        let Some(created) = state.created() else {
            return Ok(row);
        };
        let began_at = began_at(state);
        let facts = created.run.as_ref();
        let facts = facts.and_then(|place| self.run(&place.run));
        let origin = DebateOrigin {
            dataset: (created.topic.dataset.clone())
                .or_else(|| facts.as_ref().and_then(|run| run.dataset.clone())),
            run: created.run.as_ref().map(|place| place.run.to_string()),
            seed: Some(facts.as_ref().map_or(created.seed, |run| run.seed)),
            phase: phase(created),
            lessons_held: self.lessons_held(&row, state, facts.as_ref(), &began_at)?,
            lessons_shown: lessons_shown(state, created),
            memory: Some(memory_kinds(created)),
            settings: Some(settings(created)),
            conditions: conditions(created),
            began_at: Some(began_at).filter(|at| !at.is_empty()),
        };
        Ok(DebateRow { origin, ..row })
    }

    /// Returns what a run says; `None` where it is not in the store.
    fn run(&mut self, id: &RunId) -> Option<RunFacts> {
        let layout = self.layout;
        let known = self.runs.entry(id.clone()).or_insert_with(|| {
            let path = layout.run(id.as_str()).ok()?;
            let run = read_run(&path).ok()?;
            Some(RunFacts {
                dataset: match run.manifest.ablation {
                    Some(_) => None,
                    None => Some(run.manifest.dataset.name()),
                },
                seed: run.manifest.seed,
                begun_at: run.begun_at,
            })
        });
        known.clone()
    }

    /// Returns how many entries memory held for a debate when it began: in a learning run what earlier
    /// batches taught is there, what its own and later ones teach is not.
    fn lessons_held(
        &mut self,
        row: &DebateRow,
        state: &State,
        run: Option<&RunFacts>,
        began_at: &str,
    ) -> Result<Option<u32>> {
        let Some(created) = state.created().filter(|created| created.memory.reads) else {
            return Ok(None);
        };
        let memory = &created.memory;
        if let Some(given) = &memory.given {
            return Ok(Some(u32::try_from(given.entries.len()).unwrap_or(u32::MAX)));
        }
        let place = created.run.as_ref();
        // Of a run that is not here it is not known what it had learned by then.
        if place.is_some() && run.is_none() {
            return Ok(None);
        }
        let since = run.map_or(began_at, |run| &run.begun_at);
        let at = MemoryAt {
            namespace: memory.namespace.clone(),
            writer: place.map_or(row.session.clone(), |place| place.run.to_string()),
            as_of: memory.as_of.clone().unwrap_or_else(|| since.to_owned()),
        };
        let writer = at.writer.clone();
        if !self.memories.contains_key(&at) {
            let folded = lessons_at(self.layout, &at.namespace, &at.writer, &at.as_of)?;
            let live = folded.entries.iter();
            let live = live.filter(|entry| {
                entry.kind() == EntryKind::Lesson && entry.standing() == EntryStatus::Live
            });
            let sources = live.map(|entry| {
                let first = entry.origins.first()?;
                Some((first.run.clone(), first.batch))
            });
            let sources: Vec<LessonSource> = sources.collect();
            self.memories.insert(
                MemoryAt {
                    namespace: at.namespace.clone(),
                    writer: at.writer.clone(),
                    as_of: at.as_of.clone(),
                },
                sources,
            );
        }
        let sources = self.memories.get(&at).map_or(&[][..], Vec::as_slice);
        let own_batch = place.and_then(|place| place.batch);
        let held = sources.iter().filter(|source| match source {
            Some((Some(run), batch)) if *run == writer => match (batch, own_batch) {
                (Some(taught), Some(own)) => *taught < own,
                // Without batches nothing that a run taught was shown to it.
                _ => false,
            },
            Some(_) | None => true,
        });
        Ok(Some(u32::try_from(held.count()).unwrap_or(u32::MAX)))
    }
}

/// Gives arms names of their own where one name stands for several: their debates differ in prompts, rules or
/// settings of models.
pub fn tell_apart(rows: &mut [DebateRow]) {
    let mut found: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter() {
        for (word, hash) in &row.origin.conditions {
            let key = (row.arm.clone(), word.clone());
            found.entry(key).or_default().insert(hash.clone());
        }
    }
    for row in rows {
        let arm = row.arm.clone();
        for (word, hash) in &row.origin.conditions {
            let key = (arm.clone(), word.clone());
            if found.get(&key).is_some_and(|hashes| hashes.len() > 1) {
                row.arm.push_str(&format!(" {word}={hash}"));
            }
        }
    }
}
