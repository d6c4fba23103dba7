//! Index of a store: its sessions and runs, with a summary of each.

use super::error::WorkspaceError;
use super::run::{RunState, read_run};
use super::session::read_session_to;
use super::sources::copies;
use crate::debate::step::EndReason;
use crate::debate::{JudgingId, RunId, SessionId, State, Target};
use crate::store::{Cache, Head, Layout, check_seen, has_head};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The cache's table of session summaries.
const SUMMARIES: &str = "sessions/2";

/// Summary of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub session: SessionId,
    pub protocol: String,
    pub topic: String,
    pub category: Option<String>,
    pub run: Option<RunId>,
    pub state: SessionStatus,
    /// Rounds begun and rounds of the game.
    pub rounds: (u32, u32),
    /// One letter a verdict, in the order of turns: `s`afe or good, `u`nsafe or bad, `m`iddle,
    /// `?` unparsed, `e` for a turn that is to be judged and came empty.
    pub verdicts: String,
    pub calls: u64,
    pub cost_usd: Option<f64>,
    pub simulated: bool,
    pub begun_at: String,
    pub last_at: String,
}

/// Progress of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Complete,
    /// A rule of the protocol ended it before its last step, as a moderator does: complete as well.
    Stopped,
    Truncated,
    /// Steps failed; it can be resumed.
    Failed,
    /// It can be resumed, unless a process is running it.
    Open,
}

impl SessionStatus {
    /// Returns the word that is shown.
    pub fn word(self) -> &'static str {
        match self {
            // "stopped" would read as if somebody had interrupted it.
            SessionStatus::Complete | SessionStatus::Stopped => "complete",
            SessionStatus::Truncated => "truncated",
            SessionStatus::Failed => "failed",
            SessionStatus::Open => "open",
        }
    }
}

/// A journal that could not be summed up.
#[derive(Debug)]
pub struct Unreadable {
    pub path: PathBuf,
    pub error: WorkspaceError,
}

/// Sums a session up.
pub fn summary(session: &SessionId, state: &State) -> Option<Summary> {
    let created = state.created()?;
    let opening = state.open();
    let (begun_at, last_at) = state.span();
    let spend = state.spend();
    Some(Summary {
        session: session.clone(),
        protocol: created.protocol.id.clone(),
        topic: created.topic.text.clone(),
        category: created.topic.category.clone(),
        run: created.run.as_ref().map(|place| place.run.clone()),
        state: match opening.done {
            Some(EndReason::Complete) => SessionStatus::Complete,
            Some(EndReason::Stopped { .. }) => SessionStatus::Stopped,
            Some(EndReason::Truncated(_)) => SessionStatus::Truncated,
            None if opening.blocked.is_empty() => SessionStatus::Open,
            None => SessionStatus::Failed,
        },
        rounds: (
            state
                .turns()
                .keys()
                .map(|turn| turn.round)
                .max()
                .unwrap_or(0),
            created.protocol.rounds,
        ),
        verdicts: verdict_strip(state),
        calls: spend.calls,
        cost_usd: (spend.unpriced_calls == 0).then_some(spend.cost_usd),
        simulated: created.is_simulated(),
        begun_at: begun_at.to_owned(),
        last_at: last_at.to_owned(),
    })
}

fn verdict_strip(state: &State) -> String {
    use crate::debate::event::Outcome;
    let Some(protocol) = state.protocol() else {
        return String::new();
    };
    let found = state
        .verdicts()
        .filter(|(_, target, _)| state.is_current(target) && !state.is_empty_target(target))
        .filter_map(|(judging, target, _)| {
            let rule = protocol.judging(judging)?;
            let letter = match state.finding(rule, target)? {
                Outcome::Label(finding) if finding.value > 0.0 => 's',
                Outcome::Label(finding) if finding.value < 0.0 => 'u',
                Outcome::Label(_) => 'm',
                Outcome::Unparsed { .. } => '?',
            };
            Some(((judging.clone(), target.clone()), letter))
        });
    let empty = state.empty_turns().flat_map(|id| {
        let target = Target::Attempt(id);
        let rules = state.rules_on(&target).into_iter();
        rules.map(move |rule| ((rule.id.clone(), target.clone()), 'e'))
    });
    let letters: BTreeMap<(JudgingId, Target), char> = found.chain(empty).collect();
    letters.into_values().collect()
}

