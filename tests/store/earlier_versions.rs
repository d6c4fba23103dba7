//! Stores of earlier versions: this version reads them and prints the same.
//!
//! `tests/fixtures/stores/VERSION` was written by that version, `VERSION-COMMIT` by the program of a
//! commit; neither is ever written again. What the reading commands printed then must come out now;
//! new fields may be added. A value that changed or is gone is listed in `changes.toml` with the reason.

use elenchus_test_support::Pty;
use elenchus_test_support::program::{Program, copy_folder};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder in which the fixtures were written: the run journals name their data sets by it.
const WRITTEN_IN: &str = "/tmp/elenchus-0.1.0";
const STORES: &str = "tests/fixtures/stores";
const FIRST: &str = "0.1.0";
/// A small store with forks, passes, prompt trials and comparisons, guardrails and packs.
const SMALL: &str = "0.1.0-44b6880";
const CHANGES: &str = "tests/fixtures/stores/changes.toml";

/// A value that this version prints otherwise, on purpose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    /// How the commands begin whose output it concerns.
    command: String,
    /// Where: names joined by `/`; `*` is any one name, `~part` one that holds this, `**` all below.
    at: String,
    /// Versions whose stores show it; the first one where none is named.
    #[serde(default)]
    stores: Vec<String>,
    reason: String,
}

#[derive(Default, Deserialize)]
struct Changes {
    #[serde(default)]
    changed: Vec<Change>,
}

/// A copy of a fixture that may be written to.
pub fn copied(version: &str) -> Program {
    let program = Program::new().approving_the_project();
    let fixture = Path::new(STORES).join(version);
    copy_folder(&fixture.join("project"), &program.work());
    copy_folder(&fixture.join("store"), &program.store());
    program
}

#[test]
fn reading_commands_print_what_the_version_printed_that_wrote_the_store() {
    prints_the_same(FIRST, &copied(FIRST));
}

#[test]
fn reading_commands_print_the_same_of_the_small_store() {
    prints_the_same(SMALL, &copied(SMALL));
}

#[test]
fn reading_commands_print_the_same_of_a_store_that_was_exported_and_imported() {
    let there = copied(FIRST);
    there.run_ok(&["export", "--all", "--output", "parcel"]);
    let here = there.with_store("elsewhere");
    here.run_ok(&["import", "parcel", "--take", "all"]);
    // What one's own store had in use one accepts.
    for namespace in fs::read_dir(here.store().join("memory")).unwrap() {
        let namespace = namespace.unwrap().file_name().into_string().unwrap();
        here.run_ok(&["memory", "enable", "--imported", "-n", &namespace]);
    }
    prints_the_same(FIRST, &here);
}

/// Changes that the store of a version shows.
fn changes(version: &str) -> Vec<Change> {
    let changes: Changes = toml::from_str(&fs::read_to_string(CHANGES).unwrap()).unwrap();
    let mut changed = changes.changed;
    changed.retain(|change| match change.stores.as_slice() {
        [] => version == FIRST,
        stores => stores.iter().any(|store| store == version),
    });
    changed
}

fn prints_the_same(version: &str, program: &Program) {
    let changes = changes(version);
    let mut used = vec![false; changes.len()];
    let read = Path::new(STORES).join(version).join("read");
    let mut unlisted = Vec::new();
    for line in fs::read_to_string(read.join("commands.txt"))
        .unwrap()
        .lines()
    {
        let [number, code, command] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let then = fs::read_to_string(read.join(format!("{number}.out"))).unwrap();
        let args: Vec<&str> = command.split(' ').collect();
        let now = program.run(&args);
        let mut differ = differences(&values(&then), &values(&placed(program, &now.out)));
        if now.code.to_string() != code {
            differ.push((
                "exit code".to_owned(),
                format!("{code} → {}: {}", now.code, now.err),
            ));
        }
        for (at, what) in differ {
            let listed = changes
                .iter()
                .position(|change| command.starts_with(&change.command) && is_at(&change.at, &at));
            match listed {
                Some(index) => used[index] = true,
                None => unlisted.push(format!("{command} | {at}: {what}")),
            }
        }
    }
    assert!(
        unlisted.is_empty(),
        "{} unlisted:\n{}",
        unlisted.len(),
        unlisted.join("\n")
    );
    for (change, used) in changes.iter().zip(used) {
        assert!(
            !change.reason.trim().is_empty(),
            "{} {}",
            change.command,
            change.at
        );
        assert!(
            used,
            "nothing changes at '{}' of '{}'",
            change.at, change.command
        );
    }
}

#[test]
fn every_journal_of_an_earlier_version_verifies() {
    for version in [FIRST, SMALL] {
        let verified = copied(version).run(&["verify"]).ended_with(0);
        let out = &verified.out;
        assert!(out.contains("nothing is broken"), "{version}: {out}");
        let err = &verified.err;
        assert!(!err.contains("unknown"), "{version}: {err}");
    }
}

