//! Fetches a file over HTTP: whole and as the server named it, or not at all.
//!
//! What came before a connection broke is kept beside the file with the name that the server gave
//! this version of it; a later try goes on from there, and begins anew when the version is another.
//! Sends no key, and follows no redirect away from an encrypted connection.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, IF_RANGE, LOCATION, RANGE};
use reqwest::{Response, StatusCode, Url};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::bare_address;
use super::http::in_full;
use super::provider::plain_client;

/// How often a file is tried whose connection breaks or whose server is out of order.
const TRIES: u32 = 5;
/// How long the first wait between two tries is; each is twice the one before. A try that brought
/// something is followed at once.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How long silence is borne.
const PATIENCE: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: usize = 5;
/// Headers that may hold the SHA-256 of the file; the first one survives redirects.
const LINKED_ETAG: &str = "x-linked-etag";
const SHA256_HEX_CHARS: usize = 64;
/// How much is read at once when what was kept is hashed.
const READ_BYTES: usize = 1 << 16;

/// A file to fetch.
#[derive(Debug, Clone)]
pub struct Fetch {
    pub url: String,
    /// Where it is put once it is whole; a name with `.part` behind it is used until then.
    pub to: PathBuf,
    pub max_bytes: u64,
    pub redirects: Redirects,
}

/// Where a server may send us on to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirects {
    /// Anywhere but from an encrypted connection to one that is not.
    NotWeaker,
    /// To encrypted addresses, and within one server: for code.
    Encrypted,
}

/// What was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: String,
    /// Whether the server said the same checksum.
    pub checked: bool,
    /// How much of it an earlier try had brought.
    pub kept_bytes: u64,
}

/// Why a file was not fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("'{url}' is no address of a web server")]
    Address { url: String },
    #[error("{url}: the server answers {status}{}", match status { 404 => ": there is no such file", 401 | 403 => ": it does not give this file to everybody", _ => "" })]
    Status { url: String, status: u16 },
    #[error(
        "{url}: a web page came instead of the file; a proxy or a login page may stand between"
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

impl FetchError {
    /// Whether the next try may bring it.
    fn may_pass(&self) -> bool {
        match self {
            FetchError::Broken { .. } | FetchError::Short { .. } => true,
            FetchError::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            FetchError::Address { .. }
            | FetchError::Html { .. }
            | FetchError::TooLarge { .. }
            | FetchError::Checksum { .. }
            | FetchError::Redirect { .. }
            | FetchError::Write { .. } => false,
        }
    }
}

