//! Inspector: the exact messages a seat was or would be shown, every part with its origin. The
//! messages of an open step can be changed for this call.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `tasks` | what is read in the background |
//! | `view` | drawing |

mod actions;
mod tasks;
mod view;

pub(crate) use view::tagged;

use super::session_lock::{Hold, LockControl, LockMessage};
use crate::debate::step::{Step, StepId, Target, VerdictSlot};
use crate::debate::view::ViewPart;
use crate::debate::{AttemptId, JudgingId, SessionId, State};
use crate::engine::live::{CallProgress, LiveEvent, LiveGroup, Preview};
use crate::terminal::Paste;
use crate::tui::app::{Broadcast, Command, DrawContext, Effect, Screen, Task, Update, fail, say};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::WritingKey;
use crate::tui::screens::writing::cut_off;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, Editor, Marking, ScrollList};
use crate::workspace::Draft;
use crate::workspace::prompts::{AskedFor, KeptPrompts, PromptName, asked_by};
use crate::workspace::seat_view::{self, Messages, SeatView, ViewOptions};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// The inspector.
pub struct Inspector {
    session: SessionId,
    /// The prompt that asked for what is shown, and for what.
    prompt: Option<(PromptName, AskedFor)>,
    sheets: Vec<SeatView>,
    at: usize,
    open: Option<OpenStep>,
    items: Vec<InspectorItem>,
    roll: ScrollList,
    mode: Mode,
    /// Differences to the original instead of parts.
    difference: bool,
    show: ViewOptions,
    /// Marking of differences when it was drawn last.
    marking: Marking,
}

/// An open step whose messages can be changed and sent.
struct OpenStep {
    step: Step,
    lock: LockControl,
    standing: StepStatus,
    /// Changes of an earlier time that came before the messages did.
    draft: Option<String>,
}

/// State of an open step.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StepStatus {
    /// The request is being worked out.
    Asked,
    Ready,
    /// The debate went on after the messages were changed.
    Stale,
    /// Its call was sent.
    Sent,
    /// It shows no model anything, or is not open any more.
    Gone(String),
}

/// Mode of the keys.
enum Mode {
    Reading,
    Editing { message: usize, editor: Box<Editor> },
    Asking(PendingQuestion),
}

/// Question that is not answered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingQuestion {
    /// Changed messages are about to be sent.
    Send,
    /// Changes would be left behind.
    Leave,
}

/// One thing on the page.
#[derive(Debug, Clone, PartialEq)]
enum InspectorItem {
    Part {
        message: usize,
        /// It is the first of its message and carries its heading.
        first: bool,
        part: ViewPart,
    },
    /// A message with its differences to the original.
    Changed { message: usize },
    /// Sampling, schema and hash.
    Request,
    /// Message where there is nothing.
    Nothing,
}

