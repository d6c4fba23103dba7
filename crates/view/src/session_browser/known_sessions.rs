//! Known sessions, as far as they were read. Pure: it takes in what was read and keeps all sessions
//! that still exist.

use super::change_history::{ChangeCause, ChangeReport, SessionChange};
use super::query::SearchableTexts;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{Annotation, Annotations};
use elenchus_records::workspace::{
    SessionOverview, SessionStatus, UnreadableSession, WorkspaceError, reject,
};
use elenchus_text::{format_grouped_count, format_thousands};
use std::collections::{BTreeSet, HashMap};

/// Sessions of the store, newest first.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub sessions: Vec<SessionId>,
    /// The first of them, summed up already: what fits on a screen.
    pub first: Vec<Result<SessionOverview, UnreadableSession>>,
    /// Recorded examples that come with the program.
    pub examples: Vec<SessionOverview>,
    pub annotations: Annotations,
    /// Configuration, in one line.
    pub configured: String,
    /// Where another store has sessions, if this one has none.
    pub elsewhere: Option<String>,
    /// Sessions that this workbench has in hand.
    pub open_here: BTreeSet<SessionId>,
    /// Time at which the list was read, RFC 3339, UTC: ages are counted up to it.
    pub now: String,
}

/// Place where a session is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionOrigin {
    Store,
    /// It comes with the program.
    Example,
}

/// A session as the list shows it.
#[derive(Debug, Clone)]
pub struct SessionEntry {
    pub id: SessionId,
    /// The session at a glance, or why it could not be read.
    pub found: Result<SessionOverview, String>,
    pub origin: SessionOrigin,
    pub name: Option<String>,
    /// Sorted.
    pub tags: Vec<String>,
    pub(super) texts: SearchableTexts,
    /// This workbench has it in hand.
    pub open_here: bool,
}

impl SessionEntry {
    fn new(id: SessionId, found: Result<SessionOverview, String>, origin: SessionOrigin) -> Self {
        Self {
            id,
            found,
            origin,
            name: None,
            tags: Vec::new(),
            texts: SearchableTexts::default(),
            open_here: false,
        }
    }

    /// Returns the session that this one was forked from.
    pub fn parent(&self) -> Option<&SessionId> {
        self.found.as_ref().ok()?.parent.as_ref()
    }

    /// Says whether it is a replicate of an ablation.
    pub fn is_replicate(&self) -> bool {
        self.found.as_ref().is_ok_and(|glance| glance.is_replicate)
    }

    /// Returns the name, else the first line of the topic.
    pub fn title(&self) -> &str {
        match (&self.name, &self.found) {
            (Some(name), _) => name,
            (None, Ok(glance)) => glance
                .summary
                .topic
                .lines()
                .find(|line| !line.trim().is_empty())
                .unwrap_or_default(),
            (None, Err(why)) => why,
        }
    }

    /// Returns why the session itself cannot be changed; `None` where it can.
    pub fn unchangeable_reason(&self) -> Option<String> {
        match self.origin {
            SessionOrigin::Store => None,
            SessionOrigin::Example => Some("it comes with the program".to_owned()),
        }
    }

    /// Returns why the session cannot be played on to its end; `None` where it can.
    pub fn unplayable_reason(&self) -> Option<String> {
        let overview = match (self.unchangeable_reason(), &self.found) {
            (Some(why), _) => return Some(why),
            (None, Err(why)) => return Some(why.clone()),
            (None, Ok(found)) => found,
        };
        if self.open_here {
            return Some("it is open here".to_owned());
        }
        match (overview.summary.state, &overview.driven_by) {
            (_, Some(holder)) => Some(format!("it is running in {holder}")),
            (SessionStatus::Open | SessionStatus::Failed, None) => None,
            (
                state @ (SessionStatus::Complete
                | SessionStatus::Stopped
                | SessionStatus::Truncated),
                None,
            ) => Some(format!("it is {}", state.as_word())),
        }
    }

    fn annotate(&mut self, annotations: &Annotations) {
        self.name = annotations.session_name(&self.id).map(str::to_owned);
        self.tags = annotations.session_tags(&self.id);
        self.texts = SearchableTexts::from_entry(self);
    }
}

