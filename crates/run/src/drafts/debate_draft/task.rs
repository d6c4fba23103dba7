//! Tasks of a debate that is being set out: what is to be read or estimated, and the results.

use super::{CostQuestion, DebateChoices, ReadyPlan};
use crate::engine::PlayTools;
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::{Document, Protocol, SessionId, Topic};
use elenchus_records::workspace::{read_document, topics_of};
use elenchus_text::text::with_causes;
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be read or estimated.
#[derive(Debug, Clone)]
pub enum SetupTask {
    ReadSession(SessionId),
    ReadGame(String),
    /// Topics of a data set, by how it was named.
    ReadRows(String),
    ReadDocument(PathBuf),
    /// The cost, with the number of the question.
    Estimate(u64, Box<CostQuestion>),
}

/// Result of a task, with what it was about.
#[derive(Debug, Clone)]
pub enum SetupResult {
    /// What a session was played with, and its topic.
    Session(Result<Box<(DebateChoices, Topic)>, String>),
    Game(String, Result<Arc<Protocol>, String>),
    Rows(String, Result<Arc<Vec<Topic>>, String>),
    Document(Result<Document, String>),
    Estimate(u64, Result<ReadyPlan, String>),
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
    pub fn perform(self, tools: &PlayTools) -> SetupResult {
        match self {
            SetupTask::ReadSession(id) => {
                SetupResult::Session(DebateChoices::of_session(&tools.desk, &id).map(Box::new))
            }
            SetupTask::ReadGame(id) => {
                let game = tools.library.game(&id, &Settings::default());
                let protocol = game.map(|game| Arc::new(game.protocol));
                SetupResult::Game(id, protocol.map_err(|error| with_causes(&error)))
            }
            SetupTask::ReadRows(name) => {
                let topics = topics_of(&name).map(Arc::new);
                SetupResult::Rows(name, topics.map_err(|error| with_causes(&error)))
            }
            SetupTask::ReadDocument(path) => {
                let read = read_document(&path);
                SetupResult::Document(read.map_err(|error| with_causes(&error)))
            }
            SetupTask::Estimate(number, question) => {
                SetupResult::Estimate(number, question.answer(tools))
            }
        }
    }
}
