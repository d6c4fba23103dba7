//! Setup of semantic search: a sentence model and ONNX Runtime, fetched or copied, tried, and only then
//! put in place.
//!
//! Files arrive in temporary folders next to their targets, so that a model that works goes on working
//! until another one does. Prints nothing: progress goes to an observer.

mod model;
mod runtime;

pub use model::{BroughtModel, ModelRequest, ModelSetup};
pub use runtime::{FoundRuntime, RuntimeSource};

use elenchus_memory::embed::{ArchiveError, EmbedError};
use elenchus_model::{Download, DownloadError, Downloaded, TrustError, download_file};
use elenchus_store::StoreError;
use std::path::{Path, PathBuf};

/// Why semantic search is not set up: what, where, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Download(#[from] DownloadError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Invalid(String),
}

type Result<T, E = SetupError> = std::result::Result<T, E>;

/// What happens during a setup.
#[derive(Debug)]
pub enum SetupEvent<'a> {
    /// Bytes of a file have come; how many it has is not always known.
    Downloading {
        file: &'a str,
        done: u64,
        total: Option<u64>,
    },
    /// No more of a file comes, whole or not.
    DownloadEnded,
    Downloaded {
        file: &'a str,
        download: &'a Downloaded,
        checksum: PinnedChecksum,
    },
    Unpacking {
        archive: &'a Path,
    },
}

/// What is known beforehand of a file's checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinnedChecksum {
    /// Nothing, and nothing hangs on it: the file is data.
    NotNeeded,
    /// It is the one that this program names.
    Matches,
    /// Nothing, of a file that is code.
    Unknown,
}

/// Receives what happens during a setup.
pub type SetupObserver<'a> = &'a (dyn Fn(SetupEvent<'_>) + Sync);

/// Fetches one file.
async fn fetch_file(
    name: &str,
    file: &Download,
    observe: SetupObserver<'_>,
) -> Result<Downloaded, DownloadError> {
    let watch = |done, total| {
        observe(SetupEvent::Downloading {
            file: name,
            done,
            total,
        });
    };
    let result = download_file(file, &watch).await;
    observe(SetupEvent::DownloadEnded);
    result
}

/// Returns the folder in which files for another one arrive.
fn arrival_folder(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".arriving");
    PathBuf::from(name)
}

fn reject_setup<T>(why: impl Into<String>) -> Result<T> {
    Err(SetupError::Invalid(why.into()))
}

/// Names the path of what the disk refuses.
fn disk_error(path: &Path, what: &str) -> impl FnOnce(std::io::Error) -> SetupError {
    let shown_path = path.display().to_string();
    move |error| SetupError::Invalid(format!("{shown_path} cannot be {what}: {error}"))
}
