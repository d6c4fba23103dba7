//! What is found by some of its letters.

use elenchus::tui::widgets::rank_texts;

fn order(query: &str, texts: &[&str]) -> Vec<usize> {
    rank_texts(query, texts.iter().copied())
        .into_iter()
        .map(|ranked| ranked.index)
        .collect()
}

#[test]
fn letters_may_be_apart_and_the_best_match_comes_first() {
    assert_eq!(order("fo", &["first-unsafe", "fork", "open"]), [1]);
    assert_eq!(order("ru", &["reroll unsafe", "run-to-end"]), [1, 0]);
}

#[test]
fn an_empty_query_keeps_the_order() {
    assert_eq!(order("", &["b", "a"]), [0, 1]);
}

#[test]
fn the_letters_that_match_are_told_by_their_numbers() {
    let ranked = rank_texts("é", ["caf\u{e9}"]);
    assert_eq!(ranked.first().unwrap().letters, [3]);
}
