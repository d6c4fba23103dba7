//! Actions of the memory screen, and what is typed.

use super::{Memory, MemoryPane, MemoryQuestion, memory_key, update};
use crate::tui::app::{Effect, copy_text, say_notice, say_outcome, show_in_pager};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::{ListCursor, Moved, plain_text};
use elenchus_run::engine::MemoryQuery;
use ratatui::crossterm::event::KeyEvent;

impl Memory {
    pub(super) fn handle_memory_action(&mut self, action: Action) -> Vec<Effect> {
        if self.move_cursor(action) == Moved::Yes {
            return Vec::new();
        }
        if let Some(effects) = self
            .acts
            .handle_action(action, &mut self.memory, self.content)
        {
            return effects;
        }
        match action {
            Action::Back => return self.go_back(),
            Action::Open => return self.open_selected(),
            Action::FocusNext | Action::FocusPrevious => return self.switch_focus(),
            Action::Left => return self.switch_namespace(-1),
            Action::Right => return self.switch_namespace(1),
            Action::SearchMemory => {
                let hint = "Enter finds them, with scores · Esc leaves";
                return self.ask_line(MemoryQuestion::Search, "find what means:", hint);
            }
            Action::TryTopic => {
                let hint = "Enter shows exactly what it would be shown · Esc leaves";
                return self.ask_line(MemoryQuestion::Topic, "a debate about:", hint);
            }
            Action::OtherKind => {
                self.memory.toggle_kind();
                self.focus = MemoryPane::List;
                return say_outcome(self.memory.unread_guardrails());
            }
            Action::ListDeleted => return say_notice(self.memory.toggle_deleted()),
            Action::LeaveOut => return self.leave_out(),
            Action::Interrupt => {
                return self.replicates.stop_replicates().unwrap_or_default();
            }
            Action::Copy => return self.copy_selected(),
            Action::Pager => return show_in_pager(Some(self.page.text())),
            _ => {}
        }
        Vec::new()
    }

    pub(super) fn list_cursor(&self) -> ListCursor {
        ListCursor::with_row(self.memory.row_index(), self.memory.row_count())
    }

    fn move_cursor(&mut self, action: Action) -> Moved {
        match self.focus {
            MemoryPane::List => {
                let mut cursor = self.list_cursor();
                let movement = cursor.handle_action(action);
                self.memory.choose_row(cursor.selected_row().unwrap_or(0));
                movement
            }
            MemoryPane::Page => self.page.handle_action(action),
        }
    }

    /// Leaves what lies nearest: the page, what was looked for, the screen.
    fn go_back(&mut self) -> Vec<Effect> {
        if self.focus == MemoryPane::Page {
            self.focus = MemoryPane::List;
            return Vec::new();
        }
        if self.memory.leave_search() {
            return Vec::new();
        }
        let mut effects = vec![Effect::Leave];
        effects.extend(self.replicates.say_run_continues());
        effects
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        if self.focus == MemoryPane::List {
            return self.switch_focus();
        }
        match self
            .page
            .selected_item()
            .and_then(|item| item.opens.clone())
        {
            Some(session) => vec![Effect::Open(session, None)],
            None => say_notice("put the cursor on a debate to open it"),
        }
    }

    /// Goes to the other pane; an entry's page then says which debates were shown it.
    fn switch_focus(&mut self) -> Vec<Effect> {
        if self.page.items().is_empty() {
            return Vec::new();
        }
        self.focus = match self.focus {
            MemoryPane::List => MemoryPane::Page,
            MemoryPane::Page => MemoryPane::List,
        };
        self.read_uses()
    }

    fn read_uses(&self) -> Vec<Effect> {
        match (self.memory.unknown_uses(), self.memory.loaded_namespace()) {
            (Some(id), Ok(read)) if self.focus == MemoryPane::Page => vec![
                update::start_query(read, MemoryQuery::Uses(id.clone())),
                self.replicates.read_reports(id),
            ],
            (_, _) => Vec::new(),
        }
    }

    fn switch_namespace(&mut self, by: isize) -> Vec<Effect> {
        match self.memory.go_to_namespace(by) {
            Ok(()) => {
                self.focus = MemoryPane::List;
                vec![update::read_namespace(self.memory.namespace())]
            }
            Err(why) => say_notice(why),
        }
    }

    /// Repeats the debate under the cursor, or the newest one, with and without the entry.
    fn leave_out(&mut self) -> Vec<Effect> {
        let under = self
            .page
            .selected_item()
            .and_then(|item| item.opens.as_ref());
        if let Some(effects) = self.replicates.ask_count(&self.memory, under) {
            return effects;
        }
        let mut effects = match self.focus {
            MemoryPane::List => self.switch_focus(),
            MemoryPane::Page => self.read_uses(),
        };
        let again = memory_key(Action::LeaveOut);
        let first = format!("choose a debate that was shown it, and press {again} again");
        effects.extend(say_notice(first));
        effects
    }

    fn copy_selected(&self) -> Vec<Effect> {
        let text = match self.focus {
            MemoryPane::List => self.memory.chosen_entry().map(|entry| entry.text.clone()),
            MemoryPane::Page => self
                .page
                .selected_item()
                .map(|item| plain_text(&item.paragraphs)),
        };
        match text {
            Some(text) => copy_text(Some(text)),
            None => say_notice("there is nothing to copy here"),
        }
    }

    fn ask_line(&mut self, question: MemoryQuestion, title: &str, hint: &str) -> Vec<Effect> {
        if let Err(why) = self.memory.loaded_namespace() {
            return say_notice(why);
        }
        self.dialog = Some(Dialog::new_line_prompt(title, hint, "", question));
        Vec::new()
    }

    /// Takes a key of a question.
    pub(super) fn handle_dialog_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.acts.is_asking() {
            return self.acts.handle_key(key, &mut self.memory);
        }
        if self.replicates.is_asking() {
            return self.replicates.handle_key(key);
        }
        let answer = Dialog::answer_key(&mut self.dialog, key);
        let (Some(DialogAnswer::Line(question, text)), Ok(read)) =
            (answer, self.memory.loaded_namespace())
        else {
            return Vec::new();
        };
        if text.is_empty() {
            return Vec::new();
        }
        let read = read.clone();
        self.focus = MemoryPane::List;
        let ticket = self.memory.start_search(text.clone());
        let query = match question {
            MemoryQuestion::Search => MemoryQuery::Search(ticket, self.memory.kind(), text),
            MemoryQuestion::Topic => MemoryQuery::Topic(ticket, text),
        };
        vec![update::start_query(&read, query)]
    }
}
