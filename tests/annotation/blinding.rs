//! Blinding of annotators: hidden parts of a turn, and the record of what was unblinded.

use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, journal, labels, played};
use elenchus_test_support::program::Program;

/// Words that tell a verdict, an arm, a protocol or a prompt of the debates that are played here.
// What the simulated model says holds the word debater: it is what was said.
const TELLING: [&str; 6] = ["pred", "llama", "evaluator", "Debater", "verdict", "[sim "];

fn shown(pty: &Pty, what: &str) {
    let screen = pty.screen();
    for word in TELLING {
        assert!(!screen.contains(word), "{what} tells '{word}'\n{screen}");
    }
}

#[test]
fn nothing_on_the_screen_tells_verdict_arm_protocol_or_prompt() {
    let program = played(2);
    draw(
        &program,
        "q",
        &[
            "--verdict",
            "unsafe",
            "--verdict",
            "safe",
            "--all",
            "--repeats",
            "0",
        ],
    );
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program)
            .size(width, height)
            .starts(&["annotate", "q"]);
        pty.wait_for("round ");
        for _ in 0..6 {
            shown(&pty, "an item");
            pty.press("t");
            pty.wait_for_calm();
            shown(&pty, "what was said before");
            pty.press("t D");
            pty.wait_for_calm();
            shown(&pty, "the difference");
            pty.press("I");
            pty.wait_for("what the seat saw");
            let screen = pty.screen();
            for word in ["safe", "llama", "pred"] {
                assert!(
                    !screen.replace("unsafe", "").contains(&format!("[{word}")),
                    "{screen}"
                );
            }
            assert!(screen.contains("words of the prompt"), "{screen}");
            pty.press("Esc");
            pty.wait_for_no("what the seat saw");
            pty.press("]");
            pty.wait_for_calm();
        }
        pty.press("q");
        assert_eq!(pty.wait_for_exit().code, 0);
    }
    assert!(
        !program.store().join("notes/ada.jsonl").exists(),
        "looking records nothing"
    );
}

#[test]
fn a_verdict_is_revealed_on_purpose_alone_and_recorded_before_it_is_shown() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).starts(&["annotate", "q"]);
    pty.wait_for("1 of 6  0 labelled");
    pty.wait_for("round ");
    pty.press("s");
    pty.wait_for("2 of 6  1 labelled");
    pty.press("V");
    pty.wait_for("will not be blind");
    assert_eq!(labels(&program, "ada").len(), 1);
    pty.press("V");
    pty.wait_for("safety: ");
    pty.wait_for("not blind");
    pty.press("s");
    pty.wait_for("3 of 6  2 labelled");
    pty.quits();
    let unblindings = journal(&program, "sights/ada.jsonl");
    assert_eq!(unblindings.len(), 1, "{unblindings:?}");
    assert_eq!(unblindings[0]["saw"][0], "verdict");
    let given = labels(&program, "ada");
    assert_eq!(given[0]["blind"]["is"], "blind");
    assert_eq!(given[1]["blind"]["is"], "unblinded");
    assert_eq!(given[1]["blind"]["saw"][0], "verdict");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn whoever_reads_a_debate_with_verdicts_is_no_longer_blind_on_it_and_is_recorded_once() {
    let program = played(2);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let session = program.sessions().remove(0);
    for _ in 0..2 {
        let mut pty = Pty::of(&program).starts(&["open", &session]);
        pty.wait_for("complete");
        pty.press("j j ] ] k");
        pty.wait_for_calm();
        pty.press("q");
        assert_eq!(pty.wait_for_exit().code, 0);
    }
    let events = journal(&program, "sights/ada.jsonl");
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["session"], session.as_str());
    let mut pty = Pty::of(&program).starts(&["annotate", "q"]);
    for labelled in 0..12 {
        pty.wait_for(&format!("{} of 12  {labelled} labelled", labelled + 1));
        pty.wait_for("round ");
        pty.press("s");
    }
    pty.wait_for("everything is labelled");
    pty.quits();
    for label in labels(&program, "ada") {
        let seen = label["on"]["session"] == session.as_str();
        let expected = if seen { "unblinded" } else { "blind" };
        assert_eq!(label["blind"]["is"], expected, "{label}");
    }
}

