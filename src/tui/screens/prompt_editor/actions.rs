//! What each action does.

use super::over::Over;
use super::{Begin, Pane, PromptEditor};
use crate::driver::prompt_desk::AskedFor;
use crate::driver::tries::{AbArm, PromptChange};
use crate::tui::app::{Deed, Effect, PromptAt, PromptDeed};
use crate::tui::input::{Code, Key};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::parts::secret::Content;
use crate::tui::parts::{Found, LineInput, Onward};
use crate::tui::screens::compared::{self, CompareWish};
use crate::tui::screens::tries::{self, TryWish};
use crate::tui::theme::Role;

/// Why the prompts of judges and of lessons are not tried on turns.
const OF_A_JUDGE: &str = "this prompt asks for verdicts: save it as a rubric of another name, and \
                          'elenchus judge --rubric' judges recorded turns by it";
const OF_A_LESSON: &str =
    "this prompt asks for lessons, which nobody judges: only the prompts of turns are tried";

/// Returns the mark of a key of this screen.
pub(super) fn key(action: Action) -> char {
    key_for(Context::PromptEditor, action)
}

pub(super) fn say(text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.into())]
}

impl PromptEditor {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave(),
            Action::Edit | Action::Open => self.write(),
            Action::EditOutside => self.edit_outside(),
            Action::SavePrompt => self.save(),
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = match self.focus {
                    Pane::Text => Pane::Shown,
                    Pane::Shown => Pane::Text,
                };
                Vec::new()
            }
            Action::Up
            | Action::Down
            | Action::PageUp
            | Action::PageDown
            | Action::Top
            | Action::Bottom => self.moved(action),
            Action::Zoom => {
                self.zoomed = !self.zoomed;
                Vec::new()
            }
            Action::Difference => self.turn_difference(),
            Action::Undo => self.change(Key::ctrl('_'), "there is nothing to undo"),
            Action::Redo => self.change(Key::ctrl('r'), "there is nothing to do again"),
            Action::Search => {
                self.searching = Some(LineInput::new(&self.wanted));
                Vec::new()
            }
            Action::SearchNext => self.seek(Onward::Next),
            Action::SearchPrevious => self.seek(Onward::Previous),
            Action::NextTurn => self.step(1),
            Action::PreviousTurn => self.step(-1),
            Action::ChooseTurn => self.choose_place(),
            Action::Versions => self.list_versions(),
            Action::AcceptPrompt => self.look_at_acceptance(),
            Action::TryPrompt => self.try_it(),
            Action::ComparePrompts => self.compare(),
            Action::Copy => self.with_text(Deed::Copy),
            Action::Pager => self.with_text(Deed::Page),
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
        effects.push(Effect::Do(Deed::Prompt(PromptDeed::Close)));
        effects.push(Effect::Leave);
        effects
    }

    /// Keys are text from now on.
    pub(super) fn write(&mut self) -> Vec<Effect> {
        if self.content == Content::Masked {
            return say("content is masked; show it before you write");
        }
        if !self.empty.is_empty() {
            return say(self.empty.clone());
        }
        self.focus = Pane::Text;
        self.is_typing = true;
        Vec::new()
    }

    pub(super) fn edit_outside(&mut self) -> Vec<Effect> {
        let text = match (&self.opened, self.empty.is_empty()) {
            (_, true) => self.editor.text(),
            // Too long to be edited here.
            (Some(opened), false) => opened.text.clone(),
            (None, false) => return say(self.empty.clone()),
        };
        self.ticket.0 += 1;
        let ticket = self.ticket;
        self.outside = Some(ticket);
        vec![Effect::Do(Deed::EditOutside { ticket, text })]
    }

    pub(super) fn save(&mut self) -> Vec<Effect> {
        let Some(opened) = &self.opened else {
            return say(self.empty.clone());
        };
        if !self.changed {
            return say("the text is the one that is used already");
        }
        let save = PromptDeed::Save {
            name: self.name.clone(),
            opened: opened.glance.hash,
            text: self.editor.text(),
        };
        vec![Effect::Do(Deed::Prompt(save))]
    }

    fn moved(&mut self, action: Action) -> Vec<Effect> {
        match self.focus {
            Pane::Text => {
                let key = match action {
                    Action::Up => Key::plain(Code::Up),
                    Action::Down => Key::plain(Code::Down),
                    Action::PageUp => Key::plain(Code::PageUp),
                    Action::PageDown => Key::plain(Code::PageDown),
                    Action::Top => ctrl(Code::Home),
                    _ => ctrl(Code::End),
                };
                self.editor.key(key);
                Vec::new()
            }
            Pane::Shown => {
                self.rolled(|roll, lay_out| match action {
                    Action::Up => roll.previous(lay_out),
                    Action::Down => roll.next(lay_out),
                    Action::PageUp => roll.half_page(-1, lay_out),
                    Action::PageDown => roll.half_page(1, lay_out),
                    Action::Top => roll.to_top(),
                    _ => roll.to_bottom(lay_out),
                });
                Vec::new()
            }
        }
    }

    fn change(&mut self, key: Key, nothing: &str) -> Vec<Effect> {
        let before = self.editor.text();
        self.editor.key(key);
        match self.editor.text() == before {
            true => say(nothing),
            false => self.edited(),
        }
    }

    pub(super) fn seek(&mut self, onward: Onward) -> Vec<Effect> {
        if self.wanted.is_empty() {
            return say("search for something first");
        }
        self.focus = Pane::Text;
        match self.editor.seek(&self.wanted, onward) {
            Found::Yes => Vec::new(),
            Found::No => say(format!("'{}' is not in this text", self.wanted)),
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
        let (Some(staged), Some((session, asked))) = (&self.staged, self.place()) else {
            return self.choose_place();
        };
        let beside = staged.beside.as_ref().map(|places| &places.asked);
        let at = beside.and_then(|asked_for| asked_for.iter().position(|one| one == asked));
        let next = at.and_then(|at| at.checked_add_signed(by));
        match next.and_then(|next| beside?.get(next)) {
            Some(next) => self.stage(Some(PromptAt {
                session: session.clone(),
                asked: next.clone(),
            })),
            None => say(format!(
                "that is the {} in this session; {} chooses another session",
                if by < 0 { "first" } else { "last" },
                key(Action::ChooseTurn)
            )),
        }
    }

    pub(super) fn stage(&self, at: Option<PromptAt>) -> Vec<Effect> {
        let deed = PromptDeed::Stage(self.name.clone(), at);
        vec![Effect::Do(Deed::Prompt(deed))]
    }

    fn choose_place(&mut self) -> Vec<Effect> {
        self.over = Some(Over::Finding);
        let find = PromptDeed::FindPlaces(self.name.clone());
        vec![Effect::Do(Deed::Prompt(find))]
    }

    /// Says what accepting the text as it is used would change, before it is asked.
    fn look_at_acceptance(&mut self) -> Vec<Effect> {
        match &self.pin {
            None => say("nothing pins this prompt"),
            Some(pin) if pin.holds => say("the text that is used is the pinned one"),
            Some(_) => {
                let look = PromptDeed::Acceptance(self.name.clone());
                vec![Effect::Do(Deed::Prompt(look))]
            }
        }
    }

    pub(super) fn list_versions(&mut self) -> Vec<Effect> {
        self.over = Some(Over::Finding);
        let versions = PromptDeed::Versions(self.name.clone());
        vec![Effect::Do(Deed::Prompt(versions))]
    }

    /// Asks the turn that is looked at again, with the text as it stands here.
    fn try_it(&mut self) -> Vec<Effect> {
        if let Some(fault) = &self.fault {
            return vec![Effect::Say(
                Role::Error,
                format!("this cannot be tried: {fault}"),
            )];
        }
        let change = match self.change_to_try() {
            Ok(change) => change,
            Err(said) => return said,
        };
        match self.place() {
            Some((session, AskedFor::Turn(turn))) => tries::show(TryWish {
                session: session.clone(),
                turn: turn.clone(),
                change: Some(change),
            }),
            Some((_, AskedFor::Verdict { .. })) => say(OF_A_JUDGE),
            Some((_, AskedFor::Lesson)) => say(OF_A_LESSON),
            None => say(format!(
                "sample data cannot be asked: {} chooses a recorded turn",
                key(Action::ChooseTurn)
            )),
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

    /// Compares the text as it stands here with the one that is used; where they are the same, with the
    /// one that each debate had.
    fn compare(&mut self) -> Vec<Effect> {
        let (Some(opened), Ok(change)) = (&self.opened, self.change_to_try()) else {
            return say(self.empty.clone());
        };
        if let Some(fault) = &self.fault {
            return vec![Effect::Say(
                Role::Error,
                format!("this cannot be tried: {fault}"),
            )];
        }
        match self.place() {
            Some((_, AskedFor::Verdict { .. })) => return say(OF_A_JUDGE),
            Some((_, AskedFor::Lesson)) => return say(OF_A_LESSON),
            Some((_, AskedFor::Turn(_))) | None => {}
        }
        let a = match self.changed {
            true => AbArm {
                name: format!("{} as it is used", self.name),
                text: Some(opened.text.clone()),
            },
            false => AbArm {
                name: "recorded".to_owned(),
                text: None,
            },
        };
        let b = AbArm {
            name: match self.changed {
                true => format!("{}, changed", self.name),
                false => format!("{} as it is used", self.name),
            },
            text: Some(change.text),
        };
        compared::show(Some(CompareWish {
            prompt: self.name.clone(),
            a,
            b,
        }))
    }

    fn with_text(&self, deed: impl FnOnce(String) -> Deed) -> Vec<Effect> {
        if self.opened.is_none() {
            return say(self.empty.clone());
        }
        let text = match self.focus {
            Pane::Text => self.editor.text(),
            Pane::Shown => self.shown_text(),
        };
        vec![Effect::Do(deed(text))]
    }

    /// Does what the editor was opened for, once the text is there.
    pub(super) fn begin(&mut self) -> Vec<Effect> {
        match std::mem::replace(&mut self.begin, Begin::Reading) {
            Begin::Reading => Vec::new(),
            Begin::Versions => self.list_versions(),
            Begin::Writing => self.write(),
            Begin::Outside => self.edit_outside(),
        }
    }

    /// Says in a few words how the text stands.
    pub(super) fn standing(&self) -> String {
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

fn ctrl(code: Code) -> Key {
    let mut key = Key::plain(code);
    key.mods.ctrl = true;
    key
}
