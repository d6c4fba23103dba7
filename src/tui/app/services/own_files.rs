//! The workbench's own small files: drafts, and how it is arranged.

use super::Services;
use crate::tui::app::ui_state::UiState;
use crate::tui::theme::Role;
use elenchus_records::workspace::{Draft, WorkspaceError, replace_private};
use elenchus_terminal::{ProgramError, edit_file};
use std::path::{Path, PathBuf};

const ARRANGED: &str = "workbench.json";
/// File of the text that was copied last.
const COPIED: &str = "copied.txt";
impl Services {
    /// Keeps how the workbench is arranged.
    pub(in crate::tui::app) fn save_ui_state(&self, state: &UiState) {
        let path = self.own_folder.join(ARRANGED);
        if let Ok(text) = serde_json::to_vec_pretty(state) {
            self.files.queue_write(path, Some(text));
        }
    }

    /// Keeps a text that was not used yet; drops it where it is empty.
    pub(crate) fn keep_draft(&self, draft: &Draft) {
        let path = Draft::path(&self.own_folder, &draft.place);
        self.files.queue_write(path, draft.file_content());
    }

    /// Reads a draft, once what was written of it a moment ago is on the disk. Blocks.
    pub(crate) fn find_draft(&self, place: &str) -> Option<Draft> {
        self.files.wait_until_written();
        Draft::find_draft(&self.own_folder, place)
    }

    /// Writes a file that a person asked for, and says where it is.
    pub(in crate::tui::app) fn write_file(
        &self,
        path: PathBuf,
        write: impl FnOnce(&Services, &Path) -> Result<(), WorkspaceError> + Send + 'static,
    ) {
        let services = self.clone();
        tokio::task::spawn_blocking(move || match write(&services, &path) {
            Ok(()) => services.show_message(Role::Notice, format!("written to {}", path.display())),
            Err(why) => services.show_message(Role::Error, why.to_string()),
        });
    }
}

/// Reads how the workbench was arranged; a file that cannot be read is as if there were none.
pub(crate) fn read_ui_state(own_folder: &Path) -> UiState {
    let read = std::fs::read(own_folder.join(ARRANGED));
    let state = read
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok());
    state.unwrap_or_default()
}

/// Writes what is copied to a file as well.
pub(in crate::tui::app) fn write_copy(
    own_folder: &Path,
    text: &str,
) -> Result<PathBuf, WorkspaceError> {
    let path = own_folder.join(COPIED);
    replace_private(&path, text.as_bytes())?;
    Ok(path)
}

/// Why a text did not come back from the person's editor.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EditError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    File(#[from] WorkspaceError),
}

/// Lets the person's editor change a text, in a private file that is removed after it. Called while the
/// terminal is lent.
pub(in crate::tui::app) fn edit_in_editor(
    editor: Option<&str>,
    text: &str,
) -> Result<String, EditError> {
    let folder = std::env::temp_dir().join(format!("elenchus-{}", std::process::id()));
    let path = folder.join("text.md");
    replace_private(&path, text.as_bytes()).map_err(WorkspaceError::from)?;
    let edit_result = edit_file(editor, &path);
    // The text is removed, whether the edit succeeded or not.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(edit_result?)
}
