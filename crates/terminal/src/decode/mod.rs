//! Decoder of terminal input: bytes and passing time in, inputs out. Reads nothing and knows no
//! clock.
//!
//! A slow link tears sequences apart. What decides is therefore never in which piece a byte came, only
//! for how long nothing came:
//!
//! - A bare Esc is held until it is clear that nothing follows, then reported.
//! - If the tail of a sequence follows so late that its Esc was reported already (`[`, `O` or `]` and what
//!   belongs behind it), it is put together to the key it was: the person gets Esc and an arrow key,
//!   never a command by the letter that ends the arrow key's sequence.
//! - A sequence that has begun ends with its last byte, however late, or with a control byte. Alt-`[`
//!   and Alt-`O` are therefore no keys; pressing one loses the printable key after it.
//! - What terminals answer to questions (strings, private sequences) is swallowed, as is any sequence
//!   that means no key.

mod keys;
mod paste;

pub use paste::PASTE_LIMIT_BYTES;

use super::input::Input;
use keys::Csi;
use paste::{PasteByteEffect, PasteText, is_unbracketed_paste, may_be_lines};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

const ESC: u8 = 0x1b;
const DEL: u8 = 0x7f;
const BEL: u8 = 0x07;
/// Bytes after `CSI M`, as mice of old report: button, column, row.
const OLD_MOUSE_BYTES: u8 = 3;

/// State of waiting of the decoder; the limits are the reader's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecoderWait {
    /// A bare Esc may begin a sequence.
    Escape,
    /// The tail of a torn sequence may follow an Esc that was reported already.
    Tail,
    /// The rest of a string; a person's own Alt-`]` begins one that never ends.
    Rest,
    /// The rest of a pasted text, whose end may be lost.
    Paste,
    /// More of a text that was pasted without brackets; it has no end of its own.
    Burst,
}

/// Decoder of keys and pasted texts from bytes, however they are split.
#[derive(Debug, Default)]
pub struct Decoder {
    state: DecoderState,
}

