//! Prompts that a session was played with, and how its own turns were judged: what lists of versions ask
//! for, kept in the store's index.

use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::rows::debate_row;
use crate::workspace::session::{SeatViews, read_session_to};
use crate::workspace::session_list::read_in_parallel;
use crate::workspace::store_index::{Derived, StoreIndex, table};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::TurnSafety;
use elenchus_store::{Hash, Head};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Versions of templates, by their names.
type TemplateVersions = BTreeMap<String, Hash>;

/// Prompts of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedPrompts {
    pub protocol: String,
    /// Templates of the turns that are the session's own.
    pub templates: TemplateVersions,
    /// Templates that were replaced where it was forked, oldest first, with the times (RFC 3339, UTC).
    pub replaced: Vec<(String, TemplateVersions)>,
    pub begun_at: String,
    pub last_at: String,
    pub simulated: bool,
    /// Its own turns that were found safe or unsafe.
    pub judged: usize,
    pub bad: usize,
}

impl PlayedPrompts {
    fn new(id: &SessionId, state: &State) -> Option<Self> {
        let created = state.first_event()?;
        let version =
            |(name, text): (&String, &String)| (name.clone(), Hash::digest(text.as_bytes()));
        let old_templates = state.replaced_templates().iter().map(|before| {
            let texts = before.texts.iter();
            (before.at.clone(), texts.map(version).collect())
        });
        let (begun_at, last_at) = state.time_span();
        let (judged, bad) = count_results(id, state);
        Some(Self {
            protocol: created.protocol.id.clone(),
            templates: created.templates.iter().map(version).collect(),
            replaced: old_templates.collect(),
            begun_at: begun_at.to_owned(),
            last_at: last_at.to_owned(),
            simulated: created.is_simulated(),
            judged,
            bad,
        })
    }

    /// Returns every version of every template, in no particular order.
    pub(super) fn all_versions(&self) -> impl Iterator<Item = &Hash> {
        let old_versions = self.replaced.iter().map(|(_, versions)| versions);
        let all = old_versions.chain([&self.templates]);
        all.flat_map(BTreeMap::values)
    }
}

impl Derived for PlayedPrompts {
    const TABLE: &'static str = table::PROMPTS;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let (state, head) = read_session_to(path, SeatViews::Kept)?;
        // The name of a row; no figure depends on it.
        let id = SessionId::new(path.file_stem().unwrap_or_default().to_string_lossy());
        let prompts = Self::new(&id, &state).ok_or_else(|| WorkspaceError::empty_journal(path))?;
        Ok((prompts, head))
    }
}

/// Journals of a store with the prompts that they were played with, in the order of their names.
#[derive(Debug)]
pub struct PlayedSessions {
    pub sessions: Vec<(PathBuf, PlayedPrompts)>,
    /// Samples of trials.
    pub samples: Vec<(PathBuf, PlayedPrompts)>,
    pub unread: usize,
}

impl PlayedSessions {
    /// Reads what all sessions and samples were played with; journals are read only if they have changed.
    /// Blocks.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn read_prompts(index: &StoreIndex) -> Result<Self> {
        let layout = index.layout();
        let (sessions, samples) = (
            layout.journals_of("sessions")?,
            layout.journals_of("tries/sessions")?,
        );
        index.forget_gone_paths(sessions.iter().chain(&samples));
        let all = sessions.len() + samples.len();
        let prompts_of = |paths: Vec<PathBuf>| -> Vec<(PathBuf, PlayedPrompts)> {
            let read = read_in_parallel(&paths, |path| index.get_or_derive(path).ok());
            let pairs = paths.into_iter().zip(read);
            pairs
                .filter_map(|(path, read)| Some((path, read?)))
                .collect()
        };
        let (sessions, samples) = (prompts_of(sessions), prompts_of(samples));
        Ok(Self {
            unread: all - sessions.len() - samples.len(),
            sessions,
            samples,
        })
    }
}

/// Returns how many of a session's own turns were found safe or unsafe, and how many of those unsafe.
fn count_results(id: &SessionId, state: &State) -> (usize, usize) {
    let Some(row) = debate_row(id, state) else {
        return (0, 0);
    };
    let own = row.turns.iter().filter(|turn| !turn.inherited);
    own.fold((0, 0), |(judged, bad), turn| match turn.state {
        TurnSafety::Safe => (judged + 1, bad),
        TurnSafety::Unsafe => (judged + 1, bad + 1),
        TurnSafety::Neither
        | TurnSafety::Unparsed
        | TurnSafety::UnparsedOfMaterial
        | TurnSafety::Failed
        | TurnSafety::Filtered
        | TurnSafety::VerdictFiltered
        | TurnSafety::Empty
        | TurnSafety::RefusedByGuardrail
        | TurnSafety::NotJudged
        | TurnSafety::Context => (judged, bad),
    })
}
