//! Flat file of vectors: opening, reading, appending.
//!
//! Processes share it. It only grows, so readers need no lock; a process that appends to it,
//! creates or replaces it holds the lock file next to it, reads the rows that others added, cuts
//! off a half-written row, and writes whole rows at the end.

use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::nearest::{NearestRow, cosine, find_nearest_rows};
use super::quantised::{MAX_LENGTH, QuantisedRows};
use super::{KEY_BYTES, MAX_DIM, TextKey, VectorError, VectorRow};

/// First bytes of a file; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"elenvec\x01";
const NUMBER_BYTES: usize = 4;
const CHECK_BYTES: usize = 8;
/// The longest name of an embedder, in bytes.
const MAX_NAME_BYTES: usize = 1024;
/// Number of damaged files that are kept next to the good one.
const MAX_SET_ASIDE: u32 = 9;
/// Size of the reads, in bytes.
const READ_BYTES: usize = 1 << 20;

/// A damaged file that was renamed and replaced by a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    pub path: PathBuf,
    pub aside: PathBuf,
    pub why: String,
}

impl std::fmt::Display for SetAside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} was damaged ({}) and is created again; the old one is in {}",
            self.path.display(),
            self.why,
            self.aside.display()
        )
    }
}

/// The vectors of one embedder.
#[derive(Debug)]
pub struct VectorFile {
    path: PathBuf,
    embedder: String,
    dim: usize,
    file: File,
    /// Bytes of the file that were read: the header and whole rows.
    read_to: u64,
    header_bytes: u64,
    rows: HashMap<TextKey, VectorRow>,
    /// Rows in the order of the file, including those that are skipped.
    codes: QuantisedRows,
}

