//! Version of the prompt that an attempt was asked for with, as a line among the facts of a view.

use super::SeatView;
use elenchus_game::debate::{AttemptId, State};
use elenchus_records::library::short;
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
pub(super) fn tell(sheet: &mut SeatView, state: &State, id: &AttemptId) {
    let (Some(protocol), Some((template, hash))) = (state.protocol(), version_of(state, id)) else {
        return;
    };
    let name = PromptName {
        protocol: protocol.id.clone(),
        template,
    };
    sheet.facts.push(line(&name, &hash, &[]));
    sheet.made_with = Some(MadeWith {
        name,
        hash,
        line: sheet.facts.len() - 1,
    });
}

impl SeatView {
    /// Adds the labels of the prompt's version to its line.
    pub fn label_prompt(&mut self, kept: &KeptPrompts) {
        let Some(made) = &self.made_with else {
            return;
        };
        let labels = kept.labels_of(&made.name, &made.hash);
        if let Some(told) = self.facts.get_mut(made.line) {
            *told = line(&made.name, &made.hash, &labels);
        }
    }
}

fn line(name: &PromptName, hash: &TextHash, labels: &[String]) -> Paragraph {
    let text = format!("prompt {name} · version {}", short(hash));
    let told = Paragraph::of(Role::Muted, text);
    match labels {
        [] => told,
        labels => told.and(Role::Strong, format!(" [{}]", labels.join(", "))),
    }
}
