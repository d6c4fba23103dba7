//! Typed input of the memory screen: lines, texts and confirmations.

use super::{Changing, ListContent, Memory, Message, key, tasks};
use crate::debate::SessionId;
use crate::experiments::PlannedAblation;
use crate::terminal::Paste;
use crate::tui::app::{Command, Effect, Task, fail, say};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer, Writing, WritingKey};
use crate::tui::screens::writing::{after_edit, cut_off, left, offer_draft};
use crate::workspace::Draft;
use crate::workspace::memory::{EntryAction, EntryChange, EntryText};
use crate::workspace::{EntryId, EntryKind, GuardAcceptance};
use ratatui::crossterm::event::KeyEvent;
use std::sync::Arc;

/// The most replicates that are asked for here; more are played on the command line.
const MAX_REPLICATES: u32 = 1_000;

/// What is asked for.
#[derive(Debug, Clone)]
pub(super) enum MemoryQuestion {
    Search,
    Topic,
    Replicates {
        session: SessionId,
        entry: EntryId,
    },
    /// Whether a guardrail is accepted, with its over-refusal.
    Accept(EntryId, GuardAcceptance),
    /// Whether replicates begin, with their cost.
    Begin(Arc<PlannedAblation>),
}

impl MemoryQuestion {
    /// Prompt of the line.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            MemoryQuestion::Search => "find what means:",
            MemoryQuestion::Topic => "a debate about:",
            MemoryQuestion::Replicates { .. } => "pairs of debates, with it and without:",
            MemoryQuestion::Accept(..) | MemoryQuestion::Begin(_) => "",
        }
    }

    /// Hint below the line: the meaning of Enter.
    pub(super) fn hint(&self) -> String {
        match self {
            MemoryQuestion::Search => "Enter finds them, with scores · Esc leaves".to_owned(),
            MemoryQuestion::Topic => {
                "Enter shows exactly what it would be shown · Esc leaves".to_owned()
            }
            MemoryQuestion::Replicates { session, .. } => {
                format!("Enter says what repeating {session} would cost · Esc leaves")
            }
            MemoryQuestion::Accept(..) | MemoryQuestion::Begin(_) => String::new(),
        }
    }
}

/// Purpose of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    Add(EntryKind),
    Edit(EntryKind, EntryId),
}

impl Purpose {
    fn title(&self) -> String {
        match self {
            Purpose::Add(EntryKind::Lesson) => "a new entry".to_owned(),
            Purpose::Edit(EntryKind::Lesson, id) => format!("a new text for {id}"),
            Purpose::Add(EntryKind::Guardrail) => {
                "a new guardrail: its intent, then an example a line".to_owned()
            }
            Purpose::Edit(EntryKind::Guardrail, id) => {
                format!("{id}: its intent, then an example a line")
            }
        }
    }
}

impl Memory {
    /// Names a text for the drafts that survive a crash.
    fn draft_place(&self, purpose: &Purpose) -> String {
        let namespace = self.card.as_ref().map(|card| card.shelf.namespace.as_str());
        let namespace = namespace.unwrap_or_default();
        let kind = |kind: &EntryKind| match kind {
            EntryKind::Lesson => "",
            EntryKind::Guardrail => "guardrail ",
        };
        match purpose {
            Purpose::Add(of) => format!("memory {namespace} {}add", kind(of)),
            Purpose::Edit(of, id) => format!("memory {namespace} {}edit {id}", kind(of)),
        }
    }

    pub(super) fn write(&mut self, purpose: Purpose, text: &str) -> Vec<Effect> {
        if self.card.is_none() {
            return say(self.empty.clone());
        }
        let place = self.draft_place(&purpose);
        match Writing::open(purpose.title(), text, purpose) {
            Ok(writing) => {
                self.writing = Some(Box::new(writing));
                let find =
                    Task::find_draft(place.clone(), |draft| Message::DraftFound(place, draft));
                vec![Effect::Start(find)]
            }
            Err(error) => fail(error.to_string()),
        }
    }

    pub(super) fn write_outside(purpose: Purpose, text: String) -> Vec<Effect> {
        let message = |text| Message::Edited(purpose, text);
        vec![Effect::edit_outside(text, message)]
    }

