//! `elenchus verify`: the kind of a journal is read from its content, wherever the file lies.

use elenchus_test_support::program::Program;
use std::path::{Path, PathBuf};

fn only(folder: &Path) -> PathBuf {
    let mut files = std::fs::read_dir(folder).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none(), "{}", folder.display());
    file
}

fn checked(program: &Program, file: &Path) -> String {
    let ran = program.run(&["verify", file.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    ran.out
}

/// A store with a run, a pass, lessons, a guardrail, a note and a kept prompt.
fn home() -> Program {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    program.write(
        "two.csv",
        "id,text\na,How do I open a lock?\nb,How do I bake?\n",
    );
    let run = program.play(&[
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--dataset",
        "own:two.csv",
        "--memory",
        "textual",
    ]);
    program.run_ok(&["memory", "guardrails", "derive", "--run", &run]);
    program.run_ok(&["judge", "--all", "--rubric", "safety", "--model", "it"]);
    program.run_ok(&["prompts", "label", "sred/socratic", "now", "patient"]);
    program.run_ok(&["labels", "queue", "pilot", "--all", "--simulated"]);
    program
}

#[test]
fn every_kind_of_journal_is_read_as_what_it_is_in_its_store_and_as_a_copy_elsewhere() {
    let program = home();
    let store = program.store();
    for (file, kind) in [
        (
            only(&store.join("runs")),
            "0 sessions, 1 run and 0 other journals:",
        ),
        (
            only(&store.join("passes")),
            "0 runs and 1 other journal (1 pass):",
        ),
        (only(&store.join("queues")), "1 other journal (1 queue):"),
        (
            store.join("prompts").join(prompt_book(&store)),
            "1 other journal (1 journal of prompt versions):",
        ),
        (
            only(&store.join("memory/default.sim/guards")),
            "1 other journal (1 journal of guardrails):",
        ),
        (
            program.session_files().remove(0),
            "checked 1 session, 0 runs and 0 other journals:",
        ),
    ] {
        let copy = program.path("copy.jsonl");
        std::fs::copy(&file, &copy).unwrap();
        for file in [&file, &copy] {
            let said = checked(&program, file);
            assert!(said.contains(kind), "{}: {said}", file.display());
            assert!(said.contains("nothing is broken"), "{said}");
        }
    }
    let whole = program.run_ok(&["verify"]);
    assert!(whole.contains("1 pass"), "{whole}");
    assert!(!whole.contains("not known"), "{whole}");
}

#[test]
fn every_new_journal_begins_with_an_envelope_that_names_its_kind() {
    let program = home();
    let store = program.store();
    for (file, kind) in [
        (program.session_files().remove(0), "session"),
        (only(&store.join("runs")), "run"),
        (only(&store.join("passes")), "pass"),
        (only(&store.join("queues")), "queue"),
        (
            store.join("prompts").join(prompt_book(&store)),
            "prompt_versions",
        ),
        (only(&store.join("memory/default.sim/guards")), "guardrails"),
    ] {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines = text.lines();
        let first = format!(
            "{{\"prev\":\"{}\",\"journal\":{{\"kind\":\"{kind}\",\"format\":1}},\"at\":",
            "0".repeat(64)
        );
        assert!(
            lines.next().unwrap().starts_with(&first),
            "{}",
            file.display()
        );
        assert!(lines.all(|line| !line.contains("\"journal\":")));
        // What the envelope says counts, whatever the event looks like.
        let renamed = text.replacen(&format!("\"kind\":\"{kind}\""), "\"kind\":\"later\"", 1);
        let renamed = program.write(
            "renamed.jsonl",
            &elenchus_test_support::journals::chained(&renamed),
        );
        let ran = program.run(&["verify", renamed.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{}", ran.out);
        assert!(
            ran.err
                .contains("begins with 'later'; its chain alone was checked"),
            "{}",
            ran.err
        );
    }
}

fn prompt_book(store: &Path) -> std::ffi::OsString {
    let entries = std::fs::read_dir(store.join("prompts")).unwrap();
    let mut names = entries.map(|entry| entry.unwrap().file_name());
    names
        .find(|name| Path::new(name).extension().is_some())
        .unwrap()
}

#[test]
fn a_journal_in_a_folder_of_another_kind_is_named_and_ends_with_5() {
    let program = home();
    let pass = only(&program.store().join("passes"));
    let stray = program.store().join("runs/stray.jsonl");
    std::fs::copy(&pass, &stray).unwrap();
    for args in [&["verify"][..], &["verify", stray.to_str().unwrap()]] {
        let ran = program.run(args);
        assert_eq!(ran.code, 5, "{}", ran.out);
        assert!(
            ran.out.contains(
                "runs/stray.jsonl:1: it is in the folder of runs and begins as a pass does"
            ),
            "{}",
            ran.out
        );
    }
    // A pass that lies among runs is brought in as what it is.
    let copy = program.path("in/runs/stray.jsonl");
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    std::fs::copy(&pass, &copy).unwrap();
    let into = Program::new();
    let ran = into.run(&["import", copy.to_str().unwrap()]);
    assert_eq!(ran.err, "imported 0 sessions and 0 runs, 1 pass\n");
    assert!(into.store().join("passes/stray.jsonl").exists());
}

#[test]
fn a_pass_that_begins_twice_is_broken_and_what_nobody_knows_is_said_to_be_unknown() {
    let program = home();
    let pass = only(&program.store().join("passes"));
    let text = std::fs::read_to_string(&pass).unwrap();
    let first = text.lines().next().unwrap();
    let twice = program.write(
        "twice.jsonl",
        &elenchus_test_support::journals::chained(&format!("{text}{first}\n")),
    );
    let ran = program.run(&["verify", twice.to_str().unwrap()]);
    assert_eq!(ran.code, 5, "{}", ran.out);
    assert!(
        ran.out.contains("must begin with one manifest"),
        "{}",
        ran.out
    );
    let line = "{\"prev\":\"".to_owned()
        + &"0".repeat(64)
        + "\",\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"engine\",\"event\":{\"type\":\"begun\"}}\n";
    let strange = program.write("strange.jsonl", &line);
    let ran = program.run(&["verify", strange.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        ran.err
            .contains("begins with 'begun'; its chain alone was checked"),
        "{}",
        ran.err
    );
    assert!(
        ran.out.contains("1 of a kind that is not known"),
        "{}",
        ran.out
    );
    // Fields of two kinds: neither is guessed.
    let both = line.replace(
        "\"begun\"",
        "\"begun\",\"run\":1,\"casts\":[],\"pass\":2,\"rules\":{}",
    );
    let both = program.write("both.jsonl", &both);
    let ran = program.run(&["verify", both.to_str().unwrap()]);
    assert!(
        ran.err
            .contains("it begins as each of these does: run, pass"),
        "{}",
        ran.err
    );
    let why = program.run_err(1, &["import", both.to_str().unwrap()]);
    assert!(why.contains("several kinds of journals begin so"), "{why}");
}
