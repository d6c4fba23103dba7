//! Actions of the memory screen, and what is typed.

use super::{Memory, MemoryPane, MemoryQuestion, key, update};
use crate::tui::app::{Effect, copy, say, show_in_pager, tell};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::{ListCursor, Moved, plain_text};
use elenchus_run::engine::MemoryQuery;
use ratatui::crossterm::event::KeyEvent;

impl Memory {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if self.moved(action) == Moved::Yes {
            return Vec::new();
        }
        if let Some(effects) = self.acts.act(action, &mut self.memory, self.content) {
            return effects;
        }
        match action {
            Action::Back => return self.back(),
            Action::Open => return self.open(),
            Action::FocusNext | Action::FocusPrevious => return self.turn_focus(),
            Action::Left => return self.other_namespace(-1),
            Action::Right => return self.other_namespace(1),
            Action::SearchMemory => {
                let hint = "Enter finds them, with scores · Esc leaves";
                return self.ask(MemoryQuestion::Search, "find what means:", hint);
            }
            Action::TryTopic => {
                let hint = "Enter shows exactly what it would be shown · Esc leaves";
                return self.ask(MemoryQuestion::Topic, "a debate about:", hint);
            }
            Action::OtherKind => {
                self.memory.turn_kind();
                self.focus = MemoryPane::List;
                return tell(self.memory.unread_guardrails());
            }
            Action::ListDeleted => return say(self.memory.turn_deleted()),
            Action::LeaveOut => return self.leave_out(),
            Action::Interrupt => {
                let stopped = self.replicates.stop();
                return stopped.unwrap_or_else(|| vec![Effect::Quit]);
            }
            Action::Copy => return self.copy(),
            Action::Pager => return show_in_pager(Some(self.page.text())),
            _ => {}
        }
        Vec::new()
    }

    pub(super) fn cursor(&self) -> ListCursor {
        ListCursor::at(self.memory.row(), self.memory.rows())
    }

    fn moved(&mut self, action: Action) -> Moved {
        match self.focus {
            MemoryPane::List => {
                let mut cursor = self.cursor();
                let moved = cursor.act(action);
                self.memory.choose_row(cursor.chosen().unwrap_or(0));
                moved
            }
            MemoryPane::Page => self.page.act(action),
        }
    }

    /// Leaves what lies nearest: the page, what was looked for, the screen.
    fn back(&mut self) -> Vec<Effect> {
        if self.focus == MemoryPane::Page {
            self.focus = MemoryPane::List;
            return Vec::new();
        }
        if self.memory.leave_search() {
            return Vec::new();
        }
        let mut effects = vec![Effect::Leave];
        effects.extend(self.replicates.left_behind());
        effects
    }

    fn open(&mut self) -> Vec<Effect> {
        if self.focus == MemoryPane::List {
            return self.turn_focus();
        }
        match self.page.here().and_then(|item| item.opens.clone()) {
            Some(session) => vec![Effect::Open(session, None)],
            None => say("put the cursor on a debate to open it"),
        }
    }

    /// Goes to the other pane; an entry's page then says which debates were shown it.
    fn turn_focus(&mut self) -> Vec<Effect> {
        if self.page.items().is_empty() {
            return Vec::new();
        }
        self.focus = match self.focus {
            MemoryPane::List => MemoryPane::Page,
            MemoryPane::Page => MemoryPane::List,
        };
        self.ask_for_uses()
    }

    fn ask_for_uses(&self) -> Vec<Effect> {
        match (self.memory.unknown_uses(), self.memory.read()) {
            (Some(id), Ok(read)) if self.focus == MemoryPane::Page => vec![
                update::query(read, MemoryQuery::Uses(id.clone())),
                self.replicates.read(id),
            ],
            (_, _) => Vec::new(),
        }
    }

    fn other_namespace(&mut self, by: isize) -> Vec<Effect> {
        match self.memory.other_namespace(by) {
            Ok(()) => {
                self.focus = MemoryPane::List;
                vec![update::read(self.memory.namespace())]
            }
            Err(why) => say(why),
        }
    }

    /// Repeats the debate under the cursor, or the newest one, with and without the entry.
    fn leave_out(&mut self) -> Vec<Effect> {
        let under = self.page.here().and_then(|item| item.opens.as_ref());
        if let Some(effects) = self.replicates.press(&self.memory, under) {
            return effects;
        }
        let mut effects = match self.focus {
            MemoryPane::List => self.turn_focus(),
            MemoryPane::Page => self.ask_for_uses(),
        };
        let again = key(Action::LeaveOut);
        let first = format!("choose a debate that was shown it, and press {again} again");
        effects.extend(say(first));
        effects
    }

    fn copy(&self) -> Vec<Effect> {
        let text = match self.focus {
            MemoryPane::List => self.memory.chosen().map(|entry| entry.text.clone()),
            MemoryPane::Page => self.page.here().map(|item| plain_text(&item.paragraphs)),
        };
        match text {
            Some(text) => copy(Some(text)),
            None => say("there is nothing to copy here"),
        }
    }

    fn ask(&mut self, question: MemoryQuestion, title: &str, hint: &str) -> Vec<Effect> {
        if let Err(why) = self.memory.read() {
            return say(why);
        }
        self.dialog = Some(Dialog::line(title, hint, "", question));
        Vec::new()
    }

    /// Takes a key of a question.
    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.acts.is_asking() {
            return self.acts.key(key, &mut self.memory);
        }
        if self.replicates.is_asking() {
            return self.replicates.key(key);
        }
        let answer = Dialog::answer(&mut self.dialog, key);
        let (Some(DialogAnswer::Line(question, text)), Ok(read)) = (answer, self.memory.read())
        else {
            return Vec::new();
        };
        if text.is_empty() {
            return Vec::new();
        }
        let read = read.clone();
        self.focus = MemoryPane::List;
        let asked = self.memory.ask(text.clone());
        let query = match question {
            MemoryQuestion::Search => MemoryQuery::Search(asked, self.memory.kind(), text),
            MemoryQuestion::Topic => MemoryQuery::Topic(asked, text),
        };
        vec![update::query(&read, query)]
    }
}
