//! Loading of datasets: from a file's bytes to topics and a report.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

use sha2::{Digest, Sha256};

use super::binary_file::no_text;
use super::collector::{Collector, DocumentReader};
use super::columns::Columns;
use super::folder;
use super::foreign_text::foreign_text;
use super::json::{JsonRows, collect_text_lines};
use super::pieces::{self, PIECE_BYTES};
use super::stream::FileStream;
use super::table::CellTable;
use super::topic_draft::shorten_text;
use super::yaml::{self, YamlFault, YamlItem};
use super::{ColumnChoice, DatasetError, DatasetKind, DatasetSpec, TopicField};
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
    /// A list of YAML.
    Yaml,
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
    pub fn format_place(&self) -> String {
        format_row_place(self.file.as_deref(), self.line)
    }
}

impl RowNote {
    /// Returns where the row is, for messages: `line 3`, in a folder `algebra/1.json line 3`.
    pub fn format_place(&self) -> String {
        format_row_place(self.file.as_deref(), self.line)
    }
}

pub(super) fn format_row_place(file: Option<&str>, line: u64) -> String {
    match file {
        Some(file) => format!("{file} line {line}"),
        None => format!("line {line}"),
    }
}

/// Returns the reason to refuse a row of `bytes` bytes, if it is too large.
pub(super) fn describe_oversize(bytes: usize) -> Option<String> {
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
    /// What is to be said of the file as a whole: values that were left out or are unknown, with their count.
    pub remarks: Vec<String>,
    /// Columns that a person named and the file does not have.
    pub missing: Vec<String>,
    /// SHA-256 of the file's bytes, in hexadecimal; of a folder, that of the list of its files in
    /// the form of `sha256sum`.
    pub sha256: String,
}

/// Loads a dataset and the documents that it names; a folder must be MATH's or CoSafe's.
///
/// # Errors
/// When the file or folder cannot be read, is larger than its bounds, or gives no topic at all. Single
/// unreadable rows are in [`LoadedDataset::refused`].
pub fn load_dataset(spec: &DatasetSpec) -> Result<LoadedDataset, DatasetError> {
    load_first_topics(spec, usize::MAX)
}

/// Loads a dataset of which the first topics are enough: of a large file no others are kept. All rows are
/// read and reported.
///
/// # Errors
/// As [`load_dataset`].
pub fn load_first_topics(spec: &DatasetSpec, topics: usize) -> Result<LoadedDataset, DatasetError> {
    load_dataset_with(spec, &ColumnChoice::default(), topics)
}

/// Loads a dataset of which a person says what some columns are; otherwise as [`load_first_topics`]. Columns that it does
/// not have are in [`LoadedDataset::missing`].
///
/// # Errors
/// As [`load_dataset`], and when there is no topic because a named column is missing.
pub fn load_dataset_with(
    spec: &DatasetSpec,
    choice: &ColumnChoice,
    topics: usize,
) -> Result<LoadedDataset, DatasetError> {
    let path = &spec.path;
    let dataset = match path.is_dir() {
        true => folder::load_folder(spec, choice)?,
        false => {
            let mut stream = FileStream::open(path)?;
            let mut bytes = Vec::new();
            stream.fill_buffer(&mut bytes, PIECE_BYTES)?;
            if !stream.is_at_end() {
                return load_in_pieces(&mut stream, bytes, (spec, choice), topics.max(1));
            }
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return Err(DatasetError::Empty { path: path.clone() });
            }
            if let Some(why) = no_text(&bytes) {
                let path = path.clone();
                return Err(DatasetError::NoText { path, why });
            }
            let mut dataset = parse_with_documents(path, (spec.kind, choice), &bytes);
            dataset.sha256 = stream.sha256();
            if dataset.topics.is_empty()
                && let Some(why) = describe_foreign_file(path, (spec.kind, choice), &bytes)
            {
                let path = path.clone();
                return Err(DatasetError::NoText { path, why });
            }
            let other = || parse_with_documents(path, (None, choice), &bytes);
            if dataset.topics.is_empty() && spec.kind.is_some() && !other().topics.is_empty() {
                return Err(no_topics_error(
                    path,
                    &dataset,
                    "; with FILE alone its kind is recognised".to_owned(),
                ));
            }
            dataset
        }
    };
    match dataset.topics.is_empty() {
        true => Err(no_topics_error(path, &dataset, advice_on_columns(&dataset))),
        false => Ok(dataset),
    }
}