impl VectorFile {
    /// Opens and reads the file of an embedder, or creates it. A file that cannot be used is
    /// renamed, never changed.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub fn open(
        path: &Path,
        embedder: &str,
        dim: usize,
    ) -> Result<(Self, Option<SetAside>), VectorError> {
        if dim == 0 || dim > MAX_DIM || embedder.len() > MAX_NAME_BYTES {
            return Err(VectorError::TooWide { dim });
        }
        let _lock = lock_file(path)?;
        Self::open_under_lock(path, embedder, dim)
    }

    fn open_under_lock(
        path: &Path,
        embedder: &str,
        dim: usize,
    ) -> Result<(Self, Option<SetAside>), VectorError> {
        let header = build_header(embedder, dim);
        let mut set_aside = None;
        if let Some(why) = find_fault(path, &header)? {
            let aside = free_name(path);
            std::fs::rename(path, &aside).map_err(|error| io_error("rename", path, &error))?;
            set_aside = Some(SetAside {
                path: path.to_path_buf(),
                aside,
                why,
            });
        }
        let mut file = open_file(path)?;
        let length = file
            .metadata()
            .map_err(|error| io_error("read", path, &error))?
            .len();
        if length < header.len() as u64 {
            // No row was written yet: its creation was interrupted.
            file.set_len(0)
                .and_then(|()| file.write_all(&header))
                .map_err(|error| io_error("write", path, &error))?;
        }
        let mut vectors = VectorFile {
            path: path.to_path_buf(),
            embedder: embedder.to_owned(),
            dim,
            file,
            read_to: header.len() as u64,
            header_bytes: header.len() as u64,
            rows: HashMap::new(),
            codes: QuantisedRows::new(dim),
        };
        vectors.read_new_rows()?;
        Ok((vectors, set_aside))
    }

    /// Returns how many texts have a vector.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether no text has a vector.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the row of a text's vector.
    pub fn find_row(&self, text: &TextKey) -> Option<VectorRow> {
        self.rows.get(text).copied()
    }

    /// Appends vectors, each scaled to length 1; a text that has one keeps it.
    ///
    /// # Errors
    /// When a vector is invalid, or the file cannot be written; whole rows that were written stay.
    pub fn append_vectors(&mut self, vectors: &[(TextKey, Vec<f32>)]) -> Result<(), VectorError> {
        for (_, vector) in vectors {
            if vector.len() != self.dim {
                return Err(VectorError::Dimension {
                    path: self.path.display().to_string(),
                    dim: self.dim,
                    got: vector.len(),
                });
            }
            if !vector.iter().all(|value| value.is_finite()) {
                return Err(VectorError::NotFinite);
            }
        }
        let _lock = lock_file(&self.path)?;
        if self.is_stale() {
            let (fresh, _) = Self::open_under_lock(&self.path, &self.embedder, self.dim)?;
            *self = fresh;
        } else {
            self.read_new_rows()?;
        }
        let mut bytes = Vec::new();
        let mut fresh: Vec<TextKey> = Vec::new();
        for (key, vector) in vectors {
            if !self.rows.contains_key(key) && !fresh.contains(key) {
                fresh.push(*key);
                push_row(&mut bytes, key, vector);
            }
        }
        // A half-written row must not come before whole ones.
        let write_result = self
            .file
            .set_len(self.read_to)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.read_to)))
            .and_then(|_| self.file.write_all(&bytes));
        write_result.map_err(|error| io_error("write", &self.path, &error))?;
        self.read_new_rows()
    }

    /// Returns the rows nearest to a query of `dim` numbers among `rows`, which holds each once:
    /// the `k` best, best first, and more only where several tie for the last place.
    ///
    /// # Errors
    /// When the file cannot be read, or the query has another dimension.
    pub fn find_nearest(
        &self,
        query: &[f32],
        rows: &[VectorRow],
        k: usize,
    ) -> Result<Vec<NearestRow>, VectorError> {
        if query.len() != self.dim {
            return Err(VectorError::Dimension {
                path: self.path.display().to_string(),
                dim: self.dim,
                got: query.len(),
            });
        }
        let query = normalise_vector(query);
        let mut bytes = vec![0; self.dim * NUMBER_BYTES];
        find_nearest_rows(rows, &self.codes, &query, k, |row| {
            let at = self.header_bytes
                + u64::from(row.0) * row_bytes(self.dim) as u64
                + KEY_BYTES as u64;
            self.file
                .read_exact_at(&mut bytes, at)
                .map_err(|error| io_error("read", &self.path, &error))?;
            Ok(cosine(
                &query,
                &decode_numbers(&bytes).collect::<Vec<f32>>(),
            ))
        })
    }

    /// Reads the rows that were added since the last read.
    fn read_new_rows(&mut self) -> Result<(), VectorError> {
        let fail = |error: std::io::Error| io_error("read", &self.path, &error);
        let length = self.file.metadata().map_err(fail)?.len();
        let row_bytes = row_bytes(self.dim);
        let count = length.saturating_sub(self.read_to) / row_bytes as u64;
        if count == 0 {
            return Ok(());
        }
        let rows = usize::try_from(count).unwrap_or(0);
        self.codes.reserve(rows);
        self.rows.reserve(rows);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.read_to)).map_err(fail)?;
        let mut reader = BufReader::with_capacity(READ_BYTES.max(row_bytes), file);
        let mut bytes = vec![0; row_bytes];
        for _ in 0..count {
            reader
                .read_exact(&mut bytes)
                .map_err(|error| io_error("read", &self.path, &error))?;
            self.read_to += row_bytes as u64;
            let full = || VectorError::Full {
                path: self.path.display().to_string(),
            };
            let row = VectorRow(u32::try_from(self.codes.len()).map_err(|_| full())?);
            match read_row(&bytes) {
                Some((key, vector)) => {
                    self.codes.push(&vector);
                    self.rows.entry(key).or_insert(row);
                }
                // It keeps its index, so that the others keep theirs; its text is embedded again.
                None => self.codes.push(&vec![0.0; self.dim]),
            }
        }
        Ok(())
    }

    /// Returns whether the file at this path is no longer the open one.
    fn is_stale(&self) -> bool {
        let open = self.file.metadata();
        match (open, std::fs::metadata(&self.path)) {
            (Ok(open), Ok(named)) => {
                (open.dev(), open.ino()) != (named.dev(), named.ino()) || named.len() < self.read_to
            }
            (Err(_), _) | (_, Err(_)) => true,
        }
    }
}

