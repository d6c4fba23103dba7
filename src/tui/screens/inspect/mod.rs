//! Inspector: the exact messages a seat was or would be shown, every part with its origin. The
//! messages of an open step can be changed for this call.
//!
//! | file | content |
//! |---|---|
//! | `tasks` | what is read in the background |
//! | `view` | drawing |

mod tasks;
mod view;

use super::memory::Memory;
use super::prompt_editor::{EditorMode, PromptEditor};
use super::prompt_list::Prompts;
use crate::tui::app::{
    Broadcast, Command, DrawContext, EditError, Effect, Screen, Task, Update, copy_text, say_error,
    say_notice, show_in_pager,
};
use crate::tui::components::session_lock::{LockControl, LockMessage, SessionAccess};
use crate::tui::components::step_preview::preview_step;
use crate::tui::components::writing::{warn_if_cut, warn_if_full};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::WritingKey;
use crate::tui::widgets::{Edited, Editor, Marking, ScrollList};
use elenchus_game::debate::step::{Step, Target, VerdictSlot};
use elenchus_game::debate::{AttemptId, Chair, JudgingId, SeatId, SessionId, State};
use elenchus_records::workspace::prompts::{AskedFor, KeptPrompts, PromptAt, PromptName, asked_by};
use elenchus_records::workspace::{Draft, WorkspaceError};
use elenchus_run::engine::live::{
    AnswerKey, Inspection, InspectionEffect, InspectionKeys, Preview, StepToSend,
};
use elenchus_terminal::Paste;
use elenchus_view::seat_view::{self, ViewPages};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// The inspector.
pub struct Inspector {
    session: SessionId,
    /// The prompt that asked for what is shown, and for what.
    prompt: Option<(PromptName, AskedFor)>,
    inspection: Inspection,
    lock: LockControl,
    list: ScrollList,
    editing: Option<MessageEditor>,
    /// Marking of differences when it was drawn last.
    marking: Marking,
}

/// Editor of a message.
struct MessageEditor {
    message: usize,
    editor: Editor,
}

/// Returns the mark of a key of the inspector.
fn inspector_key(action: Action) -> char {
    key_for(Context::Inspector, action)
}

/// Gives a message to the person's own editor.
fn edit_message_outside(message: usize, text: String) -> Effect {
    Effect::edit_outside(text, move |text| Message::Edited(message, text))
}

impl Inspector {
    /// Inspector of an attempt, next to the turn's other attempts.
    pub fn from_attempt(session: &SessionId, state: &State, attempt: &AttemptId) -> Self {
        let views = seat_view::views_of_turn(state, &attempt.turn);
        let at = usize::try_from(attempt.attempt).unwrap_or(0);
        let subject = AskedFor::Turn(attempt.turn.clone());
        Self {
            prompt: asked_by(state, subject),
            ..Self::from_pages(
                session,
                ViewPages::new(views, at),
                None,
                SessionAccess::Lockable,
            )
        }
    }

    /// Inspector of a verdict, next to those of other judges and earlier tries.
    pub fn from_verdict(
        session: &SessionId,
        state: &State,
        judging: &JudgingId,
        target: &Target,
        slot: Option<VerdictSlot>,
    ) -> Self {
        let (views, at) = seat_view::views_of_verdicts(state, judging, target, slot);
        let subject = AskedFor::Verdict {
            judging: judging.clone(),
            target: target.clone(),
        };
        Self {
            prompt: asked_by(state, subject),
            ..Self::from_pages(
                session,
                ViewPages::new(views, at),
                None,
                SessionAccess::Lockable,
            )
        }
    }

