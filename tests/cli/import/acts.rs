//! Acts of people in a folder that is imported: listed with their names, and taken where a name is given.

use elenchus_test_support::Pty;
use elenchus_test_support::journals::append_event;
use elenchus_test_support::labelling::{draw, items, played};
use elenchus_test_support::program::{Program, copy_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const THEN: &str = "2026-01-01T10:00:00.000Z";

/// A label as a journal has it.
fn label(id: &str, on: &Value) -> Value {
    json!({
        "id": id, "type": "labelled", "on": on, "set": "safety", "codebook": "0".repeat(64),
        "label": "unsafe", "blind": {"is": "blind"},
    })
}

/// Exports what a program holds into another one's folder `parcel`.
fn parcel(from: &Program, to: &Program) -> PathBuf {
    let out = to.work().join("parcel");
    from.run(&["export", "--all", "-o", out.to_str().unwrap()])
        .ended_with(0);
    out
}

/// Debates of a stranger, with labels, a name and a tag by bob, and with what ada is said to have seen.
fn strangers_folder(to: &Program) -> (PathBuf, Vec<Value>) {
    let from = played(2);
    draw(&from, "theirs", &["--sample", "4", "--repeats", "0"]);
    let on: Vec<Value> = items(&from, "theirs")
        .iter()
        .map(|item| item["on"].clone())
        .collect();
    let out = parcel(&from, to);
    let session = on[0]["session"].clone();
    let bob = out.join("notes/bob.jsonl");
    for (at, one) in on.iter().enumerate() {
        append_event(&bob, "person:bob", THEN, &label(&format!("l{at}"), one));
    }
    let named = json!({"id": "n", "type": "named", "session": session, "name": "verified by ada"});
    append_event(&bob, "person:bob", THEN, &named);
    let tagged = json!({"id": "t", "type": "tagged", "session": session, "tag": "gold"});
    append_event(&bob, "person:bob", THEN, &tagged);
    let saw = json!({"id": "s", "type": "unblinded", "session": session, "saw": ["verdict"]});
    append_event(&out.join("sights/ada.jsonl"), "person:ada", THEN, &saw);
    (out, on)
}

fn listed(program: &Program) -> Vec<Value> {
    let out = program.run_ok(&["labels", "list", "--json"]);
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn labels_names_and_sights_of_others_are_listed_and_left_where_they_are() {
    let program = Program::new().with("USER", "ada");
    strangers_folder(&program);
    let said = program.run(&["import", "parcel"]).ended_with(0);
    assert!(
        said.err.contains("imported 2 sessions and 1 run"),
        "{said:?}"
    );
    for left in [
        "  bob: 4 labels, 1 name of a session, 1 tag\n",
        "  ada: 1 record of what they were shown\n",
        "--take ada or --take bob",
        "--take all for a store of your own",
    ] {
        assert!(said.err.contains(left), "{left}: {said:?}");
    }
    assert!(listed(&program).is_empty());
    assert!(!program.store().join("notes/bob.jsonl").exists());
    assert!(!program.store().join("sights/ada.jsonl").exists());
    let shown = program.run_ok(&["ls"]);
    assert!(!shown.contains("verified by ada"), "{shown}");

    // What ada labels now is blind: she has seen nothing, whatever a folder says.
    draw(&program, "mine", &["--sample", "12", "--repeats", "0"]);
    let mut pty = Pty::of(&program).starts(&["annotate", "mine", "--as", "ada"]);
    for at in 1..=12 {
        pty.wait_for(&format!("{at} of 12"));
        pty.wait_for("round ");
        pty.press("s");
    }
    pty.wait_for("12 labelled");
    pty.quits();
    let own = listed(&program);
    assert_eq!(
        (own[0]["labels"].clone(), own[0]["blind"].clone()),
        (json!(12), json!(12)),
        "{own:?}"
    );
}

#[test]
fn acts_of_those_who_are_named_are_taken_and_lists_say_where_they_came_from() {
    let program = Program::new().with("USER", "cy");
    strangers_folder(&program);
    let nobody = program.run_err(1, &["import", "parcel", "--take", "eve"]);
    assert!(nobody.ends_with(", ada, bob\n"), "{nobody}");
    assert!(!program.store().exists());
    let said = program
        .run(&["import", "parcel", "--take", "bob"])
        .ended_with(0);
    assert!(said.err.contains("1 annotator's journal"), "{said:?}");
    assert!(said.err.contains("  ada: 1 record"), "{said:?}");
    assert!(!said.err.contains("  bob: "), "{said:?}");
    assert!(!program.store().join("sights").join("ada.jsonl").exists());
    let origin = format!("from {}", program.work().join("parcel").display());
    let labels = listed(&program);
    assert_eq!(labels[0]["annotator"], "bob");
    assert_eq!(
        labels[0]["imported"]["from"],
        program.work().join("parcel").display().to_string()
    );
    let wide = program.with("COLUMNS", "200");
    let table = wide.run_ok(&["labels", "list"]);
    assert!(table.contains(&format!("imported {origin}")), "{table}");
    let validated = wide.run(&["validate", "--set", "safety"]);
    assert!(
        validated
            .err
            .contains(&format!("the labels of bob were imported {origin}")),
        "{validated:?}"
    );
    // The rest comes later; what is there is not taken twice.
    let later = wide
        .run(&["import", "parcel", "--take", "bob,ada"])
        .ended_with(0);
    assert!(later.err.contains("1 annotator's journal; "), "{later:?}");
    assert!(wide.store().join("sights/ada.jsonl").exists());
    wide.run(&["verify"]).ended_with(0);
}

#[test]
fn what_a_merge_of_a_pack_refuses_an_import_refuses_as_well() {
    let program = played(1);
    draw(&program, "mine", &["--sample", "2", "--repeats", "0"]);
    let on = items(&program, "mine")[0]["on"].clone();
    // A person who has a journal here, begun there under the name that earlier versions gave the file.
    let here = program.store().join("notes/bob.jsonl");
    append_event(&here, "person:bob", THEN, &label("here", &on));
    let folder = program.work().join("parcel");
    let there = folder.join("notes/bob.jsonl");
    append_event(&there, "person:bob", THEN, &label("there", &on));
    let why = program.run_err(1, &["import", "parcel", "--take", "bob"]);
    assert!(why.contains("is here already"), "{why}");
    fs::remove_dir_all(&folder).unwrap();

    // Words that are not those of the turn, and a debate that is not here.
    let mut strange = vec![on.clone(), on.clone()];
    strange[0]["attempt"]["sha256"] = json!("1".repeat(64));
    strange[1]["session"] = json!("not-here");
    for on in strange {
        append_event(
            &folder.join("notes/eve.jsonl"),
            "person:eve",
            THEN,
            &label("e", &on),
        );
        let why = program.run_err(1, &["import", "parcel", "--take", "eve"]);
        assert!(why.contains("is not in this store in these words"), "{why}");
        assert!(!program.store().join("notes/eve.jsonl").exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn one_person_has_one_journal_whatever_its_file_is_called() {
    let program = played(1);
    draw(&program, "mine", &["--sample", "2", "--repeats", "0"]);
    let on = items(&program, "mine")[0]["on"].clone();
    append_event(
        &program.store().join("notes/Bob.jsonl"),
        "person:Bob",
        THEN,
        &label("here", &on),
    );
    let other = program.with_store("other");
    copy_folder(&program.store(), &other.store());
    fs::remove_file(other.store().join("notes/Bob.jsonl")).unwrap();
    // Begun by this version, whose files of people have other names.
    let mut pty = Pty::of(&other).starts(&["annotate", "mine", "--as", "Bob"]);
    pty.wait_for("1 of 2");
    pty.wait_for("round ");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.quits();
    let notes = fs::read_dir(other.store().join("notes")).unwrap();
    let mut names = notes.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.any(|name| name.starts_with("bob.") && name.ends_with(".jsonl")));
    other
        .run(&["export", "--all", "-o", "parcel"])
        .ended_with(0);
    let why = program.run_err(1, &["import", "parcel", "--take", "Bob"]);
    assert!(why.contains("is here already"), "{why}");
}
