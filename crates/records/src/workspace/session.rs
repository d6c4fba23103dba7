//! Open session: its journal, its state and its game, kept in step.

use super::error::{Result, WorkspaceError};
use super::journal_lines::{known_line, known_lines, record_from_line};
use super::partial_reply::{KilledReply, PartialWriter, killed_replies};
use super::sources::find_session_copies;
use crate::library::Game;
use crate::workspace::{Intake, JournalKind, has_fields, resume_journal};
use elenchus_game::debate::event::{Author, Created, Event, EventWithoutView, Prompted, Record};
use elenchus_game::debate::{SessionId, State, StepId};
use elenchus_store::{
    Head, Journal, JournalLine, JournalLines, JournalType, JournalWriter, Journals, Layout,
    TailNotice, has_begun, open_lines, read_journal, verify_and_read,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// A session that this process drives. It holds the journal's lock.
pub struct Session {
    pub id: SessionId,
    pub state: State,
    pub game: Game,
    journal: JournalWriter<SessionJournal>,
    /// Repairs made when it was opened.
    pub notices: Vec<TailNotice>,
    /// Replies that were coming when an earlier process ended.
    killed: Vec<KilledReply>,
}

impl Session {
    /// Begins a session with its first event, durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn create(
        layout: &Layout,
        journals: &Journals,
        game: Game,
        created: Created,
        at: String,
    ) -> Result<Self> {
        let id = created.session.clone();
        let path = layout.session_path(id.as_str())?;
        let journal = journals.begin_journal(&path)?;
        let mut session = Self {
            id,
            state: State::default(),
            game,
            journal,
            notices: Vec::new(),
            killed: Vec::new(),
        };
        let event = Event::Created(Box::new(created));
        session.record(at, Author::Engine, event).await?;
        Ok(session)
    }

    /// Opens a session to go on with it.
    ///
    /// # Errors
    /// When another process drives it, a line is broken or of an unknown kind, or an event does
    /// not fit.
    pub fn open(layout: &Layout, journals: &Journals, id: &SessionId) -> Result<Self> {
        let path = layout.session_path(id.as_str())?;
        if !has_begun(&path)? {
            // Opening would cut off what little there is.
            return Err(WorkspaceError::empty_journal(&path));
        }
        let journal = resume_journal::<SessionJournal>(journals, &path)?;
        let state = journal.state;
        refuse_copy(&path, &state)?;
        if !state.forked_from().is_empty()
            && let Some(copy_error) = find_session_copies(layout)?.remove(id)
        {
            return Err(copy_error);
        }
        let game = Game::from_created(require_created(&path, &state)?)?;
        Ok(Self {
            id: id.clone(),
            killed: killed_replies(&path, &state),
            state,
            game,
            journal: journal.writer,
            notices: journal.notices,
        })
    }

    /// Records the words of replies that were coming when an earlier process ended, durable when
    /// this returns; the first call does it. Whoever plays the session calls it first.
    ///
    /// # Errors
    /// When the disk refuses it.
    pub async fn record_killed_replies(&mut self, at: &str) -> Result<Vec<Record>> {
        let mut replies = std::mem::take(&mut self.killed);
        let events: Vec<_> = (replies.iter_mut())
            .filter_map(|killed| Some((Author::Engine, killed.event.take()?)))
            .collect();
        let records = match events.is_empty() {
            true => Vec::new(),
            false => self.record_all(at.to_owned(), events).await?,
        };
        replies.iter().for_each(KilledReply::remove_file);
        Ok(records)
    }

    /// Continues a session that an earlier process left; durable when this returns. Calls without
    /// a known outcome count at their worst case, failed steps are open again.
    ///
    /// # Errors
    /// When the session is over, or the disk refuses it.
    pub async fn resume(&mut self, at: String) -> Result<Vec<Record>> {
        let mut records = self.record_killed_replies(&at).await?;
        records.push(self.record(at, Author::Engine, Event::Resumed {}).await?);
        Ok(records)
    }

    /// Returns the side file for the words of a call that was noted as started; `None` where the
    /// journal does not know the call.
    pub fn partial_writer(&self, step: &StepId) -> Option<PartialWriter> {
        let call = self.state.open_call(step)?;
        PartialWriter::from_call(self.journal.path(), call.event, step)
    }

    /// Takes over the journal of a fork; `state` holds everything that is in it.
    ///
    /// # Errors
    /// When a template or rubric of the session cannot be compiled by this version.
    pub(crate) fn from_fork(
        id: SessionId,
        state: State,
        journal: JournalWriter<SessionJournal>,
    ) -> Result<Self> {
        let game = Game::from_created(require_created(journal.path(), &state)?)?;
        Ok(Self {
            id,
            state,
            game,
            journal,
            notices: Vec::new(),
            killed: Vec::new(),
        })
    }

    /// Folds an event in and makes it durable: only then does this return.
    ///
    /// # Errors
    /// When the event does not fit or the disk refuses it.
    pub async fn record(&mut self, at: String, by: Author, event: Event) -> Result<Record> {
        let mut records = self.record_all(at, vec![(by, event)]).await?;
        // One event went in, one record comes out.
        records
            .pop()
            .ok_or_else(|| WorkspaceError::empty_journal(self.journal.path()))
    }

    /// Folds events in, in their order, and makes them durable together.
    ///
    /// # Errors
    /// When one does not fit or the disk refuses them.
    pub async fn record_all(
        &mut self,
        at: String,
        events: Vec<(Author, Event)>,
    ) -> Result<Vec<Record>> {
        let mut records = Vec::with_capacity(events.len());
        for (by, event) in events {
            records.push(self.append_event(at.clone(), by, event)?);
        }
        self.journal.sync().await?;
        Ok(records)
    }

    /// Changes prompts, as the first thing that happens in a fork; durable when this returns.
    ///
    /// # Errors
    /// When the session did not begin as a fork just now, has no such template, or a text is none.
    pub async fn change_prompts(
        &mut self,
        at: String,
        by: Author,
        prompted: Prompted,
    ) -> Result<()> {
        let mut setup = self.created()?.clone();
        setup.templates.extend(prompted.templates.clone());
        // Before it is recorded, for nothing can take it back.
        let game = Game::from_created(&setup)?;
        self.record(at, by, Event::Prompted(Box::new(prompted)))
            .await?;
        self.game = game;
        Ok(())
    }

    /// Folds an event in and writes it without waiting for the disk; the next durable event
    /// carries it along.
    ///
    /// # Errors
    /// When the event does not fit or cannot be written.
    pub fn record_without_sync(&mut self, at: String, event: Event) -> Result<Record> {
        self.append_event(at, Author::Engine, event)
    }

    fn append_event(&mut self, at: String, by: Author, event: Event) -> Result<Record> {
        let record = Record { at, by, event };
        self.state
            .apply_event(&record)
            .map_err(WorkspaceError::Refused)?;
        let by = record.by.to_string();
        self.journal
            .append_without_sync(&record.at, &by, &record.event)?;
        Ok(record)
    }

    /// Makes what was noted durable.
    ///
    /// # Errors
    /// When the disk refuses it.
    pub async fn sync(&self) -> Result<()> {
        Ok(self.journal.sync().await?)
    }

    /// Says durably how far the session went, before it is dropped: dropping it does the same, and
    /// blocks.
    pub async fn close(&self) {
        self.journal.close().await;
    }

    /// Returns how the session began.
    ///
    /// # Errors
    /// When it has not begun, which no opened session is.
    pub fn created(&self) -> Result<&Created> {
        require_created(self.journal.path(), &self.state)
    }

    /// Returns the journal's length and head.
    pub fn head(&self) -> Head {
        self.journal.head()
    }
}

