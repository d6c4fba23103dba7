//! `elenchus rollout`: topics by JSON Lines in, groups of debates with their rewards out.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex};

const SUMS: &str = r#"{"id": "a", "text": "What is 2 + 2?", "reference": "4"}
{"id": "b", "text": "What is 3 + 3?", "reference": "6"}
"#;

const GAME: [&str; 9] = [
    "rollout",
    "--protocol",
    "pcd-2",
    "--set",
    "private_reasoning=false",
    "--model",
    "weak",
    "--rollouts",
    "3",
];

fn program() -> Program {
    Program::with_topics("[sims.weak]\naccuracy = 0.5\nsway = 0.4\n")
}

/// The program with a trainer at its pipes.
struct Trainer {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Trainer {
    fn start(program: &Program, args: &[&str]) -> Self {
        let mut command = program.command(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        Self {
            to: child.stdin.take(),
            from: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn send(&mut self, text: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(text.as_bytes()).unwrap();
        to.flush().unwrap();
    }

    fn read_line(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"))
    }

    /// Ends what is sent, and returns the rest of the lines, what was said beside, and the exit.
    fn finish(mut self) -> (Vec<Value>, String, i32) {
        drop(self.to.take());
        let mut rest = String::new();
        self.from.read_to_string(&mut rest).unwrap();
        let mut said = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        let lines = rest.lines().map(|line| serde_json::from_str(line).unwrap());
        let code = self.child.wait().unwrap().code().unwrap();
        (lines.collect(), said, code)
    }
}

fn rollouts(group: &Value) -> &Vec<Value> {
    group["rollouts"].as_array().unwrap()
}

#[test]
fn a_batch_is_answered_while_the_program_waits_for_the_next_one() {
    let program = program();
    let mut trainer = Trainer::start(&program, &GAME);
    trainer.send(&format!("{SUMS}\n"));
    let first = [trainer.read_line(), trainer.read_line()];
    assert_eq!(
        (&first[0]["topic"], &first[1]["topic"]),
        (&Value::from("a"), &Value::from("b"))
    );
    // The same topics again are other debates, of another run.
    trainer.send(SUMS);
    let (second, said, code) = trainer.finish();
    assert_eq!((second.len(), code), (2, 0), "{said}");
    assert_eq!(first[0]["topic_key"], second[0]["topic_key"]);
    assert_ne!(first[0]["run"], second[0]["run"]);
    let groups = || first.iter().chain(&second);
    let sessions: BTreeSet<&str> = groups()
        .flat_map(rollouts)
        .map(|rollout| rollout["session"].as_str().unwrap())
        .collect();
    assert_eq!(sessions.len(), 12);
    let seeds: BTreeSet<u64> = groups()
        .flat_map(rollouts)
        .map(|rollout| rollout["seed"].as_u64().unwrap())
        .collect();
    assert_eq!(seeds.len(), 12);
    program.run_ok(&["verify"]);
}

#[test]
fn rewards_and_places_are_those_of_the_journal() {
    let program = program();
    program.write("sums.jsonl", SUMS);
    let args = [&GAME[..], &["sums.jsonl", "-q"]].concat();
    let lines = program.run_ok(&args);
    let groups: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let advantages: Value =
        serde_json::from_str(&program.run_ok(&["metrics", "--advantages", "--json"])).unwrap();
    let mut paid: BTreeMap<(String, String), f64> = BTreeMap::new();
    for row in advantages["rows"].as_array().unwrap() {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        paid.insert(
            (text("session"), text("seat") + "-0"),
            row["reward"].as_f64().unwrap(),
        );
    }
    let mut told = BTreeMap::new();
    for rollout in groups.iter().flat_map(rollouts) {
        let session = rollout["session"].as_str().unwrap();
        assert_eq!(rollout["end"], "complete");
        for (seat, reward) in rollout["rewards"].as_object().unwrap() {
            told.insert((session.to_owned(), seat.clone()), reward.as_f64().unwrap());
        }
        let events = program.events(session);
        let replied = events.iter().filter(|event| event["type"] == "replied");
        let recorded: Vec<String> = replied
            .map(|reply| format!("{}#{}", reply["turn"].as_str().unwrap(), reply["attempt"]))
            .collect();
        let places = rollout["replies"].as_array().unwrap().iter();
        let places: Vec<&str> = places
            .map(|reply| reply["place"].as_str().unwrap())
            .collect();
        assert_eq!(places, recorded);
    }
    assert_eq!(told, paid);
    assert_eq!(told.len(), 12);
}

#[test]
fn a_line_that_is_no_topic_is_answered_with_the_reason_and_its_number() {
    let program = program();
    let mut trainer = Trainer::start(&program, &GAME);
    trainer.send(
        "\n{\"id\": \"a\"}\n{\"id\": \"b\", \"text\": \"What is 1 + 1?\", \"reference\": \"2\"}\n",
    );
    let (lines, said, code) = trainer.finish();
    assert_eq!(code, 0, "{said}");
    assert_eq!(lines[0]["line"], 2, "{lines:?}");
    assert!(
        lines[0]["refused"].as_str().unwrap().contains("text"),
        "{lines:?}"
    );
    assert_eq!(lines[1]["topic"], "b");
}

#[test]
fn a_debate_that_fails_says_so_in_its_line_and_pays_nothing() {
    let server = ChatServer::start(|_| Answer::error(400, "invalid_request", "out of order"));
    let program = Program::facing(&server);
    program.write("sums.jsonl", SUMS);
    let args = [
        "rollout",
        "sums.jsonl",
        "--protocol",
        "rlvr",
        "--rollouts",
        "1",
        "--unlisted",
        "--model",
        "m",
    ];
    let ran = program.run(&args);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("elenchus run --resume"), "{}", ran.err);
    for line in ran.out.lines() {
        let group: Value = serde_json::from_str(line).unwrap();
        let rollout = &rollouts(&group)[0];
        assert_eq!(rollout["end"], "failed");
        assert!(
            rollout["failure"]
                .as_str()
                .unwrap()
                .contains("out of order"),
            "{rollout}"
        );
        assert_eq!(rollout["rewards"], serde_json::json!({}));
    }
}

#[test]
fn what_was_printed_is_in_the_store_when_the_program_is_killed() {
    let program = program();
    let mut trainer = Trainer::start(&program, &GAME);
    trainer.send(&format!("{SUMS}\n"));
    let group = trainer.read_line();
    trainer.child.kill().unwrap();
    trainer.child.wait().unwrap();
    program.run_ok(&["verify"]);
    for rollout in rollouts(&group) {
        let shown = program.run_ok(&["show", rollout["session"].as_str().unwrap(), "--json"]);
        assert!(shown.contains("\"decision\""), "{shown}");
    }
}

/// Numbers each call, answers with its number, and keeps what it answered by that: what a proxy does that
/// records a policy's tokens.
fn recording_proxy(recorded: &Arc<Mutex<BTreeMap<String, String>>>) -> ChatServer {
    let recorded = Arc::clone(recorded);
    ChatServer::start(move |_| {
        let mut recorded = recorded.lock().unwrap();
        let id = format!("call-{}", recorded.len());
        let text = format!(
            "The result of attempt {} is \\boxed{{{}}}.",
            recorded.len(),
            recorded.len() % 3
        );
        recorded.insert(id.clone(), text.clone());
        let message = json!({"role": "assistant", "content": text});
        let body = json!({"model": "policy", "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7}});
        let headers = [
            ("content-type", "application/json"),
            ("x-request-id", id.as_str()),
        ];
        Answer::with_headers(200, &headers, body.to_string().as_bytes())
    })
}

#[test]
fn a_recording_proxy_sees_each_reply_of_the_trained_seat_and_none_of_the_judge() {
    let recorded = Arc::new(Mutex::new(BTreeMap::new()));
    let proxy = recording_proxy(&recorded);
    let judge = ChatServer::start(|request| {
        Answer::chat(&request.with_mark("Both were read.\nDECISION: correct"))
    });
    let config = format!(
        "[providers.proxy]\nbase_url = \"{}\"\n[providers.other]\nbase_url = \"{}\"\n\
         [models.policy]\nprovider = \"proxy\"\nname = \"policy\"\n\
         [models.judge]\nprovider = \"other\"\nname = \"judge\"\n",
        proxy.base_url(),
        judge.base_url()
    );
    let program = Program::with_topics(&config);
    program.write(
        "one.jsonl",
        "{\"id\": \"a\", \"text\": \"What is 1 + 1?\", \"reference\": \"2\"}\n",
    );
    program.write("critic.txt", "I find no error.\n");
    let args = [
        "rollout",
        "one.jsonl",
        "--protocol",
        "pcd-2",
        "--set",
        "private_reasoning=false",
        "--proposer",
        "policy",
        "--critic",
        "fixed:critic.txt",
        "--judge",
        "judge",
        "--rollouts",
        "8",
        "--unlisted",
        "-q",
    ];
    let group: Value = serde_json::from_str(&program.run_ok(&args)).unwrap();
    let mut found = BTreeMap::new();
    for rollout in rollouts(&group) {
        let session = rollout["session"].as_str().unwrap();
        let replies = rollout["replies"].as_array().unwrap();
        assert_eq!(replies.len(), 1, "{rollout}");
        assert_eq!(rollout["rewards"]["proposer-0"], 1.0);
        let id = replies[0]["request_id"].as_str().unwrap();
        let events = program.events(session);
        let said = events
            .iter()
            .find(|event| event["type"] == "replied" && event["turn"] == "r1.propose.proposer-0");
        found.insert(
            id.to_owned(),
            said.unwrap()["reply"]["text"].as_str().unwrap().to_owned(),
        );
    }
    assert_eq!(found, *recorded.lock().unwrap());
    assert_eq!((found.len(), judge.calls().len()), (8, 8));
}

#[test]
fn two_topics_that_say_the_same_have_a_group_each() {
    let program = program();
    let same = "{\"id\": \"a\", \"text\": \"What is 2 + 2?\", \"reference\": \"4\"}\n\
                {\"id\": \"b\", \"text\": \"What is 2 + 2?\", \"reference\": \"4\"}\n";
    program.write("sums.jsonl", same);
    let lines = program.run_ok(&[&GAME[..], &["sums.jsonl", "-q"]].concat());
    let groups: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let topics: Vec<&Value> = groups.iter().map(|group| &group["topic"]).collect();
    assert_eq!(topics, ["a", "b"]);
    assert!(
        groups.iter().all(|group| rollouts(group).len() == 3),
        "{groups:?}"
    );
}

#[test]
fn a_later_batch_has_no_seed_of_an_earlier_one_of_the_next_process() {
    let program = program();
    let seeds = |seed: &str, batches: usize| -> Vec<BTreeSet<u64>> {
        program.write("batches.jsonl", &format!("{SUMS}\n").repeat(batches));
        let args = [&GAME[..], &["batches.jsonl", "-q", "--seed", seed]].concat();
        let lines = program.run_ok(&args);
        let groups = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let seeds = groups.map(|group| {
            rollouts(&group)
                .iter()
                .map(|one| one["seed"].as_u64().unwrap())
                .collect()
        });
        seeds.collect()
    };
    let first: BTreeSet<u64> = seeds("0", 2).into_iter().flatten().collect();
    let second: BTreeSet<u64> = seeds("1", 1).into_iter().flatten().collect();
    assert_eq!(first.len(), 12);
    assert!(first.is_disjoint(&second), "{first:?} {second:?}");
}

#[test]
fn a_batch_that_pauses_says_why_once_and_names_no_session_that_never_began() {
    let program = program();
    program.write("sums.jsonl", SUMS);
    let limited = ["sums.jsonl", "--concurrency", "1", "--budget-calls", "4"];
    let ran = program.run(&[&GAME[..], &limited].concat()).ended_with(4);
    let groups: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ends: Vec<&str> = groups
        .iter()
        .flat_map(rollouts)
        .map(|rollout| rollout["end"].as_str().unwrap())
        .collect();
    assert_eq!(ends.len(), 6, "{groups:?}");
    assert!(
        ends.contains(&"complete") && ends.contains(&"missing"),
        "{ends:?}"
    );
    assert_eq!(ran.err.matches("paused: ").count(), 1, "{}", ran.err);
    assert!(!ran.err.contains(".jsonl"), "{}", ran.err);
    let one = [&GAME[..7], &["--rollouts", "1", "one.jsonl"]].concat();
    program.write("one.jsonl", SUMS.lines().next().unwrap());
    let told = program.run(&one).ended_with(0).err;
    assert!(told.contains(": 1 debate\n"), "{told}");
}
