//! Actions of the inspector.

use super::{Inspector, InspectorItem, Message, Mode, PendingQuestion, StepStatus, draft_place};
use crate::debate::view::PartSource;
use crate::engine::live::LiveCommand;
use crate::engine::live::{Sent, SentWhat};
use crate::tui::app::{Command, Effect, fail, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::memory::Memory;
use crate::tui::screens::prompt_editor::{Begin, PromptEditor};
use crate::tui::screens::prompt_list::Prompts;
use crate::tui::screens::writing::full;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, Edited, Editor, plain_text};
use crate::workspace::Draft;
use crate::workspace::EntryId;
use crate::workspace::prompts::PromptAt;

/// Returns the mark of a key of the inspector.
pub(super) fn key(action: Action) -> char {
    key_for(Context::Inspector, action)
}

/// Gives a message to the person's own editor.
pub(super) fn outside(message: usize, text: String) -> Effect {
    Effect::edit_outside(text, move |text| Message::Edited(message, text))
}

impl Inspector {
    /// Keeps the draft, and reports an edit whose effect is not plain to see.
    pub(super) fn after_edit(&self, edited: Edited) -> Vec<Effect> {
        let mut effects = match edited.has_changed() {
            true => self.draft_in_the_making(),
            false => Vec::new(),
        };
        effects.extend(full(edited));
        effects
    }

    /// Edits the prompt that asked for this, shown on it.
    fn prompt(&self) -> Vec<Effect> {
        match &self.prompt {
            Some((name, asked)) => {
                let at = PromptAt {
                    session: self.session.clone(),
                    asked: asked.clone(),
                };
                PromptEditor::show(name.clone(), Some(at), Begin::Reading)
            }
            None => Prompts::show(None),
        }
    }

    fn draft_in_the_making(&self) -> Vec<Effect> {
        let (Mode::Editing { message, editor }, Some(open), Some(messages)) =
            (&self.mode, &self.open, self.messages())
        else {
            return Vec::new();
        };
        vec![Effect::Do(Command::Draft(Draft {
            place: draft_place(&self.session, &open.step.id()),
            text: messages.draft_with(*message, &editor.text()),
        }))]
    }

    pub(super) fn on(&mut self, action: Action) -> Vec<Effect> {
        let asked = match &self.mode {
            Mode::Asking(question) => Some(*question),
            Mode::Reading | Mode::Editing { .. } => None,
        };
        if let Some(question) = asked {
            self.mode = Mode::Reading;
            match (question, action) {
                (PendingQuestion::Send, Action::StepTurn) => return self.send(),
                (PendingQuestion::Send, Action::Back) => return say("not sent"),
                (PendingQuestion::Leave, Action::Back) => return vec![Effect::Leave],
                (PendingQuestion::Leave, Action::Undo) => return self.drop_changes(),
                // Anything else goes on as if nothing had been asked.
                (PendingQuestion::Send | PendingQuestion::Leave, _) => {}
            }
        }
        match action {
            Action::Back => self.leave(),
            _ if action.scrolls() => self.moved(|roll, lay_out| _ = roll.act(action, lay_out)),
            Action::NextTurn => self.by_message(1),
            Action::PreviousTurn => self.by_message(-1),
            Action::Left | Action::FocusPrevious => self.other_sheet(-1),
            Action::Right | Action::FocusNext => self.other_sheet(1),
            Action::Copy => self.copy(),
            Action::Memory => self.memory(),
            Action::Pager => vec![Effect::Do(Command::Page(self.text()))],
            Action::Private => {
                self.show.private = !self.show.private;
                self.roll.forget();
                Vec::new()
            }
            Action::Difference => self.toggle_difference(),
            Action::Edit => self.edit(),
            Action::Prompts => self.prompt(),
            Action::EditOutside => match self.editable() {
                Ok((message, text)) => vec![outside(message, text)],
                Err(why) => say(why),
            },
            Action::Undo => self.restore(),
            Action::StepTurn => self.ask_to_send(),
            _ => Vec::new(),
        }
    }

