//! Browser of a namespace: its entries as they are listed now, the one that is chosen, what was looked for, and
//! a person's changes with the way back. Pure: keys come as marks, and what is to be read or written is returned.
//!
//! | file | content |
//! |---|---|
//! | `changes` | one change at a time, undo and redo, what may be changed |
//! | `texts` | what stands above the list, in its rows and where it is empty |

mod changes;
mod texts;

pub use changes::EntryDraft;
pub use texts::EntryRow;

use super::{EntryImport, EntryPage, PageKeys};
use changes::ChangeSteps;
use elenchus_game::debate::SessionId;
use elenchus_memory::{DEFAULT_EXAMPLES, EntryId, EntryKind, MemoryEntry};
use elenchus_records::workspace::memory::{
    DEFAULT_NAMESPACE, EntryChange, EntrySearch, EntryUses, GuardPreview, LessonPreview,
    NamespaceEntries, NamespaceOverview, WithNotices, summarize_namespaces,
};
use elenchus_records::workspace::{StoreIndex, WorkspaceError, reject};
use elenchus_text::{Content, PageItem, Role};
use std::collections::HashMap;
use std::sync::Arc;

/// A namespace that was read, and which others there are.
#[derive(Debug, Clone)]
pub struct ReadNamespace {
    pub namespaces: Vec<NamespaceOverview>,
    pub entries: NamespaceEntries,
    /// Notice where no embedding model is installed.
    pub by_words: Option<&'static str>,
    /// How many examples of a guardrail models are shown.
    pub shown_examples: usize,
}

impl ReadNamespace {
    /// Reads a namespace; the one with most live entries where none is named. `by_words` is said where no
    /// embedding model is installed.
    ///
    /// # Errors
    /// When the namespaces cannot be listed, or the journals of this one cannot be read.
    pub fn read(
        index: &StoreIndex,
        named: Option<&str>,
        by_words: Option<&'static str>,
    ) -> Result<Self, WorkspaceError> {
        let namespaces = summarize_namespaces(index)?;
        let live = |glance: &&NamespaceOverview| {
            let counts = glance.counts.as_ref();
            counts.ok().map(|counts| counts.live)
        };
        let fullest = namespaces.iter().rev().max_by_key(live);
        let name = named.or(fullest.map(|glance| glance.name.as_str()));
        let name = name.unwrap_or(DEFAULT_NAMESPACE);
        Ok(Self {
            entries: NamespaceEntries::read_with(index, name)?,
            namespaces: namespaces.clone(),
            by_words,
            shown_examples: DEFAULT_EXAMPLES,
        })
    }
}

/// Memory that a debate about a topic would be given.
#[derive(Debug, Clone)]
pub struct TopicMemory {
    pub shown: LessonPreview,
    /// Guardrails it would ask.
    pub asked: GuardPreview,
}

/// Marks of the keys that texts name.
#[derive(Debug, Clone, Copy)]
pub struct BrowserKeys {
    pub page: PageKeys,
    pub back: char,
    pub other_kind: char,
    pub add: char,
    /// Deletes an entry, or restores it.
    pub delete: char,
    /// Disables an entry, or enables it.
    pub disable: char,
    pub undo: char,
    pub unmask: char,
}

/// What is listed.
#[derive(Debug, Clone)]
enum MemoryListing {
    /// Every entry of a kind, the newest first.
    All,
    /// Something was asked and is not answered yet.
    Asked { text: String, question: u64 },
    /// The entries nearest to a text.
    Found { query: String, retriever: String },
    /// Entries and guardrails that a debate about a topic would be given.
    Topic {
        text: String,
        given: Arc<TopicMemory>,
    },
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ListedEntry {
    /// Index among the entries of the namespace.
    at: usize,
    score: Option<f64>,
}

/// What a page is about: another one is read from its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageSubject {
    question: u64,
    entry: Option<EntryId>,
}

/// Entries as they are listed, with what is known of the chosen one.
#[derive(Debug)]
pub struct MemoryBrowser {
    keys: BrowserKeys,
    /// The namespace that is wanted; `None` for the one that has most to show.
    namespace: Option<String>,
    /// Entry to choose once it is listed.
    wanted: Option<EntryId>,
    read: Option<Arc<ReadNamespace>>,
    /// Message while there is nothing to show.
    empty: String,
    /// Kind that is listed while nothing is looked for.
    kind: EntryKind,
    shown: MemoryListing,
    list_deleted: bool,
    listed: Vec<ListedEntry>,
    row: usize,
    /// Uses of the entry that was asked about last.
    uses: Option<(EntryId, Result<EntryUses, WorkspaceError>)>,
    changes: ChangeSteps,
    questions: u64,
    /// The question whose answer is listed.
    answered: u64,
}

