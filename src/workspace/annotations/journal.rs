//! One person's margin while they write in it, and everybody's to read.

use super::super::clock::Clock;
use super::super::error::DriverError;
use super::super::lines::known;
use super::super::sources::copied;
use super::event::{MarginEvent, Mark, MarkId};
use super::label::Label;
use super::pending::{Pending, PendingMark, append_missing};
use super::sight::sights_of;
use super::state::Margins;
use crate::debate::Author;
use crate::store::{
    Fsync, JournalWriter, Layout, Notice, Read, StoreError, copies_among, read_journal,
};
use std::collections::BTreeMap;

/// The longest note, in bytes.
const MAX_NOTE_BYTES: usize = 1 << 20;
/// The longest tag or name, in characters.
const MAX_NAME_CHARS: usize = 200;
/// The longest name of an annotator's journal, well below what a file system takes.
const MAX_FILE_NAME_CHARS: usize = 100;

/// A person's margin. It holds the journal's lock.
#[derive(Debug)]
pub struct MarginBook {
    margins: Margins,
    person: String,
    /// What their journal is called.
    annotator: String,
    clock: Clock,
    journal: JournalWriter<MarginEvent>,
    /// What was mended when it was opened.
    pub notices: Vec<Notice>,
}

/// An annotator's journal that could not be read, or not all of it.
#[derive(Debug)]
pub struct UnreadMargin {
    pub annotator: String,
    pub why: String,
}

/// Reads every annotator's margin, without locks. What cannot be read is returned beside the rest.
/// Blocks while it reads.
///
/// # Errors
/// When the annotators cannot be listed.
pub fn read_margins(layout: &Layout) -> Result<(Margins, Vec<UnreadMargin>), DriverError> {
    let mut margins = Margins::default();
    let mut unread = Vec::new();
    // Before the journals: what is moved from there into them meanwhile is not missed.
    let mut pending = Pending::read(layout).unwrap_or_else(|error| {
        let (annotator, why) = ("a merge".to_owned(), error.to_string());
        unread.push(UnreadMargin { annotator, why });
        Pending::default()
    });
    let mut annotators = layout.annotators()?;
    let paths: Result<Vec<_>, _> = annotators.iter().map(|name| layout.notes(name)).collect();
    let copies: BTreeMap<_, _> = copies_among(&paths?).into_iter().collect();
    annotators.extend(pending.notes.keys().cloned());
    annotators.sort();
    annotators.dedup();
    for annotator in annotators {
        let path = layout.notes(&annotator)?;
        if let Some(of) = copies.get(&path) {
            let why = copied(&path, of).to_string();
            unread.push(UnreadMargin { annotator, why });
            continue;
        }
        let on_its_way = pending.notes.remove(&annotator).unwrap_or_default();
        let lines = match read_journal::<MarginEvent>(&path) {
            Ok(journal) => journal.lines,
            Err(StoreError::Missing { .. }) if !on_its_way.is_empty() => Vec::new(),
            Err(error) => {
                let why = error.to_string();
                unread.push(UnreadMargin { annotator, why });
                continue;
            }
        };
        let mut strange = 0;
        let mut did = Vec::new();
        for line in lines {
            match line {
                Read::Known(line) => did.push((line.at, line.event)),
                // What a later version wrote does not hide what this one can read.
                Read::Unknown { .. } => strange += 1,
            }
        }
        margins.add(&annotator, did);
        margins.add_missing(&annotator, on_its_way);
        if strange > 0 {
            let why = format!(
                "{}: {strange} lines are of kinds that this version does not know and were passed \
                 over; a newer elenchus shows them",
                path.display()
            );
            unread.push(UnreadMargin { annotator, why });
        }
    }
    let mut sighted = layout.all_sights()?;
    sighted.extend(pending.sights.keys().cloned());
    sighted.sort();
    sighted.dedup();
    for annotator in sighted {
        let on_its_way = pending.sights.remove(&annotator).unwrap_or_default();
        match sights_of(layout, &annotator, on_its_way) {
            Ok(sights) => margins.add(&annotator, sights),
            Err(error) => {
                let why = error.to_string();
                unread.push(UnreadMargin { annotator, why });
            }
        }
    }
    Ok((margins, unread))
}

