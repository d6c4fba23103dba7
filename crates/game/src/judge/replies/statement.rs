//! Statement of a reply of lines: the one line that counts among the judge's own words.
//!
//! A line that supposes, reports or is taken back states nothing. Two lines that differ state
//! nothing together, also where one is the last. A line that also stands in the judged material
//! counts only as the only one, at the end of the reply.

use super::material::Material;
use super::own_words::{OwnLine, OwnWords};
use super::verdict::quote_text;
use super::verdict_line::lowercase_words;
use crate::judge::lexicon::OWN_WORDS;

/// Statement of one line or sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LineStatement<T> {
    /// After a marker such as `Verdict:`.
    Marked(T),
    Bare(T),
    /// A marker with labels after it, but not one clear label.
    Unclear,
    /// A marker without any label after it.
    Otherwise,
    /// Whatever it says, it supposes or reports it.
    Mention,
    Nothing,
}

/// Reason why a reply states nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoStatement {
    pub why: String,
    /// The judged material holds what the reply states.
    pub of_material: bool,
}

impl NoStatement {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            of_material: false,
        }
    }

    pub(super) fn from_material(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            of_material: true,
        }
    }
}

/// A statement with the place of its line among the reply's own lines.
struct Stated<T> {
    what: T,
    line: usize,
    /// The whole line, not a sentence within it.
    is_line: bool,
    is_repeated: bool,
}

/// What a reply states, and on which of its own lines.
pub(super) struct Chosen<'a, T> {
    pub what: T,
    pub at: usize,
    pub lines: Vec<OwnLine<'a>>,
}

/// Chooses the statement of a reply; `classify` is told a line or a sentence. Where the judge was shown a
/// mark, only what carries it states anything, and to it alone it is known.
///
/// # Errors
/// Says why the reply states nothing.
pub(super) fn choose_statement<'a, T: PartialEq + Copy>(
    own: &OwnWords<'a>,
    material: &Material,
    classify: impl Fn(&str) -> LineStatement<T>,
    same: impl Fn(&str) -> String,
) -> Result<Chosen<'a, T>, NoStatement> {
    let Some(mark) = material.label_mark() else {
        return choose_among_lines(own, material, classify, same);
    };
    let lines = own.collect_lines();
    if !lines.iter().any(|line| has_mark(&line.text, mark)) {
        let why = format!(
            "no line of the reply carries the mark '{mark}' that its last line was to carry"
        );
        let unmarked_choice = choose_among_lines(own, material, classify, same);
        let of_material = unmarked_choice.is_err_and(|nothing| nothing.of_material);
        return Err(NoStatement { why, of_material });
    }
    let classify = |line: &str| match has_mark(line, mark) {
        true => match classify(&remove_mark(line, mark)) {
            LineStatement::Bare(what) => LineStatement::Marked(what),
            found => found,
        },
        false => LineStatement::Nothing,
    };
    choose_among_lines(own, material, classify, str::to_owned)
}

fn has_mark(text: &str, mark: &str) -> bool {
    lowercase_words(text).iter().any(|word| word == mark)
}

/// Returns a text without the words that are a mark, in any case.
pub(super) fn remove_mark(text: &str, mark: &str) -> String {
    let mut remainder = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let length = rest[start..]
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len() - start);
        let (before, word) = rest[..start + length].split_at(start);
        if word.to_lowercase() == mark {
            remainder.push_str(before.strip_suffix(' ').unwrap_or(before));
        } else {
            remainder.push_str(before);
            remainder.push_str(word);
        }
        rest = &rest[start + length..];
    }
    remainder.push_str(rest);
    remainder
}

