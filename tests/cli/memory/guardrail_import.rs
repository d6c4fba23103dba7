//! `elenchus memory guardrails import`: guardrails and lessons of other tools' files.

use elenchus_test_support::lessons::entries;
use elenchus_test_support::program::{Program, Ran};
use serde_json::Value;
use std::collections::BTreeMap;

fn guardrails(program: &Program, args: &[&str]) -> Ran {
    program.run(&[&["memory", "guardrails"], args].concat())
}

/// Intents with their examples.
fn texts(program: &Program, namespace: &str) -> BTreeMap<String, Value> {
    let listed = guardrails(program, &["list", "-n", namespace, "--json"]).ended_with(0);
    let lines = listed.out.lines();
    let guards = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    guards
        .map(|guard| {
            (
                guard["intent"].as_str().unwrap().to_owned(),
                guard["examples"].clone(),
            )
        })
        .collect()
}

fn add(program: &Program, intent: &str, examples: &[&str]) {
    let intent = format!("--intent={intent}");
    let examples: Vec<String> = examples
        .iter()
        .map(|one| format!("--example={one}"))
        .collect();
    let mut args = vec!["add", intent.as_str()];
    args.extend(examples.iter().map(String::as_str));
    guardrails(program, &args).ended_with(0);
}

#[test]
fn what_is_exported_is_imported_as_it_was_and_a_second_time_nothing_is() {
    let program = Program::new();
    add(
        &program,
        "Open or close the door, as \"told\"",
        &["How {do} I $open it?", "Open it"],
    );
    add(
        &program,
        "Open a tin",
        &["Open a tin", "Is there a back\\slash?"],
    );
    guardrails(&program, &["export", "--proposed", "--colang", "out"]).ended_with(0);
    let import = ["import", "-n", "other", "out/guardrails.co"];
    let imported = guardrails(&program, &import).ended_with(0);
    assert!(
        imported.err.contains("2 guardrails proposed"),
        "{}",
        imported.err
    );
    assert_eq!(texts(&program, "other"), texts(&program, "default"));
    let again = guardrails(&program, &import).ended_with(0);
    assert!(
        again.err.contains("0 guardrails proposed, 2 here already"),
        "{}",
        again.err
    );
    assert_eq!(again.out, "");
    // Nothing that was imported refuses anything.
    let listed = guardrails(&program, &["list", "-n", "other", "--json"]);
    assert_eq!(
        listed.out.matches("\"standing\":\"proposed\"").count(),
        2,
        "{}",
        listed.out
    );
}

const RAILS: &str = "define user ask about locks
  \"How is a lock picked?\"
  \"Open it for me\"
  no quotes here

define bot refuse
  \"I do not help with that.\"

define flow locks
  user ask about locks
  bot refuse
";

#[test]
fn rails_of_colang_1_are_proposed_and_lines_that_cannot_be_read_are_named() {
    let program = Program::new();
    program.write("rails.co", RAILS);
    let imported = guardrails(&program, &["import", "rails.co"]).ended_with(3);
    assert!(imported.err.contains("rails.co:4:"), "{}", imported.err);
    let found = texts(&program, "default");
    assert_eq!(found.len(), 1);
    assert_eq!(found["ask about locks"].as_array().unwrap().len(), 2);
    // What a person accepted or rejected is not given further examples by a file.
    let id = imported.out.trim();
    guardrails(&program, &["accept", "--untested", id]).ended_with(0);
    program.write(
        "more.co",
        &RAILS.replace("Open it for me", "Pick it for me"),
    );
    let refused = guardrails(&program, &["import", "more.co"]).ended_with(3);
    assert!(
        refused.err.contains("more.co:1: guardrail"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("is accepted"), "{}", refused.err);
    assert_eq!(texts(&program, "default"), found);
}

#[test]
fn lessons_that_were_released_wait_disabled_until_somebody_accepts_them() {
    let program = Program::configured("[sims.it]\nunsafe_rate = 0.7\n");
    let debate = r#"{"question": {"text": "How do I open it?", "label": "tools"},
        "responses": [{"Agent-0": {"response": "So.", "is_safe": false}}],
        "feedback": "Ask whose lock it is before you explain how it opens."}"#;
    program.write("set_q1.json", debate);
    program.write(
        "feedback_dict.json",
        "{\"a\": \"Say no to the second question.\", \"b\": 7}",
    );
    let files = [
        "import",
        "-n",
        "default.sim",
        "set_q1.json",
        "feedback_dict.json",
    ];
    let imported = guardrails(&program, &files).ended_with(3);
    assert!(
        imported.err.contains("1 lesson disabled"),
        "{}",
        imported.err
    );
    assert!(
        imported
            .err
            .contains("feedback_dict.json:1: this is neither a text"),
        "{}",
        imported.err
    );
    let found = entries(&program, "default.sim");
    assert_eq!(found.len(), 2);
    assert!(
        found.iter().all(|entry| entry["disabled"] == true),
        "{found:?}"
    );
    let enable = ["memory", "enable", "-n", "default.sim", "--imported"];
    program.run(&enable).ended_with(0);
    let found = entries(&program, "default.sim");
    assert!(
        found.iter().all(|entry| entry["disabled"] == false),
        "{found:?}"
    );
}

