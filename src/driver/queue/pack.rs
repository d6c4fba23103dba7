//! Packs: a folder in which a colleague labels a queue on another machine, and what comes back.
//!
//! A pack is a store that holds the queue, its label set (in the queue's definition), and a sheet of
//! each session: what was asked and said. It holds no session, and of the queue neither filter nor
//! strata, so nothing in it tells a verdict, a model, a protocol or a prompt, however it is looked at.
//! How each label's item was drawn is filled in when it comes back.

use super::super::error::DriverError;
use super::super::library::Library;
use super::super::lines::known;
use super::super::margin::{Drawn, MarginBook, MarginEvent, Mark, Spot};
use super::super::session::read_session;
use super::book::find_queue;
use super::definition::{QueueDefinition, QueueFilter, Sampling};
use super::event::{Queue, QueueEvent, QueueItem, Stratum, Wave, read_queue};
use super::sheet::{read_sheet, write_sheet};
use crate::debate::SessionId;
use crate::driver::desk::Desk;
use crate::driver::label_book::LabelBook;
use crate::store::{JournalWriter, Layout, Line, read_journal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the one stratum of a pack is called.
const PACKED: &str = "packed";

/// What a pack holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    pub items: usize,
    pub sessions: usize,
}

/// What was taken of one annotator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub annotator: String,
    /// Marks that are new here.
    pub taken: usize,
    /// Marks that were here before.
    pub known: usize,
}

/// Writes a pack into a folder that is not there yet. Blocks while it reads sessions.
///
/// # Errors
/// When there is no such queue, one of its sessions cannot be read, or the folder is there.
pub async fn write_pack(
    desk: &Desk,
    library: &Library,
    name: &str,
    folder: &Path,
) -> Result<Packed, DriverError> {
    let queue = find_queue(&desk.layout, name)?;
    if folder.exists() {
        return Err(invalid(format!(
            "{} is there already; name a folder that is not, or remove it",
            folder.display()
        )));
    }
    let names = label_book(library, &queue)?.set.seats;
    let sessions: BTreeSet<&SessionId> = queue.items().map(|(_, item)| &item.on.session).collect();
    // Everything is read before anything is written: a pack is whole or it is not there.
    let mut sheets = Vec::new();
    for session in &sessions {
        let mut sheet = read_sheet(&desk.layout, session, names)?;
        // What was shown to a seat is not needed to label, and makes a pack many times as large.
        for turn in &mut sheet.turns {
            turn.saw.clear();
        }
        sheets.push(sheet);
    }
    let pack = Desk {
        layout: Layout::at(folder),
        ..desk.clone()
    };
    pack.layout.create()?;
    let packed = Packed {
        items: queue.len(),
        sessions: sheets.len(),
    };
    for sheet in sheets {
        write_sheet(&pack, sheet).await?;
    }
    let blind = blind(&queue);
    let journal = JournalWriter::create(&pack.layout.queue(name)?, &desk.holder, &desk.fsync)?;
    let defined = QueueEvent::Defined(Box::new(blind.definition));
    journal.append(&blind.begun_at, "engine", &defined).await?;
    for wave in blind.waves {
        let drawn = QueueEvent::Drawn(Box::new(wave));
        journal.append(&blind.begun_at, "engine", &drawn).await?;
    }
    Ok(packed)
}

/// Returns a queue without what it was drawn by.
fn blind(queue: &Queue) -> Queue {
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
            ..item.clone()
        });
        Wave {
            wave: wave.wave,
            sampling: Sampling::All,
            strata: vec![Stratum {
                name: PACKED.to_owned(),
                taken: count,
                of: count,
            }],
            items: items.collect(),
            considered: String::new(),
        }
    });
    Queue {
        definition,
        waves: waves.collect(),
        begun_at: queue.begun_at.clone(),
    }
}

/// Returns the label set of a queue: as the library has it, or as it was when the queue was drawn.
///
/// # Errors
/// When the library's cannot be used.
pub fn label_book(library: &Library, queue: &Queue) -> Result<LabelBook, DriverError> {
    let definition = &queue.definition;
    let known = library.label_sets();
    if known.iter().any(|(name, _)| *name == definition.set) {
        return Ok(library.label_set(&definition.set)?);
    }
    let file = format!("the label set of queue '{}'", definition.queue);
    Ok(LabelBook::read(
        &file,
        &definition.set_text,
        &definition.codebook,
    )?)
}

