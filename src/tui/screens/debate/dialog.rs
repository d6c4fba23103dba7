//! Dialogs over the panes, each with its purpose: a text that is written, a question, a choice.

use super::actions::debate_key;
use super::{Debate, Message};
use crate::tui::app::{EditError, Effect, Task, say_error, say_notice, say_warning};
use crate::tui::components::shown_writing::write_page_to;
use crate::tui::components::writing::{leave_text, offer_draft, save_edit, warn_if_cut};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer, InputKind, Picker, Writing, WritingKey};
use elenchus_game::debate::step::StepId;
use elenchus_game::debate::{AttemptId, TurnId};
use elenchus_game::prompt::LabelHint;
use elenchus_html::Subject;
use elenchus_records::library::JsonVerdictForm;
use elenchus_records::workspace::Draft;
use elenchus_records::workspace::Reopen;
use elenchus_records::workspace::annotations::{Annotation, AnnotationTarget};
use elenchus_run::engine::live::LiveCommand;
use elenchus_run::engine::live::{Sent, SentWhat};
use elenchus_terminal::Paste;
use elenchus_view::ExportAs;
use elenchus_view::debate_text::texts;
use ratatui::crossterm::event::KeyEvent;
use std::path::PathBuf;

/// A text that is written over the panes.
pub(super) type DebateText = Writing<TextFor>;

/// What a text is for.
pub(super) struct TextFor {
    pub purpose: Purpose,
    /// The text is a form in place of a reply.
    pub form: Option<JsonVerdictForm>,
}

impl TextFor {
    /// Says whether it answers a step.
    pub(super) fn answers(&self, step: &StepId) -> bool {
        matches!(&self.purpose, Purpose::Answer(to) if to.step == *step)
    }
}

/// The step that a person answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerTo {
    pub step: StepId,
    /// What a fork leaves open again, where the step was done already.
    pub reopen: Option<Reopen>,
}

impl AnswerTo {
    /// An open step.
    pub fn from_open_step(step: StepId) -> Self {
        Self { step, reopen: None }
    }
}

/// Purpose of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A person's turn, verdict or lesson.
    Answer(AnswerTo),
    /// Another text for a turn.
    Edit(TurnId),
    /// A note on a turn's chosen attempt, or on the debate.
    Note(Option<AttemptId>),
}

/// Purpose of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// Number of new replies to ask a seat for.
    Reroll(TurnId),
    /// To which file the session is exported.
    Export(ExportAs),
    /// To which file a page to send is written.
    Page,
    /// Up to what may be spent, in US dollars: what was held up goes on then.
    Raise,
    /// One of several things, in the order of the rows.
    Choose(Vec<Choice>),
}

/// Purpose of a choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice {
    /// A verdict by its words.
    Verdict {
        to: AnswerTo,
        says: String,
    },
    /// The verdict in words of one's own.
    VerdictInWords(AnswerTo),
    /// A verdict that is an object: a form with this label in it.
    VerdictInForm {
        to: AnswerTo,
        rubric: String,
        label: LabelHint,
    },
    Export(ExportAs),
    /// A page to send.
    Page,
}

impl Debate {
    /// Names a text for the drafts that survive a crash.
    fn draft_place(&self, purpose: &Purpose) -> String {
        match purpose {
            Purpose::Answer(to) => format!("{} {}", self.id, to.step),
            Purpose::Edit(turn) => format!("{} edit {turn}", self.id),
            Purpose::Note(Some(on)) => format!("{} note {on}", self.id),
            Purpose::Note(None) => format!("{} note", self.id),
        }
    }

    /// Opens an editor; `form` reads what is written, where that is a form.
    pub(super) fn open_form_editor(
        &mut self,
        title: String,
        text: &str,
        purpose: Purpose,
        form: Option<JsonVerdictForm>,
    ) -> Vec<Effect> {
        let place = self.draft_place(&purpose);
        let answered_step = match &purpose {
            Purpose::Answer(to) => self.coming.iter().find(|step| step.id() == to.step),
            Purpose::Edit(_) | Purpose::Note(_) => None,
        };
        let reading = answered_step.map(|step| self.read_for_step(step));
        match Writing::new(title, text, TextFor { purpose, form }) {
            Ok(writing) => {
                self.writing = Some(Box::new(writing));
                self.read_above = None;
                let draft = Effect::Start(Task::find_draft(place, Message::DraftFound));
                [draft].into_iter().chain(reading).collect()
            }
            Err(error) => say_error(error.to_string()),
        }
    }

    pub(super) fn open_editor(
        &mut self,
        title: String,
        text: &str,
        purpose: Purpose,
    ) -> Vec<Effect> {
        self.open_form_editor(title, text, purpose, None)
    }

