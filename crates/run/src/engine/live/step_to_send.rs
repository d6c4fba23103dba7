//! Step to send: an open step whose messages a person sees, may change for this one call, and sends. Pure.

use super::{CallProgress, LiveCommand, LiveEvent, LiveGroup, Preview, Sent, SentWhat};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::step::Step;
use elenchus_records::workspace::{Draft, WorkspaceError, reject};
use elenchus_text::Role;
use elenchus_view::seat_view::{Messages, SeatView};

/// An open step of a session, and how far its request is.
#[derive(Debug, Clone)]
pub struct StepToSend {
    session: SessionId,
    step: Step,
    status: SendStatus,
    /// Changes of an earlier time that came before the messages did.
    draft: Option<String>,
}

/// How far the request of a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendStatus {
    /// It is being worked out.
    Asked,
    Ready,
    /// The debate went on after the messages were changed.
    Stale,
    /// Its call was sent.
    Sent,
    /// It shows no model anything, or is not open any more.
    Gone(String),
}

/// What an event of the session asks of whoever shows the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepFollowUp {
    Nothing,
    /// The request may be another: it is to be worked out again.
    PreviewAgain,
    /// The command was refused.
    Refused(String),
}

impl SendStatus {
    /// Returns what is said behind the title.
    pub fn title_mark(&self) -> (Role, &'static str) {
        match self {
            SendStatus::Asked | SendStatus::Ready => (Role::Accent, " · not sent yet"),
            SendStatus::Stale => (
                Role::Warning,
                " · the debate went on since you changed this",
            ),
            SendStatus::Sent => (Role::Streaming, " · sent"),
            SendStatus::Gone(_) => (Role::Warning, " · not open"),
        }
    }

    /// Says how far it is; so many messages were changed.
    pub fn describe(&self, changes: usize) -> String {
        let change_text = match changes {
            0 => String::new(),
            1 => ", 1 message changed".to_owned(),
            many => format!(", {many} messages changed"),
        };
        match self {
            SendStatus::Asked => "working out what would be sent".to_owned(),
            SendStatus::Ready => format!("not sent yet{change_text}"),
            SendStatus::Stale => format!("the debate went on{change_text}"),
            SendStatus::Sent => "sent".to_owned(),
            SendStatus::Gone(_) => "nothing to send".to_owned(),
        }
    }
}

impl StepToSend {
    /// A step whose request is still to be worked out.
    pub fn new(session: SessionId, step: Step) -> Self {
        Self {
            session,
            step,
            status: SendStatus::Asked,
            draft: None,
        }
    }

    pub fn step(&self) -> &Step {
        &self.step
    }

    pub fn status(&self) -> &SendStatus {
        &self.status
    }

    /// Takes the request, or why there is none, into the view of the step; says whether changes of an earlier
    /// time came back. Those of now stay.
    pub fn take_preview(
        &mut self,
        view: &mut SeatView,
        result: Result<Box<Preview>, WorkspaceError>,
    ) -> bool {
        let preview = match result {
            Ok(preview) => preview,
            Err(why) => {
                let why = why.to_string();
                view.nothing = Some(why.clone());
                self.status = SendStatus::Gone(why);
                return false;
            }
        };
        let current_draft = view.messages.to_draft();
        preview.fill_view(view);
        self.status = SendStatus::Ready;
        if !view.to_model {
            return false;
        }
        view.messages.apply_draft(&current_draft);
        let earlier = self.draft.take();
        earlier.is_some_and(|draft| view.messages.apply_draft(&draft))
    }

    /// Takes changes of an earlier time, now or once the messages are there; says whether any came back now.
    pub fn take_draft(&mut self, view: &mut SeatView, draft: &Draft) -> bool {
        if self.status == SendStatus::Asked {
            self.draft = Some(draft.text.clone());
            return false;
        }
        view.messages.apply_draft(&draft.text)
    }

    /// Takes in an event of the session, while so many messages are changed.
    pub fn on_event(&mut self, event: &LiveEvent, changes: usize) -> StepFollowUp {
        match event.group() {
            LiveGroup::Record(_) if self.status == SendStatus::Sent => StepFollowUp::Nothing,
            // What was changed stays as it was read: a person decides.
            LiveGroup::Record(_) if changes > 0 => {
                self.status = SendStatus::Stale;
                StepFollowUp::Nothing
            }
            LiveGroup::Record(_) => StepFollowUp::PreviewAgain,
            LiveGroup::Call(step, CallProgress::Began) if *step == self.step.id() => {
                self.status = SendStatus::Sent;
                StepFollowUp::Nothing
            }
            LiveGroup::Refused { why, .. } => StepFollowUp::Refused(why.to_owned()),
            LiveGroup::Call(..)
            | LiveGroup::Seat(_)
            | LiveGroup::Rest(_)
            | LiveGroup::Notice
            | LiveGroup::Broke(_) => StepFollowUp::Nothing,
        }
    }

    /// Says why its messages can be neither changed nor sent, where that is so.
    ///
    /// # Errors
    /// When its request is not known, was sent, or goes to no model.
    pub fn can_send(&self, view: Option<&SeatView>) -> Result<(), WorkspaceError> {
        match &self.status {
            SendStatus::Asked => reject("what would be sent is not known yet"),
            SendStatus::Sent => reject("it was sent"),
            SendStatus::Gone(why) => reject(why),
            SendStatus::Ready | SendStatus::Stale => match view.is_some_and(|view| view.to_model) {
                true => Ok(()),
                false => {
                    reject("a person sits here and nothing is sent: answer on the debate screen")
                }
            },
        }
    }

    /// Returns the command that sends messages, and the note that drops their draft once what came of them is
    /// durable.
    pub fn build_send(&self, messages: &Messages) -> (Sent, LiveCommand) {
        let step = self.step.id();
        let note = Sent {
            session: self.session.clone(),
            place: self.draft_place(),
            what: SentWhat::Step(step.clone()),
        };
        let messages = messages.messages_to_send();
        (note, LiveCommand::Send { step, messages })
    }

    /// Returns where the changes to its messages are kept.
    pub fn draft_place(&self) -> String {
        format!("{} send {}", self.session, self.step.id())
    }

    /// Returns a draft of its changes; an empty one drops what was kept.
    pub fn build_draft(&self, text: String) -> Draft {
        let place = self.draft_place();
        Draft { place, text }
    }
}
