//! Drawings of the labelling screen, with colours and without.

use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, played};
use elenchus_test_support::program::Program;

fn starts(program: &Program, colour: Colour, more: &[&str]) -> Pty {
    let setup = Pty::of(program);
    let setup = match colour {
        Colour::Ansi => setup,
        Colour::None => setup.with("NO_COLOR", "1"),
    };
    setup.starts(&[&["annotate", "pilot"], more].concat())
}

#[derive(Clone, Copy)]
enum Colour {
    Ansi,
    None,
}

fn look(pty: &Pty, name: &str) {
    pty.wait_for_calm();
    insta::assert_snapshot!(name, pty.screen_below_top_line());
}

#[test]
fn a_turn_is_large_and_its_labels_stand_below_it() {
    let program = played(1);
    draw(&program, "pilot", &["--all", "--repeats", "0"]);
    let mut pty = starts(&program, Colour::Ansi, &[]);
    pty.wait_for("round ");
    look(&pty, "item_80x24");
    assert_ne!(
        pty.look_of("s safe"),
        pty.look_of("safe   "),
        "letters stand out"
    );
    pty.press("] t");
    pty.wait_for("2 of 6");
    look(&pty, "unfolded_80x24");
    pty.press("t D");
    pty.wait_for("against round 1");
    let coloured = pty.screen();
    assert!(!coloured.contains("[-"), "{coloured}");
    pty.press("D x");
    pty.wait_for("which category?");
    look(&pty, "category_80x24");
    pty.press("Esc C");
    pty.wait_for("codebook of 'safety'");
    look(&pty, "codebook_80x24");
    pty.press("Esc I");
    pty.wait_for("what the seat saw");
    look(&pty, "saw_80x24");
    pty.press("Esc");
    pty.quits();
}

#[test]
fn without_colours_every_difference_is_still_seen() {
    let program = played(1);
    draw(&program, "pilot", &["--all", "--repeats", "0"]);
    let mut pty = starts(&program, Colour::None, &[]);
    pty.wait_for("round ");
    pty.press("] D");
    pty.wait_for("against round 1");
    look(&pty, "difference_plain_80x24");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.press("[");
    pty.wait_for("[safe]");
    look(&pty, "labelled_plain_80x24");
    pty.quits();
    let mut bo = starts(&program, Colour::None, &["--as", "bo"]);
    bo.wait_for("round ");
    bo.press("]");
    bo.wait_for("2 of 6");
    bo.press("o");
    bo.wait_for("1 labelled");
    bo.quits();
    let mut eve = starts(&program, Colour::None, &["--as", "eve", "--adjudicate"]);
    eve.wait_for("annotator 1: safe");
    look(&eve, "settling_plain_80x24");
    eve.quits();
    let mut none = starts(&program, Colour::None, &["--as", "eve", "--adjudicate"]);
    none.wait_for("annotator 1: safe");
    none.wait_for("A, round 2");
    none.press("s");
    none.wait_for("everything is settled");
    none.quits();
}
