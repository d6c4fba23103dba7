//! Actions of the prompt editor.

use super::over::{Over, Question};
use super::{Begin, EditorPane, Message, PromptEditor, tasks};
use crate::experiments::prompt_ab::CompareWish;
use crate::experiments::prompt_trial::{PromptChange, TryWish};
use crate::tui::app::{Command, Effect, fail, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::Dialog;
use crate::tui::screens::{prompt_ab, prompt_trial};
use crate::tui::widgets::{Content, SearchDirection, SearchOutcome};
use crate::workspace::prompts::{AskedFor, PromptAt};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Reasons why the prompts of judges and of lessons are not tried on turns.
const OF_A_JUDGE: &str = "this prompt asks for verdicts: save it as a rubric of another name, and \
                          'elenchus judge --rubric' judges recorded turns by it";
const OF_A_LESSON: &str =
    "this prompt asks for lessons, which nobody judges: only the prompts of turns are tried";

/// Returns the mark of a key of this screen.
pub(super) fn key(action: Action) -> char {
    key_for(Context::PromptEditor, action)
}

impl PromptEditor {
    pub(crate) fn answer(&mut self, action: Action) -> Vec<Effect> {
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave(),
            Action::Edit | Action::Open => self.write(),
            Action::EditOutside => self.edit_outside(),
            Action::SavePrompt => self.save(),
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = match self.focus {
                    EditorPane::Text => EditorPane::Shown,
                    EditorPane::Shown => EditorPane::Text,
                };
                Vec::new()
            }
            _ if action.scrolls() => self.moved(action),
            Action::Zoom => {
                self.zoomed = !self.zoomed;
                Vec::new()
            }
            Action::Difference => self.turn_difference(),
            Action::Undo => self.change(
                KeyEvent::new(KeyCode::Char('_'), KeyModifiers::CONTROL),
                "nothing to undo",
            ),
            Action::Redo => self.change(
                KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL),
                "nothing to redo",
            ),
            Action::Search => {
                let hint = "Enter goes to the next place · Esc leaves";
                let dialog = Dialog::line("find:", hint, &self.wanted, Question::Search);
                self.dialog = Some(dialog);
                Vec::new()
            }
            Action::SearchNext => self.seek(SearchDirection::Next),
            Action::SearchPrevious => self.seek(SearchDirection::Previous),
            Action::NextTurn => self.step(1),
            Action::PreviousTurn => self.step(-1),
            Action::ChooseTurn => self.choose_place(),
            Action::Versions => self.list_versions(),
            Action::AcceptPrompt => self.look_at_acceptance(),
            Action::TryPrompt => self.try_it(),
            Action::ComparePrompts => self.compare(),
            Action::Copy => self.with_text(Command::Copy),
            Action::Pager => self.with_text(Command::Page),
            _ => Vec::new(),
        }
    }

    fn leave(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.changed {
            effects.push(self.draft());
            effects.extend(say(
                "the text is not saved: it is kept, and comes back when you open this prompt again",
            ));
        }
        effects.push(Effect::Leave);
        effects
    }

    /// Keys are text from now on.
    pub(crate) fn write(&mut self) -> Vec<Effect> {
        if self.content == Content::Masked {
            return say("content is masked; show it before you write");
        }
        if !self.empty.is_empty() {
            return say(self.empty.clone());
        }
        self.focus = EditorPane::Text;
        self.is_typing = true;
        Vec::new()
    }

    pub(crate) fn edit_outside(&self) -> Vec<Effect> {
        let text = match (&self.opened, self.empty.is_empty()) {
            (_, true) => self.editor.text(),
            // Too long to be edited here.
            (Some(opened), false) => opened.text.clone(),
            (None, false) => return say(self.empty.clone()),
        };
        vec![Effect::edit_outside(text, Message::Edited)]
    }

    pub(crate) fn save(&mut self) -> Vec<Effect> {
        let Some(opened) = &self.opened else {
            return say(self.empty.clone());
        };
        if !self.changed {
            return say("the text is the one that is used already");
        }
        let opened = opened.glance.hash;
        let save = tasks::save(self.name.clone(), opened, self.editor.text());
        vec![Effect::Start(save)]
    }

    fn moved(&mut self, action: Action) -> Vec<Effect> {
        match self.focus {
            EditorPane::Text => {
                let key = match action {
                    Action::Up => KeyEvent::from(KeyCode::Up),
                    Action::Down => KeyEvent::from(KeyCode::Down),
                    Action::PageUp => KeyEvent::from(KeyCode::PageUp),
                    Action::PageDown => KeyEvent::from(KeyCode::PageDown),
                    Action::Top => ctrl(KeyCode::Home),
                    _ => ctrl(KeyCode::End),
                };
                self.editor.key(key);
                Vec::new()
            }
            EditorPane::Shown => {
                self.rolled(|roll, lay_out| _ = roll.act(action, lay_out));
                Vec::new()
            }
        }
    }

    fn change(&mut self, key: KeyEvent, nothing: &str) -> Vec<Effect> {
        let before = self.editor.text();
        self.editor.key(key);
        match self.editor.text() == before {
            true => say(nothing),
            false => self.edited(),
        }
    }

    pub(crate) fn seek(&mut self, onward: SearchDirection) -> Vec<Effect> {
        if self.wanted.is_empty() {
            return say("search for something first");
        }
        self.focus = EditorPane::Text;
        match self.editor.seek(&self.wanted, onward) {
            SearchOutcome::Yes => Vec::new(),
            SearchOutcome::No => say(format!("'{}' is not in this text", self.wanted)),
        }
    }

    fn turn_difference(&mut self) -> Vec<Effect> {
        let recorded = self.staged.as_ref().map(|staged| &staged.stage.recorded);
        if !self.difference && !matches!(recorded, Some(Some(_))) {
            return say("nothing was recorded here to compare with; choose a recorded turn");
        }
        self.difference = !self.difference;
        self.turn_page();
        Vec::new()
    }

    /// Looks at the next thing, or the one before, that the prompt asked for in the same session.
    fn step(&mut self, by: isize) -> Vec<Effect> {
        let Some(staged) = self.staged.as_ref().filter(|staged| staged.at().is_some()) else {
            return self.choose_place();
        };
        match staged.beside(by) {
            Some(next) => self.stage(Some(next)),
            None => say(format!(
                "that is the {} in this session; {} chooses another session",
                if by < 0 { "first" } else { "last" },
                key(Action::ChooseTurn)
            )),
        }
    }

    pub(crate) fn stage(&self, at: Option<PromptAt>) -> Vec<Effect> {
        vec![Effect::Start(tasks::stage(self.name.clone(), at))]
    }

    fn choose_place(&mut self) -> Vec<Effect> {
        self.over = Some(Over::Finding);
        vec![Effect::Start(tasks::places(self.name.clone()))]
    }

    /// Says what accepting the text as it is used would change, before it is asked.
    fn look_at_acceptance(&mut self) -> Vec<Effect> {
        match &self.pin {
            None => say("nothing pins this prompt"),
            Some(pin) if pin.holds => say("the text that is used is the pinned one"),
            Some(_) => vec![Effect::Start(tasks::acceptance(self.name.clone()))],
        }
    }

    fn list_versions(&mut self) -> Vec<Effect> {
        self.over = Some(Over::Finding);
        vec![Effect::Start(tasks::versions(self.name.clone()))]
    }

    /// Asks the previewed turn again, with the text in the editor.
    fn try_it(&mut self) -> Vec<Effect> {
        if let Some(fault) = &self.fault {
            return fail(format!("this cannot be tried: {fault}"));
        }
        let change = match self.change_to_try() {
            Ok(change) => change,
            Err(said) => return said,
        };
        let Some(PromptAt { session, asked }) = self.place() else {
            return say(format!(
                "sample data cannot be asked: {} chooses a recorded turn",
                key(Action::ChooseTurn)
            ));
        };
        match asked {
            AskedFor::Turn(turn) => prompt_trial::show(TryWish {
                session: session.clone(),
                turn: turn.clone(),
                change: Some(change),
            }),
            AskedFor::Verdict { .. } => say(OF_A_JUDGE),
            AskedFor::Lesson => say(OF_A_LESSON),
        }
    }

    fn change_to_try(&self) -> Result<PromptChange, Vec<Effect>> {
        if self.opened.is_none() || !self.empty.is_empty() {
            return Err(say(self.empty.clone()));
        }
        Ok(PromptChange {
            template: self.name.template.clone(),
            text: self.editor.text(),
            named: self.name.to_string(),
        })
    }

    /// Compares the text in the editor with the one in use; if they are equal, with the one that
    /// each debate had.
    fn compare(&mut self) -> Vec<Effect> {
        let (Some(opened), Ok(change)) = (&self.opened, self.change_to_try()) else {
            return say(self.empty.clone());
        };
        if let Some(fault) = &self.fault {
            return fail(format!("this cannot be tried: {fault}"));
        }
        match self.place().map(|at| &at.asked) {
            Some(AskedFor::Verdict { .. }) => say(OF_A_JUDGE),
            Some(AskedFor::Lesson) => say(OF_A_LESSON),
            Some(AskedFor::Turn(_)) | None => {
                let wish = CompareWish::of_edit(&self.name, &opened.text, change.text);
                prompt_ab::show(Some(wish))
            }
        }
    }

    fn with_text(&self, command: impl FnOnce(String) -> Command) -> Vec<Effect> {
        if self.opened.is_none() {
            return say(self.empty.clone());
        }
        let text = match self.focus {
            EditorPane::Text => self.editor.text(),
            EditorPane::Shown => self
                .shown
                .as_ref()
                .map_or_else(String::new, |shown| shown.text()),
        };
        vec![Effect::Do(command(text))]
    }

    /// Does what the editor was opened for, once the text is there.
    pub(crate) fn begin(&mut self) -> Vec<Effect> {
        match std::mem::replace(&mut self.begin, Begin::Reading) {
            Begin::Reading => Vec::new(),
            Begin::Versions => self.list_versions(),
            Begin::Writing => self.write(),
            Begin::Outside => self.edit_outside(),
        }
    }

    /// Describes the state of the text.
    pub(crate) fn status_text(&self) -> String {
        let text = match (&self.opened, &self.fault, self.changed) {
            (None, _, _) => return self.empty.clone(),
            (Some(_), Some(fault), _) => match fault.line {
                Some(line) => format!("cannot be used: line {line}"),
                None => "cannot be used".to_owned(),
            },
            (Some(_), None, true) => "changed, not saved".to_owned(),
            (Some(_), None, false) => "as it is used".to_owned(),
        };
        match self.is_typing {
            true => format!("writing · {text} · Ctrl-D saves, Esc stops writing"),
            false => text,
        }
    }
}

fn ctrl(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::CONTROL)
}
