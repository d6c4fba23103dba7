//! Matcher of most of a key: four fifths of its characters in order, or all but a fifth of them in
//! letters and digits alone, whatever signs and blanks stand between them.
//!
//! A letter that the key does not have there ends a match, so prose never comes to one. Letters of the
//! words beside a key are told from those that it misses by where the words begin and end.

use std::ops::Range;

/// Keys of fewer characters are found whole alone.
const SHORTEST_CHARS: usize = 16;
/// A key has at least so many letters and digits: otherwise rulers and frames would be most of it.
const FEWEST_LETTERS: usize = 6;
/// Fewest letters and digits by which a key is known without its signs: fewer are in words.
const FEWEST_ALONE: usize = 10;

/// How many letters (and digits), and how many other characters.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct CharCount {
    letters: usize,
    signs: usize,
}

impl CharCount {
    fn from_char(c: u8) -> Self {
        let letters = usize::from(c.is_ascii_alphanumeric());
        Self {
            letters,
            signs: 1 - letters,
        }
    }

    fn total(self) -> usize {
        self.letters + self.signs
    }

    fn plus(self, other: Self) -> Self {
        Self {
            letters: self.letters + other.letters,
            signs: self.signs + other.signs,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            letters: self.letters.saturating_sub(other.letters),
            signs: self.signs.saturating_sub(other.signs),
        }
    }
}

/// Characters of a key.
pub(super) struct KeyChars {
    chars: Vec<u8>,
    /// How many stand before each place, and before the end.
    before: Vec<CharCount>,
    most_missing: usize,
    /// How many letters may be missing where nothing is known of the signs.
    most_letters_missing: Option<usize>,
}

impl KeyChars {
    /// Prepares to look for four fifths of a key; `None` where it is too short for that.
    pub(super) fn from_key(key: &str) -> Option<Self> {
        // Characters beyond ASCII are signs of which any will do.
        let chars: Vec<u8> = key
            .chars()
            .map(|c| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(0xff))
            .collect();
        let mut before = vec![CharCount::default()];
        before.extend(chars.iter().scan(CharCount::default(), |count, c| {
            *count = count.plus(CharCount::from_char(*c));
            Some(*count)
        }));
        let all = before.last().copied().unwrap_or_default();
        if all.total() < SHORTEST_CHARS || all.letters < FEWEST_LETTERS {
            return None;
        }
        let min_chars = (all.total() * 4).div_ceil(5);
        let min_letters = min_chars.saturating_sub(all.signs).max(FEWEST_ALONE);
        Some(Self {
            chars,
            before,
            most_missing: all.total() - min_chars,
            most_letters_missing: all.letters.checked_sub(min_letters),
        })
    }

    /// Returns how many characters stand from one place up to another.
    fn count_between(&self, from: usize, to: usize) -> CharCount {
        let upto = |at: usize| self.before.get(at).copied().unwrap_or_default();
        upto(to).minus(upto(from))
    }

    /// Returns what of the key a match that ends before the place `at` does not have.
    fn count_missing(&self, at: usize, part: &PartMatch) -> CharCount {
        part.missing.plus(self.count_between(at, self.chars.len()))
    }

    /// Returns whether a match that ends before the place `at`, without `foreign` characters of it,
    /// is most of the key.
    fn is_most_without(&self, foreign: CharCount, at: usize, part: &PartMatch) -> bool {
        let missing_count = self.count_missing(at, part).plus(foreign);
        let letters_are = self.most_letters_missing;
        missing_count.total() <= self.most_missing
            || letters_are.is_some_and(|most| missing_count.letters <= most)
    }

    fn is_most(&self, at: usize, part: &PartMatch) -> bool {
        self.is_most_without(CharCount::default(), at, part)
    }

    /// Returns where a match that is most of the key begins: behind its first word, where that may be
    /// prose and the rest is enough.
    fn match_start(&self, at: usize, part: &PartMatch) -> usize {
        let enough = self.is_most_without(part.first_word.unwrap_or_default(), at, part);
        match part.may_begin_with_prose() && enough {
            true => part.body,
            false => part.start,
        }
    }
}

