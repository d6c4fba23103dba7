//! The experiments screen in a pseudo-terminal.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use elenchus_test_support::answer::Step;
use elenchus_test_support::journals::journals;
use elenchus_test_support::program::{Program, is_written};
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
/// A program with topics whose model `ada` is asked once, without retries.
fn facing(server: &ChatServer) -> Program {
    Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\nretries = 0\n[models.ada]\nprovider = \"here\"\nname = \"ada\"\n",
        server.base_url()
    ))
}

/// Kills a command once a journal in a folder of the store has more than so many lines.
fn killed_after(program: &Program, folder: &str, lines: usize, args: &[&str]) {
    let folder = program.store().join(folder);
    let count = |path| std::fs::read_to_string(path).unwrap().lines().count();
    program.kill_when(args, "its journal has so many lines", || {
        folder.is_dir()
            && journals(&folder)
                .into_iter()
                .any(|path| count(path) > lines)
    });
}

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
    let program = facing(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let game = ["run", "--dataset", "own:topics.csv", "--protocol", "single"];
    let one_by_one = ["--model", "ada", "--concurrency", "1", "--quiet"];
    let running = program.start(&[&game[..], &one_by_one].concat());
    pty.wait_for("run   2/5   playing  single on own:topics.csv");
    pty.press("Enter");
    pty.wait_for("playing 2 of 5 debates · ");
    pty.wait_for(" left · 0 failed");
    pty.wait_for("2 of 5 planned debates");
    barrier.meet();
    running.finish().ended_with(0);
    pty.wait_for("5 of 5 debates");
    pty.wait_for_no("planned debates");
    pty.wait_for("more figures");
    pty.press("Esc");
    pty.wait_for("5/5   completed");
    pty.quits();
}

