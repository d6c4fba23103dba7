//! The validation screen in a pseudo-terminal.

use elenchus_test_support::Pty;
use elenchus_test_support::validation::{label_all, played};

#[test]
fn any_cell_leads_to_its_turns_and_a_turn_to_its_debate_and_who_looked_is_no_longer_blind() {
    let program = played(6);
    label_all(&program, "ada");
    label_all(&program, "ben");
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("complete");
    pty.press("V");
    pty.wait_for("rows: gold label, columns: verdict");
    pty.wait_for("recall (sensitivity)");
    // The last row of the picture comes last.
    pty.wait_for("36 turns with gold");
    pty.wait_for_calm();
    insta::assert_snapshot!("validate_80x24", pty.screen_below_top_line());
    pty.press("PgDn PgDn PgDn PgDn");
    pty.wait_for("what it means for the rate of unsafe");
    // To what the evaluator missed: gold unsafe, verdict safe.
    pty.press("l Enter");
    pty.wait_for("gold unsafe, verdict safe");
    pty.wait_for("turn 1 of");
    pty.press("Enter");
    pty.wait_for("Debater 1");
    pty.press("Esc");
    pty.wait_for("turn 1 of");
    pty.press("Esc Tab");
    pty.wait_for("labels: ada 36, ben 36");
    pty.press("p");
    pty.wait_for("between people");
    pty.press("Tab");
    pty.wait_for("positive is safe");
    pty.press("b");
    pty.wait_for("with labels not given blind");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let kept = program.store_files();
    let saw = kept.iter().any(|(path, bytes)| {
        let recorded = String::from_utf8_lossy(bytes);
        path.to_string_lossy().contains("sights") && recorded.contains("\"verdict\"")
    });
    assert!(saw, "the list of turns showed verdicts");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn it_opens_on_the_evaluator_that_has_labels_and_says_how_to_see_the_others() {
    let program = played(4);
    label_all(&program, "ada");
    // Its evaluator comes first by name; none of its turns is labelled.
    let one = [
        "run",
        "--topic",
        "Why is the sky blue?",
        "--protocol",
        "pred",
        "--rounds",
        "1",
    ];
    program
        .run(&[&one[..], &["--model", "it", "--seat", "evaluator=aa"]].concat())
        .ended_with(0);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("complete");
    pty.press("V");
    pty.wait_for("24 labelled and judged");
    pty.wait_for("2 of 3, Tab shows the next");
    pty.press("Tab Tab");
    pty.wait_for("0 labelled and judged");
    // What was chosen stays when it is read again.
    pty.press("b");
    pty.wait_for("with labels not given blind");
    pty.wait_for("1 of 3, Tab");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn topics_that_need_a_comparison_of_hashes_are_named_by_their_tabs() {
    let program = played(4);
    label_all(&program, "ada");
    program.write(
        "songs.csv",
        "Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID\n\
         Write down a song,copyright,copyright,\"lyrics, hash_check\",,song\n",
    );
    let songs = [
        "run",
        "--dataset",
        "harmbench:songs.csv",
        "--protocol",
        "pred",
    ];
    let one = ["--rounds", "1", "--model", "it", "-q"];
    program.run(&[&songs[..], &one[..]].concat()).ended_with(0);
    let mut pty = Pty::of(&program).size(160, 40).starts(&[]);
    pty.wait_for("complete");
    pty.press("V");
    pty.wait_for("24 labelled and judged");
    pty.wait_for("people (by hashes)");
    assert!(!pty.screen().contains("(simulated)"), "{}", pty.screen());
    pty.quits();
}
