//! Tasks of a debate that is being set out: what is to be read or estimated, and the results.

use super::{CostQuestion, DebateChoices, ReadyPlan};
use crate::engine::{PlayDefaults, RunContext};
use elenchus_dataset::ColumnChoice;
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::{Document, Protocol, SessionId, Topic};
use elenchus_records::workspace::{WorkspaceError, read_document, topics_of};
use std::path::PathBuf;
use std::sync::Arc;

/// Separator of what is said of columns in its line.
const BETWEEN_COLUMNS: char = '|';
/// Sign before a column that is not read.
const NOT_READ: char = '-';

/// A data set as it was named, `[KIND:]FILE`, and what was typed of its columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowSource {
    pub dataset: String,
    pub columns: String,
}

impl RowSource {
    /// A data set whose columns are recognised.
    pub fn from_dataset(dataset: &str) -> Self {
        Self {
            dataset: dataset.to_owned(),
            ..Self::default()
        }
    }

    fn read_topics(&self) -> Result<Vec<Topic>, WorkspaceError> {
        let columns = parse_columns(&self.columns)?;
        Ok(topics_of(&self.dataset, &columns)?)
    }
}

/// Reads a line that says which columns are what, `text=Goal,category=Kind`, and which are not read, `-Source`; the
/// parts are divided by bars.
///
/// # Errors
/// When a field is none of a topic's, or a column is named twice.
pub(super) fn parse_columns(line: &str) -> Result<ColumnChoice, WorkspaceError> {
    let parts = line.split(BETWEEN_COLUMNS).map(str::trim);
    let (mut columns, mut ignored) = (Vec::new(), Vec::new());
    for part in parts.filter(|part| !part.is_empty()) {
        match part.strip_prefix(NOT_READ) {
            Some(column) => ignored.push(column.trim().to_owned()),
            None => columns.push(
                part.parse::<ColumnChoice>()
                    .map_err(WorkspaceError::Invalid)?,
            ),
        }
    }
    ColumnChoice::join_choices(&columns, ignored).map_err(WorkspaceError::Invalid)
}

/// What is to be read or estimated.
#[derive(Debug, Clone)]
pub enum SetupTask {
    ReadSession(SessionId),
    ReadGame(String),
    /// Topics of a data set.
    ReadRows(RowSource),
    ReadDocument(PathBuf),
    /// The cost, with the number of the question.
    Estimate(u64, Box<CostQuestion>),
}

/// Result of a task, with what it was about.
#[derive(Debug, Clone)]
pub enum SetupResult {
    /// What a session was played with, and its topic.
    Session(Result<Box<(DebateChoices, Topic)>, WorkspaceError>),
    Game(String, Result<Arc<Protocol>, WorkspaceError>),
    Rows(RowSource, Result<Arc<Vec<Topic>>, WorkspaceError>),
    Document(Result<Document, WorkspaceError>),
    Estimate(u64, Result<ReadyPlan, WorkspaceError>),
}

impl SetupTask {
    /// Returns what is done, in words.
    pub fn name(&self) -> &'static str {
        match self {
            SetupTask::ReadSession(_) => "read what a session was played with",
            SetupTask::ReadGame(_) => "read a game",
            SetupTask::ReadRows(_) => "read a data set",
            SetupTask::ReadDocument(_) => "read a document",
            SetupTask::Estimate(..) => "prepare what the form says",
        }
    }

    /// Does it. Blocks.
    pub fn perform(self, run: &RunContext, defaults: &PlayDefaults) -> SetupResult {
        match self {
            SetupTask::ReadSession(id) => SetupResult::Session(
                DebateChoices::read_from_session(&run.store, &id).map(Box::new),
            ),
            SetupTask::ReadGame(id) => {
                let game = run.library.load_game(&id, &Settings::default());
                let protocol = game.map(|game| Arc::new(game.protocol));
                SetupResult::Game(id, protocol.map_err(WorkspaceError::from))
            }
            SetupTask::ReadRows(source) => {
                let topics = source.read_topics().map(Arc::new);
                SetupResult::Rows(source, topics)
            }
            SetupTask::ReadDocument(path) => {
                let read = read_document(&path);
                SetupResult::Document(read.map_err(WorkspaceError::from))
            }
            SetupTask::Estimate(number, question) => {
                SetupResult::Estimate(number, question.answer(run, defaults))
            }
        }
    }
}
