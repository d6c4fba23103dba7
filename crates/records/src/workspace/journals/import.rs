//! Import of journals into a store: all that are taken, or none.
//!
//! Every chain is checked before anything is taken. An id that is there with other content is
//! refused: chains are never merged. Acts of people are taken where they are named, through the door by
//! which marks of packs come in as well; lessons and guardrails are disabled until a person accepts them.

use super::acts::{PersonActs, divide_arrivals, writer_of};
use super::registry::{JournalRegistry, RegisteredKind};
use super::transfer::{
    ExistingCopy, JournalContent, JournalCopy, JournalCounts, WholeJournal, compare_file,
    folder_in_store, inspect_journal, journal_stem, publish_all, session_id,
};
use crate::workspace::annotations::{
    AnnotationEvent, MarkIntake, journal_of_person, read_annotations,
};
use crate::workspace::error::{Result, reject};
use crate::workspace::memory::{ArrivingJournal, GuardrailJournal, HeldBack, LessonJournal};
use crate::workspace::prompts::copy_kept_texts;
use crate::workspace::{JournalKind, SessionJournal, StoreContext, parse_milliseconds};
use elenchus_game::debate::SessionId;
use elenchus_memory::{EntryKind, MemoryEvent};
use elenchus_store::{
    Head, JOURNAL, JOURNAL_FOLDERS, Layout, StoreError, has_begun, is_as_imported, open_lines,
    read_exactly, verify_journal,
};
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How far a time may lie ahead of this machine's clock: a day, for clocks that are set to another zone.
const MOST_AHEAD_MS: i64 = 24 * 60 * 60 * 1000;

/// Journals that may be taken.
pub struct JournalImport {
    /// Files and folders as they were named.
    paths: Vec<PathBuf>,
    /// Those that are not checked yet, each with the path that it was named by.
    files: BTreeMap<PathBuf, PathBuf>,
    arrivals: Vec<Arrival>,
    pub notices: Vec<String>,
}

/// A journal that may be taken.
pub(super) struct Arrival {
    pub kind: &'static RegisteredKind,
    /// Folder of the store that it belongs in.
    pub folder: PathBuf,
    id: String,
    pub from: PathBuf,
    /// The path that it was named by.
    origin: PathBuf,
    /// Whose acts it holds, if it holds any.
    pub who: Option<String>,
    head: Head,
}

impl Arrival {
    /// Returns the namespace of a journal of memory.
    pub fn namespace(&self) -> Option<String> {
        let namespace = self.folder.iter().nth(1)?;
        Some(namespace.to_string_lossy().into_owned())
    }

    /// Returns the kind of entries that a journal of memory is about.
    fn memory_kind(&self) -> Option<EntryKind> {
        if self.kind.is_kind::<LessonJournal>() {
            return Some(EntryKind::Lesson);
        }
        self.kind
            .is_kind::<GuardrailJournal>()
            .then_some(EntryKind::Guardrail)
    }
}

/// Journals that were taken.
pub struct ImportedJournals {
    pub counts: JournalCounts,
    /// How many were there already.
    pub there: usize,
    /// How many had been imported before and went on since.
    pub grown: usize,
    /// Entries of memory that came in disabled.
    pub held_back: Vec<HeldBack>,
}

impl JournalImport {
    /// Finds the journals that are named, and those of folders as an export writes them.
    ///
    /// # Errors
    /// When there is no such file or folder, a file is no journal by its name, or a folder holds none.
    pub fn from_paths(paths: &[PathBuf]) -> Result<Self> {
        Ok(Self {
            paths: paths.to_vec(),
            files: collect_files(paths)?,
            arrivals: Vec::new(),
            notices: Vec::new(),
        })
    }

