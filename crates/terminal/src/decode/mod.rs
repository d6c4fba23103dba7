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
use paste::{PasteText, Took};
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
    Told,
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
        for &byte in bytes {
            self.state = std::mem::take(&mut self.state).after(byte, inputs);
        }
    }

    /// Takes it that nothing came for as long as [`Decoder::waiting`] may last.
    pub fn nothing_came(&mut self, inputs: &mut Vec<Input>) {
        self.state = match std::mem::take(&mut self.state) {
            DecoderState::Escape(held) => {
                tell(KeyCode::Esc.into(), inputs);
                if held == HeldInput::Two {
                    tell(KeyCode::Esc.into(), inputs);
                }
                DecoderState::Told
            }
            DecoderState::Doubtful(byte) => {
                tell(KeyCode::Char(char::from(byte)).into(), inputs);
                DecoderState::Ground
            }
            DecoderState::Told | DecoderState::String { .. } | DecoderState::Ground => {
                DecoderState::Ground
            }
            DecoderState::Paste(mut paste) => {
                if paste.nothing_came() {
                    DecoderState::Paste(paste)
                } else {
                    inputs.push(Input::Paste(paste.finish()));
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
    pub fn waiting(&self) -> Option<DecoderWait> {
        match self.state {
            DecoderState::Escape(_) => Some(DecoderWait::Escape),
            DecoderState::Told | DecoderState::Doubtful(_) => Some(DecoderWait::Tail),
            DecoderState::String { .. } => Some(DecoderWait::Rest),
            DecoderState::Paste(_) => Some(DecoderWait::Paste),
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
    fn after(self, byte: u8, inputs: &mut Vec<Input>) -> Self {
        match self {
            Self::Ground => plain(byte, KeyModifiers::NONE, inputs),
            Self::Escape(held) => after_escape(held, byte, inputs),
            Self::Told => match byte {
                b'[' | b'O' | b']' => Self::Doubtful(byte),
                _ => plain(byte, KeyModifiers::NONE, inputs),
            },
            Self::Doubtful(held) => after_doubt(held, byte, inputs),
            Self::Csi(csi) => in_csi(csi, byte, inputs),
            Self::Ss3(csi) => in_ss3(csi, byte, inputs),
            Self::ConsoleFunction => match byte {
                b'A'..=b'E' => {
                    tell(KeyCode::F(byte - b'A' + 1).into(), inputs);
                    Self::Ground
                }
                _ if is_printable(byte) => Self::Ground,
                _ => plain(byte, KeyModifiers::NONE, inputs),
            },
            Self::OldMouse { missing } => match missing.saturating_sub(1) {
                0 => Self::Ground,
                missing => Self::OldMouse { missing },
            },
            Self::String { after_esc } => in_string(after_esc, byte, inputs),
            Self::Character(character) => character.after(byte, inputs),
            Self::Paste(mut paste) => match paste.take(byte) {
                Took::Text => Self::Paste(paste),
                Took::End => {
                    inputs.push(Input::Paste(paste.finish()));
                    Self::Ground
                }
                Took::Interrupt => {
                    inputs.push(Input::Paste(paste.finish()));
                    plain(byte, KeyModifiers::NONE, inputs)
                }
            },
        }
    }
}

fn after_escape(held: HeldInput, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    let with_alt = held == HeldInput::Two;
    match byte {
        b'[' => DecoderState::Csi(Csi::new(with_alt)),
        b'O' => DecoderState::Ss3(Csi::new(with_alt)),
        // Operating system command, device control, start of string, privacy message, application.
        b']' | b'P' | b'X' | b'^' | b'_' => {
            if with_alt {
                tell(KeyCode::Esc.into(), inputs);
            }
            DecoderState::String { after_esc: false }
        }
        ESC => {
            if with_alt {
                tell(KeyCode::Esc.into(), inputs);
            }
            DecoderState::Escape(HeldInput::Two)
        }
        _ => {
            if with_alt {
                tell(KeyCode::Esc.into(), inputs);
            }
            plain(byte, KeyModifiers::ALT, inputs)
        }
    }
}

fn after_doubt(held: u8, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    let goes_on = match held {
        b'[' => is_printable(byte),
        b'O' => byte.is_ascii_digit() || Csi::new(false).key_of_ss3(byte).is_some(),
        _ => byte.is_ascii_digit(),
    };
    match held {
        b'[' if goes_on => in_csi(Csi::new(false), byte, inputs),
        b'O' if goes_on => in_ss3(Csi::new(false), byte, inputs),
        _ if goes_on => DecoderState::String { after_esc: false },
        _ => {
            tell(KeyCode::Char(char::from(held)).into(), inputs);
            plain(byte, KeyModifiers::NONE, inputs)
        }
    }
}

fn in_csi(mut csi: Csi, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    match byte {
        b'[' if csi.is_empty() => DecoderState::ConsoleFunction,
        b'M' if csi.is_empty() => DecoderState::OldMouse {
            missing: OLD_MOUSE_BYTES,
        },
        b'$' if csi.is_plain_number() => csi_ends(csi, byte, inputs),
        0x20..=0x3f => {
            csi.push(byte);
            DecoderState::Csi(csi)
        }
        0x40..=0x7e => csi_ends(csi, byte, inputs),
        _ => plain(byte, KeyModifiers::NONE, inputs),
    }
}

fn csi_ends(csi: Csi, last: u8, inputs: &mut Vec<Input>) -> DecoderState {
    if csi.begins_paste(last) {
        return DecoderState::Paste(Box::default());
    }
    if let Some(key) = csi.key(last) {
        tell(key, inputs);
    }
    if let Some(mouse) = csi.mouse(last) {
        inputs.push(Input::Event(Event::Mouse(mouse)));
    }
    DecoderState::Ground
}

fn in_ss3(mut ss3: Csi, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    match byte {
        b'0'..=b'9' | b';' => {
            ss3.push(byte);
            DecoderState::Ss3(ss3)
        }
        _ if is_printable(byte) => {
            if let Some(key) = ss3.key_of_ss3(byte) {
                tell(key, inputs);
            }
            DecoderState::Ground
        }
        _ => plain(byte, KeyModifiers::NONE, inputs),
    }
}

/// A string ends with BEL or `ESC \`; any other control byte of a person gets through.
fn in_string(after_esc: bool, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
    match byte {
        b'\\' if after_esc => DecoderState::Ground,
        _ if after_esc => after_escape(HeldInput::One, byte, inputs),
        BEL => DecoderState::Ground,
        ESC => DecoderState::String { after_esc: true },
        0x00..=0x1f => plain(byte, KeyModifiers::NONE, inputs),
        _ => DecoderState::String { after_esc: false },
    }
}

/// A byte outside of every sequence.
fn plain(byte: u8, alt: KeyModifiers, inputs: &mut Vec<Input>) -> DecoderState {
    let code = match byte {
        ESC => return DecoderState::Escape(HeldInput::One),
        b'\r' => KeyCode::Enter,
        b'\t' => KeyCode::Tab,
        // Which of the two Backspace sends is the terminal's taste.
        DEL | 0x08 => KeyCode::Backspace,
        0x20..=0x7e => KeyCode::Char(char::from(byte)),
        0x00..=0x1f => {
            tell(control(byte, alt), inputs);
            return DecoderState::Ground;
        }
        0x80..=0xff => return PartialCharacter::beginning(byte, alt),
    };
    tell(KeyEvent::new(code, alt), inputs);
    DecoderState::Ground
}

/// A key with Ctrl, from its control byte.
fn control(byte: u8, alt: KeyModifiers) -> KeyEvent {
    let c = match byte {
        0x00 => ' ',
        0x01..=0x1a => char::from(byte - 1 + b'a'),
        _ => char::from(byte + b'@'),
    };
    KeyEvent::new(KeyCode::Char(c), alt | KeyModifiers::CONTROL)
}

impl PartialCharacter {
    fn beginning(byte: u8, alt: KeyModifiers) -> DecoderState {
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

    fn after(mut self, byte: u8, inputs: &mut Vec<Input>) -> DecoderState {
        if byte & 0xc0 != 0x80 {
            return plain(byte, KeyModifiers::NONE, inputs);
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
            tell(KeyEvent::new(KeyCode::Char(c), self.alt), inputs);
        }
        DecoderState::Ground
    }
}

fn is_printable(byte: u8) -> bool {
    (0x20..DEL).contains(&byte)
}

fn tell(key: KeyEvent, inputs: &mut Vec<Input>) {
    inputs.push(Input::Event(Event::Key(key)));
}
