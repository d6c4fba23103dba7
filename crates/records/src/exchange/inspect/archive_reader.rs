//! Samples out of an `.eval` archive: a zip of JSON documents, packed by zstd or by deflate.
//!
//! What an archive calls its entries decides nothing but which of them are samples; nothing is written. Sizes that it
//! claims are not believed: every entry is unpacked up to a bound, and all of them together up to another.

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};
use ruzstd::decoding::StreamingDecoder;
use std::fs::File;
use std::io::Read;
use thiserror::Error;

/// The largest document of a log, unpacked.
pub const MAX_DOCUMENT_BYTES: u64 = 256 << 20;
/// All documents of a log that are read, unpacked.
pub const MAX_LOG_BYTES: u64 = 8 << 30;
/// The most entries of an archive.
const MAX_ENTRIES: usize = 250_000;
/// The longest name of an entry.
const MAX_NAME_BYTES: usize = 4096;
/// The most that a zstd decoder keeps of what it has unpacked.
const MAX_WINDOW_BYTES: u64 = 128 << 20;
const SAMPLES: &str = "samples/";
const ENDING: &str = ".json";
const HEADER: &str = "header.json";

/// A fault of an archive.
#[derive(Debug, Error)]
pub enum ArchiveFault {
    #[error("it is no archive of Inspect: {0}")]
    NoArchive(String),
    #[error("it has more than {MAX_ENTRIES} entries")]
    TooManyEntries,
    #[error("the name of an entry has more than {MAX_NAME_BYTES} bytes")]
    LongName,
    #[error(
        "it holds no samples, only what Inspect writes beside them; log them with '--log-samples' or, of a log in \
         chunks, convert it back with Inspect"
    )]
    NoSamples,
    #[error("its documents are more than {MAX_LOG_BYTES} bytes, unpacked; divide it")]
    TooLarge,
}

/// A document of an archive.
#[derive(Clone)]
struct Entry {
    name: String,
    at: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

/// An archive whose entries are known.
pub struct LogArchive {
    archive: ZipArchive<rawzip::FileReader>,
    header: Option<Entry>,
    samples: Vec<Entry>,
    left_bytes: u64,
}

impl LogArchive {
    /// Reads the list of an archive's entries.
    ///
    /// # Errors
    /// When it is none, its list is damaged or too long, or it has no samples.
    pub fn open(file: File) -> Result<Self, ArchiveFault> {
        let no_archive = |error: rawzip::Error| ArchiveFault::NoArchive(error.to_string());
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(no_archive)?;
        let mut entries = archive.entries(&mut buffer);
        let (mut header, mut samples) = (None, Vec::new());
        let mut count = 0;
        while let Some(entry) = entries.next_entry().map_err(no_archive)? {
            count += 1;
            if count > MAX_ENTRIES {
                return Err(ArchiveFault::TooManyEntries);
            }
            let path = entry.file_path();
            let path = path.as_ref();
            if path.len() > MAX_NAME_BYTES {
                return Err(ArchiveFault::LongName);
            }
            let name = String::from_utf8_lossy(path).into_owned();
            let is_sample = name.starts_with(SAMPLES) && name.ends_with(ENDING);
            let is_header = name == HEADER;
            let known = Entry {
                name,
                at: entry.wayfinder(),
                method: entry.compression_method(),
            };
            if is_sample {
                samples.push(known);
            } else if is_header {
                header = Some(known);
            }
        }
        if samples.is_empty() {
            return Err(ArchiveFault::NoSamples);
        }
        // Inspect writes samples as they end.
        samples.sort_by(|one, other| one.name.cmp(&other.name));
        // A sample that was scored anew stands there twice: the last one counts, as for Inspect.
        samples.reverse();
        samples.dedup_by(|one, other| one.name == other.name);
        samples.reverse();
        Ok(Self {
            archive,
            header,
            samples,
            left_bytes: MAX_LOG_BYTES,
        })
    }

    /// Returns how many samples there are.
    pub fn count_samples(&self) -> usize {
        self.samples.len()
    }

    /// Returns the header's bytes, or what is wrong with it; a log that goes on has none.
    ///
    /// # Errors
    /// When all documents together are too large.
    pub fn read_header(&mut self) -> Result<Option<Result<Vec<u8>, String>>, ArchiveFault> {
        match self.header.take() {
            Some(entry) => Ok(Some(self.unpack(&entry)?)),
            None => Ok(None),
        }
    }

    /// Returns the name of one of [`count_samples`](Self::count_samples) samples and its bytes, or what is wrong with
    /// it.
    ///
    /// # Errors
    /// When all documents together are too large.
    pub fn read_sample(
        &mut self,
        index: usize,
    ) -> Result<(String, Result<Vec<u8>, String>), ArchiveFault> {
        let entry = self.samples[index].clone();
        let bytes = self.unpack(&entry)?;
        Ok((entry.name, bytes))
    }

    fn unpack(&mut self, entry: &Entry) -> Result<Result<Vec<u8>, String>, ArchiveFault> {
        let limit = MAX_DOCUMENT_BYTES.min(self.left_bytes);
        let bytes = unpack_entry(&self.archive, entry, limit);
        match bytes {
            Ok(bytes) if bytes.len() as u64 > limit => match limit < MAX_DOCUMENT_BYTES {
                true => Err(ArchiveFault::TooLarge),
                false => {
                    self.left_bytes -= limit;
                    Ok(Err(format!(
                        "it is more than {MAX_DOCUMENT_BYTES} bytes, unpacked"
                    )))
                }
            },
            Ok(bytes) => {
                self.left_bytes -= bytes.len() as u64;
                Ok(Ok(bytes))
            }
            Err(why) => Ok(Err(format!("it cannot be unpacked: {why}"))),
        }
    }
}

/// Unpacks an entry, up to one byte more than the limit.
fn unpack_entry(
    archive: &ZipArchive<rawzip::FileReader>,
    entry: &Entry,
    limit: u64,
) -> Result<Vec<u8>, String> {
    let damage = |error: rawzip::Error| error.to_string();
    let member = archive.get_entry(entry.at).map_err(damage)?;
    let packed = member.reader();
    let unpacked: Box<dyn Read + '_> = match entry.method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
        CompressionMethod::ZSTD => {
            let decoder = StreamingDecoder::new_with_max_window_size(packed, MAX_WINDOW_BYTES);
            Box::new(decoder.map_err(|error| error.to_string())?)
        }
        other => return Err(format!("it is packed by {other:?}")),
    };
    let mut bytes = Vec::new();
    let mut checked = member.verifying_reader(unpacked).take(limit + 1);
    checked
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}
