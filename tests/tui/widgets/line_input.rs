//! Input of one line: the cursor, words, and pastes.

use crate::tui::drawing::{ctrl, key};
use elenchus::tui::theme::{Look, Role};
use elenchus::tui::widgets::{LineInput, MAX_LINE_BYTES, Typed};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

/// Returns the byte of the text that the cursor is at: a letter typed there shows it.
fn cursor(line: &LineInput) -> usize {
    let mut line = line.clone();
    line.handle_key(key(KeyCode::Char('|')));
    line.text().find('|').unwrap()
}

#[test]
fn a_family_of_code_points_is_one_step_and_one_deletion() {
    let mut line = LineInput::new("a👩\u{200d}🔬e\u{301}");
    line.handle_key(key(KeyCode::Left));
    line.handle_key(key(KeyCode::Backspace));
    assert_eq!(line.text(), "ae\u{301}");
    line.handle_key(key(KeyCode::Delete));
    assert_eq!(line.text(), "a");
}

#[test]
fn words_are_stepped_over_and_the_beginning_is_emptied() {
    let mut line = LineInput::new("one two-three  four");
    line.handle_key(ctrl(KeyCode::Left));
    line.handle_key(ctrl(KeyCode::Left));
    line.handle_key(key(KeyCode::Char('|')));
    assert_eq!(line.text(), "one two-|three  four");
    line.handle_key(ctrl(KeyCode::Right));
    line.handle_key(ctrl(KeyCode::Char('u')));
    assert_eq!(line.text(), "four");
    line.handle_key(ctrl(KeyCode::Right));
    assert_eq!(line.handle_key(key(KeyCode::Char('!'))), Typed::Changed);
    assert_eq!(line.text(), "four!");
    assert_eq!(line.handle_key(key(KeyCode::PageUp)), Typed::Ignored);
}

#[test]
fn a_paste_stays_one_line_and_cannot_act() {
    let mut line = LineInput::new("");
    line.paste_text("a\r\nb\n\x1b[2J\n");
    assert_eq!(line.text(), "a b ␛[2J");
    line.paste_text(&"x".repeat(2 * MAX_LINE_BYTES));
    assert_eq!(line.text().len(), MAX_LINE_BYTES);
}

proptest! {
    #[test]
    fn the_cursor_is_always_inside_and_between_characters(
        text in "[a 日é👩\u{200d}\u{301}🇩🇪]{0,12}",
        keys in prop::collection::vec(0_usize..9, 0..30),
        width in 1_u16..12,
    ) {
        let mut line = LineInput::new(&text);
        let all = [
            key(KeyCode::Left), key(KeyCode::Right), key(KeyCode::Backspace),
            key(KeyCode::Delete), ctrl(KeyCode::Left), ctrl(KeyCode::Right),
            key(KeyCode::Char('\u{301}')), key(KeyCode::Char('🇩')), key(KeyCode::Char('\u{200d}')),
        ];
        for at in keys {
            line.handle_key(all[at]);
            let starts = line.text().grapheme_indices(true).map(|(at, _)| at);
            let mut places: Vec<usize> = starts.collect();
            places.push(line.text().len());
            prop_assert!(places.contains(&cursor(&line)), "{:?}", line);
        }
        let area = Rect::new(0, 0, width, 1);
        let mut buf = Buffer::empty(area);
        let look = Look::plain();
        let at = line.draw(area, &mut buf, &look, Role::Text);
        prop_assert!(area.contains(at), "{at:?} {line:?}");
    }
}
