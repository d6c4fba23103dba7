//! Import of journals into a store: all of them or none.
//!
//! Every chain is checked before anything is taken. An id that is there with other content is
//! refused: chains are never merged.

use super::registry::{JournalRegistry, RegisteredKind};
use super::transfer::{
    ExistingCopy, JournalContent, JournalCopy, JournalCounts, WholeJournal, compare,
    folder_in_store, inspect, publish_all, session_id, stem,
};
use crate::workspace::SessionJournal;
use crate::workspace::error::{Result, invalid};
use crate::workspace::prompts::copy_kept_texts;
use elenchus_game::debate::SessionId;
use elenchus_store::{
    Head, JOURNAL, JOURNAL_FOLDERS, Layout, StoreError, read_exactly, verify_journal,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Journals that may be taken.
pub struct JournalImport {
    /// Files and folders as they were named.
    paths: Vec<PathBuf>,
    /// Those that are not checked yet.
    files: Vec<PathBuf>,
    arrivals: Vec<Arrival>,
    pub notices: Vec<String>,
}

/// A journal that may be taken.
struct Arrival {
    kind: &'static RegisteredKind,
    /// Folder of the store that it belongs in.
    folder: PathBuf,
    id: String,
    from: PathBuf,
    head: Head,
}

/// Journals that were taken.
pub struct ImportedJournals {
    copies: Vec<JournalCopy>,
    pub counts: JournalCounts,
    /// How many were there already.
    pub there: usize,
}

impl ImportedJournals {
    /// Says in the store how far each of them goes, and when it came.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn begin_heads(&self, now: &str) -> Result<()> {
        self.copies.iter().try_for_each(|copy| copy.begin_head(now))
    }
}

impl JournalImport {
    /// Finds the journals that are named, and those of folders as an export writes them.
    ///
    /// # Errors
    /// When there is no such file or folder, a file is no journal by its name, or a folder holds none.
    pub fn named(paths: &[PathBuf]) -> Result<Self> {
        Ok(Self {
            paths: paths.to_vec(),
            files: files(paths)?,
            arrivals: Vec::new(),
            notices: Vec::new(),
        })
    }

    /// Checks the journals. Blocks.
    ///
    /// # Errors
    /// When any of them is broken or no journal, two are of one id, or where one belongs is not known.
    pub fn check(&mut self, kinds: JournalRegistry) -> Result<()> {
        let mut remembered: Vec<(SessionId, Head)> = Vec::new();
        for file in std::mem::take(&mut self.files) {
            let journal = inspect(&file, &[], kinds)?;
            if let JournalContent::Run(run) = &journal.content {
                remembered.extend(run.session_heads());
            }
            self.add(&file, &journal)?;
        }
        check_twins(&self.arrivals)?;
        self.check_ends(remembered)
    }

    fn add(&mut self, file: &Path, journal: &WholeJournal) -> Result<()> {
        let (kind, head) = (journal.kind, journal.head);
        let id = match &journal.content {
            JournalContent::Session(state) => session_id(file, state)?.to_string(),
            JournalContent::Run(run) => run.manifest.run.to_string(),
            JournalContent::Other => stem(file)?.to_owned(),
        };
        let Some(folder) = folder_in_store(kind, file) else {
            return invalid(format!(
                "{}: where a {} belongs is seen by its folder; leave it in {}",
                file.display(),
                kind.names.0,
                kind.folders.join(" or ")
            ));
        };
        let size = std::fs::metadata(file).map_or(head.bytes, |meta| meta.len());
        if size > head.bytes {
            self.notices.push(format!(
                "{}: an incomplete last line is left behind; it was never acknowledged",
                file.display()
            ));
        }
        self.arrivals.push(Arrival {
            kind,
            folder,
            id,
            from: file.to_owned(),
            head,
        });
        Ok(())
    }

