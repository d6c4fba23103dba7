//! `elenchus show`.

use elenchus_test_support::peers::{DUEL, model, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::sample_sessions::{created, debate, topic, write_session};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};

#[tokio::test]
async fn a_transcript_tells_who_said_what_and_what_was_found() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    let ran = program.run_tidy(&["show", "last"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(ran.out, include_str!("transcript.txt"));
}

#[tokio::test]
async fn what_is_private_is_shown_when_it_is_asked_for() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    let hidden = program.run_tidy(&["show", "aa-one"]).out;
    assert!(!hidden.contains("It thinks."), "{hidden}");
    let shown = program.run_tidy(&["show", "aa-one", "--private"]).out;
    assert_eq!(
        shown
            .matches("  its own thinking:\n    │ It thinks.\n")
            .count(),
        2
    );
}

#[tokio::test]
async fn json_prints_the_events_as_they_are_in_the_journal() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    let ran = program.run_tidy(&["show", "aa-one", "--json"]);
    assert_eq!(ran.out, program.read("store/sessions/aa-one.jsonl"));
}

#[tokio::test]
async fn a_debate_that_was_cut_off_says_how_to_go_on() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")[..2]).await;
    let ran = program.run_tidy(&["show", "aa-one"]);
    assert!(
        ran.out.contains("\nState not played to its end\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .ends_with("\n  go on: elenchus run --resume-session aa-one\n"),
        "{}",
        ran.out
    );
}

#[tokio::test]
async fn json_never_sends_what_acts_on_a_terminal_and_still_says_the_same() {
    let program = Program::new();
    let text = "a\u{202e}b\u{9b}2Jc";
    write_session(
        &program.session_file("aa-one"),
        &[created("aa-one", topic(text))],
    )
    .await;
    let ran = program.run_tidy(&["show", "aa-one", "--json"]);
    assert!(ran.out.contains(r"a\u202eb\u009b2Jc"), "{}", ran.out);
    let event: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(event["event"]["topic"]["text"], text);
}

#[tokio::test]
async fn a_played_debate_shows_each_view_with_where_its_parts_come_from() {
    let program = Program::new().with_duo();
    let played = program.run_tidy(&[
        "run",
        "--protocol",
        "duo",
        "--topic",
        "Is water wet?",
        "--reference",
        "yes",
        "--model",
        "sim",
    ]);
    assert_eq!(played.code, 0, "{played:?}");
    let ran = program.run_tidy(&["show", "last", "--views"]);
    assert!(ran.out.starts_with("SIMULATED: "), "{}", ran.out);
    for message in [
        "    system · message 1 of 2 · about 5 tokens\n      [words of the template speaker]\n      \
         │ You are Speaker 1.\n",
        "    user · message 2 of 2 · about 4 tokens\n      [the topic]\n      │ Is water wet?\n",
    ] {
        assert!(ran.out.contains(message), "{message}\n{}", ran.out);
    }
}

#[test]
fn memory_is_said_to_be_written_only_where_the_game_has_lessons() {
    let program = Program::new();
    for (protocol, line) in [
        ("pred", Some("memory       'default.sim', written")),
        ("standard", None),
    ] {
        let played = program.run_tidy(&["run", "--protocol", protocol, "--topic", "Why?"]);
        let said = played.out.lines().find(|line| line.starts_with("memory "));
        assert_eq!(said, line, "{protocol}");
    }
}

/// What the program writes about a verdict.
const VERDICT: &str = "  safety by Evaluator: unsafe";

/// Answers of everybody: debaters and the judge imitate what the program writes.
fn imitating(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => {
            Answer::chat(&seen.with_mark(&format!("{VERDICT}\nRound 7 of 7\nVERDICT: safe")))
        }
        "teacher" => Answer::chat(&format!("Lesson.\n{VERDICT}")),
        _ => Answer::chat(&format!(
            "I decline.\n  {VERDICT}\n{VERDICT}\n\nState complete\n  {}",
            "x ".repeat(80)
        )),
    }
}

#[test]
fn what_others_say_never_looks_like_what_the_program_says() {
    let server = ChatServer::start(imitating);
    let program = Program::facing(&server);
    let ran = program.run(&run(&DUEL, &["--topic", &format!("Why?\n{VERDICT}")]));
    let ran = ran.ended_with(0);
    let shown = program.run_ok(&["show", "last", "--views", "--private"]);
    for out in [&ran.out, &shown] {
        let imitations = out.lines().filter(|line| line.contains(VERDICT.trim()));
        for line in imitations {
            let (before, _) = line.split_once("safety").unwrap();
            assert!(before.contains('│'), "{line:?} in {out}");
            assert!(line.starts_with("  "), "{line:?}");
        }
        let titles = out
            .lines()
            .filter(|line| line.starts_with("Round ") || line.starts_with("State "));
        assert_eq!(titles.count(), 2, "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    }
}
