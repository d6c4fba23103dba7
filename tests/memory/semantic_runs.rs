//! Runs whose memory is searched by meaning.

use elenchus_test_support::minilm::{Minilm, RUN, RUNTIME_VARIABLE, TOPICS};
use elenchus_test_support::program::Program;
use serde_json::Value;

const CONFIG: &str = "[sims.it]\nunsafe_rate = 0.7\n[defaults]\nmodel = \"it\"\n";

fn program(minilm: &Minilm) -> Program {
    let config = format!("{CONFIG}[memory]\nmodel_dir = {:?}\n", minilm.model);
    let program = Program::configured(&config).with(RUNTIME_VARIABLE, &minilm.runtime);
    program.write("topics.csv", TOPICS);
    program
}

fn manifest(program: &Program, run: &str) -> Value {
    let path = program.store().join(format!("runs/{run}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    first["event"].take()
}

fn retrieved(program: &Program) -> Vec<Value> {
    let sessions = program.sessions();
    let events = sessions.iter().flat_map(|session| program.events(session));
    events
        .filter(|event| event["type"] == "retrieved")
        .collect()
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_run_states_its_embedder_and_every_debate_is_searched_with_it() {
    let minilm = Minilm::find();
    let program = program(&minilm);
    program.run(&RUN).ended_with(0);
    let run = program.run_id().unwrap();
    let name = manifest(&program, &run)["memory_read"]["retriever"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(name.contains('/'), "{name}");
    let found = retrieved(&program);
    assert_eq!(found.len(), 4);
    for retrieved in &found {
        assert_eq!(retrieved["retriever"], name.as_str());
        for entry in retrieved["entries"].as_array().unwrap() {
            assert!(entry["score"].as_f64().unwrap() <= 1.0 + 1e-6);
        }
    }
    assert!(
        found
            .iter()
            .any(|retrieved| !retrieved["entries"].as_array().unwrap().is_empty())
    );
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_run_is_not_gone_on_with_by_another_way_of_searching() {
    let minilm = Minilm::find();
    let program = program(&minilm);
    program.run(&RUN).ended_with(0);
    let run = program.run_id().unwrap();
    let gone_on = |program: &Program| program.run(&["run", "--resume", &run, "-q"]);
    let without = program.with(RUNTIME_VARIABLE, "/nowhere/libonnxruntime.so");
    let refused = gone_on(&without).ended_with(1);
    assert!(
        refused.err.contains("one run keeps one embedder"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("cannot be loaded as ONNX Runtime"),
        "{}",
        refused.err
    );
    let with = without.with(RUNTIME_VARIABLE, &minilm.runtime);
    gone_on(&with).ended_with(0);
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_run_that_began_by_words_goes_on_by_words() {
    let minilm = Minilm::find();
    let program = program(&minilm).with(RUNTIME_VARIABLE, "/nowhere/libonnxruntime.so");
    let begun = program.run(&RUN).ended_with(0);
    assert_eq!(
        begun.err.matches("memory is searched by words").count(),
        1,
        "{}",
        begun.err
    );
    let run = program.run_id().unwrap();
    let program = program.with(RUNTIME_VARIABLE, &minilm.runtime);
    let more = program.run(&["run", "--resume", &run, "-q"]).ended_with(0);
    assert!(
        more.err
            .contains("searched by words, as when the run began"),
        "{}",
        more.err
    );
}

/// A snapshot is a state of memory that later runs can be given again.
#[test]
fn a_snapshot_is_read_as_it_was_and_nothing_is_written() {
    let program = Program::configured(CONFIG);
    program.write("topics.csv", TOPICS);
    program.run(&RUN).ended_with(0);
    let first = program.run_id().unwrap();
    let memory = |program: &Program| -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let all = program.store_files().into_iter();
        let mut of_memory: Vec<_> = all
            .filter(|(path, _)| path.starts_with(program.store().join("memory")))
            .collect();
        of_memory.sort();
        of_memory
    };
    let before = memory(&program);
    assert!(!before.is_empty());
    let snapshot = |program: &Program, when: &str| -> Value {
        let mut args = RUN.to_vec();
        args.extend(["--memory-snapshot", when]);
        let run = program.run(&args).ended_with(0).out.trim().to_owned();
        assert_eq!(memory(program), before);
        manifest(program, &run)
    };
    let now = snapshot(&program, "now");
    assert!(now["memory_read"]["state"]["entries"].as_u64().unwrap() > 0);
    assert_eq!(now["memory"]["writes"], false);
    // What the first run began with was nothing, and nothing is not worth a run.
    let mut args = RUN.to_vec();
    args.extend(["--memory-snapshot", &first]);
    let empty = program.run(&args).ended_with(1).err;
    assert!(empty.contains("holds no lesson"), "{empty}");
    assert_eq!(memory(&program), before);
    let same = snapshot(&program, now["memory"]["as_of"].as_str().unwrap());
    assert_eq!(same["memory_read"], now["memory_read"]);

    let refused = |when: &str| {
        let mut args = RUN.to_vec();
        args.extend(["--memory-snapshot", when]);
        program.run(&args).ended_with(1).err
    };
    assert!(refused("2999-01-01T00:00:00Z").contains("that time is not over"));
    assert!(refused("yesterday").contains("give 'now', a time"));
}
