//! Own words of a judge in its reply, told apart from what it quotes, strikes out, comments or
//! thinks.
//!
//! Quotation marks of all languages, `>` and `|` lines, comments, struck-out text, elements such as
//! `<quote>`, links and the program's own marks of material are somebody else's words. Blocks of
//! code are *framed*: whether they are the judge's own depends on what stands around them, which
//! the readers decide. It never decides what a statement is.

use super::json;
use super::verdict_line::lowercase_words;
use crate::judge::lexicon::{OWN_WORDS, VERDICT_LINE};
use crate::prompt::is_label_mark;
use std::collections::HashMap;
use std::ops::Range;

/// Most bytes of one quotation; a mark that is not closed within them opens none.
const MAX_QUOTATION_BYTES: usize = 4_000;
/// Most elements of one reply; what follows more of them is nobody's statement.
const MAX_ELEMENTS: usize = 64;
/// Most words of a quoted label: `Verdict: "unsafe"`.
const MAX_LABEL_WORDS: usize = 4;
/// Stands in a line for words that are not the judge's own.
const ELSEWHERE: char = '\u{FFFC}';

/// Quotation marks: the opening one and those that close it.
const MARKS: [(char, &[char]); 11] = [
    ('“', &['”', '“']),
    ('„', &['“', '”', '‟']),
    ('”', &['”']),
    ('«', &['»']),
    ('»', &['«']),
    ('‹', &['›']),
    ('›', &['‹']),
    ('「', &['」']),
    ('『', &['』']),
    ('《', &['》']),
    ('〝', &['〞', '〟']),
];
/// Marks that are also apostrophes or look the same on both sides: they open after a blank and
/// close before one.
const LEVEL_MARKS: [(char, &[char]); 5] = [
    ('"', &['"']),
    ('＂', &['＂']),
    ('\'', &['\'']),
    ('‘', &['’', '‘']),
    ('‚', &['‘', '’']),
];

/// Owner of a byte of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Judge,
    /// In a block or a line of code.
    Framed,
    Other,
}

/// Opening marks that nothing closes, each with the place up to which no closing one stands.
#[derive(Default)]
struct Unclosed(HashMap<char, usize>);

/// A line of a reply with words of the judge.
pub(super) struct OwnLine<'a> {
    /// The line as it was written.
    pub raw: &'a str,
    /// Its own words; what is somebody else's is one [`ELSEWHERE`].
    pub text: String,
    /// Number of the code block that holds the line; `None` outside of code.
    pub block: Option<usize>,
    /// No words follow in the reply, also none that are somebody else's.
    pub is_last: bool,
    /// An empty line, or a line of somebody else's, stands before it.
    pub begins_paragraph: bool,
}

/// A reply with the owner of each byte.
pub(super) struct OwnWords<'a> {
    reply: &'a str,
    owners: Vec<Owner>,
}

impl<'a> OwnWords<'a> {
    /// Tells the judge's own words in a reply from other words.
    pub(super) fn from_reply(reply: &'a str) -> Self {
        let mut own = Self {
            reply,
            owners: vec![Owner::Judge; reply.len()],
        };
        own.mark_comments();
        own.mark_elements();
        own.mark_material();
        own.mark_turns();
        own.mark_lines();
        own.mark_inline_code();
        own.mark_links();
        own.mark_struck_out();
        own.mark_quotations();
        own
    }

    /// Returns whether a place of the reply is the judge's, be it in a block of code.
    pub(super) fn is_own(&self, at: usize) -> bool {
        self.owners.get(at).is_some_and(|one| *one != Owner::Other)
    }

    /// Returns whether a place of the reply is in a block of code.
    pub(super) fn is_framed(&self, at: usize) -> bool {
        self.owners.get(at) == Some(&Owner::Framed)
    }

    /// Returns the reply without the words of others.
    pub(super) fn full_text(&self) -> String {
        self.keep_text(0..self.reply.len(), |owner| owner != Owner::Other)
    }

