//! Two panes: side by side where there is room for both, else the one with the focus alone.

use super::frame::Focus;
use super::list::Moved;
use crate::tui::keys::Action;
use elenchus_text::{Paragraph, Role};
use ratatui::layout::{Constraint, Layout, Rect};

/// One of two panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Which pane has the focus, and whether both are in sight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TwoPanes {
    pub focus: Side,
    /// Width from which on there is room for both.
    wide: u16,
    is_wide: bool,
    /// The one with the focus is alone, however much room there is.
    is_zoomed: bool,
}

impl TwoPanes {
    /// Panes that are side by side from a width on; the left one has the focus.
    pub(crate) fn new(wide: u16) -> Self {
        Self {
            focus: Side::Left,
            wide,
            is_wide: true,
            is_zoomed: false,
        }
    }

    /// Goes to the other pane or zooms, if the action does.
    pub(crate) fn act(&mut self, action: Action) -> Moved {
        match action {
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = match self.focus {
                    Side::Left => Side::Right,
                    Side::Right => Side::Left,
                };
            }
            Action::Zoom => self.is_zoomed = !self.is_zoomed,
            _ => return Moved::No,
        }
        Moved::Yes
    }

    /// Takes note of how wide they are drawn.
    pub(crate) fn set_width(&mut self, width: u16) {
        self.is_wide = width >= self.wide;
    }

    /// Says whether both are in sight.
    pub(crate) fn are_both_in_sight(self) -> bool {
        self.is_wide && !self.is_zoomed
    }

    /// Returns the areas of the left and of the right one, where they are in sight.
    pub(crate) fn areas(self, area: Rect) -> [Option<Rect>; 2] {
        if self.are_both_in_sight() {
            let halves = [Constraint::Length(area.width / 2), Constraint::Fill(1)];
            let halves: [Rect; 2] = Layout::horizontal(halves).areas(area);
            return halves.map(Some);
        }
        match self.focus {
            Side::Left => [Some(area), None],
            Side::Right => [None, Some(area)],
        }
    }

    pub(crate) fn focus_of(self, side: Side) -> Focus {
        match self.focus == side {
            true => Focus::Focused,
            false => Focus::Unfocused,
        }
    }

    /// Adds the names of both to a line, where only one is in sight, with a mark on that one's.
    pub(crate) fn named(self, mut line: Paragraph, names: [&str; 2]) -> Paragraph {
        if self.are_both_in_sight() {
            return line;
        }
        for (side, name) in [Side::Left, Side::Right].into_iter().zip(names) {
            let role = match self.focus == side {
                true => Role::Selection,
                false => Role::Muted,
            };
            line = line.and(Role::Text, " ").and(role, format!(" {name} "));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pane_with_the_focus_is_always_in_sight() {
        let area = Rect::new(0, 0, 101, 10);
        let mut panes = TwoPanes::new(100);
        panes.set_width(area.width);
        let [Some(left), Some(right)] = panes.areas(area) else {
            panic!("{:?}", panes.areas(area));
        };
        assert_eq!((left.width, right.width), (50, 51));
        assert_eq!(panes.act(Action::FocusNext), Moved::Yes);
        assert_eq!(panes.focus_of(Side::Right), Focus::Focused);
        panes.act(Action::Zoom);
        assert_eq!(panes.areas(area), [None, Some(area)]);
        panes.act(Action::Zoom);
        panes.set_width(99);
        assert_eq!(panes.areas(area), [None, Some(area)]);
        panes.act(Action::Left);
        assert_eq!(panes.areas(area), [Some(area), None]);
        assert_eq!(panes.act(Action::Fork), Moved::No);
    }

    #[test]
    fn panes_are_named_where_one_hides_the_other() {
        let line = |panes: TwoPanes| panes.named(Paragraph::default(), ["text", "shown"]);
        let mut panes = TwoPanes::new(100);
        assert!(line(panes).runs.is_empty());
        panes.set_width(80);
        let marked = line(panes).runs.into_iter();
        let mut marked = marked.filter(|(role, _)| *role == Role::Selection);
        assert_eq!(marked.next(), Some((Role::Selection, " text ".to_owned())));
    }
}
