//! Labelling keys: letters of labels, categories and strengths, and the retraction of labels.

use super::over::{Over, TypedLine};
use super::{Annotate, LabelExtras, LabelProgress, tasks};
use crate::annotation::labelling::{LabelItem, LabellingWork};
use crate::tui::app::{Effect, Ticket, fail, say, warn};
use crate::tui::keys::{Action, Context, key_for, typed_char};
use crate::workspace::annotations::{AnnotationId, Blindness, CurrentLabel, Label, LabelKey};
use crate::workspace::{FollowUp, LabelChoice};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use std::sync::Arc;

/// Questions of a label (category, strength), while they are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asking {
    pub label: String,
    pub category: Option<String>,
    /// Question that is asked now; the rest follows.
    pub now: FollowUp,
    pub then: Vec<FollowUp>,
}

/// Write that is not durable yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Saving {
    /// A label on something; the next is shown once it is there.
    Label {
        at: usize,
        then: NextItem,
    },
    Undo {
        at: usize,
    },
    Redo {
        at: usize,
    },
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
    pub at: usize,
    /// Mark that a retraction points at.
    pub mark: AnnotationId,
}

/// Says that letters label nothing any more, and what changes that; keys are named by their marks.
pub(super) fn done_text() -> String {
    let enter = key_for(Context::Annotate, Action::Open);
    format!("everything is labelled; {enter} lets labels be changed")
}

impl Annotate {
    /// Takes a letter of a label, or of what is asked after one.
    pub(super) fn letter(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        if self.over.is_some() || self.card.is_none() || self.posts.is_empty() {
            return None;
        }
        let letter = match (key.code, typed_char(key)) {
            (KeyCode::Char(_), Some(letter)) if letter.is_ascii_lowercase() => letter,
            _ => return None,
        };
        if let Some(asking) = self.asking.clone() {
            return Some(self.answered(asking, letter));
        }
        let set = &self.card.as_ref()?.book.set;
        let is_label = set.labels.iter().any(|choice| choice.key == letter);
        let is_free = set.free.as_ref().is_some_and(|free| free.key == letter);
        if (is_label || is_free) && self.progress != LabelProgress::Labelling {
            return Some(say(done_text()));
        }
        if let Some(choice) = set.labels.iter().find(|choice| choice.key == letter) {
            let choice = choice.clone();
            return Some(self.chosen(&choice));
        }
        if is_free {
            return Some(match self.refusal() {
                Some(why) => warn(why),
                None => {
                    self.over = Some(Over::Line(TypedLine::Words, Default::default()));
                    Vec::new()
                }
            });
        }
        None
    }

    /// Reason why nothing can be labelled now.
    fn refusal(&self) -> Option<String> {
        if self.saving.is_some() {
            return Some("the label before is not durable yet; this key was left out".to_owned());
        }
        match self.sheet() {
            Some(_) => None,
            None => Some("what is to be labelled is not on the screen yet".to_owned()),
        }
    }

    fn chosen(&mut self, choice: &LabelChoice) -> Vec<Effect> {
        if let Some(why) = self.refusal() {
            return warn(why);
        }
        let mut asks = choice.asks.clone();
        if asks.is_empty() {
            return self.give(choice.name.clone(), None, None);
        }
        let now = asks.remove(0);
        self.asking = Some(Asking {
            label: choice.name.clone(),
            category: None,
            now,
            then: asks,
        });
        Vec::new()
    }

    fn answered(&mut self, mut asking: Asking, letter: char) -> Vec<Effect> {
        let Some(card) = self.card.clone() else {
            return Vec::new();
        };
        let set = &card.book.set;
        let mut strength = None;
        match asking.now {
            FollowUp::Category => {
                let mut categories = set.categories.iter();
                let Some(found) = categories.find(|category| category.key == letter) else {
                    return warn(format!("no category has the letter {letter}"));
                };
                asking.category = Some(found.name.clone());
            }
            FollowUp::Strength => {
                let scale = set.strength.as_ref();
                let mut keys = scale.into_iter().flat_map(|scale| scale.keys());
                let Some((_, value)) = keys.find(|(key, _)| *key == letter) else {
                    return warn(format!("no strength has the letter {letter}"));
                };
                strength = Some(value);
            }
        }
        if asking.then.is_empty() {
            self.asking = None;
            return self.give(asking.label, asking.category, strength);
        }
        asking.now = asking.then.remove(0);
        self.asking = Some(asking);
        Vec::new()
    }

