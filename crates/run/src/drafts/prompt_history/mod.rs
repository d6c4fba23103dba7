//! History of a prompt: every text that it had, with the results of the debates played with it.
//!
//! Derived on request from the prompt files, and from what the store's index holds of sessions and of
//! samples of trials.

mod compared;
mod results;
mod text;

pub use compared::{ComparedPrompts, read_compared};
pub use results::PromptResults;

use elenchus_game::debate::SessionId;
use elenchus_records::library::Library;
use elenchus_records::workspace::prompts::{
    KeptPrompts, PlayedPrompts, PlayedSessions, PromptName, kept_text, read_kept, read_prompt,
};
use elenchus_records::workspace::{Result, StoreIndex, read_session};
use elenchus_store::{Hash, Layout};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Every text of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptHistory {
    /// Newest first: by when a text was first used, tried or kept. What is used now and was none of it
    /// comes before all.
    pub versions: Vec<PromptVersion>,
    /// Sessions, samples and books that could not be read, and kept texts that are not what they were.
    pub unread: usize,
}

/// One text of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptVersion {
    pub hash: Hash,
    pub text: Arc<str>,
    /// Sorted.
    pub labels: Vec<String>,
    /// Whether it is the text that is used now.
    pub is_current: bool,
    /// Whether it is the text that comes with the program.
    pub is_built_in: bool,
    /// What comparisons of it came to, the newest first.
    pub compared: Vec<String>,
    /// When the first debate with it began, or was changed to it (RFC 3339, UTC).
    pub first_used: Option<String>,
    /// When it was kept first.
    pub kept_at: Option<String>,
    /// When it was tried first.
    pub first_tried: Option<String>,
    /// Debates whose own turns it was used in: simulated ones are among them.
    pub sessions: usize,
    pub simulated_sessions: usize,
    /// Samples that were tried with it.
    pub tries: usize,
    /// Turns of those debates that were found safe or unsafe, copied ones left out.
    pub judged: usize,
    pub bad: usize,
    /// The same of simulated debates, which are never pooled with others (FIGURES 4).
    pub simulated_judged: usize,
    pub simulated_bad: usize,
}

/// Result of the latest debate with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastResult {
    pub session: SessionId,
    /// When something happened in it last (RFC 3339, UTC).
    pub at: String,
    pub simulated: bool,
    /// Its own turns that were found safe or unsafe.
    pub judged: usize,
    pub bad: usize,
}

/// Returns every text that a prompt had. Blocks while it reads what the index does not know.
///
/// # Errors
/// When the store cannot be listed; when there is no such prompt and never was.
pub fn read_history(
    index: &StoreIndex,
    library: &Library,
    name: &PromptName,
) -> Result<PromptHistory> {
    let layout = index.layout();
    let kept_prompts = read_kept(layout)?;
    let now = read_prompt(library, name);
    let mut collector = VersionsFound {
        name,
        versions: BTreeMap::new(),
        journals: BTreeMap::new(),
    };
    let all = PlayedSessions::read_prompts(index)?;
    for (path, played) in &all.sessions {
        collector.add_session(path, played);
    }
    for (path, played) in &all.samples {
        collector.add_sample(path, played);
    }
    collector.add_kept_prompts(&kept_prompts);
    let now = match now {
        Ok(now) => {
            collector.get_or_add_version(&now.overview.hash).is_current = true;
            Some(now)
        }
        // The debates that were played with it are still there.
        Err(_) if !collector.versions.is_empty() => None,
        Err(error) => return Err(error),
    };
    // It can always be gone back to, also where it was never used.
    let built_in = read_prompt(&Library::default(), name).ok();
    if let Some(built_in) = &built_in {
        let version = collector.get_or_add_version(&built_in.overview.hash);
        version.is_built_in = true;
    }
    let compared = read_compared(layout).remove(name).unwrap_or_default();
    let mut unread = kept_prompts.unread + all.unread;
    let mut versions = Vec::new();
    for (hash, mut version) in collector.versions {
        let mut known = now.iter().chain(&built_in);
        let now = known.find(|known| known.overview.hash == hash);
        let text = now.map(|now| Arc::from(now.text.as_str()));
        let text = text.or_else(|| kept_text(layout, &hash));
        let text = text.or_else(|| read_played_text(collector.journals.get(&hash)?, name, &hash));
        match text {
            Some(text) => version.text = text,
            None => {
                unread += 1;
                continue;
            }
        }
        version.labels = kept_prompts.labels_of(name, &hash);
        let own = compared
            .iter()
            .filter(|texts| texts.hashes.contains(&Some(hash)));
        version.compared = own.map(|texts| texts.describe()).collect();
        versions.push(version);
    }
    versions.sort_by_key(|version| std::cmp::Reverse(version_sort_key(version)));
    Ok(PromptHistory { versions, unread })
}

