//! Command palette: every action of a context by name, with its keys.

use super::PopupResult;
use super::picker::{PickItem, Picker};
use crate::tui::keys::{Action, Context, KeyTable};
use crate::tui::theme::Look;
use crate::tui::widgets::ClickRows;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// A picker of actions.
#[derive(Debug, Clone)]
pub struct Palette {
    actions: Vec<Action>,
    pick: Picker,
}

impl Palette {
    /// Lists what can be asked for in a context.
    pub fn new(table: &KeyTable, context: Context) -> Self {
        let mut actions = table.actions(context);
        actions.retain(|action| *action != Action::Palette);
        let items = actions.iter().map(|action| PickItem {
            label: action.name().to_owned(),
            detail: action.help().to_owned(),
            aside: table.hint(context, *action).unwrap_or_default(),
        });
        let pick = Picker::new("Commands", items.collect());
        Self { actions, pick }
    }

    /// Takes a key; says the action that was picked.
    pub fn key(&mut self, key: KeyEvent) -> PopupResult<Action> {
        match self.pick.key(key) {
            PopupResult::Stays => PopupResult::Stays,
            PopupResult::Closes => PopupResult::Closes,
            PopupResult::Says(index) => match self.actions.get(index) {
                Some(action) => PopupResult::Says(*action),
                None => PopupResult::Stays,
            },
        }
    }

    /// Types pasted text.
    pub fn paste(&mut self, text: &str) {
        self.pick.paste(text);
    }

    /// Notes where a click reaches its rows, as it is drawn into an area.
    pub(crate) fn note_rows(&self, area: Rect, rows: &ClickRows) {
        self.pick.note_rows(area, rows);
    }

    /// Draws the palette and returns where the terminal's cursor belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        self.pick.draw(area, buf, look)
    }
}
