//! The mouse, which is off unless a person asks for it.

use super::child::{CHILD, MOUSE};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_test_support::pty::Screen;

const WHEEL_DOWN: &[u8] = b"\x1b[<65;10;5M";
const WHEEL_UP: &[u8] = b"\x1b[<64;10;5M";

fn holds(output: &[u8], sequence: &[u8]) -> bool {
    output.windows(sequence.len()).any(|at| at == sequence)
}

#[test]
fn the_mouse_is_asked_for_when_it_is_wanted_and_its_motions_never() {
    let program = Program::new();
    let mut pty = Pty::of(&program).with(MOUSE, "1").starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(pty.ask(|screen| screen.has_mouse()));
    for motions in [b"\x1b[?1002h", b"\x1b[?1003h"] {
        assert!(!holds(&pty.output(), motions), "{}", motions.escape_ascii());
    }
    pty.send(b"\x1b[<0;10;5M");
    pty.wait_for("Down(Left)");
    pty.quits();
    assert!(!pty.ask(|screen| screen.has_mouse()));

    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(!pty.ask(|screen| screen.has_mouse()));
    pty.quits();
}

/// A click on the middle of what is written there.
fn click(pty: &mut Pty, text: &str) {
    let (row, column) = pty.ask(|screen| screen.find(text)).expect(text);
    let place = format!("{};{}", column + 2, row + 1);
    pty.send(format!("\x1b[<0;{place}M\x1b[<0;{place}m").as_bytes());
}

#[test]
fn a_click_chooses_a_row_opens_the_chosen_one_and_goes_to_a_screen_of_the_line_at_the_top() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.wait_for_calm();
    let cursor = |pty: &Pty| pty.ask(|screen| screen.find("▶").map(|(row, _)| row));
    let first = cursor(&pty).expect("a row is chosen");
    let row = |pty: &Pty, row: usize| pty.screen().lines().nth(row).unwrap().to_owned();
    let id = |line: &str| {
        line.trim_start_matches('▶')
            .split_whitespace()
            .next()
            .unwrap()
            .to_owned()
    };
    let third = id(&row(&pty, usize::from(first) + 2));
    click(&mut pty, &third);
    let is_third = |screen: &Screen<'_>| screen.find("▶").map(|(row, _)| row) == Some(first + 2);
    pty.wait_until("the third row", is_third);
    click(&mut pty, &third);
    pty.wait_for("▸ debate");
    click(&mut pty, "prompts");
    pty.wait_for("→2 prompts");
    pty.wait_until("its list", |screen| screen.find("▶").is_some());
    click(&mut pty, "sessions");
    pty.wait_until("the third row again", is_third);
    pty.wait_for_calm();
    // Beside rows and names a click does nothing.
    let before = pty.screen();
    pty.send(b"\x1b[<0;119;39M\x1b[<0;119;1M");
    pty.wait_for_keys_read();
    pty.wait_for_calm();
    assert_eq!(pty.screen(), before);
    pty.quits();
}

/// The second click of a double click can come before the first one is drawn.
#[test]
fn a_double_click_opens_the_row_that_it_hit_in_lists_pages_and_forms() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.wait_for_calm();
    let cursor = |screen: &Screen<'_>| screen.find("▶").map(|(row, _)| row);
    let first = pty.ask(|screen| cursor(screen)).expect("a row is chosen");
    let double = |pty: &mut Pty, row: u16, column: u16| {
        let click = format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m");
        pty.send(format!("{click}{click}").as_bytes());
    };
    double(&mut pty, first + 3, 5);
    pty.wait_for("▸ debate");
    pty.press("Esc");
    pty.wait_until("the row that was hit", |screen| {
        screen.find("▸ debate").is_none() && cursor(screen) == Some(first + 2)
    });
    // A list over the screen.
    pty.press(":");
    pty.wait_for("Enter picks");
    pty.wait_for_calm();
    let (row, column) = pty
        .ask(|screen| screen.find("Filter the list while you type"))
        .expect("the command");
    double(&mut pty, row + 1, column + 2);
    pty.wait_for("words, or state:failed");
    pty.press("Esc");
    pty.press("n");
    pty.wait_for("at most ");
    pty.wait_for_calm();
    let (row, column) = pty
        .ask(|screen| screen.find("debater 2"))
        .expect("the field");
    double(&mut pty, row + 1, column + 2);
    pty.wait_for("Model for debater 2");
    pty.press("Esc Esc");
    pty.quits();
}

