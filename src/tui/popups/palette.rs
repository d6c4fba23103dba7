//! Command palette: every action of a context by name, with its keys.

use super::picker::{PickItem, Picker};
use crate::tui::keys::{Action, Context, KeyTable};

/// Returns a picker of what can be asked for in a context, and the actions of its items.
pub fn build_palette(table: &KeyTable, context: Context) -> (Picker, Vec<Action>) {
    let mut actions = table.list_actions(context);
    actions.retain(|action| *action != Action::Palette);
    let items = actions.iter().map(|action| PickItem {
        label: action.name().to_owned(),
        detail: action.help().to_owned(),
        aside: table.key_hint(context, *action).unwrap_or_default(),
    });
    let pick = Picker::new("Commands", items.collect());
    (pick, actions)
}
