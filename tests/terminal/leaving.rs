//! Every way to end restores the terminal.

use super::child::{CHILD, LENT, TERMINATED};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use rustix::process::Signal;

/// Fails unless the terminal is as a shell wants it.
#[track_caller]
fn is_restored(pty: &Pty) {
    let modes = pty.modes();
    assert!(modes.canonical && modes.echo && modes.signals, "{modes:?}");
    let (alternate, brackets, cursor) = pty.ask(|screen| {
        let cursor = screen.cursor();
        (screen.is_alternate(), screen.brackets_pastes(), cursor)
    });
    assert!(!alternate && !brackets, "{}", pty.screen());
    assert!(cursor.is_some());
    let output = pty.output();
    let last = |of: &[u8]| output.windows(of.len()).rposition(|at| at == of);
    assert!(last(b"\x1b[?7h") > last(b"\x1b[?7l"), "lines wrap again");
    assert!(last(b"\x1b[?1007r") > last(b"\x1b[?1007h"));
}

#[test]
fn quitting_puts_the_terminal_back() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(!pty.modes().canonical && !pty.modes().echo && !pty.modes().signals);
    assert!(pty.ask(|screen| screen.is_alternate() && screen.brackets_pastes()));
    pty.quits();
    assert!(pty.screen().contains("left after []"));
    is_restored(&pty);
}

#[test]
fn a_panic_puts_the_terminal_back_before_it_speaks() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("p");
    assert_eq!(pty.wait_for_exit().code, 101);
    is_restored(&pty);
    assert!(pty.screen().contains("on purpose"), "{}", pty.screen());
}

#[test]
fn a_panic_that_something_caught_leaves_the_workbench_alive() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("t");
    pty.wait_for("said: a task panicked: true .");
    pty.wait_for_calm();
    assert!(!pty.modes().canonical);
    assert!(pty.ask(|screen| screen.is_alternate() && screen.contains("size 80x24")));
    pty.quits();
    is_restored(&pty);
}

#[test]
fn being_asked_to_end_puts_the_terminal_back() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_for_exit().code, TERMINATED as u32);
    is_restored(&pty);
}

#[test]
fn a_hangup_ends_it_and_burns_nothing() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.wait_for_calm();
    pty.hang_up();
    assert_eq!(pty.wait_for_exit().signal, None);
}

#[test]
fn a_terminal_that_takes_nothing_does_not_keep_it_from_leaving() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .size(200, 60)
        .with(super::child::HEAVY, "1")
        .starts_child(CHILD);
    pty.wait_for("size 200x60");
    pty.hold();
    pty.press("j j j j j j j j");
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_for_exit().code, TERMINATED as u32);
    assert!(pty.modes().canonical && pty.modes().echo);
}

#[test]
fn without_a_terminal_it_says_so_and_changes_nothing() {
    let program = Program::new();
    for (redirection, named) in [
        ("< /dev/null", "standard input"),
        ("| cat", "standard output"),
    ] {
        let script = format!("\"$@\" {redirection}");
        let mut pty = Pty::of(&program).starts_child_in_shell(&script, CHILD);
        pty.wait_for_exit();
        assert!(
            pty.screen()
                .contains("error: the workbench needs a terminal"),
            "{}",
            pty.screen()
        );
        assert!(pty.screen().contains(named), "{}", pty.screen());
        is_untouched(&pty);
    }
}

#[track_caller]
fn is_untouched(pty: &Pty) {
    let output = pty.output();
    assert!(!output.contains(&0x1b), "{}", output.escape_ascii());
    assert!(pty.modes().canonical);
}

/// A shell with job control that goes on with the next command when its job is stopped.
const JOBS: &str = "set -m; \"$@\"; echo \"STOPPED $?\"; read line; fg; echo \"LEFT $?\"";

#[test]
fn ctrl_z_gives_the_shell_its_terminal_and_fg_takes_it_again() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child_in_shell(JOBS, CHILD);
    pty.wait_for("size 80x24");
    pty.press("Ctrl-Z");
    pty.wait_for("STOPPED");
    is_restored(&pty);
    pty.send(b"\n");
    pty.wait_for("inputs: Ctrl-Z .");
    pty.wait_for("signals: CONT .");
    assert!(!pty.modes().canonical);
    assert!(pty.ask(|screen| screen.is_alternate() && screen.brackets_pastes()));
    pty.press("j q");
    pty.wait_for("LEFT 0");
    is_restored(&pty);
}

#[test]
fn a_stop_from_outside_is_as_ctrl_z() {
    let program = Program::new();
    let script = "set -m; \"$@\" & echo $! > pid; fg; echo STOPPED; read line; fg; echo AGAIN; read line; fg; echo \"LEFT $?\"";
    let mut pty = Pty::of(&program).starts_child_in_shell(script, CHILD);
    pty.wait_for("size 80x24");
    let pid = std::fs::read_to_string(program.work().join("pid")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::TSTP).unwrap();
    pty.wait_for("STOPPED");
    is_restored(&pty);
    pty.send(b"\n");
    pty.wait_for("signals: TSTP CONT .");
    // A stop that nobody can refuse leaves the modes to the shell; they are taken again all the same.
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    pty.wait_for("AGAIN");
    pty.send(b"\n");
    pty.wait_for("signals: TSTP CONT CONT .");
    pty.wait_for_no("AGAIN");
    assert!(!pty.modes().canonical);
    pty.press("q");
    pty.wait_for("LEFT 0");
    is_restored(&pty);
}

#[test]
fn where_no_shell_could_continue_it_ctrl_z_does_nothing() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("Ctrl-Z");
    pty.wait_for("said: no shell .");
    pty.quits();
}

#[test]
fn stopping_a_program_that_has_the_terminal_stops_the_whole_job() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .with(LENT, "echo READY; read line; exit 4")
        .starts_child_in_shell(JOBS, CHILD);
    pty.wait_for("size 80x24");
    pty.press("l");
    pty.wait_for("READY");
    pty.send(b"\x1a");
    pty.wait_for("STOPPED");
    // One line for the shell, which then lets the job go on, and one for the job.
    pty.send(b"\n\n");
    pty.wait_for("said: came back with Some(4) .");
    pty.press("q");
    pty.wait_for("LEFT 0");
}
