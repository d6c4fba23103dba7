//! Archives of ONNX Runtime: takes the library out of a `.whl`, `.zip` or `.tgz`.
//!
//! One file is written, under its plain name in a folder of the caller's: what an archive calls its files
//! decides nothing about where they go. Memory does not grow with an archive's list of files.

use flate2::read::{DeflateDecoder, GzDecoder};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// Prefix of the library's file names in every version.
const STEM: &str = "libonnxruntime.";
const ENDING: &str = if cfg!(target_os = "macos") {
    "dylib"
} else {
    "so"
};
const MAX_LIBRARY_BYTES: u64 = 1 << 30;
/// Bytes of a `.tgz` that are unpacked in search of the library: builds for graphics cards have 700 MB.
const MAX_UNPACKED_BYTES: u64 = 4 << 30;
/// The longest path of an archive's member that is considered.
const MAX_MEMBER_CHARS: usize = 255;

/// Why an archive gives no library.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{path} cannot be read: {why}")]
    Unreadable { path: String, why: String },
    #[error("it is no archive: a .whl, .zip or .tgz was expected")]
    NoArchive,
    #[error("the archive cannot be listed, so it is damaged: {0}")]
    Unlisted(String),
    #[error("the archive cannot be unpacked, so it is damaged: {0}")]
    Damaged(String),
    #[error("the archive holds no library of ONNX Runtime")]
    NoLibrary,
    #[error("the library in the archive is larger than {MAX_LIBRARY_BYTES} bytes")]
    TooLarge,
    #[error("{path} cannot be written: {why}")]
    Unwritable { path: String, why: String },
}

/// A member that is the library, with what finds it again in its kind of archive.
struct Member<At> {
    path: String,
    at: At,
}

/// Writes the library of an archive into a folder, durably; returns its path.
///
/// # Errors
/// When the file is no archive or a damaged one, holds no library or one that is too large, or the folder
/// cannot be written to. A library that was written in part is left there.
pub fn unpack_runtime(archive: &Path, into: &Path) -> Result<PathBuf, ArchiveError> {
    let unreadable = |error: io::Error| ArchiveError::Unreadable {
        path: archive.display().to_string(),
        why: error.to_string(),
    };
    let mut file = File::open(archive).map_err(unreadable)?;
    let mut head = Vec::new();
    let read = (&mut file).take(4).read_to_end(&mut head);
    read.and_then(|_| file.rewind()).map_err(unreadable)?;
    match head.as_slice() {
        [b'P', b'K', 3, 4] => unpack_zip(file, into),
        [0x1f, 0x8b, ..] => unpack_tgz(file, into),
        _ => Err(ArchiveError::NoArchive),
    }
}

fn unpack_zip(file: File, into: &Path) -> Result<PathBuf, ArchiveError> {
    let listing_error = |error: rawzip::Error| ArchiveError::Unlisted(error.to_string());
    let damage_error = |error: rawzip::Error| ArchiveError::Damaged(error.to_string());
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(listing_error)?;
    let mut entries = archive.entries(&mut buffer);
    let mut library: Option<Member<(ZipArchiveEntryWayfinder, CompressionMethod)>> = None;
    while let Some(entry) = entries.next_entry().map_err(listing_error)? {
        let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        if entry.uncompressed_size_hint() > 0 {
            let at = (entry.wayfinder(), entry.compression_method());
            keep_runtime_library(&mut library, path, at);
        }
    }
    let library = library.ok_or(ArchiveError::NoLibrary)?;
    let (wayfinder, method) = library.at;
    let entry = archive.get_entry(wayfinder).map_err(damage_error)?;
    let packed_bytes = entry.reader();
    let contents: Box<dyn Read + '_> = match method {
        CompressionMethod::STORE => Box::new(packed_bytes),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed_bytes)),
        other => return Err(ArchiveError::Damaged(format!("it is packed by {other:?}"))),
    };
    write_library(
        &mut entry.verifying_reader(contents),
        &into.join(file_name(&library.path)),
    )
}

/// Reads the archive twice: which of its members is the library is known when all are.
fn unpack_tgz(mut file: File, into: &Path) -> Result<PathBuf, ArchiveError> {
    let listing_error = |error: io::Error| ArchiveError::Unlisted(error.to_string());
    let damage_error = |error: io::Error| ArchiveError::Damaged(error.to_string());
    let mut library: Option<Member<usize>> = None;
    // Raw: members with names of their own behind them would be read into memory.
    for (at, member) in open_tar(&file)
        .entries()
        .map_err(listing_error)?
        .raw(true)
        .enumerate()
    {
        let member = member.map_err(listing_error)?;
        if member.header().entry_type().is_file() && member.size() > 0 {
            let path = String::from_utf8_lossy(&member.path_bytes()).into_owned();
            keep_runtime_library(&mut library, path, at);
        }
    }
    let library = library.ok_or(ArchiveError::NoLibrary)?;
    file.rewind().map_err(damage_error)?;
    let mut archive = open_tar(&file);
    let mut entries = archive.entries().map_err(damage_error)?.raw(true);
    let member = entries.nth(library.at).ok_or(ArchiveError::NoLibrary)?;
    write_library(
        &mut member.map_err(damage_error)?,
        &into.join(file_name(&library.path)),
    )
}

fn open_tar(file: &File) -> tar::Archive<impl Read + '_> {
    tar::Archive::new(GzDecoder::new(file).take(MAX_UNPACKED_BYTES))
}

/// Keeps a member where it is the library. The name with the whole version wins: links of the plain name
/// have no bytes of their own.
fn keep_runtime_library<At>(library: &mut Option<Member<At>>, path: String, at: At) {
    let is_longer = |known: &Member<At>| path.len() > known.path.len();
    if is_runtime_library(&path) && library.as_ref().is_none_or(is_longer) {
        *library = Some(Member { path, at });
    }
}

/// Says whether a member of an archive is the library, under a path that no program would mistake.
fn is_runtime_library(member: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+');
    let name = file_name(member);
    name.starts_with(STEM)
        && name.split('.').any(|part| part == ENDING)
        && member.len() <= MAX_MEMBER_CHARS
        && member.chars().all(plain)
        && !member.starts_with(['/', '-'])
        && member.split('/').all(|part| part != "..")
}

fn file_name(member: &str) -> &str {
    member.rsplit('/').next().unwrap_or(member)
}

fn write_library(unpacked: &mut dyn Read, path: &Path) -> Result<PathBuf, ArchiveError> {
    let unwritable = |error: io::Error| ArchiveError::Unwritable {
        path: path.display().to_string(),
        why: error.to_string(),
    };
    let mut file = File::create(path).map_err(unwritable)?;
    let copy_result = io::copy(&mut unpacked.take(MAX_LIBRARY_BYTES + 1), &mut file);
    // What the system refuses is the disk's; the rest is said by those who unpack.
    let bytes = copy_result.map_err(|error| match error.raw_os_error() {
        Some(_) => unwritable(error),
        None => ArchiveError::Damaged(error.to_string()),
    })?;
    if bytes > MAX_LIBRARY_BYTES {
        return Err(ArchiveError::TooLarge);
    }
    file.sync_all().map_err(unwritable)?;
    Ok(path.to_path_buf())
}
