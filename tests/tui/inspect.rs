//! The inspector.

use crate::tui::drawing::ansi;
use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::{Broadcast, Command, Deliver, Effect, Screen};
use elenchus::tui::components::{LockMessage, SessionAccess};
use elenchus::tui::screens::inspect::{Inspector, Message};
use elenchus::tui::theme::Role;
use elenchus::tui::widgets::Content;
use elenchus_game::debate::event::Event;
use elenchus_game::debate::view::{MessageRole, PartSource};
use elenchus_game::debate::{AttemptId, JudgingId, SessionId, Step, Target, TurnId};
use elenchus_model::Sampling;
use elenchus_records::workspace::prompts::{KeptPrompts, PromptName, version_of};
use elenchus_records::workspace::{Draft, WorkspaceError};
use elenchus_run::engine::live::SentWhat;
use elenchus_run::engine::live::{LiveCommand, LiveEvent, Preview, PreviewRequest, PreviewUse};
use elenchus_store::Hash as TextHash;
use elenchus_test_support::debates::{CALM, Play, game};
use std::sync::Arc;

const SESSION: &str = "01SESSION";

fn session() -> SessionId {
    SessionId::new(SESSION)
}

fn second(step: &Step) -> bool {
    matches!(step, Step::Speak(speak) if speak.turn.round == 2)
}

