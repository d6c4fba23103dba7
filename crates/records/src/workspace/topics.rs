//! Topics and documents read from files, for a person to choose from.

use elenchus_dataset as dataset;
use elenchus_dataset::{ColumnChoice, DatasetKind, DatasetSpec};
use elenchus_game::debate::{Document, Topic};
use std::path::Path;
use thiserror::Error;

/// The longest document that is read, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 8 << 20;

/// A file that gives no topics or no document.
#[derive(Debug, Clone, Error)]
pub enum TopicError {
    #[error(transparent)]
    Dataset(#[from] dataset::DatasetError),
    #[error("{path}: {why}")]
    Document { path: String, why: String },
}

/// Reads the topics of a data set, named as for `--dataset`. Blocks while it reads.
///
/// # Errors
/// When the file cannot be read in the given format.
pub fn topics_of(spec: &str, columns: &ColumnChoice) -> Result<Vec<Topic>, TopicError> {
    let spec: DatasetSpec = spec.parse()?;
    let data = dataset::load_dataset_with(&spec, columns, usize::MAX)?;
    let mut topics = data.topics;
    if data.kind == DatasetKind::Quality {
        dataset::keep_two_options(&mut topics, 0);
    }
    Ok(topics)
}

/// Reads a file as a document of a topic; it is called what the file is called. Blocks.
///
/// # Errors
/// When it cannot be read, is no UTF-8 or is too large.
pub fn read_document(path: &Path) -> Result<Document, TopicError> {
    let fault = |why: String| TopicError::Document {
        path: path.display().to_string(),
        why,
    };
    let size = std::fs::metadata(path)
        .map_err(|error| fault(error.to_string()))?
        .len();
    if size > MAX_DOCUMENT_BYTES {
        return Err(fault(format!(
            "larger than {} MiB",
            MAX_DOCUMENT_BYTES >> 20
        )));
    }
    let name = path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    Ok(Document { name, text })
}