/// All sessions that were read.
#[derive(Debug, Clone, Default)]
pub struct KnownSessions {
    entries: Vec<SessionEntry>,
    places: HashMap<SessionId, usize>,
    /// Sessions in the trash that undo brings back.
    trash: HashMap<SessionId, SessionEntry>,
    annotations: Annotations,
    total: usize,
    examples: usize,
    open_here: BTreeSet<SessionId>,
    now: String,
    configured: String,
    elsewhere: Option<String>,
    servers: Option<String>,
    listed: bool,
}

impl KnownSessions {
    /// Takes a list: sessions that are not in it any more are gone, the others stay as they were
    /// read until they are read again.
    pub fn apply_listing(&mut self, listing: Listing) {
        let listed_ids: BTreeSet<&SessionId> = listing.sessions.iter().collect();
        self.entries
            .retain(|entry| entry.origin == SessionOrigin::Store && listed_ids.contains(&entry.id));
        self.rebuild_index();
        self.total = listed_ids.len();
        self.now = listing.now;
        self.configured = listing.configured;
        self.elsewhere = listing.elsewhere;
        self.open_here = listing.open_here;
        self.annotations = listing.annotations;
        for entry in &mut self.entries {
            entry.annotate(&self.annotations);
        }
        self.add_overviews(listing.first);
        let before = self.entries.len();
        for glance in listing.examples {
            let id = glance.summary.session.clone();
            if !listed_ids.contains(&id) {
                self.put_entry(SessionEntry::new(id, Ok(glance), SessionOrigin::Example));
            }
        }
        self.examples = self.entries.len() - before;
        self.listed = true;
    }

    /// Takes sessions that were summed up.
    pub fn add_overviews(&mut self, batch: Vec<Result<SessionOverview, UnreadableSession>>) {
        for one in batch {
            let (id, found) = match one {
                Ok(glance) => (glance.summary.session.clone(), Ok(glance)),
                Err(unread) => (unread.session, Err(unread.why)),
            };
            if !self.trash.contains_key(&id) {
                self.put_entry(SessionEntry::new(id, found, SessionOrigin::Store));
            }
        }
        // A session that began since the list was read counts as well.
        self.total = self.total.max(self.read_count());
    }

    /// Takes in what came of changes.
    pub fn apply_changes(&mut self, report: &ChangeReport) {
        if let Some(annotations) = &report.annotations {
            self.set_annotations(annotations);
        }
        for change in &report.done {
            match (change, report.cause) {
                (SessionChange::Deleted(id), ChangeCause::Fresh | ChangeCause::Redo) => {
                    self.move_to_trash(id);
                }
                (SessionChange::Deleted(id), ChangeCause::Undo) => self.restore_session(id),
                (SessionChange::Annotated { .. }, _) => {}
            }
        }
    }

    /// Takes in the annotations.
    fn set_annotations(&mut self, annotations: &Annotations) {
        self.annotations = annotations.clone();
        for entry in self.entries.iter_mut().chain(self.trash.values_mut()) {
            entry.annotate(annotations);
        }
    }

    /// Takes a session away, to be brought back.
    fn move_to_trash(&mut self, id: &SessionId) {
        let Some(at) = self.places.get(id).copied() else {
            return;
        };
        let entry = self.entries.remove(at);
        self.trash.insert(id.clone(), entry);
        self.total = self.total.saturating_sub(1);
        self.rebuild_index();
    }

    /// Brings a session back.
    fn restore_session(&mut self, id: &SessionId) {
        if let Some(mut entry) = self.trash.remove(id) {
            entry.annotate(&self.annotations);
            self.total += 1;
            self.put_entry(entry);
        }
    }

    /// Returns the annotations.
    pub fn annotations(&self) -> &Annotations {
        &self.annotations
    }

    /// Returns every session that was read, in no particular order.
    pub fn entries(&self) -> &[SessionEntry] {
        &self.entries
    }

    /// Returns the session of that id.
    pub fn find_entry(&self, id: &SessionId) -> Option<&SessionEntry> {
        self.places.get(id).and_then(|at| self.entries.get(*at))
    }

