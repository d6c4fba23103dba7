//! Several processes in one store.

use super::home::{Home, Running, wait_until};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn a_run_goes_on(home: &Home) -> Running {
    let running = home.start(&[
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
    wait_until("replies", || home.finished_calls() > 0);
    running
}

/// Replies take so long that other commands are done between two of them.
fn home(latency_ms: u64) -> Home {
    Home::with_config(&format!("[sims.slow]\nlatency_ms = {latency_ms}\n"))
}

#[test]
fn others_read_and_begin_sessions_while_a_run_goes_on() {
    let home = home(120);
    let mut run = a_run_goes_on(&home);
    let first = home.sessions().remove(0);
    let id = first.file_stem().unwrap().to_str().unwrap().to_owned();
    let before = fs::read(&first).unwrap();
    home.fine(&["ls"]);
    home.fine(&["ls", "--runs"]);
    home.fine(&["show", &id]);
    home.fine(&["metrics"]);
    home.fine(&["verify"]);
    let own = home.play(&["--protocol", "standard", "--topic", "Is it salty?"]);
    home.fine(&["show", &own]);
    assert!(!run.is_over(), "the run must still be going on");
    let after = fs::read(&first).unwrap();
    assert!(after.starts_with(&before), "a reader changed a journal");
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(home.debates().len(), 6);
    home.fine(&["verify"]);
}

#[test]
fn what_another_process_drives_is_refused_and_its_process_is_named() {
    let home = home(3000);
    let mut run = a_run_goes_on(&home);
    let pid = format!("process {}", run.pid());
    let first = home.sessions().remove(0);
    let id = first.file_stem().unwrap().to_str().unwrap().to_owned();
    let why = home.refused(1, &["run", "--resume-session", &id]);
    assert!(why.contains(&pid) && why.contains(&id), "{why}");
    let run_id = home.run_id().unwrap();
    let why = home.refused(1, &["run", "--resume", &run_id]);
    assert!(why.contains(&pid) && why.contains(&run_id), "{why}");
    assert!(!run.is_over(), "the run must still be going on");
    run.kill();
    home.fine(&["verify"]);
}

#[test]
fn a_single_session_that_another_process_drives_is_refused_too() {
    let home = home(1500);
    let mut one = home.start(&[
        "run",
        "--protocol",
        "standard",
        "--model",
        "slow",
        "--topic",
        "Is it?",
    ]);
    wait_until("replies", || home.finished_calls() > 0);
    let path = home.sessions().remove(0);
    let id = path.file_stem().unwrap().to_str().unwrap();
    let why = home.refused(1, &["run", "--resume-session", id]);
    assert!(why.contains(&format!("process {}", one.pid())), "{why}");
    assert!(!one.is_over(), "the session must still be going on");
    assert_eq!(one.end().code, Some(0));
    // Once it is over anybody may open it; there is nothing left to do.
    home.fine(&["run", "-q", "--resume-session", id]);
    assert_eq!(home.debates().len(), 1);
}

#[test]
fn a_run_that_is_interrupted_stops_between_calls_and_goes_on_later() {
    let home = home(120);
    let run = a_run_goes_on(&home);
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &run.pid().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    let ran = run.end();
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    let id = home.run_id().unwrap();
    assert!(ran.err.contains(&format!("--resume {id}")), "{}", ran.err);
    let ls = home.fine(&["ls", "--runs"]);
    assert!(ls.contains("paused"), "{ls}");
    home.fine(&["run", "-q", "--resume", &id, "--concurrency", "8"]);
    assert_eq!(home.debates().len(), 5);
    assert!(home.debates().values().all(|debate| debate.said.len() == 9));
    home.fine(&["verify"]);
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
        let home = Home::new();
        let mut shell = std::process::Command::new("sh");
        let program = env!("CARGO_BIN_EXE_elenchus");
        let steps = [
            "run -q --dataset own:topics.csv --protocol pred --rounds 1 --memory textual",
            "run -q --protocol standard --topic Why?",
            "ls",
            "verify --repair-cache",
            "export -o \"$HOME/out\"",
            "--store \"$HOME/other\" import \"$HOME/out\"",
        ];
        let steps = steps.map(|step| format!("{program} {step}"));
        let script = format!("umask {umask} && {}", steps.join(" && "));
        home.surround(&mut shell);
        shell.env("ELENCHUS_LOG", "trace");
        let output = shell.args(["-c", &script]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "umask {umask}: {text}");
        let mut found = BTreeMap::from([(home.store(), mode(&home.store()))]);
        modes(&home.store(), &mut found);
        for place in ["home/out", "home/other"] {
            found.insert(home.path(place), mode(&home.path(place)));
            modes(&home.path(place), &mut found);
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
