//! Labels while one labels: the letters that mean them, and labels given, taken back and given again.

use super::effect::{LabellingEffect, error_effect, notice_effect, warning_effect};
use super::notes::LabelExtras;
use super::reads_writes::{LabelWriteId, LabellingWrite, RetractedLabel};
use super::{BegunFrom, LabelProgress, LabellingState};
use crate::labelling::LabelItem;
use elenchus_records::workspace::annotations::{
    AnnotationId, Blindness, CurrentLabel, Label, LabelKey,
};
use elenchus_records::workspace::{FollowUp, LabelChoice, LabelSet, WorkspaceError};
use std::sync::Arc;

/// Questions of a label (category, strength), while they are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelQuestion {
    pub label: String,
    pub category: Option<String>,
    /// Question that is asked now; the rest follows.
    pub now: FollowUp,
    then: Vec<FollowUp>,
}

/// Write that is not durable yet, by the place of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingWrite {
    Label { at: usize, then: NextItem },
    Undo { at: usize },
    Redo { at: usize },
}

/// Item to show after a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextItem {
    Next,
    /// Only its note or flag was changed.
    Stay,
}

/// Something that can be taken back, or done again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelStep {
    at: usize,
    /// Mark that a retraction points at.
    mark: AnnotationId,
}

/// What a label says.
struct LabelValue {
    label: String,
    category: Option<String>,
    strength: Option<u8>,
}

/// Undo steps of earlier sittings: the person's labels in the order they were given.
pub(super) fn build_undo_steps(items: &[LabelItem]) -> Vec<LabelStep> {
    let mine = items.iter().enumerate();
    let mine = mine.filter_map(|(at, item)| Some((at, item.mine.as_ref()?)));
    let mut mine: Vec<(usize, &CurrentLabel)> = mine.collect();
    mine.sort_by_key(|(_, label)| (label.at.clone(), label.id.as_str().to_owned()));
    let step = |(at, label): (usize, &CurrentLabel)| LabelStep {
        at,
        mark: label.id.clone(),
    };
    mine.into_iter().map(step).collect()
}

/// Says why a letter answers no question. That of a label was typed for the next turn, most likely.
fn refuse_letter(set: &LabelSet, what: &str, letter: char) -> String {
    match set.is_label_key(letter) {
        true => {
            format!("{letter} is the letter of a label; first the {what}, nothing is labelled yet")
        }
        false => format!("no {what} has the letter {letter}"),
    }
}

impl LabellingState {
    /// Takes a letter of a label, or of what is asked after one; `None` where it means no such thing.
    pub fn handle_letter(&mut self, letter: char) -> Option<Vec<LabellingEffect>> {
        if self.items.is_empty() {
            return None;
        }
        let card = Arc::clone(self.card.as_ref()?);
        if let Some(asking) = self.asking.take() {
            return Some(self.answer_question(asking, letter));
        }
        let set = &card.book.set;
        let label = set.labels.iter().find(|choice| choice.key == letter);
        let is_free = set.free.as_ref().is_some_and(|free| free.key == letter);
        if label.is_none() && !is_free {
            return None;
        }
        if self.progress != LabelProgress::Labelling {
            return Some(notice_effect(self.done_text()));
        }
        if let Some(why) = self.find_refusal() {
            return Some(warning_effect(why));
        }
        Some(match label {
            Some(choice) => self.choose_label(choice),
            None => vec![LabellingEffect::TypeWords],
        })
    }

