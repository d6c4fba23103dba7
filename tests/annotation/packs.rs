//! Packs: sent to a colleague, labelled there, merged.

use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, items, labels, played};
use elenchus_test_support::program::Program;

/// Labels the first so many items of a pack as somebody.
pub(super) fn label(program: &Program, who: &str, count: usize, of: usize) {
    let mut pty = Pty::of(program).starts(&["annotate", "--pack", "pack", "--as", who]);
    for at in 1..=count {
        pty.wait_for(&format!("{at} of {of}"));
        pty.wait_for(&format!("{} labelled", at - 1));
        pty.wait_for("round ");
        pty.press("s");
    }
    pty.wait_for(&format!("{count} labelled"));
    pty.quits();
    assert!(pty.screen().contains("--pack pack"), "{}", pty.screen());
}

#[test]
fn a_pack_tells_no_verdict_and_comes_back_with_how_each_item_was_drawn() {
    let program = played(3);
    draw(
        &program,
        "pilot",
        &["--strata", "verdict", "--sample", "8", "--repeats", "0"],
    );
    program
        .run(&["labels", "pack", "--queue", "pilot", "--for", "bo", "pack"])
        .ended_with(0);
    let pack = program.work().join("pack");
    let mut whole = String::new();
    for folder in ["sheets", "queues", "notes", "sessions"] {
        for entry in std::fs::read_dir(pack.join(folder)).unwrap() {
            whole.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
        }
    }
    for word in [
        "verdict=",
        "judged",
        "\"protocol\"",
        "llama",
        "\"sim\"",
        "\"model\"",
        "[sim ",
    ] {
        assert!(!whole.contains(word), "the pack tells '{word}'");
    }
    let verified = program.run(&["verify", "--store", pack.to_str().unwrap()]);
    verified.ended_with(0);

    label(&program, "bo", 3, 8);
    let merged = program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert!(merged.err.contains("bo: took 3 marks"), "{}", merged.err);
    let given = labels(&program, "bo");
    let drawn = items(&program, "pilot");
    for label in &given {
        let item = drawn.iter().find(|item| item["on"] == label["on"]);
        assert!(item.is_some(), "{label}");
        assert_eq!(label["marks_cut"], true, "{label}");
        let stratum = label["drawn"]["stratum"].as_str().unwrap();
        assert!(stratum.starts_with("verdict="), "{label}");
        assert_eq!(label["blind"]["is"], "blind", "{label}");
    }
    let once = program.store_files();
    let again = program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert!(
        again.err.contains("bo: took 0 marks, had 3 already"),
        "{}",
        again.err
    );
    assert_eq!(labels(&program, "bo").len(), 3);
    assert_eq!(program.store_files().len(), once.len());

    // What is labelled later comes with the next merge, and only that.
    label_more(&program);
    let later = program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert!(
        later.err.contains("bo: took 1 mark, had 3 already"),
        "{}",
        later.err
    );
    assert_eq!(labels(&program, "bo").len(), 4);
    program.run(&["verify"]).ended_with(0);
}

fn label_more(program: &Program) {
    let mut pty = Pty::of(program).starts(&["annotate", "--pack", "pack", "--as", "bo"]);
    pty.wait_for("4 of 8");
    pty.wait_for("round ");
    // The verdict is not in a pack, however one asks.
    pty.press("V");
    pty.wait_for("will not be blind");
    pty.press("V");
    pty.wait_for("holds no verdicts");
    pty.press("s");
    pty.wait_for("5 of 8");
    pty.quits();
}

#[test]
fn a_pack_that_does_not_fit_is_refused_whole() {
    let program = played(2);
    draw(&program, "pilot", &["--sample", "4", "--repeats", "0"]);
    program
        .run(&["labels", "pack", "--queue", "pilot", "--for", "bo", "pack"])
        .ended_with(0);
    let same = ["labels", "pack", "--queue", "pilot", "--for", "bo", "pack"];
    let same = program.run(&same).ended_with(0);
    assert!(same.err.contains("is this pack already"), "{}", same.err);
    let other = program.run(&["labels", "pack", "--queue", "pilot", "--for", "eve", "pack"]);
    assert!(other.err.contains("is there already"), "{}", other.err);
    let again = program.run(&["labels", "pack", "--queue", "pilot", "pack"]);
    assert!(again.err.contains("is there already"), "{}", again.err);
    let missing = program.run(&["labels", "pack", "--queue", "nope", "elsewhere"]);
    assert!(missing.err.contains("labels queues"), "{}", missing.err);
    let none = program.run(&["labels", "merge", "work"]);
    assert!(none.err.contains("is no pack"), "{}", none.err);
    let no_pack = program.run(&["annotate", "--pack", "nowhere"]);
    assert!(no_pack.err.contains("is no pack"), "{}", no_pack.err);

    label(&program, "bo", 2, 4);
    let stranger = played(1);
    let pack = program.work().join("pack");
    let refused = stranger.run(&["labels", "merge", pack.to_str().unwrap()]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("does not have"), "{}", refused.err);
    assert!(!stranger.store().join("notes/bo.jsonl").exists());

    // A journal that was changed by hand is refused, and nothing of anybody is taken.
    let path = pack.join("notes/bo.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        text.replacen("\"label\":\"safe\"", "\"label\":\"good\"", 1),
    )
    .unwrap();
    let broken = program.run(&["labels", "merge", "pack"]);
    assert_eq!(broken.code, 1, "{}", broken.err);
    assert!(
        !program.store().join("notes/bo.jsonl").exists(),
        "{}",
        broken.err
    );
}
