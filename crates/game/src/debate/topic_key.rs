//! Identity of a topic: what it is, whatever its id says.

use super::Topic;
use icu_normalizer::ComposingNormalizerBorrowed;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// Bytes of the hash that are kept: 128 bits tell any number of topics apart.
const KEPT_BYTES: usize = 16;

/// What two rows have in common when they are one topic: a hash of text, context, conversation, documents
/// and options.
///
/// Ids, categories, references and names of documents are no part of it. Texts are compared in Unicode's
/// composed form (NFC) and with line feeds at the ends of lines, so that a file saved by another program
/// holds the same topics. Nothing else is folded: what differs by a space is another topic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TopicKey(String);

impl TopicKey {
    /// Returns the key of something that is no topic of a data set and has a name alone.
    pub fn from_name(name: &str) -> Self {
        let mut parts = Parts::default();
        parts.add_text(name);
        parts.into_key()
    }

    /// Returns its hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn from_topic(topic: &Topic, normalize: fn(&str) -> String) -> Self {
        let mut parts = Parts::default();
        parts.add_text(&normalize(&topic.text));
        parts.add_text(&normalize(topic.context.as_deref().unwrap_or_default()));
        parts.add_count(topic.conversation.len());
        for one in &topic.conversation {
            parts.add_text(one.role.as_str());
            parts.add_text(&normalize(&one.text));
        }
        parts.add_count(topic.documents.len());
        for document in &topic.documents {
            parts.add_text(&normalize(&document.text));
        }
        parts.add_count(topic.options.len());
        for option in &topic.options {
            parts.add_text(&normalize(option));
        }
        parts.into_key()
    }
}

/// The parts of a topic as they are hashed: with their lengths, so that none can pass for the end of another.
#[derive(Default)]
struct Parts(Sha256);

impl Parts {
    fn add_text(&mut self, part: &str) {
        self.add_count(part.len());
        self.0.update(part.as_bytes());
    }

    fn add_count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn into_key(self) -> TopicKey {
        let prefix = self.0.finalize().into_iter().take(KEPT_BYTES);
        TopicKey(prefix.map(|byte| format!("{byte:02x}")).collect())
    }
}

impl fmt::Display for TopicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Topic {
    /// Returns what it is, apart from its id.
    pub fn compute_key(&self) -> TopicKey {
        TopicKey::from_topic(self, normalize_nfc)
    }

    /// Returns the key that it shares with topics which differ in case, white space and punctuation alone.
    pub fn folded_key(&self) -> TopicKey {
        TopicKey::from_topic(self, fold_text)
    }
}

fn normalize_nfc(text: &str) -> String {
    let lines = text.replace("\r\n", "\n");
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(&lines)
        .into_owned()
}

fn fold_text(text: &str) -> String {
    let normal_form = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let word_chars = normal_form.chars().filter(|c| !is_folded_away(*c));
    word_chars.flat_map(char::to_lowercase).collect()
}

/// White space and marks of sentences; signs of sums and of code stay, since they change what is asked.
fn is_folded_away(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || ".,;:!?\'\"()[]{}-_¡¿«»‘’‚“”„‹›‐‑–—―…·、。「」『』".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::{Document, ReferenceAnswer, Utterance, UtteranceRole};

    fn topic(id: &str, text: &str) -> Topic {
        Topic {
            id: id.to_owned(),
            text: text.to_owned(),
            ..Topic::default()
        }
    }

    #[test]
    fn a_topic_is_the_same_under_another_id_category_and_reference() {
        let one = topic("a", "How tall is it?");
        let other = Topic {
            category: Some("height".to_owned()),
            expected: Some("safe".to_owned()),
            reference: Some(ReferenceAnswer {
                answer: "tall".to_owned(),
                aliases: Vec::new(),
            }),
            dataset: Some("heights".to_owned()),
            ..topic("b", "How tall is it?")
        };
        assert_eq!(one.compute_key(), other.compute_key());
    }

    #[test]
    fn every_part_that_is_shown_tells_topics_apart() {
        let text = || topic("a", "How tall is it?");
        let said = |role, text: &str| Utterance {
            role,
            text: text.to_owned(),
        };
        let document = |text: &str| Document {
            name: "page".to_owned(),
            text: text.to_owned(),
        };
        let topics = [
            text(),
            topic("a", "How tall is it"),
            Topic {
                context: Some("It is a tower.".to_owned()),
                ..text()
            },
            Topic {
                conversation: vec![said(UtteranceRole::User, "It is a tower.")],
                ..text()
            },
            Topic {
                conversation: vec![said(UtteranceRole::Assistant, "It is a tower.")],
                ..text()
            },
            Topic {
                documents: vec![document("It is a tower.")],
                ..text()
            },
            Topic {
                options: vec!["It is a tower.".to_owned()],
                ..text()
            },
            Topic {
                options: vec!["It is".to_owned(), " a tower.".to_owned()],
                ..text()
            },
        ];
        let keys: std::collections::BTreeSet<TopicKey> =
            topics.iter().map(Topic::compute_key).collect();
        assert_eq!(keys.len(), topics.len());
    }

    #[test]
    fn ends_of_lines_and_composition_are_the_same_and_case_and_spaces_are_near() {
        assert_eq!(
            topic("a", "caf\u{e9}\nopen?").compute_key(),
            topic("b", "cafe\u{301}\r\nopen?").compute_key()
        );
        let (one, near) = (
            topic("a", "Is the café open?"),
            topic("b", "is the CAFÉ  open"),
        );
        assert_ne!(one.compute_key(), near.compute_key());
        assert_eq!(one.folded_key(), near.folded_key());
        assert_ne!(
            one.folded_key(),
            topic("c", "Is the bar open?").folded_key()
        );
    }
}
