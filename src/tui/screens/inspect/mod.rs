//! What a seat was shown, or would be shown: the exact messages, every part with where it comes
//! from. The messages of an open step can be changed for this call.
//!
//! | file | what it is |
//! |---|---|
//! | `sheet` | one view with the facts of its call |
//! | `made_with` | the version of the prompt that an attempt was asked for with |
//! | `origin` | where a part comes from, as it is shown |
//! | `message` | messages with a person's changes |
//! | `acts` | what each action does |
//! | `paint` | drawing |

mod acts;
mod made_with;
mod message;
mod origin;
mod paint;
mod sheet;

use super::hold::{Hand, Hold};
use crate::debate::step::{Slot, Step, StepId, Target};
use crate::debate::view::Part;
use crate::debate::{AttemptId, JudgingId, SessionId, State};
use crate::driver::live::{Preview, Tiding};
use crate::driver::prompt_desk::{AskedFor, PromptName, asked_by};
use crate::tui::app::{Brush, Deed, Effect, PromptDeed, PromptTold, Screen, Ticket, Told};
use crate::tui::input::{Code, Key, Paste};
use crate::tui::keep::Draft;
use crate::tui::keys::{Action, Context};
use crate::tui::parts::Editor;
use crate::tui::parts::above_status;
use crate::tui::parts::differ::Marking;
use crate::tui::parts::roll::Roll;
use crate::tui::parts::secret::Content;
use crate::tui::theme::Role;
pub(in crate::tui::screens) use origin::Origins;
pub(in crate::tui::screens) use paint::{role_word, tagged};
pub(in crate::tui::screens) use sheet::tokens;

use message::Messages;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use sheet::Sheet;

/// The inspector.
pub struct Inspector {
    session: SessionId,
    /// The prompt that asked for what is shown, and for what.
    prompt: Option<(PromptName, AskedFor)>,
    sheets: Vec<Sheet>,
    at: usize,
    open: Option<OpenStep>,
    items: Vec<Item>,
    roll: Roll,
    mode: Mode,
    /// Differences to the original instead of parts.
    difference: bool,
    /// Private reasoning is shown.
    private: bool,
    content: Content,
    /// How differences were marked when it was drawn last.
    marking: Marking,
    tickets: u64,
}

/// An open step whose messages can be changed and sent.
struct OpenStep {
    step: Step,
    hand: Hand,
    standing: Standing,
    /// Changes of an earlier time that came before the messages did.
    draft: Option<String>,
}

/// How an open step stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    /// What it would send is being worked out.
    Asked,
    Ready,
    /// The debate went on after the messages were changed.
    Stale,
    /// Its call was sent.
    Sent,
    /// It shows nobody anything, or is not open any more.
    Gone(String),
}

/// What keys do.
enum Mode {
    Reading,
    Editing {
        message: usize,
        editor: Box<Editor>,
    },
    /// The message is in the person's own editor.
    Outside {
        message: usize,
        ticket: Ticket,
    },
    Asking(Question),
}

/// What was asked and not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Changed messages are about to be sent.
    Send,
    /// Changes would be left behind.
    Leave,
}

/// One thing on the page.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    Part {
        message: usize,
        /// It is the first of its message and carries its heading.
        first: bool,
        part: Part,
    },
    /// A message with its differences to the original.
    Changed { message: usize },
    /// Sampling, schema and hash.
    Request,
    /// Why there is nothing.
    Nothing,
}

impl Inspector {
    /// What was shown for an attempt; the turn's other attempts are beside it.
    pub fn of_attempt(session: &SessionId, state: &State, attempt: &AttemptId) -> Self {
        let sheets = sheet::of_turn(state, &attempt.turn);
        let at = usize::try_from(attempt.attempt).unwrap_or(0);
        let asked = AskedFor::Turn(attempt.turn.clone());
        Self {
            prompt: asked_by(state, asked),
            ..Self::of(session, sheets, at, None)
        }
    }

    /// Shows what was shown for an attempt, with the labels of its prompt as soon as they are read.
    pub fn show_attempt(session: &SessionId, state: &State, attempt: &AttemptId) -> Vec<Effect> {
        let inspector = Self::of_attempt(session, state, attempt);
        vec![
            Effect::Show(Box::new(inspector)),
            Effect::Do(Deed::Prompt(PromptDeed::Labels)),
        ]
    }

