//! Results of tasks, as the memory screen takes them in.

use super::ablation::TrialProgress;
use super::guardrails::standing_told;
use super::typing::Purpose;
use super::{Changing, ListContent, ListedEntry, Memory, MemoryCard, MemoryPane, TopicTried};
use crate::experiments::{AblationReport, PlannedAblation};
use crate::tui::app::{Command, Effect, Ticket, Update, fail, say, warn};
use crate::workspace::Draft;
use crate::workspace::memory::{ChangedEntry, EntryChange, EntrySearch, EntryUses, WithNotices};
use crate::workspace::{EntryId, EntryKind};
use std::collections::HashMap;
use std::sync::Arc;

/// Result of a task of this screen.
pub enum Message {
    Read(Result<Arc<MemoryCard>, String>),
    Found(Ticket, Result<WithNotices<EntrySearch>, String>),
    Shown(Ticket, Result<Box<WithNotices<TopicTried>>, String>),
    Uses(EntryId, Result<EntryUses, String>),
    Changed(Result<Box<ChangedEntry>, String>),
    /// What all runs that left an entry out came to, newest first.
    Ablations(EntryId, Result<Vec<AblationReport>, String>),
    Planned(Ticket, Result<Arc<PlannedAblation>, String>),
    Trial(TrialProgress),
    /// A text of an earlier time that was not used, and its place.
    DraftFound(String, Draft),
    /// A text came back from the person's own editor.
    Edited(Purpose, Result<String, String>),
}

impl Update for Memory {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(Ok(card)) => self.read(&card),
            Message::Read(Err(why)) => {
                self.empty.clone_from(&why);
                fail(why)
            }
            Message::Found(ticket, found) if self.is_awaited(ticket) => match found {
                Ok(found) => self.found(&found),
                Err(why) => self.not_answered(why),
            },
            Message::Shown(ticket, shown) if self.is_awaited(ticket) => match shown {
                Ok(tried) => self.would_be_shown(*tried),
                Err(why) => self.not_answered(why),
            },
            Message::Found(..) | Message::Shown(..) => Vec::new(),
            Message::Uses(id, uses) => {
                if self.chosen().is_some_and(|entry| entry.id == id) {
                    self.uses = Some((id, uses));
                    self.refresh_page();
                }
                Vec::new()
            }
            Message::Changed(result) => match (self.changing.take(), result) {
                (None, _) => Vec::new(),
                (Some(changing), Ok(changed)) => self.changed(changing, *changed),
                (Some(_), Err(why)) => fail(why),
            },
            Message::Ablations(entry, reports) => {
                if self.chosen().is_some_and(|chosen| chosen.id == entry) {
                    self.ablations = Some((entry, reports));
                    self.refresh_page();
                }
                Vec::new()
            }
            Message::Planned(ticket, planned) => self.planned(ticket, planned),
            Message::Trial(progress) => self.trial_goes_on(progress),
            Message::DraftFound(place, draft) => self.draft_found(&place, &draft),
            Message::Edited(purpose, Ok(text)) => self.written(purpose, text),
            Message::Edited(_, Err(why)) => fail(why),
        }
    }
}

impl Memory {
    fn is_awaited(&self, answered: Ticket) -> bool {
        match &self.showing {
            ListContent::Asked { ticket, .. } => *ticket == answered,
            ListContent::All | ListContent::Found { .. } | ListContent::Topic { .. } => false,
        }
    }

    fn read(&mut self, card: &Arc<MemoryCard>) -> Vec<Effect> {
        let wanted = self.namespace.as_deref();
        if wanted.is_some_and(|name| name != card.shelf.namespace) {
            return Vec::new();
        }
        self.namespace = Some(card.shelf.namespace.clone());
        let is_first = self.card.is_none();
        self.card = Some(Arc::clone(card));
        // The kind that is listed follows the entry that the screen was opened at.
        let wanted = self.wanted.as_ref().filter(|_| is_first);
        if let Some(entry) = wanted.and_then(|id| card.shelf.folded.find(id)) {
            self.kind = entry.kind();
        }
        match &self.showing {
            ListContent::All => self.list_all(),
            // Rows name entries by their place, and a namespace only grows.
            ListContent::Asked { .. } | ListContent::Found { .. } | ListContent::Topic { .. } => {
                self.refresh_page();
            }
        }
        if let Some(notice) = card.shelf.notices.first() {
            return warn(notice.clone());
        }
        match card.by_words {
            Some(line) if is_first && self.kind == EntryKind::Lesson => say(line),
            Some(_) | None => self.cannot_be_read(),
        }
    }

