//! The memory screen in a real pseudo-terminal.

use elenchus_test_support::Pty;
use elenchus_test_support::lessons::{SIM, entries, shown_entry, taught};
use elenchus_test_support::program::Program;

fn opened(program: &Program) -> Pty {
    let mut pty = Pty::of(program).starts(&[]);
    pty.wait_for("complete");
    pty.press("L");
    pty.wait_for("entries");
    pty.wait_for("in use · guardrails:");
    pty
}

#[test]
fn entries_are_edited_disabled_deleted_and_brought_back() {
    let program = taught();
    let mut pty = opened(&program);
    pty.press("a");
    pty.wait_for("a new entry");
    pty.type_text("Say what it costs.");
    pty.press("Ctrl-D");
    pty.wait_for("by a person Say what it costs.");
    pty.press("e");
    pty.wait_for("a new text for written-");
    pty.type_text("First: ");
    pty.press("Ctrl-D");
    pty.wait_for("changed once First: Say what it costs.");
    pty.press("x");
    pty.wait_for("[disabled]");
    pty.press("u");
    pty.wait_for_no("[disabled]");
    pty.press("d");
    pty.wait_for("1 deleted, not listed");
    pty.press("D");
    pty.wait_for("[deleted]");
    pty.press("u");
    pty.wait_for_no("[deleted]");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let mine = entries(&program, SIM).remove(0);
    assert_eq!(mine["text"], "First: Say what it costs.");
    assert_eq!(mine["earlier"][0]["text"], "Say what it costs.");
    assert_eq!(
        (&mine["disabled"], &mine["deleted"]),
        (&false.into(), &false.into())
    );
    program.run(&["verify"]).ended_with(0);
}

/// From the list to an entry: the chosen one changes until it is the one.
fn go_to(pty: &mut Pty, entry: &str) {
    for _ in 0..20 {
        if pty.screen().contains(entry) {
            return;
        }
        pty.press("j");
        pty.wait_for_calm();
    }
}

#[test]
fn sentences_name_the_keys_that_are_in_force() {
    let program = taught();
    let path = program.work().join(".elenchus/config.toml");
    let config = std::fs::read_to_string(path).unwrap_or_default();
    let keys = "[keys.memory]\nleave-out = [\"K\"]\nguardrails = [\"b b\"]\nadd-entry = []\n\
                delete-entry = [\"H\"]\n";
    program.write(".elenchus/config.toml", &format!("{config}{keys}"));
    let (entry, _) = shown_entry(&program);
    let mut pty = opened(&program);
    pty.wait_for("b b lists them");
    pty.paste("some text");
    pty.wait_for("t takes a topic, the command add-entry writes an entry");
    pty.press("D");
    pty.wait_for("deleted entries are listed: H restores one");
    go_to(&mut pty, &entry);
    pty.press("Enter");
    pty.press("End");
    pty.wait_for("K repeats it without the entry");
    pty.press("b b");
    pty.wait_for("deleted (listed) · b b lists");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn a_topic_shows_what_would_be_put_in_the_view_word_for_word() {
    let program = taught();
    let mut pty = opened(&program);
    pty.press("t");
    pty.wait_for("a debate about:");
    pty.type_text("Say the details and steps for a wooden boat");
    pty.press("Enter");
    pty.wait_for("what would be shown");
    pty.wait_for("5 would be shown about");
    pty.press("Tab End");
    pty.wait_for("Write your answer to the message.");
    pty.press("Esc Esc");
    pty.wait_for("in use · guardrails:");
    pty.press("/");
    pty.wait_for("find what means:");
    pty.type_text("agreement among peers");
    pty.press("Enter");
    pty.wait_for("found by words");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn an_entry_leads_to_the_debates_that_taught_it_and_that_were_shown_it_and_back() {
    let program = taught();
    let (entry, session) = shown_entry(&program);
    let mut pty = opened(&program);
    go_to(&mut pty, &entry);
    pty.press("Enter");
    pty.press("End");
    pty.wait_for("Shown to");
    pty.press("End");
    pty.wait_for(&session);
    pty.press("Enter");
    pty.wait_for("Debater 1");
    // From the debate back to the memory that it was shown.
    pty.press("L");
    pty.wait_for("entries");
    pty.press("Esc");
    pty.wait_for("Debater 1");
    pty.quits();
}

#[test]
fn leaving_an_entry_out_says_the_cost_first_and_what_it_came_to() {
    let program = taught();
    let (entry, _) = shown_entry(&program);
    let sessions = program.sessions().len();
    let mut pty = opened(&program);
    for _ in 0..20 {
        if pty.screen().contains(&entry) {
            break;
        }
        pty.press("j");
        pty.wait_for_calm();
    }
    pty.press("o");
    pty.wait_for("◆ entry");
    pty.press("End");
    pty.wait_for("Shown to");
    pty.press("o");
    pty.wait_for("pairs of debates, with it and without:");
    pty.wait_for("10 seed 0");
    pty.press("Backspace Home Del Del");
    pty.type_text("2");
    pty.press("End");
    pty.type_text("7");
    pty.press("Enter");
    pty.wait_for("4 debates, half of them");
    pty.wait_for("of seed 7");
    pty.wait_for("Play them?");
    assert_eq!(
        program.sessions().len(),
        sessions,
        "nothing is begun unasked"
    );
    pty.press("y");
    pty.wait_for("the replicates are over");
    pty.press("g g");
    pty.wait_for("seed 7");
    pty.press("PgDn");
    pty.wait_for("error rate with it");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    assert_eq!(program.sessions().len(), sessions + 4);

    // They are there at any later time.
    let mut pty = opened(&program);
    go_to(&mut pty, &entry);
    pty.press("Tab");
    pty.wait_for("seed 7");
    pty.press("PgDn");
    pty.wait_for("error rate with it");
    pty.quits();
}
