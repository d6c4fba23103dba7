//! Rows of many debates, with what their runs and memories say about where they come from.

use super::journal_row::{JournalRow, MemoryQuestion, RowQuestions, ToldRow};
use crate::library::{JudgedModels, ModelFamilies};
use crate::workspace::WholeRuns;
use crate::workspace::error::Result;
use crate::workspace::memory::{lessons_at, lessons_stamp};
use crate::workspace::run::RunFacts;
use crate::workspace::store_index::table;
use crate::workspace::{ReportKey, StoreIndex};
use elenchus_game::debate::{RunId, SessionId, State};
use elenchus_memory::{EntryKind, EntryStatus};
use elenchus_metrics::DebateRow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Completes rows; a run and the state of a memory are read once for all debates that share them.
pub struct RowReader<'a> {
    index: &'a StoreIndex,
    families: &'a ModelFamilies,
    runs: BTreeMap<RunId, Option<Rc<RunFacts>>>,
    /// Shards put together; read where a debate is of one.
    wholes: Option<WholeRuns>,
    memories: BTreeMap<MemoryAt, Lessons>,
    /// Judges that judge their own family, as sentences.
    alike: HashMap<JudgedModels, Vec<String>>,
}

/// A namespace as one writer saw it from a time on.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MemoryAt {
    namespace: String,
    writer: String,
    as_of: String,
    first: Option<u32>,
}

/// The run and the batch that a lesson was first learned in; a person's has none.
type LessonSource = Option<(Option<String>, Option<u32>)>;

/// How many lessons were learned where.
type Lessons = Vec<(LessonSource, u32)>;

/// Runs of which the index keeps what they were shown.
const MAX_RUNS: usize = 256;

impl<'a> RowReader<'a> {
    /// Begins to read rows of the store of an index.
    pub fn new(index: &'a StoreIndex, families: &'a ModelFamilies) -> Self {
        Self {
            index,
            families,
            runs: BTreeMap::new(),
            wholes: None,
            memories: BTreeMap::new(),
            alike: HashMap::new(),
        }
    }

    /// Returns the row of a debate, with judges that judge their own family; `None` while it can go on and
    /// nothing has failed.
    ///
    /// # Errors
    /// When a journal of the memory that it read cannot be read.
    pub fn read_row(&mut self, session: &SessionId, state: &State) -> Result<Option<DebateRow>> {
        self.complete_row(JournalRow::from_state(session, state))
    }

    /// As [`read_row`](Self::read_row), of what a journal says.
    ///
    /// # Errors
    /// When a journal of the memory that it read cannot be read.
    pub fn complete_row(&mut self, told: JournalRow) -> Result<Option<DebateRow>> {
        let Some(told_row) = told.told else {
            return Ok(None);
        };
        let alike = self.describe_self_judging(&told_row.asks.judged);
        let row = self.add_origin(told_row)?;
        Ok(Some(DebateRow {
            self_judging: alike,
            ..row
        }))
    }

    /// Adds to a row where its debate comes from.
    ///
    /// # Errors
    /// When a journal of the memory that it read cannot be read.
    pub fn with_origin(&mut self, row: DebateRow, state: &State) -> Result<DebateRow> {
        match state.first_event() {
            Some(created) => self.add_origin(ToldRow::from_row(row, state, created)),
            None => Ok(row),
        }
    }

    /// Adds what a debate's run and memory say of where it comes from.
    fn add_origin(&mut self, ToldRow { mut row, asks }: ToldRow) -> Result<DebateRow> {
        let facts = asks.run.as_ref().and_then(|run| self.run_facts(run));
        if let Some(memory) = &asks.memory {
            row.origin.lessons_held = self.lessons_held(&row, &asks, memory, facts.as_deref())?;
        }
        if let Some(run) = facts {
            row.origin.seed = Some(run.seed);
            if run.shard.is_some() {
                let whole = asks.run.as_ref().and_then(|run| self.find_whole(run));
                row.origin.run = whole.or(row.origin.run);
            }
            let dataset = row.origin.dataset.take();
            row.origin.dataset = dataset.or_else(|| run.dataset.clone());
        }
        Ok(row)
    }

    /// Returns the id of the run that a shard is a part of.
    fn find_whole(&mut self, shard: &RunId) -> Option<String> {
        let index = self.index;
        let wholes = self
            .wholes
            .get_or_insert_with(|| WholeRuns::read(index).unwrap_or_default());
        Some(wholes.find_whole(shard)?.id.to_string())
    }

    /// Returns what a run says; `None` where it is not in the store.
    fn run_facts(&mut self, id: &RunId) -> Option<Rc<RunFacts>> {
        let index = self.index;
        if let Some(facts) = self.runs.get(id) {
            return facts.clone();
        }
        let path = index.layout().run_path(id.as_str()).ok();
        let read = path.and_then(|path| index.get_or_derive(&path).ok());
        self.runs
            .entry(id.clone())
            .or_insert(read.map(Rc::new))
            .clone()
    }

