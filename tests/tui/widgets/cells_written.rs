//! Cells that are written without asking for widths, as ratatui writes them.

use elenchus::tui::widgets::{clear_area, put_text};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Clear, Widget};

const AREA: Rect = Rect::new(2, 1, 12, 4);

fn dirty() -> Buffer {
    let mut buffer = Buffer::filled(AREA, Cell::new("x"));
    buffer.set_style(AREA, Style::new().fg(Color::Red).bold());
    buffer
}

#[test]
fn text_is_written_as_ratatui_writes_it_wherever_it_begins_and_ends() {
    let style = Style::new().fg(Color::Green).add_modifier(Modifier::ITALIC);
    for text in [
        "",
        "plain",
        "longer than the row is",
        "wïde 漢字",
        "tab\there",
    ] {
        for (x, room) in [(2, 12), (5, 3), (13, 9), (14, 4), (4, 0)] {
            let (mut ours, mut theirs) = (dirty(), dirty());
            let end = put_text(&mut ours, x, 2, text, room, style);
            let expected = theirs.set_stringn(x, 2, text, room.into(), style).0;
            assert_eq!((end, &ours), (expected, &theirs), "{text:?} at {x}, {room}");
        }
    }
}

#[test]
fn an_area_is_emptied_as_ratatui_empties_it_and_never_beyond_the_screen() {
    let style = Style::new().bg(Color::Blue);
    for area in [AREA, Rect::new(3, 2, 4, 2), Rect::new(10, 3, 40, 40)] {
        let (mut ours, mut theirs) = (dirty(), dirty());
        clear_area(&mut ours, area, style);
        let inside = area.intersection(AREA);
        Clear.render(inside, &mut theirs);
        theirs.set_style(inside, style);
        assert_eq!(ours, theirs);
    }
}