impl MemoryBrowser {
    /// A browser of a namespace that is not read yet, at an entry if one is named.
    pub fn new(namespace: Option<String>, at: Option<EntryId>, keys: BrowserKeys) -> Self {
        Self {
            keys,
            namespace,
            wanted: at,
            read: None,
            empty: "reading memory".to_owned(),
            kind: EntryKind::Lesson,
            shown: MemoryListing::All,
            list_deleted: false,
            listed: Vec::new(),
            row: 0,
            uses: None,
            changes: ChangeSteps::default(),
            questions: 0,
            answered: 0,
        }
    }

    /// Returns the namespace that is wanted.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// Returns what was read.
    ///
    /// # Errors
    /// Says why there is nothing yet.
    pub fn loaded_namespace(&self) -> Result<&Arc<ReadNamespace>, WorkspaceError> {
        let read = self.read.as_ref();
        read.ok_or_else(|| WorkspaceError::invalid(&self.empty))
    }

    fn entries(&self) -> &[MemoryEntry] {
        let read = self.read.as_ref();
        read.map_or(&[], |read| &read.entries.folded.entries)
    }

    fn entries_of_kind(&self, kind: EntryKind) -> impl Iterator<Item = &MemoryEntry> {
        let entries = self.entries().iter();
        entries.filter(move |entry| entry.kind() == kind)
    }

    /// Returns how many rows are listed.
    pub fn row_count(&self) -> usize {
        self.listed.len()
    }

    pub fn row_index(&self) -> usize {
        self.row
    }

    pub fn choose_row(&mut self, row: usize) {
        self.row = row.min(self.listed.len().saturating_sub(1));
    }

    fn entry_at(&self, row: usize) -> Option<&MemoryEntry> {
        self.entries().get(self.listed.get(row)?.at)
    }

    /// Returns the chosen entry.
    pub fn chosen_entry(&self) -> Option<&MemoryEntry> {
        self.entry_at(self.row)
    }

    /// Returns the chosen guardrail.
    pub fn chosen_guard(&self) -> Option<&MemoryEntry> {
        let chosen_entry = self.chosen_entry();
        chosen_entry.filter(|entry| entry.kind() == EntryKind::Guardrail)
    }

    /// Takes note that memory could not be read.
    pub fn set_read_error(&mut self, why: String) {
        self.empty = why;
    }

    /// Takes what was read, if it is of the namespace that is wanted; returns what a person should know, and
    /// whether that is a warning.
    pub fn apply_namespace(&mut self, read: &Arc<ReadNamespace>) -> Option<(Role, String)> {
        let wanted_name = self.namespace.as_deref();
        if wanted_name.is_some_and(|name| name != read.entries.namespace) {
            return None;
        }
        self.namespace = Some(read.entries.namespace.clone());
        let is_first = self.read.is_none();
        self.read = Some(Arc::clone(read));
        // The kind that is listed follows the entry that the browser was opened at.
        let wanted_id = self.wanted.as_ref().filter(|_| is_first);
        if let Some(entry) = wanted_id.and_then(|id| read.entries.folded.find_entry(id)) {
            self.kind = entry.kind();
        }
        match &self.shown {
            MemoryListing::All => self.list_all(),
            // Rows name entries by their place, and a namespace only grows.
            MemoryListing::Asked { .. }
            | MemoryListing::Found { .. }
            | MemoryListing::Topic { .. } => {}
        }
        if let Some(notice) = read.entries.notices.first() {
            return Some((Role::Warning, notice.clone()));
        }
        match read.by_words {
            Some(line) if is_first && self.kind == EntryKind::Lesson => {
                Some((Role::Notice, line.to_owned()))
            }
            Some(_) | None => self.unread_guardrails(),
        }
    }

    /// Says why guardrails cannot be read, where they are listed and cannot.
    pub fn unread_guardrails(&self) -> Option<(Role, String)> {
        let unread = self.read.as_ref()?.entries.unread.clone()?;
        (self.kind == EntryKind::Guardrail).then_some((Role::Error, unread))
    }

    /// Lists every entry of a kind; the choice stays where it can.
    pub fn list_all(&mut self) {
        let chosen_id = self.chosen_entry().map(|entry| entry.id.clone());
        self.shown = MemoryListing::All;
        self.answered = 0;
        let (kind, list_deleted) = (self.kind, self.list_deleted);
        let is_listed =
            |entry: &MemoryEntry| entry.kind() == kind && (list_deleted || !entry.deleted);
        let entries = self.entries().iter().enumerate().rev();
        let rows = entries.filter(|(_, entry)| is_listed(entry));
        let rows = rows.map(|(at, _)| ListedEntry { at, score: None });
        self.listed = rows.collect();
        self.choose_row(self.row);
        if let Some(id) = self.wanted.take().or(chosen_id) {
            let is_it = |row: &usize| {
                let entry = self.entry_at(*row);
                entry.is_some_and(|entry| entry.has_id(&id))
            };
            if let Some(row) = (0..self.listed.len()).find(is_it) {
                self.row = row;
            }
        }
    }

