//! Inspection: views of a seat are gone through part by part; the messages of an open step are changed for its
//! call and sent. Pure: it says what is to be kept, sent and shown.

use super::step_to_send::{StepFollowUp, StepToSend};
use super::{LiveCommand, LiveEvent, Preview, Sent};
use elenchus_records::workspace::prompts::KeptPrompts;
use elenchus_records::workspace::{Draft, WorkspaceError, reject};
use elenchus_text::{Content, Paragraph, Role};
use elenchus_view::seat_view::{ChangeKeys, Messages, SeatView, ViewOptions, ViewPages};

/// What is inspected, and the question that is asked about it.
#[derive(Debug, Clone)]
pub struct Inspection {
    pages: ViewPages,
    /// The open step that is shown; `None` for what was sent already.
    step: Option<StepToSend>,
    question: Option<SendQuestion>,
    show: ViewOptions,
    keys: InspectionKeys,
}

/// Question that is not answered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SendQuestion {
    /// Changed messages are about to be sent.
    Send,
    /// Changes would be left behind.
    Leave,
}

/// Marks of the keys that what is said names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InspectionKeys {
    pub edit: char,
    /// Shows what was changed.
    pub difference: char,
    pub send: char,
    pub undo: char,
    pub back: char,
    /// Shows masked content.
    pub mask: char,
    /// Asks a seat again, on the debate screen.
    pub ask_again: char,
}

/// Key that may answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKey {
    Send,
    Back,
    Undo,
    Other,
}

/// Something to be done for an inspection; all in their order.
#[derive(Debug, Clone, PartialEq)]
pub enum InspectionEffect {
    /// Items are others; the cursor goes to one, or stays where it can.
    ItemsChanged(Option<usize>),
    /// Another view is shown, from its beginning.
    OtherView,
    GoTo(usize),
    Say(String),
    /// The request of the step is to be worked out.
    Preview,
    KeepDraft(Draft),
    /// The command is to be given; the draft goes once what came of it is durable.
    Send(Sent, LiveCommand),
    Leave,
    Fail(String),
}

fn say(text: impl Into<String>) -> Vec<InspectionEffect> {
    vec![InspectionEffect::Say(text.into())]
}

impl Inspection {
    pub fn new(pages: ViewPages, step: Option<StepToSend>, keys: InspectionKeys) -> Self {
        Self {
            pages,
            step,
            question: None,
            show: ViewOptions {
                content: Content::Shown,
                private: false,
            },
            keys,
        }
    }

    pub fn pages(&self) -> &ViewPages {
        &self.pages
    }

    pub fn step(&self) -> Option<&StepToSend> {
        self.step.as_ref()
    }

    /// Returns how much of the texts is shown.
    pub fn view_options(&self) -> ViewOptions {
        self.show
    }

    pub fn set_content(&mut self, content: Content) {
        self.show.content = content;
    }

    /// Shows private reasoning, or hides it.
    pub fn toggle_private(&mut self) {
        self.show.private = !self.show.private;
    }

    pub fn label_prompts(&mut self, kept: &KeptPrompts) {
        self.pages.label_prompts(kept);
    }

    /// Returns all messages of the view as one text, masked where content is.
    pub fn whole_text(&self) -> String {
        let view = self.pages.current_view();
        view.map_or_else(String::new, |view| view.full_text(self.show))
    }

    /// Takes the request of the step, or why there is none.
    pub fn take_preview(
        &mut self,
        result: Result<Box<Preview>, WorkspaceError>,
    ) -> Vec<InspectionEffect> {
        self.change_step(|step, view| step.take_preview(view, result))
    }

    /// Takes changes of an earlier time.
    pub fn take_draft(&mut self, draft: &Draft) -> Vec<InspectionEffect> {
        self.change_step(|step, view| step.take_draft(view, draft))
    }

    fn change_step(
        &mut self,
        change: impl FnOnce(&mut StepToSend, &mut SeatView) -> bool,
    ) -> Vec<InspectionEffect> {
        let Some(step) = &mut self.step else {
            return Vec::new();
        };
        let came_back = self.pages.change_view(|view| change(step, view));
        let mut effects = vec![InspectionEffect::ItemsChanged(None)];
        if came_back == Some(true) {
            effects.extend(say("your unsent changes of an earlier time are here again"));
        }
        effects
    }

