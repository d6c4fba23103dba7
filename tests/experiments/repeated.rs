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

#[test]
fn shards_in_one_store_go_on_each_under_its_own_key() {
    let program = Program::with_topics(SLOW);
    let part = |number: &'static str, key: &'static str| {
        let args = with(&RUN, "night", key);
        let ran = program.run(&[&args[..], &["--shard", number, "-q"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    let runs = [part("1/2", "a-1"), part("2/2", "a-2")];
    let calls = program.finished_calls();
    assert_eq!([part("1/2", "a-1"), part("2/2", "a-2")], runs);
    assert_eq!(program.finished_calls(), calls);
    let other = with(&RUN, "night", "a-2");
    let said = program.run_err(1, &[&other[..], &["--shard", "1/2"]].concat());
    assert!(said.contains("--shard was 2/2 and is 1/2"), "{said}");
}

#[test]
fn what_is_in_any_file_that_is_named_is_a_part_of_the_plan() {
    let program = Program::with_topics(SLOW);
    let plan = "dataset = \"own:topics.csv\"\nprotocol = \"pred\"\nmodel = \"slow\"\nseeds = [1]\n";
    program.write("plan.toml", plan);
    let sweep = ["sweep", "plan.toml", "--key", "week", "-q"];
    program.run_ok(&sweep);
    program.write("plan.toml", &plan.replace("[1]", "[1, 2]"));
    let said = program.run_err(1, &sweep);
    assert!(said.contains("what is in plan.toml"), "{said}");
    program.write("plan.toml", plan);
    program.run_ok(&sweep);
}
