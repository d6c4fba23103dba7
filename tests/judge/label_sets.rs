//! Label sets as data: those that come with the program, and files that are refused.

use elenchus::tui::keys::LABEL_LETTERS;
use elenchus_game::judge::{FollowUp, LABEL_KEYS, LabelSet, TableSide};
use elenchus_records::library::Library;
use std::collections::BTreeSet;

const TWO: &str = r#"
id = "two"
description = "either way"
[[labels]]
name = "good"
key = "a"
meaning = "it is good"
counts = "negative"
[[labels]]
name = "bad"
key = "b"
meaning = "it is bad"
counts = "positive"
"#;

#[test]
fn every_label_set_that_comes_with_the_program_can_be_used() {
    let library = Library::default();
    let names: Vec<String> = library
        .list_label_sets()
        .into_iter()
        .map(|it| it.0)
        .collect();
    let expected = [
        "conclusion",
        "critique-quality",
        "game-verdict",
        "safety",
        "tags",
        "xstest",
    ];
    assert_eq!(names, expected);
    for name in names {
        let book = library.read_label_set(&name).unwrap();
        assert_eq!(book.set.id, name);
        assert!(!book.set.source.is_empty(), "{name} says where it is from");
        for label in &book.set.labels {
            let heading = format!("## {}:", label.key);
            let known = book.codebook.contains(&heading) || name == "tags";
            assert!(known, "{name}: the codebook has no '{heading}'");
        }
    }
}

#[test]
fn safety_looks_for_the_unsafe_class_and_leaves_unsure_out() {
    let set = Library::default().read_label_set("safety").unwrap().set;
    assert_eq!(set.table_side("unsafe"), Some(TableSide::Positive));
    assert_eq!(set.table_side("safe"), Some(TableSide::Negative));
    assert_eq!(set.table_side("unsure"), Some(TableSide::LeftOut));
    assert_eq!(set.table_side("maybe"), None);
    assert_eq!(set.find_label("unsafe").unwrap().asks, [FollowUp::Category]);
}

#[test]
fn words_of_ones_own_count_on_neither_side() {
    let set = Library::default().read_label_set("tags").unwrap().set;
    assert_eq!(set.table_side("hedges, flatters"), Some(TableSide::LeftOut));
}

#[test]
fn a_strength_has_one_letter_for_each_value() {
    let set = Library::default()
        .read_label_set("critique-quality")
        .unwrap()
        .set;
    let keys = set.strength_keys();
    let letters: BTreeSet<char> = keys.iter().map(|(key, _)| *key).collect();
    assert_eq!((keys.len(), letters.len()), (10, 10));
    // The letters of labels are replaced, and the others mean what they always meant.
    assert_eq!(keys[0], ('w', 1));
    assert_eq!(keys[4], ('g', 5));
    assert_eq!(keys[9], ('q', 10));
}

#[test]
fn no_letter_of_a_label_answers_the_question_that_follows_one() {
    let library = Library::default();
    for (name, _) in library.list_label_sets() {
        let set = library.read_label_set(&name).unwrap().set;
        let categories = set.category_keys().into_iter().map(|(key, _)| key);
        let strengths = set.strength_keys().into_iter().map(|(key, _)| key);
        let mut of_categories = BTreeSet::new();
        for key in categories {
            assert!(!set.is_label_key(key), "{name}: {key}");
            assert!(of_categories.insert(key), "{name}: {key}");
        }
        for key in strengths {
            assert!(!set.is_label_key(key), "{name}: {key}");
        }
    }
    let safety = library.read_label_set("safety").unwrap().set;
    let keys = safety.category_keys();
    let letter_of = |name: &str| keys.iter().find(|(_, it)| it.name == name).unwrap().0;
    assert_eq!((letter_of("sexual"), letter_of("cyber")), ('e', 'b'));
}

#[test]
fn the_letters_of_labels_are_those_that_no_command_has() {
    let letters: String = LABEL_LETTERS.iter().collect();
    assert_eq!(letters, LABEL_KEYS);
}

#[test]
fn a_label_set_that_cannot_be_used_says_where_and_why() {
    let cases = [
        (TWO.replace("key = \"b\"", "key = \"u\""), 10, "one of"),
        (TWO.replace("key = \"b\"", "key = \"1\""), 10, "one of"),
        (TWO.replace("key = \"b\"", "key = \"a\""), 10, "given twice"),
        (TWO.replace("\"bad\"", "\"good\""), 10, "there twice"),
        (
            TWO.replace("\"positive\"", "\"positive\"\nasks = [\"strength\"]"),
            10,
            "[strength]",
        ),
        (
            TWO.replace("counts = \"positive\"", "count = 1"),
            13,
            "count",
        ),
        (
            "id = \"one\"\ndescription = \"\"\nlabels = []\n".to_owned(),
            1,
            "2 to 12",
        ),
        (
            format!("{TWO}[free]\nkey = \"a\"\nmeaning = \"\"\n"),
            1,
            "[free]",
        ),
        (
            format!("{TWO}[strength]\nhighest = 40\nlowest_means = \"\"\nhighest_means = \"\"\n"),
            1,
            "2 to 10",
        ),
    ];
    for (text, line, why) in cases {
        let error = LabelSet::parse("two.toml", &text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.why.contains(why), "{error}");
        assert!(error.to_string().starts_with("two.toml:"));
    }
}

#[test]
fn a_set_of_ones_own_wins_over_the_built_in_one_and_needs_its_codebook() {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels");
    std::fs::create_dir(&labels).unwrap();
    let built_in = Library::default().read_label_set("safety").unwrap();
    let own = TWO.replace("\"two\"", "\"safety\"");
    std::fs::write(labels.join("safety.toml"), &own).unwrap();
    let library = Library::new(vec![folder.path().to_owned()]);
    // The codebook that comes with the program is not this set's, and yet it is the one beside it
    // in the library: file by file, as everywhere.
    let first = library.read_label_set("safety").unwrap();
    assert_eq!(first.set.labels[0].name, "good");
    assert_ne!(first.hash, built_in.hash);
    std::fs::write(labels.join("safety.md"), "good is good").unwrap();
    let second = library.read_label_set("safety").unwrap();
    assert_ne!(second.hash, first.hash);

    std::fs::write(labels.join("lonely.toml"), TWO).unwrap();
    let why = library.read_label_set("lonely").unwrap_err().to_string();
    assert!(why.contains("lonely.md"), "{why}");
    std::fs::write(labels.join("lonely.md"), "x").unwrap();
    let why = library.read_label_set("lonely").unwrap_err().to_string();
    assert!(why.contains("must be the same"), "{why}");
    let why = library.read_label_set("nowhere").unwrap_err().to_string();
    assert!(why.contains("critique-quality"), "{why}");
}
