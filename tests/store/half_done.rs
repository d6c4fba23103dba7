//! Experiments that version 0.1.0 left half done: this version goes on with them, in their own
//! vocabulary, and comes to the figures that undisturbed ones came to.

use super::earlier_versions::copied;
use elenchus_test_support::journals::events;
use elenchus_test_support::peers::{of_kind, polite};
use elenchus_test_support::program::Program;
use elenchus_test_support::server::ChatServer;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const VERSION: &str = "0.1.0";

/// Journals of a folder with their bytes.
fn journals(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

/// What was there is there to the byte, and what came after is of the same format.
fn check_continued(before: &[(PathBuf, Vec<u8>)]) {
    for (path, bytes) in before {
        let now = fs::read(path).unwrap();
        assert!(now.starts_with(bytes), "{}", path.display());
        let first = now.split(|byte| *byte == b'\n').next().unwrap();
        let first: Value = serde_json::from_slice(first).unwrap();
        assert_eq!(first.get("journal"), None, "{}", path.display());
        let more = &now[bytes.len()..];
        let more = String::from_utf8(more.to_vec()).unwrap();
        assert!(!more.contains("text_hash"), "{}", path.display());
    }
}

/// Cuts a journal off behind so many lines, as a kill would have left it, and returns the rest.
fn cut(path: &Path, lines: usize) -> Vec<Value> {
    let events = events(path);
    let text = fs::read_to_string(path).unwrap();
    let kept: String = text.split_inclusive('\n').take(lines).collect();
    assert!(kept.len() < text.len());
    fs::write(path, kept).unwrap();
    events[lines..].to_vec()
}

/// A value without what another time, another id and another call may change.
fn lasting(mut value: Value) -> Value {
    fn tidy(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                let passing = [
                    "session", "at", "begun_at", "ended_at", "cost_usd", "wall_ms",
                ];
                fields.retain(|name, _| !passing.contains(&name.as_str()));
                fields.values_mut().for_each(tidy);
            }
            Value::Array(items) => items.iter_mut().for_each(tidy),
            _ => {}
        }
    }
    tidy(&mut value);
    value
}

fn json(program: &Program, args: &[&str]) -> Value {
    serde_json::from_str(&program.run_ok(args)).unwrap()
}

#[test]
fn a_run_that_was_cut_off_is_played_to_the_figures_that_it_had() {
    let program = copied(VERSION);
    let run = "01m81e2x5a04q17459j4xdakjj";
    let figures = |program: &Program| {
        let args = ["metrics", "--run", run, "--by", "round,category", "--json"];
        lasting(json(program, &args))
    };
    let whole = figures(&program);
    let path = program.store().join(format!("runs/{run}.jsonl"));
    let lost = cut(&path, 10);
    assert_eq!(of_kind(&lost, "finished").len(), 3);
    // Of the debates that were not finished one had not begun, the others stood in the middle.
    let planned = events(&path);
    for (at, finished) in of_kind(&lost, "finished").into_iter().enumerate() {
        let planned = of_kind(&planned, "planned").into_iter();
        let item = planned
            .clone()
            .find(|item| item["item"] == finished["item"])
            .unwrap();
        let session = program.session_file(item["session"].as_str().unwrap());
        match at {
            0 => fs::remove_file(&session).unwrap(),
            _ => drop(cut(&session, 7)),
        }
    }
    let before = [
        &journals(&program.store().join("runs"))[..],
        &journals(&program.store().join("sessions")),
    ]
    .concat();
    program.run_ok(&["run", "--resume", run]);
    assert_eq!(figures(&program), whole);
    check_continued(&before);
    program.run_ok(&["verify"]);
}

const DEVIL_AND_ANGEL: &str = "01m81e2wcy6wnet320yr87bve9";

/// The words of templates in a view.
fn template_texts(view: &Value) -> Vec<&str> {
    let messages = view["messages"].as_array().into_iter().flatten();
    let parts = messages.flat_map(|message| message["parts"].as_array().into_iter().flatten());
    parts
        .filter(|part| part["from"]["template"].is_string())
        .filter_map(|part| part["text"].as_str())
        .collect()
}

#[test]
fn single_debates_go_on_by_the_game_lists_and_prompts_that_they_began_with() {
    let program = copied(VERSION);
    // Self-critique draws its rules from a list of texts; the others are single answers and
    // a debate whose seats have templates of their own.
    for id in [
        "01m81e2wejxtw0wg26rre2v6cc",
        "01m81e2w8tnk5pyhjqyv5860ce",
        "01m81e2wf747m2rkdwt2ssj987",
        DEVIL_AND_ANGEL,
    ] {
        let path = program.session_file(id);
        let lost = cut(&path, 3);
        let kept = fs::read(&path).unwrap();
        program.run_ok(&["run", "--resume-session", id, "-q"]);
        check_continued(&[(path.clone(), kept)]);
        // What is asked and answered is the same to the word; calls of the same time may change places. Devil and
        // Angel of the simulated model have words of their own by now: there it is what the templates say.
        let asked = |events: &[Value]| {
            let mut asked: Vec<(String, Value)> = events
                .iter()
                .filter(|event| event["view"].is_object())
                .map(|event| {
                    if id == DEVIL_AND_ANGEL {
                        let said = template_texts(&event["view"]);
                        return (format!("{} {said:?}", event["type"]), Value::Null);
                    }
                    let text = event["reply"]["text"].as_str().unwrap_or_default();
                    (format!("{} {text}", event["type"]), event["view"].clone())
                })
                .collect();
            asked.sort_by(|(one, _), (other, _)| one.cmp(other));
            asked
        };
        let (then, now) = (asked(&lost), asked(&events(&path)[3..]));
        assert!(!then.is_empty(), "{id}");
        assert_eq!(now, then, "{id}");
    }
}