impl Inspector {
    /// Inspector of an attempt, next to the turn's other attempts.
    pub fn of_attempt(session: &SessionId, state: &State, attempt: &AttemptId) -> Self {
        let sheets = seat_view::views_of_turn(state, &attempt.turn);
        let at = usize::try_from(attempt.attempt).unwrap_or(0);
        let asked = AskedFor::Turn(attempt.turn.clone());
        Self {
            prompt: asked_by(state, asked),
            ..Self::of(session, sheets, at, None)
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
        let (sheets, at) = seat_view::views_of_verdicts(state, judging, target, slot);
        let asked = AskedFor::Verdict {
            judging: judging.clone(),
            target: target.clone(),
        };
        Self {
            prompt: asked_by(state, asked),
            ..Self::of(session, sheets, at, None)
        }
    }

    /// Inspector of an open step.
    pub fn of_step(session: &SessionId, state: &State, step: Step, hold: Hold) -> Self {
        let sheet = seat_view::view_of_step(state, &step);
        let open = OpenStep {
            step,
            lock: LockControl::on(session.clone(), hold),
            standing: StepStatus::Asked,
            draft: None,
        };
        Self::of(session, vec![sheet], 0, Some(open))
    }

    fn of(session: &SessionId, sheets: Vec<SeatView>, at: usize, open: Option<OpenStep>) -> Self {
        let mut inspector = Self {
            session: session.clone(),
            prompt: None,
            at: at.min(sheets.len().saturating_sub(1)),
            sheets,
            open,
            items: Vec::new(),
            roll: ScrollList::default(),
            mode: Mode::Reading,
            difference: false,
            show: ViewOptions {
                content: Content::Shown,
                private: false,
            },
            marking: Marking::Look,
        };
        inspector.rebuild();
        inspector
    }

    fn sheet(&self) -> Option<&SeatView> {
        self.sheets.get(self.at)
    }

    fn messages(&self) -> Option<&Messages> {
        self.sheet().map(|sheet| &sheet.messages)
    }

    fn changes(&self) -> usize {
        self.messages().map_or(0, Messages::changes)
    }

    /// Rebuilds the items.
    fn rebuild(&mut self) {
        self.items.clear();
        if let Some(sheet) = self.sheets.get(self.at) {
            for message in 0..sheet.messages.len() {
                if self.difference && sheet.messages.is_changed(message) {
                    self.items.push(InspectorItem::Changed { message });
                    continue;
                }
                let parts = sheet.messages.parts(message).into_iter();
                self.items
                    .extend(parts.enumerate().map(|(at, part)| InspectorItem::Part {
                        message,
                        first: at == 0,
                        part,
                    }));
            }
            if sheet.nothing.is_some() {
                self.items.push(InspectorItem::Nothing);
            }
            if !sheet.request.is_empty() {
                self.items.push(InspectorItem::Request);
            }
        } else {
            self.items.push(InspectorItem::Nothing);
        }
        self.roll.set_count(self.items.len());
    }

    /// Returns the message under the cursor.
    fn message(&self) -> Option<usize> {
        match self.items.get(self.roll.cursor())? {
            InspectorItem::Part { message, .. } | InspectorItem::Changed { message } => {
                Some(*message)
            }
            InspectorItem::Request | InspectorItem::Nothing => None,
        }
    }

    fn previewed(&mut self, result: Result<Box<Preview>, String>) -> Vec<Effect> {
        let Some(open) = &mut self.open else {
            return Vec::new();
        };
        let Some(sheet) = self.sheets.get_mut(self.at) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        match result {
            Ok(preview) => {
                let kept = sheet.messages.draft();
                preview.fill(sheet);
                if sheet.to_model {
                    sheet.messages.take_draft(&kept);
                    if let Some(draft) = open.draft.take()
                        && sheet.messages.take_draft(&draft)
                    {
                        let text = "your unsent changes of an earlier time are here again";
                        effects.push(Effect::Say(Role::Notice, text.to_owned()));
                    }
                }
                open.standing = StepStatus::Ready;
            }
            Err(why) => {
                sheet.nothing = Some(why.clone());
                open.standing = StepStatus::Gone(why);
            }
        }
        self.rebuild();
        effects
    }

    fn live(&mut self, update: &LiveEvent) -> Vec<Effect> {
        let changes = self.changes();
        let Some(open) = &mut self.open else {
            return Vec::new();
        };
        match update.group() {
            LiveGroup::Record(_) if open.standing == StepStatus::Sent => Vec::new(),
            // What was changed stays as it was read: a person decides.
            LiveGroup::Record(_) if changes > 0 => {
                open.standing = StepStatus::Stale;
                Vec::new()
            }
            LiveGroup::Record(_) => {
                vec![Effect::Start(tasks::preview(&self.session, &open.step))]
            }
            LiveGroup::Call(step, CallProgress::Began) if *step == open.step.id() => {
                open.standing = StepStatus::Sent;
                Vec::new()
            }
            LiveGroup::Refused { why, .. } => fail(why),
            LiveGroup::Call(..)
            | LiveGroup::Seat(_)
            | LiveGroup::Rest(_)
            | LiveGroup::Notice
            | LiveGroup::Broke(_) => Vec::new(),
        }
    }

    /// Keeps the changes, or drops what was kept where there are none.
    fn keep_draft(&self) -> Vec<Effect> {
        let (Some(open), Some(messages)) = (&self.open, self.messages()) else {
            return Vec::new();
        };
        vec![Effect::Do(Command::Draft(Draft {
            place: draft_place(&self.session, &open.step.id()),
            text: messages.draft(),
        }))]
    }
}

/// Returns where the changes to a step's messages are kept.
pub fn draft_place(session: &SessionId, step: &StepId) -> String {
    format!("{session} send {step}")
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
        match message {
            Message::Previewed(result) => self.previewed(result),
            Message::Labels(kept) => {
                for sheet in &mut self.sheets {
                    sheet.label_prompt(&kept);
                }
                Vec::new()
            }
            Message::DraftFound(draft) => self.found(&draft),
            Message::Lock(message) => match &mut self.open {
                Some(open) => open.lock.update(message),
                None => Vec::new(),
            },
            Message::Edited(message, text) => self.edited_outside(message, text),
        }
    }
}