/// Reads what happened in a session, without its lock.
///
/// # Errors
/// When the journal cannot be read, or a line is broken or of an unknown kind.
pub fn read_records(path: &Path) -> Result<Vec<Record>> {
    let lines = known_lines(path, read_journal::<Event>(path)?.lines)?;
    Ok(lines.into_iter().map(record_from_line).collect())
}

/// Returns a session's lines as they are, without its lock. Events of kinds that this version does not
/// know are among them: their chain holds all the same.
///
/// # Errors
/// When the journal cannot be read, a line is broken, or acknowledged lines are not there; when it is a
/// copy of another session.
pub fn read_session_text(path: &Path) -> Result<String> {
    let bytes = verify_and_read(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| WorkspaceError::Invalid(format!("{}: it is not text", path.display())))?;
    if text.is_empty() {
        return Err(WorkspaceError::empty_journal(path));
    }
    let mut state = State::default();
    let events = text.lines().filter_map(|line| {
        let is_id = line.contains("\"type\":\"created\"") || line.contains("\"type\":\"forked\"");
        is_id.then(|| serde_json::from_str::<JournalLine<Event>>(line).ok())?
    });
    for line in events {
        if matches!(line.event, Event::Created(_) | Event::Forked { .. }) {
            // Of these alone, no event refuses another.
            let _ = state.apply_event(&record_from_line(line));
        }
    }
    // What a later version begins a session with is printed as it is.
    if state.first_event().is_some() {
        refuse_copy(path, &state)?;
    }
    Ok(text)
}

/// Reads a session without its lock: another process may be driving it.
///
/// # Errors
/// When the journal cannot be read, a line is broken or of an unknown kind, or an event does not
/// fit.
pub fn read_session(path: &Path) -> Result<State> {
    Ok(read_session_to(path, SeatViews::Kept)?.0)
}

