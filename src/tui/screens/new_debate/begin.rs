//! Beginning of a debate from the form, after its cost was shown: faults come first, and names that no
//! server lists are asked about.

use super::chooser::Choice;
use super::{DRAFT, NewDebate, tasks};
use crate::debate::SessionId;
use crate::experiments::BackgroundTask;
use crate::tui::app::{Command, Effect, RunCommand, Ticket, fail, say, warn};
use crate::tui::popups::Dialog;
use crate::workspace::{Draft, Opened};
use std::sync::Arc;

impl NewDebate {
    /// Asks for the cost of the debate; answers to earlier questions are ignored.
    pub(super) fn prepare(&mut self) -> Vec<Effect> {
        let Some(game) = self.game().cloned() else {
            return Vec::new();
        };
        self.ticket = Ticket(self.ticket.0 + 1);
        if self.needs_somebody() {
            self.prepared = None;
            return Vec::new();
        }
        let (draft, model) = (self.draft.clone(), self.default_model());
        let task = tasks::prepare(self.ticket, draft, game, model.map(str::to_owned));
        vec![Effect::Start(task)]
    }

    pub(super) fn begin(&mut self) -> Vec<Effect> {
        let faults = self.faults();
        if let Some((field, fault)) = faults.iter().next() {
            self.rows.focus = field.clone();
            return warn(format!("{}: {fault}", self.label(field).trim()));
        }
        let Some(plan) = self.plan() else {
            return say("the game is being read");
        };
        if self.beginning {
            return Vec::new();
        }
        if let Some(question) = self.doubt() {
            let title = "A name that is not listed";
            self.over = Some(Dialog::confirm(title, &question, Choice::Unlisted));
            return Vec::new();
        }
        self.beginning = true;
        vec![match self.draft.run_plan(plan.clone()) {
            Some(run) => Effect::Do(Command::Run(RunCommand::Play(BackgroundTask::New(
                Box::new(run),
            )))),
            None => Effect::Start(tasks::begin_debate(plan)),
        }]
    }

    /// Asks about names that no server lists and that were not confirmed yet. A name in the
    /// configuration is accepted even if the server does not list it.
    fn doubt(&self) -> Option<String> {
        let unlisted = match &self.prepared {
            Some(Ok(prepared)) => prepared.unlisted(),
            Some(Err(_)) | None => return None,
        };
        let mut doubtful = unlisted.iter().filter(|model| !model.is_configured);
        doubtful.find(|model| !self.meant.contains(model))?;
        let said: Vec<String> = unlisted.iter().map(ToString::to_string).collect();
        Some(format!("{}. Begin all the same?", said.join("; ")))
    }

    /// Takes that names are meant that are not listed.
    pub(super) fn mean_names(&mut self) -> Vec<Effect> {
        if let Some(Ok(prepared)) = &self.prepared {
            self.meant = prepared.unlisted().to_vec();
        }
        self.begin()
    }

    /// Takes in that the debate began, and shows it.
    pub(super) fn has_begun(
        &mut self,
        result: Result<(SessionId, Arc<Opened>), String>,
    ) -> Vec<Effect> {
        self.beginning = false;
        match result {
            Ok((session, opened)) => {
                self.begun = Some(self.draft.choices());
                let empty = Draft {
                    place: DRAFT.to_owned(),
                    text: String::new(),
                };
                vec![
                    Effect::Do(Command::Draft(empty)),
                    Effect::Leave,
                    Effect::OpenBegun(session, opened),
                ]
            }
            Err(why) => {
                self.prepared = Some(Err(why.clone()));
                fail(why)
            }
        }
    }
}
