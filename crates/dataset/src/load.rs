//! Loading of datasets: from a file's bytes to topics and a report.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

use sha2::{Digest, Sha256};

use super::binary_file::no_text;
use super::collector::{Collector, DocumentReader};
use super::folder;
use super::json::{JsonRows, collect_text_lines};
use super::pieces::{self, PIECE_BYTES};
use super::stream::FileStream;
use super::table::CellTable;
use super::{DatasetError, DatasetKind, DatasetSpec, TopicField};
use elenchus_game::debate::Topic;

/// The largest file that is read as a whole: a table of labels, or all files of a folder.
pub const MAX_FILE_BYTES: u64 = 128 << 20;

/// The largest document that a row may name.
pub const MAX_DOCUMENT_BYTES: u64 = 4 << 20;

/// The most bytes of all documents named in one dataset, counted once for each row.
const MAX_DOCUMENTS_TOTAL_BYTES: u64 = 256 << 20;

/// The largest row that is read; no model could be shown a larger one.
pub(super) const MAX_ROW_BYTES: usize = 16 << 20;

/// Format of a dataset file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetFormat {
    /// A table with commas, tabs or semicolons.
    Table,
    JsonLines,
    JsonArray,
    /// One topic a line.
    PlainText,
    /// A folder of JSON files.
    Folder,
}

/// A refused row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedRow {
    /// The file, where the dataset is a folder.
    pub file: Option<String>,
    /// Line of the file on which the row begins, from 1.
    pub line: u64,
    pub why: String,
}

/// A decision about a row that is a topic, or about the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowNote {
    /// The file, where the dataset is a folder.
    pub file: Option<String>,
    /// Line of the file, from 1.
    pub line: u64,
    pub what: String,
}

impl RejectedRow {
    /// Returns where the row is, for messages: `line 3`, in a folder `algebra/1.json line 3`.
    pub fn place(&self) -> String {
        place(self.file.as_deref(), self.line)
    }
}

impl RowNote {
    /// Returns where the row is, for messages: `line 3`, in a folder `algebra/1.json line 3`.
    pub fn place(&self) -> String {
        place(self.file.as_deref(), self.line)
    }
}

pub(super) fn place(file: Option<&str>, line: u64) -> String {
    match file {
        Some(file) => format!("{file} line {line}"),
        None => format!("line {line}"),
    }
}

/// Returns the reason to refuse a row of `bytes` bytes, if it is too large.
pub(super) fn oversized(bytes: usize) -> Option<String> {
    (bytes > MAX_ROW_BYTES).then(|| {
        format!(
            "the row has {} MiB, and at most {} are read: shorten it or leave it out",
            bytes >> 20,
            MAX_ROW_BYTES >> 20
        )
    })
}

/// A loaded dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedDataset {
    /// In the order of the file; ids are unique.
    pub topics: Vec<Topic>,
    pub kind: DatasetKind,
    pub format: DatasetFormat,
    /// The field of each column, or key of an object.
    pub columns: Vec<(String, TopicField)>,
    /// In the order of the file.
    pub refused: Vec<RejectedRow>,
    pub notes: Vec<RowNote>,
    /// SHA-256 of the file's bytes, in hexadecimal; of a folder, that of the list of its files in
    /// the form of `sha256sum`.
    pub sha256: String,
}

/// Loads a dataset and the documents that it names; a folder must be MATH's or CoSafe's.
///
/// # Errors
/// When the file or folder cannot be read, is larger than its bounds, or gives no topic at all. Single
/// unreadable rows are in [`LoadedDataset::refused`].
pub fn load(spec: &DatasetSpec) -> Result<LoadedDataset, DatasetError> {
    load_first(spec, usize::MAX)
}

/// Loads a dataset of which the first topics are enough: of a large file no others are kept. All rows are
/// read and reported.
///
/// # Errors
/// As [`load`].
pub fn load_first(spec: &DatasetSpec, topics: usize) -> Result<LoadedDataset, DatasetError> {
    let path = &spec.path;
    let loaded = match path.is_dir() {
        true => folder::read(spec)?,
        false => {
            let mut stream = FileStream::open(path)?;
            let mut bytes = Vec::new();
            stream.fill(&mut bytes, PIECE_BYTES)?;
            if !stream.is_at_end() {
                return in_pieces(&mut stream, bytes, spec, topics.max(1));
            }
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return Err(DatasetError::Empty { path: path.clone() });
            }
            if let Some(why) = no_text(&bytes) {
                let path = path.clone();
                return Err(DatasetError::NoText { path, why });
            }
            let mut loaded = parse_beside(path, spec.kind, &bytes);
            loaded.sha256 = stream.sha256();
            let other = || parse_beside(path, None, &bytes);
            if loaded.topics.is_empty() && spec.kind.is_some() && !other().topics.is_empty() {
                return Err(no_topics(
                    path,
                    &loaded,
                    "; with FILE alone its kind is recognised",
                ));
            }
            loaded
        }
    };
    if loaded.topics.is_empty() {
        return Err(no_topics(path, &loaded, ""));
    }
    Ok(loaded)
}

