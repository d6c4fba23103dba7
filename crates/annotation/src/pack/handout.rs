//! Record of a pack as it was handed out: recipient, files with hashes, and time.
//!
//! The same line is kept in the pack and in the store that it was made from. What comes back is held
//! to the store's, because the recipient can change the pack.

use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{annotator_name, journal_of_person};
use elenchus_records::workspace::has_fields;
use elenchus_records::workspace::parse_milliseconds;
use elenchus_records::workspace::{Intake, JournalKind};
use elenchus_store::JournalLine;
use elenchus_store::JournalType;
use elenchus_store::{Hash, Layout, StoreError, read_head, read_regular};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The format of the lines that this version writes.
const FORMAT: u32 = 1;

/// Pack as it was handed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handout {
    format: u32,
    /// The pack's id.
    pub pack: String,
    pub queue: String,
    /// Whose labels come back with it, by name.
    #[serde(rename = "for")]
    pub person: String,
    items: u64,
    /// What the pack was made of: each file under it with its hash.
    files: BTreeMap<String, Hash>,
    /// How many marks the person had in the store by then.
    pub marks: u64,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PackEvent {
    HandedOut(Box<Handout>),
}

impl Handout {
    /// Returns the person's name as annotations hold it.
    pub fn annotator(&self) -> String {
        annotator_name(&self.person)
    }
}

/// Records a pack's content and recipient, in the pack and in its store; durable when this
/// returns. Blocks while it reads the pack.
///
/// # Errors
/// When the pack cannot be read, or the disk refuses.
pub(super) async fn record_handout(
    store: &StoreContext,
    pack: &Layout,
    queue: &str,
    items: usize,
    person: &str,
) -> Result<(), WorkspaceError> {
    let mut files = BTreeMap::new();
    for (name, path) in list_pack_files(pack)? {
        files.insert(name, Hash::digest(&read_regular(&path)?));
    }
    let notes = journal_of_person(&store.layout, "notes", person)?;
    let marks = match read_head(&notes) {
        Ok(head) => head.lines,
        Err(StoreError::Missing { .. }) => 0,
        Err(error) => return Err(error.into()),
    };
    let id = store.clock.fresh_id();
    let event = PackEvent::HandedOut(Box::new(Handout {
        format: FORMAT,
        pack: id.clone(),
        queue: queue.to_owned(),
        person: person.trim().to_owned(),
        items: items as u64,
        files,
        marks,
    }));
    let at = store.clock.now();
    // The store's first: a pack that its store does not know could only be taken by name.
    for layout in [&store.layout, pack] {
        let journal = store
            .journals()
            .begin_journal::<PackEvent>(&layout.pack_path(&id)?)?;
        journal.append(&at, "engine", &event).await?;
    }
    Ok(())
}

/// Returns for whom a pack is; `None` where it does not say. Blocks while it reads.
///
/// # Errors
/// When what it says cannot be read, or it says it twice.
pub fn read_pack_recipient(pack: &Layout) -> Result<Option<String>, WorkspaceError> {
    Ok(read_pack_handout(pack)?.map(|(_, handed)| handed.person))
}

/// Returns when a pack was handed out, in milliseconds, and as what.
///
/// # Errors
/// As [`read_pack_recipient`].
pub(super) fn read_pack_handout(pack: &Layout) -> Result<Option<(i64, Handout)>, WorkspaceError> {
    let mut packs = pack.list_names("packs")?.into_iter();
    let Some(id) = packs.next() else {
        return Ok(None);
    };
    if packs.next().is_some() {
        return Err(WorkspaceError::Invalid(format!(
            "{} says more than once for whom it is, so it is not what was handed out",
            pack.root().join("packs").display()
        )));
    }
    PackEvent::read_state(&pack.pack_path(&id)?).map(Some)
}

/// Returns what a store knows of a pack that it handed out; `None` where it knows nothing.
///
/// # Errors
/// When its journal cannot be read.
pub(super) fn read_stored_handout(
    layout: &Layout,
    id: &str,
) -> Result<Option<(i64, Handout)>, WorkspaceError> {
    let path = layout.pack_path(id)?;
    match path.exists() {
        true => PackEvent::read_state(&path).map(Some),
        false => Ok(None),
    }
}

impl JournalType for PackEvent {
    type Event = Self;
    const KIND: &'static str = "pack";
}

impl JournalKind for PackEvent {
    /// When it was handed out, in milliseconds, and as what.
    type State = (i64, Handout);
    const NAMES: (&'static str, &'static str) = ("record of a pack", "records of packs");
    const FOLDERS: &'static [&'static str] = &["packs"];
    const INTAKE: Intake = Intake::ByName;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "handed_out", &["pack", "queue"])
    }

    fn fold_journal(
        path: &Path,
        lines: Vec<JournalLine<Self>>,
    ) -> Result<Self::State, WorkspaceError> {
        let wrong = |why: &str| WorkspaceError::Invalid(format!("{}: {why}", path.display()));
        let mut lines = lines.into_iter();
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err(wrong("a pack is handed out once: one line says so"));
        };
        let at = parse_milliseconds(&line.at).ok_or_else(|| wrong("it does not say when"))?;
        let PackEvent::HandedOut(handed) = line.event;
        match handed.format {
            FORMAT => Ok((at, *handed)),
            _ => Err(wrong("a newer version wrote it; use that one")),
        }
    }
}

/// Names what of a pack is not what was handed out.
///
/// # Errors
/// When the pack's folders cannot be listed.
pub(super) fn find_changes(pack: &Layout, handed: &Handout) -> Result<Vec<String>, WorkspaceError> {
    let mut pack_files = list_pack_files(pack)?;
    let mut changes = Vec::new();
    for (name, hash) in &handed.files {
        match pack_files.remove(name).map(|path| read_regular(&path)) {
            None => changes.push(format!("{name} is gone")),
            Some(Err(error)) => changes.push(error.to_string()),
            Some(Ok(bytes)) if Hash::digest(&bytes) != *hash => {
                changes.push(format!("{name} is not what was handed out"));
            }
            Some(Ok(_)) => {}
        }
    }
    let new_names = pack_files.into_keys();
    changes.extend(new_names.map(|name| format!("{name} was added")));
    Ok(changes)
}

/// Returns the files that a pack shows its annotator, by their names in it.
fn list_pack_files(pack: &Layout) -> Result<BTreeMap<String, PathBuf>, WorkspaceError> {
    let mut files = BTreeMap::new();
    for name in pack.list_names("queues")? {
        files.insert(format!("queues/{name}.jsonl"), pack.queue_path(&name)?);
    }
    for session in pack.list_names("sheets")? {
        files.insert(
            format!("sheets/{session}.jsonl"),
            pack.sheet_path(&session)?,
        );
    }
    // A session would be shown in the place of its sheet.
    for session in pack.list_sessions()? {
        files.insert(
            format!("sessions/{session}.jsonl"),
            pack.session_path(&session)?,
        );
    }
    Ok(files)
}
