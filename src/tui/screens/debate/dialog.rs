//! Dialogs over the panes: an editor, a question, a choice, each with its purpose.

use super::actions::key;
use super::{Debate, Message};
use crate::debate::step::StepId;
use crate::debate::{AttemptId, JudgingId, Target, TurnId, VerdictSlot};
use crate::engine::live::LiveCommand;
use crate::library::JsonVerdictForm;
use crate::prompt::LabelHint;
use crate::tui::app::Draft;
use crate::tui::app::{Command, Effect, ExportAs, Sent, SentWhat, Task, fail, say, warn};
use crate::tui::keys::Action;
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::ListCursor;
use crate::tui::widgets::{Edited, Editor};
use crate::tui::widgets::{LineInput, Typed};
use crate::workspace::Reopen;
use crate::workspace::annotations::{Annotation, AnnotationTarget};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

/// Dialog over the panes.
pub(super) enum Dialog {
    Write(Box<Writing>),
    Ask(Asking),
    Choose(Choosing),
}

/// A text of several lines.
pub(super) struct Writing {
    pub title: String,
    pub editor: Editor,
    pub purpose: Purpose,
    /// Something was typed.
    pub touched: bool,
    /// The text is a form in place of a reply.
    pub form: Option<JsonVerdictForm>,
}

/// Purpose of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A person's turn, verdict or lesson.
    Answer(StepId),
    /// A verdict in place of one that was given, in a fork.
    AnswerAnew {
        judging: JudgingId,
        target: Target,
        slot: VerdictSlot,
        step: StepId,
    },
    /// Another text for a turn.
    Edit(TurnId),
    /// A note on a turn's chosen attempt, or on the debate.
    Note(Option<AttemptId>),
}

/// A question that one line answers.
pub(super) struct Asking {
    pub question: String,
    pub line: LineInput,
    pub purpose: Question,
}

/// Purpose of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    /// Number of new replies to ask a seat for.
    Reroll(TurnId),
    /// To which file the session is exported.
    Export(ExportAs),
    /// Up to what may be spent, in US dollars: what was held up goes on then.
    Raise,
}

/// One of several things.
pub(super) struct Choosing {
    pub title: String,
    pub rows: ListCursor,
    pub items: Vec<(String, Choice)>,
}

/// Purpose of a choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice {
    /// A verdict by its words.
    Verdict {
        step: StepId,
        says: String,
    },
    /// A verdict given before is replaced, in a fork.
    VerdictAnew {
        judging: JudgingId,
        target: Target,
        slot: VerdictSlot,
        step: StepId,
        says: String,
    },
    /// The verdict in words of one's own.
    VerdictInWords(StepId),
    /// A verdict that is an object: a form with this label in it.
    VerdictInForm {
        purpose: Purpose,
        rubric: String,
        label: LabelHint,
    },
    Export(ExportAs),
}

impl Dialog {
    /// Says whether keys are text.
    pub(super) fn is_typing(&self) -> bool {
        match self {
            Dialog::Write(_) | Dialog::Ask(_) => true,
            Dialog::Choose(_) => false,
        }
    }
}

impl Debate {
    /// Names a text for the drafts that survive a crash.
    fn draft_place(&self, purpose: &Purpose) -> String {
        match purpose {
            Purpose::Answer(step) | Purpose::AnswerAnew { step, .. } => {
                format!("{} {step}", self.id)
            }
            Purpose::Edit(turn) => format!("{} edit {turn}", self.id),
            Purpose::Note(Some(on)) => format!("{} note {on}", self.id),
            Purpose::Note(None) => format!("{} note", self.id),
        }
    }

    /// Opens an editor.
    pub(super) fn write(&mut self, title: String, text: &str, purpose: Purpose) -> Vec<Effect> {
        match Editor::open(text) {
            Ok(editor) => {
                let place = self.draft_place(&purpose);
                self.dialog = Some(Dialog::Write(Box::new(Writing {
                    title,
                    editor,
                    purpose,
                    touched: false,
                    form: None,
                })));
                vec![Effect::Start(Task::find_draft(place, Message::DraftFound))]
            }
            Err(error) => fail(error.to_string()),
        }
    }