    /// Takes in an event of the session.
    pub fn on_event(&mut self, event: &LiveEvent) -> Vec<InspectionEffect> {
        let changes = self.pages.change_count();
        let step = self.step.as_mut();
        match step.map(|step| step.on_event(event, changes)) {
            Some(StepFollowUp::PreviewAgain) => vec![InspectionEffect::Preview],
            Some(StepFollowUp::Refused(why)) => vec![InspectionEffect::Fail(why)],
            Some(StepFollowUp::Nothing) | None => Vec::new(),
        }
    }

    /// Goes to where the next message begins, or the one before.
    pub fn go_to_message(&self, item: usize, by: isize) -> Vec<InspectionEffect> {
        match self.pages.message_beside(item, by) {
            Some(to) => vec![InspectionEffect::GoTo(to)],
            None if by > 0 => say("this is the last message"),
            None => say("this is the first message"),
        }
    }

    /// Shows the next view, or the one before.
    pub fn turn_page(&mut self, by: isize) -> Vec<InspectionEffect> {
        match self.pages.go_to_view(by) {
            true => vec![InspectionEffect::OtherView],
            false if self.pages.view_count() > 1 => say("there is no other view on this side"),
            false => Vec::new(),
        }
    }

    /// Shows what was changed, or all parts.
    pub fn toggle_differences(&mut self, item: usize) -> Vec<InspectionEffect> {
        if self.pages.change_count() == 0 {
            let edit = self.keys.edit;
            return say(format!(
                "nothing was changed: {edit} edits the message under the cursor"
            ));
        }
        let message = self.pages.message_index(item);
        self.pages.toggle_differences();
        vec![self.stay_at(message)]
    }

    /// Stays at a message whose items are others now.
    fn stay_at(&self, message: Option<usize>) -> InspectionEffect {
        let first = message.and_then(|message| self.pages.first_item(message));
        InspectionEffect::ItemsChanged(first)
    }

    /// Says why nothing can be sent, where nothing can.
    ///
    /// # Errors
    /// When it was sent, or no model would be sent anything.
    pub fn can_send(&self) -> Result<(), WorkspaceError> {
        match &self.step {
            Some(step) => step.can_send(self.pages.current_view()),
            None => reject(format!(
                "this was sent already: {} on the debate screen asks the seat again",
                self.keys.ask_again
            )),
        }
    }

    /// Returns the message of an item with its text, where it can be changed.
    ///
    /// # Errors
    /// When nothing can be sent, content is masked, or the item belongs to no message.
    pub fn editable_message(&self, item: usize) -> Result<(usize, String), WorkspaceError> {
        self.can_send()?;
        if self.show.content == Content::Masked {
            let mask = self.keys.mask;
            return reject(format!(
                "content is masked and an editor would show it: {mask} unmasks"
            ));
        }
        let message = self.pages.message_index(item);
        let message =
            message.ok_or_else(|| WorkspaceError::invalid("put the cursor on a message first"))?;
        Ok((message, self.message_text(message)))
    }

    fn message_text(&self, message: usize) -> String {
        let view = self.pages.current_view();
        view.map_or_else(String::new, |view| view.messages.text(message))
    }

    /// Keeps a message as it is being written.
    pub fn keep_message_draft(&self, message: usize, text: &str) -> Option<InspectionEffect> {
        self.build_draft_effect(|messages| messages.draft_with(message, text))
    }

    /// Takes note that the editor of a message was left without using its text.
    pub fn editor_left(&self, message: usize, text: &str) -> Vec<InspectionEffect> {
        let mut effects: Vec<InspectionEffect> = self.keep_draft().into_iter().collect();
        if self.message_text(message) != text {
            effects.extend(say("left as it was: Ctrl-D in the editor uses the text"));
        }
        effects
    }

    /// Takes another text for a message; the cursor is on an item.
    pub fn take_text(
        &mut self,
        item: usize,
        message: usize,
        text: String,
    ) -> Vec<InspectionEffect> {
        let here = self.pages.message_index(item);
        self.pages
            .change_view(|view| view.messages.change_text(message, text));
        let mut effects = vec![self.stay_at(here)];
        effects.extend(self.keep_draft());
        let InspectionKeys {
            difference,
            send,
            undo,
            ..
        } = self.keys;
        effects.extend(match self.pages.change_count() {
            0 => say("nothing differs from what the step shows"),
            _ => say(format!(
                "changed for this call only: {difference} shows the differences, {send} sends it, \
                 {undo} takes it back"
            )),
        });
        effects
    }

