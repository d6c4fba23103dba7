//! Ids and times of imported journals: they order nothing, and times that are not over are refused.

use elenchus_test_support::journals::chained;
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const STRANGE: &str = "7zzzzzzzzzzzzzzzzzzzzzzzzz";

fn play(program: &Program, topic: &str) -> String {
    let args = ["--protocol", "pred", "--rounds", "1", "--topic", topic];
    program.play(&args)
}

/// A folder with a stranger's debate under an id that sorts behind all others, with these times.
fn strangers_folder(program: &Program, year: Option<&str>) -> PathBuf {
    let from = Program::new();
    let id = play(&from, "A stranger's topic?");
    let mut text = from
        .read(&format!("store/sessions/{id}.jsonl"))
        .replace(&id, STRANGE);
    if let Some(year) = year {
        let now = jiff::Timestamp::now().to_string();
        let at = format!("\"at\":\"{}", now.split('-').next().unwrap());
        text = text.replace(&at, &format!("\"at\":\"{year}"));
    }
    program.write(&format!("in/{STRANGE}.jsonl"), &chained(&text))
}

fn last(program: &Program) -> String {
    let shown = program.run_ok(&["show", "last", "--json"]);
    let first: Value = serde_json::from_str(shown.lines().next().unwrap()).unwrap();
    first["event"]["session"].as_str().unwrap().to_owned()
}

fn first_listed(program: &Program) -> String {
    let listed = program.run_ok(&["ls", "--json"]);
    let first: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    first["session"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_played_after_an_import_is_last_whatever_id_was_imported() {
    let program = Program::new();
    strangers_folder(&program, None);
    play(&program, "Mine, before?");
    program.run(&["import", "in"]).ended_with(0);
    // It came last.
    assert_eq!(last(&program), STRANGE);
    let mine = play(&program, "Mine, afterwards?");
    assert_eq!(last(&program), mine);
    assert_eq!(first_listed(&program), mine);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn times_that_are_more_than_a_day_ahead_are_refused() {
    let program = Program::new();
    let file = strangers_folder(&program, Some("2999"));
    let why = program.run_err(1, &["import", "in"]);
    let name = format!(
        "{}:1: its time, 2999-",
        file.file_name().unwrap().to_str().unwrap()
    );
    assert!(why.contains(&name), "{why}");
    assert!(
        why.contains("more than a day ahead of this machine's clock"),
        "{why}"
    );
    assert!(!program.store().exists());
}

#[test]
fn what_an_earlier_version_imported_is_ordered_by_when_it_came_too() {
    for head in [true, false] {
        let program = Program::new();
        let mine = play(&program, "Mine?");
        let file = strangers_folder(&program, Some("2999"));
        let there = program.store().join(format!("sessions/{STRANGE}.jsonl"));
        fs::copy(file, &there).unwrap();
        if head {
            // As earlier versions wrote it: with the time alone.
            let read = elenchus_store::read_head(&there).unwrap();
            let mut mark = serde_json::to_value(read).unwrap();
            mark["imported"] = "2026-01-01T00:00:00.000Z".into();
            program.write_at(
                &format!("store/heads/sessions/{STRANGE}"),
                &mark.to_string(),
            );
            assert_eq!(last(&program), mine);
        }
        let later = play(&program, "Mine, afterwards?");
        assert_eq!(last(&program), later);
        assert_eq!(first_listed(&program), later);
    }
}

#[test]
fn runs_and_experiments_are_listed_by_when_they_came() {
    let from = Program::with_topics("");
    let run = [
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--dataset",
        "own:topics.csv",
        "--model",
        "sim",
    ];
    let id = from.play(&run);
    from.run(&["export", "--all", "-o", "out"]).ended_with(0);
    let program = Program::with_topics("");
    // An id that sorts behind what is played here.
    let text = fs::read_to_string(from.work().join(format!("out/runs/{id}.jsonl"))).unwrap();
    let later = |text: &str| text.replace(&id[..6], "7zzzzz");
    program.write(
        &format!("in/runs/{}.jsonl", later(&id)),
        &chained(&later(&text)),
    );
    program.run(&["import", "in"]).ended_with(0);
    let mine = program.play(&run);
    for args in [
        &["ls", "--runs", "--json"][..],
        &["experiments", "list", "--json"],
    ] {
        let listed = program.run_ok(args);
        assert!(listed.lines().next().unwrap().contains(&mine), "{listed}");
    }
}