    /// Opens memory at the entry or guardrail under the cursor, or at the first one that is shown here.
    fn memory(&self) -> Vec<Effect> {
        let entry_of = |item: &InspectorItem| match item {
            InspectorItem::Part { part, .. } => match &part.from {
                PartSource::Memory(id) | PartSource::Guardrail(id) => Some(EntryId(id.clone())),
                _ => None,
            },
            InspectorItem::Changed { .. } | InspectorItem::Request | InspectorItem::Nothing => None,
        };
        let under = self.items.get(self.roll.cursor()).and_then(entry_of);
        let entry = under.or_else(|| self.items.iter().find_map(entry_of));
        match entry {
            Some(entry) => {
                let namespace = self.sheet().and_then(|sheet| sheet.origins.namespace());
                Memory::show(namespace, Some(entry))
            }
            None => say("nothing from memory is shown here"),
        }
    }

    fn leave(&mut self) -> Vec<Effect> {
        if self.changes() == 0 {
            return vec![Effect::Leave];
        }
        self.mode = Mode::Asking(PendingQuestion::Leave);
        self.keep_draft()
    }

    fn drop_changes(&mut self) -> Vec<Effect> {
        let Some(open) = &self.open else {
            return vec![Effect::Leave];
        };
        let place = draft_place(&self.session, &open.step.id());
        let text = String::new();
        vec![
            Effect::Do(Command::Draft(Draft { place, text })),
            Effect::Leave,
        ]
    }

    /// Goes to the first part of the message before or after.
    fn by_message(&mut self, by: isize) -> Vec<Effect> {
        let starts: Vec<usize> = (self.items.iter().enumerate())
            .filter(|(_, item)| match item {
                InspectorItem::Part { first, .. } => *first,
                InspectorItem::Changed { .. } | InspectorItem::Request | InspectorItem::Nothing => {
                    true
                }
            })
            .map(|(at, _)| at)
            .collect();
        let here = self.roll.cursor();
        let next = if by > 0 {
            starts.iter().find(|at| **at > here)
        } else {
            starts.iter().rev().find(|at| **at < here)
        };
        let Some(next) = next.copied() else {
            return say(if by > 0 {
                "this is the last message"
            } else {
                "this is the first message"
            });
        };
        self.moved(|roll, lay_out| roll.go(next, lay_out))
    }

    fn other_sheet(&mut self, by: isize) -> Vec<Effect> {
        let to = self.at.checked_add_signed(by);
        match to.filter(|to| *to < self.sheets.len()) {
            Some(to) => {
                self.at = to;
                self.rebuild();
                self.moved(|roll, _| roll.go_to_top())
            }
            None if self.sheets.len() > 1 => say("there is no other view on this side"),
            None => Vec::new(),
        }
    }

    fn copy(&self) -> Vec<Effect> {
        let text = match self.items.get(self.roll.cursor()) {
            Some(InspectorItem::Part { part, .. }) => part.text.clone().unwrap_or_default(),
            Some(InspectorItem::Changed { message }) => self
                .messages()
                .map_or_else(String::new, |messages| messages.text(*message)),
            Some(InspectorItem::Request) => self
                .sheet()
                .map_or_else(String::new, |sheet| plain_text(&sheet.request)),
            Some(InspectorItem::Nothing) | None => return say("there is nothing to copy here"),
        };
        vec![Effect::Do(Command::Copy(text))]
    }

    /// Returns all messages as one text, masked where content is.
    fn text(&self) -> String {
        self.sheet()
            .map_or_else(String::new, |sheet| sheet.text(self.show))
    }

    fn toggle_difference(&mut self) -> Vec<Effect> {
        if self.changes() == 0 {
            return say(format!(
                "nothing was changed: {} edits the message under the cursor",
                key(Action::Edit)
            ));
        }
        self.difference = !self.difference;
        self.at_message();
        Vec::new()
    }

    /// Rebuilds the items and stays at the message under the cursor.
    fn at_message(&mut self) {
        let message = self.message();
        self.rebuild();
        let at = self.items.iter().position(|item| match item {
            InspectorItem::Part { message: of, .. } | InspectorItem::Changed { message: of } => {
                Some(*of) == message
            }
            InspectorItem::Request | InspectorItem::Nothing => false,
        });
        if let Some(at) = at {
            self.moved(|roll, lay_out| roll.go(at, lay_out));
        }
    }