/// Takes in what was labelled in a pack: everything, or nothing where anything is wrong. What is here
/// already is passed over, so that merging twice doubles nothing. Blocks while it reads.
///
/// # Errors
/// When the folder is no pack; when one of its queues is another one here, or not here at all; when a
/// label is on something that is not here, or one mark is two different things; when somebody writes
/// in one of the margins.
pub async fn merge_pack(desk: &Desk, folder: &Path) -> Result<Vec<Merged>, DriverError> {
    let pack = Layout::at(folder);
    let queues = pack.queues()?;
    if queues.is_empty() {
        return Err(invalid(format!(
            "{} is no pack: it holds no queue; name the folder that 'elenchus labels pack' wrote",
            folder.display()
        )));
    }
    let mut drawn = BTreeMap::new();
    for name in &queues {
        let ours = checked_queue(desk, &pack, name)?;
        for (wave, item) in ours.items() {
            drawn.insert((name.clone(), item.on.clone()), ours.drawn(wave, item));
        }
    }
    let mut known_spots = KnownSpots::default();
    let mut merging = Vec::new();
    for annotator in pack.annotators()? {
        let path = pack.notes(&annotator)?;
        let mut lines = known::<MarginEvent>(&path, read_journal(&path)?.lines)?;
        for (at, line) in lines.iter_mut().enumerate() {
            let what = format!("{}:{}", path.display(), at + 1);
            known_spots.check(desk, &what, &line.event.mark)?;
            tell_how_drawn(&mut line.event.mark, &drawn);
        }
        let book = MarginBook::open(
            &desk.layout,
            &desk.fsync,
            desk.clock,
            &annotator,
            &desk.holder,
        )?;
        let mut new = Vec::new();
        let mut before = 0;
        for (at, line) in lines.into_iter().enumerate() {
            match book.margins().event(&annotator, &line.event.id) {
                None => new.push(line),
                Some(event) if *event == line.event => before += 1,
                Some(_) => {
                    return Err(invalid(format!(
                        "{}:{}: the mark {} is another one in this store; nothing was taken: one of \
                         the two journals was changed by hand, and 'elenchus verify' looks at both",
                        path.display(),
                        at + 1,
                        line.event.id.as_str()
                    )));
                }
            }
        }
        merging.push((annotator, book, new, before));
    }
    let mut merged = Vec::new();
    for (annotator, mut book, new, before) in merging {
        let taken = new.len();
        for Line { at, by, event, .. } in new {
            book.adopt(&at, &by, event).await?;
        }
        merged.push(Merged {
            annotator,
            taken,
            known: before,
        });
    }
    Ok(merged)
}

/// Puts how an item was drawn in the place of what the pack said of it.
fn tell_how_drawn(mark: &mut Mark, known: &BTreeMap<(String, Spot), Option<Drawn>>) {
    let Mark::Labelled(label) = mark else { return };
    let Some(packed) = &label.drawn else { return };
    if let Some(drawn) = known.get(&(packed.queue.clone(), label.on.clone())) {
        label.drawn.clone_from(drawn);
    }
}

/// Returns this store's queue where the pack's is the same, or an earlier state of it.
fn checked_queue(desk: &Desk, pack: &Layout, name: &str) -> Result<Queue, DriverError> {
    let theirs = read_queue(&pack.queue(name)?)?;
    let path = desk.layout.queue(name)?;
    let ours = match path.exists() {
        true => read_queue(&path)?,
        false => {
            return Err(invalid(format!(
                "the pack is of the queue '{name}', which this store does not have; merge it into \
                 the store that the pack was made from. Nothing was taken"
            )));
        }
    };
    let same = blind(&ours);
    let waves = same.waves.get(..theirs.waves.len());
    if same.definition == theirs.definition && waves == Some(&theirs.waves) {
        return Ok(ours);
    }
    Err(invalid(format!(
        "the queue '{name}' of the pack is another one than this store's; merge it into the store \
         that the pack was made from. Nothing was taken"
    )))
}

/// What can be labelled here, read session by session.
#[derive(Default)]
struct KnownSpots(BTreeMap<SessionId, Option<crate::debate::State>>);

impl KnownSpots {
    /// Refuses a label on something that is not here.
    fn check(&mut self, desk: &Desk, place: &str, mark: &Mark) -> Result<(), DriverError> {
        let on = match mark {
            Mark::Labelled(label) => &label.on,
            Mark::Noted { on, .. } => on,
            Mark::Tagged { .. }
            | Mark::Untagged { .. }
            | Mark::Named { .. }
            | Mark::Unblinded { .. }
            | Mark::Retracted { .. } => return Ok(()),
        };
        let path = desk.layout.session(on.session.as_str())?;
        let known = self.0.entry(on.session.clone());
        let state = known.or_insert_with(|| read_session(&path).ok());
        let found = state.as_ref().is_some_and(|state| match &on.attempt {
            None => true,
            Some(attempt) => {
                Spot::attempt(on.session.clone(), state, &attempt.id).as_ref() == Some(on)
            }
        });
        if found {
            return Ok(());
        }
        Err(invalid(format!(
            "{place}: it is on {}, which this store does not have in these words; nothing was taken",
            match &on.attempt {
                Some(attempt) => format!("{} of session {}", attempt.id, on.session),
                None => format!("session {}", on.session),
            }
        )))
    }
}

fn invalid(why: String) -> DriverError {
    DriverError::Invalid(why)
}
