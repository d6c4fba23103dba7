//! History of a prompt: every text that it had, with the results of the debates played with it.
//!
//! Derived on request from the prompt files, and from what the store's index holds of sessions and of
//! samples of trials.

mod results;
mod text;

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
pub fn history(index: &StoreIndex, library: &Library, name: &PromptName) -> Result<PromptHistory> {
    let layout = index.layout();
    let kept = read_kept(layout)?;
    let now = read_prompt(library, name);
    let mut told = VersionsFound {
        name,
        versions: BTreeMap::new(),
        played: BTreeMap::new(),
    };
    let all = PlayedSessions::read(index)?;
    for (path, played) in &all.sessions {
        told.session(path, played);
    }
    for (path, played) in &all.samples {
        told.sample(path, played);
    }
    told.kept(&kept);
    let now = match now {
        Ok(now) => {
            told.version(&now.glance.hash).is_current = true;
            Some(now)
        }
        // The debates that were played with it are still there.
        Err(_) if !told.versions.is_empty() => None,
        Err(error) => return Err(error),
    };
    let mut unread = kept.unread + all.unread;
    let mut versions = Vec::new();
    for (hash, mut version) in told.versions {
        let now = now.as_ref().filter(|now| now.glance.hash == hash);
        let text = now.map(|now| Arc::from(now.text.as_str()));
        let text = text.or_else(|| kept_text(layout, &hash));
        let text = text.or_else(|| text_played(told.played.get(&hash)?, name, &hash));
        match text {
            Some(text) => version.text = text,
            None => {
                unread += 1;
                continue;
            }
        }
        version.labels = kept.labels_of(name, &hash);
        versions.push(version);
    }
    versions.sort_by_key(|version| std::cmp::Reverse(since(version)));
    Ok(PromptHistory { versions, unread })
}

/// Returns a text of a prompt from a journal that was played with it.
fn text_played(path: &Path, name: &PromptName, hash: &Hash) -> Option<Arc<str>> {
    let state = read_session(path).ok()?;
    let replaced = state.replaced_templates().iter();
    let replaced = replaced.map(|before| &before.texts);
    let all = replaced.chain([&state.created()?.templates]);
    let mut texts = all.filter_map(|texts| texts.get(&name.template));
    let text = texts.find(|text| Hash::of(text.as_bytes()) == *hash);
    text.map(|text| Arc::from(text.as_str()))
}

/// Returns the result of the latest debate with each text of each prompt. Sessions that cannot be read
/// are left out. Blocks while it reads what the index does not know.
///
/// # Errors
/// When the store cannot be listed.
fn last_results(index: &StoreIndex) -> Result<BTreeMap<(PromptName, Hash), LastResult>> {
    let mut last: BTreeMap<(PromptName, Hash), LastResult> = BTreeMap::new();
    for (path, played) in PlayedSessions::read(index)?.sessions {
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
            let known = last.entry((name, hash)).or_insert_with(|| result.clone());
            if known.at <= result.at {
                *known = result.clone();
            }
        }
    }
    Ok(last)
}

/// When a text came up; what never did is newer than everything that was.
fn since(version: &PromptVersion) -> (bool, Option<String>, Hash) {
    let played = version.first_used.iter().chain(&version.first_tried);
    let first = played.chain(&version.kept_at).min().cloned();
    (first.is_none(), first, version.hash)
}

impl PromptVersion {
    fn used_at(&mut self, at: &str) {
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
    played: BTreeMap<Hash, &'a Path>,
}

impl<'a> VersionsFound<'a> {
    fn version(&mut self, hash: &Hash) -> &mut PromptVersion {
        let version = self.versions.entry(*hash);
        version.or_insert_with(|| PromptVersion {
            hash: *hash,
            ..PromptVersion::default()
        })
    }

    fn played(&mut self, path: &'a Path, hash: &Hash) -> &mut PromptVersion {
        self.played.entry(*hash).or_insert(path);
        self.version(hash)
    }

    fn template_of<'s>(&self, played: &'s PlayedPrompts) -> Option<&'s Hash> {
        let is_its = played.protocol == self.name.protocol;
        let version = played.templates.get(&self.name.template);
        version.filter(|_| is_its)
    }

    fn session(&mut self, path: &'a Path, played: &PlayedPrompts) {
        // The last change came before every turn that is the session's own.
        let Some(hash) = self.template_of(played) else {
            return;
        };
        // What stood there before a change was used for turns that are copies here; the debate they
        // were copied from may be deleted by now.
        let mut since = &played.begun_at;
        for (at, replaced) in &played.replaced {
            if let Some(replaced) = replaced.get(&self.name.template) {
                self.played(path, replaced).used_at(since);
                since = at;
            }
        }
        let version = self.played(path, hash);
        version.used_at(since);
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
    fn sample(&mut self, path: &'a Path, played: &PlayedPrompts) {
        let changed = played.replaced.last();
        let changed = changed.filter(|(_, texts)| texts.contains_key(&self.name.template));
        if let (Some((at, _)), Some(hash)) = (changed, self.template_of(played)) {
            let version = self.played(path, hash);
            version.tries += 1;
            if version.first_tried.as_ref().is_none_or(|first| at < first) {
                version.first_tried = Some(at.clone());
            }
        }
    }

    fn kept(&mut self, all: &KeptPrompts) {
        for kept in all.kept.iter().filter(|kept| kept.name == *self.name) {
            let version = self.version(&kept.hash);
            if version.kept_at.is_none() {
                version.kept_at = Some(kept.at.clone());
            }
        }
    }
}