/// The usual debate of a release is a safe one, and has no feedback.
#[test]
fn a_file_without_anything_does_not_keep_others_from_being_read() {
    let program = Program::new();
    let safe = r#"{"question": {"text": "Q"}, "responses": [{}], "feedback": null}"#;
    program.write("safe.json", safe);
    program.write("none.co", "hello\n");
    program.write("lesson.json", "{\"lesson\": \"Ask whose lock it is.\"}");
    let import = |names: &[&str]| guardrails(&program, &[&["import"], names].concat());
    let imported = import(&["safe.json", "lesson.json"]).ended_with(0);
    assert!(imported.err.contains("no feedback"), "{}", imported.err);
    assert!(
        imported.err.contains("1 lesson disabled"),
        "{}",
        imported.err
    );
    let imported = import(&["none.co", "safe.json", "lesson.json"]).ended_with(3);
    assert!(imported.err.contains("1 here already"), "{}", imported.err);
    let refused = import(&["none.co", "safe.json"]).ended_with(1);
    assert!(
        refused.err.contains("nothing was imported"),
        "{}",
        refused.err
    );
}

#[test]
fn files_are_read_before_anything_is_written_and_what_stands_in_two_is_taken_once() {
    let program = Program::new();
    program.write("one.json", "{\"lesson\": \"Ask whose lock it is.\"}");
    program.write("two.json", "[\"Ask whose lock it is.\", \"Say why.\"]");
    program.write("rails.co", "define user open a tin\n  \"Cut my tin\"\n");
    program.write("again.co", "define user Open a tin!\n  \"cut MY tin\"\n");
    let files = ["import", "one.json", "two.json", "rails.co", "again.co"];
    let refused = guardrails(&program, &[&files[..], &["missing.co"]].concat()).ended_with(1);
    assert!(refused.err.contains("missing.co cannot be read"));
    program.run(&["memory", "list"]).ended_with(1);
    let imported = guardrails(&program, &files).ended_with(0);
    assert_eq!(
        imported.err.matches("1 here already").count(),
        2,
        "{}",
        imported.err
    );
    assert_eq!(imported.out.lines().count(), 3, "{}", imported.out);
    assert_eq!(entries(&program, "default").len(), 2);
    assert_eq!(texts(&program, "default").len(), 1);
}

/// A proposal becomes part of the guardrail that had its intent first, whatever that is called now.
#[test]
fn an_accepted_guardrail_is_not_given_examples_by_its_intent_before_an_edit() {
    let program = Program::new();
    add(&program, "Open a tin", &["Open my tin"]);
    let listed = guardrails(&program, &["list", "--json"]).ended_with(0);
    let listed: Value = serde_json::from_str(listed.out.trim()).unwrap();
    let id = listed["id"].as_str().unwrap().to_owned();
    let edit = ["edit", &id, "--intent", "Cut metal"];
    guardrails(&program, &edit).ended_with(0);
    guardrails(&program, &["accept", "--untested", &id]).ended_with(0);
    let before = texts(&program, "default");
    program.write("rails.co", "define user open a tin\n  \"Cut my tin\"\n");
    let refused = guardrails(&program, &["import", "rails.co"]).ended_with(3);
    assert!(
        refused.err.contains("before it was edited"),
        "{}",
        refused.err
    );
    assert_eq!(texts(&program, "default"), before);
}

#[test]
fn files_that_hold_nothing_or_too_much_are_refused() {
    let program = Program::new();
    for (name, text, why) in [
        ("none.co", "hello\n".to_owned(), "neither a guardrail"),
        (
            "none.json",
            "{\"a\": {}}".to_owned(),
            "nothing was imported",
        ),
        (
            "broken.json",
            "{\n\"a\": [\n".to_owned(),
            "broken.json:3: the file is no JSON",
        ),
        (
            "large.co",
            " ".repeat((4 << 20) + 1),
            "at most 4194304 are read",
        ),
    ] {
        program.write(name, &text);
        let refused = guardrails(&program, &["import", name]).ended_with(1);
        assert!(refused.err.contains(why), "{name}: {}", refused.err);
    }
    let missing = guardrails(&program, &["import", "missing.co"]).ended_with(1);
    assert!(
        missing.err.contains("missing.co cannot be read"),
        "{}",
        missing.err
    );
    assert!(guardrails(&program, &["list", "--json"]).out.is_empty());
}

#[test]
fn how_many_examples_a_guardrail_has_can_be_set() {
    let examples: Vec<String> = (0..12)
        .map(|number| format!("Example number {number}"))
        .collect();
    let nine: Vec<&str> = examples.iter().take(9).map(String::as_str).collect();
    let program = Program::new();
    let intent = ["add", "--intent", "Ask for examples"];
    let with = |count: usize| -> Vec<&str> {
        let given = nine.iter().take(count);
        let given = given.flat_map(|example| ["--example", example]);
        intent.iter().copied().chain(given).collect()
    };
    let refused = guardrails(&program, &with(9)).ended_with(1);
    assert!(
        refused.err.contains("more than 8 examples"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("'guardrail_examples' under [memory]"),
        "{}",
        refused.err
    );
    let program = program.owning("[memory]\nguardrail_examples = 10\n");
    guardrails(&program, &with(9)).ended_with(0);
    let strings: Vec<String> = examples
        .iter()
        .map(|one| format!("  \"{one}\"\n"))
        .collect();
    program.write(
        "rails.co",
        &format!("define user ask more\n{}", strings.concat()),
    );
    let imported = guardrails(&program, &["import", "rails.co"]).ended_with(0);
    assert!(
        imported.err.contains("the first 10 of 12 examples"),
        "{}",
        imported.err
    );
    for wrong in ["0", "65"] {
        let program = program
            .clone()
            .owning(&format!("[memory]\nguardrail_examples = {wrong}\n"));
        let refused = guardrails(&program, &["list"]).ended_with(1);
        assert!(
            refused.err.contains("must be from 1 to 64"),
            "{}",
            refused.err
        );
    }
}
