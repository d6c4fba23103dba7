//! Word differences of two texts. Pure.

use super::{Paragraph, Role, prose};
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
    fn of(self, tag: ChangeTag, text: &str) -> (Role, String) {
        let signed = |open: &str, close: &str| match self {
            Marking::Look => text.to_owned(),
            Marking::Signs if text.trim().is_empty() => text.to_owned(),
            Marking::Signs => format!("{open}{text}{close}"),
        };
        match tag {
            ChangeTag::Equal => (Role::Text, text.to_owned()),
            ChangeTag::Insert => (Role::Added, signed("{+", "+}")),
            ChangeTag::Delete => (Role::Removed, signed("[-", "-]")),
        }
    }
}

/// Two texts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// The first, with what the second lacks marked as removed.
    pub left: Vec<Paragraph>,
    /// The second, with what the first lacks marked as added.
    pub right: Vec<Paragraph>,
}

/// Returns two texts with the words marked that only one of them has; `None` where they are too
/// long to be compared.
pub fn beside(left: &str, right: &str, marking: Marking) -> Option<Beside> {
    let (mut one, mut other) = (DiffPage::default(), DiffPage::default());
    for (tag, text) in changes(left, right)? {
        match tag {
            ChangeTag::Equal => {
                one.put(marking, tag, &text);
                other.put(marking, tag, &text);
            }
            ChangeTag::Delete => one.put(marking, tag, &text),
            ChangeTag::Insert => other.put(marking, tag, &text),
        }
    }
    Some(Beside {
        left: one.done(),
        right: other.done(),
    })
}

/// Returns the second text with what was added to the first and what was removed from it; `None`
/// where they are too long to be compared.
pub fn woven(left: &str, right: &str, marking: Marking) -> Option<Vec<Paragraph>> {
    let mut page = DiffPage::default();
    let mut before = ChangeTag::Equal;
    for (tag, text) in changes(left, right)? {
        if (before, tag) == (ChangeTag::Delete, ChangeTag::Insert) {
            // What is gone and what came instead must not read as one word.
            page.put(marking, ChangeTag::Equal, " ");
        }
        page.put(marking, tag, &text);
        before = tag;
    }
    Some(page.done())
}

/// Returns the second text with what was added and removed; the second text as it is, in a role, where
/// they are too long to be compared.
pub fn woven_or_new(left: &str, right: &str, marking: Marking, role: Role) -> Vec<Paragraph> {
    woven(left, right, marking).unwrap_or_else(|| {
        let note = "too long to be compared word by word";
        let mut page = vec![Paragraph::of(Role::Notice, note)];
        page.extend(prose(role, 0, right));
        page
    })
}

/// Returns runs of words that both have, or one of them. Removed words come together before their
/// replacement: blanks alone do not part a change, or two texts would be read word by word in
/// turns.
fn changes(left: &str, right: &str) -> Option<Vec<(ChangeTag, String)>> {
    if left.len() + right.len() > MAX_BYTES {
        return None;
    }
    let diff = TextDiff::from_words(left, right);
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    let (mut went, mut came) = (String::new(), String::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        let is_blank = !text.contains('\n') && text.trim().is_empty();
        match change.tag() {
            ChangeTag::Delete => went.push_str(text),
            ChangeTag::Insert => came.push_str(text),
            ChangeTag::Equal if is_blank && !(went.is_empty() && came.is_empty()) => {
                went.push_str(text);
                came.push_str(text);
            }
            ChangeTag::Equal => {
                settle(&mut runs, &mut went, &mut came);
                push(&mut runs, ChangeTag::Equal, text);
            }
        }
    }
    settle(&mut runs, &mut went, &mut came);
    Some(runs)
}

/// Ends a change; blanks at its end that both have belong to neither.
fn settle(runs: &mut Vec<(ChangeTag, String)>, went: &mut String, came: &mut String) {
    let (gone, new) = (std::mem::take(went), std::mem::take(came));
    let blanks = |text: &str| text.len() - text.trim_end_matches(' ').len();
    let shared = blanks(&gone).min(blanks(&new));
    for (tag, text) in [(ChangeTag::Delete, &gone), (ChangeTag::Insert, &new)] {
        let kept = text.get(..text.len() - shared).unwrap_or_default();
        push(runs, tag, kept);
    }
    push(runs, ChangeTag::Equal, &" ".repeat(shared));
}

fn push(runs: &mut Vec<(ChangeTag, String)>, tag: ChangeTag, text: &str) {
    match runs.last_mut() {
        _ if text.is_empty() => {}
        Some((last, run)) if *last == tag => run.push_str(text),
        _ => runs.push((tag, text.to_owned())),
    }
}

/// Paragraphs that grow at their end, one for each line of the text.
#[derive(Default)]
struct DiffPage {
    done: Vec<Paragraph>,
    line: Paragraph,
}

impl DiffPage {
    fn put(&mut self, marking: Marking, tag: ChangeTag, text: &str) {
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                self.done.push(std::mem::take(&mut self.line));
            }
            if !piece.is_empty() {
                self.line.runs.push(marking.of(tag, piece));
            }
        }
    }

    fn done(mut self) -> Vec<Paragraph> {
        if !self.line.runs.is_empty() {
            self.done.push(self.line);
        }
        self.done
    }
}
