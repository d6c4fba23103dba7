//! Looks, keys, and drawing in memory.

use elenchus::tui::keys::KeyTable;
use elenchus::tui::theme::{Depth, GlyphSet, Look, parse_built_in};
use elenchus::tui::widgets::{ClickRows, Content, DrawContext};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use std::time::Instant;

pub fn look(theme: &str, depth: Depth, glyphs: GlyphSet) -> Look {
    parse_built_in()
        .resolve_theme(theme)
        .unwrap()
        .resolve_look(depth, glyphs)
}

pub fn ansi() -> Look {
    look("ansi", Depth::Sixteen, GlyphSet::Unicode)
}

/// A terminal in memory with something drawn on it.
pub struct Drawing(Terminal<TestBackend>);

impl Drawing {
    pub fn draw(width: u16, height: u16, draw: impl FnOnce(Rect, &mut Buffer)) -> Self {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| {
                let area = frame.area();
                draw(area, frame.buffer_mut());
            })
            .unwrap();
        Self(terminal)
    }

    pub fn text(&self) -> String {
        self.0.backend().to_string()
    }

    /// The style of the first cell of the first occurrence of a text.
    pub fn style_of(&self, text: &str) -> Style {
        let buffer = self.0.backend().buffer();
        for y in 0..buffer.area.height {
            for x in 0..buffer.area.width {
                let rest: String = (x..buffer.area.width)
                    .filter_map(|x| buffer.cell(Position::new(x, y)))
                    .map(|cell| cell.symbol())
                    .collect();
                if rest.starts_with(text) {
                    return buffer.cell(Position::new(x, y)).unwrap().style();
                }
            }
        }
        panic!("no '{text}' in\n{}", self.text());
    }
}

pub fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::from(code)
}

pub fn ctrl(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::CONTROL)
}

pub fn typed(text: &str) -> Vec<KeyEvent> {
    text.chars()
        .map(|c| KeyEvent::from(KeyCode::Char(c)))
        .collect()
}

/// Draws with what the workbench draws with, in a look: keys as they are by default, nothing masked.
pub fn with_brush<T>(look: &Look, draw: impl FnOnce(DrawContext<'_>) -> T) -> T {
    draw(DrawContext {
        look,
        content: Content::Shown,
        keys: &KeyTable::default(),
        rows: &ClickRows::default(),
        now: Instant::now(),
    })
}