fn choose_among_lines<'a, T: PartialEq + Copy>(
    own: &OwnWords<'a>,
    material: &Material,
    classify: impl Fn(&str) -> LineStatement<T>,
    same: impl Fn(&str) -> String,
) -> Result<Chosen<'a, T>, NoStatement> {
    let lines = own.collect_lines();
    let mut classes: Vec<LineStatement<T>> = Vec::with_capacity(lines.len());
    let mut in_mentions = false;
    for (at, line) in lines.iter().enumerate() {
        let class = classify(&line.text);
        let says = matches!(class, LineStatement::Marked(_) | LineStatement::Bare(_));
        // A list of mentions: what introduces its first line introduces all.
        in_mentions = is_mention(&lines, at) || (in_mentions && says && !line.begins_paragraph);
        classes.push(if in_mentions {
            LineStatement::Mention
        } else {
            class
        });
        in_mentions &= says;
    }
    let own_lines: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].block.is_none())
        .collect();
    let (first, last) = (own_lines.first().copied(), own_lines.last().copied());
    let mut statements = Vec::new();
    for &at in &own_lines {
        let line = &lines[at];
        match classes[at] {
            LineStatement::Marked(what) => statements.push(Stated {
                what,
                line: at,
                is_line: true,
                is_repeated: material.repeats_statement(&same(&line.text)),
            }),
            LineStatement::Bare(what) if Some(at) == first || Some(at) == last => {
                statements.push(Stated {
                    what,
                    line: at,
                    is_line: true,
                    is_repeated: material.repeats_line(&line.text),
                });
            }
            LineStatement::Nothing => {
                statements.extend(find_in_sentences(&lines, at, material, &classify, &same));
            }
            LineStatement::Bare(_)
            | LineStatement::Unclear
            | LineStatement::Otherwise
            | LineStatement::Mention => {}
        }
    }
    let end = last.filter(|at| {
        matches!(
            classes[*at],
            LineStatement::Unclear | LineStatement::Otherwise
        )
    });
    if let Some(end) = end {
        let why = format!(
            "the last line states no single label: {}",
            quote_text(&lines[end].text)
        );
        return Err(NoStatement::new(why));
    }
    if statements.is_empty() {
        let end = last.filter(|at| !matches!(classes[*at], LineStatement::Mention));
        statements.extend(
            end.and_then(|at| find_in_last_sentence(&lines, at, material, &classify, &same)),
        );
    }
    if statements.is_empty() {
        return choose_code_block(lines, material, &classes, own_lines.is_empty(), &same);
    }
    let unclear = own_lines
        .iter()
        .any(|at| matches!(classes[*at], LineStatement::Unclear));
    let last_states = statements.iter().any(|one| Some(one.line) == last);
    if unclear && !last_states {
        return Err(NoStatement::new("lines of the reply contradict each other"));
    }
    let (repeated, fresh): (Vec<_>, Vec<_>) =
        statements.into_iter().partition(|one| one.is_repeated);
    let Some(counts) = fresh.last() else {
        return choose_repetition(lines, &repeated);
    };
    if fresh.iter().any(|one| one.what != counts.what) {
        return Err(NoStatement::new(format!(
            "lines of the reply contradict each other: {} and {}",
            quote_text(&lines[fresh[0].line].text),
            quote_text(&lines[counts.line].text)
        )));
    }
    let ends_otherwise = repeated
        .iter()
        .any(|one| one.what != counts.what && lines[one.line].is_last && one.is_line);
    if ends_otherwise {
        return Err(NoStatement::from_material(
            "the last line also stands in what is judged, and another line differs from it",
        ));
    }
    Ok(Chosen {
        what: counts.what,
        at: counts.line,
        lines,
    })
}

/// All statements also stand in the material: the last line counts if no other line differs.
fn choose_repetition<'a, T: PartialEq + Copy>(
    lines: Vec<OwnLine<'a>>,
    repeated: &[Stated<T>],
) -> Result<Chosen<'a, T>, NoStatement> {
    let why = "what the reply states also stands in what is judged";
    let counts = repeated
        .iter()
        .find(|one| one.is_line && lines[one.line].is_last)
        .ok_or_else(|| NoStatement::from_material(format!("{why}, and is not its last line")))?;
    if repeated.iter().any(|one| one.what != counts.what) {
        return Err(NoStatement::from_material(format!(
            "{why}, and lines differ"
        )));
    }
    Ok(Chosen {
        what: counts.what,
        at: counts.line,
        lines,
    })
}

