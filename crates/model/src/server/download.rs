//! Download of a file over HTTP: whole and as the server announced it, or not at all.
//!
//! A partial download is kept next to the target file together with the version (ETag) that the
//! server gave; a later attempt resumes it, and starts over when the version is another one. Sends
//! no key, and follows no redirect away from an encrypted connection.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, IF_RANGE, LOCATION, RANGE};
use reqwest::{Response, StatusCode, Url};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::http::error_chain;
use super::provider::plain_client;
use crate::bare_address;

/// Number of attempts when a connection breaks or the server is out of order.
const TRIES: u32 = 5;
/// Wait before the second attempt, doubled each time. An attempt that brought data is followed at
/// once.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest silence of a server.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: usize = 5;
/// Headers that may hold the SHA-256 of the file; the first one survives redirects.
const LINKED_ETAG: &str = "x-linked-etag";
const SHA256_HEX_CHARS: usize = 64;
/// Size of the reads when a partial download is hashed.
const READ_BYTES: usize = 1 << 16;

/// A file to fetch.
#[derive(Debug, Clone)]
pub struct Download {
    pub url: String,
    /// Target path. Until the file is whole, it has the ending `.part`.
    pub to: PathBuf,
    pub max_bytes: u64,
    pub redirects: RedirectPolicy,
}

/// Redirects that are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectPolicy {
    /// Any, except from an encrypted connection to one that is not.
    NotWeaker,
    /// To encrypted addresses, and within one server: for code.
    Encrypted,
}

/// A downloaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: String,
    /// Whether the server announced a checksum, which then matched.
    pub checked: bool,
    /// Bytes that an earlier attempt had brought.
    pub kept_bytes: u64,
}

/// Reason of a failed download.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    #[error("'{url}' is no address of a web server")]
    Address { url: String },
    #[error("{url}: the server answers {status}{}", match status { 404 => ": there is no such file", 401 | 403 => ": access to this file is restricted", _ => "" })]
    Status { url: String, status: u16 },
    #[error(
        "{url}: a web page came instead of the file; a proxy or a login page may be in between"
    )]
    Html { url: String },
    #[error("{url}: the file is larger than {max_bytes} bytes, so it is not what was asked for")]
    TooLarge { url: String, max_bytes: u64 },
    #[error("{url}: {got} bytes came of {said}")]
    Short { url: String, said: u64, got: u64 },
    #[error(
        "{url}: the file does not have the checksum that the server says (SHA-256 {said}, got {got})"
    )]
    Checksum {
        url: String,
        said: String,
        got: String,
    },
    #[error("{url}: {why}")]
    Broken { url: String, why: String },
    #[error("{url}: it redirects to where nothing is fetched from")]
    Redirect { url: String },
    #[error("cannot write {path}: {why}")]
    Write { path: String, why: String },
}

impl DownloadError {
    /// Returns whether another attempt may succeed.
    fn may_pass(&self) -> bool {
        match self {
            DownloadError::Broken { .. } | DownloadError::Short { .. } => true,
            DownloadError::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            DownloadError::Address { .. }
            | DownloadError::Html { .. }
            | DownloadError::TooLarge { .. }
            | DownloadError::Checksum { .. }
            | DownloadError::Redirect { .. }
            | DownloadError::Write { .. } => false,
        }
    }
}

