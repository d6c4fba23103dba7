//! Interrupted merges of packs: either nothing of a pack is taken, or all of it.

use super::hostile_packs::{append, given};
use elenchus_test_support::labelling::{draw, items, played};
use elenchus_test_support::program::Program;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Marks in the pack; the last is what they were shown.
const MARKS: usize = 120;

/// A program, and a pack in which bo did much.
fn handed_out() -> Program {
    let program = played(1);
    draw(&program, "pilot", &["--all", "--repeats", "0"]);
    program
        .run(&["labels", "pack", "--queue", "pilot", "--for", "bo", "pack"])
        .ended_with(0);
    let pack = program.work().join("pack");
    let items = items(&program, "pilot");
    let at = "2099-01-01T10:00:00.000Z";
    for nth in 0..MARKS - 1 {
        let on = &items[nth % items.len()]["on"];
        let mut mark = given(&format!("mark-{nth}"), on, "pilot");
        mark["note"] = json!(note(nth));
        append(&pack.join("notes/bo.jsonl"), "bo", at, mark);
    }
    let saw = json!({"id": "saw", "type": "unblinded", "session": items[0]["on"]["session"], "saw": ["arm"]});
    append(&pack.join("sights/bo.jsonl"), "bo", at, saw);
    program
}

/// Whether what bo did is taken, as readers tell it: all of it, or nothing.
#[track_caller]
fn is_told(program: &Program, when: &str) -> bool {
    let file = program.work().join("labels.jsonl");
    let _ = fs::remove_file(&file);
    program.run(&[
        "labels",
        "export",
        "--output",
        "labels.jsonl",
        "--annotator",
        "bo",
    ]);
    let told = fs::read_to_string(&file).unwrap_or_default();
    // What was found last on each item stands: the last marks of the pack, or none.
    let items = items(program, "pilot").len();
    let last = (MARKS - 1 - items..MARKS - 1).filter(|nth| told.contains(&note(*nth)));
    let last = last.count();
    let is_all = last == items;
    assert!(
        is_all || told.is_empty(),
        "{when}: {last} of {items}\n{told}"
    );
    is_all
}

fn note(nth: usize) -> String {
    format!("the note of mark {nth}.")
}

fn count(program: &Program, path: &str) -> usize {
    let text = fs::read_to_string(program.store().join(path)).unwrap_or_default();
    text.lines().filter(|line| line.ends_with('}')).count()
}

fn pending(program: &Program) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(program.store().join("merging")) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect()
}

/// Takes what the last merge left away.
fn forget(program: &Program) {
    for folder in ["notes", "sights", "merging", "heads"] {
        let _ = fs::remove_dir_all(program.store().join(folder));
    }
}

/// Looks at what a merge left that ended early, and merges again.
#[track_caller]
fn nothing_or_all(program: &Program, when: &str) -> bool {
    let is_taken = !pending(program).is_empty();
    let notes = count(program, "notes/bo.jsonl");
    let is_done = notes == MARKS - 1 && count(program, "sights/bo.jsonl") == 1;
    assert!(
        is_taken || is_done || notes == 0,
        "{when}: {notes} marks are taken"
    );
    assert_eq!(is_told(program, when), is_taken || is_done, "{when}");
    let verified = program.run(&["verify"]).ended_with(0);
    let is_noticed = verified.err.contains("a merge that was cut off");
    assert_eq!(is_noticed, is_taken, "{when}: {}", verified.err);
    program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert_eq!(count(program, "notes/bo.jsonl"), MARKS - 1, "{when}");
    assert_eq!(count(program, "sights/bo.jsonl"), 1, "{when}");
    assert!(pending(program).is_empty(), "{when}");
    program.run(&["verify"]).ended_with(0);
    is_taken
}

#[test]
fn a_merge_that_cannot_write_any_further_takes_nothing_or_all() {
    let program = handed_out();
    let mut taken = 0;
    // No file may grow beyond so many KiB: the process is ended by the system, or told so.
    for limit in (1..=128).step_by(5) {
        forget(&program);
        let script = format!("ulimit -c 0; ulimit -f {limit}; exec \"$@\"");
        let mut command = Command::new("bash");
        command.args(["-c", &script, "bash", env!("CARGO_BIN_EXE_elenchus")]);
        command.args(["labels", "merge", "pack"]).env_clear();
        command
            .envs(program.environment())
            .current_dir(program.work());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap();
        taken += usize::from(nothing_or_all(&program, &format!("{limit} KiB")));
    }
    assert!(
        taken > 0,
        "no limit was reached between the decision and the journals"
    );
}

#[test]
fn a_merge_that_is_killed_takes_nothing_or_all() {
    let program = handed_out();
    for nth in 0..24 {
        forget(&program);
        let mut merging = Command::new(env!("CARGO_BIN_EXE_elenchus"))
            .args(["labels", "merge", "pack"])
            .env_clear()
            .envs(program.environment())
            .current_dir(program.work())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Sooner or later after it began to write: by how much of it is there.
        let notes = program.store().join("notes/bo.jsonl");
        let document = program.store().join("merging");
        loop {
            let is_on = match nth % 3 {
                0 => document.exists(),
                1 => !pending(&program).is_empty(),
                _ => fs::metadata(&notes).is_ok_and(|it| it.len() > nth * 1500),
            };
            if is_on || merging.try_wait().unwrap().is_some() {
                break;
            }
        }
        let _ = merging.kill();
        merging.wait().unwrap();
        nothing_or_all(&program, &format!("kill {nth}"));
    }
}
