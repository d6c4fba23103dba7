//! Files that come with the program, copied to where a person can read and edit them.

use super::output::{clean_text, print_notice, print_text};
use anyhow::{Context, Result, bail};
use elenchus_records::workspace::write_new;
use elenchus_store::parent_of;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What became of files that were to be copied.
#[derive(Debug)]
pub(crate) struct CopiedFiles {
    pub written: Vec<PathBuf>,
    /// Files of this very content that were there before.
    pub there_already: usize,
    /// Files of another content that were there before, and stay; none where any file was written.
    pub edited: Vec<PathBuf>,
}

/// Copies files into a folder, all of them or nothing: where all are there, those that a person has edited stay.
/// `elsewhere` says how another folder is named.
///
/// # Errors
/// When some files are there with another content and others are not there at all, or one cannot be written.
pub(crate) fn copy_built_in_files(
    files: &BTreeMap<String, String>,
    folder: &Path,
    elsewhere: &str,
) -> Result<CopiedFiles> {
    let mut missing = Vec::new();
    let mut edited_files = Vec::new();
    for (path, text) in files {
        let full = folder.join(path);
        match std::fs::read(&full) {
            Ok(there) if there == text.as_bytes() => {}
            Ok(_) => edited_files.push(full),
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push((full, text)),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", full.display()));
            }
        }
    }
    if !edited_files.is_empty() && !missing.is_empty() {
        let (are, them) = match edited_files.len() {
            1 => ("a file is", "it"),
            _ => ("files are", "them"),
        };
        bail!(
            "nothing was copied, for {are} there and edited: {}; move {them} away first, or {elsewhere}",
            join_paths(&edited_files),
        );
    }
    let mut written = Vec::new();
    for (full, text) in missing {
        let folder = parent_of(&full);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be created", folder.display()))?;
        // A file that was written there meanwhile is kept.
        write_new(&full, text.as_bytes())?;
        written.push(full);
    }
    Ok(CopiedFiles {
        there_already: files.len() - written.len() - edited_files.len(),
        written,
        edited: edited_files,
    })
}

fn join_paths(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| path.display().to_string());
    paths.collect::<Vec<_>>().join(", ")
}

impl CopiedFiles {
    /// Says which files stay as somebody edited them; nothing where there is none.
    pub(crate) fn print_edited(&self) {
        let (is, it) = match self.edited.len() {
            0 => return,
            1 => ("1 is edited and stays as it is", "it"),
            _ => ("some are edited and stay as they are", "them"),
        };
        print_notice(&format!(
            "notice: nothing was copied, for all files are there; {is}: {}; move {it} away first to have {it} anew",
            join_paths(&self.edited)
        ));
    }

    /// Prints the paths of those that were written, a line each.
    ///
    /// # Errors
    /// When standard output cannot be written to.
    pub(crate) fn print_written(&self) -> Result<()> {
        for path in &self.written {
            print_text(&clean_text(&format!("{}\n", path.display())))?;
        }
        Ok(())
    }
}
