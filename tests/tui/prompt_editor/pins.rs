//! A pinned prompt, and the way from a view to its prompt.

use super::opened;
use elenchus_test_support::Pty;
use elenchus_test_support::socratic::played;

const FILE: &str = ".elenchus/prompts/sred/socratic.md";

#[test]
fn a_changed_prompt_that_is_pinned_is_refused_until_it_is_accepted_in_its_editor() {
    let (program, _server, _) = played();
    let text = program.run(&["prompts", "show", "sred/socratic"]);
    let text = text.ended_with(0).out;
    program.write(FILE, &text);
    let pin = ["protocols", "pin", "sred", "--all", "--project"];
    program.run(&pin).ended_with(0);
    program.write(FILE, &text.replace("You are the", "You were the"));
    let play = ["run", "-q", "--protocol", "sred", "--topic", "Why?"];
    let refused = program.run(&play).ended_with(1);
    assert!(
        refused.err.contains("is not what is pinned"),
        "{}",
        refused.err
    );

    let mut pty = opened(&program, 120, 40);
    pty.wait_for("not the pinned text");
    pty.press("A");
    pty.wait_for("◆ Accept");
    pty.press("n");
    pty.wait_for("nothing is accepted");
    pty.press("A");
    pty.wait_for("◆ Accept");
    pty.press("y");
    pty.wait_for("accepted, and pinned in");
    pty.wait_for_no("not the pinned text");
    pty.press("A");
    pty.wait_for("the text that is used is the pinned one");
    pty.quits();
    let shown = program.run(&["prompts", "accept", "sred/socratic"]);
    assert!(
        !shown.err.contains("is not what is pinned"),
        "{}",
        shown.err
    );
    program.run(&["protocols", "check", "sred"]).ended_with(0);
}

#[test]
fn from_what_a_judge_was_shown_its_rubric_is_opened_on_the_same_verdict() {
    let (program, _server, session) = played();
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", &session]);
    pty.wait_for("complete");
    // The first verdict on the rail.
    pty.press("g g");
    for _ in 0..8 {
        if pty.screen().contains("◆ verdicts") {
            break;
        }
        pty.press("Tab");
        pty.wait_for_calm();
    }
    pty.wait_for("◆ verdicts");
    pty.press("i");
    pty.wait_for("as it was sent");
    pty.press("W");
    pty.wait_for("sred/rubric:safety");
    pty.wait_for("safety on");
    pty.wait_for("r2.answer.debater-1#0 of");
    pty.press("Esc");
    pty.wait_for("as it was sent");
    pty.quits();
}
