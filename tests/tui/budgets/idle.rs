//! An idle workbench writes nothing and wakes no thread.

use super::harness::{BegunDebate, Words, simulated};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use std::num::NonZeroU16;
use std::time::Instant;

/// Another program, in a terminal of its own, tells when a while is over.
pub fn wait_for_a_while(program: &Program, seconds: &str) {
    let script = format!("sleep {seconds}; echo over; read _");
    let a_while = Pty::of(program).runs("/bin/sh", &["-c", &script]);
    a_while.wait_for("over");
}

fn costs_nothing_for_a_while(program: &Program, pty: &Pty) {
    // The timer of a frame that was drawn earlier than it was due still runs out, and how far a
    // journal went is written down within a second.
    wait_for_a_while(program, "1.5");
    pty.wait_for_calm();
    let (before, mark) = (pty.wake_ups(), pty.mark());
    let (looks, since) = (pty.database_wake_ups().0, Instant::now());
    assert!(before > 0);
    wait_for_a_while(program, "2");
    assert_eq!(pty.wake_ups(), before, "{:?}", pty.thread_names());
    assert_eq!(pty.since(mark).bytes, 0);
    // What keeps the index has threads that look around once a second.
    let (now, threads) = pty.database_wake_ups();
    let seconds = since.elapsed().as_secs() + 1;
    let most = 2 * seconds * threads as u64;
    assert!(now - looks <= most, "{} by {threads} threads", now - looks);
}

#[test]
fn an_idle_list_of_sessions_costs_nothing() {
    let program = simulated(3, 1);
    let pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("village");
    costs_nothing_for_a_while(&program, &pty);
}

#[test]
fn an_idle_debate_costs_nothing() {
    let program = simulated(1, 2);
    let mut pty = Pty::of(&program)
        .size(120, 40)
        .starts(&["open", &program.sessions()[0]]);
    pty.wait_for("round 2");
    pty.press("[");
    costs_nothing_for_a_while(&program, &pty);
}

#[test]
fn a_debate_that_was_played_and_rests_costs_nothing() {
    let begun = BegunDebate::of(Words {
        at_first: 5,
        pieces: 0,
        per_piece: 5,
    });
    let mut pty = Pty::of(&begun.program)
        .size(120, 40)
        .starts(&["open", &begun.session]);
    pty.wait_for("step turn");
    pty.press("n");
    pty.wait_for(&Words::word(4));
    begun.barrier.meet();
    pty.wait_for("open here");
    costs_nothing_for_a_while(&begun.program, &pty);
}

#[test]
fn a_reply_that_is_waited_for_costs_nothing() {
    let begun = BegunDebate::of(Words {
        at_first: 5,
        pieces: 0,
        per_piece: 5,
    });
    let mut pty = Pty::of(&begun.program)
        .size(120, 40)
        .starts(&["open", &begun.session]);
    pty.wait_for("step turn");
    pty.press("n");
    pty.wait_for(&Words::word(4));
    pty.wait_for_calm();
    let mark = pty.mark();
    wait_for_a_while(&begun.program, "1");
    assert_eq!(pty.since(mark).bytes, 0);
    begun.barrier.meet();
    pty.wait_for("open here");
}

#[test]
fn the_workbench_lets_go_of_the_index() {
    let program = simulated(2, 1);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("village");
    pty.press("Enter");
    pty.wait_for("round 1");
    pty.wait_for_calm();
    let names = pty.thread_names();
    assert!(
        names.iter().any(|name| name.starts_with("terminal")),
        "{names:?}"
    );
    let cache = program.store().join("cache");
    assert!(cache.join("db").exists(), "it was written");
    let open = pty.open_files();
    let kept = open.iter().filter(|path| path.starts_with(&cache));
    assert_eq!(kept.count(), 0, "{open:?}");
}

#[test]
fn the_list_appears_while_another_process_has_the_index_and_no_first_frame_waits_for_it() {
    let program = simulated(3, 1);
    let lock = std::fs::File::create(program.store().join("cache.lock")).unwrap();
    lock.lock().unwrap();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("village");
    pty.wait_for_calm();
    let written = String::from_utf8_lossy(&pty.output()).into_owned();
    let (first, _) = written.split_once("\x1b[?2026l").unwrap();
    let cells = |count| NonZeroU16::new(count).unwrap();
    let mut seen = vt100::Parser::new(cells(40), cells(120), 0);
    seen.process(first.as_bytes());
    let first = seen.screen().contents();
    assert!(first.contains("reading the sessions"), "{first}");
    assert!(!program.store().join("cache").exists());
    pty.quits();
}