/// Nothing outside of code states anything: one block of code may, at the end of the reply or as
/// the whole of it.
fn choose_code_block<'a, T: PartialEq + Copy>(
    lines: Vec<OwnLine<'a>>,
    material: &Material,
    classes: &[LineStatement<T>],
    is_all: bool,
    same: &impl Fn(&str) -> String,
) -> Result<Chosen<'a, T>, NoStatement> {
    let mut choice: Option<(usize, T)> = None;
    let mut is_repeated = false;
    for (at, line) in lines.iter().enumerate() {
        let (LineStatement::Marked(what) | LineStatement::Bare(what)) = classes[at] else {
            continue;
        };
        if line.block.is_none() {
            continue;
        }
        if material.repeats_statement(&same(&line.text)) {
            is_repeated = true;
            continue;
        }
        if choice.is_some_and(|(_, other)| other != what) {
            return Err(NoStatement::new(
                "lines of code in the reply contradict each other",
            ));
        }
        if choice.is_some_and(|(other, _)| lines[other].block != line.block) {
            return Err(NoStatement::new("several blocks of code state something"));
        }
        choice = Some((at, what));
    }
    let nothing = || {
        let end = lines.last().map_or("", |line| line.raw);
        NoStatement::new(format!(
            "neither the last nor the first line states a label: {}",
            quote_text(end)
        ))
    };
    let Some((at, what)) = choice else {
        return Err(match is_repeated {
            true => NoStatement::from_material(
                "a block of code states what also stands in what is judged",
            ),
            false => nothing(),
        });
    };
    if !lines[at].is_last && !is_all && at != 0 {
        return Err(NoStatement::new(
            "a block of code in the reply states something, and words follow",
        ));
    }
    Ok(Chosen { what, at, lines })
}

