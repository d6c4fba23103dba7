//! Chords: sequences of keys as people write them: `g g`, `Ctrl-D`, `Shift-Tab`, `Space`.

use super::defaults::Chord;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;
use std::str::FromStr;

/// Keys in a chord, at most.
const MAX_CHORD: usize = 3;
/// Spellings that help when a key cannot be read.
const SPELLINGS: &str = "a character, Space, Enter, Tab, Shift-Tab, Backspace, Del, Ins, Up, Down, \
     Left, Right, Home, End, PgUp, PgDn or F1 to F24, with Ctrl-, Alt- or Shift- before it";

const MODIFIERS: [(&str, KeyModifiers); 3] = [
    ("Ctrl-", KeyModifiers::CONTROL),
    ("Alt-", KeyModifiers::ALT),
    ("Shift-", KeyModifiers::SHIFT),
];
/// Named keys, with the name that is shown first.
const NAMED: [(&str, KeyCode); 22] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Return", KeyCode::Enter),
    ("Tab", KeyCode::Tab),
    ("Shift-Tab", KeyCode::BackTab),
    ("BackTab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Esc", KeyCode::Esc),
    ("Escape", KeyCode::Esc),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PageUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("PageDown", KeyCode::PageDown),
    ("Ins", KeyCode::Insert),
    ("Del", KeyCode::Delete),
    ("Delete", KeyCode::Delete),
];

impl FromStr for Chord {
    type Err = String;

    /// Reads keys with a space between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let keys = text
            .split_whitespace()
            .map(parse_key)
            .collect::<Result<Vec<_>, _>>()?;
        match keys.len() {
            0 => Err(format!("no key is named; write {SPELLINGS}")),
            1..=MAX_CHORD => Ok(Self(keys)),
            many => Err(format!(
                "'{text}' is {many} keys, and at most {MAX_CHORD} are read; write fewer"
            )),
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<String> = self.0.iter().map(|key| key_name(*key)).collect();
        f.write_str(&keys.join(" "))
    }
}

/// Returns the name of a key as people write it, which is not quite crossterm's: `Ctrl-D`, `PgUp`.
pub fn key_name(key: KeyEvent) -> String {
    let modifiers = MODIFIERS
        .into_iter()
        .filter(|(_, modifier)| key.modifiers.contains(*modifier));
    let mut name: String = modifiers.map(|(prefix, _)| prefix).collect();
    let entry = NAMED.iter().find(|(_, code)| *code == key.code);
    match (entry, key.code) {
        (Some((word, _)), _) => name.push_str(word),
        (None, KeyCode::Char(c)) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            name.extend(c.to_uppercase());
        }
        (None, code) => name.push_str(&code.to_string()),
    }
    name
}

/// Returns the character that a key writes into a text; `None` for commands.
pub fn typed_char(key: KeyEvent) -> Option<char> {
    let command = KeyModifiers::CONTROL | KeyModifiers::ALT;
    key.code
        .as_char()
        .filter(|_| !key.modifiers.intersects(command))
}

fn parse_key(word: &str) -> Result<KeyEvent, String> {
    let mut mods = KeyModifiers::NONE;
    let mut rest = word;
    while let Some((after, modifier)) = MODIFIERS
        .into_iter()
        .find_map(|(prefix, modifier)| Some((strip_modifier(rest, prefix)?, modifier)))
    {
        mods |= modifier;
        rest = after;
    }
    let code = parse_code(rest).ok_or_else(|| format!("'{word}' is no key; write {SPELLINGS}"))?;
    normalize_key(code, mods).ok_or_else(|| {
        format!("'{word}' never arrives from a terminal; write the character Shift makes of it")
    })
}

/// Returns what follows a modifier, if a key does.
fn strip_modifier<'a>(word: &'a str, prefix: &str) -> Option<&'a str> {
    let head = word.get(..prefix.len())?;
    let rest = word.get(prefix.len()..)?;
    (head.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some(rest)
}

fn parse_code(word: &str) -> Option<KeyCode> {
    let mut chars = word.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return (!only.is_control()).then_some(KeyCode::Char(only));
    }
    if let Some((_, code)) = NAMED
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word))
    {
        return Some(*code);
    }
    let number = word.strip_prefix(['F', 'f'])?.parse().ok()?;
    (1..=24).contains(&number).then_some(KeyCode::F(number))
}

/// Returns the key as it comes from the terminal: Shift is part of a character, Ctrl makes no
/// difference between cases, and Shift-Tab has a code of its own.
fn normalize_key(code: KeyCode, mut mods: KeyModifiers) -> Option<KeyEvent> {
    let with_shift = mods.contains(KeyModifiers::SHIFT);
    let code = match code {
        KeyCode::Char(_) if with_shift => return None,
        KeyCode::Char(c) if mods.contains(KeyModifiers::CONTROL) => {
            KeyCode::Char(c.to_ascii_lowercase())
        }
        KeyCode::Tab if with_shift => {
            mods.remove(KeyModifiers::SHIFT);
            KeyCode::BackTab
        }
        other => other,
    };
    Some(KeyEvent::new(code, mods))
}
