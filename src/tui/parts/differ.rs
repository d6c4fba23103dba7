//! What two texts differ in, word by word. Pure.

use super::paragraph::Paragraph;
use crate::tui::theme::{Depth, Look, Role};
use similar::{ChangeTag, TextDiff};

/// Texts that are longer together are not compared word by word: the work grows with the square.
const MAX_BYTES: usize = 48 * 1024;

/// How words that differ are told from those that do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// By their look alone.
    Look,
    /// Between signs, `[-gone-]` and `{+new+}`: nothing else is left without colours.
    Signs,
}

impl Marking {
    /// Returns how this terminal tells them apart.
    pub fn on(look: &Look) -> Self {
        match look.depth() {
            Depth::TrueColour | Depth::Indexed256 | Depth::Sixteen => Marking::Look,
            Depth::None => Marking::Signs,
        }
    }

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

/// Two texts beside each other.
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
    let (mut one, mut other) = (Page::default(), Page::default());
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
    let mut page = Page::default();
    for (tag, text) in changes(left, right)? {
        page.put(marking, tag, &text);
    }
    Some(page.done())
}

/// Returns runs of words that both have, or one of them.
fn changes(left: &str, right: &str) -> Option<Vec<(ChangeTag, String)>> {
    if left.len() + right.len() > MAX_BYTES {
        return None;
    }
    let diff = TextDiff::from_words(left, right);
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in diff.iter_all_changes() {
        match runs.last_mut() {
            Some((tag, text)) if *tag == change.tag() => text.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    Some(runs)
}

/// Paragraphs that grow at their end, one for each line of the text.
#[derive(Default)]
struct Page {
    done: Vec<Paragraph>,
    line: Paragraph,
}

impl Page {
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
