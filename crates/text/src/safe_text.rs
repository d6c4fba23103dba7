//! Text of others made safe to print, and words of messages.

pub use elenchus_metrics::{Keep, make_visible};
use elenchus_metrics::{TextCharacter, classify_characters};
use std::borrow::Cow;

/// Says whether a character of the screen has a hidden part. Joiners are none: alone, it is not known what
/// they join.
pub fn has_hidden(character: &str) -> bool {
    classify_characters(character).any(|part| match part {
        TextCharacter::Plain(_) => false,
        TextCharacter::Hidden(c) => !matches!(c, '\u{200b}'..='\u{200d}'),
    })
}

/// Returns an error's message with its causes, as a person reads them in one line.
pub fn describe_with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Quotes a text as one word of a shell command.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Returns `count` with the right form of its noun, for regular nouns.
pub fn format_noun_count(count: usize, noun: &str) -> String {
    let is_vowel = |before: &&str| before.ends_with(['a', 'e', 'o', 'u']);
    match noun.strip_suffix('y').filter(|before| !is_vowel(before)) {
        _ if count == 1 => format!("1 {noun}"),
        Some(before) => format!("{count} {before}ies"),
        None => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_escape_sequence_is_shown_and_not_sent() {
        assert_eq!(
            make_visible("\x1b[2Jgone\u{9b}31m\x07", Keep::Newlines),
            "␛[2Jgone‹U+009B›31m␇"
        );
    }

    #[test]
    fn a_right_to_left_override_is_shown_by_its_number() {
        assert_eq!(
            make_visible("a\u{202e}txt.exe", Keep::Newlines),
            "a‹U+202E›txt.exe"
        );
        assert_eq!(
            make_visible("\u{e0041}\u{feff}", Keep::Newlines),
            "‹U+E0041›‹U+FEFF›"
        );
    }

    #[test]
    fn newlines_and_tabs_stay_only_where_they_are_kept() {
        let text = "a\r\nb\tc\rd\n";
        assert_eq!(make_visible(text, Keep::NewlinesAndTabs), "a\nb\tc␍d\n");
        assert_eq!(make_visible(text, Keep::Newlines), "a\nb␉c␍d\n");
        assert_eq!(make_visible(text, Keep::Nothing), "a␍␊b␉c␍d␊");
    }

    #[test]
    fn joined_emoji_and_right_to_left_scripts_are_left_alone() {
        for text in [
            "👩\u{200d}🔬 می\u{200c}خواهم ❤\u{fe0f} 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥",
            "क्\u{200d}ष क्\u{200c}ष ශ්\u{200d}රී ภาษา\u{200b}ไทย ᠮᠣᠩ\u{180b} 葛\u{e0100} ≨\u{fe00}",
            "\u{1100}\u{1160}\u{11a8} \u{115f}\u{1161} ⠓⠑\u{2800}⠎ ©\u{fe0f} 〱\u{fe00}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 🇩🇪 e\u{301} 1\u{fe0f}\u{20e3}",
        ] {
            let shown = make_visible(text, Keep::Nothing);
            assert!(
                matches!(&shown, Cow::Borrowed(same) if *same == text),
                "{shown}"
            );
        }
    }

    #[test]
    fn what_is_hidden_between_letters_is_shown() {
        for (text, shown) in [
            ("a\u{e0069}b", "a‹U+E0069›b"),
            ("😀\u{e0100}\u{e0101}", "😀‹U+E0100›‹U+E0101›"),
            ("😀\u{fe0f}\u{fe01}\u{fe02}", "😀\u{fe0f}‹U+FE01›‹U+FE02›"),
            (
                "in\u{ad}visi\u{200b}ble\u{200d}\u{200c}",
                "in‹U+00AD›visi‹U+200B›ble‹U+200D›‹U+200C›",
            ),
            (
                "x\u{2062}\u{180e}\u{fffa}\u{3164}",
                "x‹U+2062›‹U+180E›‹U+FFFA›‹U+3164›",
            ),
            // No flag of a country, and one that is not ended.
            (
                "🏴\u{e0068}\u{e0069}\u{e007f}",
                "🏴‹U+E0068›‹U+E0069›‹U+E007F›",
            ),
            (
                "🏴\u{e0067}\u{e0062}\u{e0073}",
                "🏴‹U+E0067›‹U+E0062›‹U+E0073›",
            ),
            (" \u{fe0f}", " ‹U+FE0F›"),
            ("a\u{fe00}b\u{fe0f}", "a‹U+FE00›b‹U+FE0F›"),
            ("x\u{115f}y\u{1160}", "x‹U+115F›y‹U+1160›"),
            ("a\u{17b4}\u{17b5}\u{180b}", "a‹U+17B4›‹U+17B5›‹U+180B›"),
            ("a\u{2800}b\u{13430}", "a‹U+2800›b‹U+13430›"),
            ("\u{e000}\u{f0001}\u{10fffd}", "‹U+E000›‹U+F0001›‹U+10FFFD›"),
            ("\u{fffe}\u{fdd0}\u{1ffff}", "‹U+FFFE›‹U+FDD0›‹U+1FFFF›"),
        ] {
            assert_eq!(make_visible(text, Keep::Nothing), shown);
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>(),
            prop::char::range('\0', '\u{a0}'),
            prop::char::range('\u{2000}', '\u{2070}'),
            prop::char::range('\u{fff0}', '\u{ffff}'),
            prop::char::range('\u{e0000}', '\u{e01f0}'),
            prop::sample::select(
                "🏴👩🔬❤葛می\u{fe0e}\u{fe0f}\u{200d}\u{ad}\u{180e}"
                    .chars()
                    .collect::<Vec<_>>()
            ),
        ];
        prop::collection::vec(piece, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn no_control_character_or_bidirectional_override_is_ever_left(text in hostile()) {
            for (keep, kept) in [
                (Keep::Nothing, ""),
                (Keep::Newlines, "\n"),
                (Keep::NewlinesAndTabs, "\n\t"),
            ] {
                let shown = make_visible(&text, keep);
                for c in shown.chars().filter(|c| !kept.contains(*c)) {
                    prop_assert!(!c.is_control(), "{c:?}");
                    prop_assert!(!"\u{61c}\u{200e}\u{200f}\u{feff}".contains(c), "{c:?}");
                    prop_assert!(!('\u{202a}'..='\u{202e}').contains(&c), "{c:?}");
                    prop_assert!(!('\u{2066}'..='\u{2069}').contains(&c), "{c:?}");
                    prop_assert!(!"\u{ad}\u{180e}\u{2060}\u{fffb}".contains(c), "{c:?}");
                    let is_tag = ('\u{e0000}'..='\u{e007f}').contains(&c);
                    prop_assert!(!is_tag || shown.contains('🏴'), "{c:?}");
                }
                prop_assert!(matches!(make_visible(&shown, keep), Cow::Borrowed(_)));
            }
        }

        #[test]
        fn harmless_text_is_not_copied(text in "[a-zA-Z0-9 .,äöü漢字]{0,40}") {
            prop_assert!(matches!(make_visible(&text, Keep::Nothing), Cow::Borrowed(_)));
        }
    }
}
