//! Experiments: one loop, and one place that pays for calls.

use std::fs;
use std::path::Path;

/// The files of all crates and of the program that hold one of these words.
fn files_with(words: &[&str]) -> Vec<String> {
    fn collect(folder: &Path, words: &[&str], found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("src/tests") {
                continue;
            }
            if path.is_dir() {
                collect(&path, words, found);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                if words.iter().any(|word| code.contains(word)) {
                    found.push(path.to_str().unwrap().to_owned());
                }
            }
        }
    }
    let mut found = Vec::new();
    for root in super::crate_roots() {
        collect(&root, words, &mut found);
    }
    found.sort();
    found
}

#[test]
fn items_run_side_by_side_in_one_loop_and_steps_of_a_debate_in_another() {
    let loops = files_with(&["FuturesUnordered", "buffer_unordered", ".buffered("]);
    assert_eq!(
        loops,
        [
            "crates/run/src/engine/play/mod.rs",
            "crates/run/src/experiments/engine/perform.rs"
        ]
    );
}

#[test]
fn calls_are_reserved_in_a_debate_and_in_paid_calls_alone() {
    let reserving = files_with(&["budget.reserve("]);
    assert_eq!(
        reserving,
        [
            "crates/run/src/engine/paid_call.rs",
            "crates/run/src/engine/play/calls.rs"
        ]
    );
}

#[test]
fn experiments_get_their_budget_pause_and_resume_in_the_engine_alone() {
    let engine = |file: &String| file.starts_with("crates/run/src/experiments/engine/");
    let budgets = files_with(&[
        "Budget::new_unattended(",
        "Budget::with_ceilings(",
        ".with_pause(",
    ]);
    let budgets: Vec<_> = budgets.iter().filter(|file| !engine(file)).collect();
    // A single debate has a budget of its own.
    assert_eq!(budgets, ["src/cli/run/one.rs"]);
    let journals = files_with(&[
        "resume_journal::<",
        "journals().begin_journal(",
        "::resume_event(",
        "::pause_event(",
    ]);
    let of_experiments =
        |file: &&String| file.starts_with("crates/run/src/experiments/") && !engine(file);
    let others: Vec<_> = journals.iter().filter(of_experiments).collect();
    assert!(others.is_empty(), "{others:?}");
}
