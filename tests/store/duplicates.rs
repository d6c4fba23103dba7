//! Duplicate ids count once, and missing parts of a run are reported.

use super::lost_lines::{ANSWERS, TOPICS, id, only};
use elenchus_test_support::program::Program;
use std::fs;

/// What `metrics` read, and whether it named something else.
fn measured(program: &Program) -> (String, String) {
    let ran = program.run(&["metrics", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    (ran.out, ran.err)
}

#[test]
fn a_session_that_lies_there_twice_counts_once_and_is_not_resumed() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    let play = [
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--topic",
        "How do I open a lock?",
    ];
    let session = program.play(&play);
    program.run_ok(&["prompts", "eject", "pred"]);
    let prompt = program.path("work/.elenchus/prompts/pred/debater.md");
    let turn = format!("{session}:r1.debater-0");
    program.run_ok(&[
        "prompts",
        "try",
        &turn,
        "--with",
        prompt.to_str().unwrap(),
        "--samples",
        "1",
        "--roll-forward",
        "next",
        "--adopt",
        "0",
    ]);
    let fork = program.session_files().pop().unwrap();
    assert_ne!(id(&fork), session);
    let before = serde_json::from_str::<serde_json::Value>(&measured(&program).0).unwrap();
    for (of, copy) in [
        (program.session_file(&session), "zz-copy"),
        (fork, "zz-copy-of-fork"),
    ] {
        let copied = program.session_file(copy);
        fs::copy(&of, &copied).unwrap();
        let (out, err) = measured(&program);
        let mut now = serde_json::from_str::<serde_json::Value>(&out).unwrap();
        assert_eq!(now["sections"], before["sections"], "{copy} was counted");
        let short = now.as_object_mut().unwrap().remove("short");
        assert!(err.contains(&format!("{copy}.jsonl is a copy of")), "{err}");
        assert!(short.unwrap().to_string().contains(copy), "{out}");
        assert!(program.run(&["ls"]).err.contains("is a copy of"));
        let checked = program.run(&["verify"]);
        assert_eq!(checked.code, 5, "{}", checked.out);
        for named in [&of, &copied] {
            let named = named.display().to_string();
            assert!(checked.out.contains(&named), "{}", checked.out);
        }
        let refused = program.run_err(1, &["run", "--resume-session", copy]);
        assert!(refused.contains("is a copy of"), "{refused}");
        fs::remove_file(copied).unwrap();
    }
}

#[test]
fn a_run_whose_finished_sessions_are_gone_says_which_and_how_to_get_them_back() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    program.write("two.csv", TOPICS);
    let run = program.play(&[
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--dataset",
        "own:two.csv",
    ]);
    let sessions = program.session_files();
    let trash = program.store().join("trash");
    fs::create_dir_all(&trash).unwrap();
    fs::rename(&sessions[0], trash.join(sessions[0].file_name().unwrap())).unwrap();
    fs::remove_file(&sessions[1]).unwrap();
    for args in [
        &["run", "--resume", &run][..],
        &["metrics", "--run", &run],
        &["export", "--run", &run, "--output", "out"],
    ] {
        let ran = program.run(args);
        let trashed = format!("session {} is in the trash: mv ", id(&sessions[0]));
        let gone = format!("session {} is gone: ", id(&sessions[1]));
        assert!(ran.err.contains(&trashed), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(&gone), "{args:?}: {}", ran.err);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
    }
    let checked = program.run(&["verify"]);
    assert_eq!(checked.code, 5, "{}", checked.out);
    assert!(!checked.out.contains(&id(&sessions[0])), "{}", checked.out);
    assert!(checked.out.contains(&id(&sessions[1])), "{}", checked.out);
    // Whoever judges or draws from what is left is told that it is less than there was.
    let judge = [
        "judge",
        "--all",
        "--rubric",
        "safety",
        "--model",
        "it",
        "--estimate",
    ];
    let draw = ["labels", "queue", "left", "--all", "--simulated"];
    for args in [&judge[..], &draw] {
        let ran = program.run(args);
        assert!(
            ran.err.contains("less than there was"),
            "{args:?}: {}",
            ran.err
        );
    }
    // What may be brought back from the trash must be whole.
    let trashed = only(trash);
    let text = fs::read_to_string(&trashed).unwrap();
    fs::write(&trashed, text.replacen("\"at\":\"2", "\"at\":\"1", 1)).unwrap();
    let checked = program.run(&["verify"]);
    let named = trashed.display().to_string();
    assert!(checked.out.contains(&named), "{}", checked.out);
}

#[test]
fn an_annotator_who_lies_there_twice_counts_once_and_a_memory_that_is_gone_is_not_empty() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    program.write("answers.csv", ANSWERS);
    let import = ["labels", "import", "answers.csv", "--human", "ada"];
    program.run_ok(&[&import[..], &["--set", "safety"]].concat());
    let notes = program.store().join("notes");
    let before = program.run(&["labels", "list"]).out;
    fs::copy(only(notes.clone()), notes.join("zoe.jsonl")).unwrap();
    let listed = program.run(&["labels", "list"]);
    assert_eq!(listed.out, before);
    assert!(
        listed.err.contains("zoe.jsonl is a copy of"),
        "{}",
        listed.err
    );
    let checked = program.run(&["verify"]);
    assert_eq!(checked.code, 5, "{}", checked.out);
    assert!(checked.out.contains("zoe.jsonl"), "{}", checked.out);
    fs::remove_file(notes.join("zoe.jsonl")).unwrap();

    program.run_ok(&[
        "memory",
        "add",
        "Ask for the owner first.",
        "--namespace",
        "mine",
    ]);
    let lessons = program.store().join("memory/mine");
    fs::remove_file(only(lessons)).unwrap();
    let refused = program.run_err(1, &["memory", "list", "--namespace", "mine"]);
    assert!(refused.contains("it is gone"), "{refused}");
}