    /// Inspector of the lessons of a debate; it begins with that of a learner.
    pub fn from_lesson(session: &SessionId, state: &State, learner: Option<&SeatId>) -> Self {
        let at = state
            .lessons()
            .filter(|lesson| lesson.view.is_some())
            .position(|lesson| lesson.learner.as_ref() == learner);
        Self {
            prompt: asked_by(state, AskedFor::Lesson(learner.cloned())),
            ..Self::from_pages(
                session,
                ViewPages::new(seat_view::views_of_lessons(state), at.unwrap_or(0)),
                None,
                SessionAccess::Lockable,
            )
        }
    }

    /// Inspector of the guardrail that a sample wrote; `None` where there is none.
    pub fn from_guardrail(session: &SessionId, state: &State) -> Option<Self> {
        let written = state.written_guardrail()?;
        Some(Self {
            prompt: asked_by(state, AskedFor::Guardrail(written.chair.clone())),
            ..Self::from_pages(
                session,
                ViewPages::new(vec![seat_view::view_of_guardrail(state, written)], 0),
                None,
                SessionAccess::Lockable,
            )
        })
    }

    /// Inspector of the decision about guardrails of a chair's model.
    pub fn from_guard_decision(session: &SessionId, state: &State, chair: &Chair) -> Self {
        let view = seat_view::view_of_decision(state, chair);
        Self {
            prompt: asked_by(state, AskedFor::GuardDecision(chair.clone())),
            ..Self::from_pages(
                session,
                ViewPages::new(view.into_iter().collect(), 0),
                None,
                SessionAccess::Lockable,
            )
        }
    }

    /// Inspector of an open step.
    pub fn from_step(session: &SessionId, state: &State, step: Step, hold: SessionAccess) -> Self {
        let view = seat_view::view_of_step(state, &step);
        let step = StepToSend::new(session.clone(), step);
        Self::from_pages(session, ViewPages::new(vec![view], 0), Some(step), hold)
    }

    fn from_pages(
        session: &SessionId,
        pages: ViewPages,
        step: Option<StepToSend>,
        hold: SessionAccess,
    ) -> Self {
        let mut list = ScrollList::default();
        list.set_count(pages.len());
        let keys = InspectionKeys {
            edit: inspector_key(Action::Edit),
            difference: inspector_key(Action::Difference),
            send: inspector_key(Action::StepTurn),
            undo: inspector_key(Action::Undo),
            back: inspector_key(Action::Back),
            mask: inspector_key(Action::Mask),
            ask_again: key_for(Context::Debate, Action::Reroll),
        };
        Self {
            session: session.clone(),
            prompt: None,
            inspection: Inspection::new(pages, step, keys),
            lock: LockControl::new(session.clone(), hold),
            list,
            editing: None,
            marking: Marking::Look,
        }
    }

    /// Performs what the inspection wants done, in its order.
    fn perform_effects(&mut self, inspection_effects: Vec<InspectionEffect>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for one in inspection_effects {
            self.perform_effect(one, &mut effects);
        }
        effects
    }

    fn perform_effect(&mut self, effect: InspectionEffect, effects: &mut Vec<Effect>) {
        match effect {
            InspectionEffect::ItemsChanged(to) => {
                self.list.set_count(self.inspection.pages().len());
                if let Some(to) = to {
                    self.update_list(|list, lay_out| list.go_to_item(to, lay_out));
                }
            }
            InspectionEffect::OtherView => {
                self.list.set_count(self.inspection.pages().len());
                self.list.go_to_top();
            }
            InspectionEffect::GoTo(to) => {
                self.update_list(|list, lay_out| list.go_to_item(to, lay_out))
            }
            InspectionEffect::Say(text) => effects.extend(say_notice(text)),
            InspectionEffect::Fail(why) => effects.extend(say_error(why)),
            InspectionEffect::Preview => effects.extend(self.start_preview()),
            InspectionEffect::KeepDraft(draft) => effects.push(Effect::Do(Command::Draft(draft))),
            InspectionEffect::Send(sent, command) => {
                effects.push(Effect::Sent(sent));
                effects.extend(self.lock.give_command(command, Message::Lock));
            }
            InspectionEffect::Leave => effects.push(Effect::Leave),
        }
    }

