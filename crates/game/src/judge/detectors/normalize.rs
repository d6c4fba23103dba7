//! Normalization of texts that differ only in typography.

use icu_normalizer::ComposingNormalizerBorrowed;
use std::borrow::Cow;

/// Normalizes white space, case, typographic quotation marks, dashes and ellipses, ligatures, soft
/// hyphens and decomposed accents.
///
/// Words, digits, superscripts and all other punctuation stay, so that `2⁵` never equals `25`.
/// Single and double quotation marks become one, because a quotation inside JSON often swaps them.
pub(crate) fn normalize_text(text: &str) -> String {
    let text = match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => ComposingNormalizerBorrowed::new_nfc().normalize(text),
    };
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        if is_invisible(c) {
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        match c {
            c if is_quotation_mark(c) => out.push('\''),
            '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => out.push('-'),
            '…' => out.push_str("..."),
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Returns whether a character is a quotation mark or an apostrophe of any style.
pub(super) fn is_quotation_mark(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '`'
            | '´'
            | '‘'
            | '’'
            | '‚'
            | '‛'
            | '“'
            | '”'
            | '„'
            | '‟'
            | '«'
            | '»'
            | '′'
            | '″'
    )
}

/// Returns whether a character is a soft hyphen or has no width.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
    )
}