    /// Checks the journals. Blocks.
    ///
    /// # Errors
    /// When any of them is broken or no journal, two are of one id, or where one belongs is not known.
    pub fn check_journals(&mut self, kinds: JournalRegistry) -> Result<()> {
        let mut known_heads: Vec<(SessionId, Head)> = Vec::new();
        for file in std::mem::take(&mut self.files) {
            let (file, origin) = file;
            // Another process may be beginning it: a file that is named by itself is meant.
            let is_name =
                journal_stem(&file).is_ok_and(|name| Layout::new("").session_path(name).is_ok());
            if file != origin && is_name && !has_begun(&file).unwrap_or(true) {
                self.notices.push(format!(
                    "{}: not begun yet; import again when it is",
                    file.display()
                ));
                continue;
            }
            let journal = inspect_journal(&file, &[], kinds)?;
            if let JournalContent::Run(run) = &journal.content {
                known_heads.extend(run.session_heads());
            }
            self.add_journal(&file, origin, &journal)?;
        }
        check_twins(&self.arrivals)?;
        self.check_ends(known_heads)
    }

    fn add_journal(&mut self, file: &Path, origin: PathBuf, journal: &WholeJournal) -> Result<()> {
        let (kind, head) = (journal.kind, journal.head);
        let id = match &journal.content {
            JournalContent::Session(state) => session_id(file, state)?.to_string(),
            JournalContent::Run(run) => run.manifest.run.to_string(),
            JournalContent::Other => journal_stem(file)?.to_owned(),
        };
        let Some(folder) = folder_in_store(kind, file) else {
            return reject(format!(
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
            who: writer_of(kind, file, &id),
            kind,
            folder,
            id,
            from: file.to_owned(),
            origin,
            head,
        });
        Ok(())
    }

    /// Compares sessions with what runs remember of them: it shows whether an end was cut off on the way.
    fn check_ends(&self, remembered: Vec<(SessionId, Head)>) -> Result<()> {
        for (session, head) in remembered {
            let session_arrival = self.arrivals.iter().find(|arrival| {
                arrival.kind.is_kind::<SessionJournal>() && arrival.id == session.as_str()
            });
            if let Some(arrival) = session_arrival
                && let Some(loss) = verify_journal(&arrival.from, &[head])?.lost.first()
            {
                return reject(loss.to_string());
            }
        }
        Ok(())
    }

    /// Leaves out the acts of people whom `take` does not name, and returns what is left of whom; `all`
    /// names everybody. Blocks.
    ///
    /// # Errors
    /// When a name is that of nobody here.
    pub fn choose_acts(&mut self, take: &[String]) -> Result<Vec<PersonActs>> {
        let (taken, left) = divide_arrivals(std::mem::take(&mut self.arrivals), take)?;
        self.arrivals = taken;
        Ok(left)
    }

    /// Takes the journals that were checked and chosen into a store. Blocks.
    ///
    /// # Errors
    /// When one differs from what the store has under its id or of its person, has a time that is not
    /// over, or holds what could not have been done here, or the disk refuses; then none is taken.
    pub async fn import_journals(&self, store: &StoreContext) -> Result<ImportedJournals> {
        let layout = &store.layout;
        // Names come from the files: all are checked before the store is touched.
        for arrival in &self.arrivals {
            let place = layout.journal_in(&arrival.folder, &arrival.id);
            if let Err(error) = place {
                return reject(format!("{}: {error}", arrival.from.display()));
            }
        }
        let now = store.clock.now();
        let (mut new, mut grown) = (Vec::new(), Vec::new());
        for arrival in &self.arrivals {
            let content = read_exactly(&arrival.from, arrival.head.bytes)?;
            match find_standing(layout, arrival, &content)? {
                ArrivalStanding::There => {}
                ArrivalStanding::New => {
                    check_times(arrival, &now)?;
                    new.push((arrival, content));
                }
                ArrivalStanding::Grown => {
                    check_times(arrival, &now)?;
                    grown.push((arrival, content));
                }
            }
        }
        self.check_marks(layout, &new)?;
        let held_back = held_back(layout, &new)?;
        layout.create_missing_folders()?;
        let mut result = ImportedJournals {
            counts: JournalCounts::default(),
            there: self.arrivals.len() - new.len() - grown.len(),
            grown: grown.len(),
            held_back: Vec::new(),
        };
        let mut copies = Vec::new();
        for (arrival, content) in &new {
            let path = layout.journal_in(&arrival.folder, &arrival.id)?;
            copies.push(JournalCopy::write_hidden(&path, content, arrival.head)?);
            result.counts.count_journal(arrival.kind);
        }
        let mut longer = Vec::new();
        for (arrival, content) in &grown {
            let path = layout.journal_in(&arrival.folder, &arrival.id)?;
            longer.push(JournalCopy::write_hidden(&path, content, arrival.head)?);
        }
        // Before the journals that name them: a text that nothing names does no harm.
        for folder in self.paths.iter().filter(|path| path.is_dir()) {
            copy_kept_texts(&Layout::new(folder), layout)?;
        }
        // Before the entries are there: a kill leaves none of them in use.
        for held in &held_back {
            held.disable_entries(store, &now).await?;
        }
        publish_all(&copies)?;
        // What was there is the beginning of what takes its place: a kill in between leaves a whole store.
        for copy in &longer {
            copy.replace_shorter()?;
        }
        for (copy, (arrival, _)) in copies.iter().zip(&new) {
            copy.begin_head(&now, &full_path(&arrival.origin))?;
        }
        result.held_back = held_back;
        Ok(result)
    }

    /// Refuses marks that a merge of a pack refuses as well.
    fn check_marks(&self, layout: &Layout, new: &[(&Arrival, Vec<u8>)]) -> Result<()> {
        let is_marks = |arrival: &&Arrival| arrival.kind.is_kind::<AnnotationEvent>();
        let marks = new.iter().map(|(arrival, _)| *arrival).filter(is_marks);
        let marks: Vec<&Arrival> = marks.collect();
        if marks.is_empty() {
            return Ok(());
        }
        let (annotations, _) = read_annotations(layout)?;
        let sessions = self.arrivals.iter();
        let sessions = sessions.filter(|arrival| arrival.kind.is_kind::<SessionJournal>());
        let sessions: BTreeMap<&str, &Path> = sessions
            .map(|arrival| (arrival.id.as_str(), arrival.from.as_path()))
            .collect();
        let session_path = |session: &SessionId| match sessions.get(session.as_str()) {
            Some(path) => Ok(path.to_path_buf()),
            None => Ok(layout.session_path(session.as_str())?),
        };
        let mut intake = MarkIntake::new(&annotations, session_path);
        for arrival in marks {
            let who = arrival.who.as_deref().unwrap_or_default();
            for line in AnnotationEvent::read_state(&arrival.from)? {
                intake.check_mark(&arrival.from, who, &line.event)?;
            }
        }
        Ok(())
    }
}

/// What is here of a journal that may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrivalStanding {
    New,
    There,
    /// Its beginning was imported before, and nothing was written to it here.
    Grown,
}