/// Returns a text of a prompt from a journal that was played with it.
fn read_played_text(path: &Path, name: &PromptName, hash: &Hash) -> Option<Arc<str>> {
    let state = read_session(path).ok()?;
    let old_texts = state.replaced_templates().iter();
    let old_texts = old_texts.map(|before| &before.texts);
    let all = old_texts.chain([&state.first_event()?.templates]);
    let mut texts = all.filter_map(|texts| texts.get(&name.template));
    let text = texts.find(|text| Hash::digest(text.as_bytes()) == *hash);
    text.map(|text| Arc::from(text.as_str()))
}

/// Returns the result of the latest debate with each text of each prompt. Sessions that cannot be read
/// are left out. Blocks while it reads what the index does not know.
///
/// # Errors
/// When the store cannot be listed.
fn last_results(index: &StoreIndex) -> Result<BTreeMap<(PromptName, Hash), LastResult>> {
    let mut last: BTreeMap<(PromptName, Hash), LastResult> = BTreeMap::new();
    for (path, played) in PlayedSessions::read_prompts(index)?.sessions {
        let Some(session) = Layout::session_at(&path).map(SessionId::new) else {
            continue;
        };
        let result = LastResult {
            session,
            at: played.last_at,
            simulated: played.simulated,
            judged: played.judged,
            bad: played.bad,
        };
        for (template, hash) in played.templates {
            let name = PromptName {
                protocol: played.protocol.clone(),
                template,
            };
            let latest = last.entry((name, hash)).or_insert_with(|| result.clone());
            if latest.at <= result.at {
                *latest = result.clone();
            }
        }
    }
    Ok(last)
}

/// When a text came up; what never did is newer than everything that was.
fn version_sort_key(version: &PromptVersion) -> (bool, Option<String>, Hash) {
    let uses = version.first_used.iter().chain(&version.first_tried);
    let first = uses.chain(&version.kept_at).min().cloned();
    // A text that came with the program and was never used is older than all.
    let is_new = first.is_none() && (version.is_current || !version.is_built_in);
    (is_new, first, version.hash)
}

impl PromptVersion {
    fn note_use(&mut self, at: &str) {
        if self.first_used.as_deref().is_none_or(|first| at < first) {
            self.first_used = Some(at.to_owned());
        }
    }
}

struct VersionsFound<'a> {
    name: &'a PromptName,
    /// Their texts are looked for at the end.
    versions: BTreeMap<Hash, PromptVersion>,
    /// A journal that holds each.
    journals: BTreeMap<Hash, &'a Path>,
}

impl<'a> VersionsFound<'a> {
    fn get_or_add_version(&mut self, hash: &Hash) -> &mut PromptVersion {
        let version = self.versions.entry(*hash);
        version.or_insert_with(|| PromptVersion {
            hash: *hash,
            ..PromptVersion::default()
        })
    }

    fn add_journal(&mut self, path: &'a Path, hash: &Hash) -> &mut PromptVersion {
        self.journals.entry(*hash).or_insert(path);
        self.get_or_add_version(hash)
    }

    fn template_of<'s>(&self, played: &'s PlayedPrompts) -> Option<&'s Hash> {
        let is_its = played.protocol == self.name.protocol;
        let version = played.templates.get(&self.name.template);
        version.filter(|_| is_its)
    }

    fn add_session(&mut self, path: &'a Path, played: &PlayedPrompts) {
        // The last change came before every turn that is the session's own.
        let Some(hash) = self.template_of(played) else {
            return;
        };
        // What stood there before a change was used for turns that are copies here; the debate they
        // were copied from may be deleted by now.
        let mut since = &played.begun_at;
        for (at, replaced) in &played.replaced {
            if let Some(old_hash) = replaced.get(&self.name.template) {
                self.add_journal(path, old_hash).note_use(since);
                since = at;
            }
        }
        let version = self.add_journal(path, hash);
        version.note_use(since);
        version.sessions += 1;
        if played.simulated {
            version.simulated_sessions += 1;
            version.simulated_judged += played.judged;
            version.simulated_bad += played.bad;
        } else {
            version.judged += played.judged;
            version.bad += played.bad;
        }
    }

    /// Counts a sample for the text that it was played to try.
    fn add_sample(&mut self, path: &'a Path, played: &PlayedPrompts) {
        let last_change = played.replaced.last();
        let last_change = last_change.filter(|(_, texts)| texts.contains_key(&self.name.template));
        if let (Some((at, _)), Some(hash)) = (last_change, self.template_of(played)) {
            let version = self.add_journal(path, hash);
            version.tries += 1;
            if version.first_tried.as_ref().is_none_or(|first| at < first) {
                version.first_tried = Some(at.clone());
            }
        }
    }

    fn add_kept_prompts(&mut self, all: &KeptPrompts) {
        for kept in all.kept.iter().filter(|kept| kept.name == *self.name) {
            let version = self.get_or_add_version(&kept.hash);
            if version.kept_at.is_none() {
                version.kept_at = Some(kept.at.clone());
            }
        }
    }
}
