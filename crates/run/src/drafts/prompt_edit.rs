//! Edit of a prompt: a text that is written, next to the text that is used. Knows what another program, a save, a
//! draft and an earlier text mean to it, and what can be tried with it; it holds no text of its own and writes
//! nothing. Pure.

use crate::drafts::prompt_ab::CompareWish;
use crate::drafts::prompt_trial::TryWish;
use crate::experiments::prompt_trial::{PromptChange, TriedCall};
use elenchus_records::library::{FileOrigin, shorten_hash};
use elenchus_records::workspace::prompts::{
    AskedFor, Pin, PromptAt, PromptName, PromptText, Saved, TextFault,
};
use elenchus_records::workspace::{Draft, WorkspaceError, reject};
use elenchus_store::Hash;
use elenchus_text::{Paragraph, Role};
use std::sync::Arc;

/// Reason why prompts of lessons are not compared here.
const OF_A_LESSON: &str = "no lesson is right or wrong by itself: 'elenchus prompts ab --preference MODEL' has a model \
                           say which of two is better";

/// A prompt while its text is written.
pub struct PromptEdit {
    pub name: PromptName,
    /// Text in use when this one was opened or saved.
    base_text: Option<Arc<PromptText>>,
    /// Pin of the prompt in its game.
    pub pin: Option<Pin>,
    /// Reason why there is nothing to write in.
    closed: Option<String>,
    /// The text differs from what is used.
    is_changed: bool,
    /// Something was written since the text was opened.
    is_touched: bool,
}

/// What is said where something cannot be done, and how much it matters.
pub type EditRemark = (Role, String);

/// What a text that is used now means to the one that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideChange {
    /// It is the first one that could be read.
    Opens,
    /// It is the one that was opened.
    Nothing,
    /// The file that was opened is gone: the text is kept.
    Gone(String),
    /// Both were changed: the text is kept.
    Both(&'static str),
    /// The text is replaced by it.
    Reread,
}

impl PromptEdit {
    /// The edit of a prompt that is still to be read.
    pub fn new(name: PromptName) -> Self {
        Self {
            name,
            base_text: None,
            pin: None,
            closed: Some("reading the prompt".to_owned()),
            is_changed: false,
            is_touched: false,
        }
    }

    /// The text that is used was read, and is there to be written in.
    pub fn open_text(&mut self, text: &Arc<PromptText>) {
        self.base_text = Some(Arc::clone(text));
        self.closed = None;
        (self.is_changed, self.is_touched) = (false, false);
    }

    /// There is nothing to write in.
    pub fn close(&mut self, why: String) {
        self.closed = Some(why);
    }

    /// There is a text to write in, where it was too long before.
    pub fn reopen(&mut self) {
        self.closed = None;
    }

