//! Small files in the shapes that tools write.

use super::tools::{given, items};
use super::{import, labels, notes, validated};
use elenchus_test_support::program::Program;
use serde_json::{Value, json};

fn fixture(name: &str) -> String {
    format!(
        "{}/tests/fixtures/imported/tools/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn exports_as_tools_write_them_come_in_with_a_label_a_person_and_answer() {
    for (name, skips, kind) in [
        ("label_studio.csv", 0, "Label Studio"),
        ("label_studio_min.json", 0, "Label Studio"),
        ("label_studio.json", 1, "Label Studio"),
        ("argilla.json", 0, "Argilla"),
        ("potato.jsonl", 0, "Potato"),
        ("potato.tsv", 0, "Potato"),
    ] {
        let program = Program::new();
        let said = import(&program, &[&fixture(name)]).ended_with(0);
        let sign = format!("{name} is read as an export of {kind}");
        assert!(said.err.contains(&sign), "{}", said.err);
        assert!(said.out.contains("imported 4 sessions"), "{said:?}");
        assert_eq!(labels(&program), given(&items(), ""), "{name}");
        assert_eq!(notes(&program).len(), skips, "{name}");
        assert_eq!(validated(&program)["left_out"]["tie"], 1, "{name}");
    }
}

#[test]
fn exports_of_one_project_in_several_forms_are_the_same_sessions_and_labels() {
    let program = Program::new();
    for name in [
        "label_studio.csv",
        "label_studio_min.json",
        "label_studio.json",
    ] {
        import(&program, &[&fixture(name)]).ended_with(0);
    }
    assert_eq!(program.sessions().len(), 4);
    assert_eq!(labels(&program), given(&items(), ""));
}

#[test]
fn labels_of_a_file_that_names_nobody_are_called_after_it() {
    let program = Program::new();
    let said = import(&program, &[&fixture("doccano.jsonl")]).ended_with(0);
    assert!(
        said.err
            .contains("4 answers by nobody who is named: called 'doccano'"),
        "{said:?}"
    );
    let mut alone = items();
    for item in &mut alone {
        item.said.truncate(1);
        item.said[0].0 = None;
    }
    assert_eq!(labels(&program), given(&alone, "doccano"));
}

#[test]
fn who_skipped_what_is_a_note_beside_the_answer() {
    let program = Program::new();
    let said = import(&program, &[&fixture("label_studio.json"), "--check"]).ended_with(0);
    assert!(
        said.out
            .contains("7 labels of people and 0 labels of programs; 1 skip by people"),
        "{said:?}"
    );
    let said = import(&program, &[&fixture("label_studio.json")]).ended_with(0);
    assert!(
        said.err.contains("1 answer skipped (was_cancelled)"),
        "{said:?}"
    );
    assert!(said.out.contains("1 skip, kept as notes"), "{said:?}");
    let again = import(&program, &[&fixture("label_studio.json")]).ended_with(0);
    assert!(again.out.contains("0 skips, 1 there already"), "{again:?}");
    let (by, text) = notes(&program).pop_first().unwrap();
    assert!(by.contains("7-safety"), "{by}");
    assert!(
        text.contains("skipped") && text.contains("was_cancelled"),
        "{text}"
    );
    program.run(&["verify"]).ended_with(0);
    let listed = program.run(&["labels", "list"]).ended_with(0);
    assert!(
        listed
            .err
            .contains("7-safety skipped 1 answer of a file (safety)"),
        "{listed:?}"
    );
    let listed = program.run(&["labels", "list", "--json"]).ended_with(0);
    let counts = listed.out.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        (
            line["annotator"].clone(),
            line["labels"].clone(),
            line["skipped"].clone(),
        )
    });
    let counts: Vec<(Value, Value, Value)> = counts.collect();
    let (ada, ben) = (json!("ada@example.org-safety"), json!("7-safety"));
    assert_eq!(
        counts,
        [(ben, json!(3), json!(1)), (ada, json!(4), json!(0))]
    );
}

#[test]
fn a_sheet_of_texts_with_numbers_needs_what_the_numbers_mean() {
    let program = Program::new();
    let said = import(&program, &[&fixture("number_labels.csv")]).ended_with(1);
    assert!(said.err.contains("--map 0=LABEL,1=LABEL"), "{said:?}");
    assert!(
        said.err.contains("'0' by 'number_labels' is no label"),
        "{said:?}"
    );
    let map = [&fixture("number_labels.csv"), "--map", "0=safe,1=unsafe"];
    let said = import(&program, &map).ended_with(0);
    assert!(
        said.err
            .contains("one column, 'text', holds what was labelled"),
        "{said:?}"
    );
    let words: Vec<String> = labels(&program)
        .into_iter()
        .map(|(.., label)| label)
        .collect();
    assert_eq!(words, ["unsafe", "safe"]);
    assert_eq!(program.sessions().len(), 2);
}
