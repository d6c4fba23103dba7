//! Reading of the sessions that figures are about.

use super::args::MetricsArgs;
use crate::annotation::validation::own_evaluator;
use crate::cli::common::Workshop;
use crate::debate::{SessionId, State};
use crate::metrics::{DebateRow, keep_debates};
use crate::workspace::rows::{NotOfPass, PassFindings, RowReader, tell_apart};
use crate::workspace::{ModelFamilies, copies, read_ahead, read_session_without_views};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// What was read, and what was not.
#[derive(Debug, Default)]
pub(super) struct Reading {
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

/// Reads the sessions that are asked for.
///
/// # Errors
/// When a journal of memory cannot be read, or a group of `--only` is that of no debate.
pub(super) fn read(
    args: &MetricsArgs,
    shop: &Workshop,
    families: &ModelFamilies,
    wanted: Option<&BTreeSet<SessionId>>,
    pass: Option<&PassFindings<'_>>,
) -> Result<Reading> {
    let mut reading = Reading::default();
    let copies = copies(&shop.layout)?;
    let mut ids = Vec::new();
    for id in shop.layout.sessions()? {
        let id = SessionId::new(id);
        if let Some(why) = copies.get(&id) {
            reading.unreadable.push(why.to_string());
            continue;
        }
        if wanted.is_some_and(|wanted| !wanted.contains(&id))
            || pass.is_some_and(|pass| !pass.is_about(&id))
        {
            reading.left_out += 1;
            continue;
        }
        ids.push(id);
    }
    let begin = || {
        let mut reader = RowReader::new(&shop.layout, families);
        move |id: &SessionId| {
            let path = shop.layout.session(id.as_str())?;
            let state = read_session_without_views(&path);
            Ok(state.map(|state| read_session(id, &state, pass, &mut reader)))
        }
    };
    read_ahead(&ids, begin, |id, read: Result<_>| -> Result<()> {
        let ReadSession {
            evaluator,
            not_of_pass,
            row,
        } = match read? {
            Ok(session) => session?,
            Err(error) => {
                reading.unreadable.push(error.to_string());
                return Ok(());
            }
        };
        (reading.evaluators).extend(evaluator.map(|name| (id.to_string(), name)));
        reading.not_of_pass.extend(not_of_pass);
        let in_time = |row: &DebateRow| args.period.holds(row.origin.began_at.as_deref());
        match row {
            Some(row) if !in_time(&row) => reading.left_out += 1,
            Some(row)
                if args.protocol.as_ref().is_none_or(|protocol| {
                    &row.protocol == protocol || args.against.as_ref() == Some(&row.protocol)
                }) =>
            {
                reading.rows.push(row);
            }
            Some(_) => reading.left_out += 1,
            None => reading.unfinished += 1,
        }
        Ok(())
    })?;
    tell_apart(&mut reading.rows);
    reading.left_out += keep_debates(&mut reading.rows, &args.only)?;
    Ok(reading)
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
    reader: &mut RowReader<'_>,
) -> Result<ReadSession> {
    let Some(pass) = pass else {
        return Ok(ReadSession {
            evaluator: own_evaluator(state),
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