#[derive(Debug, Default)]
enum DecoderState {
    #[default]
    Ground,
    /// One Esc is held; or two: some terminals put one before a sequence for Alt.
    Escape(HeldInput),
    /// An Esc was reported just now.
    EscapeReported,
    /// After an Esc that was reported: the tail of a torn sequence, or a key.
    Doubtful(u8),
    Csi(Csi),
    Ss3(Csi),
    /// `CSI [` begins the function keys of Linux's console.
    ConsoleFunction,
    OldMouse {
        missing: u8,
    },
    String {
        after_esc: bool,
    },
    Character(PartialCharacter),
    Paste(Box<PasteText>),
    /// A text that was pasted without brackets.
    Burst(Box<PasteText>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldInput {
    One,
    Two,
}

/// A character of several bytes that has begun.
#[derive(Debug, Clone, Copy)]
struct PartialCharacter {
    bytes: [u8; 4],
    have: usize,
    need: usize,
    alt: KeyModifiers,
}

impl Decoder {
    /// A decoder that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes arrived bytes and appends the inputs they complete.
    pub fn feed(&mut self, bytes: &[u8], inputs: &mut Vec<Input>) {
        if matches!(self.state, DecoderState::Ground)
            && may_be_lines(bytes)
            && is_unbracketed_paste(&decode_as_keys(bytes))
        {
            self.state = DecoderState::Burst(Box::default());
        }
        for &byte in bytes {
            self.state = std::mem::take(&mut self.state).next_state(byte, inputs);
        }
    }

    /// Takes it that nothing came for as long as [`Decoder::pending_wait`] may last.
    pub fn handle_timeout(&mut self, inputs: &mut Vec<Input>) {
        self.state = match std::mem::take(&mut self.state) {
            DecoderState::Escape(held) => {
                push_key(KeyCode::Esc.into(), inputs);
                if held == HeldInput::Two {
                    push_key(KeyCode::Esc.into(), inputs);
                }
                DecoderState::EscapeReported
            }
            DecoderState::Doubtful(byte) => {
                push_key(KeyCode::Char(char::from(byte)).into(), inputs);
                DecoderState::Ground
            }
            DecoderState::EscapeReported | DecoderState::String { .. } | DecoderState::Ground => {
                DecoderState::Ground
            }
            DecoderState::Burst(text) => {
                inputs.push(Input::Paste(text.into_paste()));
                DecoderState::Ground
            }
            DecoderState::Paste(mut paste) => {
                if paste.record_pause() {
                    DecoderState::Paste(paste)
                } else {
                    inputs.push(Input::Paste(paste.into_paste()));
                    DecoderState::Ground
                }
            }
            goes_on @ (DecoderState::Csi(_)
            | DecoderState::Ss3(_)
            | DecoderState::ConsoleFunction
            | DecoderState::OldMouse { .. }
            | DecoderState::Character(_)) => goes_on,
        };
    }

    /// Returns what it waits for; `None` while time means nothing.
    pub fn pending_wait(&self) -> Option<DecoderWait> {
        match self.state {
            DecoderState::Escape(_) => Some(DecoderWait::Escape),
            DecoderState::EscapeReported | DecoderState::Doubtful(_) => Some(DecoderWait::Tail),
            DecoderState::String { .. } => Some(DecoderWait::Rest),
            DecoderState::Paste(_) => Some(DecoderWait::Paste),
            DecoderState::Burst(_) => Some(DecoderWait::Burst),
            DecoderState::Ground
            | DecoderState::Csi(_)
            | DecoderState::Ss3(_)
            | DecoderState::ConsoleFunction
            | DecoderState::OldMouse { .. }
            | DecoderState::Character(_) => None,
        }
    }
}

impl DecoderState {
    fn next_state(self, byte: u8, inputs: &mut Vec<Input>) -> Self {
        match self {
            Self::Ground => decode_plain_byte(byte, KeyModifiers::NONE, inputs),
            Self::Escape(held) => decode_after_escape(held, byte, inputs),
            Self::EscapeReported => match byte {
                b'[' | b'O' | b']' => Self::Doubtful(byte),
                _ => decode_plain_byte(byte, KeyModifiers::NONE, inputs),
            },
            Self::Doubtful(held) => decode_after_doubt(held, byte, inputs),
            Self::Csi(csi) => decode_in_csi(csi, byte, inputs),
            Self::Ss3(csi) => decode_in_ss3(csi, byte, inputs),
            Self::ConsoleFunction => match byte {
                b'A'..=b'E' => {
                    push_key(KeyCode::F(byte - b'A' + 1).into(), inputs);
                    Self::Ground
                }
                _ if is_printable(byte) => Self::Ground,
                _ => decode_plain_byte(byte, KeyModifiers::NONE, inputs),
            },
            Self::OldMouse { missing } => match missing.saturating_sub(1) {
                0 => Self::Ground,
                missing => Self::OldMouse { missing },
            },
            Self::String { after_esc } => decode_in_string(after_esc, byte, inputs),
            Self::Character(character) => character.add_byte(byte, inputs),
            // No person's key comes before the pause that ends it.
            Self::Burst(mut text) => {
                text.add_text(byte);
                Self::Burst(text)
            }
            Self::Paste(mut paste) => match paste.add_byte(byte) {
                PasteByteEffect::Text => Self::Paste(paste),
                PasteByteEffect::End => {
                    inputs.push(Input::Paste(paste.into_paste()));
                    Self::Ground
                }
                PasteByteEffect::Interrupt => {
                    inputs.push(Input::Paste(paste.into_paste()));
                    decode_plain_byte(byte, KeyModifiers::NONE, inputs)
                }
            },
        }
    }
}

/// Returns what bytes would be that begin outside of every sequence, if they are not pasted.
fn decode_as_keys(bytes: &[u8]) -> Vec<Input> {
    let mut inputs = Vec::new();
    let state = DecoderState::Ground;
    bytes
        .iter()
        .fold(state, |state, &byte| state.next_state(byte, &mut inputs));
    inputs
}

fn decode_after_escape(held: HeldInput, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    let has_alt = held == HeldInput::Two;
    match byte {
        b'[' => DecoderState::Csi(Csi::new(has_alt)),
        b'O' => DecoderState::Ss3(Csi::new(has_alt)),
        // Operating system command, device control, start of string, privacy message, application.
        b']' | b'P' | b'X' | b'^' | b'_' => {
            if has_alt {
                push_key(KeyCode::Esc.into(), inputs);
            }
            DecoderState::String { after_esc: false }
        }
        ESC => {
            if has_alt {
                push_key(KeyCode::Esc.into(), inputs);
            }
            DecoderState::Escape(HeldInput::Two)
        }
        _ => {
            if has_alt {
                push_key(KeyCode::Esc.into(), inputs);
            }
            decode_plain_byte(byte, KeyModifiers::ALT, inputs)
        }
    }
}

fn decode_after_doubt(held: u8, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    let is_sequence = match held {
        b'[' => is_printable(byte),
        b'O' => byte.is_ascii_digit() || Csi::new(false).decode_ss3_key(byte).is_some(),
        _ => byte.is_ascii_digit(),
    };
    match held {
        b'[' if is_sequence => decode_in_csi(Csi::new(false), byte, inputs),
        b'O' if is_sequence => decode_in_ss3(Csi::new(false), byte, inputs),
        _ if is_sequence => DecoderState::String { after_esc: false },
        _ => {
            push_key(KeyCode::Char(char::from(held)).into(), inputs);
            decode_plain_byte(byte, KeyModifiers::NONE, inputs)
        }
    }
}

fn decode_in_csi(mut csi: Csi, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    match byte {
        b'[' if csi.is_empty() => DecoderState::ConsoleFunction,
        b'M' if csi.is_empty() => DecoderState::OldMouse {
            missing: OLD_MOUSE_BYTES,
        },
        b'$' if csi.is_plain_number() => finish_csi(csi, byte, inputs),
        0x20..=0x3f => {
            csi.push_byte(byte);
            DecoderState::Csi(csi)
        }
        0x40..=0x7e => finish_csi(csi, byte, inputs),
        _ => decode_plain_byte(byte, KeyModifiers::NONE, inputs),
    }
}

fn finish_csi(csi: Csi, last: u8, inputs: &mut Vec<Input>) -> DecoderState {
    if csi.is_paste_start(last) {
        return DecoderState::Paste(Box::default());
    }
    if let Some(key) = csi.decode_key(last) {
        push_key(key, inputs);
    }
    if let Some(mouse) = csi.decode_mouse(last) {
        inputs.push(Input::Event(Event::Mouse(mouse)));
    }
    DecoderState::Ground
}

fn decode_in_ss3(mut ss3: Csi, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    match byte {
        b'0'..=b'9' | b';' => {
            ss3.push_byte(byte);
            DecoderState::Ss3(ss3)
        }
        _ if is_printable(byte) => {
            if let Some(key) = ss3.decode_ss3_key(byte) {
                push_key(key, inputs);
            }
            DecoderState::Ground
        }
        _ => decode_plain_byte(byte, KeyModifiers::NONE, inputs),
    }
}

/// A string ends with BEL or `ESC \`; any other control byte of a person gets through.
fn decode_in_string(after_esc: bool, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    match byte {
        b'\\' if after_esc => DecoderState::Ground,
        _ if after_esc => decode_after_escape(HeldInput::One, byte, inputs),
        BEL => DecoderState::Ground,
        ESC => DecoderState::String { after_esc: true },
        0x00..=0x1f => decode_plain_byte(byte, KeyModifiers::NONE, inputs),
        _ => DecoderState::String { after_esc: false },
    }
}

/// A byte outside of every sequence.
fn decode_plain_byte(byte: u8, alt: KeyModifiers, inputs: &mut Vec<Input>) -> DecoderState {
    let code = match byte {
        ESC => return DecoderState::Escape(HeldInput::One),
        b'\r' => KeyCode::Enter,
        b'\t' => KeyCode::Tab,
        // Which of the two Backspace sends is the terminal's taste.
        DEL | 0x08 => KeyCode::Backspace,
        0x20..=0x7e => KeyCode::Char(char::from(byte)),
        0x00..=0x1f => {
            push_key(control_key(byte, alt), inputs);
            return DecoderState::Ground;
        }
        0x80..=0xff => return PartialCharacter::from_first_byte(byte, alt),
    };
    push_key(KeyEvent::new(code, alt), inputs);
    DecoderState::Ground
}

/// A key with Ctrl, from its control byte.
fn control_key(byte: u8, alt: KeyModifiers) -> KeyEvent {
    let c = match byte {
        0x00 => ' ',
        0x01..=0x1a => char::from(byte - 1 + b'a'),
        _ => char::from(byte + b'@'),
    };
    KeyEvent::new(KeyCode::Char(c), alt | KeyModifiers::CONTROL)
}

impl PartialCharacter {
    fn from_first_byte(byte: u8, alt: KeyModifiers) -> DecoderState {
        let need = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            // No beginning of a character: noise, or a terminal that speaks another charset.
            _ => return DecoderState::Ground,
        };
        DecoderState::Character(Self {
            bytes: [byte, 0, 0, 0],
            have: 1,
            need,
            alt,
        })
    }

    fn add_byte(mut self, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
        if byte & 0xc0 != 0x80 {
            return decode_plain_byte(byte, KeyModifiers::NONE, inputs);
        }
        if let Some(place) = self.bytes.get_mut(self.have) {
            *place = byte;
        }
        self.have += 1;
        if self.have < self.need {
            return DecoderState::Character(self);
        }
        let bytes = self.bytes.get(..self.need).unwrap_or_default();
        let text = std::str::from_utf8(bytes).ok();
        if let Some(c) = text.and_then(|text| text.chars().next())
            && !c.is_control()
        {
            push_key(KeyEvent::new(KeyCode::Char(c), self.alt), inputs);
        }
        DecoderState::Ground
    }
}

fn is_printable(byte: u8) -> bool {
    (0x20..DEL).contains(&byte)
}

fn push_key(key: KeyEvent, inputs: &mut Vec<Input>) {
    inputs.push(Input::Event(Event::Key(key)));
}