    /// Returns the text that is used.
    pub fn text_in_use(&self) -> Option<&PromptText> {
        self.base_text.as_deref()
    }

    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Returns the reason why there is nothing to write in.
    pub fn closed_reason(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// Takes in that the text is another one, and returns it as a draft.
    pub fn take_edit(&mut self, written: &str) -> Draft {
        self.is_touched = true;
        self.is_changed = self.text_in_use().map(|used| used.text.as_str()) != Some(written);
        self.build_draft(written)
    }

    /// Returns the place of its draft.
    pub fn draft_place(&self) -> String {
        format!("prompt {}", self.name)
    }

    /// Returns what is kept of the text, so that a crash or a lost connection does not lose it: nothing where it
    /// is the text that is used.
    pub fn build_draft(&self, written: &str) -> Draft {
        let text = match self.is_changed {
            true => written.to_owned(),
            false => String::new(),
        };
        Draft {
            place: self.draft_place(),
            text,
        }
    }

    /// Says whether a draft of an earlier time takes the place of the text: what was written since does not give
    /// way.
    pub fn takes_draft(&self, draft: &Draft) -> bool {
        let used = self.text_in_use().map(|used| used.text.as_str());
        !self.is_touched && used != Some(draft.text.as_str())
    }

    /// Returns the whole text: what is written, or what was opened where that is too long to be written in.
    ///
    /// # Errors
    /// When nothing was opened; says why.
    pub fn whole_text(&self, written: impl FnOnce() -> String) -> Result<String, WorkspaceError> {
        match (&self.closed, &self.base_text) {
            (None, _) => Ok(written()),
            (Some(_), Some(opened)) => Ok(opened.text.clone()),
            (Some(why), None) => reject(why),
        }
    }

    /// Takes in the text that is used after another program has written, moved or removed a file.
    pub fn take_outside_change(&mut self, now: &Arc<PromptText>) -> OutsideChange {
        let Some(base) = &self.base_text else {
            return OutsideChange::Opens;
        };
        let is_elsewhere = now.overview.origin != base.overview.origin;
        if now.overview.hash == base.overview.hash && !is_elsewhere {
            return OutsideChange::Nothing;
        }
        if is_elsewhere && let FileOrigin::Folder(folder) = &base.overview.origin {
            let file = folder.join(&base.overview.file);
            self.base_text = Some(Arc::clone(now));
            return OutsideChange::Gone(format!(
                "{} is gone, and the text of {} is used; yours is still here: saving writes it again",
                file.display(),
                now.overview.origin
            ));
        }
        if self.is_changed {
            return OutsideChange::Both(
                "the file was changed by another program; your text is still here, and saving asks \
                 before it writes over theirs",
            );
        }
        self.base_text = Some(Arc::clone(now));
        OutsideChange::Reread
    }

    /// Returns the version that a save takes the place of.
    ///
    /// # Errors
    /// When there is nothing to save; says why.
    pub fn to_save(&self) -> Result<Hash, WorkspaceError> {
        match (&self.base_text, &self.closed) {
            (None, why) => reject(why.clone().unwrap_or_default()),
            (Some(_), _) if !self.is_changed => reject("the text is the one that is used already"),
            (Some(opened), _) => Ok(opened.overview.hash),
        }
    }

    /// Takes in that a text was saved; says what that means.
    pub fn take_save(&mut self, saved: &Saved) -> String {
        self.base_text = Some(Arc::new(saved.now.clone()));
        let shared_note = match saved.now.overview.is_shared() {
            true => ", for every game that takes it from there",
            false => "",
        };
        // What it means comes first: the end of a path may be cut.
        format!(
            "saved, the next debate is played with it{shared_note}: {}",
            saved.path.display()
        )
    }

    /// Says whether the game is refused because the text is not the pinned one.
    pub fn breaks_pin(&self) -> bool {
        self.pin.as_ref().is_some_and(|pin| !pin.holds)
    }

    /// Returns why there is nothing to accept; `None` where there is.
    pub fn nothing_to_accept(&self) -> Option<&'static str> {
        match &self.pin {
            None => Some("nothing pins this prompt"),
            Some(pin) if pin.holds => Some("the text that is used is the pinned one"),
            Some(_) => None,
        }
    }

    /// Returns what asks for something recorded again, with the text as it is written. `choose` is the mark of the key
    /// that chooses a turn.
    ///
    /// # Errors
    /// When this text, or nothing at this place, can be tried; says why.
    pub fn build_try_wish(
        &self,
        place: Option<&PromptAt>,
        (written, fault): (String, Option<&TextFault>),
        choose: char,
    ) -> Result<TryWish, EditRemark> {
        let change = self.build_change(written, fault)?;
        let Some(PromptAt { session, asked }) = place else {
            return Err(notice_remark(format!(
                "sample data cannot be asked: {choose} chooses a recorded turn"
            )));
        };
        Ok(TryWish {
            session: session.clone(),
            call: TriedCall::from(asked.clone()),
            change: Some(change),
        })
    }

    /// Returns what compares the text as it is written with the one in use; if they are equal, with the one that
    /// each debate had.
    ///
    /// # Errors
    /// When this text cannot be tried, or asks for no turns; says why.
    pub fn build_compare_wish(
        &self,
        place: Option<&PromptAt>,
        (written, fault): (String, Option<&TextFault>),
    ) -> Result<CompareWish, EditRemark> {
        let change = self.build_change(written, fault)?;
        match place.map(|at| &at.asked) {
            Some(AskedFor::Lesson(_)) => Err(notice_remark(OF_A_LESSON)),
            Some(
                AskedFor::Turn(_)
                | AskedFor::Verdict { .. }
                | AskedFor::GuardDecision(_)
                | AskedFor::Guardrail(_),
            )
            | None => {
                let used = self.text_in_use().map_or("", |used| used.text.as_str());
                Ok(CompareWish::from_edit(&self.name, used, change.text))
            }
        }
    }

