//! Versions of prompts and their labels.

use super::{changed, hash, versions};
#[cfg(target_os = "linux")]
use elenchus_test_support::opened::OpenedFiles;
use elenchus_test_support::program::Program;

const PROMPT: &str = "sred/socratic";
const FILE: &str = ".elenchus/prompts/sred/socratic.md";

/// A program whose Socratic prompt is a person's own, with the built-in one labelled.
fn edited() -> Program {
    let program = Program::new();
    program
        .run(&["prompts", "label", PROMPT, "now", "first"])
        .ended_with(0);
    let mine = changed(&program, "Ask one thing.");
    program.write(FILE, &mine);
    program
}

#[test]
fn a_label_stands_on_one_version_and_is_listed_there() {
    let program = edited();
    let all = versions(&program);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].ends_with("(as it is now)"), "{all:?}");
    assert!(all[1].contains("[first]"), "{all:?}");
    let moved = program.run(&["prompts", "label", PROMPT, "now", "first"]);
    let moved = moved.ended_with(0);
    assert!(
        moved
            .err
            .contains(&format!("which {} was until now", hash(&all[1]))),
        "{}",
        moved.err
    );
    let after = versions(&program);
    let labelled: Vec<&String> = after
        .iter()
        .filter(|line| line.contains("[first]"))
        .collect();
    assert_eq!(labelled.len(), 1, "{after:?}");
    assert_eq!(hash(labelled[0]), hash(&all[0]));
    program
        .run(&["prompts", "label", PROMPT, "--remove", "first"])
        .ended_with(0);
    assert!(!versions(&program).concat().contains("[first]"));
    let again = program.run(&["prompts", "label", PROMPT, "--remove", "first"]);
    assert!(again.ended_with(1).err.contains("has no labels"));
}

#[test]
fn an_earlier_version_is_used_again_and_the_replaced_one_stays() {
    let program = edited();
    let built_in = changed(&Program::new(), "").trim_end().to_owned();
    let mine = std::fs::read_to_string(program.work().join(FILE)).unwrap();
    let restored = program.run(&["prompts", "restore", PROMPT, "first"]);
    assert!(restored.ended_with(0).err.contains("is kept as"));
    let now = program.run(&["prompts", "show", PROMPT]).ended_with(0).out;
    assert_eq!(now.trim_end(), built_in);
    // What stood there was never used in a debate: it is in the book alone.
    let all = versions(&program);
    assert_eq!(all.len(), 2, "{all:?}");
    let mine_now = all.iter().find(|line| !line.contains("as it is now"));
    let back = hash(mine_now.unwrap());
    program
        .run(&["prompts", "restore", PROMPT, &back])
        .ended_with(0);
    let file = std::fs::read_to_string(program.work().join(FILE)).unwrap();
    assert_eq!(file, mine);
}

#[test]
fn two_versions_are_compared_by_label_and_by_hash() {
    let program = edited();
    let named = format!("{PROMPT}@first");
    let first = hash(&versions(&program)[1]);
    for one in ["first", &named, &first] {
        let differ = program.run(&["prompts", "diff", one, PROMPT]).ended_with(0);
        assert!(differ.out.contains("+Ask one thing."), "{}", differ.out);
        assert_eq!(differ.out.matches("\n-").count(), 0, "{}", differ.out);
    }
    let none = program.run(&["prompts", "diff", "second", PROMPT]);
    let none = none.ended_with(1);
    assert!(
        none.err.contains("no text of any prompt has the label"),
        "{}",
        none.err
    );
}

#[test]
fn a_label_that_could_be_a_hash_or_is_no_word_is_refused() {
    let program = edited();
    for label in ["cafe", "two words", "", "a/b", "now"] {
        let refused = program.run(&["prompts", "label", PROMPT, "now", label]);
        refused.ended_with(1);
    }
    assert_eq!(versions(&program).len(), 2);
}

#[test]
fn a_kept_text_that_was_changed_is_named_and_the_others_are_listed() {
    let program = edited();
    program
        .run(&["prompts", "restore", PROMPT, "first"])
        .ended_with(0);
    let all = versions(&program);
    let lost = hash(&all[0]);
    let texts = program.store().join("prompts/texts");
    for file in std::fs::read_dir(&texts).unwrap() {
        let path = file.unwrap().path();
        if path.to_string_lossy().contains(&lost) {
            std::fs::write(&path, "something else").unwrap();
        }
    }
    let verified = program.run(&["verify"]);
    assert!(
        verified.out.contains("the kept prompt is not"),
        "{verified:?}"
    );
    assert!(
        verified.out.contains("1 kept prompt changed"),
        "{verified:?}"
    );
    assert_ne!(verified.code, 0);
    assert!(!versions(&program).is_empty());
}

#[test]
fn several_people_label_at_once_and_nothing_is_lost() {
    let program = edited();
    let labels: Vec<String> = (0..8).map(|at| format!("label-{at}")).collect();
    let going: Vec<_> = labels
        .iter()
        .map(|label| program.start(&["prompts", "label", PROMPT, "now", label]))
        .collect();
    for one in going {
        one.finish().ended_with(0);
    }
    let log = program.run(&["prompts", "log", PROMPT]).ended_with(0);
    for label in &labels {
        assert!(log.out.contains(&format!("[{label}]")), "{}", log.out);
    }
    program.run(&["verify"]).ended_with(0);
}

#[cfg(target_os = "linux")]
#[test]
fn versions_that_the_index_has_are_listed_without_opening_a_session() {
    let program = Program::new();
    let play = || program.play(&["--protocol", "sred", "--topic", "Is it?", "--rounds", "1"]);
    let first = play();
    let log = |program: &Program| program.run_ok(&["prompts", "log", "sred/socratic"]);
    let listed = log(&program);
    assert!(listed.contains("in 1 session"), "{listed}");
    let opened = OpenedFiles::watch(&program.store());
    assert_eq!(log(&program), listed);
    assert_eq!(opened.names(), Vec::<String>::new());
    // Only what is new is read, and what is gone is forgotten.
    let second = play();
    let opened = OpenedFiles::watch(&program.store());
    let listed = log(&program);
    let mut opened = opened.names();
    opened.sort();
    opened.dedup();
    assert!(listed.contains("in 2 sessions"), "{listed}");
    assert_eq!(opened, [second.clone(), format!("{second}.jsonl")]);
    std::fs::remove_file(program.session_file(&first)).unwrap();
    std::fs::remove_file(program.session_file(&second)).unwrap();
    let gone = log(&program);
    assert!(gone.contains("no debate of this store"), "{gone}");
}
