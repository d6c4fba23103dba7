//! `elenchus import` of logs of Inspect: those that Inspect wrote, our own come back, and hostile ones.

use elenchus_test_support::program::Program;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// Copies a log that Inspect itself wrote (`tests/inspect/make_logs.py`) into the working folder.
fn copy_fixture(program: &Program, name: &str) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/fixtures/imported/inspect").join(name);
    let bytes = std::fs::read(path).unwrap();
    write_bytes(program, name, &bytes);
}

fn write_bytes(program: &Program, name: &str, bytes: &[u8]) {
    std::fs::write(program.path(&format!("work/{name}")), bytes).unwrap();
}

/// A member of an archive: its name, its packed bytes, how they are packed, and what it claims to be unpacked.
struct Member<'a> {
    name: &'a str,
    packed: Vec<u8>,
    method: rawzip::CompressionMethod,
    claimed_bytes: u64,
}

impl<'a> Member<'a> {
    fn stored(name: &'a str, text: &str) -> Self {
        Self {
            name,
            packed: text.as_bytes().to_vec(),
            method: rawzip::CompressionMethod::STORE,
            claimed_bytes: text.len() as u64,
        }
    }
}

/// A zip whose members are written as they are, whatever they claim.
fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for member in members {
        let path = rawzip::path::EntryPath::verbatim(member.name.as_bytes());
        let file = archive.new_file(path).compression_method(member.method);
        let (mut entry, _) = file.start().unwrap();
        entry.write_all(&member.packed).unwrap();
        let sum = rawzip::crc32(&member.packed);
        let claim = rawzip::DataDescriptorOutput::new(sum, member.claimed_bytes);
        entry.finish(claim).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// A log whose samples are not packed.
fn log(samples: &[(&str, String)]) -> Vec<u8> {
    let members: Vec<Member<'_>> = samples
        .iter()
        .map(|(name, text)| Member::stored(name, text))
        .collect();
    zip(&members)
}

/// A sample with an answer.
fn sample(id: &str, answer: &str) -> Value {
    json!({
        "id": id, "epoch": 1, "input": "What is it?", "target": "",
        "messages": [
            { "role": "user", "content": "What is it?", "source": "input" },
            { "role": "assistant", "content": answer, "source": "generate" },
        ],
    })
}

/// The events of the sessions of a store, by their topics' texts and ids.
fn sessions(program: &Program) -> BTreeMap<(String, String), Vec<Value>> {
    let folder = program.store().join("sessions");
    let files = std::fs::read_dir(folder).unwrap();
    let mut sessions = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let events: Vec<Value> = lines.map(|mut line| line["event"].take()).collect();
        let topic = &events[0]["topic"];
        let name = |key: &str| topic[key].as_str().unwrap().to_owned();
        sessions.insert((name("id"), events[0]["session"].to_string()), events);
    }
    sessions
}

fn texts(events: &[Value]) -> Vec<(&str, &str)> {
    let said = events.iter().filter(|event| event["type"] == "replied");
    said.map(|event| {
        let turn = event["turn"].as_str().unwrap();
        (turn, event["reply"]["text"].as_str().unwrap())
    })
    .collect()
}

