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
use super::prompt_editor::{Begin, PromptEditor};
use super::prompt_list::Prompts;
use crate::tui::app::{
    Broadcast, Command, DrawContext, Effect, Screen, Task, Update, copy, fail, say, show_in_pager,
};
use crate::tui::components::session_lock::{Hold, LockControl, LockMessage};
use crate::tui::components::writing::{cut_off, full};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::WritingKey;
use crate::tui::widgets::{Edited, Editor, Marking, ScrollList};
use elenchus_game::debate::step::{Step, Target, VerdictSlot};
use elenchus_game::debate::{AttemptId, JudgingId, SessionId, State};
use elenchus_records::workspace::Draft;
use elenchus_records::workspace::prompts::{AskedFor, KeptPrompts, PromptAt, PromptName, asked_by};
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
    roll: ScrollList,
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
fn key(action: Action) -> char {
    key_for(Context::Inspector, action)
}

/// Gives a message to the person's own editor.
fn outside(message: usize, text: String) -> Effect {
    Effect::edit_outside(text, move |text| Message::Edited(message, text))
}

impl Inspector {
    /// Inspector of an attempt, next to the turn's other attempts.
    pub fn of_attempt(session: &SessionId, state: &State, attempt: &AttemptId) -> Self {
        let views = seat_view::views_of_turn(state, &attempt.turn);
        let at = usize::try_from(attempt.attempt).unwrap_or(0);
        let asked = AskedFor::Turn(attempt.turn.clone());
        Self {
            prompt: asked_by(state, asked),
            ..Self::of(session, ViewPages::new(views, at), None, Hold::Lockable)
        }
    }

    /// Inspector of a verdict, next to those of other judges and earlier tries.
    pub fn of_verdict(
        session: &SessionId,
        state: &State,
        judging: &JudgingId,
        target: &Target,
        slot: Option<VerdictSlot>,
    ) -> Self {
        let (views, at) = seat_view::views_of_verdicts(state, judging, target, slot);
        let asked = AskedFor::Verdict {
            judging: judging.clone(),
            target: target.clone(),
        };
        Self {
            prompt: asked_by(state, asked),
            ..Self::of(session, ViewPages::new(views, at), None, Hold::Lockable)
        }
    }

    /// Inspector of an open step.
    pub fn of_step(session: &SessionId, state: &State, step: Step, hold: Hold) -> Self {
        let view = seat_view::view_of_step(state, &step);
        let step = StepToSend::new(session.clone(), step);
        Self::of(session, ViewPages::new(vec![view], 0), Some(step), hold)
    }

    fn of(session: &SessionId, pages: ViewPages, step: Option<StepToSend>, hold: Hold) -> Self {
        let mut roll = ScrollList::default();
        roll.set_count(pages.len());
        let keys = InspectionKeys {
            edit: key(Action::Edit),
            difference: key(Action::Difference),
            send: key(Action::StepTurn),
            undo: key(Action::Undo),
            back: key(Action::Back),
            mask: key(Action::Mask),
            ask_again: key_for(Context::Debate, Action::Reroll),
        };
        Self {
            session: session.clone(),
            prompt: None,
            inspection: Inspection::new(pages, step, keys),
            lock: LockControl::on(session.clone(), hold),
            roll,
            editing: None,
            marking: Marking::Look,
        }
    }

    /// Performs what the inspection wants done, in its order.
    fn perform(&mut self, wanted: Vec<InspectionEffect>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for one in wanted {
            self.perform_one(one, &mut effects);
        }
        effects
    }

    fn perform_one(&mut self, wanted: InspectionEffect, effects: &mut Vec<Effect>) {
        match wanted {
            InspectionEffect::ItemsChanged(to) => {
                self.roll.set_count(self.inspection.pages().len());
                if let Some(to) = to {
                    self.moved(|roll, lay_out| roll.go(to, lay_out));
                }
            }
            InspectionEffect::OtherView => {
                self.roll.set_count(self.inspection.pages().len());
                self.roll.go_to_top();
            }
            InspectionEffect::GoTo(to) => self.moved(|roll, lay_out| roll.go(to, lay_out)),
            InspectionEffect::Say(text) => effects.extend(say(text)),
            InspectionEffect::Fail(why) => effects.extend(fail(why)),
            InspectionEffect::Preview => effects.extend(self.preview()),
            InspectionEffect::KeepDraft(draft) => effects.push(Effect::Do(Command::Draft(draft))),
            InspectionEffect::Send(sent, command) => {
                effects.push(Effect::Sent(sent));
                effects.extend(self.lock.give(command, Message::Lock));
            }
            InspectionEffect::Leave => effects.push(Effect::Leave),
        }
    }

    fn preview(&self) -> Option<Effect> {
        let step = self.inspection.step()?.step();
        Some(Effect::Start(tasks::preview(&self.session, step)))
    }