/// Loads a file that is too long to be read at once.
fn in_pieces(
    stream: &mut FileStream,
    begin: Vec<u8>,
    spec: &DatasetSpec,
    topics: usize,
) -> Result<LoadedDataset, DatasetError> {
    let path = &spec.path;
    let text = strip_byte_order_mark(&begin).map_err(|why| DatasetError::NoText {
        path: path.clone(),
        why,
    })?;
    let begin = match text.len() == begin.len() {
        true => begin,
        false => text.to_vec(),
    };
    let (folder, name) = place_of(path);
    let left = Cell::new(MAX_DOCUMENTS_TOTAL_BYTES);
    let documents = |document: &str| read_document(folder, document, &left);
    let mut into = Collector::new(DatasetKind::Own, &name, &documents);
    into.keep(topics);
    let read = pieces::collect(stream, begin, spec.kind, (path, &name), &mut into)?;
    let (kind, format, columns) = (read.kind, read.format, read.columns);
    let loaded = loaded(into, kind, format, columns, stream.sha256());
    match loaded.topics.is_empty() {
        true => Err(no_topics(path, &loaded, "")),
        false => Ok(loaded),
    }
}

/// Returns the folder of a file, and its name without the end that gzip adds.
fn place_of(path: &Path) -> (&Path, String) {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    (folder, name.to_owned())
}

/// Parses the bytes of a file, and reads named documents from its folder.
fn parse_beside(path: &Path, kind: Option<DatasetKind>, bytes: &[u8]) -> LoadedDataset {
    let (folder, name) = place_of(path);
    let left = Cell::new(MAX_DOCUMENTS_TOTAL_BYTES);
    parse(kind, &name, bytes, &|document| {
        read_document(folder, document, &left)
    })
}

/// Reads a file of at most `limit_bytes` bytes.
pub(super) fn read_bytes(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, DatasetError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit_bytes + 1).read_to_end(&mut bytes))
        .map_err(|source| DatasetError::Read {
            path: path.to_owned(),
            source,
        })?;
    if bytes.len() as u64 > limit_bytes {
        return Err(DatasetError::TooLarge {
            path: path.to_owned(),
            limit_bytes,
        });
    }
    Ok(bytes)
}

fn no_topics(path: &Path, loaded: &LoadedDataset, advice: &'static str) -> DatasetError {
    let first = loaded.refused.first();
    DatasetError::NoTopics {
        path: path.to_owned(),
        refused: loaded.refused.len(),
        place: first.map_or_else(|| "line 1".to_owned(), RejectedRow::place),
        why: first
            .map_or("the file has no rows", |first| &first.why)
            .to_owned(),
        advice,
    }
}

/// Parses a file's bytes into topics without touching any file.
///
/// `kind` overrides detection by content. `name` is the file's name: its stem names rows without an
/// id, its extension helps to detect the format. `documents` returns the text of a document by the
/// path that a row names, or the rest of the sentence "the document `…` …" with the reason why not.
pub fn parse(
    kind: Option<DatasetKind>,
    name: &str,
    bytes: &[u8],
    documents: DocumentReader<'_>,
) -> LoadedDataset {
    let sha256 = hex(&Sha256::digest(bytes));
    let bytes = match strip_byte_order_mark(bytes) {
        Ok(bytes) => bytes,
        Err(why) => {
            let kind = kind.unwrap_or(DatasetKind::Own);
            let mut into = Collector::new(kind, name, documents);
            into.refuse(1, why);
            return loaded(into, kind, DatasetFormat::PlainText, Vec::new(), sha256);
        }
    };
    match guess(kind, name, bytes) {
        FormatGuess::Json => {
            let rows = JsonRows::read(kind, bytes);
            let kind = kind.unwrap_or_else(|| rows.kind());
            let format = rows.format;
            let mut into = Collector::new(kind, name, documents);
            let columns = rows.collect(kind, &mut into);
            loaded(into, kind, format, columns, sha256)
        }
        FormatGuess::Table(table) => {
            let kind = kind.unwrap_or_else(|| table.kind());
            let mut into = Collector::new(kind, name, documents);
            let columns = table.collect(kind, &mut into);
            loaded(into, kind, DatasetFormat::Table, columns, sha256)
        }
        FormatGuess::PlainText => {
            let kind = kind.unwrap_or(DatasetKind::Own);
            let mut into = Collector::new(kind, name, documents);
            collect_text_lines(bytes, 0, &mut into);
            loaded(into, kind, DatasetFormat::PlainText, Vec::new(), sha256)
        }
    }
}

