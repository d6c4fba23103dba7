//! Folders of other people's debates: recognised by content; other files are skipped and listed.

use elenchus_test_support::program::{Program, Ran};
use std::fs;

fn import(program: &Program, args: &[&str]) -> Ran {
    program.run(&[&["labels", "import"], args].concat())
}

/// What RedDebate leaves behind, as its code writes it: debates, how far it is and its lessons in a
/// folder for each run, and figures elsewhere.
fn reddebate() -> String {
    format!(
        "{}/tests/fixtures/imported/reddebate",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn reddebate_s_own_folders_are_looked_into_and_what_is_no_debate_is_skipped_and_named() {
    let program = Program::new();
    let said = import(&program, &[&reddebate()]).ended_with(0);
    assert!(said.out.contains("imported 3 sessions"), "{said:?}");
    for named in [
        "skipped",
        "checkpoints/debate_1/checkpoint.json",
        "checkpoints/debate_1/feedback_dict.json",
        "results/1/metrics.json",
        "4 files that are no debates",
    ] {
        assert!(said.err.contains(named), "{named}: {said:?}");
    }
    // The folder of one run, of which everything is there already.
    let one = format!("{}/checkpoints/debate_1", reddebate());
    let said = import(&program, &[&one, "--check"]).ended_with(0);
    assert!(said.err.contains("checkpoint.json"), "{said:?}");
    assert!(said.out.contains("would take 2 sessions"), "{said:?}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_folder_without_any_debate_is_refused_with_what_was_looked_at() {
    let program = Program::new();
    let said = import(&program, &[&format!("{}/results", reddebate())]).ended_with(1);
    for part in [
        "there is no debate here",
        "1/metrics.json: not a debate",
        "harmbench_q0.json",
    ] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    fs::create_dir_all(program.work().join("empty/within")).unwrap();
    let said = import(&program, &["empty"]).ended_with(1);
    assert!(
        said.err
            .contains("empty holds no file that ends with .json"),
        "{said:?}"
    );
    // Named by itself a file is meant, whatever it holds.
    let file = format!("{}/checkpoints/debate_1/checkpoint.json", reddebate());
    let said = import(&program, &[&file]).ended_with(1);
    assert!(said.err.contains("no debate of RedDebate's"), "{said:?}");
    assert_eq!(program.store_files(), Vec::new());
}

#[test]
fn a_broken_debate_in_a_folder_is_refused_and_not_skipped() {
    let program = Program::new();
    fs::create_dir_all(program.work().join("runs/one")).unwrap();
    let debate = r#"{"question": {"text": "t"}, "responses": [{"Agent-0": {"response": "a", "is_safe": true}}], "feedback": ""}"#;
    program.write("runs/one/own_q0.json", debate);
    program.write("runs/one/own_q1.json", &debate[..60]);
    let said = import(&program, &["runs"]).ended_with(1);
    assert!(
        said.err
            .contains("refused: one/own_q1.json:1: the file is no JSON"),
        "{said:?}"
    );
    let said = import(&program, &["runs", "--skip-bad-rows"]).ended_with(0);
    assert!(said.out.contains("imported 1 session\n"), "{said:?}");
}

#[test]
fn folders_that_lie_too_deep_are_refused() {
    let program = Program::new();
    let deep: String = "d/".repeat(12);
    fs::create_dir_all(program.work().join(&deep)).unwrap();
    let said = import(&program, &["d"]).ended_with(1);
    assert!(said.err.contains("folders deep"), "{said:?}");
}

#[test]
fn a_file_that_is_no_text_is_refused_by_its_content_whatever_it_is_called() {
    let program = Program::new();
    for (name, bytes, what) in [
        ("a.csv", &b"PK\x03\x04\x14\0\0\0"[..], "a zip archive"),
        ("b.json", b"\x1f\x8b\x08\0\0\0", "compressed by gzip"),
        ("c.jsonl", b"PAR1\x15\x04", "a Parquet file"),
        ("d.csv", b"\xff\xfep\0r\0", "UTF-16"),
        ("e.csv", b"prompt,completion\na,b\0\n", "binary data"),
    ] {
        fs::write(program.work().join(name), bytes).unwrap();
        let said = import(&program, &[name]).ended_with(1);
        let told = format!("refused: {name}:1: the file");
        assert!(
            said.err.contains(&told) && said.err.contains(what),
            "{said:?}"
        );
    }
    assert_eq!(program.store_files(), Vec::new());
}
