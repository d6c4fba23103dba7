//! `elenchus judge --batch-out` and `--batch-in`: a pass whose calls go through files, as through a server.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

const KEY: &str = "sk-not-in-any-file-0123456789";
const DECISIONS: [&str; 4] = ["--rubric", "pcd-decision", "--model", "one"];
/// Nothing listens there: who asks a server fails.
const NOWHERE: &str = elenchus_test_support::server::NOWHERE;

/// A program with models of one server, and games on as many sums as are asked for.
fn program(base: &str, games: u32) -> Program {
    let mut config =
        format!("[providers.here]\nbase_url = \"{base}\"\napi_key_env = \"THE_KEY\"\n");
    for name in ["one", "two"] {
        config.push_str(&format!(
            "[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\nprice_in_usd_per_mtok = 1.0\n\
             price_out_usd_per_mtok = 2.0\n"
        ));
    }
    config.push_str(
        "[models.flags]\nprovider = \"here\"\nname = \"omni\"\napi = \"moderation\"\nprice_in_usd_per_mtok = 0.0\n\
         price_out_usd_per_mtok = 0.0\n",
    );
    let program = Program::new().owning(&config).with("THE_KEY", KEY);
    let rows = (1..=games).map(|number| {
        let (other, sum) = (7 * number, 8 * number);
        format!("q{number},How many lamps are {number} and {other}?,{sum}\n")
    });
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    program.run_ok(&[
        "run",
        "-q",
        "--protocol",
        "pcd-2",
        "--dataset",
        "sums.csv",
        "--model",
        "sim",
    ]);
    program
}

fn judge(program: &Program, code: i32, more: &[&str]) -> String {
    let ran = program.run(&[&["judge"], more].concat()).ended_with(code);
    format!("{}\n{}", ran.out, ran.err)
}

/// Begins a pass on everything that was played, with its calls in a file; returns its id.
fn begin(program: &Program, more: &[&str], file: &str) -> String {
    let begun = [&["judge", "--all", "-q", "--batch-out", file], more].concat();
    program.run_ok(&begun).trim().to_owned()
}

fn read(program: &Program, file: &str) -> String {
    std::fs::read_to_string(program.work().join(file)).unwrap()
}

fn lines(program: &Program, file: &str) -> Vec<Value> {
    let text = read(program, file);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A line of a batch, as a server is asked.
fn as_request(line: &Value) -> ChatRequest {
    ChatRequest {
        number: 0,
        connection: 0,
        method: line["method"].as_str().unwrap().to_owned(),
        path: line["url"].as_str().unwrap().to_owned(),
        headers: Vec::new(),
        body: line["body"].clone(),
    }
}

/// What a judge says: it depends on what it is shown alone.
fn decision(seen: &ChatRequest) -> String {
    let shown: usize = seen.text().bytes().map(usize::from).sum();
    let label = ["correct", "flawed", "incorrect"][shown % 3];
    seen.with_mark(&format!("I looked at each step.\nDECISION: {label}"))
}

fn completion(text: &str) -> Value {
    json!({
        "id": "c", "object": "chat.completion", "model": "served-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null},
            "logprobs": null, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520},
    })
}

fn answer(line: &Value, status: u16, body: &Value) -> Value {
    json!({"id": "batch_req_1", "custom_id": line["custom_id"], "error": null,
        "response": {"status_code": status, "request_id": "req_1", "body": body}})
}

fn decided(line: &Value) -> Value {
    answer(line, 200, &completion(&decision(&as_request(line))))
}

fn write_answers(program: &Program, file: &str, answers: &[Value]) {
    let text: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    program.write(file, &text);
}

fn figures(program: &Program, pass: &str) -> Value {
    let page = program.run_ok(&["metrics", "--json", "--pass", pass]);
    serde_json::from_str(&page.replace(pass, "PASS")).unwrap()
}

