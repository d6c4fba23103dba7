//! Scrubber of keys: removes a key from a text that a server sent, in every usual encoding.
//!
//! Recognised are the key itself, its characters escaped (`\u002d`, `\x2d`, `%2d`), its hexadecimal
//! form and its base64 in either alphabet and at any of the three alignments, as in that of `Bearer
//! KEY`; each also broken by line ends, blanks and the escapes of those, and with HTML's entities.
//! So is most of a key, whatever signs join its letters (`key_parts`). A smaller part of a key
//! stays, since servers show one in place of the key, but not more than half of it at the end of a
//! text, where it was cut.
//!
//! Pure and in one pass. A text may come in pieces: what could be the beginning of the key is held
//! back until it is decided.

use super::key_parts::{KeyChars, PartMatches, TextChar};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Replacement for a removed key.
const HIDDEN: &str = "[key]";
/// Shorter keys are placeholders ("none", "x") whose removal would only garble messages.
const SHORTEST_KEY_CHARS: usize = 6;
/// Keys of less are found in one piece alone: broken up, they could be words of a sentence.
const SHORTEST_BROKEN_CHARS: usize = 12;
/// A byte that no key has, for characters that cannot be part of one.
const NO_KEY_BYTE: u8 = 0xff;
/// Invisible characters, which can occur between any two characters of a key.
const INVISIBLE: [char; 7] = [
    '\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{180e}',
];

/// The forms of a key that are looked for.
#[derive(Default)]
pub(crate) struct KeyForms {
    forms: Vec<KeyForm>,
    /// Whether invisible characters may occur in between.
    may_be_broken: bool,
    /// Characters of the keys that are long enough to be known by most of them.
    chars: Vec<KeyChars>,
}

/// One form with its failure table (Knuth, Morris and Pratt 1977): the length of the longest prefix
/// that still matches after a mismatch.
struct KeyForm {
    bytes: Vec<u8>,
    fallback: Vec<usize>,
    alphabet: Alphabet,
}

/// Alphabet of a form, by which a text is normalised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    AsItIs,
    /// Digits of either case.
    Hex,
    /// `-_` are `+/`.
    Base64,
}

impl Alphabet {
    fn normalize(self, byte: u8) -> u8 {
        match (self, byte) {
            (Alphabet::AsItIs, byte) => byte,
            (Alphabet::Hex, byte) => byte.to_ascii_lowercase(),
            (Alphabet::Base64, b'-') => b'+',
            (Alphabet::Base64, b'_') => b'/',
            (Alphabet::Base64, byte) => byte,
        }
    }
}

impl KeyForms {
    /// Prepares to look for a key; for nothing where it is too short to be one.
    pub fn new(key: &str) -> Self {
        let chars = key.chars().count();
        if chars < SHORTEST_KEY_CHARS {
            return Self::default();
        }
        let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut forms = vec![
            KeyForm::new(key.as_bytes().to_vec(), Alphabet::AsItIs),
            KeyForm::new(hex.into_bytes(), Alphabet::Hex),
        ];
        forms.extend((0..3).map(|before| {
            let bytes = encode_base64(key, before);
            KeyForm::new(bytes, Alphabet::Base64)
        }));
        Self {
            forms,
            may_be_broken: chars >= SHORTEST_BROKEN_CHARS,
            chars: KeyChars::from_key(key).into_iter().collect(),
        }
    }

    /// Looks for another key as well.
    pub fn with_key_forms(mut self, other: Self) -> Self {
        self.forms.extend(other.forms);
        self.may_be_broken |= other.may_be_broken;
        self.chars.extend(other.chars);
        self
    }
}

/// Returns the part of a text's base64 that depends on the key alone, where `before` bytes precede
/// the key.
fn encode_base64(key: &str, before: usize) -> Vec<u8> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(key.as_bytes());
    let whole = bytes.len() * 8 / 6;
    let base64_bytes = STANDARD_NO_PAD.encode(bytes).into_bytes();
    let from = (before * 8).div_ceil(6);
    base64_bytes.get(from..whole).unwrap_or_default().to_vec()
}

