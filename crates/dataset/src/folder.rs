//! Folders as released: MATH's, with a folder for each type and a JSON file for each problem, and CoSafe's,
//! with a JSON Lines file for each category.
//!
//! Links are not followed: a dataset may come from an untrusted source, and its content is sent to
//! model servers.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::collector::Collector;
use super::json::JsonRows;
use super::load::{build_dataset, encode_hex, read_bytes, strip_byte_order_mark};
use super::{
    ColumnChoice, DatasetError, DatasetFormat, DatasetKind, DatasetSpec, LoadedDataset,
    MAX_FILE_BYTES, TopicField,
};

/// The deepest nesting of folders.
const MAX_DEPTH: usize = 8;

/// The most files of any kind in a folder; the release has 12,500.
const MAX_FILES: usize = 50_000;

/// The files of a folder, by their paths in it.
#[derive(Default)]
struct FoundFiles {
    json: Vec<String>,
    /// Files other than `.json`, hidden files and links.
    others: Vec<String>,
}

/// Reads all `.json` files of a folder, in the order of their paths.
pub(super) fn load_folder(
    spec: &DatasetSpec,
    choice: &ColumnChoice,
) -> Result<LoadedDataset, DatasetError> {
    let path = &spec.path;
    let other_kind = || DatasetError::Folder { path: path.clone() };
    if spec.kind.is_some_and(|kind| !has_folders(kind)) {
        return Err(other_kind());
    }
    let mut listing = FoundFiles::default();
    collect_files(path, path, "", 0, &mut listing)?;
    listing.json.sort_unstable();
    listing.others.sort_unstable();
    if listing.json.is_empty() {
        return Err(DatasetError::EmptyFolder { path: path.clone() });
    }
    let files = read_files(path, &listing.json)?;
    let kind = spec.kind.or_else(|| kind_of_files(&files, choice));
    match kind.filter(|kind| has_folders(*kind)) {
        Some(kind) => Ok(collect_folder((kind, choice), &files, &listing.others)),
        None => Err(other_kind()),
    }
}

/// Returns whether datasets of a kind are released as a folder of files.
fn has_folders(kind: DatasetKind) -> bool {
    match kind {
        DatasetKind::Math | DatasetKind::CoSafe => true,
        DatasetKind::HarmBench
        | DatasetKind::XsTest
        | DatasetKind::TriviaQa
        | DatasetKind::Aegis
        | DatasetKind::WildJailbreak
        | DatasetKind::Quality
        | DatasetKind::JailbreakBench
        | DatasetKind::StrongReject
        | DatasetKind::AdvBench
        | DatasetKind::DoNotAnswer
        | DatasetKind::BeaverTails
        | DatasetKind::TruthfulQa
        | DatasetKind::Own => false,
    }
}

fn collect_files(
    root: &Path,
    folder: &Path,
    prefix: &str,
    depth: usize,
    into: &mut FoundFiles,
) -> Result<(), DatasetError> {
    let too_large = |what| DatasetError::FolderTooLarge {
        path: root.to_owned(),
        what,
    };
    let unreadable = |source: std::io::Error| DatasetError::Read {
        path: folder.to_owned(),
        source: source.into(),
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
        let is_hidden = name.starts_with('.');
        if kind.is_dir() && !is_hidden {
            collect_files(root, &entry.path(), &format!("{inner}/"), depth + 1, into)?;
        } else if kind.is_file() && !is_hidden && name.ends_with(".json") {
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

/// Returns the kind of the first file that can be parsed.
fn kind_of_files(files: &[(String, Vec<u8>)], choice: &ColumnChoice) -> Option<DatasetKind> {
    files
        .iter()
        .filter_map(|(_, bytes)| strip_byte_order_mark(bytes).ok())
        .map(|bytes| JsonRows::from_bytes(None, choice, bytes))
        .find(JsonRows::has_any)
        .map(|rows| rows.detect_kind(choice))
}

fn collect_folder(
    (kind, choice): (DatasetKind, &ColumnChoice),
    files: &[(String, Vec<u8>)],
    others: &[String],
) -> LoadedDataset {
    let no_documents = |_: &str| Err(format!("is not read from a folder of {kind}"));
    let mut into = Collector::new(kind, choice, ("", &no_documents));
    let mut columns: Vec<(String, TopicField)> = Vec::new();
    let mut list = Sha256::new();
    for (name, bytes) in files {
        list.update(format!("{}  {name}\n", encode_hex(&Sha256::digest(bytes))));
        let bytes = match strip_byte_order_mark(bytes) {
            Ok(bytes) if bytes.trim_ascii().is_empty() => Err("the file is empty".to_owned()),
            other => other,
        };
        match bytes {
            Ok(bytes) => {
                let rows = JsonRows::from_bytes(Some(kind), choice, bytes);
                into.set_file(name, rows.row_count());
                for column in rows.collect_topics(kind, &mut into) {
                    if !columns.contains(&column) {
                        columns.push(column);
                    }
                }
            }
            Err(why) => {
                into.set_file(name, 0);
                into.refuse_row(1, why);
            }
        }
    }
    if let Some((first, more)) = others.split_first() {
        into.set_file(first, 0);
        let and = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more of the folder"),
        };
        into.add_note(
            1,
            format!(
                "this file{and} is not read: only .json files are, no links and nothing hidden"
            ),
        );
    }
    let sha256 = encode_hex(&list.finalize());
    build_dataset(into, kind, DatasetFormat::Folder, columns, sha256)
}