    /// Edits the prompt that asked for this, shown on it.
    fn edit_prompt(&self) -> Vec<Effect> {
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

    /// Opens memory at the entry or guardrail under the cursor, or at the first one that is shown here.
    fn open_memory(&self) -> Vec<Effect> {
        let pages = self.inspection.pages();
        match pages.memory_entry(self.roll.cursor()) {
            Some(entry) => {
                let view = pages.view();
                Memory::show(view.and_then(|view| view.origins.namespace()), Some(entry))
            }
            None => say("nothing from memory is shown here"),
        }
    }

    fn edit(&mut self) -> Vec<Effect> {
        let editable = self.inspection.editable(self.roll.cursor());
        let (message, text) = match editable {
            Ok(found) => found,
            Err(why) => return say(why),
        };
        match Editor::open(&text) {
            Ok(editor) => {
                self.editing = Some(MessageEditor { message, editor });
                Vec::new()
            }
            Err(why) => fail(why.to_string()),
        }
    }

    /// Keeps the draft, and reports an edit whose effect is not plain to see.
    fn after_edit(&mut self, edited: Edited) -> Vec<Effect> {
        let editing = self.editing.as_ref().filter(|_| edited.has_changed());
        let written = editing.and_then(|MessageEditor { message, editor }| {
            self.inspection.written(*message, &editor.text())
        });
        let mut effects = self.perform(written.into_iter().collect());
        effects.extend(full(edited));
        effects
    }

    /// Takes another text for a message.
    fn take_text(&mut self, message: usize, text: String) -> Vec<Effect> {
        self.editing = None;
        let wanted = (self.inspection).take_text(self.roll.cursor(), message, text);
        self.perform(wanted)
    }
}

/// Result of a task of this screen.
pub enum Message {
    /// The request of the open step.
    Previewed(Result<Box<Preview>, String>),
    /// The labels of prompts' texts.
    Labels(KeptPrompts),
    DraftFound(Draft),
    /// The open step's command was given, or its fork made.
    Lock(LockMessage),
    /// A message came back from the person's own editor.
    Edited(usize, Result<String, String>),
}

impl Update for Inspector {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        let wanted = match message {
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
                return fail(why);
            }
        };
        self.perform(wanted)
    }
}

impl Screen for Inspector {
    fn context(&self) -> Context {
        Context::Inspector
    }

    fn opened(&mut self) -> Vec<Effect> {
        let Some(step) = self.inspection.step() else {
            return vec![Effect::Start(tasks::read_labels())];
        };
        let draft = Task::find_draft(step.draft_place(), Message::DraftFound);
        let preview = self.preview().into_iter();
        preview.chain([Effect::Start(draft)]).collect()
    }

    fn is_typing(&self) -> bool {
        self.editing.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let inspection = &mut self.inspection;
        let answer = match action {
            Action::StepTurn => AnswerKey::Send,
            Action::Back => AnswerKey::Back,
            Action::Undo => AnswerKey::Undo,
            _ => AnswerKey::Other,
        };
        if let Some(wanted) = inspection.answer(answer) {
            return self.perform(wanted);
        }
        let cursor = self.roll.cursor();
        let wanted = match action {
            Action::Back => inspection.leave(),
            Action::NextTurn => inspection.beside(cursor, 1),
            Action::PreviousTurn => inspection.beside(cursor, -1),
            Action::Left | Action::FocusPrevious => inspection.turn(-1),
            Action::Right | Action::FocusNext => inspection.turn(1),
            Action::Difference => inspection.toggle_differences(cursor),
            Action::Undo => inspection.restore(cursor),
            Action::StepTurn => inspection.send(),
            Action::Copy => match inspection.pages().text(cursor) {
                Some(text) => return copy(Some(text)),
                None => return say("there is nothing to copy here"),
            },
            Action::Pager => return show_in_pager(Some(inspection.whole_text())),
            Action::Private => {
                inspection.toggle_private();
                self.roll.forget();
                Vec::new()
            }
            Action::Memory => return self.open_memory(),
            Action::Prompts => return self.edit_prompt(),
            Action::Edit => return self.edit(),
            Action::EditOutside => match inspection.editable(cursor) {
                Ok((message, text)) => return vec![outside(message, text)],
                Err(why) => return say(why),
            },
            action => {
                self.moved(|roll, lay_out| _ = roll.act(action, lay_out));
                Vec::new()
            }
        };
        self.perform(wanted)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(MessageEditor { message, editor }) = &mut self.editing else {
            return Vec::new();
        };
        let message = *message;
        match WritingKey::from(key) {
            WritingKey::Leave => {
                let wanted = self.inspection.editor_left(message, &editor.text());
                self.editing = None;
                self.perform(wanted)
            }
            WritingKey::Done => {
                let text = editor.text();
                self.take_text(message, text)
            }
            WritingKey::Outside => vec![outside(message, editor.text())],
            WritingKey::Text => {
                let edited = editor.key(key);
                self.after_edit(edited)
            }
        }
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        let Some(MessageEditor { editor, .. }) = &mut self.editing else {
            let text = format!(
                "nothing is typed here: {} edits the message under the cursor",
                key(Action::Edit)
            );
            return say(text);
        };
        let edited = editor.paste(&paste.text);
        let mut effects = self.after_edit(edited);
        effects.extend(cut_off(paste));
        effects
    }

    fn notice(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Live(session, event) if *session == self.session => {
                let wanted = self.inspection.happened(event);
                self.perform(wanted)
            }
            Broadcast::Live(..) | Broadcast::Run(_) => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        self.inspection.status()
    }

    fn hints(&self) -> Vec<Action> {
        if self.is_typing() {
            return Vec::new();
        }
        let mut hints = Vec::new();
        let pages = self.inspection.pages();
        if self.inspection.can_send().is_ok() {
            hints.extend([Action::StepTurn, Action::Edit]);
        }
        if pages.changes() > 0 {
            hints.extend([Action::Difference, Action::Undo]);
        }
        if pages.views() > 1 {
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

    fn busy(&self) -> Option<String> {
        let changes = self.inspection.pages().changes();
        (changes > 0).then(|| "messages that were changed and not sent".to_owned())
    }
}
