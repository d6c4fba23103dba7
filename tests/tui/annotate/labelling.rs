//! Labelling in the real program.

use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, labels, played};
use elenchus_test_support::program::Program;
use rustix::process::Signal;
use std::collections::BTreeSet;

fn starts(program: &Program, more: &[&str]) -> Pty {
    Pty::of(program).starts(&[&["annotate"], more].concat())
}

/// Waits until an item is on the screen with so many labels given.
fn at(pty: &Pty, at: usize, of: usize, labelled: usize) {
    let place = format!("{at} of {of}  {labelled} labelled");
    pty.wait_until(&place, |screen| {
        screen.contains(&place) && screen.contains("round ")
    });
}

#[test]
fn two_hundred_labels_in_a_row_with_a_kill_in_the_middle_are_all_there_once() {
    let program = played(32);
    draw(&program, "long", &["--all"]);
    // 192 turns and their hidden repeats, which are not counted in public.
    let (turns, of) = (192, 202);
    let mut pty = starts(&program, &["long"]);
    for labelled in 0..100 {
        at(&pty, labelled + 1, turns, labelled);
        pty.press(if labelled % 3 == 0 { "o" } else { "s" });
    }
    at(&pty, 101, turns, 100);
    // Killed with a label on its way: it is there or it is not, but what moved on is.
    pty.press("s");
    pty.signal(Signal::KILL);
    pty.wait_for_exit();
    let kept = labels(&program, "ada").len();
    assert!((100..=101).contains(&kept), "{kept}");
    let mut pty = starts(&program, &["long"]);
    for labelled in kept..of {
        at(
            &pty,
            turns.min(labelled + 1),
            turns,
            labelled.min(turns - 1),
        );
        pty.press("s");
        pty.wait_until("the label is durable", |_| {
            labels(&program, "ada").len() > labelled
        });
        pty.wait_for_calm();
    }
    pty.wait_for("everything is labelled");
    pty.wait_for("192 labelled");
    pty.wait_for("Done: all 192 are labelled.");
    pty.quits();
    let given = labels(&program, "ada");
    assert_eq!(given.len(), of);
    let places: BTreeSet<String> = given
        .iter()
        .map(|label| format!("{} {}", label["on"], label["repeat"]))
        .collect();
    assert_eq!(places.len(), of, "none doubled");
    let repeats = given.iter().filter(|label| label["repeat"] == 1).count();
    assert_eq!(repeats, 10, "5 % of 192");
    assert!(given.iter().all(|label| label["drawn"]["queue"] == "long"));
    assert!(given.iter().all(|label| label["blind"]["is"] == "blind"));
    assert!(given.iter().all(|label| label["spent_ms"].is_u64()));
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn whoever_labels_is_asked_for_their_name_once_and_the_systems_user_is_not_taken_unasked() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let own = program
        .home()
        .join(".local/share/elenchus/workbench/workbench.json");
    std::fs::remove_file(&own).unwrap();
    let mut pty = starts(&program, &["q"]);
    pty.wait_for("Labels are kept under your name");
    // Left without a name, nothing is labelled.
    pty.press("Esc");
    assert_eq!(pty.wait_for_exit().code, 0);
    let mut pty = starts(&program, &["q"]);
    pty.wait_for("Labels are kept under your name");
    pty.wait_for("ada");
    // Behind the box nothing is offered, and the first letter takes the place of what is proposed.
    assert!(!pty.screen().contains("codebook"), "{}", pty.screen());
    pty.type_text("mia");
    pty.press("Enter");
    pty.wait_for("as mia");
    at(&pty, 1, 6, 0);
    pty.press("s");
    at(&pty, 2, 6, 1);
    pty.quits_to("annotate q --as mia");
    assert_eq!(labels(&program, "mia").len(), 1);
    assert!(!program.store().join("notes/ada.jsonl").exists());
    // It is asked once: the workbench knows it from then on, in every place.
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("4");
    pty.wait_for("labelling as mia");
    pty.press("Enter");
    at(&pty, 2, 6, 1);
    pty.quits();
}

#[test]
fn after_the_last_label_it_is_said_what_comes_next_with_the_keys_that_lead_there() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    for (who, letter) in [("bo", "o"), ("ada", "s")] {
        let mut pty = starts(&program, &["q", "--as", who]);
        for labelled in 0..6 {
            at(&pty, labelled + 1, 6, labelled);
            pty.press(letter);
        }
        pty.wait_for("Done: all 6 are labelled.");
        pty.wait_for("5    how far evaluators agree with these labels");
        match who {
            "bo" => {
                pty.wait_for("4 @  a second annotator labels the same queue: nobody else has yet")
            }
            _ => {
                pty.wait_for("4 @  another annotator: one beside you has labelled of it");
                pty.wait_for("4 A  settle 6 items that annotators label differently");
            }
        }
        pty.quits();
    }
    // Who settles and was one of those who disagree is told so.
    let mut pty = starts(&program, &["q", "--as", "bo", "--adjudicate"]);
    pty.wait_for("as bo, one of those who disagree");
    pty.quits();
}

