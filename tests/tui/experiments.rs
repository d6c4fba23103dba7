//! The experiments screen in a pseudo-terminal.

use crate::support::journals::journals;
use crate::support::program::Program;
use crate::support::{Answer, Barrier, ChatServer, Pty};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

const SLOW: &str = "[sims.slow]\nlatency_ms = 40\n";
/// Five debates of a round, one after the other.
const RUN: &[&str] = &[
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
const PLAN: &str = "\
dataset = \"own:topics.csv\"
model = \"slow\"
protocol = \"pred\"
rounds = 1
seeds = [1]

[axes]
memory = [\"none\", \"textual\"]
";

#[test]
fn a_run_of_another_process_is_watched_with_its_figures_until_it_is_over() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    // The third topic.
    let server = ChatServer::start(
        move |seen| match seen.body.to_string().contains("bicycle") {
            true => Answer::chat("It depends.").behind(&held),
            false => Answer::chat("It depends."),
        },
    );
    let program = Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\n[models.ada]\nprovider = \"here\"\nname = \"ada\"\n",
        server.base_url()
    ));
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let game = ["run", "--dataset", "own:topics.csv", "--protocol", "single"];
    let one_by_one = ["--model", "ada", "--concurrency", "1", "--quiet"];
    let running = program.start(&[&game[..], &one_by_one].concat());
    pty.wait_for("run  2/5  unfinished  single on own:topics.csv");
    pty.press("Enter");
    pty.wait_for("2 of 5 debates");
    pty.wait_for("2 debates over 2 topics");
    barrier.meet();
    running.finish().ended_with(0);
    pty.wait_for("5 of 5 debates");
    pty.wait_for("5 debates over 5 topics");
    pty.press("Esc");
    pty.wait_for("5/5  completed");
    pty.quits();
}

#[test]
fn a_run_that_was_killed_is_gone_on_with_and_of_a_sweep_the_command_is_said_and_copied() {
    let program = Program::with_topics(SLOW);
    program.kill_when(RUN, "some calls were made", || {
        program.finished_calls() >= 4
    });
    program.write("plan.toml", PLAN);
    let before = program.finished_calls();
    program.kill_when(
        &["sweep", "plan.toml", "-q"],
        "more calls were made",
        || program.finished_calls() >= before + 4,
    );
    let sweep = journals(&program.store().join("sweeps")).remove(0);
    let sweep = sweep.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    // Two runs are of the sweep.
    pty.wait_for("4 of 4 experiments");
    pty.press("/");
    pty.type_text("sweep");
    pty.press("Enter");
    pty.wait_for("1 of 4 experiments");
    pty.press("O");
    pty.wait_for(&format!("go on with: elenchus sweep --resume {sweep}"));
    pty.press("y");
    pty.wait_for("copied");
    let command = format!("elenchus sweep --resume {sweep}");
    assert_eq!(pty.clipboard(), [STANDARD.encode(command)]);
    pty.press("Esc");
    pty.wait_for("4 of 4 experiments");
    // The oldest is the run that was killed.
    pty.press("G O");
    pty.wait_until("the run is over", |screen| {
        let last = screen.text();
        let last = last
            .lines()
            .rfind(|line| line.contains("pred on own:topics.csv"));
        last.is_some_and(|line| line.contains("5/5") && line.contains("completed"))
    });
    pty.press("O");
    pty.wait_for("nothing of it is left to play");
    pty.press("g u");
    pty.wait_for("of the run");
    pty.press("6");
    pty.wait_for("4 of 4 experiments");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_comparison_opens_its_report_a_trial_says_that_it_has_no_figures_and_damage_is_told() {
    let program = Program::with_topics(SLOW);
    program.run(RUN).ended_with(0);
    let session = program.sessions().remove(0);
    program.run_ok(&["prompts", "try", &format!("{session}:r1.debater-0")]);
    let turn = ["--protocol", "pred", "--round", "1", "--turns", "1"];
    let texts = ["--a", "built-in", "--b", "recorded"];
    program.run_ok(&[&["prompts", "ab"], &turn[..], &texts].concat());
    std::fs::write(
        program.store().join("runs/01hostile.jsonl"),
        "\u{1b}[2Jno\n",
    )
    .unwrap();
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        pty.press("6");
        pty.wait_for("3 of 3 experiments");
        pty.wait_for("cannot be read");
        pty.press("Enter");
        pty.wait_for("built-in");
        pty.wait_for_no("3 of 3 experiments");
        pty.press("Esc");
        pty.wait_for("3 of 3 experiments");
        pty.press("j Enter");
        pty.wait_for("experiments of this kind have no figures here");
        pty.press("y");
        pty.wait_for("there is nothing to copy yet");
        pty.press("Esc");
        pty.wait_for("3 of 3 experiments");
        pty.quits();
    }
}
