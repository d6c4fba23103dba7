//! Line at the top: which screens there are, the key of each, and what is open now.

use super::{App, InputOutcome};
use crate::tui::keys::Action;
use crate::tui::screens::{PLACES, Place};
use crate::tui::theme::Role;
use crate::tui::widgets::{StyledLine, fill, head_and_body};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A terminal that is lower has no line to spare.
const LOWEST: u16 = 20;

impl App {
    /// Goes to a place: back to it where it is open, else on top of what is open.
    pub(super) fn go_to(&mut self, place: &Place, out: &mut InputOutcome) {
        if !self
            .screens
            .iter()
            .any(|screen| screen.context() == place.context)
        {
            let effects = (place.open)();
            return self.perform(self.last_screen, effects, out);
        }
        // Each screen is left as by its key: it may ask what is to become of something first.
        while let Some(top) = self.screens.last_mut() {
            if top.context() == place.context {
                return;
            }
            let (id, effects) = (top.id, top.act(Action::Back));
            let before = self.screens.len();
            self.perform(id, effects, out);
            if self.screens.len() == before {
                return;
            }
        }
    }

    /// Draws the line and returns the area below it.
    pub(super) fn top_line(&self, buffer: &mut Buffer, area: Rect) -> Rect {
        if area.height < LOWEST {
            return area;
        }
        let [line, below] = head_and_body(area, 1);
        fill(line, buffer, &self.look);
        buffer.set_style(line, self.look.style(Role::StatusLine));
        self.places().put(buffer, line, &self.look);
        below
    }

    /// Names the places; behind the one that is open, the screens that lie on it.
    fn places(&self) -> StyledLine {
        let open = self.screens.iter().enumerate().rev();
        let mut open = open.filter_map(|(at, screen)| Some((at, Place::at(screen.context())?)));
        let (at, here) = match open.next() {
            Some((at, here)) => (at, Some(here.action)),
            None => (0, None),
        };
        let mut line = StyledLine::default();
        let glyphs = self.look.glyphs();
        for place in &PLACES {
            let is_here = here == Some(place.action);
            let (mark, role) = match is_here {
                true => (glyphs.right, Role::BorderFocused),
                false => (" ", Role::Muted),
            };
            line.runs.push((role, mark.to_owned()));
            if let Some(key) = self.keys.hint(place.context, place.action) {
                line.runs.push((Role::KeyHint, format!("{key} ")));
            }
            line.runs.push((role, place.name.to_owned()));
            if is_here {
                let above = self.screens.iter().skip(at + 1);
                for screen in above {
                    let text = format!(" {} {}", glyphs.folded, screen.name());
                    line.runs.push((Role::BorderFocused, text));
                }
            }
            line.runs.push((Role::Muted, " ".to_owned()));
        }
        line
    }
}
