//! Keys of escape sequences, in the dialects of xterm, rxvt, Linux's console, screen and tmux; and the
//! mouse, in its form without a limit of columns.

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// Numbers that are kept; no key has more than three.
const NUMBERS: usize = 4;

/// A control sequence on its way: what came between its beginning and its last byte.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Csi {
    numbers: [u16; NUMBERS],
    /// Index of the number being parsed.
    at: usize,
    digits: usize,
    bytes: usize,
    /// A private sequence or one with intermediate bytes: an answer, never a key.
    is_answer: bool,
    is_mouse: bool,
    /// Behind a colon: parts of a number that no key needs.
    in_part: bool,
    alt: bool,
}

impl Csi {
    pub fn new(alt: bool) -> Self {
        Self {
            alt,
            ..Self::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(super) fn is_plain_number(&self) -> bool {
        self.at == 0 && self.digits > 0 && !self.is_answer && !self.in_part
    }

    /// Takes a byte that is not the last one.
    pub fn push_byte(&mut self, byte: u8) {
        self.bytes = self.bytes.saturating_add(1);
        match byte {
            b'0'..=b'9' if self.in_part => {}
            b'0'..=b'9' => {
                self.digits = self.digits.saturating_add(1);
                if let Some(number) = self.numbers.get_mut(self.at) {
                    let digit = u16::from(byte - b'0');
                    *number = number.saturating_mul(10).saturating_add(digit);
                }
            }
            b';' => {
                self.at = self.at.saturating_add(1);
                self.in_part = false;
            }
            b':' => self.in_part = true,
            b'<' if self.bytes == 1 => self.is_mouse = true,
            _ => self.is_answer = true,
        }
    }

    pub(super) fn is_paste_start(&self, last: u8) -> bool {
        last == b'~' && self.is_plain_number() && self.number_at(0) == 200
    }

    /// Returns the key that this sequence means with this last byte.
    pub fn decode_key(&self, last: u8) -> Option<KeyEvent> {
        if self.is_answer || self.is_mouse {
            return None;
        }
        match last {
            // xterm's "modifyOtherKeys" in its two formats.
            b'u' => key_from_codepoint(self.number_at(0), self.modifiers()),
            b'~' if self.number_at(0) == 27 => {
                key_from_codepoint(self.number_at(2), self.modifiers())
            }
            b'~' => Some(normalize_key(
                key_code_from_number(self.number_at(0))?,
                self.modifiers(),
            )),
            // rxvt.
            b'^' => Some(normalize_key(
                key_code_from_number(self.number_at(0))?,
                self.with_alt(CTRL),
            )),
            b'$' => Some(normalize_key(
                key_code_from_number(self.number_at(0))?,
                self.with_alt(SHIFT),
            )),
            b'@' if self.digits > 0 => {
                let mods = self.with_alt(CTRL | SHIFT);
                Some(normalize_key(
                    key_code_from_number(self.number_at(0))?,
                    mods,
                ))
            }
            b'a'..=b'd' if self.is_empty() => Some(normalize_key(
                arrow_key_code(last.to_ascii_uppercase())?,
                self.with_alt(SHIFT),
            )),
            // Not `R`, which answers where the cursor is.
            b'A'..=b'D' | b'F' | b'H' | b'P' | b'Q' | b'S' => self.decode_ss3_key(last),
            b'Z' => Some(normalize_key(
                KeyCode::BackTab,
                self.with_alt(KeyModifiers::NONE),
            )),
            _ => None,
        }
    }

    /// Returns the key that a single shift means with this last byte.
    pub(super) fn decode_ss3_key(&self, last: u8) -> Option<KeyEvent> {
        match last {
            // rxvt.
            b'a'..=b'd' => Some(normalize_key(
                arrow_key_code(last.to_ascii_uppercase())?,
                self.with_alt(CTRL),
            )),
            // Some send the modifiers as the only number.
            _ if self.at == 0 => Some(normalize_key(
                ss3_key_code(last)?,
                self.modifiers_from_number(self.number_at(0)),
            )),
            _ => Some(normalize_key(ss3_key_code(last)?, self.modifiers())),
        }
    }

    /// Returns what the mouse did if this sequence says it with this last byte (xterm control sequences,
    /// "SGR (1006)"). Motions are not asked for and are left out.
    pub(super) fn decode_mouse(&self, last: u8) -> Option<MouseEvent> {
        if !self.is_mouse || self.is_answer || self.at != 2 {
            return None;
        }
        let what = self.number_at(0);
        let button = || match what & 3 {
            0 => Some(MouseButton::Left),
            1 => Some(MouseButton::Middle),
            2 => Some(MouseButton::Right),
            _ => None,
        };
        let kind = match (what & !0b1_1111, last) {
            (0, b'M') => MouseEventKind::Down(button()?),
            (0, b'm') => MouseEventKind::Up(button()?),
            (64, b'M') => match what & 3 {
                0 => MouseEventKind::ScrollUp,
                1 => MouseEventKind::ScrollDown,
                2 => MouseEventKind::ScrollLeft,
                _ => MouseEventKind::ScrollRight,
            },
            _ => return None,
        };
        Some(MouseEvent {
            kind,
            column: self.number_at(1).saturating_sub(1),
            row: self.number_at(2).saturating_sub(1),
            modifiers: modifiers_from_bits(what >> 2),
        })
    }

    fn number_at(&self, at: usize) -> u16 {
        self.numbers.get(at).copied().unwrap_or_default()
    }

    fn modifiers(&self) -> KeyModifiers {
        self.modifiers_from_number(self.number_at(1))
    }

    /// Modifiers are one more than a bit set (xterm control sequences, "PC-Style Function Keys").
    fn modifiers_from_number(&self, number: u16) -> KeyModifiers {
        self.with_alt(modifiers_from_bits(number.saturating_sub(1)))
    }

    fn with_alt(&self, mods: KeyModifiers) -> KeyModifiers {
        if self.alt { mods | ALT } else { mods }
    }
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

fn modifiers_from_bits(bits: u16) -> KeyModifiers {
    let mut mods = KeyModifiers::NONE;
    mods.set(SHIFT, bits & 1 != 0);
    // Meta is Alt by another name.
    mods.set(ALT, bits & 0b1010 != 0);
    mods.set(CTRL, bits & 4 != 0);
    mods
}

/// The named key behind `ESC O` and, for most, behind `CSI` as well.
fn ss3_key_code(last: u8) -> Option<KeyCode> {
    match last {
        b'H' => Some(KeyCode::Home),
        b'F' => Some(KeyCode::End),
        b'M' => Some(KeyCode::Enter),
        b'I' => Some(KeyCode::Tab),
        b'P'..=b'S' => Some(KeyCode::F(last - b'P' + 1)),
        _ => arrow_key_code(last),
    }
}

fn arrow_key_code(last: u8) -> Option<KeyCode> {
    match last {
        b'A' => Some(KeyCode::Up),
        b'B' => Some(KeyCode::Down),
        b'C' => Some(KeyCode::Right),
        b'D' => Some(KeyCode::Left),
        _ => None,
    }
}

/// The key of `CSI number ~` (VT220, rxvt, Linux's console).
fn key_code_from_number(number: u16) -> Option<KeyCode> {
    let function = |base: u16| u8::try_from(number - base).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(10),
        17..=21 => function(11),
        23..=26 => function(12),
        28..=29 => function(13),
        31..=34 => function(14),
        _ => None,
    }
}

fn key_from_codepoint(number: u16, mods: KeyModifiers) -> Option<KeyEvent> {
    let code = match number {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        _ => KeyCode::Char(char::from_u32(u32::from(number)).filter(|c| !c.is_control())?),
    };
    Some(normalize_key(code, mods))
}

/// A key as inputs name it: Shift is part of a character and of Tab.
fn normalize_key(code: KeyCode, mods: KeyModifiers) -> KeyEvent {
    let normal_code = match code {
        KeyCode::Char(c) if mods.contains(CTRL) => KeyCode::Char(c.to_ascii_lowercase()),
        KeyCode::Char(c) if mods.contains(SHIFT) => KeyCode::Char(c.to_ascii_uppercase()),
        KeyCode::Tab if mods.contains(SHIFT) => KeyCode::BackTab,
        _ => return KeyEvent::new(code, mods),
    };
    KeyEvent::new(normal_code, mods - SHIFT)
}
