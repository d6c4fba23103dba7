//! Messages to be sent: the originals and a person's changes. Pure.

use elenchus_game::debate::view::{MessageRole, PartSource, ViewMessage, ViewPart};
use std::collections::BTreeMap;

/// A part that is shorter than this is not looked for in a changed text: it would be found anywhere.
const MIN_FOUND_BYTES: usize = 12;

/// The messages of a view with the changes to them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Messages {
    original: Vec<ViewMessage>,
    /// Whole texts by the message's place; only those that differ.
    changed: BTreeMap<usize, String>,
}

impl Messages {
    /// Takes messages whose parts have their texts.
    pub fn new(original: Vec<ViewMessage>) -> Self {
        Self {
            original,
            changed: BTreeMap::new(),
        }
    }

    /// Returns how many messages there are.
    pub fn len(&self) -> usize {
        self.original.len()
    }

    /// Says whether there is none.
    pub fn is_empty(&self) -> bool {
        self.original.is_empty()
    }

    /// Returns who speaks in a message.
    pub fn role(&self, at: usize) -> Option<MessageRole> {
        self.original.get(at).map(|message| message.role)
    }

    /// Returns a message's text before anything was changed.
    pub fn original_text(&self, at: usize) -> String {
        let parts = self.original.get(at).map(|message| &message.parts);
        parts
            .into_iter()
            .flatten()
            .filter_map(|part| part.text.as_deref())
            .collect()
    }

    /// Returns a message's text as it would be sent.
    pub fn text(&self, at: usize) -> String {
        match self.changed.get(&at) {
            Some(text) => text.clone(),
            None => self.original_text(at),
        }
    }

    /// Returns a message's parts as they would be sent.
    pub fn parts(&self, at: usize) -> Vec<ViewPart> {
        let Some(message) = self.original.get(at) else {
            return Vec::new();
        };
        match self.changed.get(&at) {
            Some(text) => split_parts(&message.parts, text),
            None => message.parts.clone(),
        }
    }

    /// Replaces a message's text; the original one takes the change back.
    pub fn change_text(&mut self, at: usize, text: String) {
        if at >= self.original.len() {
            return;
        }
        if text == self.original_text(at) {
            self.changed.remove(&at);
        } else {
            self.changed.insert(at, text);
        }
    }

    /// Takes the change of a message back; says whether there was one.
    pub fn restore_text(&mut self, at: usize) -> bool {
        self.changed.remove(&at).is_some()
    }

    /// Says whether a message was changed.
    pub fn is_changed(&self, at: usize) -> bool {
        self.changed.contains_key(&at)
    }

    /// Returns how many messages were changed.
    pub fn change_count(&self) -> usize {
        self.changed.len()
    }

    /// Returns the messages as they would be sent.
    pub fn messages_to_send(&self) -> Vec<ViewMessage> {
        let messages = self.original.iter().enumerate();
        messages
            .map(|(at, message)| ViewMessage {
                role: message.role,
                parts: self.parts(at),
            })
            .collect()
    }

    /// Returns the changes as one text that [`apply_draft`](Messages::apply_draft) reads; empty where
    /// there is none.
    pub fn to_draft(&self) -> String {
        changes_to_json(&self.changed)
    }

    /// Returns the changes as [`to_draft`](Messages::to_draft) does, one message as it is being written.
    pub fn draft_with(&self, at: usize, text: &str) -> String {
        let mut changes = self.changed.clone();
        if text == self.original_text(at) {
            changes.remove(&at);
        } else {
            changes.insert(at, text.to_owned());
        }
        changes_to_json(&changes)
    }

    /// Takes changes of an earlier time; says whether any of them was taken. Changes to messages that
    /// were changed here, or are not there, are left out.
    pub fn apply_draft(&mut self, draft: &str) -> bool {
        let changes: Vec<(usize, String)> = serde_json::from_str(draft).unwrap_or_default();
        let before = self.changed.len();
        for (at, text) in changes {
            if !self.is_changed(at) {
                self.change_text(at, text);
            }
        }
        self.changed.len() > before
    }
}

