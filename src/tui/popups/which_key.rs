//! Continuations popup (which-key): keys that may follow those typed so far, along the bottom of the screen. It
//! reads nothing: the next key goes where it would have gone.

use crate::tui::keys::{Chord, Continuation, KeyTarget, key_name};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{Focus, count_cells, draw_frame, draw_line, fill_area};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeSet;

/// Width of a column, at least.
const COLUMN: u16 = 26;

/// The keys that may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhichKey {
    prefix: Chord,
    next: Vec<Continuation>,
    page: usize,
}

impl WhichKey {
    /// Shows what a resolver found, the first key of each action: the help has the others.
    pub fn new(prefix: Chord, mut next: Vec<Continuation>) -> Self {
        let mut actions = BTreeSet::new();
        next.retain(|next| match next.leads {
            KeyTarget::To(action) => actions.insert(action),
            KeyTarget::On(_) => true,
        });
        Self {
            prefix,
            next,
            page: 0,
        }
    }

    /// Shows the next page, where all do not fit on one; after the last comes the first.
    pub fn turn_page(&mut self) {
        self.page += 1;
    }

    /// Draws as many rows as it needs, at most two thirds of the area.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let columns = usize::from((area.width.saturating_sub(2) / COLUMN).max(1));
        let most = usize::from((area.height * 2 / 3).saturating_sub(2).max(1));
        let rows = self.next.len().div_ceil(columns).clamp(1, most);
        let height = (rows as u16 + 2).min(area.height);
        let area = Rect::new(area.x, area.bottom() - height, area.width, height);
        fill_area(area, buf, look);
        let pages = self.next.len().div_ceil(rows * columns).max(1);
        let page = self.page % pages;
        let inner = draw_frame(
            area,
            buf,
            look,
            &self.page_title(page, pages),
            Focus::Focused,
        );
        let width = inner.width / columns as u16;
        let page_keys = self
            .next
            .iter()
            .skip(page * rows * columns)
            .take(rows * columns);
        for (place, next) in page_keys.enumerate() {
            let x = inner.x + (place / rows) as u16 * width;
            let y = inner.y + (place % rows) as u16;
            draw_entry(Rect::new(x, y, width, 1), buf, look, next);
        }
    }

    fn page_title(&self, page: usize, pages: usize) -> String {
        let after = if self.prefix.0.is_empty() {
            "Keys".to_owned()
        } else {
            format!("{} and then", self.prefix)
        };
        if pages > 1 {
            format!("{after} ({} of {pages}; Space: next)", page + 1)
        } else {
            after
        }
    }
}

fn draw_entry(area: Rect, buf: &mut Buffer, look: &Look, next: &Continuation) {
    let key = key_name(next.key);
    let what = match next.leads {
        KeyTarget::To(action) => action.label().into_owned(),
        KeyTarget::On(1) => "and one more key".to_owned(),
        KeyTarget::On(many) => format!("{many} things"),
    };
    let at = Position::new(area.x + 1, area.y);
    let room = area.width.saturating_sub(2);
    let key_width = (count_cells(&key) as u16).max(3).min(room);
    draw_line(buf, at, room, &key, look.style(Role::KeyHint), look);
    let at = Position::new(at.x + key_width + 1, area.y);
    draw_line(
        buf,
        at,
        room.saturating_sub(key_width + 1),
        &what,
        look.style(Role::Text),
        look,
    );
}
