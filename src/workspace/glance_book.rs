//! File of session overviews, so that a list need not read every journal again.
//!
//! Journals stay the truth: an overview counts while its journal is the file, of the length and time,
//! that it was when it was read. The file lies next to the workbench's other state and is no cache of
//! the store: it may be lost, damaged or of another store, and is then treated as empty.

use super::error::WorkspaceError;
use super::examples::Example;
use super::session::read_session;
use super::session_index::{Summary, summary};
use super::session_list::{SessionOverview, UnreadableSession};
use crate::debate::{SessionId, State};
use crate::store::{Layout, StoreError, has_head, likely_holder, replace_private};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// To be counted up when an overview means something else, even in the same shape.
const FORMAT: u32 = 2;
/// The longest file that is read or written, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Glances of one store, by session.
#[derive(Debug, Default)]
pub struct GlanceBook {
    file: Option<PathBuf>,
    heading: String,
    text: String,
    /// Range in `text` of each session's line.
    known: HashMap<String, Range<usize>>,
    /// Lines that were made since.
    fresh: Mutex<BTreeMap<String, String>>,
    /// Number of them when the file was last written.
    written: AtomicUsize,
}

/// Stamp of a journal's file, to notice a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    changed_s: i64,
    changed_ns: i64,
    /// The file's number; of an example, a hash of its bytes.
    file: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self {
            bytes: found.len(),
            changed_s: found.mtime(),
            changed_ns: found.mtime_nsec(),
            file: found.ino(),
        })
    }

    fn of_example(example: &Example) -> Self {
        let mut hasher = DefaultHasher::new();
        example.bytes.hash(&mut hasher);
        Self {
            bytes: example.bytes.len() as u64,
            changed_s: 0,
            changed_ns: 0,
            file: hasher.finish(),
        }
    }
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    stamp: Stamp,
    parent: Option<SessionId>,
    summary: Summary,
}

impl GlanceBook {
    /// Opens the book at `file` for a store; a missing or damaged file counts as empty.
    pub fn open(file: &Path, layout: &Layout) -> Self {
        let software = env!("CARGO_PKG_VERSION");
        let heading = format!("glances {FORMAT} {software} {:?}\n", layout.root());
        let mut book = Self {
            file: Some(file.to_owned()),
            heading,
            ..Self::default()
        };
        let fits = fs::metadata(file).is_ok_and(|found| found.len() <= MAX_BYTES);
        let text = fs::read_to_string(file).ok().filter(|_| fits);
        if let Some(text) = text.filter(|text| text.starts_with(&book.heading)) {
            book.known = places(&text, book.heading.len());
            book.text = text;
        }
        book
    }