impl Screen for Inspector {
    fn context(&self) -> Context {
        Context::Inspector
    }

    fn opened(&mut self) -> Vec<Effect> {
        let Some(open) = &self.open else {
            return vec![Effect::Start(tasks::read_labels())];
        };
        let place = draft_place(&self.session, &open.step.id());
        vec![
            Effect::Start(tasks::preview(&self.session, &open.step)),
            Effect::Start(Task::find_draft(place, Message::DraftFound)),
        ]
    }

    fn is_typing(&self) -> bool {
        matches!(self.mode, Mode::Editing { .. })
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.on(action)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Mode::Editing { message, editor } = &mut self.mode else {
            return Vec::new();
        };
        let message = *message;
        match WritingKey::from(key) {
            WritingKey::Leave => {
                let sheet = self.sheets.get(self.at);
                let unused =
                    sheet.is_some_and(|sheet| sheet.messages.text(message) != editor.text());
                self.mode = Mode::Reading;
                let mut effects = self.keep_draft();
                if unused {
                    effects.extend(say("left as it was: Ctrl-D in the editor uses the text"));
                }
                return effects;
            }
            WritingKey::Done => {
                let text = editor.text();
                self.mode = Mode::Reading;
                return self.changed(message, text);
            }
            WritingKey::Outside => return vec![actions::outside(message, editor.text())],
            WritingKey::Text => {}
        }
        let edited = editor.key(key);
        self.after_edit(edited)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        let Mode::Editing { editor, .. } = &mut self.mode else {
            let text = format!(
                "nothing is typed here: {} edits the message under the cursor",
                actions::key(Action::Edit)
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
            Broadcast::Live(session, update) if *session == self.session => self.live(update),
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
        let changes = match self.changes() {
            0 => String::new(),
            1 => ", 1 message changed".to_owned(),
            many => format!(", {many} messages changed"),
        };
        match self.open.as_ref().map(|open| &open.standing) {
            None if self.sheet().is_some_and(|sheet| sheet.to_person) => {
                "inspector: shown to a person, nothing was sent".to_owned()
            }
            None => "inspector: as it was sent".to_owned(),
            Some(StepStatus::Asked) => "inspector: working out what would be sent".to_owned(),
            Some(StepStatus::Ready) => format!("inspector: not sent yet{changes}"),
            Some(StepStatus::Stale) => format!("inspector: the debate went on{changes}"),
            Some(StepStatus::Sent) => "inspector: sent".to_owned(),
            Some(StepStatus::Gone(_)) => "inspector: nothing to send".to_owned(),
        }
    }

    fn hints(&self) -> Vec<Action> {
        if self.is_typing() {
            return Vec::new();
        }
        let mut hints = Vec::new();
        if self.can_send().is_ok() {
            hints.extend([Action::StepTurn, Action::Edit]);
        }
        if self.changes() > 0 {
            hints.extend([Action::Difference, Action::Undo]);
        }
        if self.sheets.len() > 1 {
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
        (self.changes() > 0).then(|| "messages that were changed and not sent".to_owned())
    }
}