/// Removes a byte order mark.
///
/// # Errors
/// With the kind of file and advice, where it is binary or has another encoding. Rows that are not
/// valid UTF-8 are refused when they are read.
pub fn strip_byte_order_mark(bytes: &[u8]) -> Result<&[u8], String> {
    if let Some(why) = no_text(bytes) {
        return Err(why);
    }
    Ok(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

pub(super) fn loaded(
    from: Collector<'_>,
    kind: DatasetKind,
    format: DatasetFormat,
    columns: Vec<(String, TopicField)>,
    sha256: String,
) -> LoadedDataset {
    LoadedDataset {
        topics: from.topics,
        kind,
        format,
        columns,
        refused: from.refused,
        notes: from.notes,
        sha256,
    }
}

enum FormatGuess {
    Json,
    Table(CellTable),
    PlainText,
}

/// Format of a file of which the beginning is known.
pub(super) enum FileFormat {
    Json,
    /// A table, with its kind.
    Table(DatasetKind),
    PlainText,
}

/// Guesses the format of a file from its beginning.
pub(super) fn format_of(kind: Option<DatasetKind>, name: &str, begin: &[u8]) -> FileFormat {
    let end = begin
        .iter()
        .take(MAX_ROW_BYTES)
        .rposition(|byte| *byte == b'\n');
    let lines = begin.get(..end.unwrap_or(begin.len())).unwrap_or(begin);
    match guess(kind, name, lines) {
        FormatGuess::Json => FileFormat::Json,
        FormatGuess::Table(table) => FileFormat::Table(table.kind()),
        FormatGuess::PlainText => FileFormat::PlainText,
    }
}

/// Guesses the format: from the kind first, then the extension, then the first bytes.
fn guess(kind: Option<DatasetKind>, name: &str, bytes: &[u8]) -> FormatGuess {
    let extension = name
        .rsplit_once('.')
        .map(|(_, end)| end.to_ascii_lowercase());
    let extension = extension.as_deref().unwrap_or_default();
    if kind == Some(DatasetKind::CoSafe) || matches!(extension, "json" | "jsonl" | "ndjson") {
        return FormatGuess::Json;
    }
    if matches!(extension, "csv" | "tsv") {
        return FormatGuess::Table(CellTable::read(name, bytes));
    }
    if matches!(bytes.trim_ascii_start().first(), Some(b'[' | b'{')) {
        return FormatGuess::Json;
    }
    let must_be_table = match kind {
        Some(
            DatasetKind::HarmBench
            | DatasetKind::XsTest
            | DatasetKind::TriviaQa
            | DatasetKind::Math
            | DatasetKind::Aegis
            | DatasetKind::WildJailbreak
            | DatasetKind::Quality,
        ) => true,
        Some(DatasetKind::CoSafe | DatasetKind::Own) | None => false,
    };
    if extension == "txt" && !must_be_table {
        return FormatGuess::PlainText;
    }
    let table = CellTable::read(name, bytes);
    if must_be_table || table.has_text() {
        return FormatGuess::Table(table);
    }
    FormatGuess::PlainText
}

/// Reads a document next to the dataset. A dataset may come from an untrusted source, and its
/// documents are sent to model servers: so nothing outside its own folder is read.
fn read_document(folder: &Path, name: &str, left: &Cell<u64>) -> Result<String, String> {
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let outside = || "is outside the dataset's folder: put it next to the dataset".to_owned();
    if name.contains('\0') || !Path::new(name).components().all(inside) {
        return Err(outside());
    }
    let unreadable = |error: io::Error| format!("cannot be read: {error}");
    let folder = folder.canonicalize().map_err(unreadable)?;
    let path = folder.join(name).canonicalize().map_err(unreadable)?;
    if !path.starts_with(&folder) {
        return Err(outside());
    }
    if !path.is_file() {
        return Err("is no regular file".to_owned());
    }
    let limit = MAX_DOCUMENT_BYTES.min(left.get());
    let mut bytes = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    let size = bytes.len() as u64;
    if size > limit {
        return Err(format!(
            "is too large: a document may have {MAX_DOCUMENT_BYTES} bytes, all together {MAX_DOCUMENTS_TOTAL_BYTES}"
        ));
    }
    left.set(left.get() - size);
    String::from_utf8(bytes).map_err(|_| "is not valid UTF-8".to_owned())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