impl MarginBook {
    /// Opens a person's margin, or begins it. Blocks for a read and a sync.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process of the same person writes in it, naming it; when
    /// the journal cannot be read or begun.
    pub fn open(
        layout: &Layout,
        fsync: &Fsync,
        clock: Clock,
        person: &str,
        holder: &str,
    ) -> Result<Self, DriverError> {
        let annotator = annotator(person);
        let path = layout.notes(&annotator)?;
        let (journal, lines, notices) = match JournalWriter::create(&path, holder, fsync) {
            Ok(journal) => (journal, Vec::new(), Vec::new()),
            Err(StoreError::Exists { .. }) => {
                let opened = JournalWriter::open(&path, holder, fsync)?;
                (opened.writer, opened.lines, opened.notices)
            }
            Err(error) => return Err(error.into()),
        };
        let lines = known(&path, lines)?.into_iter();
        let mut margins = Margins::default();
        margins.add(&annotator, lines.map(|line| (line.at, line.event)));
        let mut book = Self {
            margins,
            person: person.to_owned(),
            annotator,
            clock,
            journal,
            notices,
        };
        let on_its_way = Pending::read(layout)?.notes.remove(&book.annotator);
        book.complete(on_its_way.unwrap_or_default())?;
        Ok(book)
    }

    /// Puts marks that a merge took into the journal, where they are not there yet, and returns how
    /// many were not; durable when this returns. Blocks for a sync.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn complete(&mut self, marks: Vec<PendingMark>) -> Result<usize, DriverError> {
        let known = self.margins.ids(&self.annotator);
        let written = append_missing(&self.journal, known, marks)?;
        let count = written.len();
        self.margins.add(&self.annotator, written);
        Ok(count)
    }

    /// Returns how many lines the journal has.
    pub(super) fn lines(&self) -> u64 {
        self.journal.head().lines
    }

    /// Writes something in the margin; durable when this returns. The id takes it back, by
    /// [`Mark::Retracted`].
    ///
    /// # Errors
    /// When nothing of that id is there to retract, a text is empty or too long, or the disk
    /// refuses.
    pub async fn write(&mut self, mark: Mark) -> Result<MarkId, DriverError> {
        let mark = trimmed(mark);
        self.check(&mark)?;
        let event = MarginEvent {
            id: MarkId::new(self.clock.fresh_id()),
            mark,
        };
        let at = self.clock.now();
        let by = Author::Person(self.person.clone()).to_string();
        self.journal.append(&at, &by, &event).await?;
        let id = event.id.clone();
        self.margins.add(&self.annotator, [(at, event)]);
        Ok(id)
    }

    /// Writes marks that were made elsewhere, with their times, and passes over those that are here;
    /// returns how many were new. Durable when this returns.
    ///
    /// # Errors
    /// When a text is empty or too long, or the disk refuses.
    pub async fn take_in(
        &mut self,
        marks: impl Iterator<Item = (String, MarginEvent)>,
    ) -> Result<usize, DriverError> {
        let marks: Vec<(String, MarginEvent)> = marks.collect();
        for (_, event) in &marks {
            self.check(&event.mark)?;
        }
        let mut known = self.margins.ids(&self.annotator);
        let by = Author::Person(self.person.clone()).to_string();
        let mut new = Vec::new();
        for (at, event) in marks {
            if known.insert(event.id.clone()) {
                self.journal.append_unsynced(&at, &by, &event)?;
                new.push((at, event));
            }
        }
        self.journal.sync().await?;
        let count = new.len();
        self.margins.add(&self.annotator, new);
        Ok(count)
    }

    /// Takes the last mark that stands back; `None` when there is none. The id of the retraction
    /// does it again.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn undo(&mut self) -> Result<Option<MarkId>, DriverError> {
        let Some(last) = self.margins.last(&self.annotator) else {
            return Ok(None);
        };
        let of = last.id.clone();
        Ok(Some(self.write(Mark::Retracted { of }).await?))
    }

    /// Returns what stands in this margin.
    pub fn margins(&self) -> &Margins {
        &self.margins
    }

    fn check(&self, mark: &Mark) -> Result<(), DriverError> {
        match mark {
            Mark::Retracted { of } => self.check_retraction(of),
            Mark::Noted { .. }
            | Mark::Tagged { .. }
            | Mark::Untagged { .. }
            | Mark::Named { .. }
            | Mark::Labelled(_)
            | Mark::Unblinded { .. } => check_words(mark),
        }
    }

    fn check_retraction(&self, of: &MarkId) -> Result<(), DriverError> {
        match self.margins.event(&self.annotator, of).map(|it| &it.mark) {
            None => Err(invalid(
                "what is to be taken back is not in this margin; somebody else may have written it",
            )),
            Some(Mark::Unblinded { .. }) => Err(invalid(
                "what a person was shown cannot be taken back; their later labels say so",
            )),
            Some(
                Mark::Noted { .. }
                | Mark::Tagged { .. }
                | Mark::Untagged { .. }
                | Mark::Named { .. }
                | Mark::Labelled(_)
                | Mark::Retracted { .. },
            ) => Ok(()),
        }
    }
}

