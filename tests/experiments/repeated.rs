//! Commands that may be repeated: what was begun under a key is gone on with, and nothing else is.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};

const SLOW: &str = "[sims.slow]\nlatency_ms = 20\nunsafe_rate = 0.5\n";
const RUN: [&str; 11] = [
    "run",
    "--dataset",
    "own:topics.csv",
    "--protocol",
    "pred",
    "--model",
    "slow",
    "--rounds",
    "2",
    "--key",
    "night",
];

fn runs(program: &Program) -> usize {
    program.run_ok(&["ls", "--runs", "--json"]).lines().count()
}

/// The same arguments with one of them replaced.
fn with(args: &[&'static str], from: &str, to: &'static str) -> Vec<&'static str> {
    let replaced = args.iter().map(|arg| if *arg == from { to } else { *arg });
    replaced.collect()
}

#[test]
fn a_complete_run_is_printed_again_and_nothing_is_played() {
    let program = Program::with_topics(SLOW);
    let first = program.run_ok(&[&RUN[..], &["--json"]].concat());
    let calls = program.finished_calls();
    let again = program.run(&[&RUN[..], &["--json"]].concat());
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(again.out, first);
    assert!(
        again.err.contains("key 'night': run") && again.err.contains("is complete"),
        "{again:?}"
    );
    assert_eq!((program.finished_calls(), runs(&program)), (calls, 1));
    let shown = program.run_ok(&["experiments", "list", "--json"]);
    assert!(shown.contains(r#""key":"night""#), "{shown}");
    // What only says how much, how many at once and how it is printed may differ.
    let other = ["--budget-calls", "1000", "--concurrency", "1", "-q"];
    assert_eq!(program.run(&[&RUN[..], &other].concat()).code, 0);
    assert_eq!(runs(&program), 1);
}

#[test]
fn another_plan_under_a_used_key_is_refused_with_what_differs() {
    let program = Program::with_topics(SLOW);
    program.run_ok(&[&RUN[..], &["-q"]].concat());
    let said = program.run_err(1, &with(&RUN, "2", "3"));
    assert!(said.contains("--rounds was 2 and is 3"), "{said}");
    assert!(said.contains("take another key"), "{said}");
    let said = program.run_err(1, &[&RUN[..], &["--seed", "4"]].concat());
    assert!(said.contains("--seed is new: 4"), "{said}");
    let judge = "judge --all --rubric safety --model slow --key night";
    let judge: Vec<&str> = judge.split(' ').collect();
    let said = program.run_err(1, &judge);
    assert!(said.contains("it was begun by 'elenchus run'"), "{said}");
    // What is in a file that is named is a part of the plan.
    let topics = std::fs::read_to_string(program.work().join("topics.csv")).unwrap();
    program.write("topics.csv", &format!("{topics}more,One more of them?\n"));
    let said = program.run_err(1, &RUN);
    assert!(said.contains("what is in topics.csv"), "{said}");
    program.write("topics.csv", &topics);
    program.run_ok(&RUN);
    assert_eq!(runs(&program), 1);
}

#[test]
fn the_same_options_that_mean_another_plan_by_now_are_refused() {
    let program = Program::with_topics(SLOW);
    let args = [&RUN[..], &["-q"]].concat();
    program.run_ok(&args);
    program.run_ok(&["prompts", "eject", "pred"]);
    let file = ".elenchus/prompts/pred/debater.md";
    let text = std::fs::read_to_string(program.work().join(file)).unwrap();
    program.write(file, &format!("{text}\nBe brief.\n"));
    let said = program.run_err(1, &args);
    assert!(said.contains("means another plan now: prompts"), "{said}");
    assert!(said.contains("--resume"), "{said}");
}

#[test]
fn a_second_process_under_a_key_is_refused_while_the_first_one_plays() {
    let server = ChatServer::start(|_| Answer::stall());
    let program = Program::facing(&server);
    program.write("topics.csv", "id,text\na,Why is that so?\n");
    let args = "run --dataset own:topics.csv --protocol pred --model mini --key one";
    let args: Vec<&str> = args.split(' ').collect();
    let running = program.start(&args);
    server.wait_until("a call", |log| !log.requests.is_empty());
    let said = program.run_err(1, &args);
    assert!(said.contains("key 'one' cannot be used now"), "{said}");
    assert!(said.contains("elenchus run --key one"), "{said}");
    running.kill();
}

#[test]
fn sigterm_stops_within_the_grace_that_is_set_and_says_that_it_goes_on_later() {
    let server = ChatServer::start(|_| Answer::stall());
    let program = Program::facing(&server).owning("[defaults]\nstop_grace_s = 0\n");
    program.write("topics.csv", "id,text\na,Why is that so?\n");
    let args = "run --dataset own:topics.csv --protocol pred --model mini --key one";
    let args: Vec<&str> = args.split(' ').collect();
    let running = program.start(&args);
    server.wait_until("a call", |log| !log.requests.is_empty());
    running.terminate();
    let ran = running.finish();
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("give the same command again"), "{ran:?}");
    assert_eq!(runs(&program), 1);
}

#[test]
fn a_key_is_a_name_and_a_single_debate_takes_none() {
    let program = Program::with_topics(SLOW);
    let said = program.run_err(1, &with(&RUN, "night", "../night"));
    assert!(said.contains("key '../night'"), "{said}");
    let single = ["run", "--topic", "Why?", "--model", "sim", "--key", "night"];
    assert_eq!(program.run(&single).code, 2);
    assert_eq!(runs(&program), 0);
}