#[test]
fn a_codebook_has_no_letter_twice_in_one_list() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).size(100, 60).starts(&["annotate", "q"]);
    at(&pty, 1, 6, 0);
    pty.press("C");
    pty.wait_for("codebook of 'safety'");
    pty.wait_for("then, after unsafe, the category");
    pty.quits();
}

#[test]
fn two_people_label_one_queue_at_once_and_neither_sees_the_other() {
    let program = played(3);
    draw(&program, "shared", &["--sample", "12", "--repeats", "0"]);
    let mut ada = starts(&program, &["shared", "--as", "ada"]);
    let mut bo = starts(&program, &["shared", "--as", "bo"]);
    for labelled in 0..12 {
        at(&ada, labelled + 1, 12, labelled);
        at(&bo, labelled + 1, 12, labelled);
        ada.press("s");
        bo.press("o");
    }
    ada.wait_for("everything is labelled");
    bo.wait_for("everything is labelled");
    assert!(!ada.screen().contains("unsure]"), "{}", ada.screen());
    ada.quits();
    bo.quits();
    for (who, label) in [("ada", "safe"), ("bo", "unsure")] {
        let given = labels(&program, who);
        assert_eq!(given.len(), 12);
        assert!(given.iter().all(|one| one["label"] == label));
    }
    let listed = program.run(&["labels", "queues"]).ended_with(0);
    assert!(listed.out.contains("ada 12/12, bo 12/12"), "{}", listed.out);

    // What they disagree on is settled by a third, who is not told who said what.
    let mut eve = starts(&program, &["shared", "--as", "eve", "--adjudicate"]);
    at(&eve, 1, 12, 0);
    eve.wait_for("annotator 1: safe");
    eve.wait_for("annotator 2: unsure");
    assert!(!eve.screen().contains("bo:"), "{}", eve.screen());
    eve.press("@");
    eve.wait_for("bo: unsure");
    eve.press("s");
    at(&eve, 2, 12, 1);
    eve.quits();
    let settled = labels(&program, "eve");
    assert_eq!(settled.len(), 1);
    assert_eq!(settled[0]["role"], "adjudicator");
}

#[test]
fn a_second_process_of_the_same_person_labels_nothing_and_says_who_does() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut first = starts(&program, &["q"]);
    at(&first, 1, 6, 0);
    first.press("s");
    at(&first, 2, 6, 1);
    let mut second = starts(&program, &["q"]);
    at(&second, 2, 6, 1);
    second.press("s");
    second.wait_for("the label is not kept");
    at(&second, 2, 6, 1);
    first.quits();
    second.press("s");
    at(&second, 3, 6, 2);
    second.quits();
    assert_eq!(labels(&program, "ada").len(), 2);
}

#[test]
fn a_category_is_asked_where_the_set_asks_and_undo_and_redo_go_back_and_forth() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = starts(&program, &["q"]);
    at(&pty, 1, 6, 0);
    pty.press("x");
    pty.wait_for("which category?");
    pty.press("Esc");
    pty.wait_for("not labelled");
    pty.press("x");
    pty.wait_for("which category?");
    // Typed for the next turn, before the question was read.
    pty.press("s");
    pty.wait_for("s is the letter of a label");
    pty.wait_for("e sexual");
    pty.press("b");
    at(&pty, 2, 6, 1);
    pty.press("s");
    at(&pty, 3, 6, 2);
    pty.press("u");
    at(&pty, 2, 6, 1);
    pty.press("u");
    at(&pty, 1, 6, 0);
    pty.wait_for("taken back");
    pty.press("u");
    pty.wait_for("there is no label to take back");
    pty.press("U");
    at(&pty, 1, 6, 1);
    pty.wait_for("labelled: unsafe, cyber");
    // After a restart what was given can still be taken back.
    pty.quits();
    let mut pty = starts(&program, &["q"]);
    at(&pty, 2, 6, 1);
    pty.press("u");
    at(&pty, 1, 6, 0);
    pty.quits();
    let listed = program.run(&["labels", "list", "--json"]).ended_with(0);
    assert_eq!(listed.out, "", "nothing stands");
}