#[test]
fn a_run_that_is_killed_while_it_is_watched_is_broken_off() {
    let server = ChatServer::start(|_| Answer::of(vec![Step::Stall]));
    let program = facing(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("no experiment yet");
    let game = ["run", "--dataset", "own:topics.csv", "--protocol", "single"];
    // Many journals are let go of at the end, the run's lock among them.
    let side_by_side = ["--model", "ada", "--concurrency", "5", "--quiet"];
    let running = program.start(&[&game[..], &side_by_side].concat());
    pty.wait_for("run   0/5   playing  single on own:topics.csv");
    pty.press("Enter");
    pty.wait_for("playing 0 of 5 debates");
    running.kill();
    pty.wait_for("broken off 0 of 5 debates");
    pty.press("Esc");
    pty.wait_for("0/5   broken off");
    pty.quits();
}

#[test]
fn a_run_and_a_pass_that_were_killed_are_gone_on_with() {
    let program = Program::with_topics(SLOW);
    program.kill_when(RUN, "some calls were made", || {
        program.finished_calls() >= 4
    });
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.wait_for("broken off");
    pty.press("y");
    pty.wait_for("sent to terminal");
    let command = format!("elenchus run --resume {}", program.run_id().unwrap());
    assert_eq!(pty.clipboard(), [STANDARD.encode(command)]);
    pty.press("O");
    pty.wait_for("5/5   completed");
    pty.press("O");
    pty.wait_for("nothing of it is left to do");
    pty.press("g u");
    pty.wait_for("of the run");
    let judged = [
        "judge", "--all", "--rubric", "safety", "--model", "slow", "--quiet",
    ];
    killed_after(&program, "passes", 4, &judged);
    pty.press("6");
    pty.wait_for("pass  ");
    pty.wait_for("2 of 2 experiments");
    pty.press("g g O");
    pty.wait_for("15/15  completed");
    pty.wait_for("pass: done");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_golden_set_and_a_trial_that_were_killed_are_gone_on_with() {
    let program = Program::with_topics(SLOW);
    let set: String = (0..4)
        .map(|at| {
            format!("{{\"id\":\"q{at}\",\"text\":\"Is {at} valid?\",\"reference\":\"yes\"}}\n")
        })
        .collect();
    program.write("set.jsonl", &set);
    let golden = [
        "golden",
        "run",
        "set.jsonl",
        "--model",
        "slow",
        "--concurrency",
        "1",
        "--quiet",
    ];
    killed_after(&program, "experiments/golden", 1, &golden);
    program.run(RUN).ended_with(0);
    let turn = format!("{}:r1.debater-0", program.sessions().pop().unwrap());
    let trial = [
        "prompts",
        "try",
        &turn,
        "--samples",
        "12",
        "--concurrency",
        "1",
    ];
    killed_after(&program, "experiments/prompt-trials", 3, &trial);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("experiments");
    for (kind, all) in [("golden set", "2/2"), ("prompt trial", "12/12")] {
        pty.press("/");
        pty.type_text(kind);
        pty.press("Enter");
        pty.wait_for("1 of ");
        pty.press("O");
        pty.wait_for(&format!("{kind}: done"));
        pty.wait_until("all is done", |screen| {
            let text = screen.text();
            let mut lines = text.lines().filter(|line| line.contains(kind));
            lines.any(|line| line.contains(all) && line.contains("completed"))
        });
        pty.press("Esc");
        pty.wait_for_no("filter: ");
    }
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_sweep_is_gone_on_with_paused_and_gone_on_with_again() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    let is_ill = Arc::new(AtomicBool::new(true));
    let ill = Arc::clone(&is_ill);
    let is_held = Arc::new(AtomicBool::new(true));
    let holds = Arc::clone(&is_held);
    let server = ChatServer::start(
        move |seen| match seen.body.to_string().contains("bicycle") {
            false => Answer::chat("It depends."),
            true if ill.load(Ordering::Relaxed) => Answer::error(500, "resting", "not now"),
            true if holds.load(Ordering::Relaxed) => Answer::chat("It depends.").behind(&held),
            true => Answer::chat("It depends."),
        },
    );
    let program = facing(&server);
    let plan =
        "dataset = \"own:topics.csv\"\nmodel = \"ada\"\nprotocol = \"single\"\nseeds = [1, 2]\n";
    program.write("plan.toml", plan);
    program.run(&["sweep", "plan.toml", "-q"]).ended_with(3);
    is_ill.store(false, Ordering::Relaxed);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("3 of 3 experiments");
    pty.press("/");
    pty.type_text("sweep");
    pty.press("Enter O");
    pty.wait_for("sweep: 0 more points");
    pty.press("q");
    pty.wait_for("an experiment is under way (sweep: 0 more points");
    pty.press("Esc");
    pty.wait_for_no("an experiment is under way");
    pty.press("O");
    pty.wait_for("something is under way here: pause it first");
    pty.press("Z");
    pty.wait_for("sweep: pausing, what was sent arrives");
    barrier.meet();
    pty.wait_for("sweep: paused, it was stopped");
    // What is left is answered at once: verdict and answer of two debates could meet each other.
    is_held.store(false, Ordering::Relaxed);
    pty.press("O");
    pty.wait_for("sweep: done");
    pty.wait_for("2/2   completed");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn an_experiment_that_reached_a_ceiling_goes_on_under_a_higher_one() {
    let program = Program::with_topics(SLOW);
    let limited = [RUN, &["--budget-calls", "6"]].concat();
    program.run(&limited).ended_with(4);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("paused: the ceiling is reached: 6 of 6 calls were made");
    pty.press("O");
    pty.wait_for("Under which ceilings?");
    pty.wait_for("calls 6");
    pty.press("Enter");
    pty.wait_for_no("Under which ceilings?");
    pty.wait_for("run paused");
    pty.press("O");
    pty.wait_for("Under which ceilings?");
    pty.type_text("0x");
    pty.press("Enter");
    pty.wait_for("change the numbers of: calls 6");
    pty.press("Backspace Enter");
    pty.wait_for("5/5   completed");
    pty.wait_for("60 calls at most");
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

#[test]
fn a_page_to_send_is_written_of_a_run_and_of_sessions_and_never_over_a_file() {
    let program = Program::with_topics(SLOW);
    program.run_ok(RUN);
    let run = program.run_id().unwrap();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.press("w");
    pty.wait_for("Write a page to send");
    pty.press("Enter");
    pty.wait_for("a page of 5 debates is written");
    let file = program.work().join(format!("elenchus-{run}.html"));
    let page = std::fs::read_to_string(&file).unwrap();
    assert_eq!(page.matches("<details class=\"debate").count(), 5);
    // The workbench writes what the command writes.
    let date = page
        .split_once("<dt>date</dt><dd>")
        .unwrap()
        .1
        .get(..10)
        .unwrap();
    let by_command = program.run_ok(&["report", &run, "--date", date, "-o", "-"]);
    assert!(page == by_command);
    pty.press("w Enter");
    pty.wait_for("is there already");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), page);
    // On its own page its figures leave as text, too.
    pty.press("Enter");
    pty.wait_for("first round → last");
    pty.press("w Down Enter");
    pty.wait_for("Write the figures as text");
    pty.press("Enter");
    let figures = program.work().join(format!("elenchus-{run}.txt"));
    pty.wait_until("the figures are there", |_| is_written(&figures));
    pty.wait_for("written to ");
    assert!(
        std::fs::read_to_string(&figures)
            .unwrap()
            .contains("error rate")
    );
    pty.press("Esc");
    pty.press("1");
    pty.wait_for("5 sessions, newest first");
    pty.press("m j m w Tab Tab");
    pty.wait_for("page of 2 sessions to send");
    pty.press("Enter");
    pty.wait_for("a page of 2 debates is written to elenchus-debates.html");
    assert!(program.work().join("elenchus-debates.html").exists());
    // A debate that is open leaves as a page as well.
    pty.press("Enter");
    pty.wait_for("Debater 1");
    pty.press("w Down Down Enter");
    pty.wait_for("write it to which file?");
    pty.press("Enter");
    pty.wait_for("a page of 1 debate is written to ");
    pty.quits();
}
