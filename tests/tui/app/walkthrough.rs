//! A walkthrough: a debate is read, forked, played turn by turn, compared, left and found again.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

/// Plays a simulated debate of two rounds and returns its id.
fn played(program: &Program) -> String {
    let topic = "Is the sea salty?";
    let args = ["run", "--protocol", "pred", "--rounds", "2", "--topic"];
    let ran = program
        .run(&[&args[..], &[topic, "-q"]].concat())
        .ended_with(0);
    ran.out.trim().to_owned()
}

/// Leaves, and returns what stands on the terminal afterwards.
fn leaves(pty: &mut Pty) -> String {
    pty.quits();
    pty.screen()
}

#[test]
fn the_first_start_offers_examples_and_says_what_to_press() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.wait_for("n begins your own debate, Enter opens an example, ? lists the keys, q quits");
    let protocols = ["pred", "dared", "sred", "moderated", "pcd-4"];
    for protocol in protocols {
        pty.wait_for(&format!(" {protocol} "));
    }
    pty.wait_for("no model is configured");
    pty.press("Enter");
    pty.wait_for("recorded example · complete");
    let output = leaves(&mut pty);
    let said = output.lines().find(|line| line.contains("elenchus open"));
    let id = said.and_then(|line| line.split_whitespace().last());
    assert!(id.is_some_and(|id| id.len() == 26), "{output}");
    assert!(
        program.sessions().is_empty(),
        "reading an example keeps nothing"
    );
}

#[test]
fn a_debate_is_forked_stepped_compared_and_found_again() {
    let program = Program::new();
    let parent = played(&program);
    let before = std::fs::read(program.store().join(format!("sessions/{parent}.jsonl"))).unwrap();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("k k Home Enter");
    pty.wait_for("complete · $0");

    // The cursor stands on the first turn and goes through all panes, on to the last round.
    pty.press("] ]");
    pty.wait_for("◆ Debater 3");
    pty.wait_for("▶round 1 · answer");
    pty.press("]");
    pty.wait_for("◆ Debater 1");
    pty.wait_for("▶round 2 · answer");
    pty.press("[");
    pty.wait_for("▶round 1 · answer");

    // The inspector shows what the seat was shown, with the origin of its parts.
    pty.press("i");
    pty.wait_for("what Debater 3 was shown for r1.answer.debater-2#0");
    pty.wait_until("where its parts come from", |screen| {
        let rows = screen.rows();
        rows.iter()
            .any(|row| row.contains("top topic") && row.ends_with("Is the sea salty?"))
    });
    pty.press("Esc");
    pty.wait_for("▶round 1 · answer");

    pty.press("f");
    pty.wait_for("the parent stays as it was");
    pty.wait_for("round 2 · answer · next");
    pty.wait_for("2 □□□");
    pty.press("n");
    pty.wait_for("2 ○□□");
    pty.wait_for("open here");
    pty.press("o");
    pty.wait_for("2 ○▲○");
    pty.press("R");
    pty.wait_for("complete · $0");
    let forks: Vec<_> = program
        .sessions()
        .into_iter()
        .filter(|id| *id != parent)
        .collect();
    let [fork] = &forks[..] else {
        panic!("{forks:?}");
    };

    pty.press("F");
    pty.wait_for("└─ fork after round 1, Debater 3 ◆ you are here");
    pty.wait_for("the first debate · pred");
    pty.wait_for(&format!("2 of 2, session {fork}"));
    pty.press("Esc");
    pty.wait_for("complete · $0");
    pty.press("c");
    pty.wait_until("parent and fork", |screen| {
        let row = screen.row(1);
        row.starts_with("parent ") && row.contains("│ fork after round 1, Debater 3")
    });
    pty.wait_for("the same 3 turns up to r1.answer.debater-2");
    pty.wait_for("no verdicts differ");
    pty.press("Esc");
    pty.wait_for("pred simulated fork · Is the sea salty?");

    // Undo in a fork without acts of its own leads to the parent, which is as it was.
    pty.press("u");
    pty.wait_for(&format!("back in the parent; the fork {fork} is kept"));
    pty.wait_for("pred simulated · Is the sea salty?");
    pty.press("] ]");
    pty.wait_for("◆ Debater 3");
    pty.wait_for("▶round 1 · answer");
    let left = leaves(&mut pty);
    assert!(left.contains(&format!("elenchus open {parent}")), "{left}");
    let after = std::fs::read(program.store().join(format!("sessions/{parent}.jsonl"))).unwrap();
    assert_eq!(
        before, after,
        "looking and forking write nothing into the parent"
    );
    program.run(&["verify"]).ended_with(0);

    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("▶round 1 · answer");
    pty.wait_for("◆ Debater 3");
    pty.wait_for("pred simulated · Is the sea salty?");
    pty.press("Esc");
    pty.wait_for("2 sessions, newest first");
    assert!(leaves(&mut pty).contains("open the workbench again with: elenchus"));
}
