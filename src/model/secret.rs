//! A key that cannot be printed.

use secrecy::{ExposeSecret, SecretString};

/// What stands in a text where a key was.
const HIDDEN: &str = "[key]";
/// Shorter keys are placeholders ("none", "x") whose removal would only garble messages.
const SHORTEST_SECRET_CHARS: usize = 6;

/// A provider's key, or its absence.
///
/// Neither `Debug` nor any error shows it; it is not serialisable.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Wraps a key; surrounding white space, which no header may hold, is dropped.
    pub fn new(key: &str) -> Self {
        Self(SecretString::from(key.trim().to_owned()))
    }

    /// Wraps the absence of a key: no authorization header is sent.
    pub fn none() -> Self {
        Self::new("")
    }

    /// Whether there is no key.
    pub fn is_none(&self) -> bool {
        self.expose().is_empty()
    }

    /// Replaces every occurrence of the key in a text that a server sent.
    pub fn remove_from(&self, text: &str) -> String {
        let key = self.expose();
        if key.chars().count() < SHORTEST_SECRET_CHARS {
            return text.to_owned();
        }
        text.replace(key, HIDDEN)
    }

    pub(super) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    pub(super) fn as_secret_string(&self) -> &SecretString {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_none() {
            "Secret(none)"
        } else {
            "Secret([hidden])"
        })
    }
}
