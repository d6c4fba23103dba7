//! Reads files as documents of a topic.

use super::Hands;
use crate::debate::Document;
use crate::tui::app::Told;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest file that is read, as in data sets.
const MAX_DOCUMENT_BYTES: u64 = 4 << 20;

impl Hands {
    pub(super) fn read_document(&mut self, path: PathBuf) {
        let tell = self.tell.clone();
        tokio::task::spawn_blocking(move || {
            let read = document(&path).map(Arc::new);
            let _ = tell.send(Told::DocumentRead(path, read));
        });
    }
}

/// Reads a file as a document of a topic.
fn document(path: &Path) -> Result<Document, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("cannot read {shown}: {error}");
    let size = std::fs::metadata(path).map_err(cannot)?.len();
    if size > MAX_DOCUMENT_BYTES {
        let most = MAX_DOCUMENT_BYTES >> 20;
        return Err(format!("{shown} is larger than {most} MiB"));
    }
    let text = std::fs::read_to_string(path).map_err(cannot)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(Document {
        name: name.to_string_lossy().into_owned(),
        text,
    })
}
