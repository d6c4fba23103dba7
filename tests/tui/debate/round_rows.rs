//! Rounds of panes beside each other: each begins in one line, and scrolling one pane brings the others.

use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::{Answer, ChatServer, Pty};

/// One speaker says little, the other much.
fn uneven() -> ChatServer {
    ChatServer::start(|seen| {
        match seen.body["messages"]
            .to_string()
            .contains("You are Speaker 2")
        {
            true => {
                let of = seen.number;
                let lines = (1..=11).map(|line| format!("Line {line} of {of}."));
                Answer::chat(&lines.collect::<Vec<_>>().join("\n"))
            }
            false => Answer::chat(&format!("Briefly, {}.", seen.number)),
        }
    })
}

/// Waits until a text stands twice in one row, and returns the row.
#[track_caller]
fn row_of_both(pty: &Pty, text: &str) -> usize {
    let mut found = None;
    pty.wait_until(&format!("'{text}' in both panes"), |screen| {
        let rows = screen.rows();
        found = rows.iter().position(|row| row.matches(text).count() == 2);
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_round_begins_in_one_line_in_all_panes_and_one_brings_the_others() {
    let server = uneven();
    let program = duo_program(&server);
    for (width, height) in [(120, 40), (200, 60)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        if height == 40 {
            begin_debate(&mut pty, |_| {});
            pty.press("R");
        }
        pty.wait_for("complete");
        pty.wait_for_calm();
        pty.press("[ [ [ [");
        pty.wait_for("┃▶round 1 · answer");
        assert_eq!(row_of_both(&pty, "round 1 · answer"), 3);
        // The longer of the two says eleven lines below its heading, and what was found stands below them.
        let second = row_of_both(&pty, "round 2 · answer");
        assert!(second >= 3 + 12, "{}", pty.screen());
        pty.quits();
    }
    // In panes that are lower than the debate is long, both are scrolled, whichever is looked at.
    let mut pty = Pty::of(&program).size(120, 30).starts(&[]);
    pty.wait_for("complete");
    pty.wait_for_calm();
    pty.press("[ [ [ [");
    pty.wait_for("┃▶round 1 · answer");
    let mut row = row_of_both(&pty, "round 2 · answer");
    for keys in ["j", "Tab j", "k", "Shift-Tab k"] {
        pty.press(keys);
        row = match keys.ends_with('j') {
            true => row - 1,
            false => row + 1,
        };
        pty.wait_until(
            &format!("{keys}: round 2 in row {row} of both panes"),
            |screen| screen.row(row as u16).matches("round 2 · answer").count() == 2,
        );
    }
    pty.quits();
}
