//! Prompt version of an attempt, as a line of the inspector.

use super::seat_view::SeatView;
use crate::debate::{AttemptId, State};
use crate::library::short;
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::workspace::Hash as TextHash;
use crate::workspace::prompts::{KeptPrompts, PromptName, version_of};

/// Version of a prompt, and the index of its line in the facts.
#[derive(Debug, Clone)]
pub(super) struct MadeWith {
    name: PromptName,
    hash: TextHash,
    line: usize,
}

/// Adds the line to the facts of an attempt; there is none where no prompt was shown.
pub fn tell(sheet: &mut SeatView, state: &State, id: &AttemptId) {
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

/// Adds the version's labels to the line.
pub fn label(sheet: &mut SeatView, kept: &KeptPrompts) {
    let Some(made) = &sheet.made_with else {
        return;
    };
    let labels = kept.labels_of(&made.name, &made.hash);
    if let Some(told) = sheet.facts.get_mut(made.line) {
        *told = line(&made.name, &made.hash, &labels);
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
