//! Hidden characters of a text: invisible ones, and those that reorder the text around them. How
//! they are made visible stands in [`make_visible`](crate::make_visible).
//!
//! Joiners, variation selectors and tags are not hidden where a script or an emoji needs them.

use std::str::Chars;

/// The one flag that tags may follow, and the tags of the three countries that have one.
const FLAG: char = '\u{1f3f4}';
const COUNTRIES: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const LAST_TAG: char = '\u{e007f}';
const FIRST_TAG: u32 = 0xe0000;

/// A character of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCharacter {
    /// Visible, or needed by its script or emoji. Control characters are included; the caller
    /// handles them.
    Plain(char),
    Hidden(char),
}

/// Returns the characters of a text, each plain or hidden.
pub fn classify_characters(text: &str) -> impl Iterator<Item = TextCharacter> {
    Characters {
        rest: text.chars(),
        before: None,
        tags: 0,
    }
}

struct Characters<'a> {
    rest: Chars<'a>,
    /// The character before, if it can carry a mark.
    before: Option<char>,
    /// Tags of a flag that are still to come.
    tags: usize,
}

impl Iterator for Characters<'_> {
    type Item = TextCharacter;

    fn next(&mut self) -> Option<TextCharacter> {
        let c = self.rest.next()?;
        if let Some(left) = self.tags.checked_sub(1) {
            self.tags = left;
            return Some(TextCharacter::Plain(c));
        }
        if c.is_ascii() {
            let carries = !c.is_control() && c != ' ';
            self.before = carries.then_some(c);
            return Some(TextCharacter::Plain(c));
        }
        if c == FLAG {
            self.tags = tags_of_a_flag(self.rest.clone());
        }
        if is_hidden(self.before, c, self.rest.clone().next()) {
            self.before = None;
            return Some(TextCharacter::Hidden(c));
        }
        let carries = !c.is_control() && !c.is_whitespace();
        self.before = carries.then_some(c);
        Some(TextCharacter::Plain(c))
    }
}

fn tags_of_a_flag(rest: Chars<'_>) -> usize {
    let as_tag = |letter: char| char::from_u32(FIRST_TAG + u32::from(letter));
    let fits = |country: &&&str| {
        let tags = country.chars().filter_map(as_tag).chain([LAST_TAG]);
        rest.clone().take(country.len() + 1).eq(tags)
    };
    let country = COUNTRIES.iter().find(fits);
    country.map_or(0, |country| country.len() + 1)
}

fn is_hidden(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '\u{200b}' => {
            let breaks = |c: Option<char>| c.is_some_and(is_written_without_blanks);
            !(breaks(before) && breaks(after))
        }
        '\u{200c}' | '\u{200d}' => {
            let joins = |c: Option<char>| c.is_some_and(uses_joiners);
            let is_emoji =
                c == '\u{200d}' && before.is_some_and(ends_emoji) && after.is_some_and(is_emoji);
            !(joins(before) || joins(after) || is_emoji)
        }
        // A single selector varies a character that has variants; several, or one after any other, are
        // a hidden message.
        '\u{fe00}'..='\u{fe0f}' => !before.is_some_and(has_variants),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => !before.is_some_and(is_mongolian),
        '\u{115f}' => !after.is_some_and(is_vowel_of_hangul),
        '\u{1160}' => !before.is_some_and(is_consonant_of_hangul),
        '\u{2800}' => !(before.is_some_and(is_braille) || after.is_some_and(is_braille)),
        '\u{13430}'..='\u{1343f}' => !before.is_some_and(is_hieroglyph),
        '\u{16fe4}' => !before.is_some_and(is_khitan),
        '\u{17b4}' | '\u{17b5}' | '\u{1d159}' => true,
        '\u{e0100}'..='\u{e01ef}' => !before.is_some_and(is_ideograph),
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200e}' | '\u{200f}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Private use: nobody knows what a screen makes of it.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}' => true,
        _ => is_no_character(c),
    }
}

/// Returns whether Unicode promises never to give the number a character.
fn is_no_character(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

/// Returns whether the character has variants that a selector chooses: emoji, digits and signs that may be
/// emoji, operators, ideographs and their punctuation, and letters of a few scripts.
fn has_variants(c: char) -> bool {
    is_emoji(c)
        || is_ideograph(c)
        || is_hieroglyph(c)
        || matches!(c, '0'..='9' | '#' | '*' | '©' | '®')
        || matches!(c,
            '\u{1000}'..='\u{109f}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
            | '\u{2100}'..='\u{218f}' | '\u{3001}'..='\u{303f}' | '\u{3200}'..='\u{32ff}'
            | '\u{a840}'..='\u{a87f}' | '\u{aa60}'..='\u{aa7f}' | '\u{10ac0}'..='\u{10aff}'
            | '\u{ff01}'..='\u{ff60}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

fn is_consonant_of_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{a960}'..='\u{a97c}')
}

fn is_vowel_of_hangul(c: char) -> bool {
    matches!(c, '\u{1161}'..='\u{11a7}' | '\u{d7b0}'..='\u{d7c6}')
}

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

fn is_hieroglyph(c: char) -> bool {
    matches!(c, '\u{13000}'..='\u{1342f}' | '\u{13440}'..='\u{143fa}')
}

fn is_khitan(c: char) -> bool {
    matches!(c, '\u{18b00}'..='\u{18cff}')
}

/// Returns whether the script uses joiners: Arabic, Indic and others.
fn uses_joiners(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{61b}' | '\u{61d}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{180d}' | '\u{180f}'..='\u{18af}' | '\u{1900}'..='\u{1cff}'
        | '\u{a800}'..='\u{abff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// Returns whether the script has no blanks: Thai, Lao, Myanmar and Khmer.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether the character may end an emoji, a variation selector or skin tone included.
fn ends_emoji(c: char) -> bool {
    is_emoji(c) || c == '\u{fe0f}'
}
