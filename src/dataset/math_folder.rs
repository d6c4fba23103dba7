//! MATH as it was released: a folder for each type, a JSON file for each problem.
//!
//! Links are not followed: a dataset may come from anybody, and what it holds is sent to model servers.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::collect::Collector;
use super::json::Rows;
use super::load::{hex, in_utf_8, loaded, read_bytes};
use super::{DatasetError, DatasetSpec, Field, Format, Kind, Loaded, MAX_FILE_BYTES};

/// How deep folders may lie in the one that is named.
const MAX_DEPTH: usize = 8;

/// The most files, of any sort, that a folder may hold; the release has 12,500.
const MAX_FILES: usize = 50_000;

/// The files of a folder, by their paths in it.
#[derive(Default)]
struct Found {
    json: Vec<String>,
    /// What is no `.json` file, or is hidden or a link.
    others: Vec<String>,
}

/// Reads all `.json` files of a folder, in the order of their paths.
pub(super) fn read(spec: &DatasetSpec) -> Result<Loaded, DatasetError> {
    let path = &spec.path;
    let no_math = || DatasetError::Folder { path: path.clone() };
    match spec.kind {
        Some(Kind::Math) | None => {}
        Some(Kind::HarmBench | Kind::CoSafe | Kind::XsTest | Kind::TriviaQa | Kind::Own) => {
            return Err(no_math());
        }
    }
    let mut found = Found::default();
    collect_files(path, path, "", 0, &mut found)?;
    found.json.sort_unstable();
    found.others.sort_unstable();
    if found.json.is_empty() {
        return Err(DatasetError::EmptyFolder { path: path.clone() });
    }
    let files = read_files(path, &found.json)?;
    if spec.kind.is_none() && !are_math(&files) {
        return Err(no_math());
    }
    Ok(collect(&files, &found.others))
}

fn collect_files(
    root: &Path,
    folder: &Path,
    prefix: &str,
    depth: usize,
    into: &mut Found,
) -> Result<(), DatasetError> {
    let too_large = |what| DatasetError::FolderTooLarge {
        path: root.to_owned(),
        what,
    };
    let unreadable = |source| DatasetError::Read {
        path: folder.to_owned(),
        source,
    };
    if depth > MAX_DEPTH {
        return Err(too_large(format!(
            "folders that lie more than {MAX_DEPTH} deep"
        )));
    }
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let inner = format!("{prefix}{name}");
        let hidden = name.starts_with('.');
        if kind.is_dir() && !hidden {
            collect_files(root, &entry.path(), &format!("{inner}/"), depth + 1, into)?;
        } else if kind.is_file() && !hidden && name.ends_with(".json") {
            into.json.push(inner);
        } else {
            into.others.push(inner);
        }
        if into.json.len() + into.others.len() > MAX_FILES {
            return Err(too_large(format!("more than {MAX_FILES} files")));
        }
    }
    Ok(())
}

fn read_files(root: &Path, names: &[String]) -> Result<Vec<(String, Vec<u8>)>, DatasetError> {
    let mut left = MAX_FILE_BYTES;
    let mut files = Vec::new();
    for name in names {
        let bytes = match read_bytes(&root.join(name), left) {
            Err(DatasetError::TooLarge { .. }) => {
                return Err(DatasetError::TooLarge {
                    path: root.to_owned(),
                    limit_bytes: MAX_FILE_BYTES,
                });
            }
            other => other?,
        };
        left -= bytes.len() as u64;
        files.push((name.clone(), bytes));
    }
    Ok(files)
}

/// Tells MATH by the first file that can be read.
fn are_math(files: &[(String, Vec<u8>)]) -> bool {
    files
        .iter()
        .filter_map(|(_, bytes)| in_utf_8(bytes).ok())
        .map(|bytes| Rows::read(None, bytes))
        .find(Rows::has_any)
        .is_some_and(|rows| rows.kind() == Kind::Math)
}

fn collect(files: &[(String, Vec<u8>)], others: &[String]) -> Loaded {
    let no_documents = |_: &str| Err("is not read from a folder of MATH".to_owned());
    let mut into = Collector::new(Kind::Math, "", &no_documents);
    let mut columns: Vec<(String, Field)> = Vec::new();
    let mut list = Sha256::new();
    for (name, bytes) in files {
        list.update(format!("{}  {name}\n", hex(&Sha256::digest(bytes))));
        let bytes = match in_utf_8(bytes) {
            Ok(bytes) if bytes.trim_ascii().is_empty() => Err("the file is empty".to_owned()),
            other => other,
        };
        match bytes {
            Ok(bytes) => {
                let rows = Rows::read(Some(Kind::Math), bytes);
                into.enter(name, rows.count());
                for column in rows.collect(Kind::Math, &mut into) {
                    if !columns.contains(&column) {
                        columns.push(column);
                    }
                }
            }
            Err(why) => {
                into.enter(name, 0);
                into.refuse(1, why);
            }
        }
    }
    if let Some((first, more)) = others.split_first() {
        into.enter(first, 0);
        let and = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more of the folder"),
        };
        into.note(
            1,
            format!(
                "this file{and} is not read: only .json files are, no links and nothing hidden"
            ),
        );
    }
    let sha256 = hex(&list.finalize());
    loaded(into, Kind::Math, Format::Folder, columns, sha256)
}
