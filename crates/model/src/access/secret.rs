//! A key that cannot be printed.

use super::key_scrub::{KeyForms, Scrubber};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

/// A provider's key, or its absence.
///
/// Neither `Debug` nor any error shows it; it is not serialisable.
#[derive(Clone)]
pub struct Secret {
    key: SecretString,
    forms: Arc<KeyForms>,
}

impl Secret {
    /// Wraps a key; surrounding white space, which no header may hold, is dropped.
    pub fn new(key: &str) -> Self {
        let key = key.trim();
        Self {
            key: SecretString::from(key.to_owned()),
            forms: Arc::new(KeyForms::new(key)),
        }
    }

    /// Hides other secrets as well, which are sent elsewhere than in the authorization header.
    pub(crate) fn with_hidden<'a>(self, others: impl Iterator<Item = &'a str>) -> Self {
        let own_forms = KeyForms::new(self.expose());
        let forms = others.fold(own_forms, |forms, other| {
            forms.with_key_forms(KeyForms::new(other.trim()))
        });
        Self {
            forms: Arc::new(forms),
            ..self
        }
    }

    /// Wraps the absence of a key: no authorization header is sent.
    pub fn none() -> Self {
        Self::new("")
    }

    /// Returns whether there is no key.
    pub fn is_none(&self) -> bool {
        self.expose().is_empty()
    }

    /// Replaces every occurrence of the key in a text that a server sent, also where it is encoded or
    /// broken over lines.
    pub fn remove_from(&self, text: &str) -> String {
        let mut scrubber = self.build_scrubber();
        let mut clean = scrubber.push_text(text);
        clean.push_str(&scrubber.finish());
        clean
    }

    /// Does the same to a text that comes in pieces.
    pub(crate) fn build_scrubber(&self) -> Scrubber {
        Scrubber::new(&self.forms)
    }

    pub(crate) fn expose(&self) -> &str {
        self.key.expose_secret()
    }

    pub(crate) fn as_secret_string(&self) -> &SecretString {
        &self.key
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
