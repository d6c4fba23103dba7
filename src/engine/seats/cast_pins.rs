//! Whether the prompts of a game are the ones that a cast was made for.
//!
//! ```toml
//! [pins]
//! socratic = "3f2a1b4c5d6e"          # the beginning of the text's SHA-256
//! "sred/rubric:safety" = "…"         # of this protocol only
//! ```

use super::error::CastError;
use super::game::Game;
use super::pins::short;
use crate::store::Hash;
use std::collections::BTreeMap;

/// Fewer digits could fit another text by chance.
pub(super) const MIN_PIN_DIGITS: usize = 12;
/// Of a whole hash.
const MAX_PIN_DIGITS: usize = 64;

/// Refuses a game of which a prompt is not the one that a cast pins. `file` is what errors call it.
pub(super) fn check(
    pins: &BTreeMap<String, String>,
    file: &str,
    game: &Game,
) -> Result<(), CastError> {
    for (named, digits) in pins {
        if let Some(why) = wrong_digits(digits) {
            return Err(CastError::PinText {
                file: file.to_owned(),
                named: named.clone(),
                why,
            });
        }
        let Some(template) = template_of(named, &game.protocol.id) else {
            continue;
        };
        let Some(text) = game.templates.get(template) else {
            let known: Vec<&str> = game.templates.keys().map(String::as_str).collect();
            return Err(CastError::PinText {
                file: file.to_owned(),
                named: named.clone(),
                why: format!(
                    "protocol '{}' has no such template; it has {}",
                    game.protocol.id,
                    known.join(", ")
                ),
            });
        };
        let found = Hash::of(text.as_bytes());
        if !found.to_string().starts_with(digits) {
            return Err(CastError::PinChanged {
                file: file.to_owned(),
                prompt: format!("{}/{template}", game.protocol.id),
                expected: digits.chars().take(MIN_PIN_DIGITS).collect(),
                found: short(&found),
            });
        }
    }
    Ok(())
}

/// Returns the template that a pin is of; `None` where it is another protocol's.
pub(super) fn template_of<'a>(named: &'a str, protocol: &str) -> Option<&'a str> {
    match named.split_once('/') {
        None => Some(named),
        Some((of, template)) => (of == protocol).then_some(template),
    }
}

/// Says why digits are no pin.
pub(super) fn wrong_digits(digits: &str) -> Option<String> {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let fits = (MIN_PIN_DIGITS..=MAX_PIN_DIGITS).contains(&digits.len());
    (!fits || !digits.bytes().all(hex)).then(|| {
        format!(
            "'{digits}' is no pin: a pin is the beginning of a SHA-256, {MIN_PIN_DIGITS} to \
             {MAX_PIN_DIGITS} digits of 0-9 and a-f"
        )
    })
}
