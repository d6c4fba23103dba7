//! Files of an import: those that are named, and the JSON files of named folders.

use elenchus_records::exchange::MAX_FINISHED;
use elenchus_records::workspace::{Result, reject};
use elenchus_store::StoreError;
use std::path::{Path, PathBuf};

/// How deep folders may lie in the one that is named.
const MAX_DEPTH: usize = 8;

/// A file to read.
pub(super) struct NamedFile {
    pub path: PathBuf,
    /// How messages call it: its name, with the folders between it and the one that was named.
    pub shown: String,
    /// Whether it was found in a folder, so that its kind is not given.
    pub in_folder: bool,
}

/// Finds the files; in folders, what is hidden and links to folders are passed over.
///
/// # Errors
/// When a folder cannot be listed, holds no JSON file, lies too deep, or there are too many files.
pub(super) fn find_files(paths: &[PathBuf]) -> Result<Vec<NamedFile>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let name = path.file_name().unwrap_or_default();
            files.push(NamedFile {
                path: path.clone(),
                shown: name.to_string_lossy().into_owned(),
                in_folder: false,
            });
            continue;
        }
        let mut folder_files = Vec::new();
        find_files_in_folder(path, "", 0, &mut folder_files)?;
        if folder_files.is_empty() {
            return reject(format!(
                "{} holds no file that ends with .json, nor does any folder in it",
                path.display()
            ));
        }
        folder_files.sort_by(|one, other| one.path.cmp(&other.path));
        files.extend(folder_files);
    }
    if files.len() > MAX_FINISHED {
        return reject(format!("at most {MAX_FINISHED} files are taken at once"));
    }
    Ok(files)
}

fn find_files_in_folder(
    folder: &Path,
    prefix: &str,
    depth: usize,
    into: &mut Vec<NamedFile>,
) -> Result<()> {
    let cannot = || StoreError::from_io("list", folder);
    if depth > MAX_DEPTH {
        return reject(format!(
            "{} lies more than {MAX_DEPTH} folders deep; name a folder in it",
            folder.display()
        ));
    }
    for entry in std::fs::read_dir(folder).map_err(cannot())? {
        let entry = entry.map_err(cannot())?;
        let kind = entry.file_type().map_err(cannot())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let display_name = format!("{prefix}{name}");
        if kind.is_dir() {
            find_files_in_folder(&entry.path(), &format!("{display_name}/"), depth + 1, into)?;
        } else if name.to_ascii_lowercase().ends_with(".json") && entry.path().is_file() {
            into.push(NamedFile {
                path: entry.path(),
                shown: display_name,
                in_folder: true,
            });
        }
        if into.len() > MAX_FINISHED {
            return reject(format!(
                "{} holds more than {MAX_FINISHED} files",
                folder.display()
            ));
        }
    }
    Ok(())
}
