//! Several processes in one store.

use elenchus_test_support::journals::wait_until;
use elenchus_test_support::program::{Program, Running};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn a_run_goes_on(program: &Program) -> Running {
    let running = program.start(&[
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "pred",
        "--model",
        "slow",
        "--concurrency",
        "1",
    ]);
    wait_until("replies", || program.finished_calls() > 0);
    running
}

/// Replies take so long that other commands are done between two of them.
fn home(latency_ms: u64) -> Program {
    Program::with_topics(&format!("[sims.slow]\nlatency_ms = {latency_ms}\n"))
}

#[test]
fn others_read_and_begin_sessions_while_a_run_goes_on() {
    let program = home(120);
    let mut run = a_run_goes_on(&program);
    let first = program.session_files().remove(0);
    let id = first.file_stem().unwrap().to_str().unwrap().to_owned();
    let before = fs::read(&first).unwrap();
    program.run_ok(&["ls"]);
    program.run_ok(&["ls", "--runs"]);
    program.run_ok(&["show", &id]);
    program.run_ok(&["metrics"]);
    program.run_ok(&["verify"]);
    let own = program.play(&["--protocol", "standard", "--topic", "Is it salty?"]);
    program.run_ok(&["show", &own]);
    assert!(!run.is_over(), "the run must still be going on");
    let after = fs::read(&first).unwrap();
    assert!(after.starts_with(&before), "a reader changed a journal");
    let ran = run.finish();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(program.debates().len(), 6);
    program.run_ok(&["verify"]);
}

#[test]
fn what_another_process_drives_is_refused_and_its_process_is_named() {
    let program = home(3000);
    let mut run = a_run_goes_on(&program);
    let pid = format!("process {}", run.pid());
    let first = program.session_files().remove(0);
    let id = first.file_stem().unwrap().to_str().unwrap().to_owned();
    let why = program.run_err(1, &["run", "--resume-session", &id]);
    assert!(why.contains(&pid) && why.contains(&id), "{why}");
    let run_id = program.run_id().unwrap();
    let why = program.run_err(1, &["run", "--resume", &run_id]);
    assert!(why.contains(&pid) && why.contains(&run_id), "{why}");
    assert!(!run.is_over(), "the run must still be going on");
    run.kill();
    program.run_ok(&["verify"]);
}

#[test]
fn a_single_session_that_another_process_drives_is_refused_too() {
    let program = home(1500);
    let mut one = program.start(&[
        "run",
        "--protocol",
        "standard",
        "--model",
        "slow",
        "--topic",
        "Is it?",
    ]);
    wait_until("replies", || program.finished_calls() > 0);
    let path = program.session_files().remove(0);
    let id = path.file_stem().unwrap().to_str().unwrap();
    let why = program.run_err(1, &["run", "--resume-session", id]);
    assert!(why.contains(&format!("process {}", one.pid())), "{why}");
    assert!(!one.is_over(), "the session must still be going on");
    assert_eq!(one.finish().code, 0);
    // Once it is over anybody may open it; there is nothing left to do.
    program.run_ok(&["run", "-q", "--resume-session", id]);
    assert_eq!(program.debates().len(), 1);
}

#[test]
fn a_run_that_is_interrupted_stops_between_calls_and_goes_on_later() {
    let program = home(120);
    let run = a_run_goes_on(&program);
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &run.pid().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    let ran = run.finish();
    assert_eq!(ran.code, 4, "{}", ran.err);
    let id = program.run_id().unwrap();
    assert!(ran.err.contains(&format!("--resume {id}")), "{}", ran.err);
    let ls = program.run_ok(&["ls", "--runs"]);
    assert!(ls.contains("paused"), "{ls}");
    program.run_ok(&["run", "-q", "--resume", &id, "--concurrency", "8"]);
    assert_eq!(program.debates().len(), 5);
    assert!(
        program
            .debates()
            .values()
            .all(|debate| debate.said.len() == 9)
    );
    program.run_ok(&["verify"]);
}

fn modes(folder: &Path, into: &mut BTreeMap<PathBuf, u32>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        into.insert(path.clone(), metadata.permissions().mode() & 0o7777);
        if metadata.is_dir() {
            modes(&path, into);
        }
    }
}

#[test]
fn everything_in_a_store_is_its_owners_alone_whatever_the_umask() {
    for umask in ["000", "027", "077"] {
        let program = Program::with_topics("");
        let mut shell = std::process::Command::new("sh");
        let binary = env!("CARGO_BIN_EXE_elenchus");
        let steps = [
            "run -q --dataset own:topics.csv --protocol pred --rounds 1 --memory textual",
            "run -q --protocol standard --topic Why?",
            "ls",
            "verify --repair-cache",
            "export -o \"$HOME/out\"",
            "--store \"$HOME/other\" import \"$HOME/out\"",
        ];
        let steps = steps.map(|step| format!("{binary} {step}"));
        let script = format!("umask {umask} && {}", steps.join(" && "));
        program.surround(&mut shell);
        shell.env("ELENCHUS_LOG", "trace");
        let output = shell.args(["-c", &script]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "umask {umask}: {text}");
        let mut found = BTreeMap::from([(program.store(), mode(&program.store()))]);
        modes(&program.store(), &mut found);
        for place in ["home/out", "home/other"] {
            found.insert(program.path(place), mode(&program.path(place)));
            modes(&program.path(place), &mut found);
        }
        assert!(found.len() > 30);
        for (path, mode) in found {
            let wanted = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, wanted, "{} with umask {umask}", path.display());
        }
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}