    /// Returns the overview of a session; its journal is read only if it has changed.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn glance(
        &self,
        layout: &Layout,
        id: &SessionId,
    ) -> Result<SessionOverview, UnreadableSession> {
        let unread = |error: WorkspaceError| UnreadableSession {
            session: id.clone(),
            why: error.to_string(),
        };
        let path = layout
            .session(id.as_str())
            .map_err(|error| unread(error.into()))?;
        // Before it is read: if it grows meanwhile, the line is merely out of date.
        let stamp = Stamp::of(&path);
        if let Some(known) = self.known(id, stamp) {
            return Ok(SessionOverview {
                driven_by: likely_holder(&path),
                ..known
            });
        }
        self.refuse_less(id, &path, stamp).map_err(unread)?;
        let state = read_session(&path).map_err(unread)?;
        let empty = || WorkspaceError::Empty {
            path: path.display().to_string(),
        };
        let glance = of_state(id, &state).ok_or_else(|| unread(empty()))?;
        self.note(id, stamp, &glance);
        Ok(SessionOverview {
            driven_by: likely_holder(&path),
            ..glance
        })
    }

    /// Returns the overview of an example.
    pub fn example(&self, example: &Example) -> Option<SessionOverview> {
        let stamp = Some(Stamp::of_example(example));
        if let Some(known) = self.known(&example.id, stamp) {
            return Some(known);
        }
        let glance = of_state(&example.id, &example.state().ok()?)?;
        self.note(&example.id, stamp, &glance);
        Some(glance)
    }

    /// Writes the file if there is something new in it, with `there` alone. Blocks. A book that
    /// cannot be written is made again next time.
    pub fn keep(&self, there: &[SessionId]) {
        let Some(file) = &self.file else { return };
        let fresh = self.fresh();
        // A session is read once, so the number of lines says whether one is new.
        if self.written.swap(fresh.len(), Ordering::Relaxed) == fresh.len() {
            return;
        }
        let mut text = self.heading.clone();
        for id in there {
            let fresh = fresh.get(id.as_str()).map(String::as_str);
            let Some(line) = fresh.or_else(|| self.line(id)) else {
                continue;
            };
            if (text.len() + line.len()) as u64 > MAX_BYTES {
                break;
            }
            text.push_str(id.as_str());
            text.push(' ');
            text.push_str(line);
            text.push('\n');
        }
        // Only time is lost with it.
        let _ = replace_private(file, text.as_bytes());
    }

    fn known(&self, id: &SessionId, stamp: Option<Stamp>) -> Option<SessionOverview> {
        let kept: Kept = serde_json::from_str(self.line(id)?).ok()?;
        (Some(kept.stamp) == stamp && kept.summary.session == *id).then_some(SessionOverview {
            summary: kept.summary,
            parent: kept.parent,
            driven_by: None,
        })
    }

    /// Refuses a file that became shorter and has no head: what is seen now must not take the place of
    /// what was seen. Where there is a head, it decides what belongs into the file.
    fn refuse_less(
        &self,
        id: &SessionId,
        path: &Path,
        stamp: Option<Stamp>,
    ) -> Result<(), WorkspaceError> {
        let kept = self
            .line(id)
            .and_then(|line| serde_json::from_str::<Kept>(line).ok());
        match (kept, stamp) {
            (Some(Kept { stamp: was, .. }), Some(now))
                if was.file == now.file && now.bytes < was.bytes && !has_head(path) =>
            {
                Err(WorkspaceError::Store(StoreError::Damaged {
                    path: path.to_owned(),
                    why: format!("it has {} bytes and had {}", now.bytes, was.bytes),
                }))
            }
            (_, _) => Ok(()),
        }
    }

    fn line(&self, id: &SessionId) -> Option<&str> {
        self.text.get(self.known.get(id.as_str())?.clone())
    }

    fn note(&self, id: &SessionId, stamp: Option<Stamp>, glance: &SessionOverview) {
        // Where no file is kept, nothing is gathered for it.
        let (Some(stamp), Some(_)) = (stamp, &self.file) else {
            return;
        };
        let kept = Kept {
            stamp,
            parent: glance.parent.clone(),
            summary: glance.summary.clone(),
        };
        if let Ok(line) = serde_json::to_string(&kept) {
            self.fresh().insert(id.to_string(), line);
        }
    }

    fn fresh(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of_state(id: &SessionId, state: &State) -> Option<SessionOverview> {
    Some(SessionOverview {
        summary: summary(id, state)?,
        parent: state.forked_from().last().cloned(),
        driven_by: None,
    })
}

/// Finds the lines of the file: an id, a blank, JSON. A line that is cut off is not read.
fn places(text: &str, from: usize) -> HashMap<String, Range<usize>> {
    let mut known = HashMap::new();
    let mut at = from;
    for line in text.get(from..).unwrap_or_default().split_inclusive('\n') {
        let end = at + line.len();
        if let Some((id, rest)) = line.split_once(' ')
            && rest.ends_with('\n')
        {
            known.insert(id.to_owned(), at + id.len() + 1..end - 1);
        }
        at = end;
    }
    known
}
