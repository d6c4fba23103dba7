//! Beginning of what the new-debate form says: its faults are shown first, and names that no server lists
//! are asked about.

use super::NewDebate;
use super::ask::Over;
use super::form::FormField;
use crate::tui::app::{Deed, Effect, RunDeed};
use crate::tui::popups::{Confirm, ConfirmAnswer};
use crate::tui::theme::Role;

impl NewDebate {
    pub(super) fn begin(&mut self) -> Vec<Effect> {
        let faults = self.faults();
        if let Some((field, fault)) = faults.iter().next() {
            self.focus = field.clone();
            let text = format!("{}: {fault}", self.label(field).trim());
            return vec![Effect::Say(Role::Warning, text)];
        }
        match self.protocol() {
            Some(_) if !self.beginning && self.is_questioned() => self.question_names(),
            Some(protocol) if !self.beginning => {
                let deed = match self.form.run_plan(protocol, self.default_model()) {
                    Some(run) => Deed::Run(RunDeed::Begin(Box::new(run))),
                    None => {
                        let plan = self.form.plan(protocol, self.default_model());
                        Deed::Begin(Box::new(plan))
                    }
                };
                self.beginning = true;
                vec![Effect::Do(deed)]
            }
            Some(_) => Vec::new(),
            None => {
                let text = "the game is being read";
                vec![Effect::Say(Role::Notice, text.to_owned())]
            }
        }
    }

    /// Names that no server lists and that were not confirmed yet.
    fn is_questioned(&self) -> bool {
        match &self.prepared {
            Some(Ok(prepared)) => {
                // A name in the configuration is accepted even if the server does not list it.
                let mut doubtful = prepared.unlisted().iter().filter(|it| !it.is_configured);
                doubtful.any(|model| !self.meant.contains(model))
            }
            Some(Err(_)) | None => false,
        }
    }

    fn question_names(&mut self) -> Vec<Effect> {
        if let Some(Ok(prepared)) = &self.prepared {
            let said: Vec<String> = prepared
                .unlisted()
                .iter()
                .map(ToString::to_string)
                .collect();
            let question = format!("{}. Begin all the same?", said.join("; "));
            let ask = Confirm::new("A name that is not listed", &question, ConfirmAnswer::No);
            self.over = Over::Unlisted(ask);
        }
        Vec::new()
    }

    /// Takes the answer to the question whether a name is meant that is not listed.
    pub(super) fn answer_names(&mut self, answer: ConfirmAnswer) -> Vec<Effect> {
        match (answer, &self.prepared) {
            (ConfirmAnswer::Yes, Some(Ok(prepared))) => {
                self.meant = prepared.unlisted().to_vec();
                self.begin()
            }
            (ConfirmAnswer::Yes | ConfirmAnswer::No, _) => {
                self.focus = FormField::Everybody;
                Vec::new()
            }
        }
    }
}
