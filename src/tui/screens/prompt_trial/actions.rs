//! Actions of the prompt trial.

use super::ask::Asking;
use super::{Try, tasks};
use crate::tui::app::SessionPosition;
use crate::tui::app::{Command, Effect, copy_text, say_notice, show_screen};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::PopupResult;
use crate::tui::screens::inspect::Inspector;
use elenchus_run::drafts::prompt_trial::{TrialAnswer, TrialPurpose};
use elenchus_run::experiments::prompt_trial::TriedCall;
use ratatui::crossterm::event::KeyEvent;

impl Try {
    pub(super) fn handle_trial_action(&mut self, action: Action) -> Vec<Effect> {
        let here = self.replies.columns.cursor();
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave_trial(),
            Action::Interrupt if self.trial.playing_plan().is_none() => Vec::new(),
            Action::Interrupt | Action::StopStream => match self.trial.stop_samples() {
                true => say_notice("stopping; what came is kept"),
                false => say_notice("nothing is being played"),
            },
            Action::MoreSamples => self.open_question(TrialPurpose::More),
            Action::RollForward => self.open_question(TrialPurpose::Onward),
            Action::AskAnew => self.open_question(TrialPurpose::Anew),
            Action::Adopt => self.adopt_tried_sample(),
            Action::Open => {
                let session = self.trial.column_session(here).clone();
                vec![Effect::Open(session, Some(self.session_position()))]
            }
            Action::Inspect => self.show_inspector(),
            Action::PreviousTurn => self.handle_trial_action(Action::Left),
            Action::NextTurn => self.handle_trial_action(Action::Right),
            Action::Copy => copy_text(self.trial.reply_text(here)),
            Action::Pager => {
                let text = self.trial.whole_text(self.replies.show.content);
                vec![Effect::Do(Command::Page(text))]
            }
            other => {
                self.replies.handle_action(other);
                Vec::new()
            }
        }
    }

    pub(super) fn handle_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(asking) = &mut self.asking else {
            return Vec::new();
        };
        match asking.handle_key(key) {
            PopupResult::Stays => Vec::new(),
            PopupResult::Closes => {
                self.asking = None;
                Vec::new()
            }
            PopupResult::Says(answer) => {
                self.asking = None;
                self.play_samples(answer)
            }
        }
    }

    fn play_samples(&mut self, answer: TrialAnswer) -> Vec<Effect> {
        let (plan, stop) = self.trial.begin_samples(answer);
        vec![Effect::Start(tasks::play_samples(plan, stop))]
    }

    pub(super) fn open_question(&mut self, purpose: TrialPurpose) -> Vec<Effect> {
        let stop = key_for(Context::Try, Action::StopStream);
        match self.trial.build_question(purpose, stop) {
            Ok(question) => {
                self.asking = Some(Asking::new(question));
                Vec::new()
            }
            Err(why) => say_notice(why),
        }
    }

    fn leave_trial(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.trial.stop_samples() {
            effects.extend(say_notice("the samples were stopped; what came is kept"));
        }
        effects.push(Effect::Leave);
        effects
    }

    fn adopt_tried_sample(&self) -> Vec<Effect> {
        let next = key_for(Context::Try, Action::NextTurn);
        match self
            .trial
            .adoptable_sample(self.replies.columns.cursor(), next)
        {
            Err(why) => say_notice(why),
            Ok(sample) if sample.adopted => {
                vec![Effect::Open(
                    sample.session.clone(),
                    Some(self.session_position()),
                )]
            }
            Ok(sample) => vec![Effect::Start(tasks::start_adoption(sample.session.clone()))],
        }
    }

    /// Returns the position at which a session opens from here.
    pub(super) fn session_position(&self) -> SessionPosition {
        SessionPosition {
            turn: self.trial.wish.call.find_turn().cloned(),
            pane: None,
        }
    }

    /// Shows what the seat was shown: in the sample under the cursor, or when it was recorded.
    fn show_inspector(&self) -> Vec<Effect> {
        let here = self.replies.columns.cursor();
        let session = self.trial.column_session(here);
        let inspector = self.trial.column_state(here).and_then(|state| {
            Some(match &self.trial.wish.call {
                TriedCall::Turn(turn) => {
                    let (id, _) = state.chosen_attempt(turn)?;
                    Inspector::from_attempt(session, state, &id)
                }
                TriedCall::Verdict(place) => {
                    Inspector::from_verdict(session, state, &place.judging, &place.target, None)
                }
                TriedCall::Lesson(place) => {
                    Inspector::from_lesson(session, state, place.learner.as_ref())
                }
                TriedCall::Derivation(_) => Inspector::from_guardrail(session, state)?,
                TriedCall::GuardDecision(place) => {
                    Inspector::from_guard_decision(session, state, &place.chair)
                }
            })
        });
        match inspector {
            Some(inspector) => show_screen(inspector),
            None => say_notice("no reply came yet: there is nothing to look into"),
        }
    }
}