impl KeyForm {
    fn new(bytes: Vec<u8>, alphabet: Alphabet) -> Self {
        let mut fallback = vec![0; bytes.len()];
        let mut fits = 0;
        for at in 1..bytes.len() {
            while fits > 0 && bytes.get(at) != bytes.get(fits) {
                fits = fallback.get(fits - 1).copied().unwrap_or(0);
            }
            fits += usize::from(bytes.get(at) == bytes.get(fits));
            if let Some(place) = fallback.get_mut(at) {
                *place = fits;
            }
        }
        Self {
            bytes,
            fallback,
            alphabet,
        }
    }

    fn fallback_length(&self, fits: usize) -> usize {
        let last = fits.checked_sub(1);
        last.and_then(|last| self.fallback.get(last))
            .copied()
            .unwrap_or(0)
    }

    /// Returns how much of it fits after one more byte.
    fn advance_match(&self, mut fits: usize, byte: u8) -> usize {
        let byte = self.alphabet.normalize(byte);
        loop {
            if self.bytes.get(fits) == Some(&byte) {
                return fits + 1;
            }
            if fits == 0 {
                return 0;
            }
            fits = self.fallback_length(fits);
        }
    }
}

/// A scrubber over one text that comes in pieces.
pub(crate) struct Scrubber {
    forms: Arc<KeyForms>,
    /// Length of the matching prefix of each form.
    fits: Vec<usize>,
    /// Matches of most of a key, by the key.
    parts: Vec<PartMatches>,
    /// A blank was read since the last letter.
    after_blank: bool,
    /// What was read last is a letter.
    in_word: bool,
    /// Text that was not returned yet.
    text: String,
    /// Length of the part of `text` that was read.
    read_length: usize,
    /// Starts in `text` of the last significant bytes, as many as the longest form has.
    starts: VecDeque<usize>,
    longest: usize,
    /// Ranges of `text` that hold the key, in order.
    hits: Vec<Range<usize>>,
}

/// The next significant unit of a text.
enum ScannedUnit {
    /// A significant byte and its length in the text.
    Byte(u8, usize),
    /// White space or an invisible character, which may occur inside a key.
    Gap(usize),
    /// More of the text is needed to know.
    Cut,
}

impl Scrubber {
    /// Begins a text.
    pub fn new(forms: &Arc<KeyForms>) -> Self {
        let lengths = forms.forms.iter().map(|form| form.bytes.len());
        Self {
            fits: vec![0; forms.forms.len()],
            parts: forms.chars.iter().map(PartMatches::new).collect(),
            after_blank: false,
            in_word: false,
            text: String::new(),
            read_length: 0,
            starts: VecDeque::new(),
            longest: lengths.max().unwrap_or(0),
            hits: Vec::new(),
            forms: Arc::clone(forms),
        }
    }

    /// Reads the next piece, and returns text that cannot be part of the key.
    pub fn push_text(&mut self, piece: &str) -> String {
        if self.forms.forms.is_empty() {
            return piece.to_owned();
        }
        self.text.push_str(piece);
        self.scan_text(false);
        let longest_fit = self.fits.iter().max().copied().unwrap_or(0);
        let safe_end = match longest_fit {
            0 => self.read_length,
            longest_fit => self.find_start(longest_fit),
        };
        let parts = self.parts.iter().filter_map(PartMatches::earliest_start);
        let safe_end = parts.fold(safe_end, usize::min);
        self.release_text(safe_end)
    }

    /// Ends the text, and returns the rest of it.
    pub fn finish(&mut self) -> String {
        self.scan_text(true);
        self.end_word();
        // What is most of a key was cut off behind it.
        let forms = Arc::clone(&self.forms);
        for (form, fits) in forms.forms.iter().zip(self.fits.clone()) {
            if fits >= SHORTEST_KEY_CHARS && fits * 2 > form.bytes.len() {
                self.mark_hit(self.find_start(fits)..self.text.len());
            }
        }
        let end = self.text.len();
        for (part, key) in self.parts.iter_mut().zip(&forms.chars) {
            part.end_text(key, end, SHORTEST_KEY_CHARS);
        }
        let rest = self.release_text(self.text.len());
        *self = Self::new(&forms);
        rest
    }

