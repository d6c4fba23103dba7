//! Comparisons of a prompt's texts, each with the sentence that it came to.

use crate::experiments::prompt_ab::{list_comparisons, read_ab_summary};
use elenchus_records::workspace::prompts::PromptName;
use elenchus_store::{Hash, Layout};
use std::collections::BTreeMap;

/// Comparisons that are read at most, the newest: all their samples are.
const MAX_READ: usize = 20;

/// A comparison of two texts of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedTexts {
    /// Name and text of A and B; a recorded text has no hash: it is that of each debate.
    pub names: [String; 2],
    pub hashes: [Option<Hash>; 2],
    /// What it came to, in a sentence.
    pub conclusion: String,
}

/// Comparisons of the texts of prompts, the newest first.
pub type ComparedPrompts = BTreeMap<PromptName, Vec<ComparedTexts>>;

/// Reads what the latest comparisons came to; those that cannot be read are left out. Blocks.
pub fn read_compared(layout: &Layout) -> ComparedPrompts {
    let mut compared = ComparedPrompts::new();
    for state in list_comparisons(layout)
        .into_iter()
        .flatten()
        .take(MAX_READ)
    {
        let plan = &state.manifest.plan;
        let context = plan.contexts.first();
        let parent = context.and_then(|context| context.read_state(layout).ok());
        let Some(protocol) = parent.as_ref().and_then(|parent| parent.protocol()) else {
            continue;
        };
        let summary = read_ab_summary(layout, &state).ok();
        let conclusion = summary.and_then(|summary| summary.conclusion(&state));
        let Some(conclusion) = conclusion else {
            continue;
        };
        let name = PromptName {
            protocol: protocol.id.clone(),
            template: plan.template.clone(),
        };
        compared.entry(name).or_default().push(ComparedTexts {
            names: plan.arms.each_ref().map(|arm| arm.name.clone()),
            hashes: plan.arms.each_ref().map(|arm| {
                let text = arm.text.as_ref();
                text.map(|text| Hash::digest(text.as_bytes()))
            }),
            conclusion,
        });
    }
    compared
}

impl ComparedTexts {
    /// Returns what was compared and what it came to.
    pub fn describe(&self) -> String {
        let [a, b] = &self.names;
        format!("compared, A {a} with B {b}: {}", self.conclusion)
    }
}