    fn start_preview(&self) -> Option<Effect> {
        let step = self.inspection.step()?.step();
        let preview = preview_step(&self.session, step, Message::Previewed);
        Some(Effect::Start(preview))
    }

    /// Edits the prompt that asked for this, shown on it.
    fn edit_prompt(&self) -> Vec<Effect> {
        match &self.prompt {
            Some((name, asked)) => {
                let at = PromptAt {
                    session: self.session.clone(),
                    asked: asked.clone(),
                };
                PromptEditor::show_editor(name.clone(), Some(at), EditorMode::Reading)
            }
            None => Prompts::show_prompts(None),
        }
    }

    /// Opens memory at the entry or guardrail under the cursor, or at the first one that is shown here.
    fn open_memory(&self) -> Vec<Effect> {
        let pages = self.inspection.pages();
        match pages.memory_entry(self.list.cursor()) {
            Some(entry) => {
                let view = pages.current_view();
                Memory::show_namespace(view.and_then(|view| view.origins.namespace()), Some(entry))
            }
            None => say_notice("nothing from memory is shown here"),
        }
    }

    fn edit_message(&mut self) -> Vec<Effect> {
        let editable = self.inspection.editable_message(self.list.cursor());
        let (message, text) = match editable {
            Ok(found) => found,
            Err(why) => return say_notice(why),
        };
        match Editor::from_text(&text) {
            Ok(editor) => {
                self.editing = Some(MessageEditor { message, editor });
                Vec::new()
            }
            Err(why) => say_error(why.to_string()),
        }
    }

    /// Keeps the draft, and reports an edit whose effect is not plain to see.
    fn save_edit(&mut self, edited: Edited) -> Vec<Effect> {
        let editing = self.editing.as_ref().filter(|_| edited.has_changed());
        let effect = editing.and_then(|MessageEditor { message, editor }| {
            self.inspection.keep_message_draft(*message, &editor.text())
        });
        let mut effects = self.perform_effects(effect.into_iter().collect());
        effects.extend(warn_if_full(edited));
        effects
    }

    /// Takes another text for a message.
    fn take_text(&mut self, message: usize, text: String) -> Vec<Effect> {
        self.editing = None;
        let effects = (self.inspection).take_text(self.list.cursor(), message, text);
        self.perform_effects(effects)
    }
}

/// Result of a task of this screen.
pub enum Message {
    /// The request of the open step.
    Previewed(Result<Box<Preview>, WorkspaceError>),
    /// The labels of prompts' texts.
    Labels(KeptPrompts),
    DraftFound(Draft),
    /// The open step's command was given, or its fork made.
    Lock(LockMessage),
    /// A message came back from the person's own editor.
    Edited(usize, Result<String, EditError>),
}

impl Update for Inspector {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        let effects = match message {
            Message::Previewed(result) => self.inspection.take_preview(result),
            Message::DraftFound(draft) => self.inspection.take_draft(&draft),
            Message::Labels(kept) => {
                self.inspection.label_prompts(&kept);
                Vec::new()
            }
            Message::Lock(message) => return self.lock.update(message),
            Message::Edited(message, Ok(text)) => return self.take_text(message, text),
            Message::Edited(_, Err(why)) => {
                self.editing = None;
                return say_error(why);
            }
        };
        self.perform_effects(effects)
    }
}

impl Screen for Inspector {
    fn key_context(&self) -> Context {
        Context::Inspector
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let Some(step) = self.inspection.step() else {
            return vec![Effect::Start(tasks::read_labels())];
        };
        let draft = Task::find_draft(step.draft_place(), Message::DraftFound);
        let preview = self.start_preview().into_iter();
        preview.chain([Effect::Start(draft)]).collect()
    }