/// Returns what a person's journal is called: their name, with a dash for every character that no
/// file is named with.
pub fn annotator(person: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let mut name: String = person
        .trim()
        .trim_start_matches('.')
        .chars()
        .map(|letter| if plain(letter) { letter } else { '-' })
        .take(MAX_FILE_NAME_CHARS)
        .collect();
    if name.is_empty() {
        name.push_str("person");
    }
    name
}

/// Refuses a mark whose words could not have been written by anybody here.
///
/// # Errors
/// When a text is empty or too long.
pub fn check_words(mark: &Mark) -> Result<(), DriverError> {
    match mark {
        Mark::Noted { text, .. } if text.trim().is_empty() => Err(invalid("a note is empty")),
        Mark::Noted { text, .. } if text.len() > MAX_NOTE_BYTES => Err(invalid(&format!(
            "a note holds at most {} KiB; write the rest into another one",
            MAX_NOTE_BYTES >> 10
        ))),
        Mark::Tagged { tag, .. } => check_name("a tag", tag),
        Mark::Named {
            name: Some(name), ..
        } => check_name("a name", name),
        Mark::Labelled(label) => check_label(label),
        Mark::Noted { .. }
        | Mark::Unblinded { .. }
        | Mark::Untagged { .. }
        | Mark::Named { name: None, .. }
        | Mark::Retracted { .. } => Ok(()),
    }
}

fn trimmed(mark: Mark) -> Mark {
    let trim = |text: String| text.trim().to_owned();
    match mark {
        Mark::Tagged { session, tag } => Mark::Tagged {
            session,
            tag: trim(tag),
        },
        Mark::Untagged { session, tag } => Mark::Untagged {
            session,
            tag: trim(tag),
        },
        Mark::Named { session, name } => Mark::Named {
            session,
            name: name.map(trim),
        },
        Mark::Noted { .. }
        | Mark::Labelled(_)
        | Mark::Unblinded { .. }
        | Mark::Retracted { .. } => mark,
    }
}

fn check_label(label: &Label) -> Result<(), DriverError> {
    check_name("a label", &label.label)?;
    check_name("a label set", &label.set)?;
    if label.note.as_ref().map_or(0, String::len) > MAX_NOTE_BYTES {
        return Err(invalid(&format!(
            "a note holds at most {} KiB",
            MAX_NOTE_BYTES >> 10
        )));
    }
    label
        .category
        .as_deref()
        .map_or(Ok(()), |category| check_name("a category", category))
}

fn check_name(what: &str, text: &str) -> Result<(), DriverError> {
    if text.trim().is_empty() {
        return Err(invalid(&format!("{what} is empty; give it a word")));
    }
    if text.chars().count() > MAX_NAME_CHARS {
        return Err(invalid(&format!(
            "{what} has at most {MAX_NAME_CHARS} characters; a note can hold more"
        )));
    }
    Ok(())
}

fn invalid(why: &str) -> DriverError {
    DriverError::Invalid(why.to_owned())
}