#[test]
fn a_click_reaches_rows_of_what_lies_over_a_screen_and_items_of_a_page() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.press(":");
    pty.wait_for("Enter picks");
    let filter = "Filter the list while you type";
    click(&mut pty, filter);
    pty.wait_until("the row", |screen| {
        let row = screen.find(filter).map(|(row, _)| row);
        let row = row.and_then(|row| screen.text().lines().nth(row.into()).map(str::to_owned));
        row.is_some_and(|row| row.contains("▶ filter"))
    });
    click(&mut pty, filter);
    pty.wait_for("words, or state:failed");
    pty.press("Esc Enter");
    pty.wait_for("recorded example");
    pty.press("w");
    pty.wait_for("export this session as");
    click(&mut pty, "the transcript as text");
    pty.wait_for("▶ the transcript as text");
    click(&mut pty, "the transcript as text");
    pty.wait_for("write it to which file?");
    // Nothing under a dialog is reached, and nothing beside it.
    pty.send(b"\x1b[<0;3;1M");
    pty.wait_for_keys_read();
    pty.press("Esc");
    pty.wait_for_no("write it to which file?");
    pty.press("i");
    pty.wait_for("▸ inspector");
    pty.wait_for_calm();
    let cursor = |screen: &Screen<'_>| screen.find("▶").map(|(row, _)| row);
    let first = pty.ask(|screen| cursor(screen));
    pty.press("]");
    pty.wait_until("the next message", |screen| cursor(screen) > first);
    let second = pty.ask(|screen| cursor(screen));
    pty.press("[");
    pty.wait_until("the first message", |screen| cursor(screen) == first);
    let row = second.expect("a message is chosen") + 1;
    pty.send(format!("\x1b[<0;9;{row}M").as_bytes());
    pty.wait_until("what was clicked", |screen| cursor(screen) == second);
    pty.quits();
}

#[test]
fn the_wheel_moves_as_the_arrow_keys_do_wherever_its_sequence_is_torn() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.wait_for_calm();
    let cursor = |pty: &Pty| pty.ask(|screen| screen.find("▶").map(|(row, _)| row));
    let first = cursor(&pty);
    pty.press("j j j");
    pty.wait_for_calm();
    let third = cursor(&pty);
    assert_ne!(first, third);
    for at in 1..WHEEL_UP.len() {
        for (sequence, end) in [(WHEEL_UP, first), (WHEEL_DOWN, third)] {
            pty.send(&sequence[..at]);
            pty.wait_for_keys_read();
            pty.send(&sequence[at..]);
            pty.wait_until("the row", |screen| {
                screen.find("▶").map(|(row, _)| row) == end
            });
            assert!(!pty.screen().contains("no action on"), "{}", pty.screen());
        }
    }
    // A list that covers the screen has the wheel.
    pty.press(":");
    pty.wait_for("Enter picks");
    let before = pty.screen();
    pty.send(WHEEL_DOWN);
    pty.wait_until("another row", |screen| screen.text() != before);
    pty.press("Esc");
    pty.wait_for_no("Enter picks");
    assert_eq!(cursor(&pty), third);
    pty.quits();
}

#[test]
fn a_click_reaches_a_row_of_the_help_or_of_the_themes_and_gives_a_pane_the_focus() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.press("?");
    pty.wait_for("Enter does it");
    let row = "Go to the prompts";
    for _ in 0..10 {
        if pty.screen().contains(row) {
            break;
        }
        pty.press("PgDn");
        pty.wait_for_calm();
    }
    pty.wait_for(row);
    click(&mut pty, row);
    pty.wait_for_calm();
    click(&mut pty, row);
    pty.wait_for("→2 prompts");
    pty.press("T");
    pty.wait_for("Enter keeps   Esc goes back");
    click(&mut pty, "dark");
    pty.wait_until("the theme under the cursor", |screen| {
        let text = screen.text();
        text.lines()
            .any(|line| line.contains("▶") && line.contains("dark"))
    });
    pty.press("Esc");
    pty.wait_for_no("Enter keeps   Esc goes back");
    // The first example, whose record is a pane beside its turns.
    pty.press("1");
    pty.wait_for("→1 sessions");
    pty.press("Enter");
    pty.wait_for("recorded example");
    pty.wait_for_no("◆ record");
    click(&mut pty, "record ");
    pty.wait_for("◆ record");
    pty.quits();
}