    /// Compares sessions with what runs remember of them: it shows whether an end was cut off on the way.
    fn check_ends(&self, remembered: Vec<(SessionId, Head)>) -> Result<()> {
        for (session, head) in remembered {
            let known = self.arrivals.iter().find(|arrival| {
                arrival.kind.is::<SessionJournal>() && arrival.id == session.as_str()
            });
            if let Some(arrival) = known
                && let Some(lost) = verify_journal(&arrival.from, &[head])?.lost.first()
            {
                return invalid(lost.to_string());
            }
        }
        Ok(())
    }

    /// Takes the journals that were checked into a store. Blocks.
    ///
    /// # Errors
    /// When one differs from what the store has under its id, or the disk refuses; then none is taken.
    pub fn take(&self, layout: &Layout) -> Result<ImportedJournals> {
        // Names come from the files: all are checked before the store is touched.
        for arrival in &self.arrivals {
            let place = layout.journal_in(&arrival.folder, &arrival.id);
            if let Err(error) = place {
                return invalid(format!("{}: {error}", arrival.from.display()));
            }
        }
        layout.create()?;
        let mut taken = ImportedJournals {
            copies: Vec::new(),
            counts: JournalCounts::default(),
            there: 0,
        };
        for arrival in &self.arrivals {
            let path = layout.journal_in(&arrival.folder, &arrival.id)?;
            let content = read_exactly(&arrival.from, arrival.head.bytes)?;
            match compare(&path, &content)? {
                ExistingCopy::Nothing => {
                    let copy = JournalCopy::write(&path, &content, arrival.head)?;
                    taken.copies.push(copy);
                    taken.counts.add(arrival.kind);
                }
                ExistingCopy::Same => taken.there += 1,
                other => return invalid(refusal(arrival, &path, other)),
            }
        }
        // Before the journals that name them: a text that nothing names does no harm.
        for folder in self.paths.iter().filter(|path| path.is_dir()) {
            copy_kept_texts(&Layout::at(folder), layout)?;
        }
        publish_all(&taken.copies)?;
        Ok(taken)
    }
}

fn refusal(arrival: &Arrival, there: &Path, how: ExistingCopy) -> String {
    let relation = match how {
        ExistingCopy::Shorter => {
            "the one here ends earlier; if it is not continued here, move it to another place and import again"
        }
        ExistingCopy::Longer => "the one here goes further; nothing is to be gained",
        ExistingCopy::Different => {
            "the two went different ways; chains are never merged, keep them in two stores"
        }
        ExistingCopy::Nothing | ExistingCopy::Same => "they do not differ",
    };
    format!(
        "{} '{}' of {} is here already as {} and differs: {relation}",
        arrival.kind.names.0,
        arrival.id,
        arrival.from.display(),
        there.display(),
    )
}

/// Collects the journals among paths: files as they are, folders as `export` writes them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            if !path.exists() {
                return invalid(format!("there is no file or folder {}", path.display()));
            }
            stem(path)?;
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        files.extend(journals_in(path)?);
        let store = Layout::at(path);
        for folder in JOURNAL_FOLDERS {
            for folder in store.folders_of(folder)? {
                files.extend(journals_in(&path.join(folder))?);
            }
        }
        if files.len() == before {
            return invalid(format!(
                "{} holds no journals: neither it nor a folder of a store in it ('sessions', 'runs' …) has files ending with {JOURNAL}",
                path.display()
            ));
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn journals_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(StoreError::io("list", folder))? {
        let path = entry.map_err(StoreError::io("list", folder))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.ends_with(JOURNAL) && !name.starts_with('.') && path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

/// Refuses two different journals of one id.
fn check_twins(arrivals: &[Arrival]) -> Result<()> {
    let mut seen: BTreeMap<(&Path, &str), &Arrival> = BTreeMap::new();
    for arrival in arrivals {
        if let Some(twin) = seen.insert((&arrival.folder, &arrival.id), arrival) {
            return invalid(format!(
                "{} and {} are both {} '{}'; name one of them",
                twin.from.display(),
                arrival.from.display(),
                arrival.kind.names.0,
                arrival.id
            ));
        }
    }
    Ok(())
}
