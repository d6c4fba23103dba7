//! Hostile text made visible.
//!
//! Text from models and files may move the cursor, clear the screen, write to the clipboard, or show
//! letters in another order than they stand. Nothing that does so is ever sent: what would act is
//! replaced by something that shows.

use std::borrow::Cow;
use std::fmt::Write;

/// Which control characters stay as they are.
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
/// - The 8-bit controls, bidirectional marks, embeddings, overrides and isolates, line and paragraph
///   separators, invisible format characters, tag characters and byte order marks become their
///   number, as in `‹U+202E›`.
/// - Joiners (U+200C, U+200D) and variation selectors stay: scripts and emoji need them.
///
/// Without such characters nothing is copied. Applying it twice changes nothing more.
pub fn visible(text: &str, keep: Keep) -> Cow<'_, str> {
    let Some((first, _)) = text.char_indices().find(|(_, c)| acts(*c, keep)) else {
        return Cow::Borrowed(text);
    };
    let (clean, rest) = text.split_at(first);
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(clean);
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        if !acts(c, keep) {
            shown.push(c);
        } else if c == '\r' && keep != Keep::Nothing && chars.peek() == Some(&'\n') {
            // The newline that follows stands for both.
        } else {
            show(c, &mut shown);
        }
    }
    Cow::Owned(shown)
}

fn acts(c: char, keep: Keep) -> bool {
    match c {
        '\n' => keep == Keep::Nothing,
        '\t' => keep != Keep::NewlinesAndTabs,
        _ => c.is_control() || is_invisible(c),
    }
}

/// Characters that are no controls by name but reorder, break or hide text.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

fn show(c: char, shown: &mut String) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_escape_sequence_is_shown_and_not_sent() {
        assert_eq!(
            visible("\x1b[2Jgone\u{9b}31m\x07", Keep::Newlines),
            "␛[2Jgone‹U+009B›31m␇"
        );
    }

    #[test]
    fn a_right_to_left_override_is_shown_by_its_number() {
        assert_eq!(
            visible("a\u{202e}txt.exe", Keep::Newlines),
            "a‹U+202E›txt.exe"
        );
        assert_eq!(
            visible("\u{e0041}\u{feff}", Keep::Newlines),
            "‹U+E0041›‹U+FEFF›"
        );
    }

    #[test]
    fn newlines_and_tabs_stay_only_where_they_are_kept() {
        let text = "a\r\nb\tc\rd\n";
        assert_eq!(visible(text, Keep::NewlinesAndTabs), "a\nb\tc␍d\n");
        assert_eq!(visible(text, Keep::Newlines), "a\nb␉c␍d\n");
        assert_eq!(visible(text, Keep::Nothing), "a␍␊b␉c␍d␊");
    }

    #[test]
    fn joined_emoji_and_right_to_left_scripts_are_left_alone() {
        let text = "👩\u{200d}🔬 می\u{200c}خواهم ❤\u{fe0f}";
        assert!(matches!(visible(text, Keep::Nothing), Cow::Borrowed(same) if same == text));
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>(),
            prop::char::range('\0', '\u{a0}'),
            prop::char::range('\u{2000}', '\u{2070}'),
            prop::char::range('\u{fff0}', '\u{ffff}'),
            prop::char::range('\u{e0000}', '\u{e00ff}'),
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
                let shown = visible(&text, keep);
                for c in shown.chars().filter(|c| !kept.contains(*c)) {
                    prop_assert!(!c.is_control(), "{c:?}");
                    prop_assert!(!"\u{61c}\u{200e}\u{200f}\u{feff}".contains(c), "{c:?}");
                    prop_assert!(!('\u{202a}'..='\u{202e}').contains(&c), "{c:?}");
                    prop_assert!(!('\u{2066}'..='\u{2069}').contains(&c), "{c:?}");
                }
                prop_assert!(matches!(visible(&shown, keep), Cow::Borrowed(_)));
            }
        }

        #[test]
        fn harmless_text_is_not_copied(text in "[a-zA-Z0-9 .,äöü漢字]{0,40}") {
            prop_assert!(matches!(visible(&text, Keep::Nothing), Cow::Borrowed(_)));
        }
    }
}