/// Downloads a file; `watch` receives the bytes so far and the total, if known.
///
/// # Errors
/// When the file cannot be had whole; a partial download is kept for the next time unless it was
/// wrong.
pub async fn download_file(
    file: &Download,
    watch: &(dyn Fn(u64, Option<u64>) + Sync),
) -> Result<Downloaded, DownloadError> {
    let mut wait = FIRST_WAIT;
    let mut tries = 0;
    loop {
        tries += 1;
        let before = PartialFile::from_download(file).bytes();
        let error = match attempt_download(file, watch).await {
            Ok(fetched) => return Ok(fetched),
            Err(error) => error,
        };
        if tries >= TRIES || !error.may_pass() {
            return Err(error);
        }
        if PartialFile::from_download(file).bytes() <= before {
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
    }
}

async fn attempt_download(
    file: &Download,
    watch: &(dyn Fn(u64, Option<u64>) + Sync),
) -> Result<Downloaded, DownloadError> {
    let part = PartialFile::from_download(file);
    let part_version = part.read_version().filter(|_| part.bytes() > 0);
    let from = part_version
        .as_deref()
        .map(|version| (part.bytes(), version));
    let (mut response, linked_sha256) = match request_file(file, from).await {
        Err(DownloadError::Status { url, status: 416 }) if from.is_some() => {
            part.remove_files();
            return Err(broken_error(
                &url,
                "what was kept is not a part of it".to_owned(),
            ));
        }
        result => result?,
    };
    let goes_on = response.status() == StatusCode::PARTIAL_CONTENT;
    let name = find_strong_etag(response.headers());
    let expected_sha256 = linked_sha256.or_else(|| sha256_in_tag(name.as_deref()));
    let kept_bytes = if goes_on { part.bytes() } else { 0 };
    let remaining_bytes = response.content_length();
    let total = remaining_bytes.map(|left| left + kept_bytes);
    if total.is_some_and(|total| total > file.max_bytes) {
        return Err(too_large_error(file));
    }
    let mut out = part.open_part(kept_bytes, name.as_deref())?;
    let mut bytes = kept_bytes;
    watch(bytes, total);
    let display_url = bare_address(&file.url);
    loop {
        let chunk = match timeout(SILENCE_LIMIT, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break,
            Ok(Err(error)) => return Err(broken_error(&display_url, error_chain(error))),
            Err(_) => return Err(broken_error(&display_url, no_data_message())),
        };
        bytes += chunk.len() as u64;
        if bytes > file.max_bytes {
            drop(out);
            part.remove_files();
            return Err(too_large_error(file));
        }
        out.write_all(&chunk)
            .map_err(|error| write_error(&part.path, &error))?;
        watch(bytes, total);
    }
    if let Some(expected_bytes) = total.filter(|said| *said != bytes) {
        return Err(DownloadError::Short {
            url: display_url,
            said: expected_bytes,
            got: bytes,
        });
    }
    out.sync_all()
        .map_err(|error| write_error(&part.path, &error))?;
    drop(out);
    let actual_sha256 = part.compute_sha256()?;
    if let Some(expected_sha256) = expected_sha256
        .as_ref()
        .filter(|said| **said != actual_sha256)
    {
        // Resuming would bring the same bytes again.
        part.remove_files();
        return Err(DownloadError::Checksum {
            url: display_url,
            said: expected_sha256.clone(),
            got: actual_sha256,
        });
    }
    std::fs::rename(&part.path, &file.to).map_err(|error| write_error(&file.to, &error))?;
    part.remove_files();
    Ok(Downloaded {
        bytes,
        sha256: actual_sha256,
        checked: expected_sha256.is_some(),
        kept_bytes,
    })
}

/// Requests a file, or the missing part of it, through redirects. Returns the response with the
/// checksum that a redirecting server announced.
async fn request_file(
    file: &Download,
    resume_from: Option<(u64, &str)>,
) -> Result<(Response, Option<String>), DownloadError> {
    let address = || DownloadError::Address {
        url: bare_address(&file.url),
    };
    let mut url = Url::parse(&file.url).map_err(|_| address())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(address());
    }
    let mut linked_sha256 = None;
    for _ in 0..=MAX_REDIRECTS {
        let display_url = bare_address(url.as_str());
        let http = plain_client(url.as_str())
            .map_err(|error| broken_error(&display_url, error_chain(error)))?;
        let mut request = http.get(url.clone());
        if let Some((bytes, version)) = resume_from {
            request = request
                .header(RANGE, format!("bytes={bytes}-"))
                .header(IF_RANGE, version);
        }
        let response = match timeout(SILENCE_LIMIT, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(broken_error(&display_url, error_chain(error))),
            Err(_) => return Err(broken_error(&display_url, no_data_message())),
        };
        let headers = response.headers();
        linked_sha256 =
            linked_sha256.or_else(|| sha256_in_tag(find_header(headers, LINKED_ETAG).as_deref()));
        let status = response.status();
        if status.is_redirection() {
            let redirect = || DownloadError::Redirect {
                url: display_url.clone(),
            };
            let next = find_header(headers, LOCATION.as_str()).ok_or_else(redirect)?;
            let next = url.join(&next).map_err(|_| redirect())?;
            let is_weaker = url.scheme() == "https" && next.scheme() != "https";
            let is_elsewhere = next.scheme() != "https" && next.origin() != url.origin();
            let is_refused = match file.redirects {
                RedirectPolicy::NotWeaker => is_weaker,
                RedirectPolicy::Encrypted => is_weaker || is_elsewhere,
            };
            if is_refused || !matches!(next.scheme(), "http" | "https") {
                return Err(redirect());
            }
            url = next;
            continue;
        }
        if !status.is_success() {
            return Err(DownloadError::Status {
                url: display_url,
                status: status.as_u16(),
            });
        }
        let kind = find_header(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
        if kind.to_ascii_lowercase().starts_with("text/html") {
            return Err(DownloadError::Html { url: display_url });
        }
        return Ok((response, linked_sha256));
    }
    Err(DownloadError::Redirect {
        url: bare_address(&file.url),
    })
}

/// The part of a file that was downloaded so far.
struct PartialFile {
    path: PathBuf,
    /// File that holds the version (ETag) of which this is a part.
    version: PathBuf,
}

impl PartialFile {
    fn from_download(file: &Download) -> Self {
        PartialFile {
            path: append_ending(&file.to, "part"),
            version: append_ending(&file.to, "part-of"),
        }
    }

    fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }

    fn read_version(&self) -> Option<String> {
        std::fs::read_to_string(&self.version).ok()
    }

    /// Opens the part for what follows its first `keep` bytes.
    fn open_part(&self, keep: u64, version: Option<&str>) -> Result<File, DownloadError> {
        let fail = |error: std::io::Error| write_error(&self.path, &error);
        match version {
            Some(version) => std::fs::write(&self.version, version).map_err(fail)?,
            // Without a version it cannot be resumed later.
            None => {
                let _ = std::fs::remove_file(&self.version);
            }
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&self.path)
            .map_err(fail)?;
        file.set_len(keep).map_err(fail)?;
        file.seek(SeekFrom::Start(keep)).map_err(fail)?;
        Ok(file)
    }

    fn remove_files(&self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(&self.version);
    }

    fn compute_sha256(&self) -> Result<String, DownloadError> {
        let fail = |error: std::io::Error| write_error(&self.path, &error);
        let mut file = File::open(&self.path).map_err(fail)?;
        let mut hash = Sha256::new();
        let mut bytes = vec![0; READ_BYTES];
        loop {
            match file.read(&mut bytes).map_err(fail)? {
                0 => break,
                count => hash.update(bytes.get(..count).unwrap_or_default()),
            }
        }
        let digest = hash.finalize();
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Returns the strong ETag; a weak one does not allow to resume.
fn find_strong_etag(headers: &HeaderMap) -> Option<String> {
    find_header(headers, ETAG.as_str()).filter(|tag| tag.starts_with('"'))
}

/// Reads a SHA-256 from an ETag, where model hubs put it.
fn sha256_in_tag(tag: Option<&str>) -> Option<String> {
    let hex = tag?.trim_start_matches("W/").trim_matches('"');
    let is_one = hex.len() == SHA256_HEX_CHARS && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| hex.to_ascii_lowercase())
}

fn find_header(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

fn append_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn no_data_message() -> String {
    format!("nothing came for {} seconds", SILENCE_LIMIT.as_secs())
}

fn broken_error(url: &str, why: String) -> DownloadError {
    DownloadError::Broken {
        url: url.to_owned(),
        why,
    }
}

fn too_large_error(file: &Download) -> DownloadError {
    DownloadError::TooLarge {
        url: bare_address(&file.url),
        max_bytes: file.max_bytes,
    }
}

fn write_error(path: &Path, error: &std::io::Error) -> DownloadError {
    DownloadError::Write {
        path: path.display().to_string(),
        why: error.to_string(),
    }
}