    /// A draft of an earlier time was found: it is offered where the editor still has what it began
    /// with.
    pub(super) fn draft_found(&mut self, draft: &Draft) -> Vec<Effect> {
        let Some(Dialog::Write(writing)) = &self.dialog else {
            return Vec::new();
        };
        // What was typed meanwhile is not replaced.
        if self.draft_place(&writing.purpose) != draft.place || writing.touched {
            return Vec::new();
        }
        if let Some(Dialog::Write(writing)) = &mut self.dialog {
            if writing.editor.replace(&draft.text).is_err() {
                return Vec::new();
            }
            // One goes on where one was interrupted.
            let end = KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL);
            writing.editor.key(end);
        }
        let text =
            "this is what you wrote last time and did not use; Ctrl-O brings back what was there";
        say(text)
    }

    /// Takes a key while text is typed.
    pub(super) fn key_typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.dialog.is_none() {
            return self.search_key(key);
        }
        let leaves = key.code == KeyCode::Esc;
        let done = key == KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL);
        match self.dialog.take() {
            Some(Dialog::Write(writing)) if leaves => {
                let text = "the text is kept and comes back when you write here again";
                let mut effects = vec![self.draft(&writing)];
                effects.push(Effect::Say(Role::Notice, text.to_owned()));
                effects
            }
            Some(Dialog::Write(writing)) if done => self.written(writing),
            Some(Dialog::Write(mut writing)) => {
                let outside = key == KeyEvent::new(KeyCode::Char('e'), KeyModifiers::CONTROL);
                if outside {
                    let text = writing.editor.text();
                    self.dialog = Some(Dialog::Write(writing));
                    return vec![Effect::edit_outside(text, Message::Edited)];
                }
                let edited = writing.editor.key(key);
                writing.touched |= edited == Edited::Changed;
                let effects = self.after_edit(&writing, edited);
                self.dialog = Some(Dialog::Write(writing));
                effects
            }
            Some(Dialog::Ask(_)) if leaves => Vec::new(),
            Some(Dialog::Ask(asking)) if key.code == KeyCode::Enter => self.answered(asking),
            Some(Dialog::Ask(mut asking)) => {
                match asking.line.key(key) {
                    Typed::Changed | Typed::Moved | Typed::Ignored => {}
                }
                self.dialog = Some(Dialog::Ask(asking));
                Vec::new()
            }
            other => {
                self.dialog = other;
                Vec::new()
            }
        }
    }

    /// Takes pasted text. It never fires a command.
    pub(super) fn text_pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        let mut effects = Vec::new();
        if paste.dropped_bytes > 0 {
            let text = format!(
                "{} bytes at its end were too much and left out",
                paste.dropped_bytes
            );
            effects.push(Effect::Say(Role::Warning, text));
        }
        match self.dialog.take() {
            Some(Dialog::Write(mut writing)) => {
                let edited = writing.editor.paste(&paste.text);
                writing.touched = true;
                effects.extend(self.after_edit(&writing, edited));
                self.dialog = Some(Dialog::Write(writing));
            }
            Some(Dialog::Ask(mut asking)) => {
                asking.line.paste(&paste.text);
                self.dialog = Some(Dialog::Ask(asking));
            }
            other => {
                self.dialog = other;
                if self.search_paste(&paste.text) {
                    return effects;
                }
                let text = format!(
                    "nothing takes text here: {} speaks for a seat, {} writes a note",
                    key(Action::TakeOver),
                    key(Action::Note)
                );
                effects.push(Effect::Say(Role::Notice, text));
            }
        }
        effects
    }

    fn after_edit(&self, writing: &Writing, edited: Edited) -> Vec<Effect> {
        match edited {
            Edited::Changed => vec![self.draft(writing)],
            Edited::Moved | Edited::Ignored => Vec::new(),
            Edited::Full { dropped_bytes } => {
                let text = format!("the editor is full: {dropped_bytes} bytes were left out");
                vec![self.draft(writing), Effect::Say(Role::Warning, text)]
            }
        }
    }

    fn draft(&self, writing: &Writing) -> Effect {
        Effect::Do(Command::Draft(Draft {
            place: self.draft_place(&writing.purpose),
            text: writing.editor.text(),
        }))
    }

    fn sent(&self, purpose: &Purpose) -> Option<Effect> {
        let what = match purpose {
            Purpose::Answer(step) | Purpose::AnswerAnew { step, .. } => {
                SentWhat::Step(step.clone())
            }
            Purpose::Edit(turn) => SentWhat::Edit(turn.clone()),
            Purpose::Note(_) => return None,
        };
        Some(Effect::Sent(Sent {
            session: self.id.clone(),
            place: self.draft_place(purpose),
            what,
        }))
    }

    /// Another editor gave a text back.
    pub(super) fn edited_outside(&mut self, text: Result<String, String>) -> Vec<Effect> {
        let Some(Dialog::Write(writing)) = &mut self.dialog else {
            return Vec::new();
        };
        let text = match text {
            Ok(text) => text,
            Err(why) => return fail(why),
        };
        match writing.editor.replace(&text) {
            Ok(()) => say("read from your editor; Ctrl-D uses it"),
            Err(error) => fail(error.to_string()),
        }
    }

    /// The text is finished.
    fn written(&mut self, writing: Box<Writing>) -> Vec<Effect> {
        let text = writing.editor.text();
        if text.trim().is_empty() {
            self.dialog = Some(Dialog::Write(writing));
            let say = "there is nothing written yet; Esc leaves";
            return warn(say);
        }
        let text = match writing.form.as_ref().map(|form| form.read(&text)) {
            None => text,
            Some(Ok(reply)) => reply,
            Some(Err(why)) => {
                self.dialog = Some(Dialog::Write(writing));
                return warn(why);
            }
        };
        let mut effects = match &writing.purpose {
            Purpose::Answer(step) => self.order(LiveCommand::Answer {
                step: step.clone(),
                text,
            }),
            Purpose::AnswerAnew {
                judging,
                target,
                slot,
                step,
            } => {
                let reopen = Reopen::Verdict {
                    judging: judging.clone(),
                    target: target.clone(),
                    slot: Some(*slot),
                };
                let step = step.clone();
                self.fork(reopen, vec![LiveCommand::Answer { step, text }])
            }
            Purpose::Edit(turn) => {
                let order = LiveCommand::Edit {
                    turn: turn.clone(),
                    text,
                };
                self.order_on(&turn.clone(), order)
            }
            Purpose::Note(on) => {
                let spot = match on {
                    Some(on) => AnnotationTarget::attempt(self.id.clone(), &self.source.state, on),
                    None => Some(AnnotationTarget::debate(self.id.clone())),
                };
                let Some(on) = spot else { return Vec::new() };
                let draft = self.draft_place(&writing.purpose);
                return self.annotate(Annotation::Noted { on, text }, Some(draft));
            }
        };
        effects.extend(self.sent(&writing.purpose));
        effects
    }

    fn answered(&mut self, asking: Asking) -> Vec<Effect> {
        let text = asking.line.text().trim().to_owned();
        match &asking.purpose {
            Question::Reroll(turn) => {
                let most = crate::engine::live::MAX_REROLLS;
                let count = if text.is_empty() { "1" } else { &text };
                match count.parse::<u32>() {
                    Ok(attempts) if (1..=most).contains(&attempts) => {
                        let order = LiveCommand::Reroll {
                            turn: turn.clone(),
                            attempts,
                        };
                        self.order_on(&turn.clone(), order)
                    }
                    Ok(_) | Err(_) => {
                        self.dialog = Some(Dialog::Ask(asking));
                        let say = format!("write a number from 1 to {most}");
                        warn(say)
                    }
                }
            }
            Question::Raise => {
                let amount = text.trim_start_matches('$').parse::<f64>();
                let Some(usd) = amount.ok().filter(|usd| usd.is_finite() && *usd > 0.0) else {
                    self.dialog = Some(Dialog::Ask(asking));
                    let say = "write an amount of US dollars, for example 2.50; Esc leaves";
                    return warn(say);
                };
                self.rest = None;
                self.order(LiveCommand::Raise { ceiling_usd: usd })
            }
            Question::Export(form) => {
                if text.is_empty() {
                    self.dialog = Some(Dialog::Ask(asking));
                    let say = "write the file's name; Esc leaves";
                    return warn(say);
                }
                let export = Task::export(self.id.clone(), *form, PathBuf::from(text));
                vec![Effect::Start(export)]
            }
        }
    }
}