#[test]
fn the_keys_and_the_theme_of_an_earlier_version_are_taken() {
    let program = copied(FIRST);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("sessions");
    pty.press("T");
    pty.wait_for("harbour");
    assert!(!pty.screen().contains("harbour.toml:"), "{}", pty.screen());
    pty.press("Esc");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0, "{}", pty.screen());
}

#[test]
fn the_pins_of_an_earlier_version_are_held_to() {
    let program = copied(FIRST);
    let pins = ".elenchus/prompts/moderated/pins.toml";
    let kept = fs::read_to_string(program.work().join(pins)).unwrap();
    let (name, hash) = kept.lines().last().unwrap().split_once(" = ").unwrap();
    program.write(
        pins,
        &kept.replace(hash, &format!("\"{}\"", "0".repeat(64))),
    );
    let topic = ["run", "--protocol", "moderated", "--topic", "Is it so?"];
    let refused = program.run(&topic).ended_with(1);
    assert!(
        refused.err.contains(name.trim_matches('"')),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("000000000000"), "{}", refused.err);
}

#[test]
fn a_pack_of_an_earlier_version_is_labelled_and_merged() {
    let program = copied(FIRST);
    let pack = program.work().join("pack");
    copy_folder(&Path::new(STORES).join(FIRST).join("pack"), &pack);
    let folder = pack.to_str().unwrap();
    let mut pty = Pty::of(&program).starts(&["annotate", "--pack", folder, "--as", "eli"]);
    pty.wait_until("the third turn", |screen| {
        screen.contains("3 of 8  2 labelled") && screen.contains("round ")
    });
    pty.press("s");
    pty.wait_for("3 labelled");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0, "{}", pty.screen());
    let unasked = program.run(&["labels", "merge", folder]).ended_with(1);
    assert!(unasked.err.contains("--take eli"), "{}", unasked.err);
    program
        .run(&["labels", "merge", folder, "--take", "eli"])
        .ended_with(0);
    let labels = fs::read_to_string(program.store().join("notes/eli.jsonl")).unwrap();
    assert_eq!(labels.lines().count(), 3);
}

/// Names the folders of the copy as the fixture does.
fn placed(program: &Program, text: &str) -> String {
    let name = |path: PathBuf| path.into_os_string().into_string().unwrap();
    text.replace(&name(program.work()), "FOLDER/project")
        .replace(&name(program.store()), "FOLDER/store")
        .replace(WRITTEN_IN, "FOLDER")
}

/// One JSON value, or JSON lines, or else the text itself.
fn values(text: &str) -> Value {
    if let Ok(one) = serde_json::from_str(text) {
        return one;
    }
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    lines.map_or_else(|_| Value::String(text.to_owned()), Value::Array)
}

/// Lists what stands in `then` and does not in `now`, and where.
fn differences(then: &Value, now: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    compare(String::new(), then, now, &mut found);
    found
}

fn compare(at: String, then: &Value, now: &Value, found: &mut Vec<(String, String)>) {
    let below = |name: &str| match at.as_str() {
        "" => name.to_owned(),
        _ => format!("{at}/{name}"),
    };
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (name, value) in then {
                compare(
                    below(name),
                    value,
                    now.get(name).unwrap_or(&Value::Null),
                    found,
                );
            }
        }
        (Value::Array(then), Value::Array(now)) => {
            let now = by_name(now);
            for (name, value) in by_name(then) {
                match now.get(&name) {
                    Some(other) => compare(below(&name), value, other, found),
                    None => found.push((below(&name), format!("{value} is gone"))),
                }
            }
        }
        _ if then == now => {}
        _ => found.push((at, format!("{then} → {now}"))),
    }
}

/// Names the elements of a list by what they are, so that a new one in the middle moves no other.
fn by_name(list: &[Value]) -> BTreeMap<String, &Value> {
    const NAMING: [&str; 10] = [
        "arm",
        "measure",
        "keys",
        "group",
        "simulated",
        "hash_check",
        "id",
        "session",
        "run",
        "pass",
    ];
    let mut named = BTreeMap::new();
    for value in list {
        let fields = NAMING.iter().filter_map(|field| value.get(field));
        let name = match value {
            Value::String(text) => text.clone(),
            _ => fields.map(Value::to_string).collect::<Vec<_>>().join(" "),
        };
        let name = name.replace('/', "|");
        let mut number = 1;
        while named.contains_key(&format!("{name}[{number}]")) {
            number += 1;
        }
        named.insert(format!("{name}[{number}]"), value);
    }
    named
}

/// Whether a pattern of names fits a place.
fn is_at(pattern: &str, place: &str) -> bool {
    let mut places = place.split('/');
    for wanted in pattern.split('/') {
        if wanted == "**" {
            return true;
        }
        let Some(name) = places.next() else {
            return false;
        };
        let fits = match wanted.strip_prefix('~') {
            Some(part) => name.contains(part),
            None => wanted == "*" || name == wanted || name == format!("{wanted}[1]"),
        };
        if !fits {
            return false;
        }
    }
    places.next().is_none()
}
