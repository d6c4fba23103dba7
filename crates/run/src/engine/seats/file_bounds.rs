//! Bounds of files that choose who plays and with what: cast files and plans of sweeps.
//!
//! Whoever wrote such a file is not always the one who runs it. What it names lies below its own folder,
//! or in its project; what is typed on the command line has no bounds.

use super::scripted::FIXED;
use elenchus_records::workspace::CastError;
use elenchus_store::lies_in;
use elenchus_text::shell_word;
use std::path::{Path, PathBuf};

/// Folders by which it is decided what a file may name.
#[derive(Debug, Clone, Default)]
pub struct FileBounds {
    /// Folders of the user: their files name what they like.
    pub own: Vec<PathBuf>,
    /// The folder of a project that the user did not approve as their own.
    pub project: Option<PathBuf>,
}

impl FileBounds {
    /// Refuses a fixed text that a file may not choose; words of other players pass.
    ///
    /// # Errors
    /// [`CastError::Lines`], with what to do.
    pub fn check_player(&self, file: &Path, word: &str) -> Result<(), CastError> {
        let Some(text) = word.strip_prefix(FIXED) else {
            return Ok(());
        };
        let refusal = |why: String| {
            Err(CastError::Lines {
                from: word.to_owned(),
                why,
            })
        };
        let file_name = file.display();
        if let Some(project) = self.project_of(file) {
            return refusal(format!(
                "{file_name} chooses it, and a project does not choose which files are read: take it out \
                 there and name it with --seat SEAT={}, or, if you trust everyone who can write \
                 there: elenchus trust {}",
                shell_word(word),
                shell_word(&project.to_string_lossy())
            ));
        }
        let folder = parent_folder(file);
        match self.is_own(file) || lies_in(&folder, Path::new(text)) {
            true => Ok(()),
            false => refusal(format!(
                "{file_name} chooses it, and it lies outside that file's folder: put the text next to the \
                 file, or take it out there and name it with --seat SEAT={}",
                shell_word(word)
            )),
        }
    }

    /// Refuses a path outside the project that a file of the project names.
    ///
    /// # Errors
    /// With what to do.
    pub fn check_path(&self, file: &Path, path: &Path) -> Result<(), String> {
        match self.project_of(file) {
            Some(project) if !lies_in(project, path) => Err(format!(
                "{}: {} lies outside {}, and files of a project name its own files alone: put it \
                 there, or, if you trust everyone who can write there: elenchus trust {}",
                file.display(),
                path.display(),
                project.display(),
                shell_word(&project.to_string_lossy())
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the project that a file lies in, by its name or by the end of its links.
    fn project_of(&self, file: &Path) -> Option<&Path> {
        let project = self.project.as_deref()?;
        let is_there = |path: &Path| lies_in(project, path);
        (!self.is_own(file) && (is_there(file) || is_there(&parent_folder(file))))
            .then_some(project)
    }

    fn is_own(&self, file: &Path) -> bool {
        self.own.iter().any(|folder| lies_in(folder, file))
    }
}

fn parent_folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}
