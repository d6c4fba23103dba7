//! A run in parts, and journals that travel between stores.

use elenchus_test_support::journals::{journals, wait_until};
use elenchus_test_support::program::Program;
use serde_json::Value;
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
    assert_eq!(runs.matches("complete").count(), 1, "{runs}");
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

/// A store in which the shards of these stores lie together.
fn together(program: &Program, name: &str, parts: &[&Program]) -> Program {
    let together = program.with_store(name);
    for (at, part) in parts.iter().enumerate() {
        let out = program.path(&format!("{name}-{at}"));
        let out = out.to_str().unwrap();
        part.run_ok(&["export", "-o", out]);
        together.run_ok(&["import", out]);
    }
    together
}

fn listed_runs(program: &Program) -> Vec<Value> {
    let listed = program.run_ok(&["ls", "--runs", "--json"]);
    let lines = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// A report without what another run's id and time may change.
fn lasting(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).unwrap();
    for section in report["sections"].as_array_mut().unwrap() {
        let figures = section["figures"].as_array_mut().unwrap();
        figures.retain(|figure| {
            let measure = figure["measure"].as_str().unwrap();
            !["latency", "wall", "critical", "time"]
                .iter()
                .any(|word| measure.contains(word))
        });
    }
    report
}

#[test]
fn shards_of_one_plan_are_one_run_wherever_runs_are_named() {
    let program = Program::with_topics("");
    let whole = program.with_store("whole");
    whole.play(&RUN);
    let id = whole.run_id().unwrap();
    let parts = in_parts(&program);
    let all = together(&program, "all", &parts.iter().collect::<Vec<_>>());
    let runs = listed_runs(&all);
    assert_eq!(runs.len(), 1, "{runs:#?}");
    assert_eq!(
        (&runs[0]["done"], &runs[0]["items"]),
        (&10.into(), &10.into())
    );
    assert_eq!(runs[0]["state"], "complete");
    assert_eq!(runs[0]["parts"]["missing"], serde_json::json!([]));
    let text = all.run_ok(&["ls", "--runs"]);
    assert!(
        text.contains("10/0/10") && text.contains("(3 parts)"),
        "{text}"
    );
    let experiments = all.run_ok(&["experiments", "list", "--json"]);
    assert_eq!(experiments.lines().count(), 1, "{experiments}");
    assert!(experiments.contains(r#""done":10"#), "{experiments}");
    // Each part names the whole.
    for part in &parts {
        let part = part.run_id().unwrap();
        assert_eq!(
            lasting(&all.run_ok(&["metrics", "--run", &part, "--json"])),
            lasting(&whole.run_ok(&["metrics", "--run", &id, "--json"])),
        );
        let sessions = all.run_ok(&["ls", "--run", &part, "--json"]);
        assert_eq!(sessions.lines().count(), 10);
        let shown = all.run_ok(&["experiments", "show", &part]);
        assert!(
            shown.contains("(3 parts)") && shown.contains("10"),
            "{shown}"
        );
    }
    let by_run = all.run_ok(&["metrics", "--by", "run", "--json"]);
    let by_run: Value = serde_json::from_str(&by_run).unwrap();
    let groups = by_run["sections"].as_array().unwrap().len();
    let of_whole = whole.run_ok(&["metrics", "--by", "run", "--json"]);
    let of_whole: Value = serde_json::from_str(&of_whole).unwrap();
    assert_eq!(groups, of_whole["sections"].as_array().unwrap().len());
    all.run_ok(&["report", &parts[1].run_id().unwrap(), "-o", "page.html"]);
    let page = fs::read_to_string(all.work().join("page.html")).unwrap();
    assert!(
        page.contains("10 of 10 finished"),
        "the page has all debates"
    );
}

#[test]
fn a_part_that_is_not_here_is_named_and_counts_as_not_played() {
    let program = Program::with_topics("");
    let parts = in_parts(&program);
    let two = together(&program, "two", &[&parts[0], &parts[2]]);
    let runs = listed_runs(&two);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["items"], 10);
    assert_eq!(runs[0]["parts"]["missing"], serde_json::json!([2]));
    let done = runs[0]["done"].as_u64().unwrap();
    assert!((6..=7).contains(&done), "{done}");
    let text = two.run_ok(&["experiments", "list"]);
    assert!(
        text.contains("parts 1, 3 of 3; part 2 is not here"),
        "{text}"
    );
    let shown = two.run_ok(&["experiments", "show", &parts[0].run_id().unwrap()]);
    assert!(shown.contains("paused: part 2 is not here"), "{shown}");
    // Both parts that are here are complete.
    assert!(!shown.contains("go on with"), "{shown}");
}

#[test]
fn what_two_shards_played_is_named_and_counted_once() {
    let program = Program::with_topics("");
    let whole = program.with_store("whole");
    whole.play(&RUN);
    let mut parts = in_parts(&program);
    // A job that was started anew without a key.
    let again = program.with_store("again");
    again.play(&[&RUN[..], &["--shard", "2/3"]].concat());
    parts.push(again);
    let all = together(&program, "all", &parts.iter().collect::<Vec<_>>());
    let runs = listed_runs(&all);
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (&runs[0]["done"], &runs[0]["items"]),
        (&10.into(), &10.into())
    );
    assert_eq!(
        runs[0]["parts"]["played_twice"].as_array().unwrap().len(),
        3
    );
    let ran = all.run(&["metrics", "--json", "--by", "protocol,seat"]);
    assert!(ran.err.contains("was played by two shards"), "{ran:?}");
    assert_eq!(
        lasting(&ran.out)["sections"][0]["figures"],
        whole.untimed_report()["sections"][0]["figures"]
    );
    let run = all.run(&[
        "metrics",
        "--run",
        runs[0]["run"].as_str().unwrap(),
        "--json",
    ]);
    let id = whole.run_id().unwrap();
    assert_eq!(
        lasting(&run.out),
        lasting(&whole.run_ok(&["metrics", "--run", &id, "--json"]))
    );
}

