//! Guardrails exported for NeMo Guardrails.
//!
//! The real package has parsed, loaded and run exactly the recorded export, with what it refused in
//! `accepted.json`: `tests/reference/check.sh` has it do so again.

use elenchus_test_support::program::Program;
use serde::Deserialize;
use std::fs;
use std::path::Path;

const FIXTURE: &str = "tests/fixtures/colang";
/// Set, the export is recorded instead of compared.
const RECORD: &str = "ELENCHUS_TEST_RECORD";

/// An intent whose words the grammar reads as something else, and examples that would end a string,
/// begin an expression or hide something.
#[derive(Deserialize)]
struct Hostile {
    intent: String,
    examples: Vec<String>,
}

#[test]
fn hostile_guardrails_are_exported_as_the_real_package_has_accepted_them() {
    let program = Program::new();
    let hostile = fs::read_to_string(Path::new(FIXTURE).join("hostile.json")).unwrap();
    let hostile: Vec<Hostile> = serde_json::from_str(&hostile).unwrap();
    let guardrails = |args: &[&str]| program.run_ok(&[&["memory", "guardrails"], args].concat());
    for Hostile { intent, examples } in hostile {
        let intent = format!("--intent={intent}");
        let examples: Vec<String> = (examples.iter())
            .map(|text| format!("--example={text}"))
            .collect();
        let mut add = vec!["add", &intent];
        add.extend(examples.iter().map(String::as_str));
        let id = guardrails(&add);
        guardrails(&["accept", "--untested", id.trim()]);
    }
    guardrails(&["export", "--colang", "out"]);
    for name in ["guardrails.co", "config.yml"] {
        let exported = without_ids(&program.read(&format!("work/out/{name}")));
        let path = Path::new(FIXTURE).join(name);
        if std::env::var_os(RECORD).is_some() {
            fs::write(path, exported).unwrap();
        } else {
            assert_eq!(exported, fs::read_to_string(path).unwrap(), "{name}");
        }
    }
}

/// Ids are drawn anew by every export's guardrails, and stand in comments.
fn without_ids(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| match line.strip_prefix("# written-") {
            Some(_) => "# written-ID\n".to_owned(),
            None => format!("{line}\n"),
        });
    lines.collect()
}
