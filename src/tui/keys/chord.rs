//! Chords: sequences of keys as people write them: `g g`, `Ctrl-D`, `Shift-Tab`, `Space`.

use super::defaults::Chord;
use crate::tui::terminal::{Code, Key, Mods};
use std::fmt;
use std::str::FromStr;

/// Keys in a chord, at most.
const MAX_CHORD: usize = 3;
/// Spellings that help when a key cannot be read.
const SPELLINGS: &str = "a character, Space, Enter, Tab, Shift-Tab, Backspace, Del, Ins, Up, Down, \
     Left, Right, Home, End, PgUp, PgDn or F1 to F24, with Ctrl-, Alt- or Shift- before it";

/// Named keys, with the name that is shown first.
const NAMED: [(&str, Code); 21] = [
    ("Space", Code::Char(' ')),
    ("Enter", Code::Enter),
    ("Return", Code::Enter),
    ("Tab", Code::Tab),
    ("BackTab", Code::BackTab),
    ("Backspace", Code::Backspace),
    ("Esc", Code::Esc),
    ("Escape", Code::Esc),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Left", Code::Left),
    ("Right", Code::Right),
    ("Home", Code::Home),
    ("End", Code::End),
    ("PgUp", Code::PageUp),
    ("PageUp", Code::PageUp),
    ("PgDn", Code::PageDown),
    ("PageDown", Code::PageDown),
    ("Ins", Code::Insert),
    ("Del", Code::Delete),
    ("Delete", Code::Delete),
];

impl FromStr for Chord {
    type Err = String;

    /// Reads keys with a space between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let keys = text
            .split_whitespace()
            .map(key)
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
        for (at, key) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{key}")?;
        }
        Ok(())
    }
}

fn key(word: &str) -> Result<Key, String> {
    let mut mods = Mods::default();
    let mut rest = word;
    loop {
        let stripped = [("ctrl-", 0), ("alt-", 1), ("shift-", 2)]
            .into_iter()
            .find_map(|(prefix, which)| strip(rest, prefix).map(|after| (after, which)));
        let Some((after, which)) = stripped else {
            break;
        };
        match which {
            0 => mods.ctrl = true,
            1 => mods.alt = true,
            _ => mods.shift = true,
        }
        rest = after;
    }
    let code = code(rest).ok_or_else(|| format!("'{word}' is no key; write {SPELLINGS}"))?;
    arriving(code, mods).ok_or_else(|| {
        format!("'{word}' never arrives from a terminal; write the character Shift makes of it")
    })
}

/// Returns what follows a modifier, if a key does.
fn strip<'a>(word: &'a str, prefix: &str) -> Option<&'a str> {
    let head = word.get(..prefix.len())?;
    let rest = word.get(prefix.len()..)?;
    (head.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some(rest)
}

fn code(word: &str) -> Option<Code> {
    let mut chars = word.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return (!only.is_control()).then_some(Code::Char(only));
    }
    if let Some((_, code)) = NAMED
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word))
    {
        return Some(*code);
    }
    let number = word.strip_prefix(['F', 'f'])?.parse().ok()?;
    (1..=24).contains(&number).then_some(Code::F(number))
}

/// Returns the key as it comes from the terminal: Shift is part of a character, Ctrl makes no
/// difference between cases, and Shift-Tab has a code of its own.
fn arriving(code: Code, mut mods: Mods) -> Option<Key> {
    let code = match code {
        Code::Char(' ') if mods.shift => return None,
        Code::Char(_) if mods.shift => return None,
        Code::Char(c) if mods.ctrl => Code::Char(c.to_ascii_lowercase()),
        Code::Tab if mods.shift => {
            mods.shift = false;
            Code::BackTab
        }
        other => other,
    };
    Some(Key { code, mods })
}