#[test]
fn a_click_chooses_a_field_of_a_form_opens_its_text_or_list_and_begins() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("at most ");
    click(&mut pty, "debater 2");
    pty.wait_for("▶   debater 2");
    click(&mut pty, "debater 2");
    pty.wait_for("Model for debater 2");
    click(&mut pty, "a person");
    click(&mut pty, "a person");
    pty.wait_for("debater 2        human");
    // A click on another field takes what is typed.
    click(&mut pty, "or from data set");
    pty.wait_for("▶ or from data set");
    pty.type_text("no");
    pty.wait_for("or from data set   no");
    click(&mut pty, "topic  ");
    pty.wait_for("▶ topic");
    pty.type_text("Is it fair?");
    pty.press("Enter");
    pty.wait_for("▶ or from data set   no");
    pty.press("Ctrl-U Enter");
    pty.wait_for("▶ game");
    click(&mut pty, "topic  ");
    pty.wait_for("▶ topic");
    click(&mut pty, "topic  ");
    pty.wait_for("Topic: Enter goes on");
    pty.press("Enter");
    pty.wait_for("▶ or from data set");
    click(&mut pty, "Begin the debate");
    pty.wait_for("▶ Begin the debate");
    click(&mut pty, "Begin the debate");
    pty.wait_for("not played to its end");
    pty.quits();
}

#[test]
fn a_click_reaches_experiments_their_plots_a_cell_of_the_matrix_and_the_panes_of_an_editor() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    program.write(
        "topics.csv",
        "text\nIs salt good?\nIs sand soft?\nIs snow warm?\n",
    );
    for protocol in ["pred", "sred"] {
        let args = ["run", "--dataset", "own:topics.csv", "--model", "sim", "-q"];
        program
            .run(&[&args[..], &["--protocol", protocol]].concat())
            .ended_with(0);
    }
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("pred on own:topics.csv");
    pty.wait_for("sred on own:topics.csv");
    pty.wait_for_calm();
    let (row, _) = pty
        .ask(|screen| screen.find("pred on own:topics.csv"))
        .unwrap();
    let is_there = move |screen: &Screen<'_>| screen.row(row).contains('▶');
    click(&mut pty, "pred on own:topics.csv");
    pty.wait_until("the cursor on the run", is_there);
    click(&mut pty, "pred on own:topics.csv");
    // A bar of a plot, with headings between that the cursor passes by.
    pty.wait_for("by round");
    pty.wait_for_calm();
    let bar = |screen: &Screen<'_>| {
        let lines = screen.rows();
        let heading = lines.iter().position(|line| line.contains("by round"));
        heading.map(|heading| heading + 2)
    };
    let row = u16::try_from(pty.ask(bar).unwrap()).unwrap();
    let press = format!("\x1b[<0;8;{0}M\x1b[<0;8;{0}m", row + 1);
    pty.send(press.as_bytes());
    pty.wait_until("the cursor on the bar", |screen| {
        screen.row(row).contains('▶')
    });
    pty.send(press.as_bytes());
    pty.wait_for("only round 2");
    pty.wait_for_calm();
    // Of the matrix, the third line and its last cell.
    let cells = |screen: &Screen<'_>, row: u16| {
        let line = screen.row(row);
        line.chars().position(|c| c == '[')
    };
    let (heading, _) = pty.ask(|screen| screen.find("1 2 3")).expect("headings");
    let row = heading + 3;
    let line = pty.ask(|screen| screen.row(row));
    let verdicts: Vec<usize> = line
        .chars()
        .enumerate()
        .filter(|(_, c)| ['○', '▲'].contains(c))
        .map(|(at, _)| at)
        .collect();
    let last = *verdicts.last().expect("cells");
    pty.send(format!("\x1b[<0;{};{}M", last + 1, row + 1).as_bytes());
    pty.wait_until("the cursor on the cell", |screen| {
        screen.row(row).contains('▶') && cells(screen, row) == Some(last - 1)
    });
    pty.quits();

    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("2");
    pty.wait_for("best-of-n/");
    pty.press("Enter");
    pty.wait_for("◆ text");
    pty.wait_for_calm();
    // The other pane has the focus, and the first one again.
    pty.send(b"\x1b[<0;100;12M");
    pty.wait_for_no("◆ text");
    pty.send(b"\x1b[<0;10;12M");
    pty.wait_for("◆ text");
    // Twice before a frame is drawn: it is the same pane.
    pty.send(b"\x1b[<0;100;12M\x1b[<0;100;12m\x1b[<0;100;12M\x1b[<0;100;12m");
    pty.wait_for_no("◆ text");
    pty.wait_for_calm();
    assert!(!pty.screen().contains("◆ text"), "{}", pty.screen());
    pty.quits();
}
