//! Sessions of a store as rows: those that are selected, and what was left out and why.

use super::by_pass::{NotOfPass, PassFindings};
use super::reader::{RowReader, tell_apart};
use crate::library::ModelFamilies;
use crate::workspace::error::Result;
use crate::workspace::{copies, read_ahead, read_session_without_views};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::DebateRow;
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// Sessions that are asked for.
pub struct RowSelection<'a> {
    /// Those that were named; `None` for all.
    pub sessions: Option<&'a BTreeSet<SessionId>>,
    /// The pass whose findings count in place of the game's own.
    pub pass: Option<&'a PassFindings<'a>>,
    /// Whether a debate is asked for.
    pub holds: &'a dyn Fn(&DebateRow) -> bool,
    /// Returns who judges the safety of a session's turns; a pass says it of itself.
    pub evaluator: fn(&State) -> Option<String>,
}

/// What was read of the sessions of a store, and what was not.
#[derive(Debug, Default)]
pub struct SessionRows {
    pub rows: Vec<DebateRow>,
    /// Who judged the safety of turns, by session.
    pub evaluators: BTreeMap<String, String>,
    pub left_out: usize,
    /// Still being played, or stopped before the end without a failure.
    pub unfinished: usize,
    /// Journals that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// What the debates have and the pass did not find.
    pub not_of_pass: BTreeSet<NotOfPass>,
}

impl SessionRows {
    /// Reads the sessions that are asked for, on all cores. Blocks.
    ///
    /// # Errors
    /// When the sessions cannot be listed, or a journal of memory cannot be read.
    pub fn read(
        layout: &Layout,
        families: &ModelFamilies,
        selection: &RowSelection<'_>,
    ) -> Result<Self> {
        let (pass, evaluator) = (selection.pass, selection.evaluator);
        let mut found = Self::default();
        let ids = found.select(layout, selection)?;
        let begin = || {
            let mut reader = RowReader::new(layout, families);
            move |id: &SessionId| {
                let path = layout.session(id.as_str())?;
                let state = read_session_without_views(&path);
                Ok(state.map(|state| read_session(id, &state, pass, evaluator, &mut reader)))
            }
        };
        read_ahead(&ids, begin, |id, read: Result<_>| -> Result<()> {
            let session = match read? {
                Ok(session) => session?,
                Err(error) => {
                    found.unreadable.push(error.to_string());
                    return Ok(());
                }
            };
            let evaluator = session.evaluator.map(|name| (id.to_string(), name));
            found.evaluators.extend(evaluator);
            found.not_of_pass.extend(session.not_of_pass);
            match session.row {
                Some(row) if (selection.holds)(&row) => found.rows.push(row),
                Some(_) => found.left_out += 1,
                None => found.unfinished += 1,
            }
            Ok(())
        })?;
        tell_apart(&mut found.rows);
        Ok(found)
    }

    /// Returns the sessions to read; counts the others.
    fn select(&mut self, layout: &Layout, selection: &RowSelection<'_>) -> Result<Vec<SessionId>> {
        let copies = copies(layout)?;
        let mut ids = Vec::new();
        for id in layout.sessions()? {
            let id = SessionId::new(id);
            let is_named = selection.sessions.is_none_or(|named| named.contains(&id));
            if let Some(why) = copies.get(&id) {
                self.unreadable.push(why.to_string());
            } else if is_named && selection.pass.is_none_or(|pass| pass.is_about(&id)) {
                ids.push(id);
            } else {
                self.left_out += 1;
            }
        }
        Ok(ids)
    }
}

/// What is read of a session.
struct ReadSession {
    evaluator: Option<String>,
    not_of_pass: BTreeSet<NotOfPass>,
    row: Option<DebateRow>,
}

fn read_session(
    id: &SessionId,
    state: &State,
    pass: Option<&PassFindings<'_>>,
    evaluator: fn(&State) -> Option<String>,
    reader: &mut RowReader<'_>,
) -> Result<ReadSession> {
    let Some(pass) = pass else {
        return Ok(ReadSession {
            evaluator: evaluator(state),
            not_of_pass: BTreeSet::new(),
            row: reader.row(id, state)?,
        });
    };
    let (row, not_of_pass) = match pass.row(id, state) {
        Some(of_pass) => (
            Some(reader.with_origin(of_pass.row, state)?),
            of_pass.left_out,
        ),
        None => (None, BTreeSet::new()),
    };
    Ok(ReadSession {
        evaluator: Some(pass.evaluator()),
        not_of_pass,
        row,
    })
}
