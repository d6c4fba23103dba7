//! Wrapped text: nothing lost, nothing too wide, nothing laid out twice.

use super::kit::{Screen, ansi};
use elenchus::tui::parts::{Paint, WrapCache, Wrapped, cells, graphemes};
use elenchus::tui::theme::Role;
use proptest::prelude::*;
use ratatui::style::{Color, Modifier};

fn lines(text: &str, width: u16) -> Vec<String> {
    let wrapped = Wrapped::new(text, width);
    (0..wrapped.len())
        .map(|line| wrapped.line(line).to_owned())
        .collect()
}

fn whole(wrapped: &Wrapped) -> String {
    (0..wrapped.len())
        .filter_map(|line| wrapped.text().get(wrapped.range(line)))
        .collect()
}

#[test]
fn lines_break_after_words_and_inside_a_word_only_when_it_is_too_long() {
    assert_eq!(lines("one two three", 7), ["one two", "three"]);
    assert_eq!(lines("one two three", 8), ["one two ", "three"]);
    assert_eq!(lines("a abcdefghij b", 4), ["a ", "abcd", "efgh", "ij b"]);
    assert_eq!(lines("a\n\nb\n", 4), ["a", "", "b"]);
    assert_eq!(lines("  indented text", 12), ["  indented ", "text"]);
    assert_eq!(lines("", 4), Vec::<String>::new());
    assert_eq!(lines("abc", 0), ["a", "b", "c"]);
}

#[test]
fn wide_characters_break_anywhere_and_clusters_never() {
    assert_eq!(lines("ab日本語", 5), ["ab日", "本語"]);
    assert_eq!(
        lines("e\u{301}e\u{301}e\u{301}", 2),
        ["e\u{301}e\u{301}", "e\u{301}"]
    );
    assert_eq!(
        lines("👩\u{200d}🔬👩\u{200d}🔬", 3),
        ["👩\u{200d}🔬", "👩\u{200d}🔬"]
    );
    // Wider than the line: it has a line of its own, and ratatui draws nothing of it.
    assert_eq!(lines("日本", 1), ["日", "本"]);
}

#[test]
fn hostile_text_is_shown_and_never_sent() {
    let wrapped = Wrapped::new("a\x1b[2J\u{202e}b\tc\r\n", 40);
    let screen = Screen::draw(40, 1, |area, buf| {
        wrapped.draw(area, buf, &ansi(), 0, Role::Text, &[]);
    });
    assert!(
        screen.text().contains("a␛[2J‹U+202E›b    c "),
        "{}",
        screen.text()
    );
    assert_eq!(
        wrapped.shown_at("a\x1b[2J\u{202e}".len()),
        "a␛[2J‹U+202E›".len()
    );
}

#[test]
fn paints_and_matches_are_laid_over_the_cells_they_mean() {
    let wrapped = Wrapped::new("日本 is safe, said Ana; SAFE again", 12);
    let paint = |word: &str, role| {
        let start = wrapped.text().find(word).unwrap();
        Paint {
            range: start..start + word.len(),
            role,
        }
    };
    let paints = [paint("safe, said", Role::Safe)];
    let matches: Vec<Paint> = wrapped
        .find("safe")
        .into_iter()
        .map(|range| Paint {
            range,
            role: Role::Match,
        })
        .collect();
    assert_eq!(matches.len(), 2);
    let screen = Screen::draw(12, 4, |area, buf| {
        wrapped.draw(area, buf, &ansi(), 0, Role::Text, &[&paints, &matches]);
    });
    assert_eq!(
        screen.style_of("safe,").bg,
        Some(Color::Yellow),
        "{}",
        screen.text()
    );
    assert!(
        screen
            .style_of("safe,")
            .add_modifier
            .contains(Modifier::UNDERLINED)
    );
    assert_eq!(screen.style_of("said").fg, Some(Color::Green));
    assert_eq!(screen.style_of("said").bg, Some(Color::Reset));
    assert_eq!(screen.style_of("Ana").fg, Some(Color::Reset));
    assert_eq!(screen.style_of("SAFE").bg, Some(Color::Yellow));
    assert_eq!(screen.style_of("is").fg, Some(Color::Reset));
}

#[test]
fn a_place_is_found_on_its_line() {
    let wrapped = Wrapped::new("one two three", 5);
    let at = |word: &str| wrapped.line_at(wrapped.text().find(word).unwrap());
    assert_eq!([at("one"), at("two"), at("three")], [0, 1, 2]);
    assert_eq!(wrapped.line_at(9_999), 2);
}

#[test]
fn a_cached_text_is_asked_for_once_and_grows() {
    let mut cache: WrapCache<u8> = WrapCache::default();
    assert_eq!(cache.get(&1, 10, || "one two").len(), 1);
    assert_eq!(cache.get(&1, 4, || unreachable!()).len(), 2);
    cache.push(&1, " three");
    assert_eq!(cache.get(&1, 20, || unreachable!()).text(), "one two three");
    cache.forget(&1);
    assert!(cache.is_empty());
}

#[test]
fn the_cache_lets_go_of_what_was_used_longest_ago() {
    let long = "x".repeat(499);
    let mut cache: WrapCache<u8> = WrapCache::with_room(1000);
    for key in [1, 2] {
        cache.get(&key, 1000, || &long);
    }
    cache.get(&1, 1000, || unreachable!());
    cache.get(&3, 1000, || &long);
    assert_eq!(cache.len(), 2);
    cache.get(&1, 1000, || unreachable!());
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c \n]{0,80}",
        "[a日é👩🔬🇩🇪ﾞ\u{fe0f}\u{fe0e}❤\u{200d}\u{301}\u{202e}\x1b\r\t \n]{0,60}",
        "(\\PC){0,40}",
    ]
}

proptest! {
    #[test]
    fn lines_give_the_text_back_and_none_is_too_wide(text in hostile(), width in 1_u16..20) {
        let wrapped = Wrapped::new(&text, width);
        prop_assert_eq!(whole(&wrapped), wrapped.text());
        for line in 0..wrapped.len() {
            let drawn = wrapped.line(line);
            let single = graphemes(drawn).count() == 1;
            prop_assert!(cells(drawn) <= usize::from(width) || single, "{drawn:?}");
            prop_assert!(!drawn.contains(|c: char| c.is_control()));
        }
    }

    #[test]
    fn growing_piece_by_piece_gives_the_same_lines_as_all_at_once(
        pieces in prop::collection::vec(hostile(), 0..6),
        width in 1_u16..20,
        other in 1_u16..20,
    ) {
        let mut grown = Wrapped::new("", other);
        for piece in &pieces {
            grown.push(piece);
        }
        grown.set_width(width);
        for piece in &pieces {
            grown.push(piece);
        }
        let text: String = pieces.iter().chain(&pieces).map(String::as_str).collect();
        prop_assert_eq!(grown, Wrapped::new(&text, width));
    }

    #[test]
    fn every_match_is_the_needle_in_some_case(text in "[abAB日éÉ ]{0,60}", needle in "[abé日]{1,3}") {
        let wrapped = Wrapped::new(&text, 9);
        let found = wrapped.find(&needle);
        for range in &found {
            prop_assert_eq!(text[range.clone()].to_lowercase(), needle.to_lowercase());
        }
        let naive = text.to_lowercase().matches(&needle.to_lowercase()).count();
        prop_assert_eq!(found.len(), naive);
    }
}