    /// Gives words of one's own, put in order so that the same words are the same label.
    pub(super) fn give_words(&mut self, text: &str) -> Vec<Effect> {
        let words = text.split(',').map(|word| word.trim().to_lowercase());
        let mut words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        if words.is_empty() {
            return say("nothing was typed, and nothing is labelled");
        }
        self.give(words.join(", "), None, None)
    }

    fn give(
        &mut self,
        label: String,
        category: Option<String>,
        strength: Option<u8>,
    ) -> Vec<Effect> {
        let (at, pending) = (self.at, self.pending_here());
        let Some(post) = self.post() else {
            return Vec::new();
        };
        let label = self.label_on(post, label, category, strength, pending);
        self.save(at, label, NextItem::Next)
    }

    /// Gives the label of what is on the screen again, with another note or flag.
    pub(super) fn give_again(&mut self) -> Vec<Effect> {
        let (at, pending) = (self.at, self.pending_here());
        let Some((post, mine)) = self
            .post()
            .and_then(|post| Some((post, post.mine.as_ref()?)))
        else {
            return Vec::new();
        };
        let Label {
            label,
            category,
            strength,
            ..
        } = mine.label.clone();
        let label = self.label_on(post, label, category, strength, pending);
        self.save(at, label, NextItem::Stay)
    }

    fn label_on(
        &self,
        post: &LabelItem,
        label: String,
        category: Option<String>,
        strength: Option<u8>,
        pending: LabelExtras,
    ) -> Option<Label> {
        let book = &self.card.as_ref()?.book;
        Some(Label {
            on: post.on.clone(),
            set: book.set.id.clone(),
            codebook: book.hash,
            label,
            category,
            strength,
            note: pending.note,
            flagged: pending.flagged,
            drawn: post.drawn.clone(),
            // The writer knows what the person has seen.
            blind: Blindness::Unknown,
            role: post.role,
            repeat: post.repeat,
            spent_ms: None,
            source: None,
        })
    }

    fn save(&mut self, at: usize, label: Option<Label>, then: NextItem) -> Vec<Effect> {
        if let Some(why) = self.refusal() {
            return warn(why);
        }
        let Some(label) = label else {
            return Vec::new();
        };
        let ticket = self.ticket();
        self.saving = Some((ticket, Saving::Label { at, then }));
        let give = tasks::give(ticket, Box::new(label), self.shown_at);
        vec![Effect::Start(give)]
    }

    /// The note and the flag that go along with a label here.
    pub(super) fn pending_here(&self) -> LabelExtras {
        if let Some(pending) = self.pending.get(&self.at) {
            return pending.clone();
        }
        let mine = self.post().and_then(|post| post.mine.as_ref());
        mine.map_or_else(LabelExtras::default, |mine| LabelExtras {
            note: mine.label.note.clone(),
            flagged: mine.label.flagged,
        })
    }

    /// A label is durable: the next is shown.
    pub(super) fn given(
        &mut self,
        ticket: Ticket,
        result: &Result<Box<CurrentLabel>, String>,
    ) -> Vec<Effect> {
        let Some((_, Saving::Label { at, then })) =
            self.saving.take_if(|(waits, _)| *waits == ticket)
        else {
            return Vec::new();
        };
        let standing = match result {
            Ok(standing) => standing,
            Err(why) => return fail(format!("the label is not kept: {why}")),
        };
        let noted = self.pending.remove(&at).and_then(|pending| pending.note);
        let forget = noted.and_then(|_| self.draft(at, String::new()));
        self.redo.clear();
        self.undo.push(LabelStep {
            at,
            mark: standing.id.clone(),
        });
        if let (Blindness::Unblinded { saw }, Some(card)) = (&standing.label.blind, &mut self.card)
        {
            let session = standing.label.on.session.clone();
            Arc::make_mut(card).saw.insert(session, saw.clone());
        }
        if then == NextItem::Next {
            self.spent_ms.extend(standing.label.spent_ms);
        }
        if let Some(post) = self.posts.get_mut(at) {
            let was_open = post.mine.replace((**standing).clone()).is_none();
            if was_open && self.left() == 0 && !matches!(self.work, Some(LabellingWork::One { .. }))
            {
                self.progress = LabelProgress::JustDone;
            }
        }
        let mut effects: Vec<Effect> = forget.into_iter().collect();
        match then {
            NextItem::Stay => self.turn_page(),
            NextItem::Next => effects.extend(self.on_from(at)),
        }
        effects
    }