/// A significant character of a text.
#[derive(Clone, Copy)]
pub(super) struct TextChar {
    pub byte: u8,
    /// Its place in the text, and where it ends.
    pub start: usize,
    pub end: usize,
    /// A blank stands between it and the letter before.
    pub after_blank: bool,
    /// A letter stands directly before it.
    pub in_word: bool,
}

/// Characters of a text that are characters of the key up to some place.
#[derive(Clone, Copy)]
struct PartMatch {
    missing: CharCount,
    shown: CharCount,
    /// What of it stands before its first blank, once something stands behind that.
    first_word: Option<CharCount>,
    /// Place in the text of its first character, and of the first behind its first blank.
    start: usize,
    body: usize,
    blanks: usize,
    /// It begins inside of a word.
    begins_in_word: bool,
    /// It was most of the key before its last blank.
    in_tail: bool,
    /// It ends with a sign that was read last, and that is more than a sign behind the key.
    takes_sign: bool,
}

impl PartMatch {
    fn from_first_char(first: TextChar) -> Self {
        Self {
            missing: CharCount::default(),
            shown: CharCount::default(),
            first_word: None,
            start: first.start,
            body: first.start,
            blanks: 0,
            begins_in_word: first.in_word,
            in_tail: false,
            takes_sign: false,
        }
    }

    fn with_char(mut self, char: TextChar, skipped: CharCount, was_most: bool) -> Self {
        self.missing = self.missing.plus(skipped);
        let count = CharCount::from_char(char.byte);
        if char.after_blank && self.shown.total() > 0 {
            if self.first_word.is_none() {
                self.first_word = Some(self.shown);
                self.body = char.start;
            }
            // A blank counts when the next letter has come.
            if count.letters > 0 {
                self.blanks += 1;
                self.in_tail = was_most;
            }
        }
        self.takes_sign = !was_most || skipped == CharCount::default() && !char.after_blank;
        self.shown = self.shown.plus(count);
        self
    }

    /// Returns it with a sign behind it that is none of the key.
    fn with_foreign_sign(mut self) -> Self {
        self.takes_sign = false;
        self
    }

    /// Returns whether its first word may belong to the text before the key, as in `is (k-Zq7…`: the
    /// match begins inside of that word, or has no other blank.
    fn may_begin_with_prose(&self) -> bool {
        self.blanks > 0 && (self.begins_in_word || self.blanks == 1)
    }

    /// Returns whether it is to be preferred to another one that ends at the same place.
    fn is_better_than(&self, other: &Self) -> bool {
        (self.missing, other.start) < (other.missing, self.start)
    }
}

/// The matches that end with the last letter of a text, and what was found before.
pub(super) struct PartMatches {
    /// By the number of the key's characters up to the last one that matches.
    ending: Vec<Option<PartMatch>>,
    next: Vec<Option<PartMatch>>,
    /// Places in `ending` that hold a match, in order.
    active: Vec<usize>,
    /// Ranges of the text that hold most of the key, in order.
    found: Vec<Range<usize>>,
    /// End in the text of the last letter.
    letter_end: usize,
}

impl PartMatches {
    pub(super) fn new(key: &KeyChars) -> Self {
        let places = key.chars.len() + 1;
        Self {
            ending: vec![None; places],
            next: vec![None; places],
            active: Vec::new(),
            found: Vec::new(),
            letter_end: 0,
        }
    }

    /// Reads a character of the text.
    pub(super) fn add_char(&mut self, key: &KeyChars, char: TextChar) {
        let is_letter = char.byte.is_ascii_alphanumeric();
        let mut new_places = Vec::new();
        self.extend_match(
            key,
            char,
            0,
            PartMatch::from_first_char(char),
            &mut new_places,
        );
        for at in std::mem::take(&mut self.active) {
            let Some(part) = self.ending.get_mut(at).and_then(Option::take) else {
                continue;
            };
            self.extend_match(key, char, at, part, &mut new_places);
            if !is_letter {
                // Signs between the letters need not be the key's.
                self.keep_better(at, part.with_foreign_sign(), &mut new_places);
            }
        }
        std::mem::swap(&mut self.ending, &mut self.next);
        new_places.sort_unstable();
        self.active = new_places;
        if is_letter {
            self.letter_end = char.end;
        }
        // Where a word begins that may be the next of the text, its end decides.
        self.note_most(key, char.end, |part| {
            !part.in_tail && (is_letter || part.takes_sign)
        });
    }

