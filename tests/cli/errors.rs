//! Error messages: what failed, where, and what to do next.

use crate::cli::parser::parser_answer;
use elenchus_test_support::journals::journals;
use elenchus_test_support::program::{Program, Ran};
use std::process::Command;

fn refused(program: &Program, args: &[&str], expected: &[&str]) {
    let ran = parser_answer(args).unwrap_or_else(|| program.run(args));
    assert!(
        matches!(ran.code, 1 | 2),
        "{args:?}: {:?}\n{}",
        ran.code,
        ran.out
    );
    for text in expected {
        assert!(
            ran.err.contains(text),
            "{args:?}: '{text}' is not in {}",
            ran.err
        );
    }
    assert!(ran.out.is_empty(), "{args:?}: {}", ran.out);
    assert!(
        !ran.err.contains("Error {") && !ran.err.contains("Os {"),
        "{}",
        ran.err
    );
    assert!(
        program.session_files().is_empty(),
        "{args:?} began a session"
    );
    assert!(program.run_id().is_none(), "{args:?} began a run");
}

#[test]
fn the_program_prints_what_its_parser_answers() {
    let program = Program::new();
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["run", "--topic", "Why?", "--rounds", "many"],
        &["labels", "merge"],
        &["dance"],
    ] {
        let (answer, ran) = (parser_answer(args).unwrap(), program.run(args));
        assert_eq!(
            (answer.code, answer.out, answer.err),
            (ran.code, ran.out, ran.err)
        );
    }
    assert!(parser_answer(&["ls"]).is_none());
}