    /// Goes on to what is next: the thing behind, or the first that was left out.
    fn on_from(&mut self, at: usize) -> Vec<Effect> {
        if matches!(self.work, Some(LabellingWork::One { .. })) {
            self.turn_page();
            let text = match self.below {
                super::Below::Another => "labelled; Esc goes back to the debate",
                super::Below::Nothing => "labelled",
            };
            return say(text);
        }
        if self.left() == 0 {
            let mut effects = self.go(at);
            let done = match self.settles() {
                true => "everything is settled",
                false => "everything is labelled",
            };
            effects.extend(say(done));
            return effects;
        }
        let last = self.posts.len().saturating_sub(1);
        if at < last {
            return self.go(at + 1);
        }
        self.next_unlabelled(at)
    }

    /// Takes the last label back, and shows what it was on.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let Some(step) = self.undo.last().cloned() else {
            return say("there is no label to take back");
        };
        self.retract(step, |at| Saving::Undo { at })
    }

    /// Gives again what was taken back.
    pub(super) fn redo(&mut self) -> Vec<Effect> {
        let Some(step) = self.redo.last().cloned() else {
            return say("nothing was taken back");
        };
        self.retract(step, |at| Saving::Redo { at })
    }

    fn retract(&mut self, step: LabelStep, saving: impl Fn(usize) -> Saving) -> Vec<Effect> {
        if self.saving.is_some() {
            return warn("the label before is not durable yet");
        }
        let Some(place) = self.posts.get(step.at).map(|post| self.place(post)) else {
            return Vec::new();
        };
        let ticket = self.ticket();
        self.saving = Some((ticket, saving(step.at)));
        vec![Effect::Start(tasks::take_back(ticket, step.mark, place))]
    }

    fn place(&self, post: &LabelItem) -> LabelKey {
        let set = self.card.as_ref().map(|card| card.book.set.id.clone());
        LabelKey {
            on: post.on.clone(),
            set: set.unwrap_or_default(),
            repeat: post.repeat,
            role: post.role,
        }
    }

    /// A label was taken back, or given again.
    pub(super) fn taken_back(
        &mut self,
        ticket: Ticket,
        result: &Result<(AnnotationId, Option<Box<CurrentLabel>>), String>,
    ) -> Vec<Effect> {
        let Some((_, saving)) = self.saving.take_if(|(waits, _)| *waits == ticket) else {
            return Vec::new();
        };
        let (mark, stands) = match result {
            Ok(done) => done,
            Err(why) => return fail(format!("nothing was changed: {why}")),
        };
        let (at, words) = match saving {
            Saving::Undo { at } => {
                self.undo.pop();
                let mark = mark.clone();
                self.redo.push(LabelStep { at, mark });
                (at, "taken back")
            }
            Saving::Redo { at } => {
                self.redo.pop();
                let mark = mark.clone();
                self.undo.push(LabelStep { at, mark });
                (at, "given again")
            }
            Saving::Label { at, .. } => (at, ""),
        };
        self.progress = LabelProgress::Labelling;
        if let Some(post) = self.posts.get_mut(at) {
            post.mine = stands.as_ref().map(|label| (**label).clone());
        }
        let mut effects = self.go(at);
        effects.extend(say(words));
        effects
    }

    /// Undo steps of earlier sittings: the person's labels in the order they were given.
    pub(super) fn history(posts: &[LabelItem]) -> Vec<LabelStep> {
        let mine = posts.iter().enumerate();
        let mine = mine.filter_map(|(at, post)| Some((at, post.mine.as_ref()?)));
        let mut mine: Vec<(usize, &CurrentLabel)> = mine.collect();
        mine.sort_by(|(_, one), (_, other)| {
            let key = |label: &CurrentLabel| (label.at.clone(), label.id.as_str().to_owned());
            key(one).cmp(&key(other))
        });
        let step = |(at, label): (usize, &CurrentLabel)| LabelStep {
            at,
            mark: label.id.clone(),
        };
        mine.into_iter().map(step).collect()
    }
}
