//! A view as the messages of a chat, word for word as they were sent.

use elenchus_game::debate::view::{PartSource, View};
use elenchus_game::prompt::full_text;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// A message as trainers read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ChatMessage {
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    pub content: String,
}

impl ChatMessage {
    /// Returns a reply as the one message of a completion.
    pub(super) fn completion(text: &str) -> Vec<Self> {
        vec![Self {
            role: "assistant",
            content: text.to_owned(),
        }]
    }
}

/// The messages of an expanded view. `None` where the text of a part is not known any more: a prompt with
/// a gap is not what the seat was shown.
pub(super) fn list_messages(view: &View) -> Option<Vec<ChatMessage>> {
    let parts = || view.messages.iter().flat_map(|message| &message.parts);
    if view.messages.is_empty() || parts().any(|part| part.text.is_none()) {
        return None;
    }
    let messages = full_text(view).into_iter();
    let messages = messages.map(|(role, content)| ChatMessage {
        role: role.as_str(),
        content,
    });
    Some(messages.collect())
}

/// Returns the name of a prompt: SHA-256 of its messages, hex. Two prompts have one name if they are equal
/// byte for byte.
pub(super) fn hash_prompt(messages: &[ChatMessage]) -> String {
    hash_texts(
        messages
            .iter()
            .flat_map(|message| [message.role, &message.content]),
    )
}

/// Returns the SHA-256 of some texts, hex; how they are divided counts.
pub(super) fn hash_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    let hash = digest.finalize();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Says whether a view shows private reasoning. It is the reader's own: nobody is shown another's.
pub(super) fn shows_private_text(view: &View) -> bool {
    let mut parts = view.messages.iter().flat_map(|message| &message.parts);
    parts.any(|part| matches!(part.from, PartSource::OwnPrivate(_)))
}

/// Returns the rules whose verdicts a view shows, each once.
pub(super) fn list_shown_verdicts(view: &View) -> Vec<String> {
    let parts = view.messages.iter().flat_map(|message| &message.parts);
    let mut rules: Vec<String> = parts
        .filter_map(|part| match &part.from {
            PartSource::Verdict { judging, .. } | PartSource::Ruling { judging, .. } => {
                Some(judging.to_string())
            }
            _ => None,
        })
        .collect();
    rules.sort();
    rules.dedup();
    rules
}
