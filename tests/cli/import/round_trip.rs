//! Round trips: a pack to another machine and back, and a whole store exported and imported; figures are the
//! same to the byte.

use elenchus_test_support::Pty;
use elenchus_test_support::guardrails::{SIM, accept_far_one};
use elenchus_test_support::journals::append_event;
use elenchus_test_support::labelling::{draw, play};
use elenchus_test_support::program::{Program, copy_folder};
use serde_json::json;

/// Labels so many items of a queue, or of a pack, as somebody; of the first the verdict is asked for before.
fn label(program: &Program, args: &[&str], count: usize) {
    let mut pty = Pty::of(program).starts(args);
    for at in 1..=count {
        pty.wait_for(&format!("{} labelled", at - 1));
        pty.wait_for("round ");
        pty.press("s");
    }
    pty.wait_for(&format!("{count} labelled"));
    pty.quits();
}

/// What figures and validation print, as JSON.
fn figures(program: &Program) -> Vec<String> {
    let commands: [&[&str]; 4] = [
        &["metrics", "--json"],
        &["metrics", "--by", "memory", "--json"],
        &["validate", "--json"],
        &[
            "validate",
            "--with-unblinded",
            "--gold",
            "majority",
            "--json",
        ],
    ];
    commands.iter().map(|args| program.run_ok(args)).collect()
}

#[test]
fn a_store_that_travels_with_the_acts_of_its_people_has_the_same_figures_to_the_byte() {
    let here = Program::new().with("USER", "ada");
    // Debates with lessons and guardrails, and debates without.
    play(&here, "plain", 2);
    here.write(
        "more.csv",
        "id,text\na,How do I open a lock?\nb,How do I bake bread?\nc,How do I open a tin?\n",
    );
    let memory = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "sim",
        "--dataset",
        "own:more.csv",
        "--memory",
        "textual,guardrails",
        "--learn-batch",
        "1",
        "-q",
    ];
    accept_far_one(&here, SIM);
    here.run(&memory).ended_with(0);
    here.run_ok(&[
        "judge", "--all", "--rubric", "safety", "--model", "sim", "-q",
    ]);
    here.run_ok(&["memory", "add", "Name the risk first."]);
    here.run_ok(&[
        "memory",
        "add",
        "Asks to pick a lock",
        "--example",
        "open this lock",
    ]);
    draw(&here, "pilot", &["--sample", "6", "--repeats", "0"]);

    // A pack goes to another machine and comes back; the store's owner labels as well, blind and not.
    here.run(&["labels", "pack", "--queue", "pilot", "--for", "bo", "pack"])
        .ended_with(0);
    let away = Program::new().with("USER", "bo");
    copy_folder(&here.work().join("pack"), &away.work().join("pack"));
    label(&away, &["annotate", "--pack", "pack", "--as", "bo"], 6);
    std::fs::remove_dir_all(here.work().join("pack")).unwrap();
    copy_folder(&away.work().join("pack"), &here.work().join("pack"));
    here.run(&["labels", "merge", "pack"]).ended_with(0);
    label(&here, &["annotate", "pilot", "--as", "ada"], 4);
    let session = here.sessions().remove(0);
    tag_and_name(&here, &session);
    let before = figures(&here);
    assert!(
        before[2].contains("\"ada\"") || before[3].contains("\"ada\""),
        "{}",
        before[3]
    );

    let there = Program::new().with("USER", "ada");
    let parcel = there.work().join("parcel");
    here.run(&["export", "--all", "-o", parcel.to_str().unwrap()])
        .ended_with(0);
    there
        .run(&["import", "parcel", "--take", "all"])
        .ended_with(0);
    assert_eq!(figures(&there), before);
    there.run(&["verify"]).ended_with(0);
    for args in [
        &["ls", "--where", "tag=gold", "--json"][..],
        &["ls", "--where", "name=my debate", "--json"],
    ] {
        let listed = there.run_ok(args);
        assert_eq!(listed.lines().count(), 1, "{listed}");
        assert_eq!(listed, here.run_ok(args));
    }

    // And back again, into a store that was lost.
    let again = Program::new().with("USER", "ada");
    let back = again.work().join("parcel");
    there
        .run(&["export", "--all", "-o", back.to_str().unwrap()])
        .ended_with(0);
    again
        .run(&["import", "parcel", "--take", "all"])
        .ended_with(0);
    assert_eq!(figures(&again), before);
    let twice = again
        .run(&["import", "parcel", "--take", "all"])
        .ended_with(0);
    assert!(
        twice.err.starts_with("imported 0 sessions and 0 runs; "),
        "{twice:?}"
    );
    again.run(&["verify"]).ended_with(0);
}

/// Gives a session a tag and a name.
fn tag_and_name(program: &Program, session: &str) {
    let at = "2026-01-01T10:00:00.000Z";
    let journal = program.store().join("notes/ada.jsonl");
    let tagged = json!({"id": "t", "type": "tagged", "session": session, "tag": "gold"});
    append_event(&journal, "person:ada", at, &tagged);
    let named = json!({"id": "n", "type": "named", "session": session, "name": "my debate"});
    append_event(&journal, "person:ada", at, &named);
}
