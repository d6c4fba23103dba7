//! Errors of the workspace and of the rooms above it.

use super::new_file::FileError;
use super::topics::TopicError;
use super::unpriced::Unpriced;
use crate::library::GameError;
use elenchus_dataset::DatasetError;
use elenchus_game::debate::EventRefusal;
use elenchus_game::prompt::PromptError;
use elenchus_memory::RetrieveError;
use elenchus_model::{CallError, ProviderError};
use elenchus_store::StoreError;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;
use tokio::task::JoinError;

/// Result of what a store holds and of what is played with it.
pub type Result<T, E = WorkspaceError> = std::result::Result<T, E>;

/// Refuses what cannot be done as it was asked for; `why` says what to do instead.
///
/// # Errors
/// Always.
pub fn reject<T>(why: impl Into<String>) -> Result<T> {
    Err(WorkspaceError::invalid(why))
}

/// An error of the driver: what, where, and what to do next.
#[derive(Debug, Clone, Error)]
pub enum WorkspaceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Game(#[from] GameError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Cast(#[from] CastError),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Topics(#[from] TopicError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{path}: event {line} does not fit what happened before it: {refusal}; the file is kept as it is, and 'elenchus verify' looks at its chain"
    )]
    Misfit {
        path: String,
        line: usize,
        refusal: EventRefusal,
    },
    #[error("the game refused its own event: {0}; please report this with the session's journal")]
    Refused(EventRefusal),
    #[error(
        "{path}: line {line} holds an event of the kind '{kind}', which this version does not know; use a newer elenchus to go on with this session"
    )]
    UnknownEvent {
        path: String,
        line: u64,
        kind: String,
    },
    #[error(
        "{path}: the journal has no whole line: nothing had happened yet, or its beginning was lost; delete it, or bring it back from a copy"
    )]
    Empty { path: String },
    #[error(
        "{path}: the run was cut off while it was planned ({items} of {planned} items); begin it again"
    )]
    HalfPlanned {
        path: String,
        items: u64,
        planned: u64,
    },
    #[error(
        "{path} is a copy of {of}, or that is its right name: an id is one file; delete the copy, or give the file its name"
    )]
    Copied { path: String, of: String },
    #[error("there is no {what} '{id}'; '{list}' lists them")]
    NoSuch {
        what: &'static str,
        id: String,
        list: &'static str,
    },
    #[error("'{id}' fits {count} {what}s; give more of the id")]
    Ambiguous {
        what: &'static str,
        id: String,
        count: usize,
    },
    /// A task in the background ended without its result.
    #[error("{0}")]
    Task(Arc<JoinError>),
    #[error("{0}")]
    Invalid(String),
}

impl From<JoinError> for WorkspaceError {
    fn from(error: JoinError) -> Self {
        Self::Task(Arc::new(error))
    }
}

impl WorkspaceError {
    /// Returns the error for what cannot be done as it was asked for; `why` says what to do instead.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    /// Returns the names of the seats, models and settings that it is about.
    pub fn list_subjects(&self) -> Vec<&str> {
        match self {
            Self::Cast(error) => error.list_subjects(),
            Self::Game(error) => error.setting().into_iter().collect(),
            Self::Store(_)
            | Self::Prompt(_)
            | Self::Call(_)
            | Self::Retrieve(_)
            | Self::Dataset(_)
            | Self::Topics(_)
            | Self::File(_)
            | Self::Misfit { .. }
            | Self::Refused(_)
            | Self::UnknownEvent { .. }
            | Self::Empty { .. }
            | Self::HalfPlanned { .. }
            | Self::Copied { .. }
            | Self::NoSuch { .. }
            | Self::Ambiguous { .. }
            | Self::Task(_)
            | Self::Invalid(_) => Vec::new(),
        }
    }

    /// Returns the error for a journal that holds no whole line.
    pub fn empty_journal(path: &Path) -> Self {
        let path = path.display().to_string();
        Self::Empty { path }
    }
}