#[test]
fn runs_of_served_models_that_were_killed_or_paused_go_on() {
    let server = ChatServer::start(polite);
    let program = copied(VERSION);
    let config = program.work().join(".elenchus/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let here = text.replace("http://127.0.0.1:46505/v1", &server.base_url());
    fs::write(&config, here).unwrap();
    let killed = "01m81e312vga9yzstkffx51er1";
    let paused = "01m81e317exsg1edt00fa0sw6g";
    let before = journals(&program.store().join("runs"));
    let open = program.run_ok(&["experiments", "list", "--open", "--json"]);
    for run in [killed, paused] {
        assert!(open.contains(run), "{open}");
    }
    program.run_ok(&["run", "--resume", killed]);
    program.run_ok(&["experiments", "resume", paused, "--budget-usd", "5"]);
    for run in [killed, paused] {
        let events = events(&program.store().join(format!("runs/{run}.jsonl")));
        assert_eq!(of_kind(&events, "finished").len(), 3, "{run}");
        assert_eq!(of_kind(&events, "completed").len(), 1, "{run}");
    }
    check_continued(&before);
    program.run_ok(&["verify"]);
}

#[test]
fn a_pass_that_was_killed_comes_to_the_verdicts_of_an_undisturbed_one() {
    let program = copied(VERSION);
    let pass = "01m81e329zwh15twg96s3e43d3";
    let before = journals(&program.store().join("passes"));
    let path = program.store().join(format!("passes/{pass}.jsonl"));
    let begun = events(&path).remove(0);
    program.run_ok(&["experiments", "resume", pass]);
    check_continued(&before);
    let sessions = begun["sessions"].as_array().unwrap().iter();
    let sessions = sessions.flat_map(|id| ["--session", id.as_str().unwrap()]);
    let again = ["judge", "-q", "--rubric", "safety", "--model", "slow"];
    let again: Vec<&str> = again.into_iter().chain(sessions).collect();
    let again = program.run_ok(&again).trim().to_owned();
    let verdicts = |pass: &str| {
        let events = events(&program.store().join(format!("passes/{pass}.jsonl")));
        let judged = of_kind(&events, "judged").into_iter();
        let mut told: Vec<String> = judged
            .map(|event| {
                format!(
                    "{} {} {}",
                    event["asked"], event["sha256"], event["outcome"]
                )
            })
            .collect();
        told.sort_unstable();
        told
    };
    assert_eq!(verdicts(pass).len(), 36);
    assert_eq!(verdicts(pass), verdicts(&again));
    program.run_ok(&["verify"]);
}

#[test]
fn comparisons_of_prompts_go_on_to_the_figures_that_they_had() {
    let program = copied(VERSION);
    let whole = "01m81e383b4dvjkn4098ng3kwg";
    let killed = "01m81e38f07jg5exx0m7akk065";
    let figures = |id: &str| lasting(json(&program, &["prompts", "ab", "--show", id, "--json"]));
    let then = figures(whole);
    let path = program.store().join(format!("tries/ab/{whole}.jsonl"));
    let lost = cut(&path, 20);
    assert!(!of_kind(&lost, "played").is_empty() || !of_kind(&lost, "answered").is_empty());
    let before = journals(&program.store().join("tries/ab"));
    program.run_ok(&["prompts", "ab", "--resume", whole]);
    assert_eq!(figures(whole), then);
    // One trial of it stood in the middle: its calls had begun and brought nothing.
    program.run_ok(&["experiments", "resume", killed]);
    let ended = events(&program.store().join(format!("tries/ab/{killed}.jsonl")));
    assert_eq!(of_kind(&ended, "played").len(), 8);
    assert_eq!(of_kind(&ended, "completed").len(), 1);
    check_continued(&before);
    program.run_ok(&["verify"]);
}

#[test]
fn a_test_of_guardrails_goes_on_to_the_report_that_it_had() {
    let program = copied(VERSION);
    // Decisions count for the words that asked for them, and those had no mark.
    let asked_then = events(
        &program
            .store()
            .join("sessions/01m81e2x5a58vn6r4awmsv5h1c.jsonl"),
    );
    let template = asked_then[0]["templates"]["guardrail:decide"].as_str();
    program.write(
        ".elenchus/prompts/shared/guardrail-decide.md",
        template.unwrap(),
    );
    let folder = program.store().join("memory/default.sim/trials");
    let path = journals(&folder).remove(0).0;
    let (lost, before) = (cut(&path, 5), journals(&folder));
    assert_eq!(of_kind(&lost, "prompt_decided").len(), 6);
    let list = [
        "memory",
        "guardrails",
        "list",
        "--namespace",
        "default.sim",
        "--json",
    ];
    let guards: Vec<Value> = (program.run_ok(&list).lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let near = |event: &Value| event["near"][0].as_str().unwrap().to_owned();
    let kept = events(&path);
    let done = near(of_kind(&kept, "prompt_decided")[0]);
    let undone = near(lost.last().unwrap());
    for (id, asked) in [(done, 0), (undone, 2)] {
        let before = events(&path).len();
        let report = json(&program, &[&GUARD_TEST[..], &[&id]].concat());
        let guard = guards.iter().find(|guard| guard["id"] == *id).unwrap();
        assert_eq!(report["report"], guard["tests"][0], "{id}");
        assert_eq!(events(&path).len() - before, asked, "{id}");
    }
    check_continued(&before);
    program.run_ok(&["verify"]);
}

const GUARD_TEST: [&str; 10] = [
    "memory",
    "guardrails",
    "test",
    "--namespace",
    "default.sim",
    "--dataset",
    "own:benign.csv",
    "--model",
    "sim",
    "--json",
];