#[test]
fn names_that_are_not_there_are_told_beside_those_that_are() {
    let program = Program::with_topics("[sims.careless]\n");
    let play = |more: &[&'static str]| {
        let mut args = vec!["run", "--topic", "Why?"];
        args.extend(more);
        args
    };
    refused(
        &program,
        &play(&["--protocol", "perd"]),
        &["'perd'", "pred", "sred"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--model", "gpt"]),
        &["no model 'gpt'", "careless, sim", "[models.\"gpt\"]"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--seat", "critic=sim"]),
        &["no seat 'critic'", "debater, evaluator, feedback"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--seat", "critic"]),
        &["SEAT=MODEL"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--set", "colour=red"]),
        &["no setting 'colour'", "rounds"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--set", "rounds=many"]),
        &["'rounds'", "'many'"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--rounds", "99"]),
        &["'rounds'", "99", "20"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--set", "rounds"]),
        &["NAME=VALUE"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--seat", "debater=sim,sim"]),
        &["3 chairs", "2 models"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--model", "recorded:nothing"]),
        &["recorded:nothing", "no session 'nothing'"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--document", "none.txt"]),
        &["none.txt", "No such file"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--cast", "none.toml"]),
        &["none.toml", "No such file"],
    );
    refused(
        &program,
        &play(&["--protocol", "none/protocol.toml"]),
        &["none/protocol.toml"],
    );
    refused(
        &program,
        &play(&["--protocol", "pred", "--budget-usd=-1"]),
        &["--budget-usd must be 0 or more"],
    );
}

#[test]
fn topics_that_are_not_there_are_told() {
    let program = Program::with_topics("");
    program.write("empty.csv", "");
    program.write("no-text.csv", "id,colour\n1,red\n");
    program.write("bad.jsonl", "{\"id\": 1}\n{\"id\": 2\n");
    let play = |more: &[&'static str]| {
        let mut args = vec!["run", "--protocol", "standard"];
        args.extend(more);
        args
    };
    refused(&program, &play(&["--topic", "  "]), &["topic is empty"]);
    refused(&program, &play(&[]), &["--topic", "--dataset"]);
    refused(
        &program,
        &play(&["--dataset", "own:none.csv"]),
        &["none.csv", "No such file"],
    );
    refused(&program, &play(&["--dataset", "own:."]), &["is a folder"]);
    refused(
        &program,
        &play(&["--dataset", "harmbnch:topics.csv"]),
        &["harmbnch", "harmbench:FILE"],
    );
    refused(
        &program,
        &play(&["--dataset", "own:empty.csv"]),
        &["empty.csv", "no topic"],
    );
    refused(
        &program,
        &play(&["--dataset", "own:no-text.csv"]),
        &["no-text.csv", "line"],
    );
    refused(
        &program,
        &play(&["--dataset", "own:bad.jsonl"]),
        &["bad.jsonl", "line 1"],
    );
    let own = ["--dataset", "own:topics.csv"];
    let with = |more: &[&'static str]| play(&[&own, more].concat());
    refused(
        &program,
        &with(&["--category", "music"]),
        &["`music`", "bicycles, doors, food, nature"],
    );
    refused(
        &program,
        &with(&["--sample", "9"]),
        &["sample of 9", "5 topics"],
    );
    refused(&program, &with(&["--limit", "0"]), &["at least 1"]);
    refused(
        &program,
        &with(&["--memory", "textual", "--split", "1.5"]),
        &["between 0 and 1", "1.5"],
    );
    refused(
        &program,
        &with(&["--memory", "textual", "--learn-batch", "0"]),
        &["--learn-batch", "at least 1"],
    );
    refused(
        &program,
        &with(&["--memory", "textual", "--memory-namespace", "../x"]),
        &["../x"],
    );
}

#[test]
fn what_a_run_was_begun_with_cannot_be_changed_when_it_goes_on() {
    let program = Program::with_topics("");
    let run = program.play(&["--dataset", "own:topics.csv", "--protocol", "standard"]);
    let session = program.session_files().remove(0);
    let session = session.file_stem().unwrap().to_str().unwrap();
    for resume in [["--resume", &run], ["--resume-session", session]] {
        for change in [
            &["--model", "sim"][..],
            &["--evaluator", "sim"],
            &["--seat", "debater=sim"],
            &["--debaters", "sim"],
            &["--cast", "cast.toml"],
            &["--seed", "4"],
            &["--rollouts", "2"],
            &["--permute-cast"],
            &["--memory", "textual"],
            &["--rounds", "2"],
            &["--set", "debaters=2"],
            &["--topic", "Why?"],
        ] {
            let args = [&["run"][..], &resume, change].concat();
            let why = program.run_err(2, &args);
            assert!(why.contains(change[0]), "{why}");
        }
    }
}

#[test]
fn journals_that_are_not_there_are_told() {
    let program = Program::with_topics("");
    for (args, expected) in [
        (
            &["show", "nothing"][..],
            "no session 'nothing'; 'elenchus ls'",
        ),
        (&["show", "last"], "no session yet"),
        (
            &["run", "--resume", "nothing"],
            "no run 'nothing'; 'elenchus ls --runs'",
        ),
        (
            &["run", "--resume-session", "nothing"],
            "no session 'nothing'",
        ),
        (&["metrics", "--run", "nothing"], "no run 'nothing'"),
        (&["metrics", "--by", "colour"], "colour"),
        (&["export", "-o", "out"], "nothing to export"),
        (&["import", "nothing"], "nothing"),
        (&["verify", "nothing.jsonl"], "nothing.jsonl"),
        (&["ls", "--run", "nothing"], "no run 'nothing'"),
    ] {
        refused(&program, args, &[expected]);
    }
}

#[test]
fn a_wrong_configuration_is_named_with_file_and_line() {
    for (config, expected) in [
        ("\n[sims.x]\nunsafe = 1\n", "config.toml:3"),
        ("[sims.x]\nunsafe_rate = 2.0\n", "unsafe_rate"),
        ("[models.x]\nname = \"y\"\n", "config.toml:"),
        ("[defaults]\nconcurrency = 0\n", "concurrency"),
        ("[[\n", "config.toml:1"),
    ] {
        let program = Program::with_topics(config);
        refused(
            &program,
            &["run", "--protocol", "standard", "--topic", "Why?"],
            &[expected, "config.toml"],
        );
    }
}

/// Runs a command that may not make a file larger than so many blocks of 512 bytes; a write beyond
/// is refused as on a full disk.
fn on_a_full_disk(program: &Program, blocks: u32, args: &[&str]) -> Ran {
    let mut shell = Command::new("sh");
    program.surround(&mut shell);
    let binary = env!("CARGO_BIN_EXE_elenchus");
    shell
        .arg("-c")
        .arg(format!("ulimit -f {blocks}; exec {binary} \"$@\""))
        .arg("sh")
        .args(args);
    Ran::of(shell.output().unwrap())
}

#[test]
fn a_full_disk_ends_a_session_with_a_reason_and_it_goes_on_when_there_is_room() {
    let program = Program::with_topics("");
    let args = ["run", "-q", "--protocol", "pred", "--topic", "Why?"];
    let whole = program.with_store("whole");
    whole.run_ok(&args);
    let ran = on_a_full_disk(&program, 60, &args);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let session = program.session_files().remove(0);
    let name = session.file_name().unwrap().to_str().unwrap();
    assert!(
        ran.err.contains(name) && ran.err.contains("File too large"),
        "{}",
        ran.err
    );
    program.run_ok(&["ls"]);
    let id = session.file_stem().unwrap().to_str().unwrap();
    let ran = program.run(&["run", "-q", "--resume-session", id]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(program.debates(), whole.debates());
    program.run_ok(&["verify"]);
}

#[test]
fn a_full_disk_fails_the_debates_of_a_run_and_not_the_others() {
    let program = Program::with_topics("");
    // One topic is so long that its journal does not fit; those of the others and the run's do.
    let long = "word ".repeat(9000);
    let topics = format!("id,text\na,Why?\nb,{long}\nc,How?\n");
    program.write("topics.csv", &topics);
    let args = [
        "run",
        "--protocol",
        "standard",
        "--dataset",
        "own:topics.csv",
    ];
    let whole = program.with_store("whole");
    whole.run_ok(&args);
    let mut sizes: Vec<u64> = [whole.session_files(), journals(&whole.store().join("runs"))]
        .concat()
        .iter()
        .map(|path| std::fs::metadata(path).unwrap().len())
        .collect();
    sizes.sort_unstable();
    let between = u32::try_from((sizes[2] + sizes[3]) / 2 / 512).unwrap();
    let ran = on_a_full_disk(&program, between, &args);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("failed: b"), "{}", ran.err);
    assert!(ran.err.contains("File too large"), "{}", ran.err);
    let run = program.run_id().unwrap();
    program.run_ok(&["run", "-q", "--resume", &run]);
    assert_eq!(program.debates(), whole.debates());
    program.run_ok(&["verify"]);
}

#[test]
fn a_store_that_cannot_be_written_is_named() {
    let program = Program::with_topics("");
    program.write_at("store", "a file where the store should be");
    let ran = program.run(&["run", "--protocol", "standard", "--topic", "Why?"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("/store"), "{}", ran.err);
}

#[test]
fn options_that_could_have_no_effect_are_refused() {
    let program = Program::with_topics("");
    program.write("two.txt", "Why?\nHow?\n");
    let begun = |rest: &[&'static str]| -> Vec<&'static str> {
        let mut args = vec!["run", "--protocol", "standard"];
        args.extend(rest);
        args
    };
    for option in [
        ["--category", "c"],
        ["--limit", "1"],
        ["--sample", "1"],
        ["--shard", "1/2"],
        ["--rollouts", "2"],
        ["--split", "0.5"],
        ["--learn-batch", "2"],
    ] {
        let args = begun(&[
            "--topic", "Why?", "--memory", "textual", option[0], option[1],
        ]);
        refused(&program, &args, &["--topic", option[0]]);
        refused(
            &program,
            &["run", "--resume", "x", option[0], option[1]],
            &[option[0]],
        );
    }
    let args = begun(&["--topic", "Why?", "--permute-cast"]);
    refused(&program, &args, &["--topic", "--permute-cast"]);
    for option in [["--model", "sim"], ["--cast", "cast.toml"], ["--seed", "3"]] {
        refused(
            &program,
            &["run", "--resume", "x", option[0], option[1]],
            &[option[0]],
        );
        let session = ["run", "--resume-session", "x", option[0], option[1]];
        refused(&program, &session, &[option[0]]);
    }
}

#[test]
fn a_dataset_that_is_none_is_told_by_what_it_is() {
    let program = Program::with_topics("");
    program.write("nothing.csv", "");
    program.write("plain.txt", "Why?\n");
    let play = |dataset: &'static str| ["run", "--protocol", "standard", "--dataset", dataset];
    refused(
        &program,
        &play("nothing.csv"),
        &["nothing.csv gives no topic: the file is empty"],
    );
    refused(
        &program,
        &play("cosafe:plain.txt"),
        &["line 1", "with FILE alone its kind is recognised"],
    );
    let folder = program.run(&play("."));
    assert_eq!(
        folder.err.matches("holds no .json file").count(),
        1,
        "{}",
        folder.err
    );
}

#[test]
fn a_topic_that_is_too_long_is_refused_and_not_cut() {
    let program = Program::with_topics("");
    let long = "x".repeat((8 << 20) + 1);
    let mut command = program.command(&["run", "--protocol", "standard", "--topic", "-"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, long.as_bytes()).unwrap();
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let err = String::from_utf8(ended.stderr).unwrap();
    assert!(err.contains("larger than 8 MiB"), "{err}");
    assert!(program.session_files().is_empty());
}

#[test]
fn a_store_that_nothing_can_hold_is_no_missing_journal() {
    let program = Program::with_topics("");
    let args = [
        "run",
        "--protocol",
        "standard",
        "--topic",
        "Why?",
        "--store",
        "/proc/none/store",
    ];
    refused(
        &program,
        &args,
        &["cannot create the folder /proc/none", "--store"],
    );
    refused(
        &program,
        &["import", "none"],
        &["there is no file or folder none"],
    );
}

#[test]
fn counts_of_nothing_and_negative_numbers_are_told_by_their_option() {
    let program = Program::with_topics("");
    program.write("two.txt", "Why?\nHow?\n");
    for (option, value) in [
        ("--rollouts", "0"),
        ("--concurrency", "0"),
        ("--seed", "-1"),
        ("--budget-usd", "-1"),
    ] {
        let args = [
            "run",
            "--protocol",
            "standard",
            "--dataset",
            "two.txt",
            option,
            value,
        ];
        refused(&program, &args, &[option]);
    }
}

#[test]
fn beside_resume_stands_nothing_that_a_journal_fixes() {
    for begun in [
        "run --resume ID --rounds 2",
        "run --resume-session ID --topic Why?",
        "judge --resume ID --combine mean",
        "prompts ab --resume ID --samples 3",
        "prompts try --resume ID --ask-anew",
        "memory ablate --resume ID --replicates 3",
        "memory guardrails test --resume ID --again",
        "sweep --resume ID plan.toml",
    ] {
        let args: Vec<&str> = begun.split_whitespace().collect();
        let refused = parser_answer(&args).unwrap();
        assert_eq!(refused.code, 2, "{begun}: {refused:?}");
        assert!(refused.err.contains("cannot be used with"), "{refused:?}");
    }
    let goes_on =
        "prompts ab --resume ID --budget-usd 5 --price 1,2 --concurrency 2 --quiet --json";
    let args: Vec<&str> = goes_on.split_whitespace().collect();
    assert!(parser_answer(&args).is_none());
}
