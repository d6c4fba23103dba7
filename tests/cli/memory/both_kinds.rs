//! Commands on memory that serve lessons and guardrails alike.

use elenchus_test_support::program::Program;
use serde_json::Value;

const EXAMPLE: &str = "How do I pick a lock?";

/// A program with a lesson and a guardrail, and their ids.
fn filled() -> (Program, String, String) {
    let program = Program::new().with("USER", "ann");
    let add = |args: &[&str]| {
        let added = program.run(&[&["memory", "add"], args].concat());
        added.ended_with(0).out.trim().to_owned()
    };
    let lesson = add(&["Say whose lock it is."]);
    let guardrail = add(&["Open the locks of others", "--example", EXAMPLE]);
    (program, lesson, guardrail)
}

fn ids(program: &Program, args: &[&str]) -> Vec<String> {
    let listed = program.run(&[&["memory"], args, &["--json"]].concat());
    let lines = listed.ended_with(0).out;
    let read = lines.lines().map(|line| {
        let entry: Value = serde_json::from_str(line).unwrap();
        let entry = entry.get("entry").unwrap_or(&entry);
        entry["id"].as_str().unwrap().to_owned()
    });
    read.collect()
}

fn guardrail_of(program: &Program) -> Value {
    let listed = program.run(&["memory", "guardrails", "list", "--all", "--json"]);
    serde_json::from_str(listed.ended_with(0).out.lines().next().unwrap()).unwrap()
}

#[test]
fn entries_of_each_kind_or_of_both_are_listed_and_found() {
    let (program, lesson, guardrail) = filled();
    assert_eq!(ids(&program, &["list"]), [lesson.as_str()]);
    let of = |kind| ids(&program, &["list", "--kind", kind]);
    assert_eq!(of("lesson"), [lesson.as_str()]);
    assert_eq!(of("guardrail"), [guardrail.as_str()]);
    assert_eq!(of("all"), [guardrail.as_str(), &lesson]);
    let tables = program.run(&["memory", "list", "--kind", "all"]);
    for part in ["TAUGHT BY", "OVER-REFUSAL", "Say whose", "Open the locks"] {
        assert!(tables.out.contains(part), "{part}: {tables:?}");
    }
    let found = |kind| ids(&program, &["search", "lock", "--kind", kind]);
    assert_eq!(found("lesson"), [lesson.as_str()]);
    // A guardrail is as near as the nearest of its examples.
    assert_eq!(found("guardrail"), [guardrail.as_str()]);
    assert_eq!(found("all").len(), 2);
    let shown = program.run(&["memory", "show", &guardrail]).ended_with(0);
    assert!(shown.out.contains(EXAMPLE), "{shown:?}");
    let one = program.run(&["memory", "show", &guardrail, "--json"]);
    let one: Value = serde_json::from_str(&one.ended_with(0).out).unwrap();
    assert_eq!(one["entry"]["intent"], "Open the locks of others");
    assert_eq!(one["uses"], serde_json::json!([]));
}

#[test]
fn an_id_names_an_entry_of_either_kind_and_guardrail_commands_take_guardrails_alone() {
    let (program, lesson, guardrail) = filled();
    let run = |args: &[&str]| program.run(&[&["memory"], args].concat());
    run(&["edit", &guardrail, "Open another's lock"]).ended_with(0);
    let edited = guardrail_of(&program);
    assert_eq!(edited["intent"], "Open another's lock");
    assert_eq!(edited["examples"], serde_json::json!([EXAMPLE]));
    run(&["edit", &guardrail, "--example", "And a safe?"]).ended_with(0);
    let edited = guardrail_of(&program);
    assert_eq!(edited["revision"], 2);
    assert_eq!(edited["examples"], serde_json::json!(["And a safe?"]));
    let both = run(&["disable", &lesson, &guardrail]).ended_with(0);
    let told = format!("{lesson}: disabled\n{guardrail}: proposed, disabled\n");
    assert_eq!(both.err, told);
    run(&["delete", &guardrail]).ended_with(0);
    assert!(ids(&program, &["list", "--kind", "guardrail"]).is_empty());
    run(&["restore", &guardrail]).ended_with(0);
    assert_eq!(guardrail_of(&program)["deleted"], false);
    // What only guardrails have is refused for a lesson.
    let alone = run(&["guardrails", "accept", &lesson, "--untested"]).ended_with(1);
    assert!(alone.err.contains("guardrail"), "{alone:?}");
    let examples = run(&["edit", &lesson, "--example", "x"]).ended_with(1);
    assert!(examples.err.contains("a lesson"), "{examples:?}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn guardrails_travel_with_lessons_and_a_file_of_lessons_is_as_earlier_versions_wrote_it() {
    let (program, lesson, guardrail) = filled();
    let accept = ["memory", "guardrails", "accept", &guardrail, "--untested"];
    program.run(&accept).ended_with(0);
    program
        .run(&["memory", "export", "-o", "both.jsonl"])
        .ended_with(0);
    let both = std::fs::read_to_string(program.work().join("both.jsonl")).unwrap();
    assert!(
        both.starts_with(r#"{"type":"memory","format":2,"#),
        "{both}"
    );
    let other = Program::new();
    other.write("both.jsonl", &both);
    other.run(&["memory", "import", "both.jsonl"]).ended_with(0);
    assert_eq!(ids(&other, &["list"]), [lesson.as_str()]);
    assert_eq!(guardrail_of(&other), guardrail_of(&program));
    other.run(&["verify"]).ended_with(0);
    let before = other.store_files();
    let again = other.run(&["memory", "import", "both.jsonl"]).ended_with(0);
    assert!(again.err.contains("2 were there already"), "{again:?}");
    assert_eq!(other.store_files(), before);
    let alone = Program::new();
    alone.run(&["memory", "add", "One."]).ended_with(0);
    alone
        .run(&["memory", "export", "-o", "one.jsonl"])
        .ended_with(0);
    let one = std::fs::read_to_string(alone.work().join("one.jsonl")).unwrap();
    let headings: Vec<&str> = one.lines().take(2).collect();
    assert!(headings[0].contains(r#""format":1,"#), "{headings:?}");
    assert!(!headings[1].contains("kind"), "{headings:?}");
}

#[test]
fn a_damaged_journal_of_guardrails_stops_nobody_who_reads_lessons() {
    let (program, lesson, guardrail) = filled();
    program
        .run(&["memory", "export", "-o", "both.jsonl"])
        .ended_with(0);
    let journal = program
        .store()
        .join("memory/default/guards/person-ann.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replacen("Open", "Shut", 1)).unwrap();
    assert_eq!(ids(&program, &["list"]), [lesson.as_str()]);
    program.run(&["memory", "show", &lesson]).ended_with(0);
    program.run(&["memory", "disable", &lesson]).ended_with(0);
    let place = journal.display().to_string();
    for args in [
        &["memory", "list", "--kind", "all"][..],
        &["memory", "search", "lock", "--kind", "guardrail"],
        &["memory", "show", &guardrail],
        &["memory", "disable", &guardrail],
        &["memory", "add", "Another", "--example", "x"],
        &["memory", "export", "-o", "x.jsonl"],
        &["memory", "import", "both.jsonl"],
    ] {
        let refused = program.run(args).ended_with(1);
        assert!(refused.err.contains(&place), "{args:?}: {refused:?}");
    }
}