#[test]
fn each_shard_has_its_share_of_a_ceiling_unless_it_is_its_own() {
    let program = Program::with_topics("");
    let estimate = |more: &[&str]| {
        let args = [&["run"], &RUN[..], &["--estimate"], more].concat();
        program.run_ok(&args)
    };
    let text = estimate(&["--shard", "2/3", "--budget-calls", "100"]);
    assert!(text.contains("33 calls"), "{text}");
    assert!(text.contains("share that part 2 of 3"), "{text}");
    let text = estimate(&["--shard", "2/3", "--budget-calls", "100", "--budget-each"]);
    assert!(
        text.contains("100 calls") && text.contains("alone"),
        "{text}"
    );
    let mut calls = 0;
    for part in ["1/3", "2/3", "3/3"] {
        let store = program.with_store(&format!("ceiling-{}", &part[..1]));
        let args = [
            &["run", "-q"],
            &RUN[..],
            &["--shard", part, "--budget-calls", "50"],
        ]
        .concat();
        let ran = store.run(&args);
        assert_eq!(ran.code, 4, "{ran:?}");
        let run = &listed_runs(&store)[0];
        calls += run["budget_calls"].as_u64().unwrap();
        // What is typed when it goes on is of the whole run as well.
        let id = store.run_id().unwrap();
        store.run_ok(&["run", "-q", "--resume", &id, "--budget-calls", "3000"]);
        assert_eq!(listed_runs(&store)[0]["budget_calls"], 1000);
    }
    assert_eq!(calls, 50);
    let few = [
        &["run"],
        &RUN[..],
        &["--shard", "1/3", "--budget-calls", "2"],
    ]
    .concat();
    let why = program.run_err(1, &few);
    assert!(why.contains("leaves none for part 1"), "{why}");
}

#[test]
fn shards_that_are_still_written_are_taken_as_far_as_they_are_whole_and_again() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 40\nunsafe_rate = 0.5\n");
    let slow = [&["run", "-q"], &RUN[..], &["--model", "slow"]].concat();
    let whole = program.with_store("whole");
    whole.run_ok(&slow);
    let parts = ["1/2", "2/2"].map(|part| {
        let store = program.with_store(&format!("part-{}", &part[..1]));
        let running = store.start(&[&slow[..], &["--shard", part, "--concurrency", "2"]].concat());
        (store, running)
    });
    let into = program.with_store("into");
    let stores = [parts[0].0.clone(), parts[1].0.clone()];
    let paths = stores
        .each_ref()
        .map(|store| store.store().display().to_string());
    let mut import = vec!["import"];
    import.extend(paths.iter().map(String::as_str));
    let mut seen = 0;
    for enough in [3, 8, 14] {
        wait_until("calls", || {
            stores.iter().all(|store| store.run_id().is_some())
                && stores
                    .iter()
                    .map(|store| store.finished_calls())
                    .sum::<usize>()
                    >= enough
        });
        into.run_ok(&import);
        into.run_ok(&["verify"]);
        assert!(into.finished_calls() >= enough.max(seen));
        seen = into.finished_calls();
        assert_eq!(listed_runs(&into).len(), 1);
    }
    for (_, running) in parts {
        assert_eq!(running.finish().code, 0);
    }
    // A journal that has no line yet is one that somebody begins now.
    let begun = stores[0].session_file("01m8ggvtjfmy8wfxe0mm9xh1ym");
    fs::write(&begun, "").unwrap();
    let ran = into.run(&import);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("not begun yet"), "{ran:?}");
    fs::remove_file(&begun).unwrap();
    assert_eq!(into.debates(), whole.debates());
    into.run_ok(&["verify"]);
    let id = into.run_ok(&["ls", "--runs", "--json"]);
    let id: Value = serde_json::from_str(&id).unwrap();
    let report = into.run_ok(&["metrics", "--run", id["run"].as_str().unwrap(), "--json"]);
    let of_whole = whole.run_ok(&["metrics", "--run", "last", "--json"]);
    assert_eq!(lasting(&report), lasting(&of_whole));
    // What was gone on with here is this store's own, and is not replaced.
    let again = into.run_ok(&import);
    assert!(!again.contains("went on since"), "{again}");
}
