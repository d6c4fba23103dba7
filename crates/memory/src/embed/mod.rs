//! Embeddings: the embedder trait, and a sentence model that runs on this machine. An embedder that asks a
//! server is built above this crate, which knows none.
//!
//! ```text
//! runtime      (ONNX Runtime, found and loaded once a process) ─┐
//! model_folder (model and tokenizer files, checked first) ──────┴─► sentence_model: an [`Embedder`]
//! runtime_archive (the library, taken out of what its makers publish)
//! ```
//!
//! Everything that can be missing or wrong here is an [`EmbedError`]; foreign code runs where a
//! panic is caught. Never downloads anything.

mod model_folder;
mod runtime;
mod runtime_archive;
mod sentence_model;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use super::embed::model_folder::{
    MAX_MODEL_BYTES, MODEL_FILE, MODEL_FILES, POOLING_FILE, check_model_file, check_model_folder,
    foreign_entry,
};
pub use super::embed::sentence_model::SentenceModel;
pub use runtime::{MIN_RUNTIME_MINOR, NO_TELEMETRY, RUNTIME_FOLDER, Runtime, RuntimePlaces};
pub use runtime_archive::{ArchiveError, unpack_runtime};

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns the name of the model and its files: only vectors under one name can be compared.
    fn name(&self) -> &str;

    /// Returns the dimension of its vectors.
    fn dim(&self) -> usize;

    /// Returns one vector of length 1 for each text, in their order; [`dim`](Self::dim) numbers
    /// each, all finite.
    ///
    /// # Errors
    /// When the model cannot read a text.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Runs foreign code and returns a panic as its message. Passed in, because the panic hook belongs
/// to the program.
type Catch = fn(&mut dyn FnMut()) -> Result<(), String>;

/// Reason that texts cannot be embedded: what, where, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    #[error(
        "there is no model in {folder}; 'elenchus memory setup' fetches one, or set model_dir under [memory]"
    )]
    NoModel { folder: String },
    #[error(
        "the model folder {folder} has no {file}; 'elenchus memory setup' fetches what is missing, or copy the file there"
    )]
    NoFile { folder: String, file: String },
    #[error("cannot read {path}: {why}")]
    Unreadable { path: String, why: String },
    #[error(
        "{path} is not what it should be: {why}; bring the right file, or run 'elenchus memory setup' again"
    )]
    Foreign { path: String, why: String },
    #[error(
        "the model in {folder} gives vectors of {got} numbers, and its config.json says {said}: these files do not belong together; run 'elenchus memory setup' again"
    )]
    Dimension {
        folder: String,
        said: usize,
        got: usize,
    },
    #[error(
        "no ONNX Runtime of version 1.{MIN_RUNTIME_MINOR} or later was found ({tried}); 'pip install onnxruntime' brings one, or set ORT_DYLIB_PATH to libonnxruntime.so"
    )]
    NoRuntime { tried: String },
    #[error(
        "ONNX Runtime {version} of {path} is too old: 1.{MIN_RUNTIME_MINOR} or later is needed; 'pip install --upgrade onnxruntime' brings one"
    )]
    RuntimeTooOld { path: String, version: String },
    #[error(
        "{path} cannot be loaded as ONNX Runtime: {why}; {named_by} names it, so nothing else was tried"
    )]
    RuntimeBroken {
        path: String,
        named_by: String,
        why: String,
    },
    #[error("{why}")]
    RuntimeRefused { why: String },
    #[error("the model {model} cannot embed a text: {why}")]
    Text { model: String, why: String },
    /// A model on a server gave no vectors; `why` says what, where, and what to do next.
    #[error("{why}")]
    Served { why: String, reach: FailureReach },
}

/// Texts that a failure concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureReach {
    /// The one that was asked for: others may be embedded.
    ThisText,
    /// All of them: the next one would fail in the same way.
    EveryText,
}

impl EmbedError {
    /// Returns which texts it concerns.
    pub fn reach(&self) -> FailureReach {
        match self {
            EmbedError::Text { .. } => FailureReach::ThisText,
            EmbedError::Served { reach, .. } => *reach,
            EmbedError::NoModel { .. }
            | EmbedError::NoFile { .. }
            | EmbedError::Unreadable { .. }
            | EmbedError::Foreign { .. }
            | EmbedError::Dimension { .. }
            | EmbedError::NoRuntime { .. }
            | EmbedError::RuntimeTooOld { .. }
            | EmbedError::RuntimeBroken { .. }
            | EmbedError::RuntimeRefused { .. } => FailureReach::EveryText,
        }
    }
}

fn unreadable_error(path: &Path, error: &std::io::Error) -> EmbedError {
    EmbedError::Unreadable {
        path: path.display().to_string(),
        why: error.to_string(),
    }
}

/// Runs `work` and returns a panic as an error.
fn catch_panic<T>(catch: Catch, work: impl FnOnce() -> T) -> Result<T, String> {
    let mut work = Some(work);
    let mut result = None;
    catch(&mut || {
        if let Some(work) = work.take() {
            result = Some(work());
        }
    })?;
    result.ok_or_else(|| "it was not run".to_owned())
}
