//! Actions of the memory screen.

use super::guardrails::is_deleted;
use super::typing::{MemoryQuestion, Purpose};
use super::{Changing, ListContent, Memory, MemoryPane, key, tasks};
use crate::tui::app::{Command, Effect, say};
use crate::tui::keys::Action;
use crate::tui::popups::Dialog;
use crate::tui::widgets::{Content, LayOut, Moved, ScrollList, lay_out, plain_text};
use crate::workspace::memory::{EntryAction, EntryChange};
use crate::workspace::{EntryKind, MemoryEntry};

/// Default number of repetitions and seed: as on the command line.
const REPLICATES: &str = "10 seed 0";

impl Memory {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        let moved = match self.focus {
            MemoryPane::List => self.list_moved(action),
            MemoryPane::Page => self.page_moved(action),
        };
        if moved {
            return Vec::new();
        }
        match action {
            Action::Back => self.back(),
            Action::Open => self.open(),
            Action::FocusNext | Action::FocusPrevious => self.turn_focus(),
            Action::Left => self.other_namespace(-1),
            Action::Right => self.other_namespace(1),
            Action::SearchMemory => self.ask(MemoryQuestion::Search, ""),
            Action::TryTopic => self.ask(MemoryQuestion::Topic, ""),
            Action::OtherKind => self.turn_kind(),
            Action::AcceptGuardrail => self.accept(),
            Action::RejectGuardrail => self.reject(),
            Action::AddEntry => self.write(Purpose::Add(self.kind), ""),
            Action::EditEntry => self.edit(),
            Action::EditOutside => self.edit_outside(),
            Action::DisableEntry => self.act_on(|entry| match entry.disabled {
                true => EntryAction::Enable,
                false => EntryAction::Disable,
            }),
            Action::DeleteEntry => self.act_on(|entry| match entry.deleted {
                true => EntryAction::Restore,
                false => EntryAction::Delete,
            }),
            Action::ListDeleted => {
                self.list_deleted = !self.list_deleted;
                self.list_all();
                say(match self.list_deleted {
                    true => {
                        let restore = key(Action::DeleteEntry);
                        format!("deleted entries are listed: {restore} restores one")
                    }
                    false => "deleted entries are not listed".to_owned(),
                })
            }
            Action::Undo => self.take_back(),
            Action::Redo => self.do_again(),
            Action::LeaveOut => self.leave_out(),
            Action::Interrupt => match self.trial.stop() {
                true => say("no more replicates begin; what was begun is kept"),
                false => vec![Effect::Quit],
            },
            Action::Copy => self.copy(),
            Action::Pager => vec![Effect::Do(Command::Page(self.whole()))],
            _ => Vec::new(),
        }
    }

    fn list_moved(&mut self, action: Action) -> bool {
        let moved = self.rows.act(action) == Moved::Yes;
        if moved {
            self.turn_page();
        }
        moved
    }

    fn page_moved(&mut self, action: Action) -> bool {
        let mut has_moved = Moved::No;
        self.moved(|roll, lay_out| has_moved = roll.act(action, lay_out));
        has_moved == Moved::Yes
    }

    fn moved(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut roll = std::mem::take(&mut self.roll);
        how(&mut roll, &|at, width| {
            let item = self.items.get(at);
            lay_out(item.map_or(&[], |item| &item.paragraphs), width)
        });
        self.roll = roll;
    }

    /// Leaves what lies nearest: the page, what was searched for, the screen.
    fn back(&mut self) -> Vec<Effect> {
        if self.focus == MemoryPane::Page {
            self.focus = MemoryPane::List;
            return Vec::new();
        }
        match &self.showing {
            ListContent::All => {}
            ListContent::Asked { .. } | ListContent::Found { .. } | ListContent::Topic { .. } => {
                self.list_all();
                return Vec::new();
            }
        }
        let mut effects = vec![Effect::Leave];
        effects.extend(self.trial.left_behind());
        effects
    }

    fn open(&mut self) -> Vec<Effect> {
        if self.focus == MemoryPane::List {
            return self.turn_focus();
        }
        let item = self.items.get(self.roll.cursor());
        match item.and_then(|item| item.opens.clone()) {
            Some(session) => vec![Effect::Open(session, None)],
            None => say("put the cursor on a debate to open it"),
        }
    }

    /// Goes to the other pane; an entry's page then says which debates were shown it.
    fn turn_focus(&mut self) -> Vec<Effect> {
        if self.items.is_empty() {
            return Vec::new();
        }
        self.focus = match self.focus {
            MemoryPane::List => MemoryPane::Page,
            MemoryPane::Page => MemoryPane::List,
        };
        self.ask_for_uses()
    }

    fn ask_for_uses(&mut self) -> Vec<Effect> {
        let known = self.uses.as_ref().map(|(id, _)| id);
        let wants =
            self.focus == MemoryPane::Page && !matches!(self.showing, ListContent::Topic { .. });
        match (self.chosen(), &self.card) {
            (Some(entry), Some(card)) if wants && known != Some(&entry.id) => {
                vec![
                    Effect::Start(tasks::read_uses(card.clone(), entry.id.clone())),
                    Effect::Start(tasks::read_ablations(entry.id.clone())),
                ]
            }
            (Some(_) | None, _) => Vec::new(),
        }
    }

    fn other_namespace(&mut self, by: isize) -> Vec<Effect> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let names: Vec<&str> = card
            .namespaces
            .iter()
            .map(|glance| glance.name.as_str())
            .collect();
        let here = names.iter().position(|name| *name == card.shelf.namespace);
        let to = match here {
            Some(here) => here.checked_add_signed(by),
            None => Some(0),
        };
        match to.and_then(|to| names.get(to)) {
            Some(name) => {
                let name = (*name).to_owned();
                self.namespace = Some(name.clone());
                // What was done elsewhere is not taken back here.
                self.undo.clear();
                self.redo.clear();
                self.focus = MemoryPane::List;
                self.showing = ListContent::All;
                vec![Effect::Start(tasks::read(Some(name)))]
            }
            None => say("there is no other namespace on this side"),
        }
    }

    /// Reads the namespace again: another process may have changed it.
    pub(super) fn read_again(&self) -> Effect {
        Effect::Start(tasks::read(self.namespace.clone()))
    }

    fn edit(&mut self) -> Vec<Effect> {
        match self.editable() {
            Ok((purpose, text)) => self.write(purpose, &text),
            Err(why) => say(why),
        }
    }

    fn edit_outside(&mut self) -> Vec<Effect> {
        match self.editable() {
            Ok((purpose, text)) => Self::write_outside(purpose, text),
            Err(why) => say(why),
        }
    }

    fn editable(&self) -> Result<(Purpose, String), String> {
        if self.content == Content::Masked {
            return Err(format!(
                "content is masked and an editor would show it: {} unmasks",
                key(Action::Mask)
            ));
        }
        let entry = self.chosen().ok_or("choose an entry first")?;
        if entry.deleted {
            return Err(is_deleted(entry));
        }
        let purpose = Purpose::Edit(entry.kind(), entry.id.clone());
        Ok((purpose, entry.as_lines()))
    }

    /// Does something to the entry that is chosen.
    pub(super) fn act_on(
        &mut self,
        action: impl FnOnce(&MemoryEntry) -> EntryAction,
    ) -> Vec<Effect> {
        match self.chosen() {
            Some(entry) => {
                let wish = EntryChange::Do(entry.id.clone(), action(entry));
                self.change(wish, Changing::Do { draft: None })
            }
            None => say("choose an entry first"),
        }
    }

    /// Asks for a change; one at a time, so that undo knows the order.
    pub(super) fn change(&mut self, wish: EntryChange, changing: Changing) -> Vec<Effect> {
        let Some(card) = &self.card else {
            return say("memory is not read yet");
        };
        if self.changing.is_some() {
            return say("the change before is still being written");
        }
        self.changing = Some(changing);
        let namespace = card.shelf.namespace.clone();
        vec![Effect::Start(tasks::change_entry(namespace, wish))]
    }

    fn take_back(&mut self) -> Vec<Effect> {
        match self.undo.last().cloned() {
            Some(wish) => self.change(wish, Changing::Undo),
            None => say("nothing to undo"),
        }
    }

    fn do_again(&mut self) -> Vec<Effect> {
        match self.redo.last().cloned() {
            Some(wish) => self.change(wish, Changing::Redo),
            None => say("nothing to redo"),
        }
    }

    /// Repeats the debate under the cursor, or the newest one, with and without the entry.
    fn leave_out(&mut self) -> Vec<Effect> {
        if self.trial.is_going() {
            let stop = key(Action::Interrupt);
            return say(format!("replicates are being played: {stop} stops them"));
        }
        if self.chosen_guard().is_some() {
            return say(format!(
                "replicates leave a lesson out; guardrails are the same in both arms. {} keeps \
                 this one from debates that begin",
                key(Action::DisableEntry)
            ));
        }
        let Some(entry) = self.chosen().map(|entry| entry.id.clone()) else {
            return say("choose an entry first");
        };
        let uses = match &self.uses {
            Some((id, Ok(uses))) if *id == entry => uses,
            Some(_) | None => {
                let mut effects = match self.focus {
                    MemoryPane::List => self.turn_focus(),
                    MemoryPane::Page => self.ask_for_uses(),
                };
                effects.extend(say(format!(
                    "choose a debate that was shown it, and press {} again",
                    key(Action::LeaveOut)
                )));
                return effects;
            }
        };
        let under = self.items.get(self.roll.cursor());
        let under = under.and_then(|item| item.opens.as_ref());
        let shown = |session| {
            uses.debates
                .iter()
                .find(|one| Some(&one.session) == session)
        };
        let session = shown(under).or(uses.debates.first());
        match session.map(|one| one.session.clone()) {
            Some(session) => self.ask(MemoryQuestion::Replicates { session, entry }, REPLICATES),
            None => say("no debate was shown this entry, so none can be repeated without it"),
        }
    }

    fn copy(&self) -> Vec<Effect> {
        match self.focus {
            MemoryPane::List => match self.chosen() {
                Some(entry) => vec![Effect::Do(Command::Copy(entry.text.clone()))],
                None => say("there is nothing to copy here"),
            },
            MemoryPane::Page => {
                let item = self.items.get(self.roll.cursor());
                vec![Effect::Do(Command::Copy(
                    item.map_or_else(String::new, |item| plain_text(&item.paragraphs)),
                ))]
            }
        }
    }

    fn whole(&self) -> String {
        let items = self.items.iter();
        let texts = items.map(|item| plain_text(&item.paragraphs));
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn ask(&mut self, question: MemoryQuestion, text: &str) -> Vec<Effect> {
        if self.card.is_none() {
            return say(self.empty.clone());
        }
        let (title, hint) = (question.describe(), question.hint());
        self.dialog = Some(Dialog::line(title, &hint, text, question));
        Vec::new()
    }

    pub(super) fn useful(&self) -> Vec<Action> {
        let mut hints = Vec::new();
        match (self.focus, &self.showing) {
            (_, ListContent::All | ListContent::Asked { .. } | ListContent::Found { .. })
                if self.kind == EntryKind::Guardrail =>
            {
                hints.extend([
                    Action::OtherKind,
                    Action::Open,
                    Action::AcceptGuardrail,
                    Action::RejectGuardrail,
                    Action::EditEntry,
                    Action::DisableEntry,
                    Action::DeleteEntry,
                ]);
            }
            (MemoryPane::List, _) => hints.extend([
                Action::TryTopic,
                Action::OtherKind,
                Action::SearchMemory,
                Action::Open,
                Action::EditEntry,
                Action::DisableEntry,
                Action::DeleteEntry,
                Action::AddEntry,
            ]),
            (MemoryPane::Page, ListContent::Topic { .. }) => {
                hints.extend([Action::Down, Action::Copy])
            }
            (MemoryPane::Page, _) => {
                hints.extend([
                    Action::Open,
                    Action::LeaveOut,
                    Action::EditEntry,
                    Action::Down,
                ]);
            }
        }
        if !self.undo.is_empty() {
            hints.push(Action::Undo);
        }
        hints.extend([Action::Back, Action::Help]);
        hints
    }

    pub(super) fn count(&self) -> String {
        if let Some(going) = self.trial.progress() {
            return going;
        }
        let of = match self.rows.chosen() {
            Some(at) => format!("{} of {}", at + 1, self.rows.count()),
            None => "nothing listed".to_owned(),
        };
        match &self.showing {
            ListContent::All => match self.kind {
                EntryKind::Lesson => format!("memory: {of}"),
                EntryKind::Guardrail => format!("guardrails: {of}"),
            },
            ListContent::Asked { .. } => "memory: looking".to_owned(),
            ListContent::Found { .. } => format!("memory, found: {of}"),
            ListContent::Topic { .. } => format!("memory, would be shown: {of}"),
        }
    }
}