    /// Says whether something lies over the panes.
    pub(super) fn has_overlay(&self) -> bool {
        self.writing.is_some() || self.dialog.is_some()
    }

    /// Says whether a few things are offered, which actions choose from.
    pub(super) fn is_choosing(&self) -> bool {
        let dialog = self.dialog.as_ref();
        dialog.is_some_and(|dialog| dialog.input_kind() == InputKind::Actions)
    }

    /// A draft of an earlier time was found: it is offered where the editor still has what it began
    /// with.
    pub(super) fn handle_draft(&mut self, draft: &Draft) -> Vec<Effect> {
        let open_purpose = self
            .writing
            .as_ref()
            .map(|writing| &writing.purpose.purpose);
        if open_purpose.is_none_or(|purpose| self.draft_place(purpose) != draft.place) {
            return Vec::new();
        }
        let writing = self.writing.as_deref_mut();
        writing.map_or_else(Vec::new, |writing| offer_draft(writing, &draft.text))
    }

    /// Takes a key while text is typed.
    pub(super) fn handle_text_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if let Some(writing) = self.writing.take() {
            return self.handle_editor_key(writing, key);
        }
        if self.dialog.is_none() {
            return self.handle_search_key(key);
        }
        let answer = Dialog::answer_key(&mut self.dialog, key);
        self.handle_dialog_answer(answer)
    }

    pub(super) fn handle_dialog_answer(
        &mut self,
        answer: Option<DialogAnswer<Question>>,
    ) -> Vec<Effect> {
        match answer {
            Some(DialogAnswer::Line(question, text)) => self.handle_question_line(question, text),
            Some(DialogAnswer::Item(Question::Choose(choices), at, _)) => {
                let choice = choices.into_iter().nth(at);
                choice.map_or_else(Vec::new, |choice| self.apply_choice(choice))
            }
            None | Some(DialogAnswer::Item(..) | DialogAnswer::Left(_) | DialogAnswer::Yes(_)) => {
                Vec::new()
            }
        }
    }

    fn handle_editor_key(&mut self, mut writing: Box<DebateText>, key: KeyEvent) -> Vec<Effect> {
        let place = self.draft_place(&writing.purpose.purpose);
        if self.scrolls_above(&writing, key) {
            self.writing = Some(writing);
            return Vec::new();
        }
        let effects = match WritingKey::from(key) {
            WritingKey::Leave => return leave_text(place, &writing),
            WritingKey::Done => return self.submit_text(writing),
            WritingKey::Outside => vec![Effect::edit_outside(writing.text(), Message::Edited)],
            WritingKey::Text => {
                let edit = writing.handle_key(key);
                save_edit(place, &writing, edit)
            }
        };
        self.writing = Some(writing);
        effects
    }

    /// Takes pasted text. It never fires a command.
    pub(super) fn paste_text(&mut self, paste: &Paste) -> Vec<Effect> {
        let mut effects: Vec<Effect> = warn_if_cut(paste).into_iter().collect();
        if let Some(mut writing) = self.writing.take() {
            let edit = writing.paste_text(&paste.text);
            let place = self.draft_place(&writing.purpose.purpose);
            effects.extend(save_edit(place, &writing, edit));
            self.writing = Some(writing);
        } else if let Some(dialog) = &mut self.dialog {
            dialog.paste_text(&paste.text);
        } else if !self.paste_into_search(&paste.text) {
            effects.extend(say_notice(format!(
                "nothing takes text here: {} speaks for a seat, {} writes a note",
                debate_key(Action::TakeOver),
                debate_key(Action::Note)
            )));
        }
        effects
    }

    fn build_sent_effect(&self, purpose: &Purpose) -> Option<Effect> {
        let what = match purpose {
            Purpose::Answer(to) => SentWhat::Step(to.step.clone()),
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
    pub(super) fn replace_text(&mut self, text: Result<String, EditError>) -> Vec<Effect> {
        let Some(writing) = &mut self.writing else {
            return Vec::new();
        };
        let text = match text {
            Ok(text) => text,
            Err(why) => return say_error(why),
        };
        match writing.replace_text(&text) {
            Ok(()) => say_notice("read from your editor; Ctrl-D uses it"),
            Err(error) => say_error(error.to_string()),
        }
    }

    /// The text is finished.
    fn submit_text(&mut self, writing: Box<DebateText>) -> Vec<Effect> {
        let text = writing.text();
        if text.trim().is_empty() {
            self.writing = Some(writing);
            let say = "there is nothing written yet; Esc leaves";
            return say_warning(say);
        }
        let text = match writing
            .purpose
            .form
            .as_ref()
            .map(|form| form.parse_reply(&text))
        {
            None => text,
            Some(Ok(reply)) => reply,
            Some(Err(why)) => {
                self.writing = Some(writing);
                return say_warning(why);
            }
        };
        let mut effects = match &writing.purpose.purpose {
            Purpose::Answer(to) => {
                let mut effects = self.answer_step(to.clone(), text);
                effects.extend(self.ask_waiting_seat(&to.step));
                effects
            }
            Purpose::Edit(turn) => {
                let order = LiveCommand::Edit {
                    turn: turn.clone(),
                    text,
                };
                self.give_turn_command(&turn.clone(), order)
            }
            Purpose::Note(on) => {
                let spot = match on {
                    Some(on) => {
                        AnnotationTarget::from_attempt(self.id.clone(), &self.source.state, on)
                    }
                    None => Some(AnnotationTarget::from_session(self.id.clone())),
                };
                let Some(on) = spot else { return Vec::new() };
                let draft = self.draft_place(&writing.purpose.purpose);
                return self.add_annotation(Annotation::Noted { on, text }, Some(draft));
            }
        };
        effects.extend(self.build_sent_effect(&writing.purpose.purpose));
        effects
    }

    /// Answers a step: here where it is open, else in a fork.
    pub(super) fn answer_step(&mut self, to: AnswerTo, text: String) -> Vec<Effect> {
        let answer = LiveCommand::Answer {
            step: to.step,
            text,
        };
        match to.reopen {
            None => self.give_command(answer),
            Some(reopen) => self.fork_session(reopen, vec![answer]),
        }
    }

    fn handle_question_line(&mut self, question: Question, text: String) -> Vec<Effect> {
        match question {
            Question::Reroll(turn) => {
                let most = elenchus_run::engine::live::MAX_REROLLS;
                let count = if text.is_empty() { "1" } else { &text };
                match count.parse::<u32>() {
                    Ok(attempts) if (1..=most).contains(&attempts) => {
                        let order = LiveCommand::Reroll {
                            turn: turn.clone(),
                            attempts,
                        };
                        self.give_turn_command(&turn, order)
                    }
                    Ok(_) | Err(_) => {
                        let why = format!("write a number from 1 to {most}");
                        self.ask_again(Question::Reroll(turn), &text, &why)
                    }
                }
            }
            Question::Raise => {
                let amount = text.trim_start_matches('$').parse::<f64>();
                let Some(usd) = amount.ok().filter(|usd| usd.is_finite() && *usd > 0.0) else {
                    let why = "write an amount of US dollars, for example 2.50";
                    return self.ask_again(question, &text, why);
                };
                self.idle_reason = None;
                self.give_command(LiveCommand::Raise { ceiling_usd: usd })
            }
            Question::Export(_) | Question::Page if text.is_empty() => {
                self.ask_again(question, &text, "write the file's name")
            }
            Question::Export(form) => {
                let export = Task::export_to_file(self.id.clone(), form, PathBuf::from(text));
                vec![Effect::Start(export)]
            }
            Question::Page => {
                let page = vec![Subject::Session(self.id.clone())];
                let task = write_page_to(page, PathBuf::from(text), Message::PageWritten);
                vec![Effect::Start(task)]
            }
            // It is answered from its list.
            Question::Choose(_) => Vec::new(),
        }
    }

    /// Asks for a line.
    pub(super) fn ask_line(&mut self, question: Question, text: &str) -> Vec<Effect> {
        let (title, hint) = match &question {
            Question::Reroll(turn) => (
                "how many times? (1)".to_owned(),
                self.title_with_fork("ask again", turn),
            ),
            Question::Raise => (
                "raise it to how many US dollars?".to_owned(),
                format!(
                    "the ceiling allows no more calls; {} so far",
                    texts::describe_cost(&self.source.state)
                ),
            ),
            Question::Export(_) | Question::Page => (
                "write it to which file?".to_owned(),
                "Enter writes it · Esc leaves".to_owned(),
            ),
            Question::Choose(_) => return Vec::new(),
        };
        self.dialog = Some(Dialog::new_line_prompt(&title, &hint, text, question));
        Vec::new()
    }

    /// Asks once more, and says why what was typed does not do.
    fn ask_again(&mut self, question: Question, text: &str, why: &str) -> Vec<Effect> {
        let effects = self.ask_line(question, text);
        self.dialog = self.dialog.take().map(|dialog| dialog.with_fault(why));
        effects
    }

    /// Offers one of several things.
    pub(super) fn offer_choices(
        &mut self,
        title: &str,
        items: Vec<(String, Choice)>,
    ) -> Vec<Effect> {
        let (labels, choices): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let picker = Picker::new_short(title, labels);
        self.dialog = Some(Dialog::new_list(picker, Question::Choose(choices)));
        Vec::new()
    }
}
