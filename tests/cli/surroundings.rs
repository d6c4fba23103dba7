//! What surrounds the program is off: a home that is a file, little memory, a folder of prompts alone.

use elenchus_test_support::Pty;
use elenchus_test_support::program::{Program, Ran};
use std::path::Path;
use std::process::Command;

const DEBATE: [&str; 6] = ["run", "-q", "--model", "sim", "--topic", "A topic"];

/// Runs the program where no variable names the store, with this home.
fn at_home(program: &Program, home: &Path, args: &[&str]) -> Ran {
    let mut command = program.command(args);
    command.env_remove("ELENCHUS_STORE").env("HOME", home);
    Ran::of(command.output().unwrap())
}

#[test]
fn a_home_that_is_a_file_is_named_as_what_is_wrong() {
    let program = Program::new();
    let home = program.write("home-file", "");
    for args in [&["ls"][..], &DEBATE] {
        let ran = at_home(&program, &home, args).ended_with(1);
        assert!(ran.err.contains("look at HOME"), "{args:?}: {}", ran.err);
        for misleading in ["check the disk", "choose another id"] {
            assert!(!ran.err.contains(misleading), "{args:?}: {}", ran.err);
        }
    }
    let looked = at_home(&program, &home, &["doctor"]);
    let flat = looked.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("is no folder"), "{}", looked.out);
    assert!(
        !flat.contains("the first debate creates it"),
        "{}",
        looked.out
    );
}

#[test]
fn copied_prompts_do_not_take_the_sessions_along() {
    let program = Program::new();
    let home = program.home();
    let before = at_home(&program, &home, &DEBATE).ended_with(0).out;
    at_home(&program, &home, &["prompts", "eject", "pred"]).ended_with(0);
    assert!(program.work().join(".elenchus/prompts/pred").is_dir());
    let after = at_home(&program, &home, &DEBATE).ended_with(0).out;
    let listed = at_home(&program, &home, &["ls", "--json"])
        .ended_with(0)
        .out;
    for id in [before.trim(), after.trim()] {
        assert!(listed.contains(id), "{id}: {listed}");
    }
    // A project with a configuration keeps its own sessions, and it is said where the others are.
    program.write(".elenchus/config.toml", "");
    let own_store = home.join(".local/share/elenchus/store");
    let elsewhere = format!(
        "sessions of yours are in another store: elenchus --store {}",
        own_store.display()
    );
    for (args, code) in [
        (&["ls"][..], 0),
        (&["ls", "--runs"], 0),
        (&["memory", "list", "-n", "default.sim"], 1),
    ] {
        let ran = at_home(&program, &home, args).ended_with(code);
        assert_eq!(
            ran.err.matches(&elsewhere).count(),
            1,
            "{args:?}: {}",
            ran.err
        );
    }
    let mut pty = Pty::of(&program)
        .size(200, 30)
        .with("ELENCHUS_STORE", "")
        .starts(&[]);
    pty.wait_for("No sessions yet.");
    pty.wait_for(&elsewhere);
    pty.quits();
    let place = own_store.display().to_string();
    let there = at_home(&program, &home, &["--store", &place, "ls", "--json"]);
    assert!(there.ended_with(0).out.contains(before.trim()));
    let own = at_home(&program, &home, &DEBATE).ended_with(0).out;
    assert!(
        program
            .work()
            .join(format!(".elenchus/store/sessions/{}.jsonl", own.trim()))
            .is_file()
    );
    let listed = at_home(&program, &home, &["ls"]).ended_with(0);
    assert_eq!(listed.err, "", "{}", listed.err);
}

#[test]
fn little_address_space_turns_the_index_off_instead_of_waiting_for_ever() {
    let program = Program::new();
    let id = program.play(&["--model", "sim", "--topic", "A topic"]);
    let limited = |args: &str| {
        let mut command = Command::new("sh");
        let binary = env!("CARGO_BIN_EXE_elenchus");
        command.args(["-c", &format!("ulimit -v 500000; exec {binary} {args}")]);
        program.surround(&mut command);
        Ran::of(command.output().unwrap())
    };
    let listed = limited("ls --json").ended_with(0);
    assert!(listed.out.contains(&id), "{}{}", listed.out, listed.err);
    let repaired = limited("verify --repair-cache").ended_with(1);
    assert!(repaired.err.contains("(ulimit -v)"), "{}", repaired.err);
}

#[test]
fn a_simulated_model_that_would_never_end_is_refused() {
    for (setting, most) in [
        (
            "latency_ms = 18446744073709551615",
            "at most 3600000, an hour",
        ),
        ("latency_ms = 3600001", "at most 3600000, an hour"),
        ("tokens_per_reply = 4000000000", "at most 131072"),
    ] {
        let program = Program::configured(&format!("[sims.endless]\n{setting}\n"));
        let ran = program.run(&["run", "--model", "endless", "--topic", "A topic"]);
        assert_ne!(ran.code, 0, "{setting}");
        assert!(ran.err.contains(most), "{setting}: {}", ran.err);
    }
}

#[test]
fn without_a_charset_of_unicode_a_terminal_gets_ascii_and_a_pipe_the_text_as_it_is() {
    let program = Program::new();
    program.run_ok(&DEBATE);
    let shown = program.run_ok(&["show", "last"]);
    assert!(shown.contains('│'), "{shown}");
    let mut pty = Pty::of(&program)
        .size(100, 60)
        .without("LANG")
        .starts(&["show", "last"]);
    assert_eq!(pty.wait_for_exit().code, 0);
    let screen = pty.screen();
    assert!(screen.contains("| "), "{screen}");
    assert!(screen.is_ascii(), "{screen}");
}
