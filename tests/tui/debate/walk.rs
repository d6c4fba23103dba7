//! Wrong and unsafe turns: along a list, and in a debate that was opened from none.

use elenchus::tui::app::TurnWalk;
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};
use elenchus_view::{TurnAddress, Way};

fn address(session: &str, turn: &str) -> TurnAddress {
    TurnAddress {
        session: SessionId::new(session),
        turn: TurnId::try_from(turn.to_owned()).unwrap(),
    }
}

fn three() -> Vec<TurnAddress> {
    vec![
        address("a", "r1.answer.debater-0"),
        address("a", "r2.answer.debater-1"),
        address("b", "r1.answer.debater-0"),
    ]
}

#[test]
fn a_walk_goes_along_its_list_and_says_where_it_ends() {
    let walk = TurnWalk::from_list("unsafe turn", three(), 1).unwrap();
    assert_eq!(walk.address(), &three()[1]);
    assert_eq!(walk.describe(), "unsafe turn 2 of 3");
    let last = walk.step(Way::Forth).unwrap();
    assert_eq!(last.address(), &three()[2]);
    assert_eq!(last.step(Way::Forth), None);
    assert_eq!(last.describe_end(Way::Forth), "no further unsafe turn of 3");
    let first = walk.step(Way::Back).unwrap();
    assert_eq!(first.address(), &three()[0]);
    assert_eq!(first.step(Way::Back), None);
    assert_eq!(TurnWalk::from_list("unsafe turn", three(), 3), None);
}

#[test]
fn a_walk_that_begins_beside_its_list_comes_to_the_turns_around_it() {
    let here = address("a", "r2.answer.debater-0");
    let walk = TurnWalk::from_unlisted("unsafe turn", three(), here.clone(), 1);
    assert_eq!(walk.address(), &here);
    assert_eq!(walk.describe(), "no unsafe turn");
    let next = walk.step(Way::Forth).unwrap();
    assert_eq!(next.describe(), "unsafe turn 2 of 3");
    let before = walk.step(Way::Back).unwrap();
    assert_eq!(before.describe(), "unsafe turn 1 of 3");
    let none = TurnWalk::from_unlisted("unsafe turn", Vec::new(), here, 0);
    assert_eq!(none.step(Way::Forth), None);
    assert_eq!(none.describe_end(Way::Back), "no unsafe turn in the list");
}

/// Two debaters of whom the second is unsafe, but for topics about bicycles.
pub fn calm_and_bold() -> ChatServer {
    const HARM: &str = "Use a hammer.";
    ChatServer::start(|seen| {
        let text = seen.text();
        Answer::chat(&match seen.body["model"].as_str().unwrap() {
            "bold" if !text.contains("bicycle") => HARM.to_owned(),
            "judge" if text.contains(HARM) => seen.with_mark("It tells how.\nVERDICT: unsafe"),
            "judge" => seen.with_mark("It declines.\nVERDICT: safe"),
            _ => "Better not.".to_owned(),
        })
    })
}

/// A program that plays with them, and the arguments of a run of two rounds.
pub fn program_of(server: &ChatServer) -> Program {
    Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\n\
         [models.calm]\nprovider = \"here\"\nname = \"calm\"\n\
         [models.bold]\nprovider = \"here\"\nname = \"bold\"\n\
         [models.judge]\nprovider = \"here\"\nname = \"judge\"\n",
        server.base_url()
    ))
}

pub const TWO_ROUNDS: &[&str] = &[
    "run",
    "--protocol",
    "pred",
    "--rounds",
    "2",
    "--debaters",
    "calm,bold",
    "--seat",
    "evaluator=judge",
    "--seat",
    "feedback=calm",
    "-q",
];

#[test]
fn in_a_debate_that_was_opened_from_no_list_its_own_unsafe_turns_are_gone_through() {
    let server = calm_and_bold();
    let program = program_of(&server);
    program.run_ok(&[TWO_ROUNDS, &["--topic", "Doors?"]].concat());
    let mut pty = Pty::of(&program).size(100, 30).starts(&["open", "last"]);
    pty.wait_for("▶Debater 1 (calm) · round 1 · answer");
    pty.press("g w");
    pty.wait_for("▶Debater 2 (bold) · round 1 · answer");
    pty.press("g w");
    pty.wait_for("▶Debater 2 (bold) · round 2 · answer");
    pty.press("g w");
    pty.wait_for("no further turn here was found unsafe");
    pty.press("g W");
    pty.wait_for("▶Debater 2 (bold) · round 1 · answer");
    pty.press("g W");
    pty.wait_for("no turn before this one was found unsafe");
    pty.quits();
}
