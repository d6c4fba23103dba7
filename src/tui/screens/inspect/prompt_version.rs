//! The version of the prompt that an attempt was asked for with, as a line of the sheet.

use super::sheet::Sheet;
use crate::debate::{AttemptId, State};
use crate::driver::prompt_desk::{KeptPrompts, PromptName, TextHash, version_of};
use crate::driver::short;
use crate::tui::parts::paragraph::Paragraph;
use crate::tui::theme::Role;

/// A prompt's version, and which of the facts tells it.
#[derive(Debug, Clone)]
pub struct MadeWith {
    name: PromptName,
    hash: TextHash,
    line: usize,
}

/// Adds the line to the facts of an attempt; where nobody was shown a prompt there is none.
pub fn tell(sheet: &mut Sheet, state: &State, id: &AttemptId) {
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

/// Puts the labels that stand on the version into the line.
pub fn label(sheet: &mut Sheet, kept: &KeptPrompts) {
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
