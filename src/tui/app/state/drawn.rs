//! Drawing of the workbench: the top screen, its overlay, and the status line.

use super::{App, Overlay, SMALLEST};
use crate::tui::app::screen::Screen;
use crate::tui::keys::spelled;
use crate::tui::theme::{GlyphSet, Role, to_ascii};
use crate::tui::widgets::{Content, DrawContext, body_and_foot, count_cells, draw_line, fill_area};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::time::Instant;

impl App {
    /// Says whether seconds that pass are shown.
    pub fn counts_seconds(&self) -> bool {
        let top = self.screens.last();
        top.is_some_and(|screen| screen.counts_seconds())
    }

    /// Draws everything and returns the position of the terminal's cursor.
    pub fn draw(&mut self, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        let cursor = self.draw_all(buffer, now);
        match self.glyphs {
            GlyphSet::Unicode => {}
            GlyphSet::Ascii => to_ascii(buffer),
        }
        cursor
    }

    fn draw_all(&mut self, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        let area = buffer.area;
        fill_area(area, buffer, &self.look);
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            let text = format!(
                "elenchus needs {}×{} cells; this is {}×{}",
                SMALLEST.0, SMALLEST.1, area.width, area.height
            );
            let style = self.look.style(Role::Notice);
            draw_line(
                buffer,
                area.as_position(),
                area.width,
                &text,
                style,
                &self.look,
            );
            return None;
        }
        let below = self.draw_top_line(buffer, area);
        self.rows.clear();
        let context = DrawContext {
            look: &self.look,
            content: self.content,
            keys: &self.keys,
            rows: &self.rows,
            now,
        };
        let [body, _] = body_and_foot(below, 1);
        let cursor = match self.screens.last_mut() {
            Some(screen) => screen.draw(buffer, body, context),
            None => None,
        };
        self.draw_status_line(buffer, area);
        let look = &self.look;
        if self.overlay.is_some() {
            self.rows.begin_popup();
        }
        match &self.overlay {
            None => cursor,
            Some(Overlay::Help(help)) => help.draw(area, buffer, context),
            Some(Overlay::Dialog(dialog)) => dialog.draw(area, buffer, context),
            Some(Overlay::Themes(picker)) => {
                picker.draw(area, buffer, context);
                None
            }
            Some(Overlay::Which(which)) => {
                which.draw(area, buffer, look);
                None
            }
        }
    }

    /// The last row: what is going on, and the keys that are worth knowing now.
    fn draw_status_line(&self, buffer: &mut Buffer, area: Rect) {
        let Some(screen) = self.screens.last() else {
            return;
        };
        let look = &self.look;
        let [_, row] = body_and_foot(area, 1);
        let y = row.y;
        fill_area(row, buffer, look);
        buffer.set_style(row, look.style(Role::StatusLine));
        let pending = self.resolver.pending_chord();
        let hints = if pending.0.is_empty() {
            self.list_key_hints(&**screen)
        } else {
            vec![(format!("{pending} …"), "Esc gives up".to_owned())]
        };
        let (role, text) = match &self.message {
            Some((role, text)) => (*role, text.clone()),
            None => {
                let own = spelled(&screen.describe_status(), &self.keys);
                (Role::StatusLine, self.describe_run_status(own, area.width))
            }
        };
        let mut right = area.right();
        if self.content == Content::Masked {
            right = right.saturating_sub(9);
            let style = look.style(Role::Masked);
            draw_line(buffer, Position::new(right, y), 8, "[masked]", style, look);
        }
        // What was said is worth more than hints.
        let text_width = u16::try_from(count_cells(&text))
            .unwrap_or(u16::MAX)
            .saturating_add(3);
        let hints_start = area.x.saturating_add(text_width.min(area.width));
        let mut end = right;
        for (key, what) in select_hints(&hints, right.saturating_sub(hints_start))
            .iter()
            .rev()
        {
            let width = hint_width(key, what);
            end = end.saturating_sub(width);
            let at = Position::new(end + 1, y);
            let key_width = draw_line(buffer, at, width, key, look.style(Role::KeyHint), look);
            let at = Position::new(end + 2 + key_width, y);
            draw_line(buffer, at, width, what, look.style(Role::Muted), look);
        }
        let room = end.saturating_sub(area.x + 1);
        draw_line(
            buffer,
            Position::new(area.x, y),
            room,
            &text,
            look.style(role),
            look,
        );
    }

    fn list_key_hints(&self, screen: &dyn Screen) -> Vec<KeyHint> {
        let context = screen.key_context();
        let actions = self
            .run_action_hint()
            .into_iter()
            .chain(screen.list_hints());
        actions
            .filter_map(|action| {
                let word = screen.hint_word(action).map(str::to_owned);
                Some((
                    self.keys.key_hint(context, action)?,
                    word.unwrap_or_else(|| action.name().replace('-', " ")),
                ))
            })
            .collect()
    }
}

/// A hint: a key, and what it does.
type KeyHint = (String, String);

fn hint_width(key: &str, what: &str) -> u16 {
    u16::try_from(count_cells(key) + count_cells(what) + 3).unwrap_or(u16::MAX)
}

/// Returns the hints that fit: the first ones, and the last, which leads to all others.
fn select_hints(hints: &[KeyHint], room: u16) -> Vec<&KeyHint> {
    let Some((last, first)) = hints.split_last() else {
        return Vec::new();
    };
    let mut spare = room.checked_sub(hint_width(&last.0, &last.1));
    let mut fitting_hints: Vec<&KeyHint> = Vec::new();
    for hint in first {
        let after = spare.and_then(|left| left.checked_sub(hint_width(&hint.0, &hint.1)));
        if after.is_none() {
            break;
        }
        spare = after;
        fitting_hints.push(hint);
    }
    if room >= hint_width(&last.0, &last.1) {
        fitting_hints.push(last);
    }
    fitting_hints
}