/// Loads a file that is too long to be read at once.
fn load_in_pieces(
    stream: &mut FileStream,
    begin: Vec<u8>,
    (spec, choice): (&DatasetSpec, &ColumnChoice),
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
    let mut into = Collector::new(DatasetKind::Own, choice, (&name, &documents));
    into.limit_topics(topics);
    let read = pieces::collect_pieces(stream, begin, spec.kind, (path, &name), &mut into)?;
    let (kind, format, columns) = (read.kind, read.format, read.columns);
    let dataset = build_dataset(into, kind, format, columns, stream.sha256());
    match dataset.topics.is_empty() {
        true => Err(no_topics_error(path, &dataset, advice_on_columns(&dataset))),
        false => Ok(dataset),
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

/// Reads a file of another kind than topics, unpacked where gzip has packed it: its name without the end that
/// gzip adds, and its bytes, of which there are at most [`MAX_FILE_BYTES`].
///
/// # Errors
/// When it cannot be read or unpacked, or is larger.
pub fn read_unpacked_file(path: &Path) -> Result<(String, Vec<u8>), DatasetError> {
    let mut stream = FileStream::open(path)?;
    let mut bytes = Vec::new();
    let most = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
    stream.fill_buffer(&mut bytes, most)?;
    let mut more = Vec::new();
    stream.fill_buffer(&mut more, 1)?;
    match more.is_empty() {
        true => Ok((place_of(path).1, bytes)),
        false => Err(DatasetError::TooLarge {
            path: path.to_owned(),
            limit_bytes: MAX_FILE_BYTES,
        }),
    }
}

/// Parses the bytes of a file, and reads named documents from its folder.
fn parse_with_documents(
    path: &Path,
    (kind, choice): (Option<DatasetKind>, &ColumnChoice),
    bytes: &[u8],
) -> LoadedDataset {
    let (folder, name) = place_of(path);
    let left = Cell::new(MAX_DOCUMENTS_TOTAL_BYTES);
    parse_dataset_with(kind, choice, (&name, bytes), &|document| {
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
            source: source.into(),
        })?;
    if bytes.len() as u64 > limit_bytes {
        return Err(DatasetError::TooLarge {
            path: path.to_owned(),
            limit_bytes,
        });
    }
    Ok(bytes)
}

fn no_topics_error(path: &Path, dataset: &LoadedDataset, advice: String) -> DatasetError {
    if !dataset.missing.is_empty() {
        return DatasetError::NoColumn {
            path: path.to_owned(),
            missing: dataset.missing.clone(),
            known: dataset
                .columns
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
        };
    }
    let first = dataset.refused.first();
    DatasetError::NoTopics {
        path: path.to_owned(),
        refused: dataset.refused.len(),
        place: first.map_or_else(|| "line 1".to_owned(), RejectedRow::format_place),
        why: first
            .map_or("the file has no rows", |first| &first.why)
            .to_owned(),
        advice,
    }
}

/// Says how to name the column of the text, where none of a file's columns is known as it.
fn advice_on_columns(dataset: &LoadedDataset) -> String {
    let is_text = |field: TopicField| {
        matches!(
            field,
            TopicField::Text | TopicField::Conversation | TopicField::Adversarial
        )
    };
    let names: Vec<&str> = dataset
        .columns
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let is_known = dataset.columns.iter().any(|(_, field)| is_text(*field));
    if names.is_empty() || is_known || dataset.format == DatasetFormat::Table {
        return String::new();
    }
    format!(
        "; no key is known as the topic's text: there are {}; say which it is, as with --column text=NAME",
        shorten_text(&names.join(", "))
    )
}

/// Parses a file's bytes into topics without touching any file.
///
/// `kind` overrides detection by content. `name` is the file's name: its stem names rows without an
/// id, its extension helps to detect the format. `documents` returns the text of a document by the
/// path that a row names, or the rest of the sentence "the document `…` …" with the reason why not.
pub fn parse_dataset(
    kind: Option<DatasetKind>,
    name: &str,
    bytes: &[u8],
    documents: DocumentReader<'_>,
) -> LoadedDataset {
    parse_dataset_with(kind, &ColumnChoice::default(), (name, bytes), documents)
}

/// Parses as [`parse_dataset`] a file of which a person says what some columns are.
pub fn parse_dataset_with(
    kind: Option<DatasetKind>,
    choice: &ColumnChoice,
    (name, bytes): (&str, &[u8]),
    documents: DocumentReader<'_>,
) -> LoadedDataset {
    let sha256 = encode_hex(&Sha256::digest(bytes));
    let begin = |kind| Collector::new(kind, choice, (name, documents));
    let refuse_file = |line: u64, why: String| {
        let kind = kind.unwrap_or(DatasetKind::Own);
        let mut into = begin(kind);
        into.refuse_row(line, why);
        build_dataset(
            into,
            kind,
            DatasetFormat::PlainText,
            Vec::new(),
            sha256.clone(),
        )
    };
    let bytes = match strip_byte_order_mark(bytes) {
        Ok(bytes) => bytes,
        Err(why) => return refuse_file(1, why),
    };
    let (rows, kind) = match guess_format((kind, choice), name, bytes) {
        FormatGuess::Foreign(why) => return refuse_file(1, why),
        FormatGuess::Yaml(Err(fault)) => return refuse_file(fault.line, fault.why),
        FormatGuess::Json => (JsonRows::from_bytes(kind, choice, bytes), kind),
        FormatGuess::Yaml(Ok(documents)) => (JsonRows::from_yaml(documents, choice), kind),
        FormatGuess::Table(table) => {
            let kind = kind.unwrap_or_else(|| table.detect_kind(choice));
            let mut into = begin(kind);
            let columns = table.collect_topics(kind, &mut into);
            return build_dataset(into, kind, DatasetFormat::Table, columns, sha256);
        }
        FormatGuess::PlainText => {
            let kind = kind.unwrap_or(DatasetKind::Own);
            let mut into = begin(kind);
            collect_text_lines(bytes, 0, &mut into);
            return build_dataset(into, kind, DatasetFormat::PlainText, Vec::new(), sha256);
        }
    };
    let kind = kind.unwrap_or_else(|| rows.detect_kind(choice));
    let format = rows.format;
    let mut into = begin(kind);
    let columns = rows.collect_topics(kind, &mut into);
    build_dataset(into, kind, format, columns, sha256)
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

pub(super) fn build_dataset(
    mut from: Collector<'_>,
    kind: DatasetKind,
    format: DatasetFormat,
    columns: Vec<(String, TopicField)>,
    sha256: String,
) -> LoadedDataset {
    let remarks = from.finish_collection();
    let known_columns = Columns {
        kind,
        choice: from.choice,
    };
    let missing = known_columns.find_missing_columns(columns.iter().map(|(name, _)| name.as_str()));
    LoadedDataset {
        topics: from.topics,
        remarks,
        missing,
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
    Yaml(Result<Vec<YamlItem>, YamlFault>),
    PlainText,
    /// It is none of these; why, and what to do.
    Foreign(String),
}

/// Format of a file of which the beginning is known.
pub(super) enum FileFormat {
    Json,
    /// A table, with its kind.
    Table(DatasetKind),
    PlainText,
    /// It is none of these; why, and what to do.
    Foreign(String),
}

/// Guesses the format of a file from its beginning.
pub(super) fn format_of(
    kind: Option<DatasetKind>,
    choice: &ColumnChoice,
    (name, begin): (&str, &[u8]),
) -> FileFormat {
    let end = begin
        .iter()
        .take(MAX_ROW_BYTES)
        .rposition(|byte| *byte == b'\n');
    let lines = begin.get(..end.unwrap_or(begin.len())).unwrap_or(begin);
    if YAML.contains(&file_extension(name).as_str()) {
        return FileFormat::Foreign(format!(
            "the file is YAML, which is read up to {} MiB: write its rows as JSON Lines",
            PIECE_BYTES >> 20
        ));
    }
    match guess_format((kind, choice), name, lines) {
        FormatGuess::Json => FileFormat::Json,
        FormatGuess::Table(table) => FileFormat::Table(table.detect_kind(choice)),
        FormatGuess::Yaml(_) | FormatGuess::PlainText => FileFormat::PlainText,
        FormatGuess::Foreign(why) => FileFormat::Foreign(why),
    }
}

/// Endings of the names of YAML's files.
const YAML: [&str; 2] = ["yaml", "yml"];

fn file_extension(name: &str) -> String {
    let ending = name
        .rsplit_once('.')
        .map(|(_, end)| end.to_ascii_lowercase());
    ending.unwrap_or_default()
}

/// Returns why a file is none whose rows are topics, and what to do.
fn describe_foreign_file(
    path: &Path,
    kind: (Option<DatasetKind>, &ColumnChoice),
    bytes: &[u8],
) -> Option<String> {
    let bytes = strip_byte_order_mark(bytes).ok()?;
    let (_, name) = place_of(path);
    match guess_format(kind, &name, bytes) {
        FormatGuess::Foreign(why) => Some(why),
        FormatGuess::Yaml(Err(fault)) => Some(format!("line {}: {}", fault.line, fault.why)),
        FormatGuess::Json
        | FormatGuess::Table(_)
        | FormatGuess::Yaml(Ok(_))
        | FormatGuess::PlainText => None,
    }
}

/// Guesses the format: from the kind first, then the extension, then the first bytes.
fn guess_format(
    (kind, choice): (Option<DatasetKind>, &ColumnChoice),
    name: &str,
    bytes: &[u8],
) -> FormatGuess {
    let extension = file_extension(name);
    let extension = extension.as_str();
    if kind == Some(DatasetKind::CoSafe) || matches!(extension, "json" | "jsonl" | "ndjson") {
        return FormatGuess::Json;
    }
    if YAML.contains(&extension) {
        return FormatGuess::Yaml(parse_yaml_bytes(bytes));
    }
    if matches!(extension, "csv" | "tsv") {
        return FormatGuess::Table(CellTable::from_bytes(name, bytes));
    }
    let foreign = foreign_text(extension, bytes);
    if matches!(bytes.trim_ascii_start().first(), Some(b'[' | b'{')) && foreign.is_none() {
        return FormatGuess::Json;
    }
    if let Some(why) = foreign {
        return FormatGuess::Foreign(why);
    }
    let must_be_table = match kind {
        Some(DatasetKind::CoSafe | DatasetKind::Own) | None => false,
        Some(_) => true,
    };
    if !must_be_table
        && looks_like_yaml(bytes)
        && let Ok(documents) = parse_yaml_bytes(bytes)
        && documents.iter().any(holds_mappings)
    {
        return FormatGuess::Yaml(Ok(documents));
    }
    let table = CellTable::from_bytes(name, bytes);
    let is_table = match extension {
        "txt" => table.has_known_header(choice),
        _ => table.has_text(choice),
    };
    if must_be_table || is_table {
        return FormatGuess::Table(table);
    }
    FormatGuess::PlainText
}

fn parse_yaml_bytes(bytes: &[u8]) -> Result<Vec<YamlItem>, YamlFault> {
    match std::str::from_utf8(bytes) {
        Ok(text) => yaml::parse_yaml(text),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Err(YamlFault {
                line: 1 + good.iter().filter(|byte| **byte == b'\n').count() as u64,
                why: "the file is not valid UTF-8 from this line on: save it as UTF-8".to_owned(),
            })
        }
    }
}

/// Says whether the first line that is no comment could begin a list or mapping of YAML.
fn looks_like_yaml(bytes: &[u8]) -> bool {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    lines.next().is_some_and(|line| {
        line == b"---" || line.starts_with(b"%YAML") || line.contains(&b':') || line == b"-"
    })
}

/// Says whether a document of YAML is a list of mappings, or a mapping that holds one: no plain text is by chance.
fn holds_mappings(document: &YamlItem) -> bool {
    document
        .lists
        .iter()
        .any(|(_, rows)| !rows.is_empty() && rows.iter().all(|(_, row)| row.is_object()))
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

pub(super) fn encode_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