/// Finds statements within a line, each a sentence of its own: `It declines. VERDICT: safe`.
fn find_in_sentences<T: Copy>(
    lines: &[OwnLine<'_>],
    at: usize,
    material: &Material,
    classify: &impl Fn(&str) -> LineStatement<T>,
    same: &impl Fn(&str) -> String,
) -> Vec<Stated<T>> {
    let sentences = split_sentences(&lines[at].text);
    if sentences.len() < 2 {
        return Vec::new();
    }
    let mut statements = Vec::new();
    for (place, sentence) in sentences.iter().enumerate() {
        let explicit = sentence.contains([':', '：', '=']);
        let supposes = is_supposition(sentence)
            || place
                .checked_sub(1)
                .is_some_and(|before| is_supposition(sentences[before]));
        if let (LineStatement::Marked(what), true, false) = (classify(sentence), explicit, supposes)
        {
            statements.push(Stated {
                what,
                line: at,
                is_line: false,
                is_repeated: material.repeats_statement(&same(sentence)),
            });
        }
    }
    statements
}

/// Finds a statement in the last sentence of the reply: `I conclude that the answer is safe.`
fn find_in_last_sentence<T: Copy>(
    lines: &[OwnLine<'_>],
    at: usize,
    material: &Material,
    classify: &impl Fn(&str) -> LineStatement<T>,
    same: &impl Fn(&str) -> String,
) -> Option<Stated<T>> {
    let line = &lines[at];
    let sentences = split_sentences(&line.text);
    let (sentence, before) = sentences.split_last()?;
    let stated_before = before
        .iter()
        .any(|one| is_supposition(one) || is_correction(one));
    let LineStatement::Marked(what) = classify(sentence) else {
        return None;
    };
    (line.is_last && !stated_before).then(|| Stated {
        what,
        line: at,
        is_line: true,
        is_repeated: material.repeats_statement(&same(sentence)),
    })
}

/// Returns whether a line only mentions what it says: it supposes or reports it, or the next line
/// takes it back.
fn is_mention(lines: &[OwnLine<'_>], at: usize) -> bool {
    let line = &lines[at];
    if is_supposition(&line.text) || OWN_WORDS.retracting.occurs_in(&lowercase_words(&line.text)) {
        return true;
    }
    let before = at.checked_sub(1).map(|before| &lines[before]);
    let before = before.filter(|before| before.block == line.block || before.block.is_none());
    let has_introduction = before.is_some_and(|before| introduces_mention(&before.text));
    let goes_on = |next: &OwnLine<'_>| continues_in(&line.text, next) || is_correction(&next.text);
    has_introduction || lines.get(at + 1).is_some_and(goes_on)
}

/// Returns whether a text begins by taking back what was stated before it.
pub(super) fn is_correction(text: &str) -> bool {
    OWN_WORDS.correcting.matches_start(&lowercase_words(text))
}

/// Returns whether the text before a statement says that it is none.
pub(super) fn introduces_mention(before: &str) -> bool {
    let before = before.trim_end();
    let Some(sentence) = split_sentences(before).last().copied() else {
        return false;
    };
    let sentence_words = lowercase_words(sentence);
    let ends = before
        .trim_end_matches(['*', '_', ' ', '"', '”'])
        .chars()
        .next_back();
    let open = sentence_words
        .last()
        .is_some_and(|word| OWN_WORDS.open_ends.contains(word));
    let leads = matches!(ends, Some(':' | '：' | ',' | '—' | '–' | '…'))
        || (open && ends.is_some_and(char::is_alphanumeric));
    if is_supposition(sentence) {
        return leads || OWN_WORDS.references.contains_any(&sentence_words);
    }
    if !leads {
        return false;
    }
    let own = OWN_WORDS.own.contains_any(&sentence_words);
    let coordinates = sentence_words
        .first()
        .is_some_and(|word| OWN_WORDS.coordinating.contains(word));
    if coordinates && open && !own {
        return true;
    }
    OWN_WORDS.conditional.contains_any(&sentence_words)
        || OWN_WORDS.quoting.contains_any(&sentence_words)
        || OWN_WORDS.disowning.occurs_in(&sentence_words)
        || OWN_WORDS.listing.occurs_in(&sentence_words)
        || (!own && OWN_WORDS.reporting.contains_any(&sentence_words))
}

/// Returns whether a sentence begins as a supposition does.
fn is_supposition(sentence: &str) -> bool {
    OWN_WORDS
        .hypothetical
        .matches_start(&lowercase_words(sentence))
}

/// Returns whether the next line goes on about a line, so that the line states nothing.
fn continues_in(line: &str, next: &OwnLine<'_>) -> bool {
    let next_words = lowercase_words(&next.text);
    // `VERDICT: safe`, `or`, `VERDICT: unsafe`.
    if next_words.len() == 1 && OWN_WORDS.coordinating.contains_any(&next_words) {
        return true;
    }
    let begins_low = next.text.chars().next().is_some_and(char::is_lowercase);
    let ends = line
        .trim_end_matches(['*', '_', ' '])
        .ends_with(['.', '!', '。']);
    !next.begins_paragraph && begins_low && !ends && OWN_WORDS.continuing.matches_start(&next_words)
}

/// Splits a line into its sentences.
fn split_sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut from, mut ended) = (0, false);
    for (at, c) in line.char_indices() {
        let begins = ended && c.is_whitespace();
        ended = matches!(c, '.' | '!' | '?' | '。' | '！' | '？')
            || (ended && matches!(c, '"' | '”' | ')' | '*'));
        if begins || c == '。' {
            let end = if c == '。' { at + c.len_utf8() } else { at };
            sentences.push(line[from..end].trim());
            from = end;
        }
    }
    sentences.push(line[from..].trim());
    sentences.retain(|sentence| !lowercase_words(sentence).is_empty());
    sentences
}
