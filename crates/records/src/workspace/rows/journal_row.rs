//! What a session's journal alone says of its row, kept in the store's index. What runs, memories and the
//! table of families say is added by whoever reads rows: it changes without the journal.

use super::debate_row;
use super::evaluators::own_evaluator;
use super::origin::{
    began_at, describe_settings, hash_conditions, learning_phase, lessons_shown,
    lessons_trained_on, memory_kinds,
};
use crate::library::JudgedModels;
use crate::workspace::error::Result;
use crate::workspace::memory::lesson_namespaces;
use crate::workspace::session::{SeatViews, read_session_to};
use crate::workspace::session_list::read_in_parallel;
use crate::workspace::store_index::{Derived, EntryForm, StoreIndex, table};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::{RunId, SessionId, State};
use elenchus_metrics::{DebateOrigin, DebateRow};
use elenchus_store::{Head, Layout};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::path::Path;

/// A session's row as far as its journal tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalRow {
    /// `None` while it can go on and nothing has failed.
    pub(super) told: Option<ToldRow>,
    /// Who judges the safety of its turns.
    pub(super) evaluator: Option<String>,
}

/// A row, and what is asked elsewhere to complete it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ToldRow {
    pub row: DebateRow,
    pub asks: RowQuestions,
}

/// What a row's run, its memory and the table of families are asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RowQuestions {
    pub run: Option<RunId>,
    pub batch: Option<u32>,
    /// The memory that it read as it was at a time, where what it held is not in the journal.
    pub memory: Option<MemoryQuestion>,
    pub judged: JudgedModels,
}

/// Memory that a debate read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MemoryQuestion {
    /// Those of the lessons that its seats are shown.
    pub namespaces: Vec<String>,
    /// Of each, the first lessons alone.
    pub first: Option<u32>,
    /// RFC 3339; `None` for the time at which the run or the debate began.
    pub as_of: Option<String>,
}

impl JournalRow {
    /// Takes from a session's state what it says.
    pub fn from_state(session: &SessionId, state: &State) -> Self {
        let build_row = || {
            let row = debate_row(session, state)?;
            Some(ToldRow::from_row(row, state, state.first_event()?))
        };
        Self {
            told: build_row(),
            evaluator: own_evaluator(state),
        }
    }
}

impl ToldRow {
    /// Adds to a row what its session says of where it comes from.
    pub fn from_row(row: DebateRow, state: &State, created: &Created) -> Self {
        let origin = build_origin(state, created);
        Self {
            row: DebateRow { origin, ..row },
            asks: RowQuestions::from_created(created),
        }
    }
}

/// Returns what a session says of where it comes from.
fn build_origin(state: &State, created: &Created) -> DebateOrigin {
    let given_memory = created.memory.given.as_ref();
    let given_memory = given_memory.filter(|_| created.memory.reads);
    DebateOrigin {
        dataset: created.topic.dataset.clone(),
        run: created.run.as_ref().map(|place| place.run.to_string()),
        seed: Some(created.seed),
        phase: learning_phase(created),
        lessons_held: given_memory
            .map(|given| u32::try_from(given.entries.len()).unwrap_or(u32::MAX))
            .or_else(|| lessons_trained_on(created)),
        first_lessons: created.memory.first.filter(|_| created.memory.reads),
        lessons_shown: lessons_shown(state, created),
        memory: Some(memory_kinds(created)),
        settings: Some(describe_settings(created)),
        conditions: hash_conditions(created),
        began_at: Some(began_at(state)).filter(|at| !at.is_empty()),
    }
}

impl RowQuestions {
    fn from_created(created: &Created) -> Self {
        let (place, memory) = (created.run.as_ref(), &created.memory);
        let needs_memory = memory.reads && memory.given.is_none();
        Self {
            run: place.map(|place| place.run.clone()),
            batch: place.and_then(|place| place.batch),
            memory: needs_memory.then(|| MemoryQuestion {
                namespaces: lesson_namespaces(&created.protocol, &memory.namespace),
                first: memory.first,
                as_of: memory.as_of.clone(),
            }),
            judged: JudgedModels::from_cast(&created.protocol, &created.cast),
        }
    }
}

/// Reads what journals say of sessions, in their order; a journal is opened only where the index does not know
/// it as it is. Blocks.
pub fn journal_rows<I: Borrow<SessionId> + Sync>(
    index: &StoreIndex,
    ids: &[I],
) -> Vec<Result<JournalRow>> {
    read_in_parallel(ids, |id| {
        index.get_or_derive(&index.layout().session_path(id.borrow().as_str())?)
    })
}

impl Derived for JournalRow {
    const TABLE: &'static str = table::ROWS;
    const REFUSES_LESS: bool = false;
    const FORM: EntryForm = EntryForm::Compact;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let (state, head) = read_session_to(path, SeatViews::Dropped)?;
        let id = SessionId::new(Layout::session_at(path).unwrap_or_default());
        Ok((Self::from_state(&id, &state), head))
    }
}