#[test]
fn a_log_that_inspect_packed_by_zstd_comes_in_with_texts_tools_scores_and_usage() {
    let program = Program::new();
    copy_fixture(&program, "tools.eval");
    let said = program.run(&["import", "tools.eval"]).ended_with(0);
    assert!(said.out.contains("imported 2 sessions"), "{said:?}");
    for note in [
        "parts of messages that are no text: image (1 sample)",
        "what solvers kept in the store (2 samples)",
        "metadata 'level' (1 sample)",
        "events beside calls of models (2 samples)",
    ] {
        assert!(said.err.contains(note), "{note}: {said:?}");
    }
    let sessions = sessions(&program);
    let find = |id: &str| {
        let mut all = sessions.iter();
        all.find(|((topic, _), _)| topic == id).unwrap().1
    };
    let sum = find("sum");
    assert_eq!(
        texts(sum),
        [
            ("r1.assistant.assistant-0", "I add them."),
            ("r2.tool_call.tool_call-0", "add {\"x\":1,\"y\":2}"),
            ("r3.tool.tool-0", "3"),
            ("r4.assistant.assistant-0", "The sum is 3."),
        ]
    );
    let topic = &sum[0]["topic"];
    assert_eq!(topic["category"], "sums");
    assert_eq!(topic["reference"]["answer"], "3");
    assert_eq!(topic["conversation"][0]["text"], "Answer shortly.");
    let last = &sum.last().unwrap()["reply"];
    assert_eq!(last["thinking"], "One and two make three.");
    assert_eq!(last["usage"]["input_tokens"], 31);
    assert_eq!(last["cost_usd"], 0.0004);
    assert_eq!(last["model"], "mockllm/model");
    let paris = find("2");
    let prompt = paris[0]["topic"]["text"].as_str().unwrap();
    assert!(prompt.starts_with("Which is the largest town"), "{prompt}");
    assert!(prompt.ends_with("[image: not taken]"), "{prompt}");
    // What the file's calls used is no cost of this store.
    let listed = program.run_ok(&["metrics", "--json"]);
    assert!(!listed.contains("0.0004"), "{listed}");
    // It is read, judged and labelled as any other.
    let shown = program.run_ok(&["show", "last"]);
    assert!(
        shown.contains("The sum is 3.") || shown.contains("Paris"),
        "{shown}"
    );
    program.run_ok(&["judge", "--all", "--detector", "refusal", "-q"]);
    program.run_ok(&["labels", "queue", "q", "--all"]);
    let table = program.run_ok(&["export", "--turns", "-"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let found = |text: &str, scorer: &str| {
        let row = rows
            .iter()
            .find(|row| row["text"].starts_with(text))
            .unwrap();
        let columns = row
            .iter()
            .filter(|(name, _)| name.ends_with(&format!(".{scorer}")));
        columns.map(|(_, value)| value.clone()).collect::<String>()
    };
    assert_eq!(found("The sum", "includes"), "C");
    assert_eq!(found("Paris", "brief"), "I");
    assert_eq!(found("Paris", "unsure"), "unscored");
    assert_eq!(found("I add", "includes"), "");
}

#[test]
fn the_same_log_as_json_is_the_same_sessions() {
    let program = Program::new();
    copy_fixture(&program, "tools.eval");
    copy_fixture(&program, "tools.json");
    program.run_ok(&["import", "tools.eval"]);
    let said = program.run(&["import", "tools.json"]).ended_with(0);
    assert!(
        said.out.contains("imported 0 sessions, 2 there already"),
        "{said:?}"
    );
    assert!(
        said.out.contains("3 of these passes there already"),
        "{said:?}"
    );
}

#[test]
fn samples_that_failed_are_named_and_epochs_are_sessions_of_one_topic() {
    let program = Program::new();
    copy_fixture(&program, "failed.eval");
    let said = program.run(&["import", "failed.eval"]).ended_with(0);
    assert!(said.out.contains("imported 2 sessions"), "{said:?}");
    for epoch in [1, 2] {
        let why = format!(
            "sample '2' of epoch {epoch} has no answer: it failed: ValueError('the second fails on purpose')"
        );
        assert!(said.err.contains(&why), "{said:?}");
    }
    let sessions = sessions(&program);
    let ids: Vec<&str> = sessions.keys().map(|(topic, _)| topic.as_str()).collect();
    assert_eq!(ids, ["sum", "sum"]);
}

#[test]
fn debates_that_went_out_come_in_with_the_same_texts_places_scores_and_usage() {
    let here = Program::new();
    here.write(
        "sums.csv",
        "id,text,category,reference\na,\"What is 2 + 2, and \"\"why\"\"?\",sums,4\nb,What is 3 + 3?,sums,6\n",
    );
    for game in ["pred", "pcd-2", "sred"] {
        here.run_ok(&[
            "run",
            "--dataset",
            "own:sums.csv",
            "--seed",
            "5",
            "-q",
            "--model",
            "sim",
            "--protocol",
            game,
        ]);
    }
    here.run_ok(&["judge", "--all", "--detector", "refusal", "-q"]);
    for private in [&[][..], &["--private"]] {
        let name = format!("out{}.eval", private.len());
        here.run_ok(&[&["export", "--inspect", &name][..], private].concat());
        let there = Program::new();
        let bytes = std::fs::read(here.path(&format!("work/{name}"))).unwrap();
        write_bytes(&there, "in.eval", &bytes);
        there.run_ok(&["import", "in.eval"]);
        let said = there.run(&["import", "in.eval"]).ended_with(0);
        assert!(
            said.out.contains("imported 0 sessions, 6 there already"),
            "{said:?}"
        );
        there.run_ok(&[&["export", "--inspect", "again.eval"][..], private].concat());
        let (first, second) = (messages(&bytes), {
            let bytes = std::fs::read(there.path("work/again.eval")).unwrap();
            messages(&bytes)
        });
        assert_eq!(first.len(), 6);
        assert_eq!(first, second);
        // Simulated models stay an instrument.
        let debates = there.run_ok(&["export", "--debates", "-"]);
        let mut reader = csv::Reader::from_reader(debates.as_bytes());
        let rows: Vec<BTreeMap<String, String>> =
            reader.deserialize().map(Result::unwrap).collect();
        assert!(rows.iter().all(|row| row["simulated"] == "true"));
    }
}

/// Of each sample: what was said where and by which model, with its use, and every score with its reason.
fn messages(bytes: &[u8]) -> Vec<Value> {
    let archive = rawzip::ZipArchive::from_slice(bytes).unwrap();
    let mut samples = Vec::new();
    for entry in archive.entries() {
        let entry = entry.unwrap();
        if !entry.file_path().as_ref().starts_with(b"samples/") {
            continue;
        }
        let packed = archive.get_entry(entry.wayfinder()).unwrap();
        let unpacked = flate2::read::DeflateDecoder::new(packed.data());
        let sample: Value = serde_json::from_reader(unpacked).unwrap();
        let mut usage = BTreeMap::new();
        for event in sample["events"].as_array().unwrap() {
            let message = &event["output"]["choices"][0]["message"];
            if let Some(turn) = message["metadata"]["turn"].as_str() {
                usage.insert(turn.to_owned(), event["output"]["usage"].clone());
            }
        }
        let said = sample["messages"].as_array().unwrap().iter();
        let said: Vec<Value> = said
            .map(|message| {
                let turn = message["metadata"]["turn"].as_str();
                let usage = turn.and_then(|turn| usage.get(turn));
                json!([turn, message["content"], message["model"], usage])
            })
            .collect();
        let scores = sample["scores"].as_object().unwrap().iter();
        let scores: BTreeMap<&String, Value> = scores
            .map(|(name, score)| (name, json!([score["value"], score["explanation"]])))
            .collect();
        samples.push(json!({ "input": sample["input"], "said": said, "scores": scores }));
    }
    samples.sort_by_key(Value::to_string);
    samples
}

#[test]
fn broken_samples_are_named_and_nothing_is_taken_unless_they_are_left_out() {
    let deep = format!(
        "{{\"id\":\"deep\",\"metadata\":{{\"x\":{}{}}}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let mut long = sample("long", "yes");
    let message = json!({ "role": "assistant", "content": "again" });
    long["messages"]
        .as_array_mut()
        .unwrap()
        .extend(vec![message; 1_000]);
    let mut odd = sample("odd", "yes");
    odd["messages"] = json!("none");
    let broken = [
        ("samples/deep_epoch_1.json", deep, "recursion limit"),
        (
            "samples/long_epoch_1.json",
            long.to_string(),
            "at most 1000 are taken",
        ),
        ("samples/odd_epoch_1.json", odd.to_string(), "invalid type"),
        (
            "samples/torn_epoch_1.json",
            "{\"id\":\"to".to_owned(),
            "EOF",
        ),
        ("samples/list_epoch_1.json", "[]".to_owned(), "invalid"),
        (
            "samples/id_epoch_1.json",
            "{\"id\":[1]}".to_owned(),
            "it is no sample",
        ),
        (
            "samples/mute_epoch_1.json",
            "{\"id\":\"mute\"}".to_owned(),
            "it has no prompt",
        ),
    ];
    let program = Program::new();
    let mut samples: Vec<(&str, String)> = broken
        .iter()
        .map(|(name, text, _)| (*name, text.clone()))
        .collect();
    samples.push((
        "samples/good_epoch_1.json",
        sample("good", "yes").to_string(),
    ));
    write_bytes(&program, "broken.eval", &log(&samples));
    let said = program.run(&["import", "broken.eval"]).ended_with(1);
    for (name, _, why) in &broken {
        let line = said.err.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {said:?}"));
        assert!(line.contains(why), "{line}");
    }
    assert!(said.err.contains("7 samples cannot be taken"), "{said:?}");
    assert!(!program.store().join("sessions").exists() || sessions(&program).is_empty());
    let said = program
        .run(&["import", "broken.eval", "--skip-bad-samples"])
        .ended_with(0);
    assert!(said.out.contains("imported 1 session"), "{said:?}");
    // The same as one document.
    let texts: Vec<String> = samples
        .iter()
        .filter(|(name, _)| !name.contains("torn"))
        .map(|(_, text)| text.clone())
        .collect();
    let document = format!(
        "{{\"version\":2,\"eval\":{{\"task\":\"t\"}},\"samples\":[{}]}}",
        texts.join(",")
    );
    program.write("broken.json", &document);
    let said = program.run(&["import", "broken.json"]).ended_with(1);
    assert!(said.err.contains("6 samples cannot be taken"), "{said:?}");
}

#[test]
fn a_zstd_bomb_is_unpacked_up_to_the_limit_and_no_further() {
    // A frame of blocks that each repeat one byte 128 KiB times.
    let mut bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    let blocks = (300 << 20) / (128 << 10);
    for at in 1..=blocks {
        let last = u32::from(at == blocks);
        let header = (128_u32 << 10) << 3 | 1 << 1 | last;
        bomb.extend(&header.to_le_bytes()[..3]);
        bomb.push(b' ');
    }
    assert!(bomb.len() < 16_000);
    let program = Program::new();
    let good = sample("good", "yes").to_string();
    let bomb = |name, claimed_bytes| Member {
        name,
        packed: bomb.clone(),
        method: rawzip::CompressionMethod::ZSTD,
        claimed_bytes,
    };
    let members = [
        bomb("samples/honest_epoch_1.json", 300 << 20),
        bomb("samples/lying_epoch_1.json", 100),
        Member::stored("samples/good_epoch_1.json", &good),
    ];
    write_bytes(&program, "bomb.eval", &zip(&members));
    let said = program
        .run(&["import", "bomb.eval", "--skip-bad-samples"])
        .ended_with(0);
    for why in [
        "honest_epoch_1.json: it is more than 268435456 bytes",
        "lying_epoch_1.json: it cannot be unpacked",
    ] {
        assert!(said.err.contains(why), "{said:?}");
    }
    assert!(said.out.contains("imported 1 session"), "{said:?}");
}

#[test]
fn names_of_entries_lead_nowhere_and_what_is_no_log_is_said() {
    let program = Program::new();
    let evil = [
        (
            "samples/../../../evil.json",
            sample("../../evil", "yes").to_string(),
        ),
        ("../sessions/x.jsonl", "{}".to_owned()),
        ("/etc/evil.json", "{}".to_owned()),
    ];
    write_bytes(&program, "paths.eval", &log(&evil));
    program.run_ok(&["import", "paths.eval"]);
    assert_eq!(sessions(&program).len(), 1);
    for place in ["evil.json", "work/evil.json", "store/evil.json"] {
        assert!(!program.path(place).exists(), "{place}");
    }
    let whole = log(&[("samples/a_epoch_1.json", sample("a", "yes").to_string())]);
    let packed_otherwise = zip(&[Member {
        method: rawzip::CompressionMethod::LZMA,
        ..Member::stored("samples/a_epoch_1.json", "x")
    }]);
    let cases: [(&str, &[u8], &str); 8] = [
        (
            "torn.eval",
            &whole[..whole.len() - 30],
            "no archive of Inspect",
        ),
        ("text.eval", b"hello", "no log of Inspect"),
        ("empty.eval", b"", "no log of Inspect"),
        ("other.json", b"{\"responses\":[]}", "labels import"),
        (
            "torn.json",
            b"{\"eval\":{},\"samples\":[{\"id\":1}",
            "no log of Inspect",
        ),
        (
            "header.json",
            b"{\"eval\":{\"task\":\"t\"}}",
            "no list of samples",
        ),
        (
            "none.eval",
            &log(&[("header.json", "{}".to_owned())]),
            "holds no samples",
        ),
        ("lzma.eval", &packed_otherwise, "packed by"),
    ];
    for (name, bytes, why) in cases {
        write_bytes(&program, name, bytes);
        let said = program.run(&["import", name]).ended_with(1);
        assert!(said.err.contains(why), "{name}: {said:?}");
        assert!(
            said.err.contains("nothing was imported"),
            "{name}: {said:?}"
        );
    }
    assert_eq!(sessions(&program).len(), 1);
    program.write("a.jsonl", "{}");
    let said = program
        .run(&["import", "paths.eval", "a.jsonl"])
        .ended_with(1);
    assert!(said.err.contains("one after the other"), "{said:?}");
    let said = program
        .run(&["import", "paths.eval", "--take", "ada"])
        .ended_with(1);
    assert!(said.err.contains("--take is for journals"), "{said:?}");
}
