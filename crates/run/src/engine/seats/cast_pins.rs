//! Pins of a cast: hashes of the prompts that it was made for, checked against a game.
//!
//! ```toml
//! [pins]
//! socratic = "3f2a1b4c5d6e"          # the beginning of the text's SHA-256
//! "sred/rubric:safety" = "…"         # of this protocol only
//! ```

use elenchus_records::library::Game;
use elenchus_records::library::shorten_hash;
use elenchus_records::library::{MIN_PIN_DIGITS, template_of, wrong_digits};
use elenchus_records::workspace::CastError;
use elenchus_store::Hash;
use std::collections::BTreeMap;

/// Refuses a game of which a prompt is not the one that a cast pins. `file` is what errors call it.
pub(super) fn check_pins(
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
            let template_names: Vec<&str> = game.templates.keys().map(String::as_str).collect();
            return Err(CastError::PinText {
                file: file.to_owned(),
                named: named.clone(),
                why: format!(
                    "protocol '{}' has no such template; it has {}",
                    game.protocol.id,
                    template_names.join(", ")
                ),
            });
        };
        let hash = Hash::digest(text.as_bytes());
        if !hash.to_string().starts_with(digits) {
            return Err(CastError::PinChanged {
                file: file.to_owned(),
                prompt: format!("{}/{template}", game.protocol.id),
                expected: digits.chars().take(MIN_PIN_DIGITS).collect(),
                found: shorten_hash(&hash),
            });
        }
    }
    Ok(())
}