    fn scan_text(&mut self, is_end: bool) {
        loop {
            let rest = self.text.get(self.read_length..).unwrap_or_default();
            if rest.is_empty() {
                return;
            }
            let (byte, length) = match next_unit(rest, is_end) {
                ScannedUnit::Cut => return,
                ScannedUnit::Gap(length) if self.forms.may_be_broken => {
                    self.end_word();
                    self.after_blank = true;
                    self.read_length += length;
                    continue;
                }
                ScannedUnit::Gap(length) => (NO_KEY_BYTE, length),
                ScannedUnit::Byte(byte, length) => (byte, length),
            };
            if self.starts.len() == self.longest {
                self.starts.pop_front();
            }
            self.starts.push_back(self.read_length);
            self.read_length += length;
            self.match_byte(byte);
        }
    }

    fn match_byte(&mut self, byte: u8) {
        let forms = Arc::clone(&self.forms);
        for (at, form) in forms.forms.iter().enumerate() {
            let Some(before) = self.fits.get(at).copied() else {
                continue;
            };
            let mut fits = form.advance_match(before, byte);
            if fits == form.bytes.len() && fits > 0 {
                self.mark_hit(self.find_start(fits)..self.read_length);
                fits = form.fallback_length(fits);
            }
            if let Some(place) = self.fits.get_mut(at) {
                *place = fits;
            }
        }
        if !self.parts.is_empty() {
            self.match_part(byte, &forms.chars);
        }
    }

    fn match_part(&mut self, byte: u8, keys: &[KeyChars]) {
        let is_letter = byte.is_ascii_alphanumeric();
        if !is_letter {
            self.end_word();
        }
        let char = TextChar {
            byte,
            start: self.find_start(1),
            end: self.read_length,
            after_blank: self.after_blank,
            in_word: is_letter && self.in_word,
        };
        for (part, key) in self.parts.iter_mut().zip(keys) {
            part.add_char(key, char);
        }
        if is_letter {
            self.after_blank = false;
            self.in_word = true;
        }
    }

    /// Notes that a word has ended, if one was under way.
    fn end_word(&mut self) {
        if std::mem::take(&mut self.in_word) {
            let keys = &self.forms.chars;
            for (part, key) in self.parts.iter_mut().zip(keys) {
                part.end_word(key);
            }
        }
    }

    /// Returns the start of the last `bytes` significant bytes.
    fn find_start(&self, bytes: usize) -> usize {
        let at = self.starts.len().checked_sub(bytes);
        let start = at.and_then(|at| self.starts.get(at));
        start.copied().unwrap_or(0)
    }

    /// Marks a range, merged with ranges that it overlaps.
    fn mark_hit(&mut self, mut place: Range<usize>) {
        while let Some(last) = self.hits.pop_if(|last| last.end > place.start) {
            place = last.start.min(place.start)..last.end.max(place.end);
        }
        self.hits.push(place);
    }

    /// Returns the ranges that hold a key, wholly or mostly, in order and merged where they overlap.
    fn collect_hidden_ranges(&self) -> Vec<Range<usize>> {
        let part_ranges = self.parts.iter().flat_map(PartMatches::ranges);
        let mut ranges: Vec<Range<usize>> = self.hits.iter().chain(part_ranges).cloned().collect();
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        ranges.dedup_by(|next, last| {
            let overlaps = last.end > next.start;
            if overlaps {
                last.end = last.end.max(next.end);
            }
            overlaps
        });
        ranges
    }

    /// Returns the text up to `to`, without the key.
    fn release_text(&mut self, to: usize) -> String {
        let key_ranges = self.collect_hidden_ranges();
        // A marked range is never divided.
        let split_range = key_ranges.iter().find(|hit| hit.start < to && hit.end > to);
        let to = split_range.map_or(to, |hit| hit.start);
        let mut clean = String::new();
        let mut at = 0;
        for hit in key_ranges.iter().take_while(|hit| hit.end <= to) {
            clean.push_str(self.text.get(at..hit.start).unwrap_or_default());
            clean.push_str(HIDDEN);
            at = hit.end;
        }
        clean.push_str(self.text.get(at..to).unwrap_or_default());
        self.text.drain(..to);
        self.read_length -= to;
        for start in &mut self.starts {
            *start = start.saturating_sub(to);
        }
        self.parts.iter_mut().for_each(|part| part.shift_back(to));
        self.hits.retain(|hit| hit.end > to);
        for hit in &mut self.hits {
            *hit = hit.start - to..hit.end - to;
        }
        clean
    }
}

