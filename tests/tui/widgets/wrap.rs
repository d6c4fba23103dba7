//! Wrapped text: nothing lost, nothing too wide, nothing that acts on a terminal.

use elenchus::tui::theme::{Look, Role};
use elenchus::tui::widgets::{Paragraph, prose_paragraphs};
use elenchus::tui::widgets::{StyledLine, WrappedText, lay_out};
use elenchus::tui::widgets::{count_cells, graphemes};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

fn lines(text: &str, width: usize) -> Vec<String> {
    let lines = lay_out(&prose_paragraphs(Role::Text, 0, text), width);
    lines.iter().map(StyledLine::text).collect()
}

fn letters(text: &str) -> String {
    text.replace([' ', '\n'], "")
}

#[test]
fn lines_break_between_words_and_inside_a_word_only_when_it_is_too_long() {
    assert_eq!(lines("one two three", 7), ["one two", "three"]);
    assert_eq!(lines("one two three", 8), ["one two", "three"]);
    assert_eq!(lines("a abcdefghij b", 4), ["a ab", "cdef", "ghij", "b"]);
    assert_eq!(lines("a\n\nb\n", 4), ["a", "", "b"]);
    assert_eq!(lines("  indented text", 12), ["  indented", "text"]);
    assert_eq!(lines("", 4), Vec::<String>::new());
    assert_eq!(lines("abc", 0), ["a", "b", "c"]);
}

#[test]
fn a_text_of_others_has_a_bar_on_every_line_where_there_are_no_colours() {
    let words = "=> safe: a line that wraps";
    for (paragraph, expected) in [
        (
            Paragraph::new(Role::Text, words),
            ["  => safe: a ", "  line that  "],
        ),
        (
            Paragraph::new(Role::Text, words).mark_as_others(),
            ["| => safe: a ", "| line that  "],
        ),
    ] {
        let area = Rect::new(0, 0, 13, 2);
        let mut buffer = Buffer::empty(area);
        let laid_out = lay_out(&[paragraph.with_indent(2, 2)], 13);
        for (row, line) in area.rows().zip(&laid_out) {
            line.draw(&mut buffer, row, &Look::plain());
        }
        let symbol = |x: u16, y: u16| buffer[(x, y)].symbol().to_owned();
        let drawn = [0, 1].map(|y| (0..13).map(|x| symbol(x, y)).collect::<String>());
        assert_eq!(drawn, expected);
    }
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
    assert_eq!(lines("🇩🇪👍🏽", 2), ["🇩🇪", "👍🏽"]);
    // Wider than the line: it has a line of its own, and ratatui draws nothing of it.
    assert_eq!(lines("日本", 1), ["日", "本"]);
}

#[test]
fn hostile_text_is_shown_and_never_sent() {
    assert_eq!(
        lines("a\x1b[2J\u{202e}b\tc\r\n", 40),
        ["a␛[2J‹U+202E›b    c"]
    );
}

#[test]
fn lines_that_follow_hang_and_runs_keep_their_roles() {
    let paragraph = Paragraph::new(Role::Strong, "one").with_run(Role::Muted, " two three");
    let laid_out = lay_out(&[paragraph.with_indent(1, 3)], 9);
    assert_eq!(
        laid_out,
        [
            StyledLine {
                indent: 1,
                runs: vec![(Role::Strong, "one".into()), (Role::Muted, " two".into())],
                others: false,
            },
            StyledLine {
                indent: 3,
                runs: vec![(Role::Muted, "three".into())],
                others: false,
            },
        ]
    );
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
    fn nothing_is_lost_and_no_line_is_too_wide(text in hostile(), width in 1_usize..20) {
        let wrapped = lines(&text, width);
        for line in &wrapped {
            let seen = graphemes(line.trim()).filter(|one| count_cells(one) > 0);
            let single = seen.count() <= 1;
            prop_assert!(count_cells(line) <= width || single, "{line:?}");
            prop_assert!(!line.contains(|c: char| c.is_control()));
        }
        prop_assert_eq!(
            letters(&wrapped.concat()),
            letters(&lines(&text, 10_000).concat())
        );
    }
}

#[test]
fn a_variation_selector_behind_a_blank_is_shown_and_breaks_no_line() {
    let wrapped = lines("❤\t\u{fe0f}🇩\u{ff9e}🇩🔬", 4);
    for line in &wrapped {
        assert!(count_cells(line) <= 4, "{line:?} of {wrapped:?}");
    }
    assert!(wrapped.concat().contains("U+FE0F"), "{wrapped:?}");
}

#[test]
fn a_long_text_without_a_blank_is_kept_once() {
    let text = "x".repeat(1 << 20);
    for width in [20, 116] {
        let wrapped =
            WrappedText::from_paragraphs(&[Paragraph::new(Role::Text, text.as_str())], width);
        assert_eq!(wrapped.len(), text.len().div_ceil(width));
        // A line is three numbers, and all of the text one run.
        let lines = wrapped.len() * size_of::<[usize; 3]>();
        let run = size_of::<(usize, Role)>();
        assert!(wrapped.bytes() <= text.len() + lines + run, "{width}");
        assert!(wrapped.bytes() < 3 * text.len(), "{width}");
    }
}

#[test]
fn a_blank_that_does_not_fit_ends_its_line() {
    let wrapped = lay_out(&[Paragraph::new(Role::Text, "abc   defghijk")], 5);
    let lines: Vec<String> = wrapped.iter().map(StyledLine::text).collect();
    assert_eq!(lines, ["abc", "defgh", "ijk"]);
}

proptest! {
    #[test]
    fn a_paragraph_that_grows_loses_nothing_and_fits(
        pieces in prop::collection::vec("[a-c \\t日e\u{301}]{0,12}", 0..8),
        width in 2_usize..14,
    ) {
        let mut growing = WrappedText::from_paragraphs(&[Paragraph::default()], width);
        for piece in &pieces {
            growing.extend_last(Role::Text, piece);
        }
        let lines: Vec<String> = growing.lines_from(0).map(|line| line.text()).collect();
        let said = pieces.concat().replace('\t', "");
        prop_assert_eq!(letters(&lines.concat()), letters(&said));
        for line in &lines {
            prop_assert!(count_cells(line) <= width, "{line:?}");
        }
    }
}
