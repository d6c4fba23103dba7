//! A run in parts, and journals that travel between stores.

use elenchus_test_support::journals::journals;
use elenchus_test_support::program::Program;
use std::collections::BTreeMap;
use std::fs;

const RUN: [&str; 8] = [
    "--dataset",
    "own:topics.csv",
    "--protocol",
    "pred",
    "--rounds",
    "2",
    "--rollouts",
    "2",
];

fn in_parts(program: &Program) -> Vec<Program> {
    ["1/3", "2/3", "3/3"]
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let store = program.with_store(&format!("part-{at}"));
            let mut args = RUN.to_vec();
            args.extend(["--shard", part]);
            store.play(&args);
            store
        })
        .collect()
}

#[test]
fn parts_of_a_run_make_up_the_whole_and_measure_the_same_once_they_are_together() {
    let program = Program::with_topics("");
    let whole = program.with_store("whole");
    whole.play(&RUN);
    let parts = in_parts(&program);
    let mut union = BTreeMap::new();
    for part in &parts {
        let debates = part.debates();
        assert!(debates.len() >= 3);
        for (name, debate) in debates {
            assert!(union.insert(name, debate).is_none(), "played in two parts");
        }
    }
    assert_eq!(union, whole.debates());
    let together = program.with_store("together");
    for part in &parts {
        let out = program.path(&format!(
            "out-{}",
            part.store().file_name().unwrap().to_str().unwrap()
        ));
        let out = out.to_str().unwrap();
        part.run_ok(&["export", "-o", out]);
        together.run_ok(&["import", out]);
        // Twice is the same as once.
        together.run_ok(&["import", out]);
    }
    assert_eq!(together.debates(), whole.debates());
    assert_eq!(together.untimed_report(), whole.untimed_report());
    assert_eq!(journals(&together.store().join("runs")).len(), 3);
    let runs = together.run_ok(&["ls", "--runs"]);
    assert_eq!(runs.matches("complete").count(), 3, "{runs}");
    together.run_ok(&["verify"]);
}

#[test]
fn journals_come_in_all_or_none() {
    let program = Program::with_topics("");
    let from = program.with_store("from");
    from.play(&["--dataset", "own:topics.csv", "--protocol", "standard"]);
    let out = program.path("out");
    let shown = out.to_str().unwrap();
    from.run_ok(&["export", "-o", shown]);
    let exported = journals(&out.join("sessions"));
    assert_eq!(exported.len(), 5);
    for path in &exported {
        let bytes = fs::read(path).unwrap();
        let mut broken = bytes.clone();
        broken[bytes.len() / 2] ^= 1;
        fs::write(path, &broken).unwrap();
        let into = program.with_store("into");
        let why = into.run_err(1, &["import", shown]);
        assert!(why.contains("nothing was imported"), "{why}");
        assert!(
            why.contains(path.file_name().unwrap().to_str().unwrap()),
            "{why}"
        );
        assert!(into.session_files().is_empty());
        assert!(into.run_id().is_none());
        fs::write(path, &bytes).unwrap();
    }
    let into = program.with_store("into");
    into.run_ok(&["import", shown]);
    assert_eq!(into.session_files().len(), 5);
}

#[test]
fn a_journal_that_differs_from_the_one_that_is_there_is_refused() {
    let program = Program::with_topics("");
    let id = program.play(&["--protocol", "standard", "--topic", "Why?"]);
    let out = program.path("out");
    program.run_ok(&["export", "-o", out.to_str().unwrap()]);
    // Running on with a session that is over changes nothing: it is the same journal.
    program.run_ok(&["run", "-q", "--resume-session", &id]);
    program.run_ok(&["import", out.to_str().unwrap()]);
    // The copy lost its end.
    let copy = out.join("sessions").join(format!("{id}.jsonl"));
    let text = fs::read_to_string(&copy).unwrap();
    let (all_but_last, _) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&copy, format!("{all_but_last}\n")).unwrap();
    let before = fs::read(program.session_file(&id)).unwrap();
    let why = program.run_err(1, &["import", out.to_str().unwrap()]);
    assert!(why.contains(&id), "{why}");
    assert_eq!(fs::read(program.session_file(&id)).unwrap(), before);
}

#[test]
fn a_part_that_is_none_is_refused() {
    let program = Program::with_topics("");
    for part in ["0/3", "4/3", "x", "1/0", "-1/2"] {
        let shard = format!("--shard={part}");
        let mut args = vec!["run"];
        args.extend(RUN);
        args.push(&shard);
        let ran = program.run(&args);
        assert!(matches!(ran.code, 1 | 2), "{part}: {}", ran.err);
        assert!(ran.err.contains("1/4"), "{part}: {}", ran.err);
        assert!(program.session_files().is_empty());
    }
    let mut args = vec!["run"];
    args.extend(RUN);
    args.extend(["--shard", "11/11"]);
    let why = program.run_err(1, &args);
    assert!(why.contains("fewer debates than parts"), "{why}");
}
