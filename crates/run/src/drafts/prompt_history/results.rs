//! Results and labels of the prompts in use, for lists of prompts.

use super::{LastResult, last_results};
use elenchus_records::library::{FileOrigin, shorten_hash};
use elenchus_records::workspace::prompts::{PromptName, PromptOverview, read_kept};
use elenchus_records::workspace::{Result, StoreIndex};
use elenchus_store::Hash;
use elenchus_text::{Paragraph, Role};
use std::collections::BTreeMap;

/// Results of the latest debates with the texts of prompts, and the labels of texts.
#[derive(Debug, Clone, Default)]
pub struct PromptResults {
    last: BTreeMap<(PromptName, Hash), LastResult>,
    /// Text of each label of a prompt.
    labels: BTreeMap<PromptName, BTreeMap<String, Hash>>,
}

impl PromptResults {
    /// Reads them. Blocks while it reads what the index does not know.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn read(index: &StoreIndex) -> Result<Self> {
        Ok(Self {
            last: last_results(index)?,
            labels: read_kept(index.layout())?.labels,
        })
    }

    /// Returns the result of the latest debate with the text that a prompt has now.
    pub fn last(&self, prompt: &PromptOverview) -> Option<&LastResult> {
        self.last.get(&(prompt.name.clone(), prompt.hash))
    }

    /// Returns the labels of the text that a prompt has now.
    pub fn labels<'a>(&'a self, prompt: &'a PromptOverview) -> impl Iterator<Item = &'a str> {
        let labels = self.labels.get(&prompt.name).into_iter().flatten();
        let own = labels.filter(|(_, hash)| **hash == prompt.hash);
        own.map(|(label, _)| label.as_str())
    }

    /// Returns all that is known of a prompt in use.
    pub fn describe_prompt(&self, prompt: &PromptOverview) -> Vec<Paragraph> {
        let fact = |name: &str, text: String| {
            Paragraph::new(Role::Muted, format!("{name} "))
                .with_run(Role::Text, text)
                .with_indent(0, 2)
        };
        let mut page = Vec::new();
        if !prompt.description.is_empty() {
            page.push(Paragraph::new(Role::Text, prompt.description.clone()));
        }
        if let Some(fault) = &prompt.fault {
            page.push(Paragraph::new(Role::Error, format!("! {fault}")));
        }
        let tellers_text = match prompt.users.is_empty() {
            true => "no seat at the default settings".to_owned(),
            false => prompt.users.clone(),
        };
        page.push(fact("prompt of", tellers_text));
        let from = match &prompt.origin {
            FileOrigin::BuiltIn => format!("built in, {}", prompt.file),
            FileOrigin::Folder(_) => prompt.location(),
        };
        let labels: String = self
            .labels(prompt)
            .map(|label| format!(" [{label}]"))
            .collect();
        let version = shorten_hash(&prompt.hash) + &labels;
        let facts = fact("from", from).with_run(Role::Muted, " · version ");
        page.push(facts.with_run(Role::Text, version));
        if prompt.is_shared() {
            page.push(Paragraph::new(Role::Muted, "other games use this file too"));
        }
        if let Some(last) = self.last(prompt) {
            let (role, result) = last.describe_result();
            let fact = Paragraph::new(Role::Muted, "last debate ").with_run(role, result);
            let when = format!(", {}", last.format_time());
            page.push(fact.with_run(Role::Muted, when).with_indent(0, 2));
        }
        page
    }
}