fn changes_to_json(changed: &BTreeMap<usize, String>) -> String {
    if changed.is_empty() {
        return String::new();
    }
    let changes: Vec<(&usize, &String)> = changed.iter().collect();
    serde_json::to_string(&changes).unwrap_or_default()
}

/// Returns the parts of a changed text: those of the original that are still there keep their
/// origin, everything else was typed by a person. Together they are the text.
fn split_parts(parts: &[ViewPart], text: &str) -> Vec<ViewPart> {
    let text_of = |part: &ViewPart| part.text.clone().unwrap_or_default();
    let mut rest = text;
    let mut first = 0;
    while let Some(part) = parts.get(first) {
        let Some(after) = rest.strip_prefix(text_of(part).as_str()) else {
            break;
        };
        rest = after;
        first += 1;
    }
    let mut last = parts.len();
    while last > first {
        let Some(part) = parts.get(last - 1) else {
            break;
        };
        let Some(before) = rest.strip_suffix(text_of(part).as_str()) else {
            break;
        };
        rest = before;
        last -= 1;
    }
    let mut new: Vec<ViewPart> = parts.get(..first).unwrap_or_default().to_vec();
    for part in parts.get(first..last).unwrap_or_default() {
        let part_text = text_of(part);
        if part_text.len() < MIN_FOUND_BYTES {
            continue;
        }
        if let Some((before, after)) = rest.split_once(part_text.as_str()) {
            push_typed_part(&mut new, before);
            new.push(part.clone());
            rest = after;
        }
    }
    push_typed_part(&mut new, rest);
    new.extend(parts.get(last..).unwrap_or_default().iter().cloned());
    new
}

fn push_typed_part(parts: &mut Vec<ViewPart>, text: &str) {
    if !text.is_empty() {
        parts.push(ViewPart::new(PartSource::Person, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(from: PartSource, text: &str) -> ViewPart {
        ViewPart::new(from, text)
    }

    fn texts(parts: &[ViewPart]) -> String {
        parts
            .iter()
            .filter_map(|part| part.text.as_deref())
            .collect()
    }

    #[test]
    fn what_a_person_did_not_touch_keeps_its_origin() {
        let parts = [
            part(
                PartSource::Template("a".to_owned()),
                "Answer this question: ",
            ),
            part(PartSource::Topic, "How does a lock work?"),
            part(PartSource::Template("a".to_owned()), "\nBe brief.\n"),
        ];
        let changed = split_parts(
            &parts,
            "Answer this question: How does a lock work?\nIn verse.\n",
        );
        assert_eq!(changed[..2], parts[..2]);
        assert_eq!(changed[2], part(PartSource::Person, "\nIn verse.\n"));
        let both = split_parts(&parts, "Now: How does a lock work? In verse.");
        let from: Vec<&PartSource> = both.iter().map(|part| &part.from).collect();
        assert_eq!(
            from,
            [&PartSource::Person, &PartSource::Topic, &PartSource::Person]
        );
    }

    #[test]
    fn a_draft_brings_changes_back_and_no_change_is_no_draft() {
        let message = ViewMessage {
            role: MessageRole::User,
            parts: vec![part(PartSource::Topic, "one")],
        };
        let mut first = Messages::new(vec![message.clone(), message.clone()]);
        assert_eq!(first.to_draft(), "");
        first.change_text(1, "two".to_owned());
        let mut second = Messages::new(vec![message.clone(), message]);
        assert!(second.apply_draft(&first.to_draft()));
        assert_eq!(second, first);
        assert!(!second.apply_draft("not a draft"));
        second.change_text(1, "one".to_owned());
        assert_eq!(second.change_count(), 0);
    }

    proptest! {
        #[test]
        fn parts_of_a_changed_text_are_that_text(
            parts in prop::collection::vec("[ab ]{0,16}", 0..5),
            text in "[ab ]{0,60}",
        ) {
            let parts: Vec<ViewPart> = parts
                .iter()
                .enumerate()
                .map(|(at, text)| part(PartSource::Document(at), text))
                .collect();
            prop_assert_eq!(texts(&split_parts(&parts, &text)), text);
            prop_assert_eq!(split_parts(&parts, &texts(&parts)), parts);
        }
    }
}