/// Why a cast cannot play.
#[derive(Debug, Clone, Error)]
pub enum CastError {
    #[error(
        "there is no model '{name}': configured are {known}; add [models.\"{name}\"] to the configuration{or}"
    )]
    NoSuchModel {
        name: String,
        known: String,
        /// The alternatives.
        or: &'static str,
    },
    #[error("protocol '{protocol}' has no seat '{seat}'; it has {known}")]
    NoSuchSeat {
        protocol: String,
        seat: String,
        known: String,
    },
    #[error(
        "seat '{seat}' has {chairs} chairs but {given} models were given; give one for all, or one for each"
    )]
    WrongCount {
        seat: String,
        chairs: u32,
        given: usize,
    },
    #[error(
        "seat '{seat}' does not speak, so '{word}' cannot sit there: only what speakers say can be written down; seat a model or a person"
    )]
    NoSpeaker { seat: String, word: String },
    #[error("{file}: [pins] {named}: {why}")]
    PinText {
        file: String,
        named: String,
        why: String,
    },
    #[error(
        "the prompt {prompt} is not the one that {file} pins: its SHA-256 should begin with {expected} and begins with {found}; 'elenchus prompts accept {prompt} --cast {file}' shows what changed and accepts it"
    )]
    PinChanged {
        file: String,
        prompt: String,
        expected: String,
        found: String,
    },
    #[error("the lines of {from} cannot be used: {why}")]
    Lines { from: String, why: String },
    #[error(
        "{from} has no line for what {chair} says in stage '{stage}' of round {round}; add one, play fewer rounds, or seat a model"
    )]
    NoLine {
        chair: String,
        from: String,
        round: u32,
        stage: String,
    },
    #[error(
        "seat '{seat}' has no model, and a server is configured ({servers}): name a model with --model NAME, or play with a simulated one with --model sim"
    )]
    NobodyNamed { seat: String, servers: String },
    #[error("model '{model}' names the provider '{provider}', which is not configured")]
    NoSuchProvider { model: String, provider: String },
    #[error(
        "no provider of yours has the model '{model}' of this session (it was played at {address}, but an address that a session names is never used): 'elenchus servers add URL' adds a server of yours with its models; or write into {file}:\n{lines}"
    )]
    NotConfigured {
        model: String,
        address: String,
        file: String,
        lines: String,
    },
    #[error(
        "model '{model}' was played at {played_at}, and OPENAI_API_KEY without OPENAI_BASE_URL means {assumed}: nothing was sent; set OPENAI_BASE_URL to the server that is meant, or add it with 'elenchus servers add URL'"
    )]
    AddressAssumed {
        model: String,
        played_at: String,
        assumed: String,
    },
    #[error("model '{model}': {error}")]
    Provider {
        model: String,
        error: Box<ProviderError>,
    },
    #[error("model '{model}': {why}")]
    Model { model: String, why: String },
    #[error("{0}")]
    Unpriced(Box<Unpriced>),
    #[error("--price: {why}")]
    Price { why: String },
    #[error(
        "seat '{0}' is a person's, and there is no terminal to ask on; run it in a terminal, or give the seat a model"
    )]
    NoTerminal(String),
}

impl CastError {
    /// Returns the names of the seats and models that it is about.
    fn list_subjects(&self) -> Vec<&str> {
        match self {
            Self::NoSuchModel { name, .. } => vec![name],
            Self::NoSuchSeat { seat, .. }
            | Self::WrongCount { seat, .. }
            | Self::NobodyNamed { seat, .. }
            | Self::NoTerminal(seat) => vec![seat],
            Self::NoSpeaker { seat, word } => vec![seat, word],
            Self::NoSuchProvider { model, .. }
            | Self::NotConfigured { model, .. }
            | Self::AddressAssumed { model, .. }
            | Self::Provider { model, .. }
            | Self::Model { model, .. } => vec![model],
            Self::Unpriced(unpriced) => unpriced.models.iter().map(String::as_str).collect(),
            Self::PinText { .. }
            | Self::PinChanged { .. }
            | Self::Lines { .. }
            | Self::NoLine { .. }
            | Self::Price { .. } => Vec::new(),
        }
    }
}