/// Returns what is here of a journal.
///
/// # Errors
/// When another one of its id, or of its person, is here.
fn find_standing(layout: &Layout, arrival: &Arrival, content: &[u8]) -> Result<ArrivalStanding> {
    let mut path = layout.journal_in(&arrival.folder, &arrival.id)?;
    if arrival.kind.is_kind::<AnnotationEvent>()
        && let Some(who) = &arrival.who
    {
        // A person has one journal, whatever the file is called there.
        let own = journal_of_person(layout, &arrival.folder.to_string_lossy(), who)?;
        if own.exists() {
            path = own;
        }
    }
    match (compare_file(&path, content)?, &arrival.who) {
        (ExistingCopy::Nothing, _) => Ok(ArrivalStanding::New),
        (ExistingCopy::Same, _) | (ExistingCopy::Longer, Some(_)) => Ok(ArrivalStanding::There),
        (ExistingCopy::Shorter, None) if is_as_imported(&path) => Ok(ArrivalStanding::Grown),
        (other, None) => reject(describe_refusal(arrival, &path, other)),
        (other, Some(who)) => reject(format!(
            "{}; what {who} did there is not taken into a journal of that name that is here already",
            describe_refusal(arrival, &path, other)
        )),
    }
}

/// Refuses times that are not over: nothing could say that they are the writer's.
fn check_times(arrival: &Arrival, now: &str) -> Result<()> {
    let Some(latest) = parse_milliseconds(now).map(|now| now.saturating_add(MOST_AHEAD_MS)) else {
        return Ok(());
    };
    let refuse = |line: usize, at: &str| {
        reject(format!(
            "{}:{line}: its time, {at}, is more than a day ahead of this machine's clock, {now}; set the \
             clock that is wrong, and export what was written since again",
            arrival.from.display()
        ))
    };
    let is_ahead = |at: &str| parse_milliseconds(at).is_some_and(|at| at > latest);
    for (place, line) in open_lines::<IgnoredAny>(&arrival.from)?.enumerate() {
        if let Some(at) = line?.time().filter(|at| is_ahead(at)) {
            return refuse(place + 1, &at);
        }
    }
    // Events of memory have times of their own.
    for (place, event) in memory_events(arrival)?.iter().enumerate() {
        if is_ahead(event.time()) {
            return refuse(place + 1, event.time());
        }
    }
    Ok(())
}