    /// What was shown for a verdict; those of other judges and earlier tries are beside it.
    pub fn of_verdict(
        session: &SessionId,
        state: &State,
        judging: &JudgingId,
        target: &Target,
        slot: Option<Slot>,
    ) -> Self {
        let (sheets, at) = sheet::of_verdicts(state, judging, target, slot);
        let asked = AskedFor::Verdict {
            judging: judging.clone(),
            target: target.clone(),
        };
        Self {
            prompt: asked_by(state, asked),
            ..Self::of(session, sheets, at, None)
        }
    }

    /// What was shown for the lesson.
    pub fn of_lesson(session: &SessionId, state: &State) -> Self {
        Self {
            prompt: asked_by(state, AskedFor::Lesson),
            ..Self::of(session, sheet::of_lesson(state), 0, None)
        }
    }

    /// What an open step would show; the screen asks for it itself.
    pub fn of_step(
        session: &SessionId,
        state: &State,
        step: Step,
        hold: Hold,
    ) -> (Self, Vec<Effect>) {
        let (title, reader) = sheet::of_step_title(state, &step);
        let sheet = Sheet {
            title,
            origins: origin::Origins::of(state, reader),
            nothing: Some("working out what would be sent".to_owned()),
            ..Sheet::default()
        };
        let effects = vec![
            Effect::Do(Deed::Preview(session.clone(), Box::new(step.clone()))),
            Effect::Do(Deed::FindDraft(draft_place(session, &step.id()))),
        ];
        let open = OpenStep {
            step,
            hand: Hand::on(session.clone(), hold),
            standing: Standing::Asked,
            draft: None,
        };
        (Self::of(session, vec![sheet], 0, Some(open)), effects)
    }

    fn of(session: &SessionId, sheets: Vec<Sheet>, at: usize, open: Option<OpenStep>) -> Self {
        let mut inspector = Self {
            session: session.clone(),
            prompt: None,
            at: at.min(sheets.len().saturating_sub(1)),
            sheets,
            open,
            items: Vec::new(),
            roll: Roll::default(),
            mode: Mode::Reading,
            difference: false,
            private: false,
            content: Content::Shown,
            marking: Marking::Look,
            tickets: 0,
        };
        inspector.rebuild();
        inspector
    }

    fn sheet(&self) -> Option<&Sheet> {
        self.sheets.get(self.at)
    }

    fn messages(&self) -> Option<&Messages> {
        self.sheet().map(|sheet| &sheet.messages)
    }

    fn changes(&self) -> usize {
        self.messages().map_or(0, Messages::changes)
    }

    /// Makes the items anew.
    fn rebuild(&mut self) {
        self.items.clear();
        if let Some(sheet) = self.sheets.get(self.at) {
            for message in 0..sheet.messages.len() {
                if self.difference && sheet.messages.is_changed(message) {
                    self.items.push(Item::Changed { message });
                    continue;
                }
                let parts = sheet.messages.parts(message).into_iter();
                self.items
                    .extend(parts.enumerate().map(|(at, part)| Item::Part {
                        message,
                        first: at == 0,
                        part,
                    }));
            }
            if sheet.nothing.is_some() {
                self.items.push(Item::Nothing);
            }
            if !sheet.request.is_empty() {
                self.items.push(Item::Request);
            }
        } else {
            self.items.push(Item::Nothing);
        }
        self.roll.set_count(self.items.len());
    }

    /// Returns the message under the cursor.
    fn message(&self) -> Option<usize> {
        match self.items.get(self.roll.cursor())? {
            Item::Part { message, .. } | Item::Changed { message } => Some(*message),
            Item::Request | Item::Nothing => None,
        }
    }