/// Sums every session up, from the cache where it agrees with the journal.
///
/// Journals that cannot be read are returned along with the others, never dropped.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn summaries(
    layout: &Layout,
    cache: &Cache,
) -> Result<(Vec<Summary>, Vec<Unreadable>), WorkspaceError> {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    let mut copies = copies(layout)?;
    for id in layout.sessions()? {
        let path = layout.session(&id)?;
        if let Some(error) = copies.remove(&SessionId::new(id.clone())) {
            unreadable.push(Unreadable { path, error });
            continue;
        }
        if let Some(entry) = cache.get(SUMMARIES, id.as_bytes()) {
            if matches!(entry.is_current(&path), Ok(true))
                && let Ok(summary) = serde_json::from_slice(&entry.value)
            {
                found.push(summary);
                continue;
            }
            // What is seen now must not take the place of what was: it may be less.
            if let Err(error) = check_seen(&path, &entry.watermark) {
                let error = error.into();
                unreadable.push(Unreadable { path, error });
                continue;
            }
        }
        match fresh_summary(&SessionId::new(id.clone()), &path) {
            Ok((head, summary)) => {
                if let Ok(bytes) = serde_json::to_vec(&summary) {
                    cache.put(SUMMARIES, id.as_bytes(), &head, &bytes);
                }
                found.push(summary);
            }
            Err(error) => unreadable.push(Unreadable { path, error }),
        }
    }
    Ok((found, unreadable))
}

/// Returns the heads at which the cache last saw the journals of sessions that have none of their
/// own: a journal that does not reach its head any more has lost its end.
pub fn watermarks(layout: &Layout, cache: &Cache) -> BTreeMap<SessionId, Head> {
    cache
        .entries(SUMMARIES)
        .into_iter()
        .filter_map(|(key, entry)| {
            let id = String::from_utf8(key).ok()?;
            let path = layout.session(&id).ok()?;
            // Where there is one it alone counts: what was seen may never have been durable.
            (!has_head(&path)).then(|| (SessionId::new(id), entry.watermark))
        })
        .collect()
}

fn fresh_summary(
    id: &SessionId,
    path: &std::path::Path,
) -> Result<(Head, Summary), WorkspaceError> {
    let (state, head) = read_session_to(path)?;
    let summary = summary(id, &state).ok_or_else(|| WorkspaceError::Empty {
        path: path.display().to_string(),
    })?;
    Ok((head, summary))
}

/// Reads every run.
///
/// # Errors
/// When the folder of runs cannot be listed.
pub fn runs(layout: &Layout) -> Result<(Vec<RunState>, Vec<Unreadable>), WorkspaceError> {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    for id in layout.runs()? {
        let path = layout.run(&id)?;
        match read_run(&path) {
            Ok(run) => found.push(run),
            Err(error) => unreadable.push(Unreadable { path, error }),
        }
    }
    Ok((found, unreadable))
}

/// Finds the session that an id, or the beginning of one, names.
///
/// # Errors
/// When none or several do.
pub fn find_session(layout: &Layout, text: &str) -> Result<SessionId, WorkspaceError> {
    let id = find(layout.sessions()?, text, "session", "elenchus ls")?;
    Ok(SessionId::new(id))
}

/// Finds the run that an id, or the beginning of one, names.
///
/// # Errors
/// When none or several do.
pub fn find_run(layout: &Layout, text: &str) -> Result<RunId, WorkspaceError> {
    let id = find(layout.runs()?, text, "run", "elenchus ls --runs")?;
    Ok(RunId::new(id))
}

/// Finds the id that a text is, begins or ends.
///
/// # Errors
/// When none or several do.
pub(crate) fn find(
    ids: Vec<String>,
    text: &str,
    what: &'static str,
    list: &'static str,
) -> Result<String, WorkspaceError> {
    let text = text.trim().to_lowercase();
    if ids.contains(&text) {
        return Ok(text);
    }
    // An id's beginning is a time: recent ids differ at their end, so both ends are accepted.
    let mut fitting: Vec<String> = ids
        .into_iter()
        .filter(|id| !text.is_empty() && (id.starts_with(&text) || id.ends_with(&text)))
        .collect();
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(WorkspaceError::NoSuch {
            what,
            id: text,
            list,
        }),
        count => Err(WorkspaceError::Ambiguous {
            what,
            id: text,
            count,
        }),
    }
}
