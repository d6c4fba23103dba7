//! Puts an intake into a store: everything is durable beside it before anything gets its name.

use super::super::desk::Desk;
use super::super::error::DriverError;
use super::super::margin::{MarginBook, MarginEvent};
use super::plan::{Intake, IntakeSession};
use crate::debate::event::{Author, Event};
use crate::store::{JournalWriter, Layout, StoreError, move_head};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a store in which an import is made ready.
const STAGING: &str = "intake";
/// Held while somebody imports.
const LOCK: &str = "lock.jsonl";

/// What was taken in, and what was there already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TookIn {
    pub sessions: usize,
    pub labels: usize,
    pub passes: usize,
    pub sessions_there: usize,
    pub labels_there: usize,
    pub passes_there: usize,
}

/// Takes everything in. A kill leaves a part of it; taking the same in again completes it.
///
/// # Errors
/// When somebody else imports, an annotator's journal is written to elsewhere, or the disk refuses;
/// nothing was taken then unless the disk refused in the middle.
pub async fn take_in(desk: &Desk, intake: Intake) -> Result<TookIn, DriverError> {
    let layout = &desk.layout;
    layout.create()?;
    let staging = Layout::at(layout.root().join(STAGING));
    let lock = lock(desk, staging.root())?;
    clear(&staging)?;
    staging.create()?;
    let mut took = TookIn::default();
    let at = desk.clock.now();
    let mut moves: Vec<(PathBuf, PathBuf)> = Vec::new();
    for session in &intake.sessions {
        let path = layout.session(session.id.as_str())?;
        if path.exists() {
            took.sessions_there += 1;
            continue;
        }
        let staged = staging.session(session.id.as_str())?;
        write(desk, session, &staged, &at).await?;
        moves.push((staged, path));
        took.sessions += 1;
    }
    for pass in intake.passes {
        let path = layout.pass(&pass.pass)?;
        if path.exists() {
            took.passes_there += 1;
            continue;
        }
        let staged = staging.pass(&pass.pass)?;
        pass.write(&staged, &desk.holder, &desk.fsync, &at).await?;
        moves.push((staged, path));
        took.passes += 1;
    }
    // Their locks are taken before anything is to be seen.
    let mut books: BTreeMap<&str, MarginBook> = BTreeMap::new();
    for person in intake.marks.keys() {
        let (clock, holder) = (desk.clock, &desk.holder);
        let book = MarginBook::open(layout, &desk.fsync, clock, person, holder)?;
        books.insert(person, book);
    }
    publish(&moves)?;
    for (person, marks) in &intake.marks {
        let Some(book) = books.get_mut(person.as_str()) else {
            continue;
        };
        let timed = |(given, event): &(Option<String>, MarginEvent)| {
            (given.clone().unwrap_or_else(|| at.clone()), event.clone())
        };
        let new = book.take_in(marks.iter().map(timed)).await?;
        took.labels += new;
        took.labels_there += marks.len() - new;
    }
    drop(lock);
    // What is left there is of no use to anybody.
    let _ = fs::remove_dir_all(staging.root());
    Ok(took)
}

fn lock(desk: &Desk, staging: &Path) -> Result<JournalWriter<MarginEvent>, DriverError> {
    let path = staging.join(LOCK);
    match JournalWriter::create(&path, &desk.holder, &desk.fsync) {
        Ok(lock) => Ok(lock),
        Err(StoreError::Exists { .. }) => {
            let opened = JournalWriter::open(&path, &desk.holder, &desk.fsync)?;
            Ok(opened.writer)
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes away what a killed import left behind.
fn clear(staging: &Layout) -> Result<(), DriverError> {
    for name in ["sessions", "passes", "heads"] {
        let folder = staging.root().join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| refused(&folder, &error))?;
        }
    }
    Ok(())
}

async fn write(
    desk: &Desk,
    session: &IntakeSession,
    path: &Path,
    at: &str,
) -> Result<(), DriverError> {
    let journal: JournalWriter<Event> = JournalWriter::create(path, &desk.holder, &desk.fsync)?;
    let begun = (Author::Engine, Event::Created(session.created.clone()));
    for (by, event) in std::iter::once(&begun).chain(&session.said) {
        journal.append_unsynced(at, &by.to_string(), event)?;
    }
    journal.sync().await?;
    journal.close().await;
    Ok(())
}

/// Gives journals their names; each is durable already.
fn publish(moves: &[(PathBuf, PathBuf)]) -> Result<(), DriverError> {
    let mut folders: Vec<&Path> = Vec::new();
    for (from, to) in moves {
        fs::rename(from, to).map_err(|error| refused(to, &error))?;
        move_head(from, to)?;
        if let Some(folder) = to.parent().filter(|folder| !folders.contains(folder)) {
            folders.push(folder);
        }
    }
    for folder in folders {
        let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| refused(folder, &error))?;
    }
    Ok(())
}

fn refused(path: &Path, error: &std::io::Error) -> DriverError {
    DriverError::Invalid(format!(
        "{} cannot be written: {error}; import again once the disk takes it",
        path.display()
    ))
}
