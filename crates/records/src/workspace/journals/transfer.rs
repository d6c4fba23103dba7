//! Transfer of journals between stores and folders: verified, copied byte for byte, never over another
//! file.

use super::registry::{DetectedKind, JournalRegistry, RegisteredKind};
use crate::workspace::SessionJournal;
use crate::workspace::error::{Result, reject};
use crate::workspace::run::{RunEvent, RunState, read_run};
use crate::workspace::{JournalKind, read_session};
use elenchus_game::debate::{SessionId, State};
use elenchus_store::{
    Head, JOURNAL, JOURNAL_FOLDERS, JournalType as _, StoreError, begin_head, create_folders,
    create_private, parent_of, replace_by_grown, sync_folder, verify_journal,
};
use elenchus_text::format_noun_count;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// What a journal that holds together is.
pub enum JournalContent {
    Session(Box<State>),
    Run(Box<RunState>),
    /// Any other kind: it travels as it is.
    Other,
}

/// Numbers of journals that travelled, by kind.
#[derive(Default)]
pub struct JournalCounts(BTreeMap<&'static str, (usize, (&'static str, &'static str))>);

impl JournalCounts {
    /// Counts a journal.
    pub fn count_journal(&mut self, kind: &'static RegisteredKind) {
        let entry = self.0.entry(kind.kind).or_insert((0, kind.names));
        entry.0 += 1;
    }

    fn count_of<K: JournalKind>(&self) -> usize {
        self.0.get(K::KIND).map_or(0, |(count, _)| *count)
    }
}

impl fmt::Display for JournalCounts {
    /// Sessions and runs, also where there are none; other kinds where there are some.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}",
            format_noun_count(self.count_of::<SessionJournal>(), "session")
        )?;
        write!(
            f,
            " and {}",
            format_noun_count(self.count_of::<RunEvent>(), "run")
        )?;
        let others = self.0.iter();
        let others =
            others.filter(|(kind, _)| ![SessionJournal::KIND, RunEvent::KIND].contains(kind));
        for (_, (count, (one, many))) in others {
            write!(f, ", {count} {}", if *count == 1 { one } else { many })?;
        }
        Ok(())
    }
}

/// Journal that holds together.
pub struct WholeJournal {
    pub kind: &'static RegisteredKind,
    pub head: Head,
    pub content: JournalContent,
}

/// Checks a journal's chain and known heads, folds it, and returns what it is: only whole, verified
/// journals travel.
///
/// # Errors
/// Names file, line and reason.
pub fn inspect_journal(
    path: &Path,
    known: &[Head],
    kinds: JournalRegistry,
) -> Result<WholeJournal> {
    let verification = verify_journal(path, known)?;
    if let Some(fault) = &verification.broken {
        return reject(fault.to_string());
    }
    if let Some(loss) = verification.lost.first() {
        return reject(loss.to_string());
    }
    let kind = kind_of(path, kinds)?;
    let content = if kind.is_kind::<SessionJournal>() {
        JournalContent::Session(Box::new(read_session(path)?))
    } else if kind.is_kind::<RunEvent>() {
        JournalContent::Run(Box::new(read_run(path)?))
    } else {
        kind.check_journal(path)?;
        JournalContent::Other
    };
    Ok(WholeJournal {
        kind,
        head: verification.head,
        content,
    })
}

/// Detects the kind of a journal; where its first line leaves a choice, its folder decides.
fn kind_of(path: &Path, kinds: JournalRegistry) -> Result<&'static RegisteredKind> {
    let shown_path = path.display();
    match kinds.detect_kind(path)? {
        DetectedKind::Kind(kind) => Ok(kind),
        DetectedKind::Several(kinds) => {
            let mut fitting = kinds.into_iter();
            let here = fitting.find(|kind| folder_by_path(kind, path).is_some());
            here.map_or_else(
                || {
                    reject(format!(
                        "{shown_path}:1: several kinds of journals begin so; leave it in the folder of a \
                         store that it came from"
                    ))
                },
                Ok,
            )
        }
        DetectedKind::Empty => reject(format!("{shown_path}: the journal is empty")),
        DetectedKind::None(_) => reject(format!(
            "{shown_path}:1: no journal that this version knows begins with this event"
        )),
    }
}

/// Returns the folder of a store that a journal belongs in: the one whose name its path ends with,
/// or the only one there is for its kind. `None` where that is not known.
pub fn folder_in_store(kind: &RegisteredKind, path: &Path) -> Option<PathBuf> {
    folder_by_path(kind, path).or(match kind.folders {
        // A session that lies anywhere, in a trash too, is brought back among the others.
        [sessions, ..] if kind.is_kind::<SessionJournal>() => Some(PathBuf::from(sessions)),
        [only] if !only.contains('*') => Some(PathBuf::from(only)),
        _ => None,
    })
}

/// Returns the folder of [`JOURNAL_FOLDERS`] that a path ends with, if it is one of the kind's.
fn folder_by_path(kind: &RegisteredKind, path: &Path) -> Option<PathBuf> {
    let parents = path.parent()?.iter().filter_map(|part| part.to_str());
    let parents: Vec<&str> = parents.collect();
    let fits = |pattern: &str| {
        let parts: Vec<&str> = pattern.split('/').collect();
        let tail = parents.get(parents.len().checked_sub(parts.len())?..)?;
        let same = |(part, here): (&&str, &&str)| *part == "*" || part == here;
        (parts.iter().zip(tail).all(same)).then(|| tail.iter().collect::<PathBuf>())
    };
    let here = kind
        .folders
        .iter()
        .filter(|known| JOURNAL_FOLDERS.contains(known));
    // The longest: the samples of tries lie in a folder that is called as that of all sessions.
    here.filter_map(|pattern| fits(pattern))
        .max_by_key(|folder| folder.iter().count())
}

