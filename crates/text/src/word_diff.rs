//! Word differences of two texts. Pure.

use super::{Paragraph, Role, prose_paragraphs};
use similar::{ChangeTag, TextDiff};

/// Texts that are longer together are not compared word by word: the work grows with the square.
const MAX_BYTES: usize = 48 * 1024;

/// Marking of words that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// By their look alone.
    Look,
    /// Between signs, `[-gone-]` and `{+new+}`: nothing else is left without colours.
    Signs,
}

impl Marking {
    fn mark_run(self, tag: ChangeTag, text: &str) -> (Role, String) {
        let with_signs = |open: &str, close: &str| match self {
            Marking::Look => text.to_owned(),
            Marking::Signs if text.trim().is_empty() => text.to_owned(),
            Marking::Signs => format!("{open}{text}{close}"),
        };
        match tag {
            ChangeTag::Equal => (Role::Text, text.to_owned()),
            ChangeTag::Insert => (Role::Added, with_signs("{+", "+}")),
            ChangeTag::Delete => (Role::Removed, with_signs("[-", "-]")),
        }
    }
}

/// Two texts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SideBySide {
    /// The first, with what the second lacks marked as removed.
    pub left: Vec<Paragraph>,
    /// The second, with what the first lacks marked as added.
    pub right: Vec<Paragraph>,
}

/// Returns two texts with the words marked that only one of them has; `None` where they are too
/// long to be compared.
pub fn compare_side_by_side(left: &str, right: &str, marking: Marking) -> Option<SideBySide> {
    let (mut one, mut other) = (DiffPage::default(), DiffPage::default());
    for (tag, text) in list_changes(left, right)? {
        match tag {
            ChangeTag::Equal => {
                one.add_text(marking, tag, &text);
                other.add_text(marking, tag, &text);
            }
            ChangeTag::Delete => one.add_text(marking, tag, &text),
            ChangeTag::Insert => other.add_text(marking, tag, &text),
        }
    }
    Some(SideBySide {
        left: one.into_paragraphs(),
        right: other.into_paragraphs(),
    })
}

/// Returns the second text with what was added to the first and what was removed from it; `None`
/// where they are too long to be compared.
pub fn compare_inline(left: &str, right: &str, marking: Marking) -> Option<Vec<Paragraph>> {
    let mut page = DiffPage::default();
    let mut before = ChangeTag::Equal;
    for (tag, text) in list_changes(left, right)? {
        if (before, tag) == (ChangeTag::Delete, ChangeTag::Insert) {
            // What is gone and what came instead must not read as one word.
            page.add_text(marking, ChangeTag::Equal, " ");
        }
        page.add_text(marking, tag, &text);
        before = tag;
    }
    Some(page.into_paragraphs())
}

/// Returns the second text with what was added and removed; the second text as it is, in a role, where
/// they are too long to be compared.
pub fn compare_inline_or_new(
    left: &str,
    right: &str,
    marking: Marking,
    role: Role,
) -> Vec<Paragraph> {
    compare_inline(left, right, marking).unwrap_or_else(|| {
        let note = "too long to be compared word by word";
        let mut page = vec![Paragraph::new(Role::Notice, note)];
        page.extend(prose_paragraphs(role, 0, right));
        page
    })
}

/// Returns runs of words that both have, or one of them. Removed words come together before their
/// replacement: blanks alone do not part a change, or two texts would be read word by word in
/// turns.
fn list_changes(left: &str, right: &str) -> Option<Vec<(ChangeTag, String)>> {
    if left.len() + right.len() > MAX_BYTES {
        return None;
    }
    let diff = TextDiff::from_words(left, right);
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    let (mut removed_text, mut added_text) = (String::new(), String::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        let is_blank = !text.contains('\n') && text.trim().is_empty();
        match change.tag() {
            ChangeTag::Delete => removed_text.push_str(text),
            ChangeTag::Insert => added_text.push_str(text),
            ChangeTag::Equal if is_blank && !(removed_text.is_empty() && added_text.is_empty()) => {
                removed_text.push_str(text);
                added_text.push_str(text);
            }
            ChangeTag::Equal => {
                end_change(&mut runs, &mut removed_text, &mut added_text);
                push_run(&mut runs, ChangeTag::Equal, text);
            }
        }
    }
    end_change(&mut runs, &mut removed_text, &mut added_text);
    Some(runs)
}

/// Ends a change; blanks at its end that both have belong to neither.
fn end_change(
    runs: &mut Vec<(ChangeTag, String)>,
    removed_text: &mut String,
    added_text: &mut String,
) {
    let (removed, added) = (std::mem::take(removed_text), std::mem::take(added_text));
    let blanks = |text: &str| text.len() - text.trim_end_matches(' ').len();
    let shared_blanks = blanks(&removed).min(blanks(&added));
    for (tag, text) in [(ChangeTag::Delete, &removed), (ChangeTag::Insert, &added)] {
        let changed_text = text.get(..text.len() - shared_blanks).unwrap_or_default();
        push_run(runs, tag, changed_text);
    }
    push_run(runs, ChangeTag::Equal, &" ".repeat(shared_blanks));
}

fn push_run(runs: &mut Vec<(ChangeTag, String)>, tag: ChangeTag, text: &str) {
    match runs.last_mut() {
        _ if text.is_empty() => {}
        Some((last, run)) if *last == tag => run.push_str(text),
        _ => runs.push((tag, text.to_owned())),
    }
}

/// Paragraphs that grow at their end, one for each line of the text.
#[derive(Default)]
struct DiffPage {
    paragraphs: Vec<Paragraph>,
    line: Paragraph,
}

impl DiffPage {
    fn add_text(&mut self, marking: Marking, tag: ChangeTag, text: &str) {
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                self.paragraphs.push(std::mem::take(&mut self.line));
            }
            if !piece.is_empty() {
                self.line.runs.push(marking.mark_run(tag, piece));
            }
        }
    }

    fn into_paragraphs(mut self) -> Vec<Paragraph> {
        if !self.line.runs.is_empty() {
            self.paragraphs.push(self.line);
        }
        self.paragraphs
    }
}