    /// Says why nothing can be sent, where nothing can.
    pub(super) fn can_send(&self) -> Result<(), String> {
        let Some(open) = &self.open else {
            return Err(format!(
                "this was sent already: {} on the debate screen asks the seat again",
                key_for(Context::Debate, Action::Reroll)
            ));
        };
        match &open.standing {
            StepStatus::Asked => Err("what would be sent is not known yet".to_owned()),
            StepStatus::Sent => Err("it was sent".to_owned()),
            StepStatus::Gone(why) => Err(why.clone()),
            StepStatus::Ready | StepStatus::Stale => {
                if self.sheet().is_some_and(|sheet| sheet.to_model) {
                    Ok(())
                } else {
                    let text =
                        "a person sits here and nothing is sent: answer on the debate screen";
                    Err(text.to_owned())
                }
            }
        }
    }

    /// Returns the message under the cursor with its text, where it can be changed.
    fn editable(&self) -> Result<(usize, String), String> {
        self.can_send()?;
        if self.show.content == Content::Masked {
            return Err(format!(
                "content is masked and an editor would show it: {} unmasks",
                key(Action::Mask)
            ));
        }
        let message = self.message();
        let message = message.ok_or_else(|| "put the cursor on a message first".to_owned())?;
        let text = self.messages().map(|messages| messages.text(message));
        Ok((message, text.unwrap_or_default()))
    }

    fn edit(&mut self) -> Vec<Effect> {
        let (message, text) = match self.editable() {
            Ok(found) => found,
            Err(why) => return say(why),
        };
        match Editor::open(&text) {
            Ok(editor) => {
                let editor = Box::new(editor);
                self.mode = Mode::Editing { message, editor };
                Vec::new()
            }
            Err(why) => fail(why.to_string()),
        }
    }

    pub(super) fn edited_outside(
        &mut self,
        message: usize,
        text: Result<String, String>,
    ) -> Vec<Effect> {
        self.mode = Mode::Reading;
        match text {
            Ok(text) => self.changed(message, text),
            Err(why) => fail(why),
        }
    }

    /// Takes another text for a message.
    pub(super) fn changed(&mut self, message: usize, text: String) -> Vec<Effect> {
        if let Some(sheet) = self.sheets.get_mut(self.at) {
            sheet.messages.change(message, text);
        }
        self.at_message();
        let mut effects = self.keep_draft();
        let text = if self.changes() > 0 {
            format!(
                "changed for this call only: {} shows the differences, {} sends it, {} takes it back",
                key(Action::Difference),
                key(Action::StepTurn),
                key(Action::Undo)
            )
        } else {
            "nothing differs from what the step shows".to_owned()
        };
        effects.push(Effect::Say(Role::Notice, text));
        effects
    }

    fn restore(&mut self) -> Vec<Effect> {
        let message = self.message();
        let restored = match (message, self.sheets.get_mut(self.at)) {
            (Some(message), Some(sheet)) => sheet.messages.restore(message),
            (None, _) | (_, None) => false,
        };
        if !restored {
            return say("this message was not changed");
        }
        self.at_message();
        let mut effects = self.keep_draft();
        effects.extend(say("the message is as it was"));
        effects
    }

    fn ask_to_send(&mut self) -> Vec<Effect> {
        if let Err(why) = self.can_send() {
            return say(why);
        }
        if self.changes() == 0 {
            return self.send();
        }
        self.mode = Mode::Asking(PendingQuestion::Send);
        Vec::new()
    }

    fn send(&mut self) -> Vec<Effect> {
        let messages = self.messages().map(super::Messages::to_send);
        let (Some(messages), Some(open)) = (messages, &mut self.open) else {
            return Vec::new();
        };
        let step = open.step.id();
        let mut effects = vec![Effect::Sent(Sent {
            session: self.session.clone(),
            place: draft_place(&self.session, &step),
            what: SentWhat::Step(step.clone()),
        })];
        effects.extend(
            open.lock
                .give(LiveCommand::Send { step, messages }, Message::Lock),
        );
        effects
    }

    pub(super) fn found(&mut self, draft: &Draft) -> Vec<Effect> {
        let Some(open) = &mut self.open else {
            return Vec::new();
        };
        if open.standing == StepStatus::Asked {
            open.draft = Some(draft.text.clone());
            return Vec::new();
        }
        let sheet = self.sheets.get_mut(self.at);
        let taken = sheet.is_some_and(|sheet| sheet.messages.take_draft(&draft.text));
        if !taken {
            return Vec::new();
        }
        self.rebuild();
        say("your unsent changes of an earlier time are here again")
    }
}
