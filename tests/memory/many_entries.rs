//! A hundred thousand entries, and processes that are killed while they write.

use elenchus_test_support::lessons::lesson_lines;
use elenchus_test_support::program::Program;
use std::process::{Command, Stdio};

/// Writes a journal of lessons as a run would.
fn write_lessons(program: &Program, count: usize) {
    let folder = program.store().join("memory/default");
    std::fs::create_dir_all(&folder).unwrap();
    let text = lesson_lines("lesson", 0..count, "");
    std::fs::write(folder.join("some-run.jsonl"), text).unwrap();
}

#[test]
#[ignore = "100,000 entries: .ci/run --full"]
fn a_hundred_thousand_entries_are_listed_searched_and_changed() {
    let program = Program::new();
    write_lessons(&program, 100_000);
    let listed = program.run(&["memory", "list", "--json"]).ended_with(0);
    assert_eq!(listed.out.lines().count(), 100_000);
    let found = program.run(&["memory", "search", "thing976", "--json", "--limit", "3"]);
    let found = found.ended_with(0);
    assert_eq!(found.out.lines().count(), 3);
    assert!(
        found.out.lines().all(|line| line.contains("thing976")),
        "{found:?}"
    );
    program
        .run(&["memory", "disable", "lesson-000976"])
        .ended_with(0);
    let shown = program
        .run(&["memory", "show", "lesson-000976"])
        .ended_with(0);
    assert!(shown.out.contains("disabled"), "{shown:?}");
}

#[test]
fn what_was_acknowledged_is_there_whenever_the_writer_is_killed() {
    let program = Program::new();
    let add = |text: String| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elenchus"));
        command
            .args(["memory", "add", &text])
            .env_clear()
            .envs(program.environment())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    };
    let mut acknowledged = Vec::new();
    for at in 0..12_u64 {
        let mut child = add(format!("Text {at}.")).spawn().unwrap();
        // Kills fall on every moment of a short life: some before, some after the line was synced.
        let mut looks = 0;
        let died = loop {
            if child.try_wait().unwrap().is_some() {
                break false;
            }
            if looks == at * 40 {
                child.kill().unwrap();
                break true;
            }
            looks += 1;
            std::thread::yield_now();
        };
        let out = child.wait_with_output().unwrap();
        let id = String::from_utf8(out.stdout).unwrap().trim().to_owned();
        assert!(died || !id.is_empty());
        if !id.is_empty() {
            acknowledged.push(id);
        }
    }
    let last = add("The last one.".to_owned()).output().unwrap();
    assert!(last.status.success());
    let listed = program.run(&["memory", "list", "--json"]).ended_with(0);
    for id in &acknowledged {
        assert!(listed.out.contains(id.as_str()), "{id}: {listed:?}");
    }
    assert!(listed.out.contains("The last one."));
    program.run(&["verify"]).ended_with(0);
}
