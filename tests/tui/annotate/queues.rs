//! Queues in the workbench: drawn, labelled by several people and settled without leaving it.

use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, labels, played};

fn label_all(pty: &mut Pty, of: usize, key: &str) {
    for labelled in 0..of {
        pty.wait_for(&format!("{} of {of}  {labelled} labelled", labelled + 1));
        pty.wait_for("round ");
        // The item itself is read behind its number, and no label is given to what is not on the screen.
        pty.wait_for_calm();
        pty.press(key);
    }
    pty.wait_for("everything is labelled");
}

#[test]
fn a_queue_is_drawn_labelled_by_two_people_and_settled_by_a_third_inside() {
    let program = played(3);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("3 sessions, newest first");
    pty.press("a");
    pty.wait_for("there is no queue: n draws one");
    pty.press("n");
    pty.wait_for("a new queue");
    // Only simulated models played.
    pty.wait_for("simulated models - ");
    pty.press("Down Down Down Down Down Down Down");
    pty.type_text("colour:red");
    pty.wait_for("'colour:red' is none of: run:");
    pty.press("Ctrl-U");
    // The count follows every key.
    pty.type_text("seat:debater");
    pty.wait_for("18 of 18 turns in 3 sessions: 18 items to label");
    pty.wait_for("labels tell the rate itself");
    pty.press("Enter Down Enter");
    pty.wait_for("Enter picks");
    pty.type_text("round");
    pty.press("Enter");
    pty.wait_for("strata      round");
    pty.wait_for("9 of 9");
    pty.press("Down");
    pty.type_text("6");
    pty.wait_for("6 of 18 turns in 3 sessions: 6 items to label");
    pty.wait_for("one of 50 % to 31");
    pty.wait_for("3 of 9");
    pty.wait_for_calm();
    insta::assert_snapshot!("queue_form_100x30", pty.screen_below_top_line());
    pty.press("Ctrl-D");
    pty.wait_for("queue 'queue-1' is drawn");
    pty.wait_for("labelling as ada");
    pty.wait_for("queue-1  by 'safety'  0 of 6 labelled");

    pty.press("Enter");
    label_all(&mut pty, 6, "s");
    // A stray letter changes nothing once everything is labelled.
    pty.press("o");
    pty.wait_for("everything is labelled; Enter lets labels be changed");
    pty.press("Esc");
    pty.wait_for("6 of 6 labelled, done");
    pty.press("Enter");
    pty.wait_for("Done: all 6 are labelled.");
    insta::assert_snapshot!("done_100x30", pty.screen_below_top_line());
    pty.press("o");
    pty.wait_for("everything is labelled; Enter lets labels be changed");
    assert_eq!(labels(&program, "ada").len(), 6);
    pty.press("Enter");
    pty.wait_for("letters change labels again");
    pty.press("o");
    pty.wait_for("everything is labelled");
    pty.press("Esc");
    pty.wait_for("6 of 6 labelled, done");
    assert_eq!(labels(&program, "ada").len(), 7);

    pty.press("@");
    pty.wait_for("Who is labelling?");
    pty.type_text("bo");
    pty.press("Enter");
    pty.wait_for("labelling as bo");
    pty.wait_for("0 of 6 labelled, and by another");
    pty.press("Enter");
    label_all(&mut pty, 6, "o");
    pty.press("Esc");
    pty.wait_for("6 of 6 labelled, done, and by another");

    pty.press("@");
    pty.wait_for("labels now");
    pty.type_text("eve");
    pty.press("Enter");
    pty.wait_for("labelling as eve");
    pty.press("A");
    pty.wait_for("queue-1: to be settled");
    // The first item has one label of both.
    pty.wait_for("1 of 5  0 labelled");
    pty.wait_for("annotator 2: ");
    pty.press("s");
    pty.wait_for("2 of 5  1 labelled");
    pty.press("Esc");
    pty.wait_for("labelling as eve");
    pty.quits();
    // They labelled here once; who sits here has not become somebody else.
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("newest first");
    pty.press("4");
    pty.wait_for("labelling as ada");
    pty.quits();
    assert_eq!(labels(&program, "bo").len(), 6);
    assert_eq!(labels(&program, "eve")[0]["role"], "adjudicator");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_the_form_says_of_a_draw_is_what_is_drawn() {
    let program = played(2);
    draw(&program, "there", &["--all"]);
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("2 sessions, newest first");
    pty.press("a");
    pty.wait_for("there  by 'safety'");
    pty.press("n");
    pty.wait_for("a new queue");
    pty.wait_for("simulated models - ");
    pty.press("Ctrl-U");
    pty.type_text("there");
    pty.wait_for("a queue 'there' is there already");
    pty.press("Ctrl-U");
    pty.type_text("mine");
    pty.press("Tab Down Down Down Down Down Down");
    pty.type_text("round:2");
    pty.press("Tab Down Down");
    pty.type_text("4");
    pty.press("Tab");
    pty.wait_for("4 of 6 turns in 2 sessions: 4 items to label");
    pty.press("End Enter");
    pty.wait_for("queue 'mine' is drawn");
    pty.quits();
    let listed = program.run(&["labels", "queues", "mine"]).ended_with(0);
    assert!(listed.out.contains("4 of 6"), "{}", listed.out);
    assert!(listed.out.contains("\"rounds\":[2]"), "{}", listed.out);
}

#[test]
fn the_list_is_gone_back_to_from_a_queue_by_its_key_and_left_to_where_one_was() {
    let program = played(1);
    draw(&program, "there", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("4");
    pty.wait_for("there  by 'safety'  0 of 6 labelled");
    pty.press("Enter");
    pty.wait_for("1 of 6  0 labelled");
    pty.wait_for("round ");
    pty.press("s");
    pty.wait_for("2 of 6  1 labelled");
    pty.press("4");
    pty.wait_for("there  by 'safety'  1 of 6 labelled");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    pty.quits();
}

/// Opens the form of a new queue over simulated debates, at its row of conditions in words.
fn form_at_conditions(program: &elenchus_test_support::program::Program) -> Pty {
    let mut pty = Pty::of(program).size(100, 30).starts(&[]);
    pty.wait_for("newest first");
    pty.press("4");
    pty.wait_for("there is no queue: n draws one");
    pty.press("n");
    pty.wait_for("simulated models - 12 turns");
    pty.press("Down Down Down Down Down Down Down");
    pty.wait_for("▶ only");
    pty
}

#[test]
fn conditions_in_words_narrow_the_rows_and_never_contradict_them_in_silence() {
    let program = played(2);
    let mut pty = form_at_conditions(&program);
    // A part of an arm's name, which has blanks.
    pty.type_text("arm:sim");
    pty.wait_for("12 of 12 turns in 2 sessions");
    pty.press("Ctrl-U");
    pty.type_text("arm:llama");
    pty.wait_for("no arm has 'llama' in its name");
    pty.press("Ctrl-U Esc Up Up Up Right");
    pty.wait_for("▶ protocol    pred - 12 turns");
    pty.press("Down Down Down");
    pty.wait_for("▶ only");
    pty.type_text("protocol:sred");
    pty.wait_for("'protocol:' contradicts the row 'protocol'");
    pty.wait_for("nothing to draw so");
    pty.type_text(",pred");
    pty.wait_for("12 of 12 turns in 2 sessions");
    pty.press("Ctrl-U Enter");
    pty.press("Home Down Down Right");
    pty.wait_for("▶ played by   real models - 0 turns");
    pty.press("Down Down Down Down Down");
    pty.type_text("simulated");
    pty.wait_for("'simulated' contradicts the row 'played by'");
    pty.press("Ctrl-C Ctrl-C");
    pty.wait_for("there is no queue");
    pty.quits();
}

#[test]
fn what_can_be_chosen_is_counted_in_the_unit_that_is_drawn() {
    let program = played(2);
    let mut pty = form_at_conditions(&program);
    pty.press("Down Right");
    pty.wait_for("▶ of what     pairs: a chair's turns of two rounds");
    pty.wait_for("played by   simulated models - 6 pairs");
    pty.wait_for("6 of 6 pairs in 2 sessions");
    pty.press("Up Up Up Up Right");
    pty.wait_for("▶ protocol    pred - 6 pairs");
    pty.press("Down Down Down Down Right");
    pty.wait_for("▶ of what     proposals: turns that are graded");
    pty.wait_for("labels      game-verdict");
    pty.wait_for("protocol    pred - 0 proposals");
    pty.press("Esc");
    pty.wait_for("there is no queue");
    pty.quits();
}

#[test]
fn strata_are_chosen_one_after_another_and_taken_away_again() {
    let program = played(2);
    let mut pty = form_at_conditions(&program);
    pty.press("Down Down");
    pty.wait_for("▶ strata      none");
    for (name, shown) in [
        ("seat", "▶ strata      seat"),
        ("round", "▶ strata      seat, round"),
        ("seat", "▶ strata      round"),
        ("none", "▶ strata      none"),
    ] {
        pty.press("Enter");
        pty.wait_for("Enter picks");
        pty.type_text(name);
        pty.press("Enter");
        pty.wait_for_no("Enter picks");
        pty.wait_for(shown);
    }
    pty.press("Right");
    pty.wait_for("▶ strata      verdict");
    pty.press("Esc");
    pty.wait_for("there is no queue");
    pty.quits();
}

#[test]
fn a_queue_that_is_begun_twice_is_drawn_once_and_a_begin_waits_for_the_count() {
    let program = played(2);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("newest first");
    pty.press("4");
    pty.wait_for("there is no queue: n draws one");
    // At once, before anything is read.
    pty.send(b"n\x04\x04\x04");
    pty.wait_for("queue 'queue-1' is drawn");
    pty.wait_for("queue-1  by 'safety'  0 of 12 labelled");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_queue_is_removed_after_a_question_and_its_labels_stay() {
    let program = played(1);
    draw(&program, "there", &["--all", "--repeats", "0"]);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("4");
    pty.wait_for("there  by 'safety'  0 of 6 labelled");
    pty.press("Enter");
    pty.wait_for("1 of 6  0 labelled");
    pty.wait_for("round ");
    pty.wait_for_calm();
    pty.press("s");
    pty.wait_for("2 of 6  1 labelled");
    pty.press("Esc");
    pty.wait_for("there  by 'safety'  1 of 6 labelled");
    pty.press("d");
    pty.wait_for("Remove the queue 'there'?");
    pty.press("n");
    pty.wait_for_no("Remove the queue");
    pty.press("d");
    pty.wait_for("labels that were given stay");
    pty.press("y");
    pty.wait_for("queue 'there' is removed; its labels stay");
    pty.wait_for("there is no queue: n draws one");
    // Its name stays that of its labels.
    pty.press("n");
    pty.wait_for("simulated models - ");
    pty.press("Ctrl-U");
    pty.type_text("there");
    pty.wait_for("a queue 'there' was there before");
    pty.press("Esc Esc");
    pty.quits();
    assert_eq!(labels(&program, "ada").len(), 1);
    program.run(&["verify"]).ended_with(0);
    assert!(
        !program
            .run(&["labels", "queues"])
            .ended_with(0)
            .out
            .contains("there")
    );
    let refused = program.run(&["labels", "extend", "there"]);
    assert!(refused.err.contains("was removed"), "{}", refused.err);
}