    fn build_change(
        &self,
        written: String,
        fault: Option<&TextFault>,
    ) -> Result<PromptChange, EditRemark> {
        if let Some(why) = &self.closed {
            return Err(notice_remark(why.clone()));
        }
        if let Some(fault) = fault {
            return Err((Role::Error, format!("this cannot be tried: {fault}")));
        }
        Ok(PromptChange {
            template: self.name.template.clone(),
            text: written,
            named: self.name.to_string(),
        })
    }

    /// Returns its name, its version, and whether the game refuses it.
    pub fn heading(&self) -> Paragraph {
        let mut head = Paragraph::new(Role::Strong, self.name.to_string());
        if let Some(used) = self.text_in_use() {
            head = head.with_run(
                Role::Muted,
                format!(" {}", shorten_hash(&used.overview.hash)),
            );
        }
        match self.breaks_pin() {
            true => head.with_run(
                Role::Warning,
                " ! not the pinned text: the game refuses it until it is accepted",
            ),
            false => head,
        }
    }

    /// Describes the state of the text; `fault` is why it cannot be used.
    pub fn describe_status(&self, fault: Option<&TextFault>) -> String {
        match (&self.base_text, fault) {
            (None, _) => self.closed.clone().unwrap_or_default(),
            (Some(_), Some(TextFault { line: None, .. })) => "cannot be used".to_owned(),
            (
                Some(_),
                Some(TextFault {
                    line: Some(line), ..
                }),
            ) => {
                format!("cannot be used: line {line}")
            }
            (Some(_), None) if self.is_changed => "changed, not saved".to_owned(),
            (Some(_), None) => "as it is used".to_owned(),
        }
    }
}

