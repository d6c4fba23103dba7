//! Actions of the prompt trial.

use super::ask::Asking;
use super::{Try, tasks};
use crate::tui::app::SessionPosition;
use crate::tui::app::{Command, Effect, copy, say, show};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::PopupResult;
use crate::tui::screens::inspect::Inspector;
use elenchus_run::drafts::prompt_trial::{TrialAnswer, TrialPurpose};
use ratatui::crossterm::event::KeyEvent;

impl Try {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        let here = self.replies.columns.cursor();
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave(),
            Action::Interrupt if self.trial.playing().is_none() => vec![Effect::Quit],
            Action::Interrupt | Action::StopStream => match self.trial.stop() {
                true => say("stopping; what came is kept"),
                false => say("nothing is being played"),
            },
            Action::MoreSamples => self.ask(TrialPurpose::More),
            Action::RollForward => self.ask(TrialPurpose::Onward),
            Action::AskAnew => self.ask(TrialPurpose::Anew),
            Action::Adopt => self.adopt(),
            Action::Open => {
                let session = self.trial.session(here).clone();
                vec![Effect::Open(session, Some(self.place()))]
            }
            Action::Inspect => self.inspect(),
            Action::PreviousTurn => self.answer(Action::Left),
            Action::NextTurn => self.answer(Action::Right),
            Action::Copy => copy(self.trial.reply(here)),
            Action::Pager => {
                let text = self.trial.whole(self.replies.show.content);
                vec![Effect::Do(Command::Page(text))]
            }
            other => {
                self.replies.act(other);
                Vec::new()
            }
        }
    }

    pub(super) fn key_typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(asking) = &mut self.asking else {
            return Vec::new();
        };
        match asking.key(key) {
            PopupResult::Stays => Vec::new(),
            PopupResult::Closes => {
                self.asking = None;
                Vec::new()
            }
            PopupResult::Says(answer) => {
                self.asking = None;
                self.play(answer)
            }
        }
    }

    fn play(&mut self, answer: TrialAnswer) -> Vec<Effect> {
        let (plan, stop) = self.trial.begin(answer);
        vec![Effect::Start(tasks::play(plan, stop))]
    }

    pub(super) fn ask(&mut self, purpose: TrialPurpose) -> Vec<Effect> {
        let stop = key_for(Context::Try, Action::StopStream);
        match self.trial.question(purpose, stop) {
            Ok(question) => {
                self.asking = Some(Asking::new(question));
                Vec::new()
            }
            Err(why) => say(why),
        }
    }

    fn leave(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.trial.stop() {
            effects.extend(say("the samples were stopped; what came is kept"));
        }
        effects.push(Effect::Leave);
        effects
    }

    fn adopt(&self) -> Vec<Effect> {
        let next = key_for(Context::Try, Action::NextTurn);
        match self.trial.adoptable(self.replies.columns.cursor(), next) {
            Err(why) => say(why),
            Ok(sample) if sample.adopted => {
                vec![Effect::Open(sample.session.clone(), Some(self.place()))]
            }
            Ok(sample) => vec![Effect::Start(tasks::adopt(sample.session.clone()))],
        }
    }

    /// Returns the position at which a session opens from here.
    pub(super) fn place(&self) -> SessionPosition {
        SessionPosition {
            turn: Some(self.trial.wish.turn.clone()),
            pane: None,
        }
    }

    /// Shows what the seat was shown: in the sample under the cursor, or when it was recorded.
    fn inspect(&self) -> Vec<Effect> {
        let here = self.replies.columns.cursor();
        match self.trial.attempt(here) {
            Some((state, id, _)) => {
                let session = self.trial.session(here);
                show(Inspector::of_attempt(session, state, &id))
            }
            None => say("no reply came yet: there is nothing to look into"),
        }
    }
}