fn memory_events(arrival: &Arrival) -> Result<Vec<MemoryEvent>> {
    let lines = match arrival.memory_kind() {
        Some(EntryKind::Lesson) => LessonJournal::read_state(&arrival.from)?,
        Some(EntryKind::Guardrail) => GuardrailJournal::read_state(&arrival.from)?,
        None => return Ok(Vec::new()),
    };
    Ok(lines.into_iter().map(|line| line.event).collect())
}

/// Finds the entries of memory that wait for a person, by namespace.
fn held_back(layout: &Layout, new: &[(&Arrival, Vec<u8>)]) -> Result<Vec<HeldBack>> {
    let mut by_namespace: BTreeMap<String, Vec<ArrivingJournal>> = BTreeMap::new();
    for (arrival, _) in new {
        if let (Some(kind), Some(namespace)) = (arrival.memory_kind(), arrival.namespace()) {
            by_namespace
                .entry(namespace)
                .or_default()
                .push(ArrivingJournal {
                    kind,
                    name: arrival.id.clone(),
                    events: memory_events(arrival)?,
                });
        }
    }
    let namespaces = by_namespace.into_iter();
    namespaces
        .map(|(namespace, journals)| HeldBack::from_arrivals(layout, &namespace, &journals))
        .collect()
}

/// Names where something came from, also from another folder.
fn full_path(origin: &Path) -> String {
    let whole = std::fs::canonicalize(origin);
    whole.map_or_else(
        |_| origin.display().to_string(),
        |whole| whole.display().to_string(),
    )
}

fn describe_refusal(arrival: &Arrival, there: &Path, how: ExistingCopy) -> String {
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

/// Collects the journals among paths, files as they are, folders as `export` writes them; each with the path
/// that it was named by.
fn collect_files(paths: &[PathBuf]) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let mut files = BTreeMap::new();
    for path in paths {
        if !path.is_dir() {
            if !path.exists() {
                return reject(format!("there is no file or folder {}", path.display()));
            }
            journal_stem(path)?;
            files.insert(path.clone(), path.clone());
            continue;
        }
        let mut there = journals_in(path)?;
        let store = Layout::new(path);
        for folder in JOURNAL_FOLDERS {
            for folder in store.folders_of(folder)? {
                there.extend(journals_in(&path.join(folder))?);
            }
        }
        if there.is_empty() {
            return reject(format!(
                "{} holds no journals: neither it nor a folder of a store in it ('sessions', 'runs' …) has files ending with {JOURNAL}",
                path.display()
            ));
        }
        files.extend(there.into_iter().map(|file| (file, path.clone())));
    }
    Ok(files)
}

fn journals_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut journals = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(StoreError::from_io("list", folder))? {
        let path = entry.map_err(StoreError::from_io("list", folder))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.ends_with(JOURNAL) && !name.starts_with('.') && path.is_file() {
            journals.push(path);
        }
    }
    Ok(journals)
}

/// Refuses two different journals of one id.
fn check_twins(arrivals: &[Arrival]) -> Result<()> {
    let mut arrivals_by_name: BTreeMap<(&Path, &str), &Arrival> = BTreeMap::new();
    for arrival in arrivals {
        let is_marks = arrival.kind.is_kind::<AnnotationEvent>();
        // A person has one journal of marks, whatever its file is called.
        let person = arrival.who.as_deref().filter(|_| is_marks);
        let name = person.unwrap_or(&arrival.id);
        if let Some(twin) = arrivals_by_name.insert((&arrival.folder, name), arrival) {
            return reject(format!(
                "{} and {} are both {} '{}'; name one of them",
                twin.from.display(),
                arrival.from.display(),
                arrival.kind.names.0,
                name
            ));
        }
    }
    Ok(())
}