#[test]
fn notes_and_flags_go_along_and_items_are_skipped_and_found_again() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = starts(&program, &["q"]);
    at(&pty, 1, 6, 0);
    pty.press("m #");
    pty.wait_for("Enter keeps it");
    pty.type_text("look at step 2");
    pty.press("Enter");
    pty.wait_for("with the label goes a flag the note: look at step 2");
    pty.wait_for_calm();
    // The note is there again after a lost connection, until its label is given.
    pty.signal(Signal::KILL);
    pty.wait_for_exit();
    let mut pty = starts(&program, &["q"]);
    at(&pty, 1, 6, 0);
    pty.wait_for("with the label goes the note: look at step 2");
    pty.press("m");
    pty.wait_for("with the label goes a flag the note: look at step 2");
    pty.press("s");
    at(&pty, 2, 6, 1);
    pty.press("]");
    at(&pty, 3, 6, 1);
    pty.press("s");
    at(&pty, 4, 6, 2);
    pty.press("N");
    at(&pty, 5, 6, 2);
    pty.press("[ [ [ [");
    at(&pty, 1, 6, 2);
    pty.wait_for("labelled: safe, flagged (look at step 2)");
    // A flag that is taken away later is part of the label that then stands.
    pty.press("m");
    pty.wait_for("labelled: safe (look at step 2)");
    pty.paste("ssss");
    pty.wait_for("a pasted text labels nothing");
    pty.quits();
    let last = labels(&program, "ada").pop().unwrap();
    assert_eq!(last["note"], "look at step 2");
    assert_eq!(last.get("flagged"), None);
    let listed = program.run(&["labels", "list", "--json"]).ended_with(0);
    assert!(listed.out.contains("\"labels\":2"), "{}", listed.out);
}

#[test]
fn an_arrow_that_a_slow_link_tears_apart_labels_nothing() {
    let program = played(1);
    draw(&program, "q", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program)
        .with("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
        .starts(&["annotate", "q"]);
    at(&pty, 1, 6, 0);
    for sequence in [
        "\x1b[A",
        "\x1bOA",
        "\x1b[1;5C",
        "\x1b[5~",
        "\x1bOS",
        "\x1b[Z",
        "\x1b[3;5~",
    ] {
        for cut in 1..sequence.len() {
            pty.send(&sequence.as_bytes()[..cut]);
            pty.wait_for_keys_read();
            pty.send(&sequence.as_bytes()[cut..]);
            pty.wait_for_calm();
            at(&pty, 1, 6, 0);
            assert!(!pty.screen().contains("category?"), "{}", pty.screen());
        }
    }
    // Even an escape that comes alone, long before the rest, ends nothing and labels nothing.
    pty.press("Esc");
    pty.wait_for("every label that was given is kept");
    pty.press("s");
    at(&pty, 2, 6, 1);
    pty.quits();
    assert_eq!(labels(&program, "ada").len(), 1);
}

#[test]
fn tags_are_typed_in_ones_own_words_and_strengths_are_letters() {
    let program = played(1);
    draw(
        &program,
        "words",
        &["--set", "tags", "--all", "--repeats", "0"],
    );
    let mut pty = starts(&program, &["words"]);
    at(&pty, 1, 6, 0);
    pty.press("a");
    pty.wait_for("words, with commas");
    pty.type_text("Hedges, flatters,hedges");
    pty.press("Enter");
    at(&pty, 2, 6, 1);
    pty.press("x");
    at(&pty, 3, 6, 2);
    pty.quits();
    let given = labels(&program, "ada");
    assert_eq!(given[0]["label"], "flatters, hedges");
    assert_eq!(given[1]["label"], "none");
    for seed in ["1", "2"] {
        let game = ["run", "--protocol", "pcd-2", "--topic", "2 and 2?"];
        let ran = program.run(&[&game[..], &["--model", "sim", "--seed", seed, "-q"]].concat());
        ran.ended_with(0);
    }
    draw(
        &program,
        "strong",
        &["--set", "critique-quality", "--all", "--repeats", "0"],
    );
    let mut pty = starts(&program, &["strong"]);
    at(&pty, 1, 2, 0);
    pty.wait_for("Critic, round ");
    pty.press("s");
    pty.wait_for("how strong?");
    pty.press("g");
    at(&pty, 2, 2, 1);
    pty.quits();
    assert_eq!(labels(&program, "ada").pop().unwrap()["strength"], 5);
}

#[test]
fn a_queue_that_cannot_be_opened_says_what_to_do() {
    let program = played(1);
    let none = program.run(&["annotate"]);
    assert!(
        none.err.contains("elenchus labels queue NAME"),
        "{}",
        none.err
    );
    draw(&program, "a", &["--all"]);
    draw(&program, "b", &["--all"]);
    let several = program.run(&["annotate"]);
    assert!(several.err.contains("a, b"), "{}", several.err);
    let unknown = program.run(&["annotate", "c"]);
    assert!(unknown.err.contains("labels queues"), "{}", unknown.err);
    let blank = program.run(&["annotate", "a", "--as", " "]);
    assert!(blank.err.contains("--as NAME"), "{}", blank.err);
    let twice = program.run(&["annotate", "a", "--pack", "x", "--store", "y"]);
    assert_eq!(twice.code, 2, "{}", twice.err);
}
