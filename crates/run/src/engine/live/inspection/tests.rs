//! Tests of an inspection without a terminal.

use super::super::{PreviewRequest, PreviewUse, SentWhat};
use super::*;
use elenchus_game::debate::event::{Author, Event, Record};
use elenchus_game::debate::step::{Speak, Step};
use elenchus_game::debate::view::{MessageRole, PartSource, ViewMessage, ViewPart};
use elenchus_game::debate::{Chair, SeatId, SessionId, TurnId};
use elenchus_model::Sampling;

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
        form: None,
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
        said(&inspection.send_messages()),
        ["what would be sent is not known yet"]
    );
    inspection.take_preview(Ok(preview(true)));
    let effects = inspection.send_messages();
    let [InspectionEffect::Send(sent, LiveCommand::Send { messages, .. })] = &*effects else {
        panic!("{effects:?}");
    };
    assert_eq!(sent.what, SentWhat::Step(step().id()));
    assert_eq!(messages, &preview(true).messages);
}

#[test]
fn changed_messages_are_sent_by_a_second_key_and_by_no_other() {
    let mut inspection = changed();
    assert_eq!(inspection.send_messages(), []);
    let foot = inspection.footer(0).runs;
    assert_eq!(
        foot[0].1,
        "1 of the messages differ from what the step shows: 3 sends them, 5 does not"
    );
    let answer = inspection.answer_question(AnswerKey::Back).unwrap();
    assert_eq!(said(&answer), ["not sent"]);
    assert_eq!(inspection.answer_question(AnswerKey::Send), None);
    inspection.send_messages();
    assert_eq!(inspection.answer_question(AnswerKey::Other), None);
    assert_eq!(inspection.answer_question(AnswerKey::Send), None);
    inspection.send_messages();
    let effects = inspection.answer_question(AnswerKey::Send).unwrap();
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
        inspection.describe_status(),
        "inspector: not sent yet, 1 message changed"
    );
    assert_eq!(
        said(&inspection.restore_message(0)),
        ["this message was not changed"]
    );
    let effects = inspection.restore_message(1);
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
    let left = inspection.answer_question(AnswerKey::Back);
    assert_eq!(left, Some(vec![InspectionEffect::Leave]));
    inspection.leave();
    let dropped = inspection.answer_question(AnswerKey::Undo).unwrap();
    assert_eq!(kept(&dropped)[0].text, "");
    assert_eq!(dropped.last(), Some(&InspectionEffect::Leave));
}

#[test]
fn a_text_that_is_being_written_is_kept_and_left_out_where_it_is_not_used() {
    let inspection = changed();
    let written = inspection.keep_message_draft(0, "You").into_iter();
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
    assert_eq!(late.pages().change_count(), 1);
    assert_eq!(said(&late.take_draft(&draft)), [""; 0]);
}

#[test]
fn what_was_changed_stays_when_the_debate_goes_on_and_what_was_sent_is_not_sent_again() {
    let mut inspection = ready();
    assert_eq!(inspection.on_event(&event()), [InspectionEffect::Preview]);
    let mut inspection = changed();
    assert_eq!(inspection.on_event(&event()), []);
    assert_eq!(
        inspection.describe_status(),
        "inspector: the debate went on, 1 message changed"
    );
    assert!(inspection.can_send().is_ok());
    let began = LiveEvent::Began { step: step().id() };
    inspection.on_event(&began);
    assert_eq!(inspection.on_event(&event()), []);
    assert_eq!(said(&inspection.send_messages()), ["it was sent"]);
}

#[test]
fn nothing_is_edited_that_is_masked_or_goes_to_no_model() {
    let mut inspection = ready();
    inspection.set_content(Content::Masked);
    let why = inspection.editable_message(0).unwrap_err();
    assert_eq!(
        why.to_string(),
        "content is masked and an editor would show it: 6 unmasks"
    );
    inspection.set_content(Content::Shown);
    assert_eq!(
        inspection.editable_message(1).unwrap(),
        (1, "Is it salty?".to_owned())
    );
    let request = inspection.pages().len() - 1;
    let why = inspection.editable_message(request).unwrap_err();
    assert_eq!(why.to_string(), "put the cursor on a message first");
    let mut person = asked();
    person.take_preview(Ok(preview(false)));
    let why = person.editable_message(0).unwrap_err();
    assert_eq!(
        why.to_string(),
        "a person sits here and nothing is sent: answer on the debate screen"
    );
    let mut gone = asked();
    gone.take_preview(Err(WorkspaceError::invalid("it is not open")));
    assert_eq!(gone.can_send().unwrap_err().to_string(), "it is not open");
    let sent = Inspection::new(ViewPages::new(vec![SeatView::default()], 0), None, KEYS);
    let why = sent.can_send().unwrap_err();
    assert_eq!(
        why.to_string(),
        "this was sent already: 7 on the debate screen asks the seat again"
    );
    assert_eq!(sent.describe_status(), "inspector: as it was sent");
}

#[test]
fn messages_and_views_have_ends() {
    let mut inspection = ready();
    assert_eq!(inspection.go_to_message(0, 1), [InspectionEffect::GoTo(1)]);
    assert_eq!(
        said(&inspection.go_to_message(0, -1)),
        ["this is the first message"]
    );
    let last = inspection.pages().len() - 1;
    assert_eq!(
        said(&inspection.go_to_message(last, 1)),
        ["this is the last message"]
    );
    assert_eq!(inspection.turn_page(1), []);
    let views = vec![SeatView::default(), SeatView::default()];
    let mut two = Inspection::new(ViewPages::new(views, 0), None, KEYS);
    assert_eq!(two.turn_page(1), [InspectionEffect::OtherView]);
    assert_eq!(
        said(&two.turn_page(1)),
        ["there is no other view on this side"]
    );
}