    fn previewed(&mut self, result: &Result<std::sync::Arc<Preview>, String>) -> Vec<Effect> {
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
                sheet::fill(sheet, preview);
                if sheet.to_model {
                    sheet.messages.take_draft(&kept);
                    if let Some(draft) = open.draft.take()
                        && sheet.messages.take_draft(&draft)
                    {
                        let text = "your unsent changes of an earlier time are here again";
                        effects.push(Effect::Say(Role::Notice, text.to_owned()));
                    }
                }
                open.standing = Standing::Ready;
            }
            Err(why) => {
                sheet.nothing = Some(why.clone());
                open.standing = Standing::Gone(why.clone());
            }
        }
        self.rebuild();
        effects
    }

    fn live(&mut self, tiding: &Tiding) -> Vec<Effect> {
        let changes = self.changes();
        let Some(open) = &mut self.open else {
            return Vec::new();
        };
        match tiding {
            Tiding::Happened(_) if open.standing == Standing::Sent => Vec::new(),
            // What was changed stays as it was read: a person decides.
            Tiding::Happened(_) if changes > 0 => {
                open.standing = Standing::Stale;
                Vec::new()
            }
            Tiding::Happened(_) => vec![Effect::Do(Deed::Preview(
                self.session.clone(),
                Box::new(open.step.clone()),
            ))],
            Tiding::Began { step } if *step == open.step.id() => {
                open.standing = Standing::Sent;
                Vec::new()
            }
            Tiding::Refused { why, .. } => vec![Effect::Say(Role::Error, why.clone())],
            Tiding::Began { .. }
            | Tiding::Delta { .. }
            | Tiding::WasThinking { .. }
            | Tiding::Void { .. }
            | Tiding::Ended { .. }
            | Tiding::Asks(..)
            | Tiding::Rests(_)
            | Tiding::Mended(_)
            | Tiding::Noticed(_)
            | Tiding::Broke(_) => Vec::new(),
        }
    }

    /// Keeps the changes, or drops what was kept where there are none.
    fn keep_draft(&self) -> Vec<Effect> {
        let (Some(open), Some(messages)) = (&self.open, self.messages()) else {
            return Vec::new();
        };
        vec![Effect::Do(Deed::Draft(Draft {
            place: draft_place(&self.session, &open.step.id()),
            text: messages.draft(),
        }))]
    }
}

/// Returns where the changes to a step's messages are kept.
pub fn draft_place(session: &SessionId, step: &StepId) -> String {
    format!("{session} send {step}")
}

impl Screen for Inspector {
    fn context(&self) -> Context {
        Context::Inspector
    }

    fn is_typing(&self) -> bool {
        matches!(self.mode, Mode::Editing { .. })
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.on(action)
    }

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        let Mode::Editing { message, editor } = &mut self.mode else {
            return Vec::new();
        };
        let message = *message;
        if key.code == Code::Esc {
            let unused = self
                .sheets
                .get(self.at)
                .is_some_and(|sheet| sheet.messages.text(message) != editor.text());
            self.mode = Mode::Reading;
            let text = "left as it was: Ctrl-D in the editor uses the text";
            let said = unused.then(|| Effect::Say(Role::Notice, text.to_owned()));
            let mut effects = self.keep_draft();
            effects.extend(said);
            return effects;
        }
        if key == Key::ctrl('d') {
            let text = editor.text();
            self.mode = Mode::Reading;
            return self.changed(message, text);
        }
        if key == Key::ctrl('e') {
            let text = editor.text();
            return self.outside(message, text);
        }
        let edited = editor.key(key);
        self.after_edit(edited)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        let Mode::Editing { editor, .. } = &mut self.mode else {
            let text = format!(
                "nothing is typed here: {} edits the message under the cursor",
                acts::key(Action::Edit)
            );
            return vec![Effect::Say(Role::Notice, text)];
        };
        let edited = editor.paste(&paste.text);
        let mut effects = self.after_edit(edited);
        if paste.dropped_bytes > 0 {
            let text = format!("{} bytes of the paste were left out", paste.dropped_bytes);
            effects.push(Effect::Say(Role::Warning, text));
        }
        effects
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        let mut effects = match &mut self.open {
            Some(open) => open.hand.told(told),
            None => Vec::new(),
        };
        effects.extend(match told {
            Told::Previewed(session, step, result) if self.is_of(session, step) => {
                self.previewed(result)
            }
            Told::Live(session, tiding) if *session == self.session => self.live(tiding),
            Told::Prompt(PromptTold::Labels(Ok(kept))) => {
                for sheet in &mut self.sheets {
                    made_with::label(sheet, kept);
                }
                Vec::new()
            }
            Told::DraftFound(draft) => self.found(draft),
            Told::Edited(ticket, result) => self.edited_outside(*ticket, result),
            other => super::said::said(other),
        });
        effects
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        let changes = match self.changes() {
            0 => String::new(),
            1 => ", 1 message changed".to_owned(),
            many => format!(", {many} messages changed"),
        };
        match self.open.as_ref().map(|open| &open.standing) {
            None => "inspector: as it was sent".to_owned(),
            Some(Standing::Asked) => "inspector: working out what would be sent".to_owned(),
            Some(Standing::Ready) => format!("inspector: not sent yet{changes}"),
            Some(Standing::Stale) => format!("inspector: the debate went on{changes}"),
            Some(Standing::Sent) => "inspector: sent".to_owned(),
            Some(Standing::Gone(_)) => "inspector: nothing to send".to_owned(),
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

impl Inspector {
    fn is_of(&self, session: &SessionId, step: &StepId) -> bool {
        let open = self.open.as_ref();
        *session == self.session && open.is_some_and(|open| open.step.id() == *step)
    }
}
