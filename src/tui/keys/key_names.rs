//! Key names in sentences. A sentence names an action by a mark, and the table in force replaces it
//! by the key, so that texts follow changed keys.

use super::action::Action;
use super::defaults::Context;
use super::key_table::KeyTable;

/// First mark: characters for private use, which no other text of ours holds.
const FIRST_MARK: u32 = 0xF_0000;
/// The room that each context has; there are fewer actions.
const PER_CONTEXT: u32 = 0x100;

/// Returns the mark in a sentence for the key of an action.
pub fn key_for(context: Context, action: Action) -> char {
    let place = |found: Option<usize>| u32::try_from(found.unwrap_or(0)).unwrap_or(0);
    let context = place(Context::ALL.iter().position(|one| *one == context));
    let action = place(Action::ALL.iter().position(|one| *one == action));
    char::from_u32(FIRST_MARK + context * PER_CONTEXT + action).unwrap_or(' ')
}

/// Puts keys in the place of their marks: of several the one that hints show, of none the name that
/// the palette knows the action by.
pub fn spelled(sentence: &str, table: &KeyTable) -> String {
    let mut text = String::with_capacity(sentence.len());
    for c in sentence.chars() {
        match parse_mark(c) {
            Some((context, action)) => match table.key_hint(context, action) {
                Some(key) => text.push_str(&key),
                None => text.push_str(&format!("the command {}", action.name())),
            },
            None => text.push(c),
        }
    }
    text
}

/// Returns what a mark names; `None` where it is an ordinary character.
pub fn parse_mark(c: char) -> Option<(Context, Action)> {
    let mark = u32::from(c).checked_sub(FIRST_MARK)?;
    let at = |place: u32| usize::try_from(place).ok();
    let context = Context::ALL.get(at(mark / PER_CONTEXT)?)?;
    let action = Action::ALL.get(at(mark % PER_CONTEXT)?)?;
    Some((*context, *action))
}
