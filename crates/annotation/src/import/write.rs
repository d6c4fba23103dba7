//! Writes a planned import into a store: all journals are durable in a staging folder before any is moved.

use super::imported_session::ImportedSession;
use super::plan::{ImportPlan, is_label};
use elenchus_game::debate::event::{Author, Event};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationJournal, annotator,
};
use elenchus_records::workspace::{Desk, SessionJournal};
use elenchus_store::{JournalWriter, Layout, move_head};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a store in which an import is made ready.
const STAGING: &str = "intake";
/// Lock that is held during an import.
const LOCK: &str = "lock.jsonl";

/// Counts of what was imported, and of what was there already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    pub sessions: usize,
    pub labels: usize,
    pub passes: usize,
    pub sessions_there: usize,
    pub labels_there: usize,
    pub passes_there: usize,
    /// Labels that are there already, with another word than the file has.
    pub labels_differ: usize,
    /// Turns that people skipped, kept as their notes.
    pub skips: usize,
    pub skips_there: usize,
}

/// Writes everything. A kill leaves a part of it; importing the same again completes it.
///
/// # Errors
/// When another import runs, an annotator's journal is locked, or the disk refuses;
/// nothing was taken then unless the disk refused in the middle.
pub async fn take_in(desk: &Desk, intake: ImportPlan) -> Result<ImportCounts, WorkspaceError> {
    let layout = &desk.layout;
    layout.create()?;
    let staging = Layout::at(layout.root().join(STAGING));
    let lock = lock(desk, staging.root())?;
    clear(&staging)?;
    staging.create()?;
    let mut took = ImportCounts::default();
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
        pass.write(&desk.journals(), &staged, &at).await?;
        moves.push((staged, path));
        took.passes += 1;
    }
    // Their locks are taken before anything is to be seen.
    let mut books: BTreeMap<&str, AnnotationJournal> = BTreeMap::new();
    for person in intake.marks.keys() {
        let book = AnnotationJournal::open(desk, person)?;
        books.insert(person, book);
    }
    publish(&moves)?;
    for (person, marks) in &intake.marks {
        let Some(book) = books.get_mut(person.as_str()) else {
            continue;
        };
        let timed = |(given, event): &(Option<String>, AnnotationEvent)| {
            (given.clone().unwrap_or_else(|| at.clone()), event.clone())
        };
        let (labels, skips): (Vec<_>, Vec<_>) =
            marks.iter().partition(|(_, event)| is_label(event));
        took.labels_differ += labels
            .iter()
            .filter(|(_, event)| differs(book, person, event))
            .count();
        let new = book.import(labels.iter().copied().map(timed)).await?;
        took.labels += new;
        took.labels_there += labels.len() - new;
        let new = book.import(skips.iter().copied().map(timed)).await?;
        took.skips += new;
        took.skips_there += skips.len() - new;
    }
    drop(lock);
    // The staging folder is empty; a failure to remove it does no harm.
    let _ = fs::remove_dir_all(staging.root());
    Ok(took)
}

/// Says whether a label is there already with another word: what is there stays.
fn differs(book: &AnnotationJournal, person: &str, event: &AnnotationEvent) -> bool {
    let known = book.annotations().event(&annotator(person), &event.id);
    match (known.map(|known| &known.mark), &event.mark) {
        (Some(Annotation::Labelled(known)), Annotation::Labelled(new)) => known.label != new.label,
        (_, _) => false,
    }
}

fn lock(desk: &Desk, staging: &Path) -> Result<JournalWriter<AnnotationEvent>, WorkspaceError> {
    let path = staging.join(LOCK);
    Ok(desk.journals().begin_or_resume(&path)?.writer)
}

/// Removes what a killed import left behind.
fn clear(staging: &Layout) -> Result<(), WorkspaceError> {
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
    session: &ImportedSession,
    path: &Path,
    at: &str,
) -> Result<(), WorkspaceError> {
    let journal: JournalWriter<SessionJournal> = desk.journals().begin(path)?;
    let begun = (Author::Engine, Event::Created(session.created.clone()));
    for (by, event) in std::iter::once(&begun).chain(&session.said) {
        journal.append_unsynced(at, &by.to_string(), event)?;
    }
    journal.sync().await?;
    journal.close().await;
    Ok(())
}

/// Gives journals their names; each is durable already.
fn publish(moves: &[(PathBuf, PathBuf)]) -> Result<(), WorkspaceError> {
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

fn refused(path: &Path, error: &std::io::Error) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "{} cannot be written: {error}; import again once the disk takes it",
        path.display()
    ))
}