fn listed(program: &Program, pass: &str) -> Value {
    let all = program.run_ok(&["judge", "list", "--json"]);
    let mut all = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.find(|one| one["pass"] == pass).unwrap()
}

fn ids(lines: &[Value]) -> Vec<&str> {
    let mut ids: Vec<&str> = lines
        .iter()
        .map(|line| line["custom_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids
}

#[test]
fn twenty_four_decisions_by_files_are_those_of_calls_whatever_the_order_and_the_gaps() {
    let server = ChatServer::start(|seen| Answer::counted(&decision(seen), 500, 20));
    let program = program(&server.base_url(), 24);
    let asked = [&["judge", "--all", "-q"], &DECISIONS[..]].concat();
    let called = program.run_ok(&asked).trim().to_owned();
    let calls = server.calls().len();
    assert_eq!(calls, 24);

    let pass = begin(&program, &DECISIONS, "calls.jsonl");
    let open = lines(&program, "calls.jsonl");
    assert_eq!(open.len(), 24);
    // The same bodies as those of calls, but for the stream.
    let mut sent: Vec<String> = Vec::new();
    for seen in server.calls() {
        let mut body = seen.body.clone();
        let fields = body.as_object_mut().unwrap();
        fields.retain(|field, _| !field.starts_with("stream"));
        sent.push(body.to_string());
    }
    let mut written: Vec<String> = open.iter().map(|line| line["body"].to_string()).collect();
    sent.sort();
    written.sort();
    assert_eq!(sent, written);

    let mut answers: Vec<Value> = open.iter().map(decided).collect();
    answers.reverse();
    let (missing, rest) = answers.split_at(2);
    let mut first: Vec<Value> = rest.to_vec();
    let failing = json!({"error": {"message": "the engine stopped", "type": "server_error"}});
    first[7] = answer(&first[7], 500, &failing);
    first.push(first[3].clone());
    write_answers(&program, "first.jsonl", &first);
    let said = judge(
        &program,
        4,
        &["--resume", &pass, "--batch-in", "first.jsonl"],
    );
    assert!(said.contains("21 replies taken, 1 error"), "{said}");
    assert!(
        said.contains("line 23: another line says the same"),
        "{said}"
    );
    assert!(
        said.contains("line 8 of the batch: the engine stopped"),
        "{said}"
    );
    assert!(said.contains("3 calls are open"), "{said}");
    assert_eq!(listed(&program, &pass)["standing"], "paused");
    let shown = program.run_ok(&["experiments", "show", &pass]);
    let by_answers = format!("elenchus judge --resume {pass} --batch-in FILE");
    assert!(shown.contains(&by_answers), "{shown}");

    program.run_ok(&[
        "judge",
        "-q",
        "--resume",
        &pass,
        "--batch-out",
        "rest.jsonl",
    ]);
    let rest = lines(&program, "rest.jsonl");
    let expected = [missing[0].clone(), missing[1].clone(), first[7].clone()];
    assert_eq!(ids(&rest), ids(&expected));
    let again: Vec<Value> = rest.iter().map(decided).collect();
    // With what was taken before.
    write_answers(
        &program,
        "second.jsonl",
        &[&again[..], &first[..2]].concat(),
    );
    let said = judge(
        &program,
        0,
        &["--resume", &pass, "--batch-in", "second.jsonl"],
    );
    assert!(said.contains("3 replies taken, 0 errors"), "{said}");
    assert!(said.contains("2 lines (4, 5): taken before"), "{said}");

    assert_eq!(figures(&program, &pass), figures(&program, &called));
    let (by_file, by_call) = (listed(&program, &pass), listed(&program, &called));
    for field in ["verdicts", "labels", "unparsed", "standing"] {
        assert_eq!(by_file[field], by_call[field], "{field}");
    }
    // Added up in another order.
    let cost = |pass: &Value| pass["committed_usd"].as_f64().unwrap();
    assert!((cost(&by_file) - cost(&by_call)).abs() < 1e-12);
    let said = judge(
        &program,
        0,
        &["--resume", &pass, "--batch-out", "none.jsonl"],
    );
    assert!(said.contains("there is no call to write"), "{said}");
    assert!(!program.work().join("none.jsonl").exists());
    assert_eq!(
        server.calls().len(),
        calls,
        "no server was asked for a batch"
    );
}

#[test]
fn a_file_of_calls_holds_no_key_is_its_owners_and_takes_no_other_file_s_place() {
    let program = program(NOWHERE, 2);
    let pass = begin(&program, &DECISIONS, "calls.jsonl");
    let text = read(&program, "calls.jsonl");
    assert!(!text.contains(KEY) && !text.contains("THE_KEY"), "{text}");
    let file = program.work().join("calls.jsonl");
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for line in lines(&program, "calls.jsonl") {
        let id = line["custom_id"].as_str().unwrap();
        assert!(id.len() <= 64 && id.starts_with(&pass), "{id}");
        assert_eq!(line["url"], "/v1/chat/completions");
        assert_eq!(line["method"], "POST");
    }
    let again = ["--resume", &pass, "--batch-out"];
    program.write("notes.jsonl", "mine\n");
    let said = judge(&program, 1, &[&again[..], &["notes.jsonl"]].concat());
    assert!(said.contains("notes.jsonl is there already"), "{said}");
    assert_eq!(read(&program, "notes.jsonl"), "mine\n");
    // The same calls are no other file's.
    judge(&program, 0, &[&again[..], &["calls.jsonl"]].concat());
    let begun = [&["--all", "--batch-out", "calls.jsonl"], &DECISIONS[..]].concat();
    judge(&program, 1, &begun);
    let passes = program.run_ok(&["judge", "list", "--json"]);
    assert_eq!(
        passes.lines().count(),
        1,
        "none is begun that cannot be written"
    );
    judge(&program, 0, &[&again[..], &["again.jsonl"]].concat());
    assert_eq!(read(&program, "again.jsonl"), text);
}

#[test]
fn calls_in_a_file_count_at_their_worst_until_they_are_answered_and_a_ceiling_holds_over_all_waves()
{
    let program = program(NOWHERE, 5);
    let under = [
        &["--all", "--budget-calls", "2", "--batch-out", "one.jsonl"],
        &DECISIONS[..],
    ];
    let said = judge(&program, 4, &under.concat());
    assert!(said.contains("2 of 2 calls were made"), "{said}");
    assert_eq!(lines(&program, "one.jsonl").len(), 2);
    let passes = program.run_ok(&["judge", "list", "--json"]);
    let pass: Value = serde_json::from_str(passes.trim()).unwrap();
    let (worst, pass) = (
        pass["committed_usd"].as_f64().unwrap(),
        pass["pass"].as_str().unwrap(),
    );
    // Those that wait are written again, and no more than they.
    judge(
        &program,
        4,
        &["--resume", pass, "--batch-out", "again.jsonl"],
    );
    assert_eq!(read(&program, "again.jsonl"), read(&program, "one.jsonl"));
    assert_eq!(
        listed(&program, pass)["committed_usd"].as_f64(),
        Some(worst)
    );
    let answers: Vec<Value> = lines(&program, "one.jsonl").iter().map(decided).collect();
    write_answers(&program, "answers.jsonl", &answers);
    judge(
        &program,
        4,
        &["--resume", pass, "--batch-in", "answers.jsonl"],
    );
    let cost = listed(&program, pass)["committed_usd"].as_f64().unwrap();
    // 500 tokens for $1 and 20 for $2 a million, twice.
    assert!(
        (cost - 0.001_08).abs() < 1e-9 && cost < worst,
        "{cost} of {worst}"
    );
    let more = [
        "--resume",
        pass,
        "--budget-calls",
        "5",
        "--batch-out",
        "two.jsonl",
    ];
    judge(&program, 0, &more);
    assert_eq!(lines(&program, "two.jsonl").len(), 3);
}

#[test]
fn a_reply_that_is_to_be_asked_for_again_and_every_member_of_an_ensemble_are_calls_of_a_next_wave()
{
    let program = program(NOWHERE, 2);
    let members = [
        "--rubric",
        "pcd-decision",
        "--model",
        "one",
        "--model",
        "two",
    ];
    let begun = [&["--all", "--batch-out", "one.jsonl"], &members[..]].concat();
    let said = judge(&program, 0, &begun);
    assert!(said.contains("one in 2, two in 2"), "{said}");
    let pass = serde_json::from_str::<Value>(program.run_ok(&["judge", "list", "--json"]).trim());
    let pass = pass.unwrap()["pass"].as_str().unwrap().to_owned();
    let wave = lines(&program, "one.jsonl");
    let mut answers: Vec<Value> = wave.iter().map(decided).collect();
    answers[1] = answer(&wave[1], 200, &completion(""));
    write_answers(&program, "answers.jsonl", &answers);
    let said = judge(
        &program,
        4,
        &["--resume", &pass, "--batch-in", "answers.jsonl"],
    );
    assert!(
        said.contains("1 call is open, 1 of them to ask a judge again"),
        "{said}"
    );
    judge(
        &program,
        0,
        &["--resume", &pass, "--batch-out", "two.jsonl"],
    );
    let next = lines(&program, "two.jsonl");
    assert_eq!(next.len(), 1);
    assert_ne!(
        next[0]["custom_id"], wave[1]["custom_id"],
        "another try is another call"
    );
    write_answers(&program, "answers-2.jsonl", &[decided(&next[0])]);
    judge(
        &program,
        0,
        &["--resume", &pass, "--batch-in", "answers-2.jsonl"],
    );
    let done = listed(&program, &pass);
    assert_eq!(
        (&done["standing"], &done["verdicts"]),
        (&json!("completed"), &json!(2))
    );
}

#[test]
fn what_is_wrong_with_lines_is_said_with_their_numbers_and_harms_no_other_line() {
    let program = program(NOWHERE, 10);
    let other = begin(&program, &DECISIONS, "other.jsonl");
    let others = lines(&program, "other.jsonl");
    let pass = begin(&program, &DECISIONS, "calls.jsonl");
    let open = lines(&program, "calls.jsonl");
    let mut otherwise = decided(&open[0]);
    otherwise["response"]["body"]["choices"][0]["message"]["content"] = json!("Something else.");
    let mut refused = decided(&open[3]);
    refused["response"]["body"]["choices"][0]["message"] =
        json!({"role": "assistant", "content": null, "refusal": "I will not judge this."});
    let mut cut = decided(&open[4]);
    cut["response"]["body"]["choices"][0]["finish_reason"] = json!("length");
    let mut uncounted = decided(&open[5]);
    uncounted["response"]["body"]["usage"].take();
    let mut stranger = decided(&open[6]);
    stranger["custom_id"] = json!(format!("{pass}-{}", "0".repeat(32)));
    let mut nobody = decided(&open[6]);
    nobody["custom_id"] = json!("request-1");
    let named = |line: &Value, error: Value| json!({"id": "x", "custom_id": line["custom_id"], "response": null, "error": error});
    let expired = json!({"code": "batch_expired", "message": "It was not executed in time."});
    let mut text: String = [
        decided(&open[0]),
        otherwise,
        answer(&open[2], 200, &json!({"id": "c", "model": "m", "choices": []})),
        refused,
        cut,
        uncounted,
        stranger,
        nobody,
        decided(&others[0]),
        open[6].clone(),
        named(&open[7], expired),
        // As vLLM words it.
        json!({"id": "x", "custom_id": open[8]["custom_id"], "response":
            {"status_code": 400, "request_id": "r", "body": null}, "error": "The model does not exist."}),
        answer(&open[9], 401, &json!({"error": {"message": "the key is wrong", "code": "invalid_api_key"}})),
        decided(&open[9]),
    ]
    .iter()
    .map(|line| format!("{line}\n"))
    .collect();
    text.push_str("not JSON\n\n");
    text.push_str(&decided(&open[6]).to_string()[..200]);
    program.write("answers.jsonl", &text);
    let said = judge(
        &program,
        4,
        &["--resume", &pass, "--batch-in", "answers.jsonl"],
    );
    for expected in [
        "line 2: another line says something else",
        "line 3 of the batch",
        "line 4: the model declined",
        "line 5: the limit of tokens cut the reply",
        "line 6: no count of tokens",
        "2 lines (7, 8): about no call of this pass",
        &format!(
            "line 9: about another pass, and left out: take them by elenchus judge --resume {other} --batch-in"
        ),
        "line 10: a call and no answer",
        "line 11 of the batch: It was not executed in time.",
        "line 12 of the batch: The model does not exist.",
        "line 13: an error about a call that another line answers",
        "line 15: no JSON object",
        "line 17: cut short",
        "5 replies taken, 3 errors",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    // Without an answer: one that no line is about, one with a call in place of an answer, and three errors.
    assert!(said.contains("5 calls are open"), "{said}");
    let verdicts = listed(&program, &pass);
    assert_eq!(verdicts["verdicts"], 5);
    assert!(verdicts["unparsed"].as_u64().unwrap() >= 1, "{verdicts}");
    // The same file once more adds nothing: not even what its errors may have cost.
    judge(
        &program,
        4,
        &["--resume", &pass, "--batch-in", "answers.jsonl"],
    );
    assert_eq!(listed(&program, &pass), verdicts);
    judge(
        &program,
        0,
        &["--resume", &pass, "--batch-out", "rest.jsonl"],
    );
    assert_eq!(lines(&program, "rest.jsonl").len(), 5);
}

#[test]
fn one_command_under_a_key_writes_takes_and_ends() {
    let program = program(NOWHERE, 2);
    let command = [&["--all", "--key", "night"], &DECISIONS[..]].concat();
    let early = [&command[..], &["--batch-in", "sums.csv"]].concat();
    let said = judge(&program, 1, &early);
    assert!(said.contains("there is no pass yet"), "{said}");
    judge(
        &program,
        0,
        &[&command[..], &["--batch-out", "one.jsonl"]].concat(),
    );
    judge(
        &program,
        0,
        &[&command[..], &["--batch-out", "two.jsonl"]].concat(),
    );
    assert_eq!(read(&program, "one.jsonl"), read(&program, "two.jsonl"));
    let answers: Vec<Value> = lines(&program, "two.jsonl").iter().map(decided).collect();
    write_answers(&program, "answers.jsonl", &answers);
    judge(
        &program,
        0,
        &[&command[..], &["--batch-in", "answers.jsonl"]].concat(),
    );
    let passes = program.run_ok(&["judge", "list", "--json"]);
    assert_eq!(passes.lines().count(), 1);
    assert_eq!(
        serde_json::from_str::<Value>(passes.trim()).unwrap()["standing"],
        "completed"
    );
}

#[test]
fn what_no_server_answers_is_judged_at_once_and_alone_makes_no_batch() {
    let program = program(NOWHERE, 2);
    for judges in [
        &["--rubric", "pcd-decision", "--model", "sim"][..],
        &["--detector", "refusal"],
    ] {
        let said = judge(
            &program,
            1,
            &[&["--all", "--batch-out", "x.jsonl"], judges].concat(),
        );
        assert!(said.contains("no model of a server judges"), "{said}");
    }
    assert_eq!(program.run_ok(&["judge", "list", "--json"]), "");
    let mixed = [
        "--rubric",
        "pcd-decision",
        "--model",
        "one",
        "--model",
        "sim",
    ];
    let pass = begin(&program, &mixed, "calls.jsonl");
    let open = lines(&program, "calls.jsonl");
    assert_eq!(open.len(), 2);
    let answers: Vec<Value> = open.iter().map(decided).collect();
    write_answers(&program, "answers.jsonl", &answers);
    judge(
        &program,
        0,
        &["--resume", &pass, "--batch-in", "answers.jsonl"],
    );
    assert_eq!(listed(&program, &pass)["verdicts"], 2);
}

#[test]
fn moderations_go_by_batch_and_what_a_provider_says_a_reply_cost_counts() {
    let program = program(NOWHERE, 1);
    let flags = ["--rubric", "openai-moderation", "--model", "flags"];
    let pass = begin(&program, &flags, "flags.jsonl");
    let open = lines(&program, "flags.jsonl");
    assert!(!open.is_empty());
    let result = json!({"id": "m", "model": "omni", "results": [{"flagged": false,
        "categories": {"violence": false}, "category_scores": {"violence": 0.1}}]});
    let mut answers = Vec::new();
    for line in &open {
        assert_eq!(line["url"], "/v1/moderations");
        assert!(line["body"]["input"].is_string(), "{line}");
        answers.push(answer(line, 200, &result));
    }
    write_answers(&program, "results.jsonl", &answers);
    judge(
        &program,
        0,
        &["--resume", &pass, "--batch-in", "results.jsonl"],
    );
    assert_eq!(listed(&program, &pass)["labels"]["safe"], open.len());

    let pass = begin(&program, &DECISIONS, "calls.jsonl");
    let mut priced = decided(&lines(&program, "calls.jsonl")[0]);
    priced["response"]["body"]["usage"]["cost"] = json!(0.000_123);
    write_answers(&program, "answers.jsonl", &[priced]);
    judge(
        &program,
        0,
        &["--resume", &pass, "--batch-in", "answers.jsonl"],
    );
    assert_eq!(listed(&program, &pass)["committed_usd"], 0.000_123);
}

#[test]
fn a_pass_that_goes_on_without_its_batch_asks_its_server_and_counts_both() {
    let server = ChatServer::start(|seen| Answer::counted(&decision(seen), 500, 20));
    let program = program(&server.base_url(), 2);
    let pass = begin(&program, &DECISIONS, "calls.jsonl");
    let worst = listed(&program, &pass)["committed_usd"].as_f64().unwrap();
    let said = judge(&program, 0, &["--resume", &pass]);
    assert!(said.contains("2 calls of it in a batch file"), "{said}");
    let done = listed(&program, &pass);
    let cost = done["committed_usd"].as_f64().unwrap();
    assert!(
        (cost - worst - 0.001_08).abs() < 1e-9,
        "{cost} after {worst}"
    );
    assert_eq!(done["in_batch"], 0);
    // What the batch brings then is known.
    let answers: Vec<Value> = lines(&program, "calls.jsonl").iter().map(decided).collect();
    write_answers(&program, "answers.jsonl", &answers);
    let said = judge(
        &program,
        0,
        &["--resume", &pass, "--batch-in", "answers.jsonl"],
    );
    assert!(said.contains("2 lines (1, 2): taken before"), "{said}");
}

/// Groups lines by their model: what a person does whose server takes one model a file.
#[test]
fn answers_come_model_by_model() {
    let program = program(NOWHERE, 2);
    let members = [
        "--rubric",
        "pcd-decision",
        "--model",
        "one",
        "--model",
        "two",
    ];
    let pass = begin(&program, &members, "calls.jsonl");
    let mut parts: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in lines(&program, "calls.jsonl") {
        let model = line["body"]["model"].as_str().unwrap().to_owned();
        parts.entry(model).or_default().push(decided(&line));
    }
    assert_eq!(parts.len(), 2);
    for (code, (model, answers)) in [4, 0].into_iter().zip(parts) {
        let file = format!("{model}.jsonl");
        write_answers(&program, &file, &answers);
        judge(&program, code, &["--resume", &pass, "--batch-in", &file]);
    }
}
