//! `elenchus examples`: the files that the commands of the manual read.

use elenchus_test_support::program::Program;
use std::path::PathBuf;

fn shipped() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/files");
    let mut names = Vec::new();
    let mut open = vec![folder.clone()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(&folder).unwrap();
                    names.push(name.display().to_string());
                }
            }
        }
    }
    names.sort();
    names
}

#[test]
fn all_files_are_written_and_a_second_time_none() {
    let program = Program::new();
    let written = program.run(&["examples"]).ended_with(0);
    let mut listed: Vec<&str> = written.out.lines().collect();
    listed.sort_unstable();
    let paths = shipped().into_iter().map(|name| format!("./{name}"));
    assert_eq!(listed, paths.collect::<Vec<_>>());
    assert!(program.work().join("cosafe/cosafe_theft.json").is_file());
    let again = program.run(&["examples"]).ended_with(0);
    assert_eq!(again.out, "");
    assert!(again.err.contains("0 files written"), "{}", again.err);
}

#[test]
fn a_file_of_ones_own_is_never_written_over_and_nothing_else_is_written_then() {
    let program = Program::new();
    program.write("topics.csv", "text\nMine\n");
    let refused = program.run(&["examples"]).ended_with(1);
    assert!(
        refused.err.contains("nothing was copied"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("topics.csv"), "{}", refused.err);
    assert!(!program.work().join("sums.csv").exists());
    let elsewhere = program.run(&["examples", "elsewhere"]).ended_with(0);
    assert!(
        elsewhere.err.contains("into elsewhere"),
        "{}",
        elsewhere.err
    );
    assert!(program.work().join("elsewhere/topics.csv").is_file());
    let mine = std::fs::read_to_string(program.work().join("topics.csv")).unwrap();
    assert_eq!(mine, "text\nMine\n");
}

/// The newest of its kind, wherever one is asked for.
#[test]
fn last_names_the_newest_run_pass_sweep_and_experiment() {
    let program = Program::new();
    let none = program.run(&["metrics", "--run", "last"]).ended_with(1);
    assert!(none.err.contains("there is no run yet"), "{}", none.err);
    program.run(&["examples"]).ended_with(0);
    let run = |limit: &str| {
        let args = ["run", "--protocol", "standard", "--dataset", "topics.csv"];
        program.run_ok(&[&args[..], &["--model", "sim", "--limit", limit, "-q"]].concat());
    };
    run("1");
    run("3");
    let listed = program.run_ok(&["ls", "--run", "last", "--json"]);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    program.run_ok(&["judge", "--run", "last", "--detector", "refusal", "-q"]);
    program.run_ok(&["metrics", "--pass", "last"]);
    let kind = |shown: String| shown.lines().next().unwrap().to_owned();
    let shown = kind(program.run_ok(&["experiments", "show", "last"]));
    assert!(shown.contains("pass"), "{shown}");
    program.write(
        "arms.toml",
        "dataset = \"topics.csv\"\nlimit = 1\nmodel = \"sim\"\nseeds = [1]\n[axes]\nprotocol = [\"standard\"]\n",
    );
    program.run_ok(&["sweep", "arms.toml", "-q"]);
    program.run_ok(&["sweep", "--show", "last"]);
    // The sweep's run is the newest.
    let listed = program.run_ok(&["ls", "--run", "last", "--json"]);
    assert_eq!(listed.lines().count(), 1, "{listed}");
}
