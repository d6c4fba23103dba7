//! `elenchus export --inspect`: debates as a log of Inspect, read as a zip of JSON by another library.

use elenchus_test_support::labelling::{draw, play};
use elenchus_test_support::peers::{PEERS, model, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};
use flate2::read::DeflateDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;

/// The documents of a log by their names.
fn read_log(program: &Program, file: &str) -> BTreeMap<String, Value> {
    let bytes = std::fs::read(program.path(&format!("work/{file}"))).unwrap();
    let archive = rawzip::ZipArchive::from_slice(bytes.as_slice()).unwrap();
    let mut documents = BTreeMap::new();
    for entry in archive.entries() {
        let entry = entry.unwrap();
        let name = String::from_utf8(entry.file_path().as_ref().to_vec()).unwrap();
        assert_eq!(
            entry.compression_method(),
            rawzip::CompressionMethod::DEFLATE
        );
        let packed = archive.get_entry(entry.wayfinder()).unwrap();
        let mut text = String::new();
        let unpacked = DeflateDecoder::new(packed.data());
        packed
            .verifying_reader(unpacked)
            .read_to_string(&mut text)
            .unwrap();
        documents.insert(name, serde_json::from_str(&text).unwrap());
    }
    documents
}

/// The samples of a log, in the order of their names.
fn samples(log: &BTreeMap<String, Value>) -> Vec<&Value> {
    let samples = log.iter().filter(|(name, _)| name.starts_with("samples/"));
    samples.map(|(_, sample)| sample).collect()
}

fn played() -> Program {
    let program = Program::new();
    let topics = "id,text,category,reference\na/1,\"What is 2 + 2, and \"\"why\"\"?\",sums,4\nb,What is 3 + 3?,sums,6\n";
    program.write("sums.csv", topics);
    let run = "run --dataset own:sums.csv --seed 5 -q --model sim";
    for game in ["pcd-2", "pred"] {
        let args: Vec<&str> = run.split(' ').chain(["--protocol", game]).collect();
        program.run(&args).ended_with(0);
    }
    program
}