    /// Lists guardrails instead of lessons, or lessons again.
    pub fn toggle_kind(&mut self) {
        self.kind = match self.kind {
            EntryKind::Lesson => EntryKind::Guardrail,
            EntryKind::Guardrail => EntryKind::Lesson,
        };
        self.list_all();
    }

    /// Lists deleted entries as well, or leaves them out; says so.
    pub fn toggle_deleted(&mut self) -> String {
        self.list_deleted = !self.list_deleted;
        self.list_all();
        match self.list_deleted {
            true => format!(
                "deleted entries are listed: {} restores one",
                self.keys.delete
            ),
            false => "deleted entries are not listed".to_owned(),
        }
    }

    /// Goes to a namespace beside this one.
    ///
    /// # Errors
    /// Says that there is none on that side.
    pub fn go_to_namespace(&mut self, by: isize) -> Result<(), WorkspaceError> {
        let read = self.loaded_namespace()?;
        let here = read.namespaces.iter();
        let here = here.map(|glance| glance.name.as_str());
        let here = here.clone().position(|name| name == read.entries.namespace);
        let to = match here {
            Some(here) => here.checked_add_signed(by),
            None => Some(0),
        };
        let to = to.and_then(|to| read.namespaces.get(to));
        let to =
            to.ok_or_else(|| WorkspaceError::invalid("there is no other namespace on this side"))?;
        self.namespace = Some(to.name.clone());
        // What was done elsewhere is not taken back here.
        self.changes.clear();
        self.shown = MemoryListing::All;
        Ok(())
    }

    /// Takes note of something that is looked for; returns the number of the question.
    pub fn start_search(&mut self, text: String) -> u64 {
        self.questions += 1;
        let question = self.questions;
        self.shown = MemoryListing::Asked { text, question };
        question
    }

    /// Returns what was asked, where this is the question that waits for its answer.
    fn pending_search(&self, answered: u64) -> Option<String> {
        match &self.shown {
            MemoryListing::Asked { text, question } => {
                (*question == answered).then(|| text.clone())
            }
            MemoryListing::All | MemoryListing::Found { .. } | MemoryListing::Topic { .. } => None,
        }
    }

    /// Lists the entries nearest to a text; returns what is to be said, or nothing where another question was
    /// asked since.
    pub fn apply_search(
        &mut self,
        question: u64,
        found: Result<WithNotices<EntrySearch>, WorkspaceError>,
    ) -> Option<(Role, String)> {
        let query = self.pending_search(question)?;
        let search = match found {
            Ok(found) => found,
            Err(why) => return self.fail_search(why.to_string()),
        };
        let entries = search.found.entries.iter();
        self.list_results(question, entries.map(|one| (one.id.0.as_str(), one.score)));
        self.shown = MemoryListing::Found {
            query,
            retriever: search.found.retriever,
        };
        join_notices(&search.notices)
    }

    /// Lists what a debate about a topic would be given; returns as [`MemoryBrowser::apply_search`].
    pub fn apply_topic_memory(
        &mut self,
        question: u64,
        given: Result<WithNotices<TopicMemory>, WorkspaceError>,
    ) -> Option<(Role, String)> {
        let text = self.pending_search(question)?;
        let memory = match given {
            Ok(given) => given,
            Err(why) => return self.fail_search(why.to_string()),
        };
        let lessons = memory.found.shown.retrieved.entries.iter();
        let lessons = lessons.map(|entry| (entry.id.as_str(), entry.score));
        let near = memory.found.asked.near.candidates.iter();
        let near = near.map(|guard| (guard.id.as_str(), guard.score));
        self.list_results(question, lessons.chain(near));
        self.shown = MemoryListing::Topic {
            text,
            given: Arc::new(memory.found),
        };
        join_notices(&memory.notices)
    }

    fn fail_search(&mut self, why: String) -> Option<(Role, String)> {
        self.list_all();
        Some((Role::Error, why))
    }

