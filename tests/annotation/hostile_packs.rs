//! Hostile packs: returned packs that hold more than their annotator did. Each is made of a real
//! one.

use super::packs::label;
use elenchus_store::Hash;
use elenchus_test_support::labelling::{draw, items, journal, labels, played};
use elenchus_test_support::program::{Program, Ran, copy_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A program whose owner labelled two turns, and handed a pack of four others to bo, who labelled two.
pub fn handed_out() -> Program {
    let program = played(2);
    draw(&program, "mine", &["--sample", "5", "--repeats", "0"]);
    draw(
        &program,
        "pilot",
        &["--sample", "4", "--repeats", "0", "--seed", "7"],
    );
    for who in ["ada", "bo"] {
        for item in items(&program, "mine") {
            let notes = program.store().join(format!("notes/{who}.jsonl"));
            let id = format!("before-{who}-{}", lines(&notes).len());
            append(
                &notes,
                who,
                "2026-01-01T10:00:00.000Z",
                given(&id, &item["on"], "mine"),
            );
        }
    }
    program
        .run(&["labels", "pack", "--queue", "pilot", "--for", "bo", "pack"])
        .ended_with(0);
    label(&program, "bo", 2, 4);
    program
}

/// A turn that is not among the pack's four: one of five is.
fn elsewhere(program: &Program) -> Value {
    let packed: Vec<Value> = items(program, "pilot")
        .iter()
        .map(|it| it["on"].clone())
        .collect();
    let mine = items(program, "mine");
    let outside = mine.iter().find(|item| !packed.contains(&item["on"]));
    outside.unwrap()["on"].clone()
}

/// A label as a journal has it.
pub(super) fn given(id: &str, on: &Value, queue: &str) -> Value {
    json!({
        "id": id, "type": "labelled", "on": on, "set": "safety", "codebook": "0".repeat(64),
        "label": "unsafe", "blind": {"is": "blind"},
        "drawn": {"queue": queue, "stratum": "all", "taken": 1, "of": 1},
    })
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Puts a line behind a journal, chained as it should be.
pub(super) fn append(path: &Path, by: &str, at: &str, event: Value) {
    let before = lines(path);
    let prev = before.last().map_or(Hash::ZERO, |last| {
        Hash::digest(format!("{last}\n").as_bytes())
    });
    let line = json!({"prev": prev, "at": at, "by": format!("person:{by}"), "event": event});
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let all: String = before.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, format!("{all}{line}\n")).unwrap();
}

fn pack(program: &Program) -> PathBuf {
    program.work().join("pack")
}

/// The time of the last label in the pack.
fn now(program: &Program) -> String {
    let notes = lines(&pack(program).join("notes/bo.jsonl"));
    let last: Value = serde_json::from_str(notes.last().unwrap()).unwrap();
    last["at"].as_str().unwrap().to_owned()
}

/// What people found and were shown, file by file.
fn annotations(program: &Program) -> Vec<(PathBuf, Vec<u8>)> {
    let mut kept = program.store_files();
    kept.retain(|(path, _)| path.extension().is_some_and(|it| it == "jsonl"));
    kept
}

/// Merges a pack that must be refused with these words, and changes nothing.
#[track_caller]
fn refused(program: &Program, words: &[&str]) -> Ran {
    let before = annotations(program);
    let refused = program.run(&["labels", "merge", "pack"]).ended_with(1);
    for word in words {
        assert!(refused.err.contains(word), "'{word}' in:\n{}", refused.err);
    }
    assert!(annotations(program) == before, "something was taken");
    refused
}

#[test]
fn acts_of_people_whom_the_pack_is_not_for_are_told_and_taken_only_by_name() {
    let program = handed_out();
    let (at, foreign) = (now(&program), pack(&program).join("notes/ada.jsonl"));
    let mine = items(&program, "mine");
    append(
        &foreign,
        "ada",
        &at,
        given("forged-0", &mine[0]["on"], "mine"),
    );
    append(
        &foreign,
        "ada",
        &at,
        json!({"id": "forged-1", "type": "retracted", "of": "before-ada-1"}),
    );
    let told = refused(
        &program,
        &[
            "ada: 1 label, 1 mark taken back",
            "the pack is for bo",
            "--take ada",
        ],
    );
    let session = mine[1]["on"]["session"].as_str().unwrap();
    assert!(told.err.contains(session), "{}", told.err);
    // Nobody's but those of whom one names.
    let taken = program
        .run(&["labels", "merge", "pack", "--take", "bo"])
        .ended_with(0);
    assert!(taken.err.contains("bo: took 2 marks"), "{}", taken.err);
    assert!(taken.err.contains("left in the pack: ada"), "{}", taken.err);
    assert_eq!(journal(&program, "notes/ada.jsonl").len(), 5);
    program
        .run(&["labels", "merge", "pack", "--take", "ada"])
        .ended_with(0);
    assert_eq!(journal(&program, "notes/ada.jsonl").len(), 7);
    let nobody = program
        .run(&["labels", "merge", "pack", "--take", "eve"])
        .ended_with(1);
    assert!(nobody.err.contains("ada, bo"), "{}", nobody.err);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_the_person_did_before_or_elsewhere_is_neither_withdrawn_nor_rewritten() {
    let mine = handed_out();
    let elsewhere = elsewhere(&mine);
    let retract = |of: &str| json!({"id": "forged", "type": "retracted", "of": of});
    let earlier = "2026-01-01T10:00:00.000Z".to_owned();
    let at = now(&mine);
    let own = items(&mine, "pilot")[0]["on"].clone();
    let name = json!({"id": "forged", "type": "named", "session": own["session"], "name": "x"});
    let mut settled = given("forged", &own, "pilot");
    settled["role"] = json!("adjudicator");
    let cases = [
        (
            "bo",
            &at,
            retract("before-bo-0"),
            "they take back was not made in this pack",
        ),
        (
            "bo",
            &at,
            given("forged", &elsewhere, "pilot"),
            "not on an item of the pack",
        ),
        (
            "bo",
            &at,
            given("forged", &own, "mine"),
            "not on an item of the pack",
        ),
        ("bo", &at, name, "1 name of a session"),
        (
            "bo",
            &earlier,
            given("forged", &own, "pilot"),
            "not dated after",
        ),
        (
            "bo",
            &at,
            settled,
            "a pack holds only its annotator's labels",
        ),
        (
            "ada",
            &at,
            given("forged", &own, "pilot"),
            "signed by 'ada'",
        ),
    ];
    let notes = pack(&mine).join("notes/bo.jsonl");
    let honest = fs::read(&notes).unwrap();
    for (by, at, event, why) in cases {
        append(&notes, by, at, event);
        refused(&mine, &["bo: ", why, "--take bo"]);
        fs::write(&notes, &honest).unwrap();
    }
    // A mark of earlier that is copied into the pack is not one of the pack's by that.
    let copied = journal(&mine, "notes/bo.jsonl").remove(0);
    append(&notes, "bo", &at, copied);
    append(&notes, "bo", &at, retract("before-bo-0"));
    refused(&mine, &["they take back was not made in this pack"]);
    fs::write(&notes, &honest).unwrap();
    // What was made in the pack may be taken back in it.
    let made: Value = serde_json::from_str(&lines(&notes)[0]).unwrap();
    append(
        &notes,
        "bo",
        &at,
        retract(made["event"]["id"].as_str().unwrap()),
    );
    let merged = mine.run(&["labels", "merge", "pack"]).ended_with(0);
    assert!(merged.err.contains("bo: took 3 marks"), "{}", merged.err);
}

#[test]
fn what_others_were_shown_is_no_part_of_a_pack() {
    let program = handed_out();
    let session = items(&program, "pilot")[0]["on"]["session"].clone();
    let saw = json!({"id": "saw", "type": "unblinded", "session": session, "saw": ["verdict"]});
    let (at, unblindings) = (now(&program), pack(&program).join("sights"));
    append(&unblindings.join("ada.jsonl"), "ada", &at, saw.clone());
    refused(&program, &["ada: 1 record of what they were shown"]);
    fs::remove_file(unblindings.join("ada.jsonl")).unwrap();
    append(&unblindings.join("bo.jsonl"), "bo", &at, saw);
    let merged = program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert!(
        merged.err.contains("took 1 record of what they were shown"),
        "{}",
        merged.err
    );
    assert_eq!(journal(&program, "sights/bo.jsonl").len(), 1);
}

#[test]
fn a_pack_that_is_not_what_was_handed_out_is_refused_with_what_differs() {
    let program = handed_out();
    let whole = program.work().join("whole");
    copy_folder(&pack(&program), &whole);
    let again = |change: &dyn Fn(&Path), words: &[&str]| {
        fs::remove_dir_all(pack(&program)).unwrap();
        copy_folder(&whole, &pack(&program));
        // Who rewrites a journal leaves no head that tells of it.
        fs::remove_dir_all(pack(&program).join("heads")).unwrap();
        change(&pack(&program));
        refused(&program, words);
    };
    let more = json!({"type": "drawn", "wave": 2, "sampling": {"take": "all"},
        "strata": [{"name": "packed", "taken": 1, "of": 1}], "considered": "",
        "items": [{"on": elsewhere(&program), "topic": "first-0", "stratum": 0}]});
    again(
        &|pack| {
            append(
                &pack.join("queues/pilot.jsonl"),
                "bo",
                "2026-01-01T10:00:00.000Z",
                more.clone(),
            )
        },
        &["'pilot'", "5 items where this store's has 4"],
    );
    let first = |folder: &Path| {
        let mut all: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap()
            .map(|it| it.unwrap().path())
            .collect();
        all.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
        all.sort();
        all.remove(0)
    };
    again(
        &|pack| {
            let sheet = first(&pack.join("sheets"));
            let text = fs::read_to_string(&sheet).unwrap();
            fs::write(sheet, text.replace("how is it done", "why is it done")).unwrap();
        },
        &["handed out to bo", "sheets/", "is not what was handed out"],
    );
    again(
        &|pack| {
            let record = first(&pack.join("packs"));
            let text = fs::read_to_string(&record).unwrap();
            fs::write(record, text.replace("\"for\":\"bo\"", "\"for\":\"ada\"")).unwrap();
            fs::rename(pack.join("notes/bo.jsonl"), pack.join("notes/ada.jsonl")).unwrap();
        },
        &["it says that it is for ada, and was handed out to bo"],
    );
    again(
        &|pack| fs::rename(pack.join("notes/bo.jsonl"), pack.join("notes/ada.jsonl")).unwrap(),
        &["ada: 2 labels", "the pack is for bo"],
    );
    // Without its record it is as one of an earlier version.
    again(
        &|pack| fs::remove_dir_all(pack.join("packs")).unwrap(),
        &["made without --for", "bo: 2 labels", "--take bo"],
    );
}

#[test]
fn the_honest_way_is_one_command_and_asks_nothing() {
    let program = handed_out();
    let merged = program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert_eq!(merged.err, "bo: took 2 marks, had 0 already\n");
    let once = annotations(&program);
    let again = program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert!(again.err.contains("nothing changed"), "{}", again.err);
    assert!(annotations(&program) == once);
    assert_eq!(labels(&program, "bo").len(), 7);
    // Whoever opens the pack labels as whom it is for.
    let stranger = Program::new().with("USER", "al");
    copy_folder(&pack(&program), &stranger.work().join("pack"));
    let mut pty = elenchus_test_support::Pty::of(&stranger).starts(&["annotate", "--pack", "pack"]);
    pty.wait_for("2 labelled");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    assert!(pty.screen().contains("--as bo"), "{}", pty.screen());
}
