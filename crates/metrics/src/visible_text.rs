//! Sanitiser of hostile text: makes control characters and hidden characters visible.
//!
//! Text from models and files may move the cursor, clear the screen, write to the clipboard, or
//! show letters in another order than they are stored. No such character is ever printed: each is
//! replaced by a visible sign.

use crate::hidden_characters::{TextCharacter, classify_characters};
use std::borrow::Cow;
use std::fmt::Write;

/// Control characters that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// None: for a title, an id, or a cell of a table.
    Nothing,
    Newlines,
    NewlinesAndTabs,
}

/// Returns the text with everything that acts on a terminal made visible.
///
/// - Control characters below 0x20 and 0x7f become their pictures (`␛` for escape, `␍` for a lone
///   carriage return). A carriage return before a kept newline is left out.
/// - The 8-bit controls and [hidden characters](classify_characters) become their number, as
///   in `‹U+202E›`. What scripts and emoji need stays.
///
/// Without such characters nothing is copied. Applying it twice changes nothing more.
pub fn make_visible(text: &str, keep: Keep) -> Cow<'_, str> {
    if !classify_characters(text).any(|character| has_effect(character, keep)) {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len() + 16);
    let mut all = classify_characters(text).peekable();
    while let Some(character) = all.next() {
        let (TextCharacter::Plain(c) | TextCharacter::Hidden(c)) = character;
        if !has_effect(character, keep) {
            output.push(c);
        } else if c == '\r'
            && keep != Keep::Nothing
            && all.peek() == Some(&TextCharacter::Plain('\n'))
        {
            // The newline that follows serves for both.
        } else {
            push_picture(c, &mut output);
        }
    }
    Cow::Owned(output)
}

fn has_effect(character: TextCharacter, keep: Keep) -> bool {
    match character {
        TextCharacter::Plain('\n') => keep == Keep::Nothing,
        TextCharacter::Plain('\t') => keep != Keep::NewlinesAndTabs,
        TextCharacter::Plain(c) => c.is_control(),
        TextCharacter::Hidden(_) => true,
    }
}

fn push_picture(c: char, shown: &mut String) {
    let picture = match c {
        '\u{7f}' => Some('\u{2421}'),
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        _ => None,
    };
    match picture {
        Some(picture) => shown.push(picture),
        None => {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\u{2039}U+{:04X}\u{203a}", u32::from(c));
        }
    }
}