    fn is_typing(&self) -> bool {
        self.editing.is_some()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        let inspection = &mut self.inspection;
        let answer = match action {
            Action::StepTurn => AnswerKey::Send,
            Action::Back => AnswerKey::Back,
            Action::Undo => AnswerKey::Undo,
            _ => AnswerKey::Other,
        };
        if let Some(effects) = inspection.answer_question(answer) {
            return self.perform_effects(effects);
        }
        let cursor = self.list.cursor();
        let effects = match action {
            Action::Back => inspection.leave(),
            Action::NextTurn => inspection.go_to_message(cursor, 1),
            Action::PreviousTurn => inspection.go_to_message(cursor, -1),
            Action::Left | Action::FocusPrevious => inspection.turn_page(-1),
            Action::Right | Action::FocusNext => inspection.turn_page(1),
            Action::Difference => inspection.toggle_differences(cursor),
            Action::Undo => inspection.restore_message(cursor),
            Action::StepTurn => inspection.send_messages(),
            Action::Copy => match inspection.pages().item_text(cursor) {
                Some(text) => return copy_text(Some(text)),
                None => return say_notice("there is nothing to copy here"),
            },
            Action::Pager => return show_in_pager(Some(inspection.whole_text())),
            Action::Private => {
                inspection.toggle_private();
                self.list.forget_lines();
                Vec::new()
            }
            Action::Memory => return self.open_memory(),
            Action::Prompts => return self.edit_prompt(),
            Action::Edit => return self.edit_message(),
            Action::EditOutside => match inspection.editable_message(cursor) {
                Ok((message, text)) => return vec![edit_message_outside(message, text)],
                Err(why) => return say_notice(why),
            },
            action => {
                self.update_list(|list, lay_out| _ = list.handle_action(action, lay_out));
                Vec::new()
            }
        };
        self.perform_effects(effects)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(MessageEditor { message, editor }) = &mut self.editing else {
            return Vec::new();
        };
        let message = *message;
        match WritingKey::from(key) {
            WritingKey::Leave => {
                let effects = self.inspection.editor_left(message, &editor.text());
                self.editing = None;
                self.perform_effects(effects)
            }
            WritingKey::Done => {
                let text = editor.text();
                self.take_text(message, text)
            }
            WritingKey::Outside => vec![edit_message_outside(message, editor.text())],
            WritingKey::Text => {
                let edit = editor.handle_key(key);
                self.save_edit(edit)
            }
        }
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        let Some(MessageEditor { editor, .. }) = &mut self.editing else {
            let text = format!(
                "nothing is typed here: {} edits the message under the cursor",
                inspector_key(Action::Edit)
            );
            return say_notice(text);
        };
        let edit = editor.paste_text(&paste.text);
        let mut effects = self.save_edit(edit);
        effects.extend(warn_if_cut(paste));
        effects
    }

    fn handle_broadcast(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Live(session, event) if *session == self.session => {
                let effects = self.inspection.on_event(event);
                self.perform_effects(effects)
            }
            Broadcast::Live(..) | Broadcast::Run(_) | Broadcast::Annotator(..) => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_inspector(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        self.inspection.describe_status()
    }

    fn list_hints(&self) -> Vec<Action> {
        if self.is_typing() {
            return Vec::new();
        }
        let mut hints = Vec::new();
        let pages = self.inspection.pages();
        if self.inspection.can_send().is_ok() {
            hints.extend([Action::StepTurn, Action::Edit]);
        }
        if pages.change_count() > 0 {
            hints.extend([Action::Difference, Action::Undo]);
        }
        if pages.view_count() > 1 {
            hints.push(Action::Right);
        }
        hints.extend([
            Action::Down,
            Action::NextTurn,
            Action::Copy,
            Action::Pager,
            Action::Back,
        ]);
        hints
    }

    fn describe_open_work(&self) -> Option<String> {
        let changes = self.inspection.pages().change_count();
        (changes > 0).then(|| "messages that were changed and not sent".to_owned())
    }
}
