//! A run that another process plays: its items are drawn together, and what stands still is not drawn.

use super::idle::wait_for_a_while;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use std::sync::Arc;
use std::time::Instant;

/// Frames beside those of the seconds that pass: the first, and one that was due when the counting began.
const BESIDE: u64 = 2;

#[test]
fn a_run_that_is_watched_is_drawn_once_a_second_however_fast_its_debates_end() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 10\n");
    let run = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "slow",
        "--concurrency",
        "1",
        "--rollouts",
        "16",
        "--quiet",
    ];
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let running = program.start(&run);
    pty.wait_for("/80  playing");
    pty.press("Enter");
    pty.wait_for("of 80 debates · ");
    pty.wait_for("by seat");
    let done = |pty: &Pty| {
        pty.ask(|screen| {
            let text = screen.text();
            let before = text.split(" of 80 debates").next().unwrap_or_default();
            let done = before
                .rsplit(' ')
                .next()
                .and_then(|count| count.parse::<u64>().ok());
            done.unwrap_or_default()
        })
    };
    let (first, mark, since) = (done(&pty), pty.mark(), Instant::now());
    running.finish().ended_with(0);
    pty.wait_for("80 of 80 debates");
    let frames = pty.since(mark).frames as u64;
    let seconds = since.elapsed().as_secs();
    assert!(
        frames <= seconds + BESIDE,
        "{frames} frames in {seconds} seconds, for {} debates",
        80 - first
    );
    // Many ended for each frame.
    assert!(
        80 - first > 2 * frames,
        "{} debates in {frames} frames",
        80 - first
    );
    pty.quits();
}

#[test]
fn a_run_that_is_watched_and_stands_still_writes_nothing() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    let server = ChatServer::start(move |seen| match seen.text().contains("bicycle") {
        true => Answer::chat("It depends.").behind(&held),
        false => Answer::chat("It depends."),
    });
    let program = Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\n[models.ada]\nprovider = \"here\"\nname = \"ada\"\n",
        server.base_url()
    ));
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let run = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "single",
        "--model",
        "ada",
        "--concurrency",
        "1",
        "--quiet",
    ];
    let running = program.start(&run);
    pty.wait_for("2/5   playing");
    pty.press("Enter");
    pty.wait_for("playing 2 of 5 debates · ");
    pty.wait_for("more figures");
    // What was written last is read and drawn within two seconds.
    wait_for_a_while(&program, "2.5");
    pty.wait_for_calm();
    let mark = pty.mark();
    wait_for_a_while(&program, "3");
    let since = pty.since(mark);
    assert_eq!((since.bytes, since.frames), (0, 0));
    barrier.meet();
    running.finish().ended_with(0);
    pty.wait_for("5 of 5 debates");
    pty.quits();
}
