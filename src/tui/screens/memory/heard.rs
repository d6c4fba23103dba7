//! Results of commands, as the memory screen takes them in.

use super::actions::say;
use super::{
    Changing, EntryIndex, ListContent, ListedEntry, ListedKind, Memory, MemoryEdit, MemoryPane,
    MemoryRef, key,
};
use crate::tui::app::Draft;
use crate::tui::app::{Deed, Effect, MemoryCard, MemoryTold, Ticket, Told, TopicTried};
use crate::tui::keys::Action;
use crate::tui::screens::status_texts::said;
use crate::tui::theme::Role;
use crate::workspace::memory::WithNotices;
use crate::workspace::memory::{ChangedEntry, EntrySearch};
use crate::workspace::{EntryId, EntryStatus};
use std::sync::Arc;

impl Memory {
    pub(super) fn hear(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Memory(told) => self.hear_memory(told),
            Told::DraftFound(draft) => self.draft_found(draft),
            Told::Edited(ticket, result) => self.edited_outside(*ticket, result),
            other => said(other),
        }
    }

    fn hear_memory(&mut self, told: &MemoryTold) -> Vec<Effect> {
        match told {
            MemoryTold::Read(Ok(card)) => self.read(card),
            MemoryTold::Read(Err(why)) => {
                self.empty.clone_from(why);
                vec![Effect::Say(Role::Error, why.clone())]
            }
            MemoryTold::Found(ticket, found) if self.is_awaited(*ticket) => match found {
                Ok(found) => self.found(found),
                Err(why) => self.not_answered(why),
            },
            MemoryTold::GuardsFound(ticket, found) if self.is_awaited(*ticket) => match found {
                Ok(found) => self.guards_found(found),
                Err(why) => self.not_answered(why),
            },
            MemoryTold::Shown(ticket, shown) if self.is_awaited(*ticket) => match shown {
                Ok(tried) => self.would_be_shown(tried),
                Err(why) => self.not_answered(why),
            },
            MemoryTold::Uses(id, uses) => {
                if self.chosen().is_some_and(|entry| entry.id == *id) {
                    self.uses = Some((id.clone(), uses.clone()));
                    self.refresh_page();
                }
                Vec::new()
            }
            MemoryTold::Firings(id, found) => {
                if self.chosen_guard().is_some_and(|guard| guard.id == *id) {
                    self.firings = Some((id.clone(), found.clone()));
                    self.refresh_page();
                }
                Vec::new()
            }
            MemoryTold::ChangedGuard(result) => match (self.changing.take(), result) {
                (None, _) => vec![self.read_again()],
                (Some(changing), Ok(changed)) => self.guard_changed(changing, changed),
                (Some(_), Err(why)) => vec![Effect::Say(Role::Error, why.clone())],
            },
            MemoryTold::Changed(result) => match (self.changing.take(), result) {
                // Another screen's.
                (None, _) => vec![self.read_again()],
                (Some(changing), Ok(changed)) => self.changed(changing, changed),
                (Some(_), Err(why)) => vec![Effect::Say(Role::Error, why.clone())],
            },
            MemoryTold::Planned(ticket, planned) => self.planned(*ticket, planned),
            MemoryTold::Trial(update) => self.trial_goes_on(update),
            MemoryTold::Found(..) | MemoryTold::GuardsFound(..) | MemoryTold::Shown(..) => {
                Vec::new()
            }
        }
    }

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
        match &self.showing {
            ListContent::All => self.list_all(),
            // Rows name entries by their place, and a namespace only grows.
            ListContent::Asked { .. } | ListContent::Found { .. } | ListContent::Topic { .. } => {
                self.refresh_page();
            }
        }
        if let Some(notice) = card.shelf.notices.first() {
            return vec![Effect::Say(Role::Warning, notice.clone())];
        }
        match (&card.guards, self.kind) {
            (Err(why), _) => vec![Effect::Say(Role::Error, why.clone())],
            (Ok(guards), ListedKind::Guardrails) => {
                let misfits = guards.fold.misfits.iter().map(ToString::to_string);
                let notices = guards.notices.iter().map(ToString::to_string);
                let first = notices.chain(misfits).next();
                let told = first.map(|notice| Effect::Say(Role::Warning, notice));
                told.into_iter().collect()
            }
            (Ok(_), ListedKind::Lessons) => {
                let line = card.by_words.filter(|_| is_first);
                let told = line.map(|line| Effect::Say(Role::Notice, line.to_owned()));
                told.into_iter().collect()
            }
        }
    }

    fn entry_rows(&self, scored: impl Iterator<Item = (EntryId, f64)>) -> Vec<ListedEntry> {
        let Some(card) = self.card.clone() else {
            return Vec::new();
        };
        let entries = &card.shelf.folded.entries;
        let places: std::collections::HashMap<&EntryId, usize> = entries
            .iter()
            .enumerate()
            .map(|(at, entry)| (&entry.id, at))
            .collect();
        scored
            .filter_map(|(id, score)| {
                Some(ListedEntry {
                    at: EntryIndex::Entry(*places.get(&id)?),
                    score: Some(score),
                })
            })
            .collect()
    }

    /// Lists what was found.
    pub(super) fn list(&mut self, listed: Vec<ListedEntry>) {
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
        let listed = self.entry_rows(entries.map(|one| (one.id.clone(), one.score)));
        self.list(listed);
        noticed(&found.notices)
    }

    fn would_be_shown(&mut self, tried: &WithNotices<TopicTried>) -> Vec<Effect> {
        let entries = tried.found.shown.retrieved.entries.iter();
        let scored = entries.map(|entry| (EntryId(entry.id.clone()), entry.score));
        let mut listed = self.entry_rows(scored);
        if let Ok(asked) = &tried.found.asked {
            let near = asked.near.candidates.iter();
            listed.extend(self.guard_rows(near.map(|one| (&one.id, one.score))));
        }
        self.showing = ListContent::Topic {
            text: self.asked_text(),
            tried: Arc::new(tried.found.clone()),
        };
        self.list(listed);
        noticed(&tried.notices)
    }

    pub(super) fn asked_text(&self) -> String {
        match &self.showing {
            ListContent::Asked { text, .. } => text.clone(),
            ListContent::All | ListContent::Found { .. } | ListContent::Topic { .. } => {
                String::new()
            }
        }
    }

    fn not_answered(&mut self, why: &str) -> Vec<Effect> {
        self.list_all();
        vec![Effect::Say(Role::Error, why.to_owned())]
    }

    /// Keeps the way back, and reads the namespace once more.
    pub(super) fn after(&mut self, changing: Changing, undo: Option<MemoryEdit>) -> Vec<Effect> {
        let mut effects = vec![self.read_again()];
        match changing {
            Changing::Do { draft } => {
                self.undo.extend(undo);
                self.redo.clear();
                effects.extend(draft.map(|place| {
                    let text = String::new();
                    Effect::Do(Deed::Draft(Draft { place, text }))
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

    fn changed(&mut self, changing: Changing, changed: &ChangedEntry) -> Vec<Effect> {
        let mut effects = self.after(changing, changed.undo.clone().map(MemoryEdit::Entry));
        self.wanted = Some(MemoryRef::Entry(changed.entry.id.clone()));
        let entry = &changed.entry;
        effects.extend(say(match (changed.already, entry.standing()) {
            (true, _) => "it is so already; nothing was written".to_owned(),
            (false, EntryStatus::Deleted) => {
                format!("deleted: {} restores it", key(Action::Undo))
            }
            (false, EntryStatus::Disabled) => {
                format!(
                    "disabled, text {}: debates that begin from now on are not shown it",
                    entry.revision
                )
            }
            (false, EntryStatus::Live) => {
                format!(
                    "live, text {}: debates that begin from now on can be shown it",
                    entry.revision
                )
            }
        }));
        effects
    }
}

/// Says what there is to say of how memory was ranked.
pub(super) fn noticed(notices: &[String]) -> Vec<Effect> {
    match notices.is_empty() {
        true => Vec::new(),
        false => vec![Effect::Say(Role::Notice, notices.join("; "))],
    }
}
