//! Results of commands, as the memory screen takes them in.

use super::actions::say;
use super::guardrails::standing_told;
use super::{Changing, ListContent, ListedEntry, Memory, MemoryPane};
use crate::tui::app::Draft;
use crate::tui::app::{Deed, Effect, MemoryCard, MemoryTold, Ticket, Told, TopicTried};
use crate::tui::theme::Role;
use crate::workspace::EntryKind;
use crate::workspace::memory::{ChangedEntry, EntryChange, EntrySearch, WithNotices};
use std::collections::HashMap;
use std::sync::Arc;

impl Memory {
    pub(super) fn hear(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Memory(told) => self.hear_memory(told),
            _ => Vec::new(),
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
            MemoryTold::Changed(result) => match (self.changing.take(), result) {
                // Another screen's.
                (None, _) => vec![self.read_again()],
                (Some(changing), Ok(changed)) => self.changed(changing, changed),
                (Some(_), Err(why)) => vec![Effect::Say(Role::Error, why.clone())],
            },
            MemoryTold::Planned(ticket, planned) => self.planned(*ticket, planned),
            MemoryTold::Trial(update) => self.trial_goes_on(update),
            MemoryTold::Found(..) | MemoryTold::Shown(..) => Vec::new(),
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
            return vec![Effect::Say(Role::Warning, notice.clone())];
        }
        match card.by_words {
            Some(line) if is_first && self.kind == EntryKind::Lesson => {
                vec![Effect::Say(Role::Notice, line.to_owned())]
            }
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

    fn would_be_shown(&mut self, tried: &WithNotices<TopicTried>) -> Vec<Effect> {
        let shown = tried.found.shown.retrieved.entries.iter();
        let shown = shown.map(|entry| (entry.id.as_str(), entry.score));
        let near = tried.found.asked.near.candidates.iter();
        let near = near.map(|guard| (guard.id.as_str(), guard.score));
        let listed = self.rows(shown.chain(near));
        self.showing = ListContent::Topic {
            text: self.asked_text(),
            tried: Arc::new(tried.found.clone()),
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

    fn not_answered(&mut self, why: &str) -> Vec<Effect> {
        self.list_all();
        vec![Effect::Say(Role::Error, why.to_owned())]
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
        let mut effects = self.after(changing, changed.undo.clone());
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
        false => vec![Effect::Say(Role::Notice, notices.join("; "))],
    }
}
