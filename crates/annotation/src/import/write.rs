//! Writes a planned import into a store: all journals are durable in a staging folder before any is moved.

use super::imported_session::ImportedSession;
use super::plan::{ImportPlan, is_label};
use elenchus_game::debate::event::{Author, Event};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationJournal, annotator_name,
};
use elenchus_records::workspace::{SessionJournal, StoreContext};
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
pub async fn write_import(
    store: &StoreContext,
    plan: ImportPlan,
) -> Result<ImportCounts, WorkspaceError> {
    let layout = &store.layout;
    layout.create_missing_folders()?;
    let staging = Layout::new(layout.root().join(STAGING));
    let lock = lock_staging(store, staging.root())?;
    clear_staging(&staging)?;
    staging.create_missing_folders()?;
    let mut counts = ImportCounts::default();
    let at = store.clock.now();
    let mut moves: Vec<(PathBuf, PathBuf)> = Vec::new();
    for session in &plan.sessions {
        let path = layout.session_path(session.id.as_str())?;
        if path.exists() {
            counts.sessions_there += 1;
            continue;
        }
        let staged_path = staging.session_path(session.id.as_str())?;
        write_session(store, session, &staged_path, &at).await?;
        moves.push((staged_path, path));
        counts.sessions += 1;
    }
    for pass in plan.passes {
        let path = layout.pass_path(&pass.pass)?;
        if path.exists() {
            counts.passes_there += 1;
            continue;
        }
        let staged_path = staging.pass_path(&pass.pass)?;
        pass.write_pass(&store.journals(), &staged_path, &at)
            .await?;
        moves.push((staged_path, path));
        counts.passes += 1;
    }
    // Their locks are taken before anything is to be seen.
    let mut books: BTreeMap<&str, AnnotationJournal> = BTreeMap::new();
    for person in plan.marks.keys() {
        let book = AnnotationJournal::open(store, person)?;
        books.insert(person, book);
    }
    publish_journals(&moves)?;
    for (person, marks) in &plan.marks {
        let Some(book) = books.get_mut(person.as_str()) else {
            continue;
        };
        let with_time = |(given, event): &(Option<String>, AnnotationEvent)| {
            (given.clone().unwrap_or_else(|| at.clone()), event.clone())
        };
        let (labels, skips): (Vec<_>, Vec<_>) =
            marks.iter().partition(|(_, event)| is_label(event));
        counts.labels_differ += labels
            .iter()
            .filter(|(_, event)| has_other_label(book, person, event))
            .count();
        let new = book
            .import_annotations(labels.iter().copied().map(with_time))
            .await?;
        counts.labels += new;
        counts.labels_there += labels.len() - new;
        let new = book
            .import_annotations(skips.iter().copied().map(with_time))
            .await?;
        counts.skips += new;
        counts.skips_there += skips.len() - new;
    }
    drop(lock);
    // The staging folder is empty; a failure to remove it does no harm.
    let _ = fs::remove_dir_all(staging.root());
    Ok(counts)
}

/// Says whether a label is there already with another word: what is there stays.
fn has_other_label(book: &AnnotationJournal, person: &str, event: &AnnotationEvent) -> bool {
    let existing_event = book
        .annotations()
        .find_event(&annotator_name(person), &event.id);
    match (existing_event.map(|known| &known.mark), &event.mark) {
        (Some(Annotation::Labelled(known)), Annotation::Labelled(new)) => known.label != new.label,
        (_, _) => false,
    }
}

fn lock_staging(
    store: &StoreContext,
    staging: &Path,
) -> Result<JournalWriter<AnnotationEvent>, WorkspaceError> {
    let path = staging.join(LOCK);
    Ok(store.journals().begin_or_resume(&path)?.writer)
}

/// Removes what a killed import left behind.
fn clear_staging(staging: &Layout) -> Result<(), WorkspaceError> {
    for name in ["sessions", "passes", "heads"] {
        let folder = staging.root().join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| write_error(&folder, &error))?;
        }
    }
    Ok(())
}

async fn write_session(
    store: &StoreContext,
    session: &ImportedSession,
    path: &Path,
    at: &str,
) -> Result<(), WorkspaceError> {
    let journal: JournalWriter<SessionJournal> = store.journals().begin_journal(path)?;
    let first_event = (Author::Engine, Event::Created(session.created.clone()));
    for (by, event) in std::iter::once(&first_event).chain(&session.said) {
        journal.append_without_sync(at, &by.to_string(), event)?;
    }
    journal.sync().await?;
    journal.close().await;
    Ok(())
}

/// Gives journals their names; each is durable already.
fn publish_journals(moves: &[(PathBuf, PathBuf)]) -> Result<(), WorkspaceError> {
    let mut folders: Vec<&Path> = Vec::new();
    for (from, to) in moves {
        fs::rename(from, to).map_err(|error| write_error(to, &error))?;
        move_head(from, to)?;
        if let Some(folder) = to.parent().filter(|folder| !folders.contains(folder)) {
            folders.push(folder);
        }
    }
    for folder in folders {
        let sync_result = fs::File::open(folder).and_then(|folder| folder.sync_all());
        sync_result.map_err(|error| write_error(folder, &error))?;
    }
    Ok(())
}

fn write_error(path: &Path, error: &std::io::Error) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "{} cannot be written: {error}; import again once the disk takes it",
        path.display()
    ))
}
