//! The form after a debate: what it begins with, in the real program.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

#[test]
fn a_form_begins_with_what_was_played_last_and_on_a_session_with_that_one() {
    let program = Program::new();
    let args = ["run", "--topic", "Is the sea salty?", "--protocol", "sred"];
    let more = ["--rounds", "1", "--model", "sim", "-q"];
    program.run(&[&args[..], &more[..]].concat()).ended_with(0);

    let mut pty = Pty::of(&program).size(120, 50).starts(&[]);
    pty.wait_for("Is the sea salty?");
    pty.wait_for("1 session, newest first");
    pty.press("Home n");
    pty.wait_for("game               sred");
    pty.wait_for("begun with what the session was played with");
    pty.wait_for("topic              Is the sea salty?");
    pty.wait_for("rounds             1");
    pty.wait_for("every seat         sim - simulated");
    pty.wait_for("ready to begin");
    // A letter begins another topic, in place of what nobody wrote here; a blank goes on with it.
    pty.type_text("Why");
    pty.press("Tab");
    pty.wait_for("topic              Why");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    // What was being written comes back, and wins over the session's.
    pty.press("Home n");
    pty.wait_for("as you left it");
    pty.wait_for("in place of the session's");
    pty.wait_for("topic              Why");
    pty.type_text(" not?");
    pty.press("Tab");
    pty.wait_for("topic              Why not?");
    pty.wait_for("ready to begin");
    pty.press("End Enter");
    pty.wait_for("not played to its end");
    pty.press("Esc");
    pty.wait_for("2 sessions, newest first");
    pty.press("End n");
    pty.wait_for("begun with what was played last");
    pty.wait_for("game               sred");
    pty.wait_for("rounds             1");
    pty.wait_for("topic              empty");
    pty.press("Esc");
    pty.quits();
    let last = program.events("last")[0].clone();
    assert_eq!(last["topic"]["text"], "Why not?");
    assert_eq!(last["settings"]["rounds"], 1);
}

#[test]
fn a_data_set_that_cannot_be_read_is_named_with_the_cause() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("n");
    pty.wait_for("or from data set");
    pty.press("Down");
    pty.type_text("nowhere.csv");
    pty.press("Enter");
    pty.wait_for("cannot read the dataset nowhere.csv: No such file or directory");
    pty.press("Esc");
    pty.quits();
}
