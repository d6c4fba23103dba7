//! Input from the terminal: keys, pastes, sizes. Knows no bytes and no escape sequences.

use std::fmt;

/// A key with its modifiers.
///
/// Shift is part of a character (`G`, `?`) and is a modifier only with named keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub code: Code,
    pub mods: Mods,
}

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Char(char),
    Enter,
    Tab,
    BackTab,
    Backspace,
    Esc,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    /// F1 to F24; no command needs one.
    F(u8),
}

/// Modifiers that were held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mods {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// Something that came from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    /// Text that was pasted, whole; it never fires a command.
    Paste(Paste),
    /// The terminal has another size, in cells.
    Resized {
        width: u16,
        height: u16,
    },
}

/// A pasted text, cut where it grows beyond what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paste {
    pub text: String,
    /// Bytes that were left out at the end.
    pub dropped_bytes: u64,
}

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Self {
        Self {
            code,
            mods: Mods {
                ctrl: false,
                alt: false,
                shift: false,
            },
        }
    }

    /// A character as it is typed.
    pub const fn char(c: char) -> Self {
        Self::plain(Code::Char(c))
    }

    /// A character with Ctrl.
    pub const fn ctrl(c: char) -> Self {
        Self {
            code: Code::Char(c),
            mods: Mods {
                ctrl: true,
                alt: false,
                shift: false,
            },
        }
    }

    /// Returns the character that the key writes into a text; `None` for commands.
    pub fn text(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.mods.ctrl && !self.mods.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [
            (self.mods.ctrl, "Ctrl-"),
            (self.mods.alt, "Alt-"),
            (self.mods.shift, "Shift-"),
        ] {
            if held {
                f.write_str(name)?;
            }
        }
        match self.code {
            Code::Char(' ') => f.write_str("Space"),
            Code::Char(c) if self.mods.ctrl => write!(f, "{}", c.to_uppercase()),
            Code::Char(c) => write!(f, "{c}"),
            Code::Enter => f.write_str("Enter"),
            Code::Tab => f.write_str("Tab"),
            Code::BackTab => f.write_str("Shift-Tab"),
            Code::Backspace => f.write_str("Backspace"),
            Code::Esc => f.write_str("Esc"),
            Code::Up => f.write_str("Up"),
            Code::Down => f.write_str("Down"),
            Code::Left => f.write_str("Left"),
            Code::Right => f.write_str("Right"),
            Code::Home => f.write_str("Home"),
            Code::End => f.write_str("End"),
            Code::PageUp => f.write_str("PgUp"),
            Code::PageDown => f.write_str("PgDn"),
            Code::Insert => f.write_str("Ins"),
            Code::Delete => f.write_str("Del"),
            Code::F(n) => write!(f, "F{n}"),
        }
    }
}
