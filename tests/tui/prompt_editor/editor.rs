//! Editing a prompt with a live preview of the seat's view, and using the saved prompt.

use super::{opened, text_of};
use elenchus_test_support::socratic::played;

/// Where a changed Socratic prompt is saved in a project.
const FILE: &str = ".elenchus/prompts/sred/socratic.md";

fn in_a_project() -> (
    elenchus_test_support::program::Program,
    elenchus_test_support::ChatServer,
    String,
) {
    let (program, server, session) = played();
    program.write(".elenchus/note.txt", "a project");
    (program, server, session)
}

#[test]
fn a_word_that_is_written_is_seen_as_the_seat_would_be_shown_it_and_saved_for_the_next_debate() {
    let (program, server, session) = in_a_project();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("r1.question.socratic-0 of");
    pty.wait_for("How are locks made?");
    pty.press("e");
    pty.wait_for("writing");
    // In front of the first words of the system message.
    pty.press("Down Down Down Down Down");
    pty.type_text("Mind the gap. ");
    pty.wait_for("tpl Mind the gap. You are the Socratic");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    assert_eq!(
        text_of(&program, FILE),
        "",
        "nothing is saved before it is asked for"
    );
    pty.press("d");
    pty.wait_for("against what was recorded");
    pty.press("d w");
    pty.wait_for("saved, the next debate");
    pty.wait_for_no("text, changed");
    assert!(text_of(&program, FILE).contains("Mind the gap. You are the {{ me.label }}"));
    pty.quits();

    let before = server.requests().len();
    let again = ["run", "-q", "--protocol", "sred", "--model", "soc"];
    let topic = ["--rounds", "2", "--topic", "And keys?"];
    program.run(&[&again[..], &topic].concat()).ended_with(0);
    let asked = server.requests().split_off(before);
    assert!(
        asked
            .iter()
            .any(|seen| seen.text().contains("Mind the gap."))
    );
    // Both texts stand in the log, the newer one as the one in use.
    let log = program
        .run(&["prompts", "log", "sred/socratic"])
        .ended_with(0);
    assert!(log.out.contains("as it is now"), "{}", log.out);
    assert!(program.sessions().contains(&session));
}

#[test]
fn a_text_that_cannot_be_used_is_named_by_its_line_and_the_last_good_one_stays_in_sight() {
    let (program, _server, _) = in_a_project();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    pty.press("e Down Down Down Down Down");
    pty.type_text("{{ topc }} ");
    pty.wait_for("! line 5:");
    pty.wait_for("topc");
    pty.wait_for("shown, by the last text that could be used");
    pty.wait_for("How are locks made?");
    pty.press("Ctrl-D");
    pty.wait_for("not saved, and nothing else is changed: line 5");
    assert_eq!(text_of(&program, FILE), "");
    // A template that is cut in the middle of a tag is no template at all.
    pty.press("e Home");
    pty.type_text("{% if ");
    pty.wait_for("! line 5:");
    pty.press("Esc u u u u u u u u u u u u u u u u u u u u");
    pty.wait_for_no("! line");
    pty.wait_for_no("text, changed");
    pty.quits();
}

#[test]
fn a_text_that_asks_for_nothing_is_not_saved() {
    let (program, _server, _) = in_a_project();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    pty.press("e Ctrl-End");
    // The last section becomes one that says what a model has said.
    pty.press("Esc /");
    pty.type_text("=== user");
    pty.press("Enter e");
    pty.press("Ctrl-K");
    pty.type_text("=== assistant");
    pty.wait_for("it has no '=== user' section");
    pty.press("Ctrl-D");
    pty.wait_for("not saved, and nothing else is changed");
    assert_eq!(text_of(&program, FILE), "");
    pty.quits();
}

#[test]
fn what_was_written_and_not_saved_comes_back_after_a_kill() {
    let (program, _server, _) = in_a_project();
    let mut pty = opened(&program, 80, 24);
    pty.press("e Down Down Down Down");
    pty.type_text("Never lose this. ");
    pty.wait_for("Never lose this.");
    pty.wait_for_calm();
    pty.signal(rustix::process::Signal::KILL);
    pty.wait_for_exit();
    assert_eq!(text_of(&program, FILE), "");
    let mut pty = opened_after(&program);
    pty.wait_for("this is what you wrote last time and did not save");
    pty.wait_for("Never lose this.");
    pty.press("Esc");
    pty.wait_for("it is kept, and comes back");
    pty.quits();
}

/// As [`opened`], where the text differs from what is used.
fn opened_after(program: &elenchus_test_support::program::Program) -> elenchus_test_support::Pty {
    let mut pty = elenchus_test_support::Pty::of(program)
        .size(80, 24)
        .starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("W /");
    pty.type_text("sred/socratic");
    pty.wait_for("▶  sred/socratic");
    pty.press("Enter Enter");
    pty
}