    /// Notes that a word of the text has ended: what was most of the key without it, and has it whole, has
    /// it where the key is spelled in words. The first blank and the last may be of the text.
    pub(super) fn end_word(&mut self, key: &KeyChars) {
        let end = self.letter_end;
        self.note_most(key, end, |part| part.in_tail && part.blanks > 2);
    }

    fn note_most(&mut self, key: &KeyChars, end: usize, counts: impl Fn(&PartMatch) -> bool) {
        let most = self
            .active_parts()
            .filter(|(at, part)| key.is_most(*at, part));
        let candidates = most.filter(|(_, part)| counts(part));
        let best =
            candidates.min_by_key(|(at, part)| (key.count_missing(*at, part).total(), part.start));
        if let Some((at, part)) = best {
            let (start, begin) = (part.start, key.match_start(at, &part));
            self.add_range(start, begin..end);
        }
    }

    /// Notes a range of a match that begins at `start`. With fewer characters that match needed its first
    /// word, so what was found since `start` is replaced.
    fn add_range(&mut self, start: usize, range: Range<usize>) {
        while self.found.pop_if(|last| last.start >= start).is_some() {}
        self.found.push(range);
    }

    /// Returns the ranges of the text that hold most of the key, in order.
    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.found
    }

    /// Notes every character of the key that this one can be, after a match that ends at `at`.
    fn extend_match(
        &mut self,
        key: &KeyChars,
        char: TextChar,
        at: usize,
        part: PartMatch,
        new_places: &mut Vec<usize>,
    ) {
        // Another match of the same characters may have been most of it, with a sign that this one lacks.
        let last_range = self.found.last();
        let was_most = last_range.is_some_and(|found| found.end > part.start);
        for (place, key_char) in key.chars.iter().enumerate().skip(at) {
            let gap = key.count_between(at, place);
            if part.missing.letters + gap.letters > key.most_missing {
                return;
            }
            if *key_char == char.byte {
                self.keep_better(place + 1, part.with_char(char, gap, was_most), new_places);
            }
        }
    }

    fn keep_better(&mut self, place: usize, part: PartMatch, new_places: &mut Vec<usize>) {
        let Some(slot) = self.next.get_mut(place) else {
            return;
        };
        match slot {
            Some(other) if !part.is_better_than(other) => {}
            Some(other) => *other = part,
            None => {
                *slot = Some(part);
                new_places.push(place);
            }
        }
    }

    fn active_parts(&self) -> impl Iterator<Item = (usize, PartMatch)> {
        let active = self.active.iter();
        active.filter_map(|at| Some((*at, self.ending.get(*at).copied()??)))
    }

    /// Returns where the longest match under way begins.
    pub(super) fn earliest_start(&self) -> Option<usize> {
        self.active_parts().map(|(_, part)| part.start).min()
    }

    /// Notes at the end of the text a match that has more than half of the key's letters, at least so
    /// many, and not most of them: the rest was cut off.
    pub(super) fn end_text(&mut self, key: &KeyChars, end: usize, fewest: usize) {
        let letters = key.count_between(0, key.chars.len()).letters;
        let is_half = |shown: usize| shown >= fewest && shown * 2 > letters;
        let more_than_half = self
            .active_parts()
            .filter(|(at, part)| !key.is_most(*at, part) && is_half(part.shown.letters));
        let ranges = more_than_half.map(|(_, part)| {
            let body = part
                .shown
                .minus(part.first_word.unwrap_or_default())
                .letters;
            match part.may_begin_with_prose() && is_half(body) {
                true => (part.body, part.start),
                false => (part.start, part.start),
            }
        });
        if let Some((begin, start)) = ranges.min() {
            self.add_range(start, begin..end);
        }
    }

    /// Takes a released part of the text off every place.
    pub(super) fn shift_back(&mut self, by: usize) {
        for part in self.ending.iter_mut().flatten() {
            part.start = part.start.saturating_sub(by);
            part.body = part.body.saturating_sub(by);
        }
        self.letter_end = self.letter_end.saturating_sub(by);
        self.found.retain(|range| range.end > by);
        for range in &mut self.found {
            *range = range.start.saturating_sub(by)..range.end - by;
        }
    }
}