/// Reads the unit at the beginning of a text.
fn next_unit(text: &str, is_end: bool) -> ScannedUnit {
    let mut chars = text.chars();
    match chars.next() {
        None => ScannedUnit::Cut,
        Some('\\') => match chars.next() {
            None if is_end => ScannedUnit::Byte(b'\\', 1),
            None => ScannedUnit::Cut,
            // Only the last of several backslashes escapes.
            Some('\\') => ScannedUnit::Gap(1),
            Some('n' | 'r' | 't') => ScannedUnit::Gap(2),
            Some('u') => decode_escape(text, 2, 4, is_end),
            Some('x') => decode_escape(text, 2, 2, is_end),
            Some(c @ ('/' | '"' | '\'')) => char_unit(c, 2),
            Some(c) if c.is_whitespace() => ScannedUnit::Gap(1),
            Some(_) => ScannedUnit::Byte(b'\\', 1),
        },
        Some('%') => decode_escape(text, 1, 2, is_end),
        Some('&') => decode_entity(text, is_end),
        Some(c) => char_unit(c, c.len_utf8()),
    }
}

/// Reads an escaped character: a mark of `from` bytes, then `digits` hexadecimal digits.
fn decode_escape(text: &str, from: usize, digits: usize, is_end: bool) -> ScannedUnit {
    let bytes = text.as_bytes();
    let end = bytes.len().min(from + digits);
    let digit_bytes = bytes.get(from..end).unwrap_or_default();
    let mark = bytes.first().copied().unwrap_or(NO_KEY_BYTE);
    if !digit_bytes.iter().all(u8::is_ascii_hexdigit) {
        return ScannedUnit::Byte(mark, 1);
    }
    if digit_bytes.len() < digits {
        return match is_end {
            true => ScannedUnit::Byte(mark, 1),
            false => ScannedUnit::Cut,
        };
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or(0);
    let code = digit_bytes
        .iter()
        .fold(0, |code, byte| code * 16 + digit(byte));
    match (digits, u8::try_from(code), char::from_u32(code)) {
        // Escaped bytes of 0x80 and above are parts of a character beyond ASCII.
        (2, Ok(byte @ 0x80..), _) => ScannedUnit::Byte(byte, end),
        (_, _, Some(c)) => char_unit(c, end),
        (_, _, None) => ScannedUnit::Byte(NO_KEY_BYTE, end),
    }
}

/// Longest entity that is read, in bytes.
const MAX_ENTITY_BYTES: usize = 18;
/// Entities with a name that may stand for signs of a key, and for nothing.
const NAMED_ENTITIES: [(&str, char); 20] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("hyphen", '-'),
    ("dash", '-'),
    ("minus", '-'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("plus", '+'),
    ("sol", '/'),
    ("period", '.'),
    ("equals", '='),
    ("colon", ':'),
    ("nbsp", ' '),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("ZeroWidthSpace", '\u{200b}'),
];

/// Reads an entity of HTML: `&#115;`, `&#x73;`, `&hyphen;`. Browsers read numbers without the
/// semicolon, too.
fn decode_entity(text: &str, is_end: bool) -> ScannedUnit {
    let ampersand = ScannedUnit::Byte(b'&', 1);
    let entity = text.get(1..).unwrap_or_default();
    let (mark, radix) = match entity.as_bytes() {
        [b'#', b'x' | b'X', ..] => (2, 16),
        [b'#', ..] => (1, 10),
        _ => (0, 36),
    };
    let rest = entity.get(mark..).unwrap_or_default();
    let length = rest
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(rest.len());
    if length + mark > MAX_ENTITY_BYTES {
        return ampersand;
    }
    let ends = rest.get(length..).unwrap_or_default();
    if ends.is_empty() && !is_end {
        return ScannedUnit::Cut;
    }
    let code = rest.get(..length).unwrap_or_default();
    let semicolon = usize::from(ends.starts_with(';'));
    let character = match mark {
        0 if semicolon == 1 => {
            let mut names = NAMED_ENTITIES.iter();
            names.find(|(name, _)| *name == code).map(|(_, c)| *c)
        }
        0 => None,
        _ => u32::from_str_radix(code, radix)
            .ok()
            .and_then(char::from_u32),
    };
    match character {
        Some(c) => char_unit(c, 1 + mark + length + semicolon),
        None => ampersand,
    }
}

fn char_unit(c: char, length: usize) -> ScannedUnit {
    if c.is_whitespace() || INVISIBLE.contains(&c) {
        return ScannedUnit::Gap(length);
    }
    let byte = u8::try_from(c).ok().filter(u8::is_ascii);
    ScannedUnit::Byte(byte.unwrap_or(NO_KEY_BYTE), length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    const KEY: &str = "sk-Zq7+9/distinctive_1C";

    fn scrubbed(key: &str, pieces: &[&str]) -> String {
        let mut scrubber = Scrubber::new(&Arc::new(KeyForms::new(key)));
        let mut clean: String = pieces
            .iter()
            .map(|piece| scrubber.push_text(piece))
            .collect();
        clean.push_str(&scrubber.finish());
        clean
    }

    fn cut_at<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
        let mut pieces = vec![text];
        for cut in cuts {
            let last = pieces.pop().unwrap();
            let (one, other) = last.split_at(last.floor_char_boundary(*cut));
            pieces.extend([one, other]);
        }
        pieces
    }

    /// A key of letters and digits that no other test's texts hold, of this length.
    fn drawn_key(length: usize, seed: u64) -> String {
        let signs = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
        let mut state = seed;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            signs[(state >> 33) as usize % signs.len()] as char
        };
        let rest: String = (3..length).map(|_| draw()).collect();
        format!("sk-{rest}")
    }

    /// Returns the key as servers write it, and whether nothing around it is part of that.
    fn written(form: usize, before: &str, gap: &str) -> (String, bool) {
        let all = |between: &str| {
            let chars: Vec<String> = KEY.chars().map(String::from).collect();
            chars.join(between)
        };
        let coded = |code: fn(u8) -> String| KEY.bytes().map(code).collect::<String>();
        let whole = format!("{before}{KEY}");
        match form {
            0 => (KEY.to_owned(), true),
            1 => (all(gap), true),
            2 => (coded(|byte| format!("\\u{byte:04X}")), true),
            3 => (coded(|byte| format!("%{byte:02x}")), true),
            4 => (coded(|byte| format!("\\x{byte:02X}")), true),
            5 => (coded(|byte| format!("{byte:02X}")), true),
            6 => (KEY.replace('/', "\\/"), true),
            7 => (STANDARD.encode(&whole), false),
            8 => (URL_SAFE.encode(&whole), false),
            9 => (URL_SAFE_NO_PAD.encode(format!("{whole}:x")), false),
            _ => {
                let code = STANDARD.encode(format!("{whole}!"));
                let (head, tail) = code.split_at(code.len() / 2);
                (format!("{head}{gap}{tail}"), false)
            }
        }
    }

    proptest! {
        #[test]
        fn the_key_goes_in_every_form_and_what_is_around_it_stays(
            form in 0usize..11,
            before in "[a-r :]{0,9}",
            gap in "( |\n|\r\n|\t|\\\\n|\\\\r\\\\n|\\\\\\\\n| {1,8}){1,3}",
            around in ("[a-r .é❤]{0,30}", "[a-r .é❤]{0,30}"),
        ) {
            let (code, is_alone) = written(form, &before, &gap);
            let text = format!("{} ({code}) {}", around.0, around.1);
            let clean = scrubbed(KEY, &[&text]);
            prop_assert!(clean.contains(HIDDEN), "{text:?} became {clean:?}");
            prop_assert!(!clean.contains(&code), "{clean:?}");
            if is_alone {
                prop_assert_eq!(clean, format!("{} ([key]) {}", around.0, around.1));
            } else {
                prop_assert!(clean.starts_with(&around.0) && clean.ends_with(&around.1));
                // All that is left of a code is what a few letters of it could say.
                let left = clean.split_once('(').and_then(|it| it.1.split_once(')')).unwrap().0;
                let room = before.len() * 4 / 3 + 10;
                prop_assert!(left.len() <= HIDDEN.len() + room, "{left}");
            }
        }

        #[test]
        fn a_text_may_be_cut_anywhere(
            text in "([a-z ]{0,5}|sk-Zq7\\+9/distinctive_1C|sk-Zq7\\+9/|\\\\u0073k|%73|\n|\\\\|❤){0,8}",
            cuts in proptest::collection::vec(0usize..200, 0..6),
        ) {
            prop_assert_eq!(scrubbed(KEY, &cut_at(&text, &cuts)), scrubbed(KEY, &[&text]));
        }

        #[test]
        fn a_text_without_the_key_stays_as_it_is(
            key in "[A-Z]{6,30}[0-9]",
            text in "[a-z \n\\\\%❤#]{0,200}",
        ) {
            prop_assert_eq!(scrubbed(&key, &[&text]), text);
        }
    }

    proptest! {
        #[test]
        fn most_of_a_key_goes_wherever_letters_are_missing(
            length in 16usize..120,
            seed in any::<u64>(),
            missing in proptest::collection::vec(any::<proptest::sample::Index>(), 1..24),
            cuts in proptest::collection::vec(0usize..200, 0..4),
        ) {
            let key = drawn_key(length, seed);
            let mut shown = key.clone();
            for at in missing.iter().take(length / 5) {
                shown.remove(at.index(shown.len()));
            }
            let text = format!("It was ({shown}) that failed");
            let pieces = cut_at(&text, &cuts);
            let clean = scrubbed(&key, &pieces);
            // A sign of the key at its edge is no letter of it.
            prop_assert!(clean.starts_with("It was (") && clean.ends_with(") that failed"), "{clean}");
            let around = "It was () that failed".len() + HIDDEN.len();
            let left = clean.len().saturating_sub(around);
            prop_assert!(clean.contains(HIDDEN) && left <= length / 5, "{shown} became {clean}");
        }

        #[test]
        fn four_fifths_of_a_key_of_many_signs_go(
            key in "[A-Za-z0-9]{6}[-_.~+/A-Za-z0-9]{10,40}",
            missing in proptest::collection::vec(any::<proptest::sample::Index>(), 1..24),
            is_joined in any::<bool>(),
            cuts in proptest::collection::vec(0usize..200, 0..4),
        ) {
            let mut kept = key.clone();
            for at in missing.iter().take(key.len() / 5) {
                kept.remove(at.index(kept.len()));
            }
            let shown = match is_joined {
                true => kept.chars().map(String::from).collect::<Vec<_>>().join("|"),
                false => kept.clone(),
            };
            let text = format!("It was ({shown}) that failed");
            let clean = scrubbed(&key, &cut_at(&text, &cuts));
            prop_assert!(clean.starts_with("It was (") && clean.ends_with(") that failed"), "{clean}");
            prop_assert!(clean.contains(HIDDEN), "{shown} became {clean}");
            let left = clean.replace(HIDDEN, "").replace('|', "").len() - "It was () that failed".len();
            prop_assert!(left <= key.len() / 5, "{shown} became {clean}");
        }

        #[test]
        fn signs_and_entities_between_letters_hide_nothing(
            length in 16usize..120,
            seed in any::<u64>(),
            form in 0usize..6,
            joint in "[-_.,;:|/*+ ·•\n]{1,3}",
            cuts in proptest::collection::vec(0usize..400, 0..4),
        ) {
            let key = drawn_key(length, seed);
            let shown = match form {
                0 => key.chars().map(String::from).collect::<Vec<_>>().join(&joint),
                1 => key.bytes().map(|byte| format!("&#{byte};")).collect(),
                2 => key.bytes().map(|byte| format!("&#x{byte:x};")).collect(),
                3 => key.bytes().map(|byte| format!("&#{byte:03}{joint}")).collect(),
                4 => key.replace('-', "&hyphen;").replace('_', "&lowbar;"),
                _ => key.chars().map(|c| format!("{c}&#8203;")).collect(),
            };
            let text = format!("It was ({shown}) that failed");
            let clean = scrubbed(&key, &cut_at(&text, &cuts));
            prop_assert!(clean.contains(HIDDEN), "{text} became {clean}");
            let left: String = clean.replace(HIDDEN, "");
            let letters = left.bytes().filter(u8::is_ascii_alphanumeric).count();
            prop_assert!(letters <= "It was that failed".len() + 4, "{text} became {clean}");
        }

        #[test]
        fn prose_stays_as_it_is_whatever_the_key(
            length in 16usize..120,
            seed in any::<u64>(),
            words in proptest::collection::vec("[a-z]{1,9}|[A-Z][a-z]{2,8}|[0-9]{1,4}|&amp;|[.,;-]", 0..60),
        ) {
            let text = words.join(" ");
            prop_assert_eq!(scrubbed(&drawn_key(length, seed), &[&text]), text);
        }
    }

    #[test]
    fn a_key_of_words_is_told_from_prose_about_them() {
        let key = "sk-correct-horse-battery-staple";
        let prose = "The correct horse has a battery, and a staple holds it.";
        assert_eq!(scrubbed(key, &[prose]), prose);
        assert_eq!(
            scrubbed(key, &["sk correct horse battery staple!"]),
            "[key]!"
        );
    }

    #[test]
    fn words_beside_a_key_are_not_taken_for_what_it_misses() {
        let key = "as-Zq7+9/distinctive_1C-that";
        for (text, clean) in [
            (
                "It was (-Zq7+9/distinctive_1C-that) so",
                "It was ([key]) so",
            ),
            (
                "It was (-Zq7+9/distinctive_1C-t) hat failed",
                "It was ([key]) hat failed",
            ),
            ("as (-Zq7+9/distinctive_1C-that) that", "as ([key]) that"),
            ("a s-Zq7+9/distinctive_1C-tha a", "a [key] a"),
            ("such as-Zq7+9/distinctive_1C-t at all", "such [key] at all"),
        ] {
            for at in 0..=text.len() {
                let found = scrubbed(key, &cut_at(text, &[at]));
                assert_eq!(found, clean, "{text} cut at {at}");
            }
        }
        let spelled: Vec<String> = key.chars().map(String::from).collect();
        let spelled = spelled.join(" ").replace(" 9 ", " ");
        let text = format!("It was {spelled} thanks");
        assert_eq!(scrubbed(key, &[&text]), "It was [key] thanks");
    }

    #[test]
    fn most_of_every_key_goes_where_there_are_several() {
        let other = "aZ3-second-secret-9Q";
        let forms = KeyForms::new("")
            .with_key_forms(KeyForms::new(KEY))
            .with_key_forms(KeyForms::new(other));
        let forms = Arc::new(forms);
        for shown in [
            "k-Zq7+9/distinctive_1C",
            "sk-Zq7+9/dist*nctive_1C",
            "Z3-second-secret-9Q",
            "a.Z.3.second.secret.9",
        ] {
            let text = format!("is ({shown}).");
            for at in 0..=text.len() {
                let mut scrubber = Scrubber::new(&forms);
                let mut clean = scrubber.push_text(&text[..at]);
                clean.push_str(&scrubber.push_text(&text[at..]));
                clean.push_str(&scrubber.finish());
                assert_eq!(clean, "is ([key]).", "{shown} cut at {at}");
            }
        }
    }

    #[test]
    fn a_key_without_its_first_or_last_letter_goes() {
        assert_eq!(
            scrubbed(KEY, &["is (k-Zq7+9/distinctive_1C)."]),
            "is ([key])."
        );
        assert_eq!(scrubbed(KEY, &["is sk-Zq7+9/distinctive_1."]), "is [key].");
        assert_eq!(scrubbed(KEY, &["is sk-Zq7+9/dist*nctive_1C."]), "is [key].");
    }

    #[test]
    fn a_part_of_a_key_is_left_unless_it_is_most_of_it_and_ends_the_text() {
        let masked = "wrong key: sk-Zq7***_1C, see sk-Zq7+9/dis...";
        assert_eq!(scrubbed(KEY, &[masked]), masked);
        assert_eq!(scrubbed(KEY, &["was sk-Zq7"]), "was sk-Zq7");
        assert_eq!(scrubbed(KEY, &["was sk-Zq7+9/distinct"]), "was [key]");
    }

    #[test]
    fn a_short_key_is_found_in_one_piece_and_a_placeholder_not_at_all() {
        assert_eq!(
            scrubbed("sesame", &["open sesame, or se same"]),
            "open [key], or se same"
        );
        assert_eq!(scrubbed("none", &["none of it"]), "none of it");
        assert_eq!(scrubbed("", &["nothing"]), "nothing");
    }

    #[test]
    fn two_keys_that_run_into_each_other_are_both_gone() {
        assert_eq!(scrubbed("aXaXaX", &["-aXaXaXaX-"]), "-[key]-");
        assert_eq!(scrubbed(KEY, &[&format!("{KEY}{KEY}.")]), "[key][key].");
    }

    #[test]
    fn a_long_text_of_beginnings_costs_one_pass() {
        let mut text = String::new();
        while text.len() < 4 << 20 {
            text.push_str("sk-Zq7+9/ sk-Zq7 \\\\\\ %7 73");
        }
        assert_eq!(scrubbed(KEY, &[&text]), text);
    }
}
