//! Inspection: views of a seat are gone through part by part; the messages of an open step are changed for its
//! call and sent. Pure: it says what is to be kept, sent and shown.

use super::step_to_send::{StepFollowUp, StepToSend};
use super::{LiveCommand, LiveEvent, Preview, Sent};
use crate::exchange::{Content, Paragraph, Role};
use crate::workspace::Draft;
use crate::workspace::prompts::KeptPrompts;
use crate::workspace::seat_view::{ChangeKeys, Messages, SeatView, ViewOptions, ViewPages};

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
    pub fn show(&self) -> ViewOptions {
        self.show
    }

    pub fn mask(&mut self, content: Content) {
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
        let view = self.pages.view();
        view.map_or_else(String::new, |view| view.text(self.show))
    }

    /// Takes the request of the step, or why there is none.
    pub fn take_preview(&mut self, result: Result<Box<Preview>, String>) -> Vec<InspectionEffect> {
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
        let came_back = self.pages.change(|view| change(step, view));
        let mut effects = vec![InspectionEffect::ItemsChanged(None)];
        if came_back == Some(true) {
            effects.extend(say("your unsent changes of an earlier time are here again"));
        }
        effects
    }

    /// Takes in an event of the session.
    pub fn happened(&mut self, event: &LiveEvent) -> Vec<InspectionEffect> {
        let changes = self.pages.changes();
        let step = self.step.as_mut();
        match step.map(|step| step.happened(event, changes)) {
            Some(StepFollowUp::PreviewAgain) => vec![InspectionEffect::Preview],
            Some(StepFollowUp::Refused(why)) => vec![InspectionEffect::Fail(why)],
            Some(StepFollowUp::Nothing) | None => Vec::new(),
        }
    }

    /// Goes to where the next message begins, or the one before.
    pub fn beside(&self, item: usize, by: isize) -> Vec<InspectionEffect> {
        match self.pages.message_beside(item, by) {
            Some(to) => vec![InspectionEffect::GoTo(to)],
            None if by > 0 => say("this is the last message"),
            None => say("this is the first message"),
        }
    }

    /// Shows the next view, or the one before.
    pub fn turn(&mut self, by: isize) -> Vec<InspectionEffect> {
        match self.pages.turn(by) {
            true => vec![InspectionEffect::OtherView],
            false if self.pages.views() > 1 => say("there is no other view on this side"),
            false => Vec::new(),
        }
    }

    /// Shows what was changed, or all parts.
    pub fn toggle_differences(&mut self, item: usize) -> Vec<InspectionEffect> {
        if self.pages.changes() == 0 {
            let edit = self.keys.edit;
            return say(format!(
                "nothing was changed: {edit} edits the message under the cursor"
            ));
        }
        let message = self.pages.message(item);
        self.pages.toggle_differences();
        vec![self.stay_at(message)]
    }

    /// Stays at a message whose items are others now.
    fn stay_at(&self, message: Option<usize>) -> InspectionEffect {
        let first = message.and_then(|message| self.pages.first_of(message));
        InspectionEffect::ItemsChanged(first)
    }

    /// Says why nothing can be sent, where nothing can.
    ///
    /// # Errors
    /// When it was sent, or no model would be sent anything.
    pub fn can_send(&self) -> Result<(), String> {
        match &self.step {
            Some(step) => step.can_send(self.pages.view()),
            None => Err(format!(
                "this was sent already: {} on the debate screen asks the seat again",
                self.keys.ask_again
            )),
        }
    }

    /// Returns the message of an item with its text, where it can be changed.
    ///
    /// # Errors
    /// When nothing can be sent, content is masked, or the item belongs to no message.
    pub fn editable(&self, item: usize) -> Result<(usize, String), String> {
        self.can_send()?;
        if self.show.content == Content::Masked {
            let mask = self.keys.mask;
            return Err(format!(
                "content is masked and an editor would show it: {mask} unmasks"
            ));
        }
        let message = self.pages.message(item);
        let message = message.ok_or_else(|| "put the cursor on a message first".to_owned())?;
        Ok((message, self.message_text(message)))
    }

    fn message_text(&self, message: usize) -> String {
        let view = self.pages.view();
        view.map_or_else(String::new, |view| view.messages.text(message))
    }

    /// Keeps a message as it is being written.
    pub fn written(&self, message: usize, text: &str) -> Option<InspectionEffect> {
        self.draft(|messages| messages.draft_with(message, text))
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
        let here = self.pages.message(item);
        self.pages
            .change(|view| view.messages.change(message, text));
        let mut effects = vec![self.stay_at(here)];
        effects.extend(self.keep_draft());
        let InspectionKeys {
            difference,
            send,
            undo,
            ..
        } = self.keys;
        effects.extend(match self.pages.changes() {
            0 => say("nothing differs from what the step shows"),
            _ => say(format!(
                "changed for this call only: {difference} shows the differences, {send} sends it, \
                 {undo} takes it back"
            )),
        });
        effects
    }

    /// Takes the change of an item's message back.
    pub fn restore(&mut self, item: usize) -> Vec<InspectionEffect> {
        let here = self.pages.message(item);
        let restore = |message| self.pages.change(|view| view.messages.restore(message));
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
        self.draft(Messages::draft)
    }

    fn draft(&self, text: impl FnOnce(&Messages) -> String) -> Option<InspectionEffect> {
        let (step, view) = (self.step.as_ref()?, self.pages.view()?);
        let draft = step.draft(text(&view.messages));
        Some(InspectionEffect::KeepDraft(draft))
    }

    /// Takes a key as the answer to the question that is asked; `None` where it answers none.
    pub fn answer(&mut self, key: AnswerKey) -> Option<Vec<InspectionEffect>> {
        match (self.question.take()?, key) {
            (SendQuestion::Send, AnswerKey::Send) => Some(self.send_now()),
            (SendQuestion::Send, AnswerKey::Back) => Some(say("not sent")),
            (SendQuestion::Leave, AnswerKey::Back) => Some(vec![InspectionEffect::Leave]),
            (SendQuestion::Leave, AnswerKey::Undo) => {
                let dropped = self.draft(|_| String::new()).into_iter();
                Some(dropped.chain([InspectionEffect::Leave]).collect())
            }
            // Anything else goes on as if nothing had been asked.
            (SendQuestion::Send, AnswerKey::Undo | AnswerKey::Other)
            | (SendQuestion::Leave, AnswerKey::Send | AnswerKey::Other) => None,
        }
    }

    /// Leaves; asks first where changes would be left behind.
    pub fn leave(&mut self) -> Vec<InspectionEffect> {
        if self.pages.changes() == 0 {
            return vec![InspectionEffect::Leave];
        }
        self.question = Some(SendQuestion::Leave);
        self.keep_draft().into_iter().collect()
    }

    /// Sends the messages; asks first where they were changed.
    pub fn send(&mut self) -> Vec<InspectionEffect> {
        if let Err(why) = self.can_send() {
            return say(why);
        }
        if self.pages.changes() == 0 {
            return self.send_now();
        }
        self.question = Some(SendQuestion::Send);
        Vec::new()
    }

    fn send_now(&self) -> Vec<InspectionEffect> {
        let (Some(step), Some(view)) = (&self.step, self.pages.view()) else {
            return Vec::new();
        };
        let (sent, command) = step.send(&view.messages);
        vec![InspectionEffect::Send(sent, command)]
    }

    /// Says what is inspected, and how far it is.
    pub fn status(&self) -> String {
        let to_person = self.pages.view().is_some_and(|view| view.to_person);
        let words = match &self.step {
            Some(step) => step.status().words(self.pages.changes()),
            None if to_person => "shown to a person, nothing was sent".to_owned(),
            None => "as it was sent".to_owned(),
        };
        format!("inspector: {words}")
    }

    /// Returns the title of the view that is shown, and how far its call is.
    pub fn title(&self) -> Option<Paragraph> {
        let (role, mark) = match (&self.step, self.pages.view()?.to_person) {
            (Some(step), _) => step.status().mark(),
            (None, true) => (Role::FromPerson, " · shown to a person"),
            (None, false) => (Role::Muted, " · as it was sent"),
        };
        Some(self.pages.title()?.and(role, mark))
    }

    /// Returns what an item is and its place, or the question that is asked.
    pub fn foot(&self, item: usize) -> Paragraph {
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
                    self.pages.changes()
                );
                Paragraph::of(Role::Warning, text)
            }
            Some(SendQuestion::Leave) => {
                let text = format!(
                    "your changes are not sent: {back} leaves and keeps them, {undo} drops them, {send} sends"
                );
                Paragraph::of(Role::Warning, text)
            }
            None => self.pages.place(item, ChangeKeys { difference, undo }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PreviewRequest, PreviewUse, SentWhat};
    use super::*;
    use crate::debate::event::{Author, Event, Record};
    use crate::debate::step::{Speak, Step};
    use crate::debate::view::{MessageRole, PartSource, ViewMessage, ViewPart};
    use crate::debate::{Chair, SeatId, SessionId, TurnId};
    use crate::model::Sampling;

    const KEYS: InspectionKeys = InspectionKeys {
        edit: '1',
        difference: '2',
        send: '3',
        undo: '4',
        back: '5',
        mask: '6',
        ask_again: '7',
    };

    fn step() -> Step {
        Step::Speak(Speak {
            turn: TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap(),
            attempt: 0,
            retry: None,
        })
    }

    fn preview(is_sent: bool) -> Box<Preview> {
        let message = |role, text: &str| ViewMessage {
            role,
            parts: vec![ViewPart::new(PartSource::Topic, text)],
        };
        let request = PreviewRequest {
            model: "small".to_owned(),
            name: "small-1".to_owned(),
            simulated: true,
            sampling: Sampling::default(),
            schema: None,
            sha256: String::new(),
            likely: PreviewUse::default(),
            at_most: PreviewUse::default(),
        };
        Box::new(Preview {
            step: step().id(),
            chair: Chair {
                seat: SeatId::new("debater"),
                index: 0,
            },
            messages: vec![
                message(MessageRole::System, "You debate."),
                message(MessageRole::User, "Is it salty?"),
            ],
            request: is_sent.then_some(request),
        })
    }

    /// An open step whose request is not known.
    fn asked() -> Inspection {
        let pages = ViewPages::new(vec![SeatView::default()], 0);
        let step = StepToSend::new(SessionId::new("one"), step());
        Inspection::new(pages, Some(step), KEYS)
    }

    fn ready() -> Inspection {
        let mut inspection = asked();
        inspection.take_preview(Ok(preview(true)));
        inspection
    }

    fn changed() -> Inspection {
        let mut inspection = ready();
        inspection.take_text(1, 1, "Is it very salty?".to_owned());
        inspection
    }

    fn said(effects: &[InspectionEffect]) -> Vec<&str> {
        let said = effects.iter().filter_map(|effect| match effect {
            InspectionEffect::Say(text) => Some(text.as_str()),
            _ => None,
        });
        said.collect()
    }

    fn kept(effects: &[InspectionEffect]) -> Vec<&Draft> {
        let kept = effects.iter().filter_map(|effect| match effect {
            InspectionEffect::KeepDraft(draft) => Some(draft),
            _ => None,
        });
        kept.collect()
    }

    fn event() -> LiveEvent {
        LiveEvent::Happened(Record {
            at: String::new(),
            by: Author::Engine,
            event: Event::Resumed {},
        })
    }

    #[test]
    fn a_step_is_sent_once_its_request_is_known_and_unchanged_without_a_question() {
        let mut inspection = asked();
        assert_eq!(
            said(&inspection.send()),
            ["what would be sent is not known yet"]
        );
        inspection.take_preview(Ok(preview(true)));
        let effects = inspection.send();
        let [InspectionEffect::Send(sent, LiveCommand::Send { messages, .. })] = &*effects else {
            panic!("{effects:?}");
        };
        assert_eq!(sent.what, SentWhat::Step(step().id()));
        assert_eq!(messages, &preview(true).messages);
    }

    #[test]
    fn changed_messages_are_sent_by_a_second_key_and_by_no_other() {
        let mut inspection = changed();
        assert_eq!(inspection.send(), []);
        let foot = inspection.foot(0).runs;
        assert_eq!(
            foot[0].1,
            "1 of the messages differ from what the step shows: 3 sends them, 5 does not"
        );
        let answer = inspection.answer(AnswerKey::Back).unwrap();
        assert_eq!(said(&answer), ["not sent"]);
        assert_eq!(inspection.answer(AnswerKey::Send), None);
        inspection.send();
        assert_eq!(inspection.answer(AnswerKey::Other), None);
        assert_eq!(inspection.answer(AnswerKey::Send), None);
        inspection.send();
        let effects = inspection.answer(AnswerKey::Send).unwrap();
        let [InspectionEffect::Send(_, LiveCommand::Send { messages, .. })] = &*effects else {
            panic!("{effects:?}");
        };
        let typed = messages[1].parts.iter();
        assert!(typed.clone().any(|part| part.from == PartSource::Person));
    }

    #[test]
    fn a_changed_text_is_kept_and_taken_back() {
        let mut inspection = ready();
        let same = inspection.take_text(0, 0, "You debate.".to_owned());
        assert_eq!(said(&same), ["nothing differs from what the step shows"]);
        let effects = inspection.take_text(1, 1, "Is it very salty?".to_owned());
        assert_eq!(effects[0], InspectionEffect::ItemsChanged(Some(1)));
        assert!(kept(&effects)[0].text.contains("very"));
        assert_eq!(
            said(&effects),
            ["changed for this call only: 2 shows the differences, 3 sends it, 4 takes it back"]
        );
        assert_eq!(
            inspection.status(),
            "inspector: not sent yet, 1 message changed"
        );
        assert_eq!(
            said(&inspection.restore(0)),
            ["this message was not changed"]
        );
        let effects = inspection.restore(1);
        assert_eq!(kept(&effects)[0].text, "");
        assert_eq!(said(&effects), ["the message is as it was"]);
        assert_eq!(
            said(&inspection.toggle_differences(0)),
            ["nothing was changed: 1 edits the message under the cursor"]
        );
    }

    #[test]
    fn leaving_changes_asks_keeps_them_and_drops_them_on_request() {
        let mut inspection = ready();
        assert_eq!(inspection.leave(), [InspectionEffect::Leave]);
        let mut inspection = changed();
        assert_eq!(kept(&inspection.leave()).len(), 1);
        let left = inspection.answer(AnswerKey::Back);
        assert_eq!(left, Some(vec![InspectionEffect::Leave]));
        inspection.leave();
        let dropped = inspection.answer(AnswerKey::Undo).unwrap();
        assert_eq!(kept(&dropped)[0].text, "");
        assert_eq!(dropped.last(), Some(&InspectionEffect::Leave));
    }

    #[test]
    fn a_text_that_is_being_written_is_kept_and_left_out_where_it_is_not_used() {
        let inspection = changed();
        let written = inspection.written(0, "You").into_iter();
        let written: Vec<InspectionEffect> = written.collect();
        let text = &kept(&written)[0].text;
        assert!(text.contains("You") && text.contains("very"), "{text}");
        let left = inspection.editor_left(0, "You");
        assert!(!kept(&left)[0].text.contains("You"));
        assert_eq!(
            said(&left),
            ["left as it was: Ctrl-D in the editor uses the text"]
        );
        assert_eq!(said(&inspection.editor_left(0, "You debate.")), [""; 0]);
    }

    #[test]
    fn changes_of_an_earlier_time_come_back_whenever_they_are_found() {
        let earlier = changed().keep_draft();
        let draft = kept(earlier.as_slice())[0].clone();
        let words = ["your unsent changes of an earlier time are here again"];
        let mut early = asked();
        assert_eq!(said(&early.take_draft(&draft)), [""; 0]);
        assert_eq!(said(&early.take_preview(Ok(preview(true)))), words);
        let mut late = ready();
        assert_eq!(said(&late.take_draft(&draft)), words);
        assert_eq!(late.pages().changes(), 1);
        assert_eq!(said(&late.take_draft(&draft)), [""; 0]);
    }

    #[test]
    fn what_was_changed_stays_when_the_debate_goes_on_and_what_was_sent_is_not_sent_again() {
        let mut inspection = ready();
        assert_eq!(inspection.happened(&event()), [InspectionEffect::Preview]);
        let mut inspection = changed();
        assert_eq!(inspection.happened(&event()), []);
        assert_eq!(
            inspection.status(),
            "inspector: the debate went on, 1 message changed"
        );
        assert!(inspection.can_send().is_ok());
        let began = LiveEvent::Began { step: step().id() };
        inspection.happened(&began);
        assert_eq!(inspection.happened(&event()), []);
        assert_eq!(said(&inspection.send()), ["it was sent"]);
    }

    #[test]
    fn nothing_is_edited_that_is_masked_or_goes_to_no_model() {
        let mut inspection = ready();
        inspection.mask(Content::Masked);
        let why = inspection.editable(0).unwrap_err();
        assert_eq!(
            why,
            "content is masked and an editor would show it: 6 unmasks"
        );
        inspection.mask(Content::Shown);
        assert_eq!(inspection.editable(1), Ok((1, "Is it salty?".to_owned())));
        let request = inspection.pages().len() - 1;
        let why = inspection.editable(request).unwrap_err();
        assert_eq!(why, "put the cursor on a message first");
        let mut person = asked();
        person.take_preview(Ok(preview(false)));
        let why = person.editable(0).unwrap_err();
        assert_eq!(
            why,
            "a person sits here and nothing is sent: answer on the debate screen"
        );
        let mut gone = asked();
        gone.take_preview(Err("it is not open".to_owned()));
        assert_eq!(gone.can_send(), Err("it is not open".to_owned()));
        let sent = Inspection::new(ViewPages::new(vec![SeatView::default()], 0), None, KEYS);
        let why = sent.can_send().unwrap_err();
        assert_eq!(
            why,
            "this was sent already: 7 on the debate screen asks the seat again"
        );
        assert_eq!(sent.status(), "inspector: as it was sent");
    }

    #[test]
    fn messages_and_views_have_ends() {
        let mut inspection = ready();
        assert_eq!(inspection.beside(0, 1), [InspectionEffect::GoTo(1)]);
        assert_eq!(
            said(&inspection.beside(0, -1)),
            ["this is the first message"]
        );
        let last = inspection.pages().len() - 1;
        assert_eq!(
            said(&inspection.beside(last, 1)),
            ["this is the last message"]
        );
        assert_eq!(inspection.turn(1), []);
        let views = vec![SeatView::default(), SeatView::default()];
        let mut two = Inspection::new(ViewPages::new(views, 0), None, KEYS);
        assert_eq!(two.turn(1), [InspectionEffect::OtherView]);
        assert_eq!(said(&two.turn(1)), ["there is no other view on this side"]);
    }
}
