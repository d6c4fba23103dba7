//! Commands of `elenchus memory` on guardrails alone, and the form that earlier versions had for them.

use elenchus_test_support::program::{Program, Ran};

const RAILS: &str = "define user ask about locks\n  \"How is a lock picked?\"\n";

fn memory(program: &Program, args: &[&str]) -> Ran {
    program.run(&[&["memory"], args].concat())
}

fn added(program: &Program, args: &[&str]) -> String {
    let added = memory(program, &[&["add"], args].concat());
    added.ended_with(0).out.trim().to_owned()
}

#[test]
fn guardrails_are_accepted_rejected_and_exported_by_the_verbs_that_lessons_have_too() {
    let program = Program::new();
    let lesson = added(&program, &["Say whose lock it is."]);
    let guard = added(&program, &["Open a lock", "--example", "How do I open it?"]);
    let untested = memory(&program, &["accept", &guard]).ended_with(1);
    let named = format!("elenchus memory test {guard}");
    assert!(untested.err.contains(&named), "{untested:?}");
    let accepted = memory(&program, &["accept", &guard, "--untested"]).ended_with(0);
    assert!(accepted.err.contains("accepted"), "{accepted:?}");
    memory(&program, &["export", "--colang", "nemo"]).ended_with(0);
    assert!(program.work().join("nemo/guardrails.co").exists());
    let reopened = memory(&program, &["reopen", &guard]).ended_with(0);
    assert!(reopened.err.contains("proposed"), "{reopened:?}");
    // Only proposed ones are left: they are exported where that is said.
    let none = memory(&program, &["export", "--colang", "other"]).ended_with(1);
    assert!(none.err.contains("elenchus memory accept"), "{none:?}");
    memory(&program, &["export", "--colang", "other", "--proposed"]).ended_with(0);
    let rejected = memory(&program, &["reject", &guard]).ended_with(0);
    assert!(rejected.err.contains("rejected"), "{rejected:?}");
    // What is done to guardrails alone is not done to a lesson.
    for verb in ["accept", "reject", "reopen"] {
        let refused = memory(&program, &[verb, &lesson]).ended_with(1);
        let why = format!("{lesson} is a lesson");
        assert!(refused.err.contains(&why), "{verb}: {refused:?}");
    }
    let refused = memory(&program, &["export", "--proposed"]).ended_with(2);
    assert!(refused.err.contains("--colang"), "{refused:?}");
    memory(&program, &["export"]).ended_with(2);
}

#[test]
fn one_import_takes_exports_of_memory_and_files_of_other_tools() {
    let ann = Program::new();
    let lesson = added(&ann, &["Say whose lock it is."]);
    memory(&ann, &["export", "-o", "ann.jsonl"]).ended_with(0);
    let export = std::fs::read_to_string(ann.work().join("ann.jsonl")).unwrap();
    let bob = Program::new();
    bob.write("ann.jsonl", &export);
    bob.write("rails.co", RAILS);
    let came = memory(&bob, &["import", "ann.jsonl", "rails.co"]).ended_with(0);
    assert!(came.err.contains("1 guardrail proposed"), "{came:?}");
    let all = memory(&bob, &["list", "--kind", "all", "--json"]).ended_with(0);
    assert!(all.out.contains(&lesson), "{all:?}");
    assert!(all.out.contains("ask about locks"), "{all:?}");
    // What is neither is said to be neither.
    bob.write("notes.txt", "nothing of the kind\n");
    let neither = memory(&bob, &["import", "notes.txt"]).ended_with(1);
    for words in ["no export of memory", "nothing was imported"] {
        assert!(neither.err.contains(words), "{words}: {neither:?}");
    }
}

#[test]
fn a_list_shortens_ids_so_that_a_lesson_and_the_guardrail_of_its_debate_are_told_apart() {
    let program = Program::configured("[sims.it]\nunsafe_rate = 1.0\n");
    let play = [
        "run",
        "--protocol",
        "pred",
        "--topic",
        "How?",
        "--model",
        "it",
        "-q",
    ];
    program.run(&play).ended_with(0);
    memory(&program, &["derive", "last"]).ended_with(0);
    let place = ["-n", "default.sim"];
    let list = memory(&program, &[&["list", "--kind", "all"], &place[..]].concat());
    let ids: Vec<String> = list
        .ended_with(0)
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| *word != "ID")
        .map(str::to_owned)
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(
        ids[0].starts_with("lesson-") && ids[1].starts_with("guard-"),
        "{ids:?}"
    );
    for id in &ids {
        let disabled = memory(&program, &[&["disable", id.as_str()], &place[..]].concat());
        let (kind, end) = id.split_once('-').unwrap();
        let told = disabled.ended_with(0).err;
        let whole = told.split(':').next().unwrap();
        assert!(whole.starts_with(kind) && whole.ends_with(end), "{told}");
    }
}

#[test]
fn the_form_of_earlier_versions_goes_on_working_and_help_does_not_list_it() {
    let program = Program::new();
    let earlier = |args: &[&str]| memory(&program, &[&["guardrails"], args].concat());
    let add = [
        "add",
        "--intent",
        "Open a lock",
        "--example",
        "How do I open it?",
    ];
    let guard = earlier(&add).ended_with(0).out.trim().to_owned();
    earlier(&["edit", &guard, "--intent", "Open locks"]).ended_with(0);
    for verb in [
        "disable", "enable", "delete", "restore", "reject", "reopen", "show",
    ] {
        earlier(&[verb, &guard]).ended_with(0);
    }
    earlier(&["accept", "--untested", &guard]).ended_with(0);
    earlier(&["export", "--colang", "nemo"]).ended_with(0);
    let again = earlier(&["import", "nemo/guardrails.co"]).ended_with(0);
    assert!(again.err.contains("1 here already"), "{again:?}");
    let listed = earlier(&["list", "--json"]).ended_with(0);
    assert!(
        listed.out.contains("\"intent\":\"Open locks\""),
        "{listed:?}"
    );
    let help = memory(&program, &["--help"]).ended_with(0);
    assert!(!help.out.contains("  guardrails "), "{help:?}");
}
