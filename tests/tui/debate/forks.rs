//! Forks are called by what was changed in them and by whom, wherever they are listed.

use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::{Answer, ChatServer, Pty};

#[test]
fn tree_comparison_and_list_say_what_was_changed_by_whom() {
    let server = ChatServer::start(|seen| Answer::chat(&format!("Reply number {}.", seen.number)));
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("R");
    pty.wait_for("complete");
    pty.wait_for_calm();
    pty.press("[ [ [ [ e");
    pty.wait_for("edit Speaker 1, round 1 answer, in a fork");
    pty.type_text("Changed: ");
    pty.press("Ctrl-D");
    pty.wait_for("the parent stays as it was");
    pty.press("F");
    pty.wait_for("└─ fork of round 1, Speaker 1 edited by ada ◆ you are here");
    pty.wait_for("  the first debate · duo");
    pty.press("Esc");
    pty.wait_for("Changed: ");
    pty.press("c");
    pty.wait_until("parent and fork beside each other", |screen| {
        let row = screen.row(1);
        row.starts_with("parent ") && row.contains("│ fork of round 1, Speaker 1 edited by ada")
    });
    pty.wait_for("parent   fork");
    pty.press("1");
    pty.wait_for("└─ round 1, Speaker 1 edited by ada");
    pty.wait_for("fork of round 1, Speaker 1 edited by ada; served");
    // Which models played is a column where nothing has a tag.
    pty.wait_until("the models of both", |screen| {
        let rows = screen.rows();
        let of_both = rows.iter().filter(|row| row.contains(" served "));
        screen.contains(" models ") && of_both.count() >= 2
    });
    pty.quits();
    // The key that asks a turn again makes another one.
    let parent = program.sessions().remove(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", &parent]);
    pty.wait_for("complete");
    pty.wait_for_calm();
    pty.press("[ [ [ [ ] r");
    pty.wait_for("how many times?");
    pty.press("Enter");
    pty.wait_for("the parent stays as it was");
    pty.press("F");
    pty.wait_for("fork of round 1, Speaker 2 asked again ◆ you are here");
    pty.quits();
}