    fn rows<'a>(&self, scored: impl Iterator<Item = (&'a str, f64)>) -> Vec<ListedEntry> {
        let entries = self.entries().iter().enumerate();
        let places: HashMap<&str, usize> = entries
            .map(|(at, entry)| (entry.id.0.as_str(), at))
            .collect();
        let rows = scored.filter_map(|(id, score)| {
            Some(ListedEntry {
                at: *places.get(id)?,
                score: Some(score),
            })
        });
        rows.collect()
    }

    /// Lists what was found.
    fn list(&mut self, listed: Vec<ListedEntry>) {
        self.listed = listed;
        self.rows.set_len(self.listed.len());
        self.rows.choose(0);
        self.focus = MemoryPane::List;
        self.turn_page();
    }

    fn found(&mut self, found: &WithNotices<EntrySearch>) -> Vec<Effect> {
        self.showing = ListContent::Found {
            query: self.asked_text(),
            retriever: found.found.retriever.clone(),
        };
        let entries = found.found.entries.iter();
        let listed = self.rows(entries.map(|one| (one.id.0.as_str(), one.score)));
        self.list(listed);
        noticed(&found.notices)
    }

    fn would_be_shown(&mut self, tried: WithNotices<TopicTried>) -> Vec<Effect> {
        let shown = tried.found.shown.retrieved.entries.iter();
        let shown = shown.map(|entry| (entry.id.as_str(), entry.score));
        let near = tried.found.asked.near.candidates.iter();
        let near = near.map(|guard| (guard.id.as_str(), guard.score));
        let listed = self.rows(shown.chain(near));
        self.showing = ListContent::Topic {
            text: self.asked_text(),
            tried: Arc::new(tried.found),
        };
        self.list(listed);
        noticed(&tried.notices)
    }

    fn asked_text(&self) -> String {
        match &self.showing {
            ListContent::Asked { text, .. } => text.clone(),
            ListContent::All | ListContent::Found { .. } | ListContent::Topic { .. } => {
                String::new()
            }
        }
    }

    fn not_answered(&mut self, why: String) -> Vec<Effect> {
        self.list_all();
        fail(why)
    }

    /// Keeps the way back, and reads the namespace once more.
    fn after(&mut self, changing: Changing, undo: Option<EntryChange>) -> Vec<Effect> {
        let mut effects = vec![self.read_again()];
        match changing {
            Changing::Do { draft } => {
                self.undo.extend(undo);
                self.redo.clear();
                effects.extend(draft.map(|place| {
                    let text = String::new();
                    Effect::Do(Command::Draft(Draft { place, text }))
                }));
            }
            Changing::Undo => {
                self.undo.pop();
                self.redo.extend(undo);
            }
            Changing::Redo => {
                self.redo.pop();
                self.undo.extend(undo);
            }
        }
        effects
    }

    fn changed(&mut self, changing: Changing, changed: ChangedEntry) -> Vec<Effect> {
        let mut effects = self.after(changing, changed.undo);
        self.wanted = Some(changed.entry.id.clone());
        effects.extend(say(match changed.already {
            true => "it is so already; nothing was written".to_owned(),
            false => standing_told(&changed.entry),
        }));
        effects
    }
}

/// Says what there is to say of how memory was ranked.
fn noticed(notices: &[String]) -> Vec<Effect> {
    match notices.is_empty() {
        true => Vec::new(),
        false => say(notices.join("; ")),
    }
}
