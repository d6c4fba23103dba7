//! Marked words of prompts: how much a word that a prompt contains makes the simulated model better or
//! worse at what it is asked. Pure.
//!
//! The model reads nothing else of a prompt. A word counts once, wherever in the messages it stands.

use super::settings::SimSettings;
use crate::call::Request;

/// Returns the shift, in logits, towards being right that the marked words of a request have together.
pub(super) fn sum_shifts(settings: &SimSettings, request: &Request) -> f64 {
    let is_said = |word: &str| {
        let mut messages = request.messages.iter();
        messages.any(|message| has_word(&message.content, word))
    };
    let said = settings.prompt_words.iter();
    let said = said.filter(|(word, _)| is_said(word));
    said.map(|(_, shift)| shift).sum()
}

/// Says whether a text has a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_part_of_a_longer_word_is_no_word() {
        for text in [
            "sim-careful",
            "Be sim-careful.",
            "(sim-careful)",
            "a\nsim-careful\nb",
        ] {
            assert!(has_word(text, "sim-careful"), "{text}");
        }
        for text in [
            "sim-carefully",
            "non-sim-careful",
            "sim-careful-ish",
            "careful",
        ] {
            assert!(!has_word(text, "sim-careful"), "{text}");
        }
    }
}