/// As [`read_session`], for lists and figures: without what each seat was shown, which is most of a session.
///
/// # Errors
/// As [`read_session`].
pub fn read_session_without_views(path: &Path) -> Result<State> {
    Ok(read_session_to(path, SeatViews::Dropped)?.0)
}

/// Whether what each seat was shown is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeatViews {
    Kept,
    Dropped,
}

/// Reads a session with the head of the journal.
///
/// # Errors
/// As [`read_session`].
pub(super) fn read_session_to(path: &Path, views: SeatViews) -> Result<(State, Head)> {
    match views {
        SeatViews::Kept => read_as::<Event>(path),
        SeatViews::Dropped => read_as::<EventWithoutView>(path),
    }
}

fn read_as<E: DeserializeOwned + Into<Event>>(path: &Path) -> Result<(State, Head)> {
    let mut lines = open_lines::<E>(path)?;
    let state = fold_lines(path, &mut lines)?;
    refuse_copy(path, &state)?;
    Ok((state, lines.head()))
}

/// Folds a session's journal while it is read, so that it is never in memory as a whole along with the
/// state. `path` is for messages.
///
/// # Errors
/// When a line is broken, else when one is of an unknown kind, else when an event does not fit.
pub(super) fn fold_lines<E: DeserializeOwned + Into<Event>>(
    path: &Path,
    lines: &mut JournalLines<'_, E>,
) -> Result<State> {
    let mut state = State::default();
    let mut misfit = None;
    let mut unknown = None;
    for (at, line) in lines.enumerate() {
        match known_line(path, line?) {
            // An event that does not fit is reported only of a journal that is otherwise sound.
            Ok(line) if misfit.is_none() && unknown.is_none() => {
                misfit = apply_record(&mut state, path, at, &record_from_line(line)).err();
            }
            Ok(_) => {}
            Err(error) => unknown = unknown.or(Some(error)),
        }
    }
    match unknown.or(misfit) {
        Some(error) => Err(error),
        None => Ok(state),
    }
}

/// Folds a session's journal. `path` is for messages.
///
/// # Errors
/// When it is empty, a line is of an unknown kind, or an event does not fit.
pub(super) fn fold_session(path: &Path, journal: Journal<Event>) -> Result<State> {
    let state = SessionJournal::fold_journal(path, known_lines(path, journal.lines)?)?;
    require_created(path, &state)?;
    Ok(state)
}

fn require_created<'a>(path: &Path, state: &'a State) -> Result<&'a Created> {
    state
        .first_event()
        .ok_or_else(|| WorkspaceError::empty_journal(path))
}

/// An id is one file: in a store, the name of a session's file is the id that it gives itself. Forks of
/// earlier versions begin as their parents do, and their own id is nowhere but in their name.
fn refuse_copy(path: &Path, state: &State) -> Result<()> {
    require_created(path, state)?;
    let (Some(of), Some(named)) = (state.own_id(), Layout::session_at(path)) else {
        return Ok(());
    };
    if named == of.as_str() {
        return Ok(());
    }
    Err(WorkspaceError::Copied {
        path: path.display().to_string(),
        of: path
            .with_file_name(format!("{of}.jsonl"))
            .display()
            .to_string(),
    })
}

/// Journal of one session.
pub struct SessionJournal;

impl JournalType for SessionJournal {
    type Event = Event;
    const KIND: &'static str = "session";
}

impl JournalKind for SessionJournal {
    type State = State;
    const NAMES: (&'static str, &'static str) = ("session", "sessions");
    const FOLDERS: &'static [&'static str] = &["sessions", "trash", "tries/sessions"];
    const INTAKE: Intake = Intake::Freely;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "created", &["session", "protocol", "cast"])
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Event>>) -> Result<State> {
        fold_records(path, lines.into_iter().map(record_from_line))
    }

    // While it is read, so that it is never in memory as a whole along with the state.
    fn read_state(path: &Path) -> Result<State> {
        read_session(path)
    }
}

/// Folds what happened in a session.
///
/// # Errors
/// [`WorkspaceError::Misfit`] at the first event that does not fit.
pub fn fold_records(path: &Path, records: impl IntoIterator<Item = Record>) -> Result<State> {
    let mut state = State::default();
    for (at, record) in records.into_iter().enumerate() {
        apply_record(&mut state, path, at, &record)?;
    }
    Ok(state)
}

/// Folds the event of a line, counted from 0.
fn apply_record(state: &mut State, path: &Path, at: usize, record: &Record) -> Result<()> {
    state
        .apply_event(record)
        .map_err(|refusal| WorkspaceError::Misfit {
            path: path.display().to_string(),
            line: at + 1,
            refusal,
        })
}