    /// Returns the lines of the reply that hold words of the judge, in their order.
    pub(super) fn collect_lines(&self) -> Vec<OwnLine<'a>> {
        let mut lines: Vec<OwnLine<'a>> = Vec::new();
        let (mut block, mut in_block, mut after_gap) = (0, false, true);
        for range in line_ranges(self.reply) {
            let raw = &self.reply[range.clone()];
            if lowercase_words(raw).is_empty() {
                let rule = raw.trim().is_empty() || !self.is_framed(range.start);
                in_block &= !rule;
                after_gap = true;
                continue;
            }
            if let Some(last) = lines.last_mut() {
                last.is_last = false;
            }
            let is_code_line = self.is_framed_line(range.clone());
            if is_code_line && !in_block {
                block += 1;
            }
            in_block = is_code_line;
            let text = match is_code_line {
                true => self.keep_text(range.clone(), |owner| owner != Owner::Other),
                false => self.own_text(range.clone()),
            };
            if lowercase_words(&text).is_empty() {
                after_gap = true;
                continue;
            }
            lines.push(OwnLine {
                raw: raw.trim(),
                text: text.trim().to_owned(),
                block: is_code_line.then_some(block),
                is_last: true,
                begins_paragraph: after_gap,
            });
            after_gap = false;
        }
        // Words of others after the last own line.
        let end = lines.last().map_or(0, |line| {
            line.raw.as_ptr() as usize - self.reply.as_ptr() as usize + line.raw.len()
        });
        let follows = !lowercase_words(&self.reply[end.min(self.reply.len())..]).is_empty();
        if let Some(last) = lines.last_mut() {
            last.is_last = !follows;
        }
        lines
    }

    /// Returns whether all words of a line are code.
    fn is_framed_line(&self, range: Range<usize>) -> bool {
        let line = &self.reply[range.clone()];
        let mut letters = line
            .char_indices()
            .filter(|(_, c)| c.is_alphanumeric())
            .peekable();
        letters.peek().is_some() && letters.all(|(at, _)| self.is_framed(range.start + at))
    }

    /// Returns the judge's own words of a line that is not code, with a label that alone is quoted
    /// after its announcement: `Verdict: "unsafe"`.
    fn own_text(&self, range: Range<usize>) -> String {
        let text = self.keep_text(range.clone(), |owner| owner == Owner::Judge);
        let parts: Vec<&str> = text.split(ELSEWHERE).collect();
        let [before, after] = parts[..] else {
            return text;
        };
        let head = lowercase_words(before);
        let announces = VERDICT_LINE.markers.contains_any(&head)
            && head.iter().all(|word| {
                VERDICT_LINE.markers.contains(word)
                    || VERDICT_LINE.fillers.contains(word)
                    || is_label_mark(word)
            });
        let whole = head.is_empty() && range == (0..self.reply.trim_end().len());
        let line = &self.reply[range];
        let quoted_text = line
            .get(before.len()..line.len().saturating_sub(after.len()))
            .unwrap_or_default();
        let inner = lowercase_words(quoted_text);
        let is_label = inner.len() <= MAX_LABEL_WORDS && !VERDICT_LINE.markers.contains_any(&inner);
        let quotes =
            !quoted_text.contains(['<', '~', '⟦', ']']) && !line.trim_start().starts_with('>');
        if is_label && quotes && (announces || whole) && lowercase_words(after).is_empty() {
            return line.to_owned();
        }
        text
    }

    fn keep_text(&self, range: Range<usize>, keep: impl Fn(Owner) -> bool) -> String {
        let mut out = String::new();
        let mut elsewhere = false;
        for (at, c) in self.reply[range.clone()].char_indices() {
            let is_kept = keep(self.owners[range.start + at]) || c == '\n';
            if is_kept {
                out.push(c);
            } else if !elsewhere {
                out.push(ELSEWHERE);
            }
            elsewhere = !is_kept;
        }
        out
    }

    fn mark_range(&mut self, range: Range<usize>, owner: Owner) {
        for one in &mut self.owners[range] {
            *one = owner.max(*one);
        }
    }

    fn mark_comments(&mut self) {
        let mut from = 0;
        while let Some(start) = find_from(self.reply, "<!--", from) {
            let end = find_from(self.reply, "-->", start).map_or(self.reply.len(), |end| end + 3);
            self.mark_range(start..end, Owner::Other);
            from = end;
        }
    }

    /// Marks what stands in elements such as `<quote>`; one that is not closed reaches to the end
    /// if it holds what is thought, and to the end of its paragraph otherwise.
    fn mark_elements(&mut self) {
        let (mut from, mut count) = (0, 0);
        while let Some(start) = find_from(self.reply, "<", from) {
            from = start + 1;
            let rest = &self.reply[start + 1..];
            let name: String = rest
                .chars()
                .take(24)
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let lower = name.to_ascii_lowercase();
            if !OWN_WORDS.elements.contains(&lower) {
                continue;
            }
            let Some(tag_end) = rest
                .find(['>', '\n'])
                .filter(|at| rest[*at..].starts_with('>'))
            else {
                continue;
            };
            count += 1;
            if count > MAX_ELEMENTS {
                return self.mark_range(start..self.reply.len(), Owner::Other);
            }
            let inner = start + 1 + tag_end + 1;
            let close = format!("</{lower}");
            let end = find_ignoring_case(&self.reply[inner..], &close).map(|at| inner + at);
            let end = match end {
                Some(end) => find_from(self.reply, ">", end).map_or(self.reply.len(), |at| at + 1),
                None if lower.starts_with("th") => self.reply.len(),
                None => paragraph_end(self.reply, inner),
            };
            self.mark_range(start..end, Owner::Other);
            from = end;
        }
        // A closing mark of thought alone: all before it was thought.
        for close in ["</think>", "</thinking>"] {
            if let Some(end) = self.reply.rfind(close)
                && self.owners[end] == Owner::Judge
                && !lowercase_words(&self.reply[end + close.len()..]).is_empty()
            {
                self.mark_range(0..end + close.len(), Owner::Other);
            }
        }
    }

    /// Marks what stands between the program's own marks of material.
    fn mark_material(&mut self) {
        let mut from = 0;
        while let Some(start) = find_from(self.reply, "⟦", from) {
            from = start + '⟦'.len_utf8();
            let rest = self.reply[from..].trim_start_matches(['·', ' ']);
            if !rest.starts_with("material") {
                continue;
            }
            let end = ["⟦/", "⟦·/"]
                .iter()
                .filter_map(|close| find_from(self.reply, close, from))
                .min()
                .and_then(|at| find_from(self.reply, "⟧", at))
                .map_or_else(|| paragraph_end(self.reply, from), |at| at + '⟧'.len_utf8());
            self.mark_range(start..end, Owner::Other);
            from = end;
        }
    }

    /// Marks turns of a debate under the heading by which judges are shown them: whoever goes on with one
    /// speaks as a debater, up to the end of the paragraph.
    fn mark_turns(&mut self) {
        for range in line_ranges(self.reply) {
            if is_turn_heading(self.reply[range.clone()].trim()) {
                self.mark_range(
                    range.start..paragraph_end(self.reply, range.start),
                    Owner::Other,
                );
            }
        }
    }

    /// Marks lines that are quoted, and lines of code.
    fn mark_lines(&mut self) {
        let mut fence: Option<(char, usize)> = None;
        let (mut after_blank, mut in_indented, mut is_first) = (true, false, true);
        for range in line_ranges(self.reply) {
            let raw = &self.reply[range.clone()];
            let line = raw.trim();
            let bar = fence_bar(line);
            if let Some((mark, length)) = fence {
                self.mark_range(range, Owner::Framed);
                let closes = bar.is_some_and(|(other, count)| {
                    other == mark && count >= length && line.chars().all(|c| c == mark)
                });
                if closes {
                    fence = None;
                }
                continue;
            }
            if bar.is_some() {
                fence = bar;
                self.mark_range(range, Owner::Framed);
                continue;
            }
            let bare_line = line.trim_start_matches(['*', '-', '+', ' ', '\u{200b}']);
            let has_bar = line.starts_with(['|', '│', '┃', '▌', '▏', '❘'])
                && !line.trim_end_matches(['*', ' ']).ends_with(['|', '│']);
            if bare_line.starts_with(['>', '＞', '❯']) || has_bar {
                self.mark_range(range, Owner::Other);
            } else if !line.is_empty() {
                let has_indent = raw.starts_with("    ") || raw.starts_with('\t');
                in_indented = has_indent && (after_blank || in_indented);
                // A reply that is indented from its beginning holds no code.
                if in_indented && !is_first {
                    self.mark_range(range, Owner::Framed);
                }
            }
            is_first &= line.is_empty() || in_indented;
            after_blank = line.is_empty();
        }
    }

    fn mark_inline_code(&mut self) {
        let mut from = 0;
        while let Some(start) = find_from(self.reply, "`", from) {
            let count = self.reply[start..]
                .chars()
                .take_while(|c| *c == '`')
                .count();
            let inner = start + count;
            from = inner;
            if self.owners[start] != Owner::Judge {
                continue;
            }
            let close = "`".repeat(count);
            let end = find_from(
                &self.reply[..paragraph_end(self.reply, inner)],
                &close,
                inner,
            );
            if let Some(end) = end {
                self.mark_range(start..end + count, Owner::Framed);
                from = end + count;
            }
        }
    }

    /// Marks the words of links, `[words](address)`.
    fn mark_links(&mut self) {
        let mut from = 0;
        while let Some(middle) = find_from(self.reply, "](", from) {
            from = middle + 2;
            let least = middle.saturating_sub(MAX_QUOTATION_BYTES);
            let least = self.reply.ceil_char_boundary(least);
            let line = self.reply[least..middle].rfind('\n');
            let line = line.map_or(least, |at| least + at + 1);
            let start = self.reply[line..middle].rfind('[').map(|at| line + at);
            let until = paragraph_end(self.reply, from);
            let close = self.reply[middle..until].find([')', '\n']);
            if let (Some(start), Some(close)) = (start, close) {
                let end = middle + close + 1;
                self.mark_range(start..end.min(self.reply.len()), Owner::Other);
                from = end.min(self.reply.len());
            }
        }
    }

    fn mark_struck_out(&mut self) {
        let mut from = 0;
        while let Some(start) = find_from(self.reply, "~~", from) {
            from = start + 2;
            if self.owners[start] == Owner::Framed {
                continue;
            }
            let until = paragraph_end(self.reply, from);
            if let Some(end) = find_from(&self.reply[..until], "~~", from) {
                self.mark_range(start..end + 2, Owner::Other);
                from = end + 2;
            }
        }
    }

    fn mark_quotations(&mut self) {
        let objects: Vec<Range<usize>> = json::find_object_places(self.reply).collect();
        let mut until = 0;
        let mut before = None;
        let mut ranges = Vec::new();
        let mut inside = objects.iter().peekable();
        let mut open_marks = Unclosed::default();
        for (at, c) in self.reply.char_indices() {
            let previous = before.replace(c);
            while inside.peek().is_some_and(|object| object.end <= at) {
                inside.next();
            }
            let in_object = inside.peek().is_some_and(|object| object.contains(&at));
            if at < until || self.owners[at] != Owner::Judge || (in_object && c == '"') {
                continue;
            }
            let end = match closing_marks(c, previous, &self.reply[at + c.len_utf8()..]) {
                Some((close, level)) => {
                    self.end_of_quotation(at, c, close, level, &objects, &mut open_marks)
                }
                None if c == '`' && self.reply[at..].starts_with("``") => {
                    let until = paragraph_end(self.reply, at);
                    find_from(&self.reply[..until], "''", at).map(|end| end + 2)
                }
                None => None,
            };
            if let Some(end) = end {
                ranges.push(at..end);
                until = end;
            }
        }
        for range in ranges {
            self.mark_range(range, Owner::Other);
        }
    }

    /// Returns the end of a quotation that begins at `start`. A curved mark that is not closed
    /// reaches to the end of its paragraph, a level one opens nothing.
    fn end_of_quotation(
        &self,
        start: usize,
        open: char,
        close: &[char],
        level: bool,
        objects: &[Range<usize>],
        unclosed: &mut Unclosed,
    ) -> Option<usize> {
        let from = start + open.len_utf8();
        // Where the mark before this one was not closed, this one is not either.
        if level && unclosed.0.get(&open).is_some_and(|until| from < *until) {
            return None;
        }
        let mut inner = self.reply[from..].char_indices().peekable();
        let mut before = open;
        let paragraph = paragraph_end(self.reply, from);
        while let Some((at, c)) = inner.next() {
            if at > MAX_QUOTATION_BYTES {
                break;
            }
            let next = inner.peek().map(|(_, next)| *next);
            // The marks of an object's texts are its own.
            let in_object = c == '"' && objects.iter().any(|object| object.contains(&(from + at)));
            if close.contains(&c) && !in_object {
                let follows_word = !before.is_whitespace();
                let ends_word = next.is_none_or(|next| !next.is_alphanumeric());
                if !level || (follows_word && ends_word) {
                    return Some(from + at + c.len_utf8());
                }
                // Another opening mark in a later paragraph: the first one closed nothing.
                if from + at > paragraph {
                    return None;
                }
            }
            // Apostrophes are frequent: a single mark closes in its paragraph.
            if matches!(open, '\'' | '‘' | '‚') && from + at >= paragraph {
                return None;
            }
            before = c;
        }
        unclosed.0.insert(open, from + MAX_QUOTATION_BYTES / 2);
        (!level).then_some(paragraph)
    }
}