/// Fetches a file; `watch` is told how many bytes there are, and of how many.
///
/// # Errors
/// When it cannot be had whole; what came is kept for the next time unless it was wrong.
pub async fn fetch(
    file: &Fetch,
    watch: &(dyn Fn(u64, Option<u64>) + Sync),
) -> Result<Fetched, FetchError> {
    let mut wait = FIRST_WAIT;
    let mut tries = 0;
    loop {
        tries += 1;
        let before = Part::of(file).bytes();
        let error = match one_try(file, watch).await {
            Ok(fetched) => return Ok(fetched),
            Err(error) => error,
        };
        if tries >= TRIES || !error.may_pass() {
            return Err(error);
        }
        if Part::of(file).bytes() <= before {
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
    }
}

async fn one_try(
    file: &Fetch,
    watch: &(dyn Fn(u64, Option<u64>) + Sync),
) -> Result<Fetched, FetchError> {
    let part = Part::of(file);
    let kept = part.version().filter(|_| part.bytes() > 0);
    let from = kept.as_deref().map(|version| (part.bytes(), version));
    let (mut response, linked) = match ask(file, from).await {
        Err(FetchError::Status { url, status: 416 }) if from.is_some() => {
            part.forget();
            return Err(broken(&url, "what was kept is not a part of it".to_owned()));
        }
        asked => asked?,
    };
    let goes_on = response.status() == StatusCode::PARTIAL_CONTENT;
    let name = version(response.headers());
    let said = linked.or_else(|| checksum_of(name.as_deref()));
    let kept_bytes = if goes_on { part.bytes() } else { 0 };
    let left = response.content_length();
    let total = left.map(|left| left + kept_bytes);
    if total.is_some_and(|total| total > file.max_bytes) {
        return Err(too_large(file));
    }
    let mut out = part.begin(kept_bytes, name.as_deref())?;
    let mut bytes = kept_bytes;
    watch(bytes, total);
    let shown = bare_address(&file.url);
    loop {
        let chunk = match timeout(PATIENCE, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break,
            Ok(Err(error)) => return Err(broken(&shown, in_full(error))),
            Err(_) => return Err(broken(&shown, silent())),
        };
        bytes += chunk.len() as u64;
        if bytes > file.max_bytes {
            drop(out);
            part.forget();
            return Err(too_large(file));
        }
        out.write_all(&chunk)
            .map_err(|error| write(&part.path, &error))?;
        watch(bytes, total);
    }
    if let Some(said) = total.filter(|said| *said != bytes) {
        return Err(FetchError::Short {
            url: shown,
            said,
            got: bytes,
        });
    }
    out.sync_all().map_err(|error| write(&part.path, &error))?;
    drop(out);
    let got = part.sha256()?;
    if let Some(said) = said.as_ref().filter(|said| **said != got) {
        // Going on from it would bring the same again.
        part.forget();
        return Err(FetchError::Checksum {
            url: shown,
            said: said.clone(),
            got,
        });
    }
    std::fs::rename(&part.path, &file.to).map_err(|error| write(&file.to, &error))?;
    part.forget();
    Ok(Fetched {
        bytes,
        sha256: got,
        checked: said.is_some(),
        kept_bytes,
    })
}

/// Asks for a file, or for what is missing of it, through redirects. Returns with the answer the
/// checksum that a redirecting server named.
async fn ask(
    file: &Fetch,
    kept: Option<(u64, &str)>,
) -> Result<(Response, Option<String>), FetchError> {
    let address = || FetchError::Address {
        url: bare_address(&file.url),
    };
    let mut url = Url::parse(&file.url).map_err(|_| address())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(address());
    }
    let mut linked = None;
    for _ in 0..=MAX_REDIRECTS {
        let shown = bare_address(url.as_str());
        let http = plain_client(url.as_str()).map_err(|error| broken(&shown, in_full(error)))?;
        let mut request = http.get(url.clone());
        if let Some((bytes, version)) = kept {
            request = request
                .header(RANGE, format!("bytes={bytes}-"))
                .header(IF_RANGE, version);
        }
        let response = match timeout(PATIENCE, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(broken(&shown, in_full(error))),
            Err(_) => return Err(broken(&shown, silent())),
        };
        let headers = response.headers();
        linked = linked.or_else(|| checksum_of(header(headers, LINKED_ETAG).as_deref()));
        let status = response.status();
        if status.is_redirection() {
            let redirect = || FetchError::Redirect { url: shown.clone() };
            let next = header(headers, LOCATION.as_str()).ok_or_else(redirect)?;
            let next = url.join(&next).map_err(|_| redirect())?;
            let is_weaker = url.scheme() == "https" && next.scheme() != "https";
            let is_elsewhere = next.scheme() != "https" && next.origin() != url.origin();
            let is_refused = match file.redirects {
                Redirects::NotWeaker => is_weaker,
                Redirects::Encrypted => is_weaker || is_elsewhere,
            };
            if is_refused || !matches!(next.scheme(), "http" | "https") {
                return Err(redirect());
            }
            url = next;
            continue;
        }
        if !status.is_success() {
            return Err(FetchError::Status {
                url: shown,
                status: status.as_u16(),
            });
        }
        let kind = header(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
        if kind.to_ascii_lowercase().starts_with("text/html") {
            return Err(FetchError::Html { url: shown });
        }
        return Ok((response, linked));
    }
    Err(FetchError::Redirect {
        url: bare_address(&file.url),
    })
}

/// What came so far.
struct Part {
    path: PathBuf,
    /// Holds what the server calls the version that it is a part of.
    version: PathBuf,
}

impl Part {
    fn of(file: &Fetch) -> Self {
        Part {
            path: with_ending(&file.to, "part"),
            version: with_ending(&file.to, "part-of"),
        }
    }

    fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }

    fn version(&self) -> Option<String> {
        std::fs::read_to_string(&self.version).ok()
    }

    /// Opens the part for what follows its first `keep` bytes.
    fn begin(&self, keep: u64, version: Option<&str>) -> Result<File, FetchError> {
        let fail = |error: std::io::Error| write(&self.path, &error);
        match version {
            Some(version) => std::fs::write(&self.version, version).map_err(fail)?,
            // Without a name for the version nothing can be put behind it later.
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

    fn forget(&self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(&self.version);
    }

    fn sha256(&self) -> Result<String, FetchError> {
        let fail = |error: std::io::Error| write(&self.path, &error);
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

/// A name of the version that is good for going on: a weak one is not.
fn version(headers: &HeaderMap) -> Option<String> {
    header(headers, ETAG.as_str()).filter(|tag| tag.starts_with('"'))
}

/// Reads a SHA-256 out of the name of a version, as model hubs give it.
fn checksum_of(tag: Option<&str>) -> Option<String> {
    let hex = tag?.trim_start_matches("W/").trim_matches('"');
    let is_one = hex.len() == SHA256_HEX_CHARS && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| hex.to_ascii_lowercase())
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn silent() -> String {
    format!("nothing came for {} seconds", PATIENCE.as_secs())
}

fn broken(url: &str, why: String) -> FetchError {
    FetchError::Broken {
        url: url.to_owned(),
        why,
    }
}

fn too_large(file: &Fetch) -> FetchError {
    FetchError::TooLarge {
        url: bare_address(&file.url),
        max_bytes: file.max_bytes,
    }
}

fn write(path: &Path, error: &std::io::Error) -> FetchError {
    FetchError::Write {
        path: path.display().to_string(),
        why: error.to_string(),
    }
}
