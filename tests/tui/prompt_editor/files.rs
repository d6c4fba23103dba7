//! Files that others change, take away or fill while a prompt is open.

use super::{opened, text_of};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::played;

const FILE: &str = ".elenchus/prompts/sred/socratic.md";

/// A project whose Socratic prompt is a file of its own, and the prompt's text.
fn with_a_file() -> (Program, elenchus_test_support::ChatServer, String) {
    let (program, server, _) = played();
    let text = program
        .run(&["prompts", "show", "sred/socratic"])
        .ended_with(0)
        .out;
    program.write(FILE, &text);
    (program, server, text)
}

#[test]
fn a_file_that_another_editor_saves_is_read_again() {
    let (program, _server, text) = with_a_file();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    program.write(FILE, &text.replace("You are the", "You were the"));
    pty.wait_for("the file was changed, and read again");
    pty.wait_for("tpl You were the Socratic");
    pty.wait_for_no("text, changed");
    // An editor that writes half a template shows what is wrong with it, and loses nothing.
    program.write(FILE, "=== user\n{% if");
    pty.wait_for("! line 2:");
    pty.press("u");
    pty.wait_for_no("! line 2:");
    pty.press("g g");
    pty.wait_for("You were the {{ me.label }}");
    pty.quits();
}

#[test]
fn two_people_who_change_a_file_do_not_write_over_each_other_unasked() {
    let (program, _server, text) = with_a_file();
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    pty.press("e Down Down Down Down Down");
    pty.type_text("Mine. ");
    pty.wait_for("tpl Mine.");
    let theirs = text.replace("You are the", "Theirs. You are the");
    program.write(FILE, &theirs);
    pty.wait_for("the file was changed by another program");
    pty.press("Ctrl-D");
    pty.wait_for("Changed meanwhile");
    pty.press("n");
    pty.wait_for("nothing was written; your text is still here");
    assert_eq!(text_of(&program, FILE), theirs);
    pty.press("w");
    pty.wait_for("Changed meanwhile");
    pty.press("y");
    pty.wait_for("saved, the next debate");
    assert!(text_of(&program, FILE).contains("Mine. You are the"));
    // What was written over can be brought back.
    pty.press("v");
    pty.wait_for("versions, newest first");
    pty.press("Down");
    pty.wait_for("Theirs.");
    pty.press("Esc");
    pty.quits();
}

#[test]
fn a_file_that_vanishes_while_it_is_open_takes_nothing_with_it() {
    let (program, _server, text) = with_a_file();
    let mine = text.replace("You are the", "My own. You are the");
    program.write(FILE, &mine);
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("tpl My own.");
    std::fs::remove_file(program.work().join(FILE)).unwrap();
    pty.wait_for("is gone, and the text of built-in is used");
    pty.wait_for("My own. You are the");
    pty.press("w");
    pty.wait_for("saved, the next debate");
    assert_eq!(text_of(&program, FILE), mine);
    pty.quits();
}

#[test]
fn a_file_of_five_megabytes_is_refused_in_words_and_the_others_stay() {
    let (program, _server, _) = with_a_file();
    program.write(FILE, &format!("=== user\n{}", "word ".repeat(1 << 20)));
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
    pty.press("/");
    pty.type_text("pred/");
    pty.wait_for("pred/debater");
    pty.wait_for("4194304");
    pty.press("Esc");
    pty.quits();
    // Two megabytes can be read, and are no template.
    program.write(FILE, &format!("=== user\n{}", "word ".repeat(1 << 18)));
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("W /");
    pty.type_text("sred/socratic");
    pty.wait_for("▶ !sred/socratic");
    pty.press("Enter Enter");
    pty.wait_for("edit it in your own editor");
    pty.press("e");
    pty.wait_for("edit it in your own editor");
    pty.quits();
}

#[test]
fn a_file_that_was_too_long_is_edited_once_another_program_has_made_it_shorter() {
    let (program, _server, text) = with_a_file();
    program.write(FILE, &format!("=== user\n{}", "word ".repeat(1 << 18)));
    let mut pty = opened_broken(&program);
    pty.wait_for("edit it in your own editor");
    program.write(FILE, &text);
    pty.wait_for("the file was changed, and read again");
    pty.wait_for("You are the {{ me.label }}");
    pty.press("e");
    pty.wait_for("writing");
    pty.press("Esc");
    pty.quits();
}

#[test]
fn front_matter_that_cannot_be_read_is_named_by_its_line() {
    let (program, _server, text) = with_a_file();
    program.write(FILE, &text.replacen("description =", "descripton =", 1));
    let mut pty = opened_broken(&program);
    pty.wait_for("! line 2: front matter:");
    pty.wait_for("descripton");
    pty.quits();
    let refused = program.run(&["run", "--protocol", "sred", "--topic", "Why?"]);
    let refused = refused.ended_with(1);
    assert!(refused.err.contains("socratic.md:2"), "{}", refused.err);
}

fn opened_broken(program: &Program) -> Pty {
    let mut pty = Pty::of(program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("W /");
    pty.type_text("sred/socratic");
    pty.wait_for("▶ !sred/socratic");
    pty.press("Enter Enter");
    pty
}

#[test]
fn the_persons_own_editor_changes_the_text_and_saves_nothing_by_itself() {
    use std::os::unix::fs::PermissionsExt;
    let (program, _server, text) = with_a_file();
    program.write(
        "ed.sh",
        "#!/bin/sh\nsed -i 's/You are the/By another hand: you are the/' \"$1\"\n",
    );
    let script = program.work().join("ed.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.with("VISUAL", script.to_str().unwrap());
    let mut pty = opened(&program, 120, 40);
    pty.wait_for("How are locks made?");
    pty.press("E");
    pty.wait_for("tpl By another hand: you are the Socratic");
    pty.wait_for("changed, not saved");
    assert_eq!(text_of(&program, FILE), text);
    pty.quits();
}
