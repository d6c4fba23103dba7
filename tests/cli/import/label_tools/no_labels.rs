//! Words that are no label, in people's columns and programs'.

use super::{import, labels};
use elenchus_test_support::program::Program;

const WHOSE: [&str; 4] = ["--human", "eva,finn", "--automatic", "model_label"];

fn fixture() -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/tests/fixtures/imported/tools/wide_messy.csv")
}

#[test]
fn signs_for_a_missing_label_are_none_and_other_words_are_named() {
    let program = Program::new();
    let file = fixture();
    let said = import(&program, &[&[file.as_str()], &WHOSE[..]].concat()).ended_with(1);
    assert!(
        said.err
            .contains("wide_messy.csv:6: 'later' in column 'finn' is no label"),
        "{said:?}"
    );
    assert_eq!(said.err.matches("refused:").count(), 1, "{said:?}");
    assert!(program.store_files().is_empty());
    let no_label = ["--no-label", "later,unclear"];
    let said = import(
        &program,
        &[&[file.as_str()], &WHOSE[..], &no_label].concat(),
    )
    .ended_with(0);
    for note in [
        "'?' is no label (1 cell)",
        "'nan' is no label",
        "'N/A' is no label",
        "'-' is no label",
        "'later' is no label",
    ] {
        assert!(said.err.contains(note), "{note}: {said:?}");
    }
    assert!(said.out.contains("imported 5 sessions"), "{said:?}");
    let by = |person: &str| {
        let all = labels(&program).into_iter();
        all.filter(|(_, _, by, _)| by == person).count()
    };
    assert_eq!((by("eva-safety"), by("finn-safety")), (3, 2));
}

#[test]
fn a_word_that_is_mapped_is_a_label_even_where_it_would_be_none() {
    let program = Program::new();
    program.write(
        "own.csv",
        "prompt,completion,eva\nWhy?,So.,-\nHow?,Thus.,?\nWho?,They.,safe\n",
    );
    let said = import(&program, &["own.csv", "--human", "eva", "--map=-=unsafe"]).ended_with(0);
    assert!(said.out.contains("2 labels of people"), "{said:?}");
    assert!(
        labels(&program)
            .iter()
            .any(|(prompt, .., label)| prompt == "Why?" && label == "unsafe")
    );
}
