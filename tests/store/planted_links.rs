//! Links and pipes that somebody else put into a store.

use crate::support::Pty;
use crate::support::program::Desk;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const PRECIOUS: &str = "what must not be lost\n";

/// A desk on which one simulated debate was played, and the debate's journal.
fn played() -> (Desk, std::path::PathBuf) {
    let desk = Desk::new().with("USER", "ada");
    let topic = ["--topic", "How long does bread rest?", "-q"];
    desk.run(&[&["run", "--protocol", "pred", "--rounds", "1"][..], &topic].concat())
        .ended_with(0);
    let journal = desk
        .store()
        .join(format!("sessions/{}.jsonl", desk.sessions()[0]));
    (desk, journal)
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_holders_file_of_a_pack_that_is_a_link_destroys_nothing() {
    let (desk, _) = played();
    desk.run(&[
        "labels",
        "queue",
        "q",
        "--simulated",
        "--all",
        "--repeats",
        "0",
    ])
    .ended_with(0);
    desk.run(&["labels", "pack", "--queue", "q", "pack"])
        .ended_with(0);
    desk.write("precious.txt", PRECIOUS);
    let planted = desk.work().join("pack/notes/bo.jsonl.lock");
    symlink(desk.work().join("precious.txt"), &planted).unwrap();
    let mut pty = Pty::of(&desk).starts(&["annotate", "--pack", "pack", "--as", "bo"]);
    pty.wait_for("0 labelled");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0, "{}", pty.screen());
    let now = std::fs::read_to_string(desk.work().join("precious.txt")).unwrap();
    assert_eq!(now, PRECIOUS);
}

#[test]
fn a_journal_that_is_a_link_is_refused_by_name_and_its_target_stays_as_it_is() {
    let (desk, journal) = played();
    let elsewhere = desk.work().join("elsewhere.jsonl");
    std::fs::rename(&journal, &elsewhere).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    symlink(&elsewhere, &journal).unwrap();
    let shown = desk.run(&["show", &desk.sessions()[0]]).ended_with(1);
    assert!(shown.err.contains("is a link"), "{}", shown.err);
    assert!(shown.err.contains("move the file itself"), "{}", shown.err);
    assert_eq!(std::fs::read(&elsewhere).unwrap(), before);
}

#[test]
fn a_pipe_among_the_journals_is_named_and_waited_for_by_nobody() {
    let (desk, _) = played();
    make_pipe(
        &desk
            .store()
            .join("sessions/01m81dxq2wc2ryakknncsqkvx0.jsonl"),
    );
    make_pipe(&desk.store().join("runs/01m81dxq2wc2ryakknncsqkvx1.jsonl"));
    for command in [&["ls"][..], &["ls", "--runs"], &["metrics"], &["validate"]] {
        let ended = desk.start(command).finish();
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
    }
    let verified = desk.start(&["verify"]).finish();
    assert!(
        verified.err.contains("pipe") || verified.out.contains("pipe"),
        "{verified:?}"
    );
}

#[test]
fn a_store_whose_folders_are_links_is_used_like_any_other() {
    let (desk, _) = played();
    let scratch = desk.work().join("scratch");
    std::fs::rename(desk.store(), &scratch).unwrap();
    symlink(&scratch, desk.store()).unwrap();
    std::fs::rename(scratch.join("sessions"), desk.work().join("moved")).unwrap();
    symlink(desk.work().join("moved"), scratch.join("sessions")).unwrap();
    desk.run(&["ls"]).ended_with(0);
    desk.run(&["show", "last"]).ended_with(0);
    desk.run(&["verify"]).ended_with(0);
}