    fn describe_self_judging(&mut self, judged: &JudgedModels) -> Vec<String> {
        if let Some(sentences) = self.alike.get(judged) {
            return sentences.clone();
        }
        let results = self.families.self_judging_among(judged);
        let results: Vec<String> = results.iter().map(ToString::to_string).collect();
        self.alike.insert(judged.clone(), results.clone());
        results
    }

    /// Returns how many entries memory held for a debate when it began: in a learning run what earlier
    /// batches taught is there, what its own and later ones teach is not. Where several seats learn for
    /// themselves it is what the one with the most had.
    fn lessons_held(
        &mut self,
        row: &DebateRow,
        asks: &RowQuestions,
        memory: &MemoryQuestion,
        run: Option<&RunFacts>,
    ) -> Result<Option<u32>> {
        // Of a run that is not here it is not known what it had learned by then.
        if asks.run.is_some() && run.is_none() {
            return Ok(None);
        }
        let began_at = row.origin.began_at.as_deref().unwrap_or_default();
        let since = run.map_or(began_at, |run| &run.begun_at);
        let writer = asks.run.as_ref();
        let writer = writer.map_or_else(|| row.session.clone(), ToString::to_string);
        let mut most = None;
        for namespace in &memory.namespaces {
            let at = MemoryAt {
                namespace: namespace.clone(),
                writer: writer.clone(),
                as_of: memory.as_of.clone().unwrap_or_else(|| since.to_owned()),
                first: memory.first,
            };
            most = most.max(Some(self.lessons_held_in(at, asks)?));
        }
        Ok(most)
    }

    fn lessons_held_in(&mut self, at: MemoryAt, asks: &RowQuestions) -> Result<u32> {
        let writer = at.writer.clone();
        let sources = match self.memories.get(&at) {
            Some(known) => known,
            None => {
                let entry_sources = match &asks.run {
                    Some(_) => self.cached_lesson_sources(&at)?,
                    None => self.lesson_sources(&at)?,
                };
                self.memories.entry(at).or_insert(entry_sources)
            }
        };
        let earlier_lessons = sources.iter().filter(|(source, _)| match source {
            Some((Some(run), batch)) if *run == writer => match (batch, asks.batch) {
                (Some(taught), Some(own)) => *taught < own,
                // Without batches nothing that a run taught was shown to it.
                _ => false,
            },
            Some(_) | None => true,
        });
        let earlier_lessons = earlier_lessons.map(|(_, lessons)| *lessons);
        Ok(earlier_lessons.fold(0, u32::saturating_add))
    }

    /// As [`lesson_sources`](Self::lesson_sources), from the index where no journal of the memory has changed.
    fn cached_lesson_sources(&self, at: &MemoryAt) -> Result<Lessons> {
        let stamp = lessons_stamp(self.index.layout(), &at.namespace, &at.writer)?;
        let key = ReportKey::from_rows::<()>("lessons", &(at, stamp), &[]);
        let slot = (table::LESSONS, MAX_RUNS);
        self.index
            .cached_value(slot, key, || self.lesson_sources(at))
    }

    /// Returns where the lessons of a memory were learned.
    fn lesson_sources(&self, at: &MemoryAt) -> Result<Lessons> {
        let layout = self.index.layout();
        let memory_fold = lessons_at(layout, &at.namespace, &at.writer, &at.as_of, at.first)?;
        let live = memory_fold.entries.iter();
        let live = live.filter(|entry| {
            entry.kind() == EntryKind::Lesson && entry.availability() == EntryStatus::Live
        });
        let mut counts: BTreeMap<LessonSource, u32> = BTreeMap::new();
        for entry in live {
            let first = entry.origins.first();
            let source = first.map(|first| (first.run.clone(), first.batch));
            *counts.entry(source).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }
}

/// Gives arms names of their own where one name stands for several: their debates differ in prompts, rules or
/// settings of models.
pub fn tell_apart(rows: &mut [DebateRow]) {
    let mut known_hashes: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter() {
        for (word, hash) in &row.origin.conditions {
            let key = (row.arm.clone(), word.clone());
            known_hashes.entry(key).or_default().insert(hash.clone());
        }
    }
    for row in rows {
        let arm = row.arm.clone();
        for (word, hash) in &row.origin.conditions {
            let key = (arm.clone(), word.clone());
            if known_hashes
                .get(&key)
                .is_some_and(|hashes| hashes.len() > 1)
            {
                row.arm.push_str(&format!(" {word}={hash}"));
            }
        }
    }
}