/// A debate whose second round is open.
fn halfway() -> (Play, Step) {
    let mut play = Play::begin(SESSION, game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.until(&CALM, second);
    let step = play
        .state
        .find_open_steps()
        .steps
        .into_iter()
        .find(second)
        .unwrap();
    (play, step)
}

fn preview(play: &Play, step: &Step) -> Preview {
    let Step::Speak(speak) = step else {
        panic!("nobody speaks");
    };
    Preview {
        step: step.id(),
        chair: speak.turn.chair.clone(),
        messages: play.view(speak).messages,
        request: Some(PreviewRequest {
            model: "small".to_owned(),
            name: "small-model-1".to_owned(),
            simulated: true,
            sampling: Sampling {
                temperature: Some(0.7),
                max_tokens: Some(512),
                ..Sampling::default()
            },
            form: None,
            sha256: "ab12cd34".repeat(8),
            likely: PreviewUse {
                input_tokens: 300,
                output_tokens: 256,
                cost_usd: Some(0.0007),
            },
            at_most: PreviewUse {
                input_tokens: 1200,
                output_tokens: 512,
                cost_usd: Some(0.0021),
            },
        }),
    }
}

/// The inspector of the open step, with its messages.
fn opened() -> (TestScreen<Inspector>, Play, Step) {
    let (play, step) = halfway();
    let mut screen = Inspector::from_step(
        &session(),
        &play.state,
        step.clone(),
        SessionAccess::Lockable,
    );
    let effects = screen.handle_open();
    let mut stage = TestScreen::with(screen, effects);
    stage.update(Message::Previewed(Ok(Box::new(preview(&play, &step)))));
    stage.draw(80, 24);
    (stage, play, step)
}

fn attempt() -> AttemptId {
    AttemptId {
        turn: TurnId::try_from("r2.answer.debater-0".to_owned()).unwrap(),
        attempt: 0,
    }
}

#[test]
fn what_was_sent_is_shown_with_where_each_part_comes_from() {
    let mut play = Play::begin(SESSION, game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.go_to_end(&CALM);
    let mut stage = TestScreen::new(Inspector::from_attempt(&session(), &play.state, &attempt()));
    insta::assert_snapshot!("sent_80x24", stage.draw(80, 24));
    let whole = stage.press("P").commands();
    let Some(Command::Page(page)) = whole.first() else {
        panic!("{whole:?}");
    };
    for words in [
        "[the topic]",
        "[document 1: hours.txt]",
        "[memory entry lesson-7, score 0.812, learned in session 01EARLIER]",
        "[turn r1.answer.debater-1#0 of Debater 2]",
        "[the seat's own turn r1.answer.debater-0#0]",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
}

#[test]
fn the_version_that_an_attempt_was_asked_for_with_has_its_label() {
    let mut play = Play::begin(SESSION, game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.go_to_end(&CALM);
    let mut stage = TestScreen::new(Inspector::from_attempt(&session(), &play.state, &attempt()));
    let (template, hash) = version_of(&play.state, &attempt()).unwrap();
    let text = play.state.template_after(0, &template).unwrap();
    assert_eq!(hash, TextHash::digest(text.as_bytes()));
    let name: PromptName = "pred/debater".parse().unwrap();
    let other: PromptName = "sred/debater".parse().unwrap();
    let mut kept = KeptPrompts::default();
    let labels = [(name, "patient"), (other, "elsewhere")];
    kept.labels = labels
        .map(|(name, label)| (name, [(label.to_owned(), hash)].into()))
        .into();
    assert!(!stage.draw(120, 40).contains("patient"));
    stage.update(Message::Labels(kept));
    let page = stage.draw(120, 40);
    let line = page
        .lines()
        .find(|line| line.contains("prompt pred/debater"));
    assert!(line.unwrap().trim_end().ends_with("[patient]"), "{page}");
}

#[test]
fn what_a_server_did_not_take_as_it_was_composed_is_named() {
    let (mut play, step) = halfway();
    let Step::Speak(speak) = &step else {
        panic!("nobody speaks");
    };
    let mut event = play.replied(speak, "It depends on who pays.", 0);
    let Event::Replied(replied) = &mut event else {
        panic!("{event:?}");
    };
    replied.reply.left_out = vec!["temperature".to_owned(), "seed".to_owned()];
    let renamed = ("max_tokens", "max_completion_tokens");
    replied.reply.sent_as = [(renamed.0.to_owned(), renamed.1.to_owned())].into();
    play.happens(event);
    let id = AttemptId {
        turn: speak.turn.clone(),
        attempt: 0,
    };
    let mut stage = TestScreen::new(Inspector::from_attempt(&session(), &play.state, &id));
    let page = stage.draw(120, 40);
    let line = "sent without temperature, without seed, max tokens as max completion tokens";
    assert!(page.contains(line), "{page}");
}

#[test]
fn a_verdicts_view_is_shown_too() {
    let mut play = Play::begin(SESSION, game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.go_to_end(&CALM);
    let screen = Inspector::from_verdict(
        &session(),
        &play.state,
        &JudgingId::new("safety"),
        &Target::Attempt(attempt()),
        None,
    );
    let mut stage = TestScreen::new(screen);
    insta::assert_snapshot!("verdict_80x24", stage.draw(80, 24));
}

#[test]
fn parts_and_messages_are_walked_over_and_copied_exactly() {
    let (mut stage, play, step) = opened();
    let messages = preview(&play, &step).messages;
    stage.asked();
    let parts: Vec<String> = messages
        .iter()
        .flat_map(|message| &message.parts)
        .map(|part| part.text.clone().unwrap())
        .collect();
    let mut copied = Vec::new();
    stage.draw(80, 200);
    for _ in &parts {
        let commands = stage.press("y j").commands();
        let Some(Command::Copy(text)) = commands.into_iter().next() else {
            panic!("nothing was copied");
        };
        copied.push(text);
    }
    assert_eq!(copied, parts);
    stage.press("g g ] y");
    let commands = stage.commands();
    assert!(
        matches!(commands.as_slice(), [Command::Copy(text)]
            if Some(text) == messages[1].parts[0].text.as_ref()),
        "{commands:?}"
    );
}

#[test]
fn an_unchanged_step_is_sent_at_once() {
    let (mut stage, play, step) = opened();
    assert_eq!(
        stage.asked_briefly(),
        ["start: preview a request", "start: find a draft"]
    );
    insta::assert_snapshot!("step_80x24", stage.draw(80, 24));
    stage.press("n");
    let messages = preview(&play, &step).messages;
    let order = LiveCommand::Send {
        step: step.id(),
        messages,
    };
    let ordered =
        |effect: &Effect| matches!(effect, Effect::Order(given) if given.command == order);
    assert!(stage.effects.iter().any(ordered), "{:?}", stage.asked());
}

#[test]
fn a_changed_message_is_marked_confirmed_sent_and_its_draft_dropped() {
    let (mut stage, _, step) = opened();
    stage.asked();
    stage.press("] e");
    insta::assert_snapshot!("editing_80x24", stage.draw(80, 24));
    stage.write("Briefly: ").press("Ctrl-D");
    let commands = stage.commands();
    let Some(Command::Draft(draft)) = commands.last() else {
        panic!("{commands:?}");
    };
    assert!(draft.place.contains(SESSION) && draft.text.contains("Briefly: "));
    insta::assert_snapshot!("changed_80x24", stage.draw(80, 24));
    stage.press("d");
    let page = stage.draw(80, 40);
    assert!(page.contains("{+Briefly: +}"), "{page}");
    // One key asks, the same key sends; anything in between does not.
    assert!(stage.press("n Esc").commands().is_empty());
    assert!(stage.press("n").commands().is_empty());
    assert!(stage.draw(80, 24).contains("n sends them"));
    stage.press("n");
    // The draft is dropped when what came of it is durable.
    let [Effect::Sent(sent), Effect::Order(order)] = stage.effects.as_slice() else {
        panic!("it is not sent");
    };
    let LiveCommand::Send { step: of, messages } = &order.command else {
        panic!("it is not sent");
    };
    assert_eq!((&sent.what, of), (&SentWhat::Step(step.id()), &step.id()));
    let typed: Vec<&str> = (messages.iter())
        .flat_map(|message| &message.parts)
        .filter(|part| part.from == PartSource::Person)
        .map(|part| part.text.as_deref().unwrap())
        .collect();
    assert_eq!(typed, ["Briefly: "]);
    assert_eq!(messages[1].role, MessageRole::User);
}

#[test]
fn leaving_changes_asks_and_undo_takes_them_back() {
    let (mut stage, _, _) = opened();
    stage.press("e").write("X").press("Ctrl-D").asked();
    assert!(stage.is_busy());
    assert_eq!(stage.press("Esc").asked_briefly(), ["Draft"]);
    assert!(stage.draw(80, 24).contains("Esc leaves and keeps them"));
    assert_eq!(stage.press("Esc").asked(), ["leave"]);
    stage.press("u").asked();
    assert!(!stage.is_busy());
    assert_eq!(stage.press("Esc").asked(), ["leave"]);
}

#[test]
fn a_draft_of_an_earlier_time_is_taken_up_whenever_it_comes() {
    let (mut stage, _, step) = opened();
    stage.press("e").write("X").press("Ctrl-D");
    let drafts = stage.commands().into_iter().filter_map(|deed| match deed {
        Command::Draft(draft) => Some(draft),
        _ => None,
    });
    let draft: Draft = drafts.last().unwrap();
    let (play, _) = halfway();
    for early in [true, false] {
        let screen = Inspector::from_step(
            &session(),
            &play.state,
            step.clone(),
            SessionAccess::Lockable,
        );
        let mut stage = TestScreen::new(screen);
        let previewed = Message::Previewed(Ok(Box::new(preview(&play, &step))));
        let found = Message::DraftFound(draft.clone());
        if early {
            stage.update(found).update(previewed);
        } else {
            stage.update(previewed).update(found);
        }
        assert!(stage.draw(80, 24).contains("changed by you"), "{early}");
    }
}

#[test]
fn ones_own_editor_gives_the_text_back() {
    let (mut stage, _, _) = opened();
    stage.press("E");
    let Some(Effect::EditOutside(edit)) = stage.effects.pop() else {
        panic!("no text for the editor");
    };
    let message = (edit.to_message)(Ok(format!("{} And be kind.", edit.text)));
    stage.screen.deliver_message(message);
    assert!(stage.draw(80, 24).contains("1 message changed"));
}

#[test]
fn the_screen_is_left_once_its_command_is_given() {
    let (play, step) = halfway();
    let screen = Inspector::from_step(
        &session(),
        &play.state,
        step.clone(),
        SessionAccess::Lockable,
    );
    let mut stage = TestScreen::new(screen);
    stage.update(Message::Previewed(Ok(Box::new(preview(&play, &step)))));
    let asked = stage.press("n").asked();
    assert_eq!(asked[0], "sent 01SESSION send speak r2.answer.debater-0#0");
    assert!(asked[1].starts_with("order: Send"), "{asked:?}");
    // A second key meanwhile sends nothing twice.
    assert_eq!(stage.press("n").asked().len(), 1);
    let given = |given| Message::Lock(LockMessage::Ordered(given));
    stage.update(given(Err(WorkspaceError::invalid("locked by process 12"))));
    assert_eq!(stage.asked(), ["say: locked by process 12"]);
    stage.press("n").asked();
    assert_eq!(stage.update(given(Ok(()))).asked(), ["leave"]);
}

#[test]
fn what_others_do_meanwhile_is_followed_or_said() {
    let (mut stage, mut play, step) = opened();
    stage.asked();
    let other = play
        .state
        .find_open_steps()
        .steps
        .into_iter()
        .rfind(second)
        .unwrap();
    let Step::Speak(speak) = &other else {
        panic!("nobody speaks");
    };
    let event = play.replied(speak, "Something.", 0);
    play.happens(event);
    let record = play.records.last().unwrap().clone();
    assert!(matches!(record.event, Event::Replied(_)));
    stage.tell(Broadcast::Live(
        session(),
        Arc::new(LiveEvent::Happened(record.clone())),
    ));
    assert_eq!(stage.asked_briefly(), ["start: preview a request"]);
    stage.press("e").write("X").press("Ctrl-D").asked();
    stage.tell(Broadcast::Live(
        session(),
        Arc::new(LiveEvent::Happened(record)),
    ));
    assert!(stage.asked().is_empty());
    assert!(stage.draw(80, 24).contains("the debate went on"));
    let began = LiveEvent::Began { step: step.id() };
    stage.tell(Broadcast::Live(session(), Arc::new(began)));
    assert_eq!(stage.press("n").asked(), ["say: it was sent"]);
}

#[test]
fn masked_content_shows_nowhere() {
    let (mut stage, _, _) = opened();
    stage.press("e").write("Sundays!").press("Ctrl-D");
    stage.content = Content::Masked;
    let secrets = ["Sunday", "library", "helpers", "ten to six", "Monday"];
    let page = stage.draw(120, 60);
    stage.press("d");
    let changed = stage.draw(120, 60);
    let paged = stage.press("P").commands();
    let Some(Command::Page(paged)) = paged.last() else {
        panic!("{paged:?}");
    };
    for secret in secrets {
        for page in [&page, &changed, paged] {
            assert!(!page.contains(secret), "{secret}\n{page}");
        }
    }
    assert!(!stage.press("e").is_typing());
    insta::assert_snapshot!("masked_80x24", stage.draw(80, 24));
}

#[test]
fn origins_differ_by_colour_and_by_letters() {
    let (mut stage, _, _) = opened();
    stage.look = ansi();
    let buffer = stage.buffer(80, 60);
    let style_of = |tag: &str| {
        let mut rows = (0..60).map(|y| {
            let row: String = (2..5).map(|x| buffer[(x, y)].symbol()).collect();
            (row, buffer[(2, y)].style())
        });
        rows.find(|(row, _)| row == tag)
            .unwrap_or_else(|| panic!("{tag}"))
            .1
    };
    let tags = ["tpl", "top", "doc", "mem", "trn", "own"];
    for (at, tag) in tags.iter().enumerate() {
        for other in &tags[at + 1..] {
            assert_ne!(style_of(tag), style_of(other), "{tag} {other}");
        }
    }
    let theme = ansi();
    assert_eq!(style_of("doc").fg, theme.style(Role::FromDocument).fg);
}