    /// Reason why nothing can be labelled now.
    fn find_refusal(&self) -> Option<&'static str> {
        if self.saving.is_some() {
            return Some("the label before is not durable yet; this key was left out");
        }
        match self.transcript() {
            Some(_) => None,
            None => Some("what is to be labelled is not on the screen yet"),
        }
    }

    fn choose_label(&mut self, choice: &LabelChoice) -> Vec<LabellingEffect> {
        let Some((now, then)) = choice.asks.split_first() else {
            return self.give_label(LabelValue {
                label: choice.name.clone(),
                category: None,
                strength: None,
            });
        };
        self.asking = Some(LabelQuestion {
            label: choice.name.clone(),
            category: None,
            now: *now,
            then: then.to_vec(),
        });
        Vec::new()
    }

    fn answer_question(&mut self, mut asking: LabelQuestion, letter: char) -> Vec<LabellingEffect> {
        let Some(card) = self.card.clone() else {
            return Vec::new();
        };
        let set = &card.book.set;
        let mut strength = None;
        match asking.now {
            FollowUp::Category => {
                let mut categories = set.category_keys().into_iter();
                let Some((_, category)) = categories.find(|(key, _)| *key == letter) else {
                    self.asking = Some(asking);
                    return warning_effect(refuse_letter(set, "category", letter));
                };
                asking.category = Some(category.name.clone());
            }
            FollowUp::Strength => {
                let mut keys = set.strength_keys().into_iter();
                let Some((_, value)) = keys.find(|(key, _)| *key == letter) else {
                    self.asking = Some(asking);
                    return warning_effect(refuse_letter(set, "strength", letter));
                };
                strength = Some(value);
            }
        }
        if asking.then.is_empty() {
            return self.give_label(LabelValue {
                label: asking.label,
                category: asking.category,
                strength,
            });
        }
        asking.now = asking.then.remove(0);
        self.asking = Some(asking);
        Vec::new()
    }

    /// Gives words of one's own, put in order so that the same words are the same label.
    pub fn give_words(&mut self, text: &str) -> Vec<LabellingEffect> {
        let words = text.split(',').map(|word| word.trim().to_lowercase());
        let mut words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        if words.is_empty() {
            return notice_effect("nothing was typed, and nothing is labelled");
        }
        self.give_label(LabelValue {
            label: words.join(", "),
            category: None,
            strength: None,
        })
    }

    fn give_label(&mut self, value: LabelValue) -> Vec<LabellingEffect> {
        self.save_label(value, NextItem::Next)
    }

    /// Gives the label of what is on the screen again, with another note or flag.
    pub(super) fn repeat_label(&mut self) -> Vec<LabellingEffect> {
        let Some(mine) = self.item().and_then(|item| item.mine.as_ref()) else {
            return Vec::new();
        };
        let value = LabelValue {
            label: mine.label.label.clone(),
            category: mine.label.category.clone(),
            strength: mine.label.strength,
        };
        self.save_label(value, NextItem::Stay)
    }

    fn save_label(&mut self, value: LabelValue, then: NextItem) -> Vec<LabellingEffect> {
        if let Some(why) = self.find_refusal() {
            return warning_effect(why);
        }
        let Some(label) = self.build_label(value) else {
            return Vec::new();
        };
        let write = self.last_write.next();
        self.saving = Some((write, PendingWrite::Label { at: self.at, then }));
        let give = LabellingWrite::Give(write, Box::new(label));
        vec![LabellingEffect::Write(give)]
    }

    fn build_label(&self, value: LabelValue) -> Option<Label> {
        let (item, book) = (self.item()?, &self.card.as_ref()?.book);
        let LabelExtras { note, flagged } = self.label_extras();
        Some(Label {
            on: item.on.clone(),
            set: book.set.id.clone(),
            codebook: book.hash,
            label: value.label,
            category: value.category,
            strength: value.strength,
            note,
            flagged,
            drawn: item.drawn.clone(),
            // The writer knows what the person has seen.
            blind: Blindness::Unknown,
            role: item.role,
            repeat: item.repeat,
            spent_ms: None,
            source: None,
            marks_cut: self.transcript().is_some_and(|(sheet, _)| sheet.marks_cut),
        })
    }

    /// Takes in that a label is durable: the next is shown.
    pub(super) fn handle_label_result(
        &mut self,
        write: LabelWriteId,
        result: Result<Box<CurrentLabel>, WorkspaceError>,
    ) -> Vec<LabellingEffect> {
        let of_label = |(waits, pending): &mut (LabelWriteId, PendingWrite)| {
            *waits == write && matches!(pending, PendingWrite::Label { .. })
        };
        let Some((_, PendingWrite::Label { at, then })) = self.saving.take_if(of_label) else {
            return Vec::new();
        };
        let standing = match result {
            Ok(standing) => standing,
            Err(why) => return error_effect(format!("the label is not kept: {why}")),
        };
        let mut effects: Vec<LabellingEffect> = self.forget_note(at).into_iter().collect();
        self.redo.clear();
        let mark = standing.id.clone();
        self.undo.push(LabelStep { at, mark });
        if let (Blindness::Unblinded { saw }, Some(card)) = (&standing.label.blind, &mut self.card)
        {
            let session = standing.label.on.session.clone();
            Arc::make_mut(card).saw.insert(session, saw.clone());
        }
        if then == NextItem::Next {
            self.spent_ms.extend(standing.label.spent_ms);
        }
        if let Some(item) = self.items.get_mut(at) {
            let was_open = item.mine.replace(*standing).is_none();
            if was_open && self.count_open_items() == 0 && !self.is_single() {
                self.progress = LabelProgress::JustDone;
            }
        }
        match then {
            NextItem::Stay => effects.push(LabellingEffect::PageChanged),
            NextItem::Next => effects.extend(self.go_on_after_label(at)),
        }
        effects
    }

    /// Goes on to what is next: the item behind, or the first that was left out.
    fn go_on_after_label(&mut self, at: usize) -> Vec<LabellingEffect> {
        if self.is_single() {
            let text = match self.begun_from {
                BegunFrom::Screen => "labelled; Esc goes back to the debate",
                BegunFrom::CommandLine => "labelled",
            };
            let mut effects = vec![LabellingEffect::PageChanged];
            effects.extend(notice_effect(text));
            return effects;
        }
        if self.count_open_items() == 0 {
            let mut effects = self.go_to_item(at);
            let closing_text = match self.is_adjudication() {
                true => "everything is settled",
                false => "everything is labelled",
            };
            effects.extend(notice_effect(closing_text));
            // What comes next depends on what others have labelled meanwhile.
            self.awaits_next_steps = true;
            effects.push(self.initial_read());
            return effects;
        }
        match at + 1 < self.items.len() {
            true => self.go_to_item(at + 1),
            false => self.go_to_unlabelled_after(at),
        }
    }

    /// Takes the last label back.
    pub fn undo(&mut self) -> Vec<LabellingEffect> {
        match self.undo.last().cloned() {
            Some(step) => {
                let at = step.at;
                self.retract_label(step, PendingWrite::Undo { at })
            }
            None => notice_effect("there is no label to take back"),
        }
    }

    /// Gives again what was taken back.
    pub fn redo(&mut self) -> Vec<LabellingEffect> {
        match self.redo.last().cloned() {
            Some(step) => {
                let at = step.at;
                self.retract_label(step, PendingWrite::Redo { at })
            }
            None => notice_effect("nothing was taken back"),
        }
    }

    fn retract_label(&mut self, step: LabelStep, pending: PendingWrite) -> Vec<LabellingEffect> {
        if self.saving.is_some() {
            return warning_effect("the label before is not durable yet");
        }
        let Some(key) = self.items.get(step.at).map(|item| self.label_key(item)) else {
            return Vec::new();
        };
        let write = self.last_write.next();
        self.saving = Some((write, pending));
        let take_back = LabellingWrite::TakeBack(write, step.mark, key);
        vec![LabellingEffect::Write(take_back)]
    }

    fn label_key(&self, item: &LabelItem) -> LabelKey {
        let set = self.card.as_ref().map(|card| card.book.set.id.clone());
        LabelKey {
            on: item.on.clone(),
            set: set.unwrap_or_default(),
            repeat: item.repeat,
            role: item.role,
        }
    }

    /// Takes in that a label was taken back, or given again, and shows what it was on.
    pub(super) fn handle_retraction_result(
        &mut self,
        write: LabelWriteId,
        result: Result<RetractedLabel, WorkspaceError>,
    ) -> Vec<LabellingEffect> {
        let Some((_, pending)) = self.saving.take_if(|(waits, _)| *waits == write) else {
            return Vec::new();
        };
        let (mark, stands) = match result {
            Ok(done) => done,
            Err(why) => return error_effect(format!("nothing was changed: {why}")),
        };
        let (at, words) = match pending {
            PendingWrite::Undo { at } => {
                self.undo.pop();
                self.redo.push(LabelStep { at, mark });
                (at, "taken back")
            }
            PendingWrite::Redo { at } => {
                self.redo.pop();
                self.undo.push(LabelStep { at, mark });
                (at, "given again")
            }
            // A label that is given is no answer to this.
            PendingWrite::Label { .. } => return Vec::new(),
        };
        self.progress = LabelProgress::Labelling;
        if let Some(item) = self.items.get_mut(at) {
            item.mine = stands.map(|label| *label);
        }
        let mut effects = self.go_to_item(at);
        effects.extend(notice_effect(words));
        effects
    }
}
