//! Sessions of a store as rows: those that are selected, and what was left out and why.

use super::by_pass::{NotOfPass, PassFindings};
use super::journal_row::journal_rows;
use super::reader::{RowReader, tell_apart};
use crate::library::ModelFamilies;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::{StoreIndex, copied_sessions, read_ahead, read_session_without_views};
use elenchus_game::debate::SessionId;
use elenchus_metrics::DebateRow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Sessions that are asked for.
pub struct RowSelection<'a> {
    /// Those that were named; `None` for all.
    pub sessions: Option<&'a BTreeSet<SessionId>>,
    /// The pass whose findings count in place of the game's own.
    pub pass: Option<&'a PassFindings<'a>>,
    /// Whether a debate is asked for.
    pub holds: &'a dyn Fn(&DebateRow) -> bool,
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
    /// Reads the sessions that are asked for: of a pass from journals, on all cores, else from the index,
    /// and from journals what that does not know. Blocks.
    ///
    /// # Errors
    /// When the sessions cannot be listed, or a journal of memory cannot be read.
    pub fn read_rows(
        index: &StoreIndex,
        families: &ModelFamilies,
        selection: &RowSelection<'_>,
    ) -> Result<Self> {
        let all = index.session_ids()?;
        let mut result = Self::default();
        match selection.pass {
            Some(pass) => result.read_journals(index, families, &all, selection, pass)?,
            None => result.read_index(index, families, &all, selection)?,
        }
        tell_apart(&mut result.rows);
        Ok(result)
    }

    fn read_index(
        &mut self,
        index: &StoreIndex,
        families: &ModelFamilies,
        all: &[SessionId],
        selection: &RowSelection<'_>,
    ) -> Result<()> {
        index.forget_gone(all);
        let ids: Vec<&SessionId> = all.iter().filter(|id| selection.has_session(id)).collect();
        let read = journal_rows(index, &ids);
        let mut copies = copied_sessions(index, all)?;
        let readings = ids.iter().zip(read);
        let readings: Vec<_> = readings
            .filter(|(id, _)| !copies.contains_key(*id))
            .collect();
        self.left_out = all.len() - copies.len() - readings.len();
        self.tell_copies(all, &mut copies);
        let mut reader = RowReader::new(index, families);
        for (id, read) in readings {
            let journal_row = match read {
                Ok(told) => told,
                Err(error) => {
                    self.unreadable.push(error.to_string());
                    continue;
                }
            };
            let evaluator = journal_row
                .evaluator
                .clone()
                .map(|name| (id.to_string(), name));
            self.evaluators.extend(evaluator);
            let row = reader.complete_row(journal_row)?;
            self.add_row(row, selection);
        }
        Ok(())
    }

    fn read_journals(
        &mut self,
        index: &StoreIndex,
        families: &ModelFamilies,
        all: &[SessionId],
        selection: &RowSelection<'_>,
        pass: &PassFindings<'_>,
    ) -> Result<()> {
        let layout = index.layout();
        let mut copies = copied_sessions(index, all)?;
        let ids = all.iter().filter(|id| !copies.contains_key(*id));
        let ids = ids.filter(|id| selection.has_session(id) && pass.is_about(id));
        let ids: Vec<SessionId> = ids.cloned().collect();
        self.left_out = all.len() - copies.len() - ids.len();
        self.tell_copies(all, &mut copies);
        let mut reader = RowReader::new(index, families);
        let begin = || {
            |id: &SessionId| {
                let path: Result<PathBuf> = Ok(layout.session_path(id.as_str())?);
                path.and_then(|path| read_session_without_views(&path))
            }
        };
        read_ahead(&ids, begin, |id, read| -> Result<()> {
            let state = match read {
                Ok(state) => state,
                Err(error) => {
                    self.unreadable.push(error.to_string());
                    return Ok(());
                }
            };
            let evaluator = (id.to_string(), pass.evaluator_name());
            self.evaluators.extend([evaluator]);
            let row = match pass.build_row(id, &state) {
                Some(of_pass) => {
                    self.not_of_pass.extend(of_pass.left_out);
                    Some(reader.with_origin(of_pass.row, &state)?)
                }
                None => None,
            };
            self.add_row(row, selection);
            Ok(())
        })
    }

    /// Says which sessions are copies of others, in the order of all.
    fn tell_copies(&mut self, all: &[SessionId], copies: &mut BTreeMap<SessionId, WorkspaceError>) {
        let why = all.iter().filter_map(|id| copies.remove(id));
        self.unreadable.extend(why.map(|why| why.to_string()));
    }

    /// Counts a debate in if it is asked for and known how it ended.
    fn add_row(&mut self, row: Option<DebateRow>, selection: &RowSelection<'_>) {
        match row {
            Some(row) if (selection.holds)(&row) => self.rows.push(row),
            Some(_) => self.left_out += 1,
            None => self.unfinished += 1,
        }
    }
}

impl RowSelection<'_> {
    fn has_session(&self, id: &SessionId) -> bool {
        self.sessions.is_none_or(|named| named.contains(id))
    }
}
