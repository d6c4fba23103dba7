//! The line that says how far a run is: what it cost so far, what a filter refused, and where it is played.

use crate::tui::debate::walk::TWO_ROUNDS;
use elenchus_test_support::journals::journals;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use serde_json::{Value, json};
use std::sync::Arc;

/// Models with prices, at a server.
fn program_of(server: &ChatServer) -> Program {
    let prices = "price_in_usd_per_mtok = 100.0\nprice_out_usd_per_mtok = 100.0\n";
    let models = ["calm", "bold", "judge"]
        .map(|name| format!("[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\n{prices}"));
    Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\nretries = 0\n{}",
        server.base_url(),
        models.concat()
    ))
}

#[test]
fn a_run_that_is_played_says_what_it_cost_so_far_and_what_a_filter_refused() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    let server = ChatServer::start(move |seen| {
        let text = seen.text();
        match seen.body["model"].as_str().unwrap() {
            // The first topic's second debater is refused in its first round, and the third topic waits.
            "bold" if text.contains("lock without its key") && !text.contains("Hold on.") => {
                Answer::error(400, "content_filter", "against our policy")
            }
            "calm" if text.contains("bicycle") => Answer::chat("Hold on.").behind(&held),
            "judge" => Answer::chat(&seen.with_mark("It declines.\nVERDICT: safe")),
            _ => Answer::chat("Hold on."),
        }
    });
    let program = program_of(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let slow = ["--dataset", "own:topics.csv", "--concurrency", "1"];
    let running = program.start(&[TWO_ROUNDS, &slow].concat());
    pty.wait_for("2/5   playing");
    pty.press("Enter");
    pty.wait_for("playing 2 of 5 debates · ");
    pty.wait_until("cost so far, and what was filtered", |screen| {
        let text = screen.text();
        let head = text.lines().find(|line| line.contains("playing 2 of 5"));
        head.is_some_and(|line| {
            let is_cost = |word: &str| word.starts_with("$0.") && word != "$0.0000";
            let cost = line
                .split("cost ")
                .nth(1)
                .and_then(|rest| rest.split_once(" so far"));
            line.contains(" · 0 failed · 1 reply filtered")
                && cost.is_some_and(|(usd, _)| is_cost(usd))
        })
    });
    barrier.meet();
    // Two rounds of the topic that waits.
    barrier.meet();
    running.finish().ended_with(0);
    pty.wait_for("5 of 5 debates · 1 reply filtered");
    pty.wait_for("cost at most $");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_a_run_without_prices_cost_is_unknown_before_its_first_debate_ends_too() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    let server = ChatServer::start(move |seen| match seen.text().contains("Hold on.") {
        true => Answer::chat("It depends.").behind(&held),
        false => Answer::chat("Hold on."),
    });
    let program = Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\nretries = 0\n[models.ada]\nprovider = \"here\"\nname = \"ada\"\n",
        server.base_url()
    ));
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let run = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "ada",
    ];
    let more = ["--dataset", "own:topics.csv", "--concurrency", "1"];
    let running = program.start(&[&run[..], &more].concat());
    pty.wait_for("0/5   playing");
    pty.press("Enter");
    pty.wait_for("playing 0 of 5 debates");
    pty.wait_for("cost ?");
    pty.wait_for_no("$0.0000");
    running.kill();
    pty.wait_for_no("playing 0 of 5 debates");
    pty.wait_for("0 of 5 debates");
    pty.wait_for("cost ?");
    assert!(!pty.screen().contains("$0.0000"), "{}", pty.screen());
    pty.quits();
    let listed = program
        .run(&["experiments", "list", "--json"])
        .ended_with(0)
        .out;
    assert!(listed.contains("\"committed_usd\":null"), "{listed}");
}

#[test]
fn a_run_of_another_machine_says_which_and_when_its_last_line_came() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 40\n");
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
        "--quiet",
    ];
    program.kill_when(&run, "a debate is over", || {
        let ended = |path| {
            std::fs::read_to_string(path)
                .unwrap()
                .contains("\"finished\"")
        };
        journals(&program.store().join("runs"))
            .into_iter()
            .any(ended)
    });
    let journal = journals(&program.store().join("runs")).remove(0);
    // As the lock of a store on a shared file system says it, of a process elsewhere.
    let elsewhere = json!({"pid": 1, "host": "other-machine", "command": "elenchus run"});
    let mut lock = journal.clone().into_os_string();
    lock.push(".lock");
    std::fs::write(lock, elsewhere.to_string()).unwrap();
    let text = std::fs::read_to_string(&journal).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let last_at = last["at"].as_str().unwrap().get(11..19).unwrap().to_owned();
    let done = text.matches("\"finished\"").count();
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        pty.press("6");
        pty.wait_for("1 of 1 experiments");
        let line =
            format!("playing on other-machine, last line {last_at} UTC, {done} of 5 debates");
        pty.wait_for(&line);
        pty.press("Enter");
        pty.wait_for_no("1 of 1 experiments");
        pty.wait_for(&line);
        pty.quits();
    }
}
