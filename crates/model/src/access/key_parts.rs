//! Matcher of most of a key: its letters and digits in order, of which up to a fifth may be missing,
//! whatever signs and blanks stand between them.
//!
//! A letter that the key does not have there ends a match, so prose never comes to one.

/// Keys of fewer characters are found whole alone.
const SHORTEST_CHARS: usize = 16;
/// Fewest letters and digits by which a key is known: fewer are in words.
const FEWEST_LETTERS: usize = 10;

/// Letters and digits of a key.
pub(super) struct KeyLetters {
    letters: Vec<u8>,
    most_missing: usize,
}

impl KeyLetters {
    /// Prepares to look for four fifths of a key; `None` where it is too short for that.
    pub(super) fn of_key(key: &str) -> Option<Self> {
        let chars = key.chars().count();
        let letters: Vec<u8> = key.bytes().filter(u8::is_ascii_alphanumeric).collect();
        if chars < SHORTEST_CHARS || letters.len() < FEWEST_LETTERS {
            return None;
        }
        // Of four fifths of the characters, all others than letters may be there.
        let signs = chars.saturating_sub(letters.len());
        let shown = (chars * 4).div_ceil(5).saturating_sub(signs);
        let needed = shown.max(FEWEST_LETTERS);
        Some(Self {
            most_missing: letters.len() - needed.min(letters.len()),
            letters,
        })
    }

    /// Returns whether a match that ends with the key's letter before `at` is most of the key.
    fn is_most(&self, at: usize, part: &PartMatch) -> bool {
        let foreign = usize::from(part.begins_with_word());
        part.missing + foreign + (self.letters.len() - at) <= self.most_missing
    }
}

/// A letter or digit of a text.
#[derive(Clone, Copy)]
pub(super) struct TextLetter {
    pub letter: u8,
    /// Its place in the text.
    pub start: usize,
    pub after_blank: bool,
}

/// Letters of a text that are letters of the key up to some place.
#[derive(Clone, Copy)]
struct PartMatch {
    missing: usize,
    /// Place in the text of the first of them, and of the second.
    start: usize,
    second: usize,
    shown: usize,
    /// Blanks between them, and whether one stands between the first two.
    blanks: usize,
    begins_apart: bool,
    /// It was most of the key before its last letter came.
    was_most: bool,
}

impl PartMatch {
    fn beginning(first: TextLetter) -> Self {
        Self {
            missing: 0,
            start: first.start,
            second: first.start,
            shown: 0,
            blanks: 0,
            begins_apart: false,
            was_most: false,
        }
    }

    fn with(mut self, letter: TextLetter, skipped: usize) -> Self {
        self.missing += skipped;
        let joins = self.shown > 0 && letter.after_blank;
        self.blanks += usize::from(joins);
        if self.shown == 1 {
            self.second = letter.start;
            self.begins_apart = joins;
        }
        self.shown += 1;
        self
    }

    /// Returns whether the match's only blank parts its first letter from the others: then it belongs
    /// to the word before, as in `is (k-Zq7…`.
    fn begins_with_word(&self) -> bool {
        self.begins_apart && self.blanks == 1
    }

    fn begin(&self) -> usize {
        match self.begins_with_word() {
            true => self.second,
            false => self.start,
        }
    }
}

/// The matches that end with the last letter of a text.
pub(super) struct PartMatches {
    /// By the number of the key's letters up to the last one that matches.
    ending: Vec<Option<PartMatch>>,
    next: Vec<Option<PartMatch>>,
    /// Places in `ending` that hold a match, in order.
    active: Vec<usize>,
}

impl PartMatches {
    pub(super) fn new(key: &KeyLetters) -> Self {
        let places = key.letters.len() + 1;
        Self {
            ending: vec![None; places],
            next: vec![None; places],
            active: Vec::new(),
        }
    }

    /// Reads a letter or digit of the text; returns where a match begins that is most of the key.
    pub(super) fn step(&mut self, key: &KeyLetters, letter: TextLetter) -> Option<usize> {
        let mut reached = Vec::new();
        self.extend(key, letter, 0, PartMatch::beginning(letter), &mut reached);
        for at in std::mem::take(&mut self.active) {
            if let Some(mut part) = self.ending.get_mut(at).and_then(Option::take) {
                part.was_most = key.is_most(at, &part);
                self.extend(key, letter, at, part, &mut reached);
            }
        }
        std::mem::swap(&mut self.ending, &mut self.next);
        reached.sort_unstable();
        self.active = reached;
        let most = self.parts().filter(|(at, part)| {
            // The first letter of the next word is none of a key that is there already.
            let next_word = part.was_most && letter.after_blank && part.blanks == 1;
            key.is_most(*at, part) && !next_word
        });
        most.map(|(_, part)| part.begin()).min()
    }

    /// Notes every letter of the key that this one can be, after a match that ends at `at`.
    fn extend(
        &mut self,
        key: &KeyLetters,
        letter: TextLetter,
        at: usize,
        part: PartMatch,
        reached: &mut Vec<usize>,
    ) {
        let ahead = key.letters.iter().enumerate().skip(at);
        for (place, known) in ahead.take(key.most_missing - part.missing + 1) {
            if *known != letter.letter {
                continue;
            }
            let found = part.with(letter, place - at);
            let Some(kept) = self.next.get_mut(place + 1) else {
                continue;
            };
            match kept {
                Some(other) if (other.missing, other.start) <= (found.missing, found.start) => {}
                Some(other) => *other = found,
                None => {
                    *kept = Some(found);
                    reached.push(place + 1);
                }
            }
        }
    }

    fn parts(&self) -> impl Iterator<Item = (usize, PartMatch)> {
        let active = self.active.iter();
        active.filter_map(|at| Some((*at, self.ending.get(*at).copied()??)))
    }

    /// Returns where the longest match under way begins.
    pub(super) fn earliest_start(&self) -> Option<usize> {
        self.parts().map(|(_, part)| part.start).min()
    }

    /// Returns where a match begins that has more than half of the key's letters, at least so many,
    /// and not most of them: where the text ends, the rest was cut off.
    pub(super) fn start_of_cut(&self, key: &KeyLetters, fewest: usize) -> Option<usize> {
        let more_than_half = self.parts().filter(|(at, part)| {
            let shown = part.shown;
            !key.is_most(*at, part) && shown >= fewest && shown * 2 > key.letters.len()
        });
        more_than_half.map(|(_, part)| part.begin()).min()
    }

    /// Takes a released part of the text off every place.
    pub(super) fn shift(&mut self, by: usize) {
        for part in self.ending.iter_mut().flatten() {
            part.start = part.start.saturating_sub(by);
            part.second = part.second.saturating_sub(by);
        }
    }
}