fn notice_remark(text: impl Into<String>) -> EditRemark {
    (Role::Notice, text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::{JudgingId, SessionId, Target, TurnId};
    use elenchus_records::workspace::prompts::PromptOverview;
    use elenchus_text::plain_text;
    use std::path::PathBuf;

    fn name() -> PromptName {
        PromptName {
            protocol: "sred".to_owned(),
            template: "socratic".to_owned(),
        }
    }

    fn text(text: &str, origin: FileOrigin) -> Arc<PromptText> {
        Arc::new(PromptText {
            overview: PromptOverview {
                name: name(),
                users: String::new(),
                description: String::new(),
                file: "sred/socratic.md".to_owned(),
                origin,
                hash: Hash::digest(text.as_bytes()),
                fault: None,
            },
            text: text.to_owned(),
        })
    }

    fn own() -> FileOrigin {
        FileOrigin::Folder(PathBuf::from("/own"))
    }

    fn opened() -> PromptEdit {
        let mut edit = PromptEdit::new(name());
        edit.open_text(&text("Ask.", own()));
        edit
    }

    #[test]
    fn a_text_is_changed_while_it_differs_from_the_one_in_use() {
        let mut edit = opened();
        assert_eq!(edit.describe_status(None), "as it is used");
        assert!(
            edit.to_save()
                .unwrap_err()
                .to_string()
                .contains("used already")
        );
        assert_eq!(edit.take_edit("Ask why.").text, "Ask why.");
        assert_eq!(edit.to_save().unwrap(), Hash::digest(b"Ask."));
        assert_eq!(edit.describe_status(None), "changed, not saved");
        // What is used needs no draft.
        assert_eq!(edit.take_edit("Ask.").text, "");
        assert!(!edit.is_changed());
    }

    #[test]
    fn a_draft_of_an_earlier_time_replaces_only_a_text_that_nobody_touched() {
        let draft = |text: &str| Draft {
            place: "prompt sred/socratic".to_owned(),
            text: text.to_owned(),
        };
        let mut edit = opened();
        assert_eq!(edit.draft_place(), draft("").place);
        assert!(edit.takes_draft(&draft("Ask who.")));
        assert!(!edit.takes_draft(&draft("Ask.")));
        edit.take_edit("Ask why.");
        assert!(!edit.takes_draft(&draft("Ask who.")));
    }

    #[test]
    fn another_programs_text_is_taken_unless_something_would_be_lost() {
        let theirs = text("Ask them.", own());
        let mut edit = PromptEdit::new(name());
        assert_eq!(edit.take_outside_change(&theirs), OutsideChange::Opens);
        edit.open_text(&text("Ask.", own()));
        let same = edit.take_outside_change(&text("Ask.", own()));
        assert_eq!(same, OutsideChange::Nothing);
        assert_eq!(edit.take_outside_change(&theirs), OutsideChange::Reread);
        edit.take_edit("Ask why.");
        let both = edit.take_outside_change(&text("Ask.", own()));
        assert!(matches!(both, OutsideChange::Both(_)), "{both:?}");
        // It is still compared with the version that was opened.
        assert_eq!(edit.to_save().unwrap(), theirs.overview.hash);
        let gone = edit.take_outside_change(&text("Ask.", FileOrigin::BuiltIn));
        let OutsideChange::Gone(words) = gone else {
            panic!("{gone:?}");
        };
        assert!(
            words.starts_with("/own/sred/socratic.md is gone"),
            "{words}"
        );
        assert_eq!(edit.to_save().unwrap(), Hash::digest(b"Ask."));
    }

    #[test]
    fn a_text_that_is_too_long_to_be_written_in_is_there_as_a_whole() {
        let written = || "written".to_owned();
        let mut edit = PromptEdit::new(name());
        assert_eq!(
            edit.whole_text(written).unwrap_err().to_string(),
            "reading the prompt"
        );
        edit.open_text(&text("Ask.", own()));
        assert_eq!(edit.whole_text(written).unwrap(), "written".to_owned());
        edit.close("too long".to_owned());
        assert_eq!(edit.whole_text(written).unwrap(), "Ask.".to_owned());
        edit.reopen();
        assert_eq!(edit.whole_text(written).unwrap(), "written".to_owned());
    }

    #[test]
    fn recorded_turns_verdicts_and_lessons_are_asked_again() {
        let edit = opened();
        let try_at = |asked: Option<AskedFor>| {
            let place = asked.map(|asked| PromptAt {
                session: SessionId::new("01SESSION"),
                asked,
            });
            edit.build_try_wish(place.as_ref(), ("Ask why.".to_owned(), None), 'o')
        };
        let turn = TurnId::try_from("r1.question.socratic-0".to_owned()).unwrap();
        let wish = try_at(Some(AskedFor::Turn(turn.clone()))).unwrap();
        assert_eq!(
            (wish.call, wish.change.unwrap().text.as_str()),
            (TriedCall::Turn(turn), "Ask why.")
        );
        let verdict = AskedFor::Verdict {
            judging: JudgingId::new("decision"),
            target: Target::Debate,
        };
        let wish = try_at(Some(verdict)).unwrap();
        assert_eq!(wish.call.to_string(), "decision/debate");
        let why = |asked| try_at(asked).unwrap_err().1;
        assert!(why(None).starts_with("sample data cannot be asked: o chooses"));
        let lesson = try_at(Some(AskedFor::Lesson(None))).unwrap();
        assert_eq!(lesson.call.to_string(), "lesson");
        let place = PromptAt {
            session: SessionId::new("01SESSION"),
            asked: AskedFor::Lesson(None),
        };
        let compared = edit.build_compare_wish(Some(&place), ("Ask why.".to_owned(), None));
        assert_eq!(compared.unwrap_err(), notice_remark(OF_A_LESSON));
        let fault = TextFault {
            line: Some(2),
            why: "no such value".to_owned(),
        };
        let faulty = edit.build_compare_wish(None, ("Ask {{ who }}".to_owned(), Some(&fault)));
        let why = "this cannot be tried: line 2: no such value".to_owned();
        assert_eq!(faulty.unwrap_err(), (Role::Error, why));
    }

    #[test]
    fn a_pin_that_does_not_hold_is_named_and_can_be_accepted() {
        let mut edit = opened();
        assert_eq!(edit.nothing_to_accept(), Some("nothing pins this prompt"));
        edit.pin = Some(Pin {
            file: "pins.toml".to_owned(),
            expected: "abcd".to_owned(),
            holds: false,
        });
        assert_eq!(edit.nothing_to_accept(), None);
        assert!(plain_text(&[edit.heading()]).contains("not the pinned text"));
    }
}
