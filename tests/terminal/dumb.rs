//! A terminal that says of itself that it cannot place text.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

#[test]
fn the_workbench_is_not_drawn_on_a_dumb_terminal_and_says_what_works_there() {
    let program = Program::new();
    for args in [&[][..], &["open"]] {
        let mut pty = Pty::of(&program).with("TERM", "dumb").starts(args);
        let exit = pty.wait_for_exit();
        assert_eq!(exit.code, 1, "{}", pty.screen());
        let said = pty
            .screen()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(said.contains("TERM is 'dumb'"), "{said}");
        assert!(said.contains("TERM=xterm-256color elenchus"), "{said}");
    }
    program.run(&["ls"]).ended_with(0);
}