/// Returns the id under which a session's journal belongs in a store: its file's name.
///
/// # Errors
/// When the session in it has another id. A fork begins with its parent's lines, so its own id is
/// nowhere but in its name.
pub fn session_id(path: &Path, state: &State) -> Result<SessionId> {
    let name = journal_stem(path)?;
    let first_id = state.first_event().map(|created| created.session.as_str());
    if state.forked_from().is_empty() && first_id != Some(name) {
        let id = first_id.unwrap_or_default();
        return reject(format!(
            "{} holds the session '{id}'; give the file the name '{id}{JOURNAL}'",
            path.display(),
        ));
    }
    Ok(SessionId::new(name))
}

/// Returns a journal's name without its ending.
///
/// # Errors
/// When it has another ending.
pub fn journal_stem(path: &Path) -> Result<&str> {
    let name = path.file_name().and_then(|name| name.to_str());
    match name.and_then(|name| name.strip_suffix(JOURNAL)) {
        Some(stem) => Ok(stem),
        None => reject(format!(
            "{} is no journal: its name does not end with {JOURNAL}",
            path.display()
        )),
    }
}

/// How a file that is there already compares with what is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingCopy {
    Nothing,
    Same,
    /// It ends earlier and is the same as far as it goes.
    Shorter,
    /// It goes further and is the same as far as the new one goes.
    Longer,
    Different,
}

/// Compares the file at `path` with `content`; a writer's unfinished line behind it does not count.
///
/// # Errors
/// When the file cannot be read.
pub fn compare_file(path: &Path, content: &[u8]) -> Result<ExistingCopy> {
    let there = match fs::read(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ExistingCopy::Nothing),
        Err(error) => return Err(StoreError::from_io("read", path)(error).into()),
    };
    let lines = there
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let there = &there[..lines];
    Ok(if there == content {
        ExistingCopy::Same
    } else if content.starts_with(there) {
        ExistingCopy::Shorter
    } else if there.starts_with(content) {
        ExistingCopy::Longer
    } else {
        ExistingCopy::Different
    })
}

/// A copy that is durable under a name of its own and not published yet. Dropping it removes it.
pub struct JournalCopy {
    temporary: PathBuf,
    path: PathBuf,
    head: Head,
}

impl JournalCopy {
    /// Writes `content` next to `path`, readable by its owner alone, syncs it and checks that it is
    /// the journal that ends at `head`.
    ///
    /// # Errors
    /// When the disk refuses, or the content is not what was inspected.
    pub fn write_hidden(path: &Path, content: &[u8], head: Head) -> Result<Self> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return reject(format!("{} names no file", path.display()));
        };
        create_folders(folder)?;
        // A name with a dot in front is no journal to anybody.
        let hidden_name = format!(".{}.{}", name.to_string_lossy(), std::process::id());
        let copy = Self {
            temporary: folder.join(hidden_name),
            path: path.to_owned(),
            head,
        };
        let mut file = create_private(&copy.temporary)?;
        file.write_all(content)
            .and_then(|()| file.sync_all())
            .map_err(StoreError::from_io("write", &copy.temporary))?;
        if !verify_journal(&copy.temporary, &[head])?.is_sound() {
            return reject(format!(
                "the journal for {} changed while it was read; try again",
                path.display()
            ));
        }
        Ok(copy)
    }

    /// Gives the copy its name, never taking the name from another file.
    ///
    /// # Errors
    /// When there is such a file by now, or the disk refuses.
    pub fn publish(&self) -> Result<()> {
        let result = match fs::hard_link(&self.temporary, &self.path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links.
            Err(_) if !self.path.exists() => fs::rename(&self.temporary, &self.path),
            Err(error) => Err(error),
        };
        result.map_err(StoreError::from_io("write", &self.path))?;
        Ok(sync_folder(&parent_of(&self.path))?)
    }

    /// Puts it in the place of a journal that it goes further than.
    ///
    /// # Errors
    /// When that one is written to, or was here since it was imported.
    pub fn replace_shorter(&self) -> Result<()> {
        Ok(replace_by_grown(
            &self.path,
            &self.temporary,
            self.head,
            "elenchus import",
        )?)
    }

    /// The name it gets.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says in the store that it was put into how far it goes, when it came and from where.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn begin_head(&self, at: &str, from: &str) -> Result<()> {
        Ok(begin_head(&self.path, self.head, at, from)?)
    }
}

impl Drop for JournalCopy {
    fn drop(&mut self) {
        // Published or not, its temporary name is of no use any more; a rename has taken it.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Publishes all copies, or none: what was published before a failure is taken back.
///
/// # Errors
/// As [`JournalCopy::publish`].
pub fn publish_all(copies: &[JournalCopy]) -> Result<()> {
    for (at, copy) in copies.iter().enumerate() {
        if let Err(error) = copy.publish() {
            for done in &copies[..at] {
                let _ = fs::remove_file(done.path());
            }
            return Err(error);
        }
    }
    Ok(())
}