/// Returns the marks that close what this one opens, and whether it is a level mark; `None` where
/// it opens nothing.
fn closing_marks(c: char, previous: Option<char>, rest: &str) -> Option<(&'static [char], bool)> {
    if let Some((_, close)) = MARKS.iter().find(|(open, _)| *open == c) {
        return Some((close, false));
    }
    let (_, close) = LEVEL_MARKS.iter().find(|(open, _)| *open == c)?;
    let after_word = previous.is_some_and(char::is_alphanumeric);
    let before_word = rest
        .chars()
        .next()
        .is_some_and(|next| !next.is_whitespace());
    (!after_word && before_word).then_some((close, true))
}

/// Returns whether a line is `Critic, round 2:`.
fn is_turn_heading(line: &str) -> bool {
    let heading = line.trim_matches(['*', '#', '_', ' ']).strip_suffix(':');
    let round = heading.and_then(|heading| heading.rsplit_once(", round "));
    round.is_some_and(|(speaker, round)| !speaker.is_empty() && round.parse::<u32>().is_ok())
}

/// Returns the mark of a fence and its length: three or more of it at the beginning of a line.
fn fence_bar(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == mark).count();
    let info = &line[count..];
    (count >= 3 && !info.contains(mark)).then_some((mark, count))
}

/// Returns the places of the lines of a text, without their ends.
fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = from;
        from += line.len();
        start..start + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// Returns the end of the paragraph that holds this place, at most [`MAX_QUOTATION_BYTES`] on.
fn paragraph_end(text: &str, from: usize) -> usize {
    let most = text.floor_char_boundary(from.saturating_add(MAX_QUOTATION_BYTES));
    let mut at = from;
    for line in text[from..most].split_inclusive('\n') {
        if at > from && line.trim().is_empty() {
            return at;
        }
        at += line.len();
    }
    most
}

fn find_from(text: &str, what: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(what).map(|at| from + at)
}

fn find_ignoring_case(text: &str, what: &str) -> Option<usize> {
    let what = what.as_bytes();
    text.as_bytes()
        .windows(what.len())
        .position(|window| window.eq_ignore_ascii_case(what))
}