    /// Takes the change of an item's message back.
    pub fn restore_message(&mut self, item: usize) -> Vec<InspectionEffect> {
        let here = self.pages.message_index(item);
        let restore = |message| {
            self.pages
                .change_view(|view| view.messages.restore_text(message))
        };
        if here.and_then(restore) != Some(true) {
            return say("this message was not changed");
        }
        let mut effects = vec![self.stay_at(here)];
        effects.extend(self.keep_draft());
        effects.extend(say("the message is as it was"));
        effects
    }

    /// Keeps the changes, or drops what was kept where there are none.
    fn keep_draft(&self) -> Option<InspectionEffect> {
        self.build_draft_effect(Messages::to_draft)
    }

    fn build_draft_effect(
        &self,
        text: impl FnOnce(&Messages) -> String,
    ) -> Option<InspectionEffect> {
        let (step, view) = (self.step.as_ref()?, self.pages.current_view()?);
        let draft = step.build_draft(text(&view.messages));
        Some(InspectionEffect::KeepDraft(draft))
    }

    /// Takes a key as the answer to the question that is asked; `None` where it answers none.
    pub fn answer_question(&mut self, key: AnswerKey) -> Option<Vec<InspectionEffect>> {
        match (self.question.take()?, key) {
            (SendQuestion::Send, AnswerKey::Send) => Some(self.send_now()),
            (SendQuestion::Send, AnswerKey::Back) => Some(say("not sent")),
            (SendQuestion::Leave, AnswerKey::Back) => Some(vec![InspectionEffect::Leave]),
            (SendQuestion::Leave, AnswerKey::Undo) => {
                let effects = self.build_draft_effect(|_| String::new()).into_iter();
                Some(effects.chain([InspectionEffect::Leave]).collect())
            }
            // Anything else goes on as if nothing had been asked.
            (SendQuestion::Send, AnswerKey::Undo | AnswerKey::Other)
            | (SendQuestion::Leave, AnswerKey::Send | AnswerKey::Other) => None,
        }
    }

    /// Leaves; asks first where changes would be left behind.
    pub fn leave(&mut self) -> Vec<InspectionEffect> {
        if self.pages.change_count() == 0 {
            return vec![InspectionEffect::Leave];
        }
        self.question = Some(SendQuestion::Leave);
        self.keep_draft().into_iter().collect()
    }

    /// Sends the messages; asks first where they were changed.
    pub fn send_messages(&mut self) -> Vec<InspectionEffect> {
        if let Err(why) = self.can_send() {
            return say(why.to_string());
        }
        if self.pages.change_count() == 0 {
            return self.send_now();
        }
        self.question = Some(SendQuestion::Send);
        Vec::new()
    }

    fn send_now(&self) -> Vec<InspectionEffect> {
        let (Some(step), Some(view)) = (&self.step, self.pages.current_view()) else {
            return Vec::new();
        };
        let (sent, command) = step.build_send(&view.messages);
        vec![InspectionEffect::Send(sent, command)]
    }

    /// Says what is inspected, and how far it is.
    pub fn describe_status(&self) -> String {
        let to_person = self.pages.current_view().is_some_and(|view| view.to_person);
        let words = match &self.step {
            Some(step) => step.status().describe(self.pages.change_count()),
            None if to_person => "shown to a person, nothing was sent".to_owned(),
            None => "as it was sent".to_owned(),
        };
        format!("inspector: {words}")
    }

    /// Returns the title of the view that is shown, and how far its call is.
    pub fn title(&self) -> Option<Paragraph> {
        let (role, mark) = match (&self.step, self.pages.current_view()?.to_person) {
            (Some(step), _) => step.status().title_mark(),
            (None, true) => (Role::FromPerson, " · shown to a person"),
            (None, false) => (Role::Muted, " · as it was sent"),
        };
        Some(self.pages.title()?.with_run(role, mark))
    }

    /// Returns what an item is and its place, or the question that is asked.
    pub fn footer(&self, item: usize) -> Paragraph {
        let InspectionKeys {
            difference,
            send,
            undo,
            back,
            ..
        } = self.keys;
        match self.question {
            Some(SendQuestion::Send) => {
                let text = format!(
                    "{} of the messages differ from what the step shows: {send} sends them, {back} does not",
                    self.pages.change_count()
                );
                Paragraph::new(Role::Warning, text)
            }
            Some(SendQuestion::Leave) => {
                let text = format!(
                    "your changes are not sent: {back} leaves and keeps them, {undo} drops them, {send} sends"
                );
                Paragraph::new(Role::Warning, text)
            }
            None => self
                .pages
                .describe_place(item, ChangeKeys { difference, undo }),
        }
    }
}

#[cfg(test)]
mod tests;
