//! Version of the prompt that an attempt was asked for with, as a line among the facts of a view.

use super::SeatView;
use elenchus_game::debate::{AttemptId, State};
use elenchus_records::library::shorten_hash;
use elenchus_records::workspace::Hash as TextHash;
use elenchus_records::workspace::prompts::{KeptPrompts, PromptName, version_of};
use elenchus_text::{Paragraph, Role};

/// Version of a prompt, and the index of its line in the facts.
#[derive(Debug, Clone)]
pub struct MadeWith {
    name: PromptName,
    hash: TextHash,
    line: usize,
}

/// Adds the line to the facts of an attempt; there is none where no prompt was shown.
pub(super) fn add_prompt_version(seat_view: &mut SeatView, state: &State, id: &AttemptId) {
    let (Some(protocol), Some((template, hash))) = (state.protocol(), version_of(state, id)) else {
        return;
    };
    let name = PromptName {
        protocol: protocol.id.clone(),
        template,
    };
    seat_view.facts.push(describe_version(&name, &hash, &[]));
    seat_view.made_with = Some(MadeWith {
        name,
        hash,
        line: seat_view.facts.len() - 1,
    });
}

impl SeatView {
    /// Adds the labels of the prompt's version to its line.
    pub fn label_prompt(&mut self, kept: &KeptPrompts) {
        let Some(version) = &self.made_with else {
            return;
        };
        let labels = kept.labels_of(&version.name, &version.hash);
        if let Some(fact) = self.facts.get_mut(version.line) {
            *fact = describe_version(&version.name, &version.hash, &labels);
        }
    }
}

fn describe_version(name: &PromptName, hash: &TextHash, labels: &[String]) -> Paragraph {
    let text = format!("prompt {name} · version {}", shorten_hash(hash));
    let paragraph = Paragraph::new(Role::Muted, text);
    match labels {
        [] => paragraph,
        labels => paragraph.with_run(Role::Strong, format!(" [{}]", labels.join(", "))),
    }
}