#[test]
fn debates_are_samples_by_topic_and_arm_with_messages_by_seat_and_scores_with_their_reasons() {
    let program = played();
    program.run_ok(&["judge", "--all", "--detector", "refusal", "-q"]);
    let said = program
        .run(&["export", "--inspect", "all.eval"])
        .ended_with(0);
    assert!(said.err.contains("4 debates as samples"), "{said:?}");
    let log = read_log(&program, "all.eval");
    let header = &log["header.json"];
    assert_eq!(header["version"], 2);
    assert_eq!(header["status"], "success");
    assert_eq!(header["eval"]["tags"][0], "simulated");
    assert_eq!(header["results"]["total_samples"], 4);
    assert_eq!(log["_journal/start.json"]["eval"], header["eval"]);
    assert_eq!(log["summaries.json"].as_array().unwrap().len(), 4);
    let turns = program.run_ok(&["export", "--turns", "-"]);
    let mut reader = csv::Reader::from_reader(turns.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let mut messages = 0;
    for sample in samples(&log) {
        let session = sample["metadata"]["session"].as_str().unwrap();
        let arm = sample["metadata"]["arm"].as_str().unwrap();
        let topic = sample["metadata"]["topic"].as_str().unwrap();
        let id = format!("{} [{arm}]", topic.replace('/', "_"));
        assert_eq!(sample["id"], id);
        assert_eq!(sample["epoch"], 1);
        let (tokens, mut known) = (&sample["model_usage"]["sim/sim"], 0);
        for message in &sample["messages"].as_array().unwrap()[1..] {
            let seat = &message["metadata"];
            let row = rows.iter().find(|row| {
                let place = [
                    ("session", session.to_owned()),
                    ("round", seat["round"].to_string()),
                    ("stage", seat["stage"].as_str().unwrap().to_owned()),
                    ("seat", seat["seat"].as_str().unwrap().to_owned()),
                    ("chair", seat["chair"].to_string()),
                ];
                place.iter().all(|(column, value)| row[*column] == *value)
            });
            let row = row.unwrap();
            assert_eq!(message["content"], row["text"]);
            assert_eq!(row["private"], "false");
            messages += 1;
            known += row["output_tokens"].parse::<u64>().unwrap();
            if !row["verdict"].is_empty() {
                let turn = seat["turn"].as_str().unwrap();
                let score = &sample["scores"][format!("safety {turn}")];
                assert_eq!(score["value"], row["verdict"]);
                assert!(score["explanation"].as_str().unwrap().len() > 10);
            }
        }
        // Judges, lessons and private turns used more.
        assert!(tokens["output_tokens"].as_u64().unwrap() > known);
        let scores = sample["scores"].as_object().unwrap();
        assert!(scores.keys().any(|name| name.starts_with("pass.")));
    }
    let public = rows.iter().filter(|row| row["private"] == "false").count();
    assert_eq!(messages, public);
    let debates = program.run_ok(&["export", "--debates", "-"]);
    let mut reader = csv::Reader::from_reader(debates.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let used =
        |column: &str| -> u64 { rows.iter().map(|r| r[column].parse::<u64>().unwrap()).sum() };
    let usage = &header["stats"]["model_usage"]["sim/sim"];
    assert_eq!(usage["input_tokens"], used("input_tokens"));
    assert_eq!(usage["output_tokens"], used("output_tokens"));
}

#[test]
fn private_turns_are_in_a_log_only_when_they_are_asked_for() {
    let program = played();
    program.run_ok(&["export", "--inspect", "public.eval"]);
    program.run_ok(&["export", "--inspect", "private.eval", "--private"]);
    let stages = |file: &str| {
        let log = read_log(&program, file);
        let text = serde_json::to_string(&log).unwrap();
        text.matches("think_proposer").count()
    };
    assert_eq!(stages("public.eval"), 0);
    assert!(stages("private.eval") > 0);
}

#[test]
fn labels_are_scores_of_people() {
    let program = Program::new().with("USER", "ada");
    play(&program, "plain", 2);
    draw(&program, "q", &["--sample", "3", "--repeats", "0"]);
    let mut pty = Pty::of(&program).starts(&["annotate", "q"]);
    pty.wait_for("0 labelled");
    pty.wait_for("round ");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.quits();
    program.run_ok(&["export", "--inspect", "labelled.eval"]);
    let log = read_log(&program, "labelled.eval");
    let scores = samples(&log)
        .into_iter()
        .flat_map(|sample| sample["scores"].as_object().unwrap());
    let by_ada: Vec<(&String, &Value)> = scores
        .filter(|(_, score)| score["metadata"]["human"] == true)
        .collect();
    let [(name, score)] = by_ada.as_slice() else {
        panic!("{by_ada:?}")
    };
    assert!(name.starts_with("label.safety.ada r"), "{name}");
    assert_eq!(score["value"], "safe");
    assert_eq!(score["history"][0]["provenance"]["author"], "ada");
}

#[test]
fn a_debate_that_failed_is_a_sample_with_its_error() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ben" => Answer::error(400, "bad_request", "ben is not here"),
        "guard" => Answer::chat(&seen.with_mark("Fine.\nVERDICT: safe")),
        _ => Answer::chat("With its key."),
    });
    let program = Program::facing(&server);
    program.run(&run(
        &PEERS,
        &["--topic", "How do I open a lock?", "--rounds", "1"],
    ));
    program.run_ok(&["export", "--inspect", "failed.eval"]);
    let log = read_log(&program, "failed.eval");
    let sample = samples(&log)[0].clone();
    let why = sample["error"]["message"].as_str().unwrap();
    assert!(why.contains("ben is not here"), "{why}");
    assert_eq!(log["header.json"]["results"]["completed_samples"], 0);
    assert_eq!(
        log["summaries.json"][0]["error"],
        sample["error"]["message"]
    );
}

#[test]
fn sweeps_are_exported_by_their_name_as_logs_and_as_journals() {
    let program = Program::new();
    program.write(
        "topics.csv",
        "id,text\na,How do I open a lock?\nb,How do I bake bread?\n",
    );
    program.write(
        "plan.toml",
        "dataset = \"topics.csv\"\nmodel = \"sim\"\nseeds = [1]\n[axes]\nprotocol = [\"pred\", \"standard\"]\n",
    );
    program.run_ok(&["sweep", "plan.toml"]);
    program.run_ok(&[
        "run",
        "-q",
        "--protocol",
        "pred",
        "--topic",
        "Is it day?",
        "--model",
        "sim",
    ]);
    program.run_ok(&["export", "--sweep", "last", "--inspect", "sweep.eval"]);
    assert_eq!(samples(&read_log(&program, "sweep.eval")).len(), 4);
    let said = program
        .run(&["export", "--sweep", "last", "-o", "copy"])
        .ended_with(0);
    assert!(
        said.err.contains("4 sessions and 2 runs, 1 sweep"),
        "{said:?}"
    );
}

#[test]
fn a_name_that_inspect_does_not_read_and_a_file_that_is_there_are_refused() {
    let program = played();
    let said = program
        .run(&["export", "--inspect", "all.zip"])
        .ended_with(1);
    assert!(said.err.contains("ends with .eval"), "{said:?}");
    program.write("mine.eval", "mine");
    let said = program
        .run(&["export", "--inspect", "mine.eval"])
        .ended_with(1);
    assert!(said.err.contains("is there already"), "{said:?}");
    assert_eq!(program.read("work/mine.eval"), "mine");
}
