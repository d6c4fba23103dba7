//! Packs: a folder in which a colleague labels a queue on another machine, and what comes back.
//!
//! A pack is a store that holds the queue, its label set (in the queue's definition), and a blinded transcript of
//! each session: what was asked and said. It holds no session, and of the queue neither filter nor
//! strata, so nothing in it reveals a verdict, a model, a protocol or a prompt.
//! How each label's item was drawn is filled in when it comes back.

mod handout;
mod merge;
mod returned_marks;

use super::blinded::{TranscriptParts, read_blinded_transcript, write_blinded_transcript};
use super::queue::find_labelled_queue;
use super::queue::{Queue, QueueEvent, QueueItem, Stratum, Wave};
use super::queue::{QueueDefinition, QueueFilter, Sampling};
use elenchus_game::debate::SessionId;
use elenchus_records::library::LabelBook;
use elenchus_records::library::Library;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::Layout;
pub(crate) use handout::PackEvent;
pub use handout::read_pack_recipient;
use handout::{read_pack_handout, read_stored_handout, record_handout};
pub use merge::{MergedAnnotator, merge_pack};
use std::collections::BTreeSet;
use std::path::Path;

/// Name of a pack's single stratum.
const PACKED: &str = "packed";

/// Counts of a pack's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackSize {
    pub items: usize,
    pub sessions: usize,
    /// The folder was this very pack before, and stays as it is.
    pub is_there_already: bool,
}

/// Writes a pack into a folder that is not there yet, or finds it there. Blocks while it reads sessions.
///
/// With a recipient, pack and store record what was handed out: what comes back is checked
/// against it.
///
/// # Errors
/// When there is no such queue, one of its sessions cannot be read, or the folder is there and is not this pack.
pub async fn write_pack(
    store: &StoreContext,
    library: &Library,
    name: &str,
    folder: &Path,
    person: Option<&str>,
) -> Result<PackSize, WorkspaceError> {
    let queue = find_labelled_queue(&store.layout, name)?;
    if folder.exists() {
        if let Some(size) = find_same_pack(store, &queue, folder, person) {
            return Ok(size);
        }
        return Err(pack_error(format!(
            "{} is there already; name a folder that is not, or remove it",
            folder.display()
        )));
    }
    let parts = TranscriptParts::from_set(&read_label_book(library, &queue)?.set);
    let sessions: BTreeSet<&SessionId> = queue.items().map(|(_, item)| &item.on.session).collect();
    // Everything is read before anything is written: a pack is whole or it is not there.
    let mut sheets = Vec::new();
    for session in &sessions {
        let mut sheet = read_blinded_transcript(&store.layout, session, parts)?;
        // A seat's view is not needed to label, and makes a pack many times as large.
        for turn in &mut sheet.turns {
            turn.saw.clear();
        }
        sheets.push(sheet);
    }
    let pack = StoreContext {
        layout: Layout::new(folder),
        ..store.clone()
    };
    pack.layout.create_missing_folders()?;
    let size = PackSize {
        items: queue.len(),
        sessions: sheets.len(),
        is_there_already: false,
    };
    for sheet in sheets {
        write_blinded_transcript(&pack, sheet).await?;
    }
    let blind = blind_queue(&queue);
    let journal = store
        .journals()
        .begin_journal::<QueueEvent>(&pack.layout.queue_path(name)?)?;
    let definition_event = QueueEvent::Defined(Box::new(blind.definition));
    journal
        .append(&blind.begun_at, "engine", &definition_event)
        .await?;
    for wave in blind.waves {
        let wave_event = QueueEvent::Drawn(Box::new(wave));
        journal
            .append(&blind.begun_at, "engine", &wave_event)
            .await?;
    }
    if let Some(person) = person {
        record_handout(store, &pack.layout, name, size.items, person).await?;
    }
    Ok(size)
}

/// Returns what a folder holds that this store handed out to this person with all items that the queue has now;
/// `None` of every other folder.
fn find_same_pack(
    store: &StoreContext,
    queue: &Queue,
    folder: &Path,
    person: Option<&str>,
) -> Option<PackSize> {
    let pack = Layout::new(folder);
    let (_, handed) = read_pack_handout(&pack).ok()??;
    let (_, known) = read_stored_handout(&store.layout, &handed.pack).ok()??;
    let name = &queue.definition.queue;
    let there = find_labelled_queue(&pack, name).ok()?;
    let is_whole = there
        .items()
        .map(|(_, item)| &item.on)
        .eq(queue.items().map(|(_, item)| &item.on));
    let is_same =
        known == handed && handed.queue == *name && person == Some(handed.person.as_str());
    let sessions: BTreeSet<&SessionId> = there.items().map(|(_, item)| &item.on.session).collect();
    (is_same && is_whole).then(|| PackSize {
        items: there.len(),
        sessions: sessions.len(),
        is_there_already: true,
    })
}

/// Returns a queue without its filter, strata and sampling.
pub(super) fn blind_queue(queue: &Queue) -> Queue {
    let definition = QueueDefinition {
        filter: QueueFilter::default(),
        strata: Vec::new(),
        sampling: Sampling::All,
        ..queue.definition.clone()
    };
    let waves = queue.waves.iter().map(|wave| {
        let count = u32::try_from(wave.items.len()).unwrap_or(u32::MAX);
        let items = wave.items.iter().map(|item| QueueItem {
            stratum: 0,
            chances: 1,
            regrouped: None,
            ..item.clone()
        });
        Wave {
            wave: wave.wave,
            sampling: Sampling::All,
            strata: vec![Stratum {
                name: PACKED.to_owned(),
                taken: count,
                of: count,
                units: String::new(),
            }],
            items: items.collect(),
            considered: String::new(),
            replaces: Vec::new(),
            regrouped: Vec::new(),
        }
    });
    Queue {
        definition,
        waves: waves.collect(),
        begun_at: queue.begun_at.clone(),
        removed_at: queue.removed_at.clone(),
    }
}

/// Returns the label set of a queue: as the library has it, or as it was when the queue was drawn.
///
/// # Errors
/// When the library's cannot be used.
pub fn read_label_book(library: &Library, queue: &Queue) -> Result<LabelBook, WorkspaceError> {
    let definition = &queue.definition;
    let label_sets = library.list_label_sets();
    if label_sets.iter().any(|(name, _)| *name == definition.set) {
        return Ok(library.read_label_set(&definition.set)?);
    }
    let file = format!("the label set of queue '{}'", definition.queue);
    Ok(LabelBook::from_texts(
        &file,
        &definition.set_text,
        &definition.codebook,
    )?)
}

fn pack_error(why: String) -> WorkspaceError {
    WorkspaceError::Invalid(why)
}
