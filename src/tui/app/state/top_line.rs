//! Line at the top: which screens there are, the key of each, and what is open now.

use super::{App, InputOutcome};
use crate::tui::app::effect::Effect;
use crate::tui::components::rows::cut_to_width;
use crate::tui::keys::Action;
use crate::tui::screens::Place;
use crate::tui::theme::Role;
use crate::tui::widgets::{StyledLine, count_cells, fill_area, head_and_body};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A terminal that is lower has no line to spare.
const LOWEST: u16 = 20;

/// Layers of one screen that going elsewhere closes, such as a filter, at most.
const MAX_LAYERS: usize = 8;

/// How much room the places take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spacing {
    Wide,
    Narrow,
    /// Long names of places that are not open are cut.
    Short,
    /// The same, and of several screens on the open place the last one alone is named.
    ShortPath,
    /// Of the places that are not open, the keys alone.
    KeysAlone,
}

/// Cells of a name that is cut.
const SHORT_NAME: usize = 6;

/// The line, and the cell after each place's name.
struct NamedPlaces {
    line: StyledLine,
    ends: Vec<usize>,
}

impl Spacing {
    fn separator(self) -> &'static str {
        match self {
            Self::Wide => "  ",
            Self::Narrow | Self::Short | Self::ShortPath | Self::KeysAlone => " ",
        }
    }

    /// Returns the name of a place that is not open.
    fn place_name(self, name: &str) -> String {
        match self {
            Self::Wide | Self::Narrow => name.to_owned(),
            Self::Short | Self::ShortPath => cut_to_width(name, SHORT_NAME),
            Self::KeysAlone => String::new(),
        }
    }
}

impl App {
    /// Goes to a place: back to it where it is open, else on top of what is open.
    pub(super) fn go_to_place(&mut self, place: Place, out: &mut InputOutcome) {
        if !self
            .screens
            .iter()
            .any(|screen| screen.place_context() == Some(place.context))
        {
            let effects = (place.open)();
            return self.perform_effects(self.last_screen, effects, out);
        }
        // Each screen is left as by its key: it may ask what is to become of something first.
        let mut layers = 0;
        while let Some(top) = self.screens.last_mut() {
            if top.place_context() == Some(place.context) {
                return;
            }
            let (id, effects) = (top.id, top.handle_action(Action::Back));
            let stays = effects
                .iter()
                .any(|effect| matches!(effect, Effect::Say(..)));
            let before = self.screens.len();
            self.perform_effects(id, effects, out);
            if self.screens.len() < before {
                layers = 0;
                continue;
            }
            // Only a layer of it was closed, such as a filter or a page.
            layers += 1;
            if stays || layers > MAX_LAYERS || self.reads_keys() {
                return;
            }
        }
    }

    /// Draws the line and returns the area below it.
    pub(super) fn draw_top_line(&mut self, buffer: &mut Buffer, area: Rect) -> Rect {
        self.place_ends.clear();
        if area.height < LOWEST {
            return area;
        }
        let [line, below] = head_and_body(area, 1);
        fill_area(line, buffer, &self.look);
        buffer.set_style(line, self.look.style(Role::StatusLine));
        let places = self.fit_places(line.width.into());
        self.place_ends = places.ends;
        places.line.draw(buffer, line, &self.look);
        below
    }

    /// Returns the place whose name is drawn there.
    pub(super) fn place_at(&self, at: Position) -> Option<Place> {
        let mut ends_and_places = self.place_ends.iter().zip(&self.places);
        let hit = ends_and_places.find(|(end, _)| usize::from(at.x) < **end);
        hit.filter(|_| at.y == 0).map(|(_, place)| *place)
    }

    fn fit_places(&self, width: usize) -> NamedPlaces {
        let spacings = [
            Spacing::Wide,
            Spacing::Narrow,
            Spacing::Short,
            Spacing::ShortPath,
            Spacing::KeysAlone,
        ];
        let mut lines = spacings
            .map(|spacing| self.build_place_line(spacing))
            .into_iter();
        let fitting = lines.find(|places| count_cells(&places.line.text()) <= width);
        fitting.unwrap_or_else(|| self.build_place_line(Spacing::KeysAlone))
    }

    /// Names the places; behind the one that is open, the screens that lie on it.
    fn build_place_line(&self, spacing: Spacing) -> NamedPlaces {
        let open = self.screens.iter().enumerate().rev();
        let place_of = |context| self.places.iter().find(|place| place.has_context(context));
        let mut open =
            open.filter_map(|(at, screen)| Some((at, place_of(screen.place_context()?)?)));
        let (at, here) = match open.next() {
            Some((at, here)) => (at, Some(here.keys)),
            None => (0, None),
        };
        let (mut line, mut ends) = (StyledLine::default(), Vec::new());
        let glyphs = self.look.glyphs();
        for place in &self.places {
            let is_here = here == Some(place.keys);
            let is_first = line.runs.is_empty();
            // The mark takes the place of a blank.
            let (blanks, mark, role) = match (is_here, is_first) {
                (true, true) => ("", glyphs.right, Role::BorderFocused),
                (true, false) => (" ", glyphs.right, Role::BorderFocused),
                (false, true) => (" ", "", Role::Muted),
                (false, false) => (spacing.separator(), "", Role::Muted),
            };
            line.runs.push((Role::Muted, blanks.to_owned()));
            line.runs.push((role, mark.to_owned()));
            let key = self.keys.key_hint(place.context, Action::Show(place.keys));
            let has_name = is_here || spacing != Spacing::KeysAlone || key.is_none();
            if let Some(key) = key {
                line.runs.push((Role::KeyHint, key));
                line.runs.push((role, " ".repeat(usize::from(has_name))));
            }
            if is_here {
                line.runs.push((role, place.keys.name.to_owned()));
            } else if has_name {
                let name = match spacing {
                    // Without a key the name is all that there is.
                    Spacing::KeysAlone => place.keys.name.to_owned(),
                    named => named.place_name(place.keys.name),
                };
                line.runs.push((role, name));
            }
            if is_here {
                let above = self.screens.get(at + 1..).unwrap_or_default();
                let hidden = match spacing {
                    Spacing::ShortPath | Spacing::KeysAlone => above.len().saturating_sub(1),
                    Spacing::Wide | Spacing::Narrow | Spacing::Short => 0,
                };
                if hidden > 0 {
                    let text = format!(" {} …", glyphs.folded);
                    line.runs.push((Role::BorderFocused, text));
                }
                for screen in above.iter().skip(hidden) {
                    let text = format!(" {} {}", glyphs.folded, screen.name());
                    line.runs.push((Role::BorderFocused, text));
                }
            }
            ends.push(count_cells(&line.text()));
        }
        NamedPlaces { line, ends }
    }
}