#[test]
fn a_turn_is_labelled_from_the_debate_that_is_being_read() {
    let program = played(1);
    let session = program.sessions().remove(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", &session]);
    pty.wait_for("complete");
    assert!(!pty.screen().contains("☻"), "{}", pty.screen());
    // From the first turn to the last.
    pty.press("] ] ] ] ] A");
    pty.wait_for("one turn  safety");
    pty.wait_for("not blind");
    pty.wait_for("C, round 2");
    pty.press("s");
    pty.wait_for("labelled: safe");
    pty.press("L");
    pty.wait_for("one turn  tags");
    pty.press("Esc");
    pty.wait_for("complete");
    // The label stands on the rail, beside what the evaluator found.
    pty.wait_for("☻s");
    pty.quits();
    let given = labels(&program, "ada");
    assert_eq!(given.len(), 1);
    assert_eq!(given[0].get("drawn"), None, "what one chooses is no sample");
    assert_eq!(given[0]["blind"]["is"], "unblinded");
}

#[test]
fn what_was_on_the_screen_before_a_name_was_given_counts_for_that_name() {
    let program = played(1);
    let session = program.sessions().remove(0);
    let own = program
        .home()
        .join(".local/share/elenchus/workbench/workbench.json");
    // Nobody has said who labels: the system's user is recorded until somebody does. What this workbench shows for the
    // second time is on its screen all the same.
    for name in ["mia", "noa"] {
        std::fs::remove_file(&own).unwrap();
        let mut pty = Pty::of(&program).size(120, 40).starts(&["open", &session]);
        pty.wait_for("complete");
        pty.press("] ] ] ] ] A");
        pty.wait_for("Labels are kept under your name");
        pty.press("Ctrl-U");
        pty.type_text(name);
        pty.press("Enter");
        pty.wait_for(&format!("as {name}"));
        pty.wait_for("not blind");
        pty.press("s");
        pty.wait_for("labelled: safe");
        pty.quits();
        let given = labels(&program, name);
        assert_eq!(given.len(), 1);
        assert_eq!(given[0]["blind"]["is"], "unblinded", "{given:?}");
    }
    let listed = program.run(&["labels", "list"]).ended_with(0).out;
    let blind = |name: &str| {
        let line = listed.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(3).unwrap().to_owned()
    };
    assert_eq!((&*blind("mia"), &*blind("noa")), ("0", "0"), "{listed}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_one_workbench_showed_counts_for_whoever_labels_in_it_next_and_nothing_else_does() {
    let program = played(2);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("2 sessions, newest first");
    pty.press("Enter");
    pty.wait_for("complete");
    pty.press("4");
    pty.wait_for("q  by 'safety'  0 of 12 labelled");
    pty.press("@");
    pty.wait_for("Who is labelling?");
    pty.type_text("bo");
    pty.press("Enter");
    pty.wait_for("labelling as bo");
    pty.press("Enter");
    for labelled in 0..12 {
        pty.wait_for(&format!("{} of 12  {labelled} labelled", labelled + 1));
        pty.wait_for("round ");
        pty.press("s");
    }
    pty.wait_for("everything is labelled");
    pty.quits();
    let read = journal(&program, "sights/ada.jsonl");
    assert_eq!(read.len(), 1, "{read:?}");
    for label in labels(&program, "bo") {
        let was_read = label["on"]["session"] == read[0]["session"];
        let expected = if was_read { "unblinded" } else { "blind" };
        assert_eq!(label["blind"]["is"], expected, "{label}");
    }
    // In a workbench of their own they saw nothing more.
    assert_eq!(journal(&program, "sights/bo.jsonl").len(), 1);
}

#[test]
fn a_fork_that_shows_verdicts_of_its_past_is_no_longer_blind() {
    let program = played(1);
    let parent = program.sessions().remove(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", &parent]);
    pty.wait_for("complete");
    pty.press("g g f");
    pty.wait_for("the parent stays as it was");
    pty.press("A");
    pty.wait_for("one turn  safety");
    pty.wait_for("not blind");
    pty.press("s");
    pty.wait_for("labelled: safe");
    pty.quits();
    let given = labels(&program, "ada");
    assert_eq!(given.len(), 1);
    assert_ne!(given[0]["on"]["session"], parent.as_str());
    assert_eq!(given[0]["blind"]["is"], "unblinded");
}

#[test]
fn the_workbench_leads_to_a_queue_and_back() {
    let program: Program = played(1);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("a");
    pty.wait_for("there is no queue");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    draw(&program, "q", &["--all", "--repeats", "0"]);
    draw(&program, "r", &["--sample", "2", "--repeats", "0"]);
    pty.press("a");
    pty.wait_for("r  by 'safety'  0 of 2 labelled");
    pty.press("j Enter");
    pty.wait_for("1 of 2  0 labelled");
    pty.wait_for("round ");
    pty.press("s");
    pty.wait_for("2 of 2  1 labelled");
    pty.press("Esc");
    pty.wait_for("r  by 'safety'  1 of 2 labelled");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    pty.quits();
    assert_eq!(labels(&program, "ada").len(), 1);
}

#[test]
fn a_debate_that_is_read_in_another_terminal_unblinds_what_is_being_labelled() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let session = program.sessions().remove(0);
    let mut labelling = Pty::of(&program).starts(&["annotate", "q"]);
    labelling.wait_for("1 of 6  0 labelled");
    labelling.wait_for("round ");
    labelling.press("s");
    labelling.wait_for("2 of 6  1 labelled");
    let mut reading = Pty::of(&program).starts(&["open", &session]);
    reading.wait_for("complete");
    reading.wait_for_calm();
    labelling.press("s");
    labelling.wait_for("3 of 6  2 labelled");
    labelling.wait_for("not blind");
    for pty in [&mut labelling, &mut reading] {
        pty.press("q");
        assert_eq!(pty.wait_for_exit().code, 0);
    }
    let given = labels(&program, "ada");
    assert_eq!(given[0]["blind"]["is"], "blind");
    assert_eq!(given[1]["blind"]["is"], "unblinded");
}

#[test]
fn the_list_hides_the_verdicts_of_what_a_person_has_begun_to_label() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).starts(&["annotate", "q"]);
    pty.wait_for("1 of 6  0 labelled");
    pty.wait_for("round ");
    pty.press("s");
    pty.wait_for("2 of 6  1 labelled");
    pty.quits();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.wait_for(" hidden");
    pty.quits();
}

#[test]
fn where_evaluators_disagree_is_told_of_what_is_no_longer_blind_alone() {
    let program = played(2);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).starts(&["annotate", "q"]);
    for labelled in 0..12 {
        pty.wait_for(&format!("{} of 12  {labelled} labelled", labelled + 1));
        pty.wait_for("round ");
        pty.press("x");
        pty.wait_for("which category?");
        pty.press("v");
    }
    pty.wait_for("everything is labelled");
    pty.press("g d");
    pty.wait_for("everything you have labelled is blind");
    pty.press("V");
    pty.wait_for("not blind");
    pty.press("g d");
    // Some turns were found safe; all were labelled unsafe.
    pty.wait_for_calm();
    pty.press("V");
    pty.wait_for("safety: safe");
    pty.quits();
}
