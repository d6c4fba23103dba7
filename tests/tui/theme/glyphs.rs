//! Marks and lines, and signs on a terminal that has ASCII alone.

use crate::tui::drawing::ansi;
use elenchus::tui::theme::{Look, to_ascii};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

fn marks(look: &Look) -> Vec<&'static str> {
    let glyphs = look.glyphs();
    vec![
        glyphs.focus,
        glyphs.cursor,
        glyphs.bullet,
        glyphs.ellipsis,
        glyphs.separator,
        glyphs.turn,
        glyphs.safe,
        glyphs.unsafe_found,
        glyphs.middle,
        glyphs.unparsed,
        glyphs.refused,
        glyphs.empty,
        glyphs.open,
        glyphs.playing,
        glyphs.human,
        glyphs.folded,
        glyphs.unfolded,
        glyphs.up,
        glyphs.down,
        glyphs.left,
        glyphs.right,
        glyphs.bar,
        glyphs.bar_empty,
    ]
}

#[test]
fn every_mark_is_one_cell_wide() {
    for look in [ansi(), Look::plain()] {
        for mark in marks(&look) {
            assert_eq!(mark.width(), 1, "{mark}");
        }
    }
    assert!(marks(&Look::plain()).iter().all(|mark| mark.is_ascii()));
}

#[test]
fn marks_of_the_timeline_and_both_borders_differ() {
    for look in [ansi(), Look::plain()] {
        let glyphs = look.glyphs();
        let mut timeline = vec![
            glyphs.turn,
            glyphs.safe,
            glyphs.unsafe_found,
            glyphs.middle,
            glyphs.unparsed,
            glyphs.refused,
            glyphs.empty,
            glyphs.open,
            glyphs.playing,
            glyphs.human,
        ];
        timeline.sort_unstable();
        let all = timeline.len();
        timeline.dedup();
        assert_eq!(timeline.len(), all);
        assert_ne!(
            glyphs.border.horizontal_top,
            glyphs.border_focused.horizontal_top
        );
        assert_ne!(
            glyphs.border.vertical_left,
            glyphs.border_focused.vertical_left
        );
    }
}

#[test]
fn signs_become_ascii_in_their_cells_and_letters_stay() {
    let text = "a · b … \u{201c}é漢\u{201d} ␛[2J → ▶ ×";
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 1));
    buffer.set_stringn(0, 0, text, 40, Style::default());
    let before = buffer.clone();
    to_ascii(&mut buffer);
    let shown: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
    assert_eq!(shown.trim_end(), "a - b ~ \"é漢 \" ^[2J > > *");
    let wide = |buffer: &Buffer| {
        buffer
            .content
            .iter()
            .filter(|cell| cell.symbol() == "漢")
            .count()
    };
    assert_eq!(wide(&before), wide(&buffer));
}
