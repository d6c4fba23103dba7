//! Every command of a place by name, with its keys; picking one asks for it.

use super::Said;
use super::pick::{Pick, PickItem};
use crate::tui::input::Key;
use crate::tui::keys::{Action, Context, KeyTable};
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A picker of actions.
#[derive(Debug, Clone)]
pub struct Palette {
    actions: Vec<Action>,
    pick: Pick,
}

impl Palette {
    /// Lists what can be asked for in a context.
    pub fn new(table: &KeyTable, context: Context) -> Self {
        let mut actions = KeyTable::actions(context);
        actions.retain(|action| *action != Action::Palette);
        let items = actions.iter().map(|action| PickItem {
            label: action.name().to_owned(),
            detail: action.help().to_owned(),
            aside: table.hint(context, *action).unwrap_or_default(),
        });
        let pick = Pick::new("Commands", items.collect());
        Self { actions, pick }
    }

    /// Takes a key; says the action that was picked.
    pub fn key(&mut self, key: Key) -> Said<Action> {
        match self.pick.key(key) {
            Said::Stays => Said::Stays,
            Said::Closes => Said::Closes,
            Said::Says(index) => match self.actions.get(index) {
                Some(action) => Said::Says(*action),
                None => Said::Stays,
            },
        }
    }

    /// Types pasted text.
    pub fn paste(&mut self, text: &str) {
        self.pick.paste(text);
    }

    /// Draws the palette and returns where the terminal's cursor belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        self.pick.draw(area, buf, look)
    }
}
