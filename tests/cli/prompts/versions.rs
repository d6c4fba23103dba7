//! What is kept of prompts, and what people call it.

use super::{changed, hash, versions};
use crate::support::program::Desk;

const PROMPT: &str = "sred/socratic";
const FILE: &str = ".elenchus/prompts/sred/socratic.md";

/// A desk whose Socratic prompt is a person's own, with the built-in one labelled.
fn edited() -> Desk {
    let desk = Desk::new();
    desk.run(&["prompts", "label", PROMPT, "now", "first"])
        .ended_with(0);
    let mine = changed(&desk, "Ask one thing.");
    desk.write(FILE, &mine);
    desk
}

#[test]
fn a_label_stands_on_one_version_and_is_listed_there() {
    let desk = edited();
    let all = versions(&desk);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].ends_with("(as it is now)"), "{all:?}");
    assert!(all[1].contains("[first]"), "{all:?}");
    let moved = desk.run(&["prompts", "label", PROMPT, "now", "first"]);
    let moved = moved.ended_with(0);
    assert!(
        moved
            .err
            .contains(&format!("which {} was until now", hash(&all[1]))),
        "{}",
        moved.err
    );
    let after = versions(&desk);
    let labelled: Vec<&String> = after
        .iter()
        .filter(|line| line.contains("[first]"))
        .collect();
    assert_eq!(labelled.len(), 1, "{after:?}");
    assert_eq!(hash(labelled[0]), hash(&all[0]));
    desk.run(&["prompts", "label", PROMPT, "--remove", "first"])
        .ended_with(0);
    assert!(!versions(&desk).concat().contains("[first]"));
    let again = desk.run(&["prompts", "label", PROMPT, "--remove", "first"]);
    assert!(again.ended_with(1).err.contains("has no labels"));
}

#[test]
fn an_earlier_version_is_used_again_and_the_replaced_one_stays() {
    let desk = edited();
    let built_in = changed(&Desk::new(), "").trim_end().to_owned();
    let mine = std::fs::read_to_string(desk.work().join(FILE)).unwrap();
    let restored = desk.run(&["prompts", "restore", PROMPT, "first"]);
    assert!(restored.ended_with(0).err.contains("is kept as"));
    let now = desk.run(&["prompts", "show", PROMPT]).ended_with(0).out;
    assert_eq!(now.trim_end(), built_in);
    // What stood there was never used in a debate: it is in the book alone.
    let all = versions(&desk);
    assert_eq!(all.len(), 2, "{all:?}");
    let mine_now = all.iter().find(|line| !line.contains("as it is now"));
    let back = hash(mine_now.unwrap());
    desk.run(&["prompts", "restore", PROMPT, &back])
        .ended_with(0);
    let file = std::fs::read_to_string(desk.work().join(FILE)).unwrap();
    assert_eq!(file, mine);
}

#[test]
fn two_versions_are_compared_by_label_and_by_hash() {
    let desk = edited();
    let named = format!("{PROMPT}@first");
    let first = hash(&versions(&desk)[1]);
    for one in ["first", &named, &first] {
        let differ = desk.run(&["prompts", "diff", one, PROMPT]).ended_with(0);
        assert!(differ.out.contains("+Ask one thing."), "{}", differ.out);
        assert_eq!(differ.out.matches("\n-").count(), 0, "{}", differ.out);
    }
    let none = desk.run(&["prompts", "diff", "second", PROMPT]);
    let none = none.ended_with(1);
    assert!(
        none.err.contains("no text of any prompt has the label"),
        "{}",
        none.err
    );
}

#[test]
fn a_label_that_could_be_a_hash_or_is_no_word_is_refused() {
    let desk = edited();
    for label in ["cafe", "two words", "", "a/b", "now"] {
        let refused = desk.run(&["prompts", "label", PROMPT, "now", label]);
        refused.ended_with(1);
    }
    assert_eq!(versions(&desk).len(), 2);
}

#[test]
fn a_kept_text_that_was_changed_is_named_and_the_others_are_listed() {
    let desk = edited();
    desk.run(&["prompts", "restore", PROMPT, "first"])
        .ended_with(0);
    let all = versions(&desk);
    let lost = hash(&all[0]);
    let texts = desk.store().join("prompts/texts");
    for file in std::fs::read_dir(&texts).unwrap() {
        let path = file.unwrap().path();
        if path.to_string_lossy().contains(&lost) {
            std::fs::write(&path, "something else").unwrap();
        }
    }
    let verified = desk.run(&["verify"]);
    assert!(
        verified.out.contains("the kept prompt is not"),
        "{verified:?}"
    );
    assert!(
        verified.out.contains("1 kept prompt changed"),
        "{verified:?}"
    );
    assert_ne!(verified.code, 0);
    assert!(!versions(&desk).is_empty());
}

#[test]
fn several_people_label_at_once_and_nothing_is_lost() {
    let desk = edited();
    let labels: Vec<String> = (0..8).map(|at| format!("label-{at}")).collect();
    let going: Vec<_> = labels
        .iter()
        .map(|label| desk.start(&["prompts", "label", PROMPT, "now", label]))
        .collect();
    for one in going {
        one.finish().ended_with(0);
    }
    let log = desk.run(&["prompts", "log", PROMPT]).ended_with(0);
    for label in &labels {
        assert!(log.out.contains(&format!("[{label}]")), "{}", log.out);
    }
    desk.run(&["verify"]).ended_with(0);
}
