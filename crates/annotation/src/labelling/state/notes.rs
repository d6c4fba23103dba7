//! Notes and flags of labelling: they go along with a label, and wait for it where it is not given yet.

use super::LabellingState;
use super::effect::{LabellingEffect, notice_effect};
use elenchus_records::workspace::Draft;

/// Note and flag that go along with a label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LabelExtras {
    pub note: Option<String>,
    pub flagged: bool,
}

impl LabellingState {
    /// Returns the note that goes along with the label here; empty where there is none.
    pub fn label_note(&self) -> String {
        self.label_extras().note.unwrap_or_default()
    }

    /// Takes another note; an empty one is none.
    pub fn set_note(&mut self, text: String) -> Vec<LabellingEffect> {
        let words = match text.is_empty() {
            true => "no note",
            false => "noted",
        };
        let note = Some(text).filter(|text| !text.is_empty());
        let extras = LabelExtras {
            note,
            ..self.label_extras()
        };
        self.keep_extras(extras, words)
    }

    /// Flags what is on the screen for another look, or takes the flag away.
    pub fn toggle_flag(&mut self) -> Vec<LabellingEffect> {
        let mut extras = self.label_extras();
        extras.flagged = !extras.flagged;
        let words = match extras.flagged {
            true => "flagged",
            false => "no longer flagged",
        };
        self.keep_extras(extras, words)
    }

    /// Takes a note of an earlier time whose label never came.
    pub(super) fn handle_earlier_note(&mut self, at: usize, draft: Draft) {
        self.pending.entry(at).or_insert(LabelExtras {
            note: Some(draft.text),
            flagged: false,
        });
    }

    /// The note and the flag that go along with a label here.
    pub(super) fn label_extras(&self) -> LabelExtras {
        if let Some(pending) = self.pending.get(&self.at) {
            return pending.clone();
        }
        let mine = self.item().and_then(|item| item.mine.as_ref());
        mine.map_or_else(LabelExtras::default, |mine| LabelExtras {
            note: mine.label.note.clone(),
            flagged: mine.label.flagged,
        })
    }

    /// Keeps a note or a flag: with the label that is there, or with the one that comes.
    fn keep_extras(&mut self, extras: LabelExtras, words: &str) -> Vec<LabellingEffect> {
        let note = extras.note.clone().unwrap_or_default();
        self.pending.insert(self.at, extras);
        let is_labelled = self.item().is_some_and(|item| item.mine.is_some());
        let mut effects = vec![LabellingEffect::PageChanged];
        match is_labelled {
            true => effects.extend(self.repeat_label()),
            // A lost connection must not lose what was typed.
            false => effects.extend(self.keep_note(self.at, note)),
        }
        let is_message = |effect: &LabellingEffect| matches!(effect, LabellingEffect::Say(..));
        if !effects.iter().any(is_message) {
            effects.extend(notice_effect(match is_labelled {
                true => words.to_owned(),
                false => format!("{words}: kept with the label, once it is given"),
            }));
        }
        effects
    }

    /// Looks for a note of an earlier time on what is on the screen, where nothing is known of it.
    pub(super) fn find_note(&self) -> Option<LabellingEffect> {
        let is_open = self.item().is_some_and(|item| item.mine.is_none());
        if !is_open || self.pending.contains_key(&self.at) {
            return None;
        }
        let place = self.draft_place(self.at)?;
        Some(LabellingEffect::FindNote(self.at, place))
    }

    /// Forgets what went along with a label that is there now.
    pub(super) fn forget_note(&mut self, at: usize) -> Option<LabellingEffect> {
        self.pending.remove(&at)?.note?;
        self.keep_note(at, String::new())
    }

    /// Keeps a note until its label comes; an empty one is forgotten.
    fn keep_note(&self, at: usize, text: String) -> Option<LabellingEffect> {
        let place = self.draft_place(at)?;
        Some(LabellingEffect::KeepNote(Draft { place, text }))
    }

    /// Place of the draft of a note until its label is given.
    fn draft_place(&self, at: usize) -> Option<String> {
        let (item, card) = (self.items.get(at)?, self.card.as_ref()?);
        let turn = item.on.attempt.as_ref().map(|on| on.id.to_string());
        Some(format!(
            "note of {} with a label of {} on {} {} {}",
            card.annotator,
            card.book.set.id,
            item.on.session,
            turn.unwrap_or_default(),
            item.repeat
        ))
    }
}
