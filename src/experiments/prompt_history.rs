//! History of a prompt: every text that it had, with the results of the debates played with it.
//!
//! Derived on request from the prompt files, the sessions and the samples of trials; nothing is stored.

use crate::debate::event::Created;
use crate::debate::{SessionId, State};
use crate::library::Library;
use crate::metrics::TurnSafety;
use crate::store::{Hash, Layout};
use crate::workspace::WorkspaceError;
use crate::workspace::prompts::PromptName;
use crate::workspace::prompts::read_prompt;
use crate::workspace::prompts::{KeptPrompts, kept_text, read_kept};
use crate::workspace::read_session;
use crate::workspace::rows::debate_row;
use std::collections::BTreeMap;
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
#[derive(Debug, Clone, PartialEq)]
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

/// Returns every text that a prompt had. Blocks while it reads the store.
///
/// # Errors
/// When the store cannot be listed; when there is no such prompt and never was.
pub fn history(
    layout: &Layout,
    library: &Library,
    name: &PromptName,
) -> Result<PromptHistory, WorkspaceError> {
    let now = read_prompt(library, name);
    let mut told = VersionsFound {
        name,
        versions: BTreeMap::new(),
        unread: 0,
    };
    for id in layout.sessions()? {
        match read_session(&layout.session(&id)?) {
            Ok(state) => told.session(SessionId::new(id), &state),
            Err(_) => told.unread += 1,
        }
    }
    let tries = layout.tries();
    for id in tries.sessions()? {
        match read_session(&tries.session(&id)?) {
            Ok(state) => told.sample(&state),
            Err(_) => told.unread += 1,
        }
    }
    let kept = read_kept(layout)?;
    told.unread += kept.unread;
    told.kept(layout, &kept);
    match now {
        Ok(now) => told.version(&now.text).is_current = true,
        // The debates that were played with it are still there.
        Err(_) if !told.versions.is_empty() => {}
        Err(error) => return Err(error),
    }
    let mut versions: Vec<PromptVersion> = told.versions.into_values().collect();
    for version in &mut versions {
        version.labels = kept.labels_of(name, &version.hash);
    }
    versions.sort_by_key(|version| std::cmp::Reverse(since(version)));
    Ok(PromptHistory {
        versions,
        unread: told.unread,
    })
}

/// Returns the result of the latest debate with each text of each prompt, in one pass over the store.
/// Sessions that cannot be read are left out. Blocks.
///
/// # Errors
/// When the store cannot be listed.
pub fn last_results(
    layout: &Layout,
) -> Result<BTreeMap<(PromptName, Hash), LastResult>, WorkspaceError> {
    let mut last: BTreeMap<(PromptName, Hash), LastResult> = BTreeMap::new();
    for id in layout.sessions()? {
        let Ok(state) = read_session(&layout.session(&id)?) else {
            continue;
        };
        let Some(created) = state.created() else {
            continue;
        };
        let session = SessionId::new(id);
        let (judged, bad) = results(&session, &state);
        let result = LastResult {
            session,
            at: state.span().1.to_owned(),
            simulated: created.is_simulated(),
            judged,
            bad,
        };
        for (template, text) in &created.templates {
            let name = PromptName {
                protocol: created.protocol.id.clone(),
                template: template.clone(),
            };
            let entry = last.entry((name, Hash::of(text.as_bytes())));
            let known = entry.or_insert_with(|| result.clone());
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
    versions: BTreeMap<Hash, PromptVersion>,
    unread: usize,
}

impl VersionsFound<'_> {
    fn version(&mut self, text: &str) -> &mut PromptVersion {
        let hash = Hash::of(text.as_bytes());
        let version = self.versions.entry(hash);
        version.or_insert_with(|| PromptVersion {
            hash,
            text: Arc::from(text),
            labels: Vec::new(),
            is_current: false,
            first_used: None,
            kept_at: None,
            first_tried: None,
            sessions: 0,
            simulated_sessions: 0,
            tries: 0,
            judged: 0,
            bad: 0,
            simulated_judged: 0,
            simulated_bad: 0,
        })
    }

    fn template_of<'s>(&self, created: &'s Created) -> Option<&'s String> {
        let is_its = created.protocol.id == self.name.protocol;
        created
            .templates
            .get(&self.name.template)
            .filter(|_| is_its)
    }

    fn session(&mut self, id: SessionId, state: &State) {
        let Some(created) = state.created() else {
            return;
        };
        // The last change came before every turn that is the session's own.
        let Some(text) = self.template_of(created) else {
            return;
        };
        // What stood there before a change was used for turns that are copies here; the debate they
        // were copied from may be deleted by now.
        let mut since = state.span().0;
        for before in state.replaced_templates() {
            if let Some(replaced) = before.texts.get(&self.name.template) {
                self.version(replaced).used_at(since);
                since = &before.at;
            }
        }
        let simulated = created.is_simulated();
        let (judged, bad) = results(&id, state);
        let version = self.version(text);
        version.used_at(since);
        version.sessions += 1;
        if simulated {
            version.simulated_sessions += 1;
            version.simulated_judged += judged;
            version.simulated_bad += bad;
        } else {
            version.judged += judged;
            version.bad += bad;
        }
    }

    /// Counts a sample for the text that it was played to try.
    fn sample(&mut self, state: &State) {
        let Some(created) = state.created() else {
            return;
        };
        let changed = state.replaced_templates().last();
        let changed = changed.filter(|changed| changed.texts.contains_key(&self.name.template));
        if let (Some(changed), Some(text)) = (changed, self.template_of(created)) {
            let version = self.version(text);
            version.tries += 1;
            if version
                .first_tried
                .as_ref()
                .is_none_or(|first| changed.at < *first)
            {
                version.first_tried = Some(changed.at.clone());
            }
        }
    }

    fn kept(&mut self, layout: &Layout, all: &KeptPrompts) {
        for kept in all.kept.iter().filter(|kept| kept.name == *self.name) {
            if !self.versions.contains_key(&kept.hash) {
                let Some(text) = kept_text(layout, &kept.hash) else {
                    self.unread += 1;
                    continue;
                };
                self.version(&text);
            }
            if let Some(version) = self.versions.get_mut(&kept.hash)
                && version.kept_at.is_none()
            {
                version.kept_at = Some(kept.at.clone());
            }
        }
    }
}

/// Returns how many of a session's own turns were found safe or unsafe, and how many of those unsafe.
fn results(id: &SessionId, state: &State) -> (usize, usize) {
    let Some(row) = debate_row(id, state) else {
        return (0, 0);
    };
    let own = row.turns.iter().filter(|turn| !turn.inherited);
    own.fold((0, 0), |(judged, bad), turn| match turn.state {
        TurnSafety::Safe => (judged + 1, bad),
        TurnSafety::Unsafe => (judged + 1, bad + 1),
        TurnSafety::Neither
        | TurnSafety::Unparsed
        | TurnSafety::Failed
        | TurnSafety::Empty
        | TurnSafety::RefusedByGuardrail
        | TurnSafety::NotJudged
        | TurnSafety::Context => (judged, bad),
    })
}
