//! Forks name themselves, forks of earlier versions are not taken for copies, and an empty journal is no
//! session.

use super::lost_lines::id;
use elenchus_store::read_head;
use elenchus_test_support::journals::{append_event, chained, journals};
use elenchus_test_support::program::Program;
use serde_json::{Value, json};
use std::fs;

/// A program with a session and a sample of a changed prompt, which is a fork of it.
fn tried() -> (Program, String) {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    let topic = ["--topic", "How do I open a lock?"];
    let game = ["--protocol", "pred", "--rounds", "1", "--model", "it"];
    let session = program.play(&[&game[..], &topic].concat());
    program.run_ok(&["prompts", "eject", "pred"]);
    let prompt = program.path("work/.elenchus/prompts/pred/debater.md");
    let turn = format!("{session}:r1.debater-0");
    let with = ["--with", prompt.to_str().unwrap(), "--samples", "2"];
    program.run_ok(&[&["prompts", "try", &turn][..], &with].concat());
    (program, session)
}

fn forked_line(text: &str) -> (usize, Value) {
    let mut lines = text.lines().enumerate();
    let parsed = lines.find_map(|(at, line)| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["event"]["type"] == "forked").then_some((at, line))
    });
    parsed.unwrap()
}

#[test]
fn the_first_own_line_of_a_fork_holds_its_id_and_a_copy_of_it_is_refused() {
    let (program, _) = tried();
    let samples = journals(&program.store().join("tries/sessions"));
    assert_eq!(samples.len(), 2);
    for sample in &samples {
        let text = fs::read_to_string(sample).unwrap();
        let (_, line) = forked_line(&text);
        assert_eq!(line["event"]["session"], id(sample).as_str());
    }
    // Under another name it is known as a copy by itself, also where its origin is gone.
    let copy = program.session_file("zz-copy");
    fs::copy(&samples[0], &copy).unwrap();
    for args in [
        &["show", "zz-copy"][..],
        &["show", "zz-copy", "--json"],
        &["run", "--resume-session", "zz-copy"],
    ] {
        let refused = program.run_err(1, args);
        assert!(refused.contains("is a copy of"), "{args:?}: {refused}");
    }
}

#[test]
fn two_bare_forks_of_one_moment_that_an_earlier_version_left_are_no_copies() {
    let (program, _) = tried();
    let samples = journals(&program.store().join("tries/sessions"));
    let text = fs::read_to_string(&samples[0]).unwrap();
    let (at, mut line) = forked_line(&text);
    line["event"].as_object_mut().unwrap().remove("session");
    let before: Vec<&str> = text.lines().take(at).collect();
    let bare = format!("{}\n{line}\n", before.join("\n"));
    for name in ["zz-stub-a", "zz-stub-b"] {
        program.write_at(&format!("store/tries/sessions/{name}.jsonl"), &bare);
    }
    let verified = program.run(&["verify"]).ended_with(0);
    assert!(!verified.out.contains("copy"), "{}", verified.out);
}

#[test]
fn bare_forks_that_nothing_refers_to_are_swept_when_samples_are_played_again() {
    let (program, session) = tried();
    let folder = program.store().join("tries/sessions");
    let samples = journals(&folder);
    let text = fs::read_to_string(&samples[0]).unwrap();
    let (at, line) = forked_line(&text);
    let before: String = text
        .lines()
        .take(at)
        .map(|line| format!("{line}\n"))
        .collect();
    let own = |change: &dyn Fn(&mut Value)| {
        let mut line = line.clone();
        change(&mut line["event"]);
        format!("{before}{line}\n")
    };
    let stub = |name: &str, text: &str| {
        program.write_at(&format!("store/tries/sessions/{name}.jsonl"), text);
        folder.join(format!("{name}.jsonl"))
    };
    let earlier = own(&|event| drop(event.as_object_mut().unwrap().remove("session")));
    let this = own(&|event| event["session"] = "zz-this".into());
    // Left by an earlier version, in one moment, and by this one.
    let swept = [
        stub("zz-earlier-a", &earlier),
        stub("zz-earlier-b", &earlier),
        stub("zz-this", &this),
    ];
    let next: Value = serde_json::from_str(text.lines().nth(at + 1).unwrap()).unwrap();
    let acknowledged = own(&|event| event["session"] = "zz-acknowledged".into());
    let named = own(&|event| event["session"] = "zz-named".into());
    let spoken = own(&|event| event["session"] = "zz-spoken".into());
    let kept = [
        stub("zz-with-more", &earlier),
        stub("zz-acknowledged", &acknowledged),
        stub("zz-named", &named),
        stub("zz-spoken", &spoken),
        stub(
            "zz-orphan",
            &chained(&before.replace("\"seed\":", "\"seed\":1")),
        ),
    ];
    let then = "2026-01-01T10:00:00.000Z";
    append_event(&kept[0], "person:ada", then, &next["event"]);
    let mut forked = line["event"].clone();
    forked["session"] = "zz-orphan".into();
    append_event(&kept[4], "person:ada", then, &forked);
    let head = serde_json::to_string(&read_head(&kept[1]).unwrap()).unwrap();
    program.write_at("store/tries/heads/sessions/zz-acknowledged", &head);
    append_event(
        &program.store().join("notes/ada.jsonl"),
        "person:ada",
        then,
        &json!({"id": "t", "type": "tagged", "session": "zz-named", "tag": "kept"}),
    );
    program.write_at(
        "store/tries/partial/zz-spoken.1",
        "words that are still coming",
    );

    let prompt = program.path("work/.elenchus/prompts/pred/debater.md");
    fs::write(
        &prompt,
        format!("{}\nBe brief.\n", fs::read_to_string(&prompt).unwrap()),
    )
    .unwrap();
    let turn = format!("{session}:r1.debater-0");
    let with = ["--with", prompt.to_str().unwrap(), "--samples", "1"];
    program
        .run(&[&["prompts", "try", &turn][..], &with].concat())
        .ended_with(0);
    assert!(swept.iter().all(|path| !path.exists()));
    for path in &kept {
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn an_empty_journal_is_not_the_last_session() {
    let (program, session) = tried();
    let shown = program.run_ok(&["show", &session]);
    program.write_at("store/sessions/7zzzzzzzzzzzzzzzzzzzzzzzzz.jsonl", "");
    assert_eq!(program.run_ok(&["show", "last"]), shown);
    let resumed = program.run(&["run", "--resume-session", "last"]);
    resumed.ended_with(0);
}