    /// A draft of an earlier time was found: it is offered where nothing was typed yet.
    pub(super) fn draft_found(&mut self, place: &str, draft: &Draft) -> Vec<Effect> {
        let of = self.writing.as_ref().map(|writing| &writing.purpose);
        if of.is_none_or(|purpose| self.draft_place(purpose) != place) {
            return Vec::new();
        }
        let writing = self.writing.as_deref_mut();
        writing.map_or_else(Vec::new, |writing| offer_draft(writing, &draft.text))
    }

    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if let Some(writing) = self.writing.take() {
            return self.write_key(writing, key);
        }
        match Dialog::answer(&mut self.dialog, key) {
            Some(DialogAnswer::Line(question, text)) => self.asked(question, text),
            Some(DialogAnswer::Yes(MemoryQuestion::Accept(id, how))) => self.accepted(id, how),
            Some(DialogAnswer::Yes(MemoryQuestion::Begin(planned))) => self.begin_trial(planned),
            Some(DialogAnswer::Left(MemoryQuestion::Accept(..))) => say("it stays as it was"),
            Some(DialogAnswer::Left(MemoryQuestion::Begin(_))) => say("nothing was begun"),
            None | Some(DialogAnswer::Left(_) | DialogAnswer::Yes(_) | DialogAnswer::Item(..)) => {
                Vec::new()
            }
        }
    }

    fn write_key(&mut self, mut writing: Box<Writing<Purpose>>, key: KeyEvent) -> Vec<Effect> {
        let place = self.draft_place(&writing.purpose);
        match WritingKey::from(key) {
            WritingKey::Leave => left(place, &writing),
            WritingKey::Done => {
                let text = writing.text();
                self.written(writing.purpose, text)
            }
            WritingKey::Outside => {
                let text = writing.text();
                Self::write_outside(writing.purpose, text)
            }
            WritingKey::Text => {
                let edited = writing.key(key);
                let effects = after_edit(place, &writing, edited);
                self.writing = Some(writing);
                effects
            }
        }
    }

    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(dialog) = &mut self.dialog {
            dialog.paste(&paste.text);
            return Vec::new();
        }
        let Some(mut writing) = self.writing.take() else {
            return say(format!(
                "nothing takes text here: {} takes a topic, {} writes an entry",
                key(Action::TryTopic),
                key(Action::AddEntry)
            ));
        };
        let edited = writing.paste(&paste.text);
        let place = self.draft_place(&writing.purpose);
        let mut effects = after_edit(place, &writing, edited);
        self.writing = Some(writing);
        effects.extend(cut_off(paste));
        effects
    }

    /// Submits a text: its draft is kept until the change is durable.
    pub(super) fn written(&mut self, purpose: Purpose, text: String) -> Vec<Effect> {
        let place = self.draft_place(&purpose);
        if text.trim().is_empty() {
            return say(format!(
                "the text is empty, so nothing was changed; {} keeps an entry from debates",
                key(Action::DisableEntry)
            ));
        }
        let mut effects = vec![Effect::Do(Command::Draft(Draft {
            place: place.clone(),
            text: text.clone(),
        }))];
        let (Purpose::Add(kind) | Purpose::Edit(kind, _)) = &purpose;
        let read = match EntryText::read(*kind, &text) {
            Ok(read) => read,
            Err(why) => {
                // What was typed stays to be mended.
                let writing = Writing::open(purpose.title(), &text, purpose);
                self.writing = writing.ok().map(Box::new);
                effects.extend(say(why));
                return effects;
            }
        };
        let wish = match purpose {
            Purpose::Add(_) => EntryChange::Add(read),
            Purpose::Edit(_, id) => EntryChange::Do(id, EntryAction::Edit(read)),
        };
        effects.extend(self.change(wish, Changing::Do { draft: Some(place) }));
        effects
    }

    fn asked(&mut self, question: MemoryQuestion, text: String) -> Vec<Effect> {
        let Some(card) = self.card.clone() else {
            return Vec::new();
        };
        if text.is_empty() {
            return Vec::new();
        }
        let ticket = self.ticket();
        let task = match question {
            MemoryQuestion::Search => tasks::search(ticket, card, self.kind, text.clone()),
            MemoryQuestion::Topic => tasks::try_topic(ticket, card, text.clone()),
            MemoryQuestion::Replicates { session, entry } => {
                let Some(how_many) = read_replicates(&text) else {
                    return say(format!(
                        "give a number from 1 to {MAX_REPLICATES}, and a seed: 10 seed 0"
                    ));
                };
                self.trial.planning(ticket);
                let plan = tasks::plan_trial(ticket, session, entry, how_many);
                return vec![Effect::Start(plan)];
            }
            MemoryQuestion::Accept(..) | MemoryQuestion::Begin(_) => return Vec::new(),
        };
        self.showing = ListContent::Asked { text, ticket };
        vec![Effect::Start(task)]
    }
}

/// Reads `K seed N`; without a seed it is 0, as on the command line.
fn read_replicates(text: &str) -> Option<(u32, u64)> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .collect();
    let (count, seed) = match words.as_slice() {
        [count] => (count, 0),
        [count, "seed", seed] => (count, seed.parse().ok()?),
        _ => return None,
    };
    let count = count.parse().ok()?;
    (1..=MAX_REPLICATES)
        .contains(&count)
        .then_some((count, seed))
}
