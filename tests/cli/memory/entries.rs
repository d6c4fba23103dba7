//! `elenchus memory`: changes to entries.

use elenchus_test_support::lessons::{SIM, entries, shown_entry, taught};
use elenchus_test_support::program::Program;
use serde_json::Value;

#[test]
fn what_a_person_writes_is_listed_edited_disabled_deleted_and_brought_back() {
    let program = Program::new().with("USER", "ann");
    let added = program
        .run(&["memory", "add", "Say who pays."])
        .ended_with(0);
    let id = added.out.trim().to_owned();
    assert!(id.starts_with("written-"), "{id}");
    let end = &id[id.len() - 6..];

    program
        .run(&["memory", "edit", end, "Say who pays first."])
        .ended_with(0);
    program.run(&["memory", "disable", end]).ended_with(0);
    program.run(&["memory", "delete", end]).ended_with(0);
    let listed = program.run(&["memory", "list"]).ended_with(0);
    assert!(!listed.out.contains("Say who pays"), "{listed:?}");
    let entry = entries(&program, "default").remove(0);
    assert_eq!(entry["deleted"], true);
    assert_eq!(entry["disabled"], true);
    assert_eq!(entry["text"], "Say who pays first.");
    assert_eq!(entry["earlier"][0]["text"], "Say who pays.");
    assert_eq!(entry["journal"], "person-ann");

    program.run(&["memory", "restore", &id]).ended_with(0);
    let again = program.run(&["memory", "enable", &id, "--namespace", "default"]);
    again.ended_with(0);
    let already = program.run(&["memory", "enable", &id]).ended_with(0);
    assert!(already.err.contains("enabled already"), "{already:?}");
    let shown = program.run(&["memory", "show", end]).ended_with(0);
    for part in [
        "Say who pays first.",
        "Text 0, ",
        "Written by a person",
        "no debate",
    ] {
        assert!(shown.out.contains(part), "{part}: {shown:?}");
    }
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_text_comes_from_an_argument_from_standard_input_or_not_at_all() {
    let program = Program::new();
    let none = program.run(&["memory", "add"]).ended_with(1);
    assert!(none.err.contains("set EDITOR"), "{none:?}");
    let empty = program.run(&["memory", "add", "  "]).ended_with(1);
    assert!(empty.err.contains("the text is empty"), "{empty:?}");
    let long = "x".repeat(70_000);
    let long = program.run(&["memory", "add", &long]).ended_with(1);
    assert!(long.err.contains("holds at most 65536"), "{long:?}");
    let nobody = program.run(&["memory", "list"]).ended_with(1);
    assert!(nobody.err.contains("elenchus memory add"), "{nobody:?}");
}

#[test]
fn an_unknown_entry_or_namespace_is_said_with_what_there_is() {
    let program = Program::new();
    program
        .run(&["memory", "add", "One.", "-n", "mine"])
        .ended_with(0);
    let elsewhere = program.run(&["memory", "list"]).ended_with(1);
    assert!(elsewhere.err.contains("there is: mine"), "{elsewhere:?}");
    let unknown = program
        .run(&["memory", "show", "nobody", "-n", "mine"])
        .ended_with(1);
    assert!(unknown.err.contains("memory list --all"), "{unknown:?}");
    let outside = program
        .run(&["memory", "add", "x", "-n", "../x"])
        .ended_with(1);
    assert!(outside.err.contains("cannot name"), "{outside:?}");
}

#[test]
fn an_edit_reaches_debates_that_begin_later_and_its_uses_name_the_text_they_saw() {
    let program = taught();
    let (id, session) = shown_entry(&program);
    program
        .run(&[
            "memory",
            "edit",
            &id,
            "-n",
            SIM,
            "Say the details and steps of a new text.",
        ])
        .ended_with(0);
    let topic = "Say the details and steps for a wooden boat";
    let played = program.run(&[
        "run",
        "--topic",
        topic,
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--memory",
        "textual",
        "--quiet",
    ]);
    let new = played.ended_with(0).out.trim().to_owned();
    let told = program.run(&["memory", "show", &id, "-n", SIM, "--json"]);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    let revision = |wanted: &str| {
        let uses = told["uses"].as_array().unwrap();
        let one = uses.iter().find(|one| one["session"] == wanted);
        one.unwrap_or_else(|| panic!("{told:#}"))["revision"].clone()
    };
    assert_eq!(revision(&new), 1);
    assert_eq!(revision(&session), 0);
    // The recorded debate still says what it was shown.
    let before = program.run(&["show", &session]);
    assert!(!before.out.contains("of a new text"), "{before:?}");
}

#[test]
fn a_topic_is_answered_as_a_debate_would_be_with_what_is_kept_from_it() {
    let program = taught();
    let topic = "Say the details and steps for a loaf of rye bread";
    let tried = program.run(&["memory", "search", topic, "--as-topic", "-n", SIM, "--json"]);
    let tried: Value = serde_json::from_str(&tried.ended_with(0).out).unwrap();
    let kept: Vec<&str> = tried["retrieved"]["excluded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| left[1].as_str().unwrap())
        .collect();
    assert!(
        kept.iter()
            .any(|why| why.starts_with("taught by the same topic, in session ")),
        "{kept:?}"
    );
    let played = program.run(&[
        "run",
        "--topic",
        topic,
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--memory",
        "textual",
        "--quiet",
    ]);
    let session = played.ended_with(0).out.trim().to_owned();
    let events = program.events(&session);
    let gave = events
        .iter()
        .find(|event| event["type"] == "retrieved")
        .unwrap();
    assert_eq!(gave["entries"], tried["retrieved"]["entries"]);
    assert_eq!(gave["excluded"], tried["retrieved"]["excluded"]);
    // What would be sent holds every lesson, word for word.
    let sent = tried["messages"].to_string();
    for entry in gave["entries"].as_array().unwrap() {
        let text = Value::from(entry["text"].as_str().unwrap()).to_string();
        assert!(sent.contains(text.trim_matches('"')), "{sent}");
    }
}

#[test]
fn nearly_equal_lessons_are_one_entry_with_both_origins_unless_they_are_kept_apart() {
    let play = |program: &Program, more: &[&str]| {
        let mut args = vec![
            "run",
            "--dataset",
            "own:many.csv",
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--model",
            "it",
            "--memory",
            "textual",
            "--seed",
            "3",
            "--quiet",
            "--memory-namespace",
            "other",
        ];
        args.extend(more);
        program.run(&args).ended_with(0);
        entries(program, "other.sim")
    };
    let origins = |entries: &[Value]| -> usize {
        let count = |entry: &Value| entry["origins"].as_array().unwrap().len();
        entries.iter().map(count).sum()
    };
    let program = taught();
    let merged = play(&program, &[]);
    let apart = play(&taught(), &["--keep-duplicates"]);
    assert_eq!(origins(&merged), origins(&apart));
    assert!(
        merged.len() < apart.len(),
        "{} {}",
        merged.len(),
        apart.len()
    );
    assert!(apart.iter().all(|entry| entry["merged"].is_null()));
    let with_two = merged
        .iter()
        .find(|entry| !entry["merged"].is_null())
        .unwrap();
    // The merged lesson's own name leads to the entry, and its words are kept.
    let lesson = with_two["merged"][0]["id"].as_str().unwrap();
    let shown = program
        .run(&["memory", "show", lesson, "-n", "other.sim"])
        .ended_with(0);
    assert!(
        shown.out.contains(with_two["id"].as_str().unwrap()),
        "{shown:?}"
    );
    assert!(shown.out.contains("in these words:"), "{shown:?}");
}

#[test]
fn a_damaged_line_is_named_by_file_and_line_and_nothing_is_changed() {
    let program = taught();
    let folder = program.store().join("memory").join(SIM);
    let journal = std::fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = std::fs::read_to_string(&journal).unwrap();
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    lines[1] = lines[1].replacen("lesson", "lessor", 1);
    std::fs::write(&journal, lines.join("\n") + "\n").unwrap();
    let before = program.store_files();
    for args in [
        &["memory", "list", "-n", SIM][..],
        &["memory", "add", "x", "-n", SIM],
        &["memory", "search", "x", "-n", SIM],
        &["memory", "export", "-n", SIM, "-o", "x.jsonl"],
    ] {
        let refused = program.run(args).ended_with(1);
        let place = format!("{}:2:", journal.display());
        assert!(refused.err.contains(&place), "{args:?}: {refused:?}");
    }
    assert_eq!(program.store_files(), before);
    assert!(!program.work().join("x.jsonl").exists());
}

#[test]
fn commands_that_add_at_once_wait_for_one_another() {
    use std::process::Stdio;
    let program = Program::new();
    let adding: Vec<_> = (0..6)
        .map(|number| {
            let text = format!("Lesson number {number}.");
            let mut command = program.command(&["memory", "add", &text]);
            let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for one in adding {
        let ended = one.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{said}");
    }
    let listed = program.run_ok(&["memory", "list"]);
    for number in 0..6 {
        assert!(
            listed.contains(&format!("Lesson number {number}.")),
            "{listed}"
        );
    }
}
