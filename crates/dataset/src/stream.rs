//! Stream of a dataset's file: read in pieces, unpacked where it is compressed, hashed on the way.

use super::DatasetError;
use super::load::encode_hex;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The largest file that is read, as it lies on the disk and unpacked.
pub(super) const MAX_STREAMED_BYTES: u64 = 16 << 30;
/// How much larger than its file a compressed dataset may be: text is 3 to 20 times.
const MAX_RATIO: u64 = 200;
/// Bytes of which the ratio is not yet looked at.
const RATIO_FREE_BYTES: u64 = 64 << 20;
/// First bytes of a file that gzip has packed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The file's own bytes, counted and hashed.
struct HashedFile {
    file: File,
    read: Rc<RefCell<FileRead>>,
}

#[derive(Default)]
struct FileRead {
    hash: Sha256,
    bytes: u64,
}

impl Read for HashedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        let mut read = self.read.borrow_mut();
        read.hash.update(into.get(..count).unwrap_or_default());
        read.bytes += count as u64;
        Ok(count)
    }
}

/// The text of a dataset's file, from its beginning on.
pub(super) struct FileStream {
    path: PathBuf,
    text: Box<dyn Read>,
    file: Rc<RefCell<FileRead>>,
    packing: Packing,
    unpacked_bytes: u64,
    is_at_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
}

impl FileStream {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened or read.
    pub(super) fn open(path: &Path) -> Result<Self, DatasetError> {
        let unreadable = |source: std::io::Error| DatasetError::Read {
            path: path.to_owned(),
            source: source.into(),
        };
        let mut begin = Vec::new();
        let looked_at = File::open(path).map_err(unreadable)?;
        let mut looked_at = looked_at.take(GZIP.len() as u64);
        looked_at.read_to_end(&mut begin).map_err(unreadable)?;
        let file = Rc::new(RefCell::new(FileRead::default()));
        let hashed_file = HashedFile {
            file: File::open(path).map_err(unreadable)?,
            read: Rc::clone(&file),
        };
        let packing = match begin == GZIP {
            true => Packing::Gzip,
            false => Packing::None,
        };
        let text: Box<dyn Read> = match packing {
            Packing::Gzip => Box::new(MultiGzDecoder::new(hashed_file)),
            Packing::None => Box::new(hashed_file),
        };
        Ok(Self {
            path: path.to_owned(),
            text,
            file,
            packing,
            unpacked_bytes: 0,
            is_at_end: false,
        })
    }

    /// Says whether nothing follows.
    pub(super) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Adds at most so many bytes to a buffer, fewer only at the end.
    ///
    /// # Errors
    /// When the file cannot be read or unpacked, or is larger than its bounds.
    pub(super) fn fill_buffer(
        &mut self,
        bytes: &mut Vec<u8>,
        most: usize,
    ) -> Result<(), DatasetError> {
        let before = bytes.len();
        let mut piece = self.text.by_ref().take(most as u64);
        piece
            .read_to_end(bytes)
            .map_err(|source| self.read_error(source))?;
        let count = bytes.len() - before;
        self.is_at_end = count < most;
        self.unpacked_bytes += count as u64;
        let read = self.file.borrow().bytes;
        let max_unpacked_bytes = read.saturating_mul(MAX_RATIO).max(RATIO_FREE_BYTES);
        if self.unpacked_bytes > max_unpacked_bytes {
            return Err(DatasetError::Unpacks {
                path: self.path.clone(),
                times: MAX_RATIO,
            });
        }
        if self.unpacked_bytes > MAX_STREAMED_BYTES {
            return Err(DatasetError::TooLarge {
                path: self.path.clone(),
                limit_bytes: MAX_STREAMED_BYTES,
            });
        }
        Ok(())
    }

    fn read_error(&self, source: io::Error) -> DatasetError {
        let path = self.path.clone();
        match self.packing {
            Packing::None => DatasetError::Read {
                path,
                source: source.into(),
            },
            Packing::Gzip => DatasetError::NoText {
                path,
                why: format!("the file is compressed by gzip and damaged: {source}"),
            },
        }
    }

    /// Returns the SHA-256 of the file's own bytes, in hexadecimal, once it is read.
    pub(super) fn sha256(&self) -> String {
        encode_hex(&self.file.borrow().hash.clone().finalize())
    }
}