    fn list_results<'a>(&mut self, question: u64, scored: impl Iterator<Item = (&'a str, f64)>) {
        let entries = self.entries().iter().enumerate();
        let places: HashMap<&str, usize> = entries
            .map(|(at, entry)| (entry.id.0.as_str(), at))
            .collect();
        let rows = scored.filter_map(|(id, score)| {
            let score = Some(score);
            Some(ListedEntry {
                at: *places.get(id)?,
                score,
            })
        });
        self.listed = rows.collect();
        (self.row, self.answered) = (0, question);
    }

    /// Says whether something was looked for and is shown; the list of all comes back then.
    pub fn leave_search(&mut self) -> bool {
        match &self.shown {
            MemoryListing::All => return false,
            MemoryListing::Asked { .. }
            | MemoryListing::Found { .. }
            | MemoryListing::Topic { .. } => self.list_all(),
        }
        true
    }

    /// Says whether the page is a preview of what a topic would be given.
    pub fn is_preview(&self) -> bool {
        matches!(self.shown, MemoryListing::Topic { .. })
    }

    /// Returns the chosen entry, where it is not known yet which debates were shown it.
    pub fn unknown_uses(&self) -> Option<EntryId> {
        let known_id = self.uses.as_ref().map(|(id, _)| id);
        let chosen_id = self.chosen_entry().map(|entry| &entry.id);
        chosen_id
            .filter(|id| !self.is_preview() && known_id != Some(id))
            .cloned()
    }

    /// Takes which debates were shown an entry, where it is still chosen.
    pub fn set_uses(&mut self, id: EntryId, uses: Result<EntryUses, WorkspaceError>) {
        if self.chosen_entry().is_some_and(|entry| entry.id == id) {
            self.uses = Some((id, uses));
        }
    }

    /// Returns which debates were shown the chosen entry, as far as that is known.
    fn chosen_uses(&self) -> Option<&Result<EntryUses, WorkspaceError>> {
        let (id, uses) = self.uses.as_ref()?;
        (self.chosen_entry()?.id == *id).then_some(uses)
    }

    /// Returns a debate to be repeated without the chosen entry: the one that is pointed at, if it was shown the
    /// entry, else the newest. `Ok(None)` where it is not known yet which were.
    ///
    /// # Errors
    /// Says why no debate can be repeated.
    pub fn debate_to_repeat(
        &self,
        pointed: Option<&SessionId>,
    ) -> Result<Option<(SessionId, EntryId)>, WorkspaceError> {
        if self.chosen_guard().is_some() {
            return reject(format!(
                "replicates leave a lesson out; guardrails are the same in both arms. {} keeps \
                 this one from debates that begin",
                self.keys.disable
            ));
        }
        let entry = self
            .chosen_entry()
            .ok_or_else(|| WorkspaceError::invalid("choose an entry first"))?
            .id
            .clone();
        let Some(Ok(uses)) = self.chosen_uses() else {
            return Ok(None);
        };
        let mut debates = uses.debates.iter();
        let pointed_debate = debates.find(|one| Some(&one.session) == pointed);
        match pointed_debate.or(uses.debates.first()) {
            Some(debate) => Ok(Some((debate.session.clone(), entry))),
            None => reject("no debate was shown this entry, so none can be repeated without it"),
        }
    }

    /// Returns what the page is about.
    pub fn page_subject(&self) -> PageSubject {
        PageSubject {
            question: self.answered,
            entry: self.chosen_entry().map(|entry| entry.id.clone()),
        }
    }

    /// Returns where an entry came from, if it was not written here.
    pub(super) fn entry_import(&self, entry: &MemoryEntry) -> Option<EntryImport<'_>> {
        EntryImport::find_import(&self.read.as_ref()?.entries, entry)
    }

    /// Returns the page of what is chosen; `results` of ablations stand on that of a lesson.
    pub fn build_page(&self, content: Content, results: Vec<PageItem>) -> Vec<PageItem> {
        let page = EntryPage {
            content,
            namespace: self.namespace.as_deref(),
            uses: self.chosen_uses(),
            keys: Some(self.keys.page),
            origin: self
                .chosen_entry()
                .and_then(|entry| self.entry_import(entry)),
            shown_examples: self
                .read
                .as_ref()
                .map_or(DEFAULT_EXAMPLES, |read| read.shown_examples),
        };
        match (&self.shown, self.chosen_entry()) {
            (MemoryListing::Topic { text, given }, _) => {
                page.build_topic_page(text, &given.shown, &given.asked)
            }
            (_, Some(entry)) => page.build_entry_page(entry, results),
            (_, None) => Vec::new(),
        }
    }
}

/// Says what there is to say of how memory was ranked.
fn join_notices(notices: &[String]) -> Option<(Role, String)> {
    (!notices.is_empty()).then(|| (Role::Notice, notices.join("; ")))
}

/// A change that is to be written into a namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedChange {
    pub namespace: String,
    pub change: EntryChange,
}