/// Returns the fault of an existing file; a missing one, and one with an incomplete header, is
/// fine.
fn find_fault(path: &Path, header: &[u8]) -> Result<Option<String>, VectorError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("read", path, &error)),
    };
    let mut begins = Vec::new();
    file.take(header.len() as u64)
        .read_to_end(&mut begins)
        .map_err(|error| io_error("read", path, &error))?;
    if header.starts_with(&begins) {
        return Ok(None);
    }
    let why = if begins.starts_with(MAGIC) {
        "its header is not that of this embedder"
    } else if begins.starts_with(&MAGIC[..MAGIC.len() - 1]) {
        "it has another version's form"
    } else {
        "it is no file of vectors"
    };
    Ok(Some(why.to_owned()))
}

fn build_header(embedder: &str, dim: usize) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend((dim as u32).to_le_bytes());
    header.extend((embedder.len() as u32).to_le_bytes());
    header.extend(embedder.as_bytes());
    let check = compute_checksum(&header);
    header.extend(check.to_le_bytes());
    header
}

fn row_bytes(dim: usize) -> usize {
    KEY_BYTES + dim * NUMBER_BYTES + CHECK_BYTES
}

fn push_row(bytes: &mut Vec<u8>, key: &TextKey, vector: &[f32]) {
    let start = bytes.len();
    bytes.extend(key.0);
    for value in normalise_vector(vector) {
        bytes.extend(value.to_le_bytes());
    }
    let check = compute_checksum(bytes.get(start..).unwrap_or_default());
    bytes.extend(check.to_le_bytes());
}

/// Reads a row; `None` when it is damaged.
fn read_row(bytes: &[u8]) -> Option<(TextKey, Vec<f32>)> {
    let (body, check) = bytes.split_last_chunk::<CHECK_BYTES>()?;
    let (key, row) = body.split_first_chunk::<KEY_BYTES>()?;
    if compute_checksum(body) != u64::from_le_bytes(*check) {
        return None;
    }
    let vector: Vec<f32> = decode_numbers(row).collect();
    let square_sum: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
    // Infinities and NaN fail this as well.
    (square_sum.sqrt() <= MAX_LENGTH).then_some((TextKey(*key), vector))
}

fn decode_numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let (chunks, _) = bytes.as_chunks::<NUMBER_BYTES>();
    chunks.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

/// Returns a vector scaled to length 1; a zero vector stays as it is.
fn normalise_vector(vector: &[f32]) -> Vec<f32> {
    let square_sum: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
    let length = square_sum.sqrt();
    if length > 0.0 {
        let unit_values = vector
            .iter()
            .map(|value| (f64::from(*value) / length) as f32);
        unit_values.collect()
    } else {
        vector.to_vec()
    }
}

/// Checksum in the manner of FNV-1a (64 bits), with words of 8 bytes: it detects torn or damaged
/// rows, not forgeries.
fn compute_checksum(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    // A multiplication carries upwards only: the rotation brings high bits back down.
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(PRIME).rotate_left(29);
    words.chain(rest).fold(OFFSET, mix)
}

fn open_file(path: &Path) -> Result<File, VectorError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|error| io_error("open", path, &error))
}

/// Waits for the lock file next to a file; it is released when the returned file is dropped, or the
/// process ends.
fn lock_file(path: &Path) -> Result<File, VectorError> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| io_error("create", folder, &error))?;
    }
    let beside = with_ending(path, "lock");
    let file = open_file(&beside)?;
    file.lock()
        .map_err(|error| io_error("lock", &beside, &error))?;
    Ok(file)
}

/// Returns the first free name for a damaged file; the last one is reused.
fn free_name(path: &Path) -> PathBuf {
    let names = (1..=MAX_SET_ASIDE).map(|number| with_ending(path, &format!("damaged-{number}")));
    let mut names = names.skip_while(|name| name.exists());
    names
        .next()
        .unwrap_or_else(|| with_ending(path, &format!("damaged-{MAX_SET_ASIDE}")))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn io_error(what: &'static str, path: &Path, error: &std::io::Error) -> VectorError {
    VectorError::Io {
        what,
        path: path.display().to_string(),
        why: error.to_string(),
    }
}
