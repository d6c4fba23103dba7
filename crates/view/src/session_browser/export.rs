//! Export of sessions to files, one each, never over one that is there.

use super::several::outcome_words;
use crate::{ExportAs, export_session};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{StoreContext, WorkspaceError};
use elenchus_text::Role;
use std::path::PathBuf;

/// What came of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsExport {
    /// The file, or the folder of several.
    pub to: PathBuf,
    pub written: usize,
    /// With the reasons.
    pub failed: Vec<(SessionId, String)>,
}

impl SessionsExport {
    /// Returns what was written and what failed, in words.
    pub fn describe_outcome(&self) -> Option<(Role, String)> {
        let to = self.to.display();
        let done_text = match self.written {
            0 => None,
            1 => Some(format!("written to {to}")),
            many => Some(format!("{many} sessions written to {to}")),
        };
        outcome_words(done_text, &self.failed)
    }
}

/// Writes sessions to the file of each. A folder of several is made, that of one file is there.
pub fn export_sessions(
    store: &StoreContext,
    to: PathBuf,
    form: ExportAs,
    files: Vec<(SessionId, PathBuf)>,
) -> SessionsExport {
    let (mut written, mut failed) = (0, Vec::new());
    for (id, file) in files {
        let folder_result = match file.parent() {
            Some(folder) if folder == to => std::fs::create_dir_all(folder)
                .map_err(|error| WorkspaceError::invalid(error.to_string())),
            Some(_) | None => Ok(()),
        };
        match folder_result.and_then(|()| export_session(store, &id, form, &file)) {
            Ok(()) => written += 1,
            Err(why) => failed.push((id, why.to_string())),
        }
    }
    SessionsExport {
        to,
        written,
        failed,
    }
}