    /// Returns the changes that add a tag to sessions, or take one away that is written with a `-` before
    /// it, where that changes anything; none for an empty tag.
    ///
    /// # Errors
    /// When no session has the tag that is to be taken away.
    pub fn tag_changes(
        &self,
        sessions: Vec<SessionId>,
        text: &str,
    ) -> Result<Vec<SessionChange>, WorkspaceError> {
        let (tag, is_added) = match text.strip_prefix('-').map(str::trim) {
            Some(tag) => (tag.to_owned(), false),
            None => (text.to_owned(), true),
        };
        if tag.is_empty() {
            return Ok(Vec::new());
        }
        let has = |id: &SessionId| {
            let entry = self.find_entry(id);
            entry.is_some_and(|entry| entry.tags.contains(&tag))
        };
        let sessions_to_change = sessions.into_iter().filter(|id| has(id) != is_added);
        let changes = sessions_to_change.map(|session| {
            let (of, tag) = (session.clone(), tag.clone());
            SessionChange::Annotated {
                session,
                mark: match is_added {
                    true => Annotation::Tagged { session: of, tag },
                    false => Annotation::Untagged { session: of, tag },
                },
                written: None,
            }
        });
        let changes: Vec<SessionChange> = changes.collect();
        match changes.is_empty() && !is_added {
            true => reject(format!("it has no tag '{tag}'")),
            false => Ok(changes),
        }
    }

    /// Returns the change that gives a session a name, or takes its name away where it is empty; `None`
    /// where it has that name.
    pub fn name_change(&self, session: SessionId, name: &str) -> Option<SessionChange> {
        let before = self
            .find_entry(&session)
            .and_then(|entry| entry.name.as_deref());
        let name = Some(name).filter(|name| !name.is_empty());
        (before != name).then(|| SessionChange::Annotated {
            session: session.clone(),
            mark: Annotation::Named {
                session,
                name: name.map(str::to_owned),
            },
            written: None,
        })
    }

    /// Returns how many sessions were forked from one, among those that were read.
    pub(super) fn fork_count(&self, id: &SessionId) -> usize {
        let parents = self.entries.iter().filter_map(SessionEntry::parent);
        parents.filter(|parent| *parent == id).count()
    }

    /// Returns how many sessions of the store were read.
    pub fn read_count(&self) -> usize {
        self.entries.len() - self.examples.min(self.entries.len())
    }

    /// Returns how many sessions the store has.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Says whether it is known that the store has no session.
    pub fn is_empty(&self) -> bool {
        self.listed && self.total == 0
    }

    /// Returns how many sessions there are, in words.
    pub fn count_words(&self) -> String {
        let read = self.read_count();
        match self.listed {
            false => "being read".to_owned(),
            true if read < self.total => {
                let [read, total] = [read, self.total].map(|count| format_thousands(count as u64));
                format!("{read} of {total} read")
            }
            true => format_grouped_count(self.total, "session"),
        }
    }

    /// Returns when the list was read, RFC 3339.
    pub fn now(&self) -> &str {
        &self.now
    }

    /// Takes which servers answer, and with which models.
    pub fn set_servers(&mut self, servers: String) {
        self.servers = Some(servers);
    }

    /// Returns which servers answer, and with which models, as far as that is known.
    pub fn servers(&self) -> Option<&str> {
        self.servers.as_deref()
    }

    /// Returns what is configured, in one line.
    pub fn configuration(&self) -> &str {
        &self.configured
    }

    /// Says where another store has sessions.
    pub fn elsewhere(&self) -> Option<&str> {
        self.elsewhere.as_deref()
    }

    /// Says whether a list was read at all.
    pub fn is_listed(&self) -> bool {
        self.listed
    }

    fn put_entry(&mut self, mut entry: SessionEntry) {
        entry.annotate(&self.annotations);
        entry.open_here = self.open_here.contains(&entry.id);
        match self.places.get(&entry.id) {
            Some(at) => {
                if let Some(old) = self.entries.get_mut(*at) {
                    *old = entry;
                }
            }
            None => {
                self.places.insert(entry.id.clone(), self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    fn rebuild_index(&mut self) {
        self.places = self
            .entries
            .iter()
            .enumerate()
            .map(|(at, entry)| (entry.id.clone(), at))
            .collect();
        self.examples = self
            .entries
            .iter()
            .filter(|entry| entry.origin == SessionOrigin::Example)
            .count();
    }
}