#[test]
fn every_text_can_be_labelled_and_brought_back() {
    let (program, _server, _) = in_a_project();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    pty.press("v");
    pty.wait_for("versions, newest first");
    pty.wait_for("in use");
    pty.press("r");
    pty.type_text("as-it-came");
    pty.press("Enter");
    pty.wait_for("[as-it-came]");
    pty.press("Esc e Down Down Down Down Down");
    pty.type_text("Second thoughts. ");
    pty.wait_for("tpl Second thoughts.");
    pty.press("Ctrl-D");
    pty.wait_for("saved, the next debate");
    pty.press("v");
    pty.wait_for("what it changed in");
    pty.wait_for("Second thoughts.");
    pty.press("Down Enter");
    pty.wait_for("this is the earlier text");
    pty.wait_for_no("Second thoughts.");
    pty.press("w");
    pty.wait_for("saved, the next debate");
    assert!(!text_of(&program, FILE).contains("Second thoughts."));
    assert!(text_of(&program, FILE).contains("You are the {{ me.label }}"));
    pty.press("Esc");
    // By its label, in the list.
    pty.wait_for("[as-it-c");
    pty.quits();
}

#[test]
fn a_text_is_searched_and_a_recorded_turn_is_chosen() {
    let (program, _server, _) = in_a_project();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("r1.question.socratic-0 of");
    pty.press("o");
    pty.wait_for("where it was used");
    pty.type_text("sample data");
    pty.press("Enter");
    pty.wait_for("a made-up topic, no model is asked");
    pty.wait_for("Is this a sample topic?");
    pty.press("t");
    pty.wait_for("sample data cannot be asked");
    pty.press("/");
    pty.wait_for("find:");
    pty.type_text("PERSONA");
    pty.press("Enter");
    pty.press("e");
    pty.type_text("!!");
    pty.wait_for("!!persona %}");
    pty.press("Esc");
    pty.wait_for("! line 6:");
    pty.press("/");
    pty.type_text("nowhere to be found");
    pty.press("Enter");
    pty.wait_for("is not in this text");
    pty.quits();
}

#[test]
fn from_a_turn_of_a_debate_its_own_prompt_is_opened_on_this_turn() {
    let (program, _server, session) = in_a_project();
    let mut pty = elenchus_test_support::Pty::of(&program)
        .size(120, 40)
        .starts(&["open", &session]);
    pty.wait_for("complete");
    // The last question.
    pty.press("] ] ] ] ] ] ] ] ] W");
    pty.wait_for("sred/socratic");
    pty.wait_for("r2.question.socratic-0 of");
    pty.press("[");
    pty.wait_for("r1.question.socratic-0 of");
    pty.press("[");
    pty.wait_for("that is the first in this session");
    pty.press("Esc");
    pty.wait_for("complete");
    pty.quits();
}

#[test]
fn one_key_saves_in_every_state_and_another_goes_back_to_the_built_in_text() {
    let (program, _server, _) = in_a_project();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    for (word, leaves) in [("First", ""), ("Second", "Esc")] {
        pty.press("e Down Down Down Down Down Home");
        pty.type_text(&format!("{word} word. "));
        pty.wait_for("text, changed");
        // Saved while it is written, and when writing is over.
        if !leaves.is_empty() {
            pty.press(leaves);
            pty.wait_for("changed, not saved");
        }
        pty.press("Ctrl-D");
        pty.wait_for("saved, the next debate");
        pty.wait_for_no("text, changed");
        assert!(text_of(&program, FILE).contains(word));
        pty.wait_for_calm();
    }
    pty.press("v");
    pty.wait_for(" built in");
    pty.press("Esc B");
    pty.wait_for("saved, the next debate");
    pty.wait_for_calm();
    assert!(
        !text_of(&program, FILE).contains("word. "),
        "the built-in text is in use"
    );
    pty.press("B");
    pty.wait_for("this is the built-in text");
    pty.press("v");
    pty.wait_for("in use built in");
    pty.press("Esc");
    pty.quits();
}

#[test]
fn the_list_shows_the_text_of_a_prompt_and_what_comparisons_of_it_came_to() {
    let (program, _server, _) = in_a_project();
    elenchus_test_support::socratic::shorter(&program);
    let compared = [
        "prompts", "ab", "--seat", "socratic", "--a", "built-in", "--b", "mine.md", "--round", "1",
    ];
    program.run(&compared).ended_with(0);
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = elenchus_test_support::Pty::of(&program)
            .size(width, height)
            .starts(&[]);
        pty.wait_for("1 session, newest first");
        pty.press("2");
        pty.wait_for("best-of-n/rubric:safety");
        pty.press("/");
        pty.type_text("sred/socratic");
        pty.press("Enter");
        pty.wait_for("compared, A built-in with B mine.md");
        pty.wait_for("topic).");
        if height == 40 {
            pty.wait_for("=== system");
            pty.wait_for("You are the");
        }
        pty.quits();
    }
}
