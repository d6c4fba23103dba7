//! Links and pipes planted in a store.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const PRECIOUS: &str = "what must not be lost\n";

/// A program on which one simulated debate was played, and the debate's journal.
fn played() -> (Program, std::path::PathBuf) {
    let program = Program::new().with("USER", "ada");
    let topic = ["--topic", "How long does bread rest?", "-q"];
    program
        .run(&[&["run", "--protocol", "pred", "--rounds", "1"][..], &topic].concat())
        .ended_with(0);
    let journal = program
        .store()
        .join(format!("sessions/{}.jsonl", program.sessions()[0]));
    (program, journal)
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_holders_file_of_a_pack_that_is_a_link_destroys_nothing() {
    let (program, _) = played();
    program
        .run(&[
            "labels",
            "queue",
            "q",
            "--simulated",
            "--all",
            "--repeats",
            "0",
        ])
        .ended_with(0);
    program
        .run(&["labels", "pack", "--queue", "q", "pack"])
        .ended_with(0);
    program.write("precious.txt", PRECIOUS);
    let planted = program.work().join("pack/notes/bo.jsonl.lock");
    symlink(program.work().join("precious.txt"), &planted).unwrap();
    let mut pty = Pty::of(&program).starts(&["annotate", "--pack", "pack", "--as", "bo"]);
    pty.wait_for("0 labelled");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0, "{}", pty.screen());
    let now = std::fs::read_to_string(program.work().join("precious.txt")).unwrap();
    assert_eq!(now, PRECIOUS);
}

#[test]
fn a_journal_that_is_a_link_is_refused_by_name_and_its_target_stays_as_it_is() {
    let (program, journal) = played();
    let elsewhere = program.work().join("elsewhere.jsonl");
    std::fs::rename(&journal, &elsewhere).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    symlink(&elsewhere, &journal).unwrap();
    let shown = program.run(&["show", &program.sessions()[0]]).ended_with(1);
    assert!(shown.err.contains("is a link"), "{}", shown.err);
    assert!(shown.err.contains("move the file itself"), "{}", shown.err);
    assert_eq!(std::fs::read(&elsewhere).unwrap(), before);
}

#[test]
fn a_pipe_among_the_journals_is_named_and_waited_for_by_nobody() {
    let (program, _) = played();
    make_pipe(
        &program
            .store()
            .join("sessions/01m81dxq2wc2ryakknncsqkvx0.jsonl"),
    );
    make_pipe(
        &program
            .store()
            .join("runs/01m81dxq2wc2ryakknncsqkvx1.jsonl"),
    );
    for command in [&["ls"][..], &["ls", "--runs"], &["metrics"], &["validate"]] {
        let ended = program.start(command).finish();
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
    }
    let verified = program.start(&["verify"]).finish();
    assert!(
        verified.err.contains("pipe") || verified.out.contains("pipe"),
        "{verified:?}"
    );
}

#[test]
fn a_store_whose_folders_are_links_is_used_like_any_other() {
    let (program, _) = played();
    let scratch = program.work().join("scratch");
    std::fs::rename(program.store(), &scratch).unwrap();
    symlink(&scratch, program.store()).unwrap();
    std::fs::rename(scratch.join("sessions"), program.work().join("moved")).unwrap();
    symlink(program.work().join("moved"), scratch.join("sessions")).unwrap();
    program.run(&["ls"]).ended_with(0);
    program.run(&["show", "last"]).ended_with(0);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_lock_of_the_index_that_is_a_pipe_keeps_nobody_waiting() {
    let (program, _) = played();
    program.run(&["ls"]).ended_with(0);
    let lock = program.store().join("cache.lock");
    std::fs::remove_file(&lock).unwrap();
    make_pipe(&lock);
    for args in [&["ls"][..], &["show", "last"], &["metrics"]] {
        let ran = program.run(args).ended_with(0);
        assert!(!ran.out.is_empty(), "{ran:?}");
    }
}
