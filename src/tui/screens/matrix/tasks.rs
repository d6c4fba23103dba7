//! Tasks of the matrix screen.

use super::{MatrixReading, MatrixSource, Message};
use crate::tui::app::{Services, Task};
use elenchus_annotation::hidden_sessions;
use elenchus_game::debate::SessionId;
use elenchus_metrics::DebateRow;
use elenchus_records::workspace::rows::{
    RowSelection, SessionRows, row_with_self_judging, topic_texts,
};
use elenchus_records::workspace::{
    Result, StoreIndex, example_of, read_topics_index, summarize_session,
};
use elenchus_view::TurnAddress;
use elenchus_view::figures_page::DebatePart;
use elenchus_view::matrix::{MatrixDebate, read_cell_text};
use std::collections::BTreeSet;

/// Reads the debates of a matrix.
pub(super) fn read_debates(source: MatrixSource) -> Task {
    let name = "read the debates of a matrix";
    Task::new_with_index(name, read_topics_index, move |services, index| {
        Message::Read(read_source(services, index, &source))
    })
}

fn read_source(
    services: &Services,
    index: &StoreIndex,
    source: &MatrixSource,
) -> Result<MatrixReading> {
    let families = services.library.read_families()?;
    let mut reading = MatrixReading::default();
    let rows: Vec<DebateRow> = match source {
        MatrixSource::Experiment(one) => one.read_rows(index, &families)?.unwrap_or_default(),
        MatrixSource::Part(one, part) => match &part.debates {
            DebatePart::Figure(part) => {
                let mut rows = one.read_rows(index, &families)?.unwrap_or_default();
                part.keep_part(&mut rows);
                rows
            }
            DebatePart::Failures(reasons) => {
                let failed = one.read_failed_sessions(index.layout(), reasons)?;
                // What a pass found counts, where they were judged again; a debate that failed before its first turn
                // has no row.
                let mut rows = one.read_rows(index, &families)?.unwrap_or_default();
                rows.retain(|row| failed.iter().any(|id| id.as_str() == row.session));
                let is_missing =
                    |id: &&SessionId| rows.iter().all(|row| row.session != id.as_str());
                let missing: Vec<SessionId> = failed.iter().filter(is_missing).cloned().collect();
                rows.extend(read_sessions(index, &families, &missing, &mut reading)?);
                rows
            }
        },
        MatrixSource::Sessions(ids) => {
            let mut rows = read_sessions(index, &families, ids, &mut reading)?;
            // Examples are in no store.
            for example in ids.iter().filter_map(|id| example_of(&services.store, id)) {
                let state = example.fold_state()?;
                let row = row_with_self_judging(&families, &example.id, &state);
                let topic = summarize_session(&example.id, &state).map(|summary| summary.topic);
                let debate = row.map(|row| MatrixDebate::from_row(&row, topic.as_deref()));
                reading.debates.extend(debate);
                rows.retain(|row| row.session != example.id.as_str());
            }
            rows
        }
    };
    let topics = topic_texts(index, &rows);
    let debates = rows.iter().map(|row| {
        let topic = topics.get(&row.topic.key);
        MatrixDebate::from_row(row, topic.map(String::as_str))
    });
    reading.debates.extend(debates);
    let hidden = hidden_sessions(&services.store)?;
    let debates = reading.debates.iter_mut();
    for debate in debates.filter(|debate| hidden.contains(&debate.session)) {
        debate.hide_verdicts();
    }
    Ok(reading)
}

/// Reads the rows of sessions of the store, in the order in which they are asked for.
fn read_sessions(
    index: &StoreIndex,
    families: &elenchus_records::library::ModelFamilies,
    ids: &[SessionId],
    reading: &mut MatrixReading,
) -> Result<Vec<DebateRow>> {
    let sessions: BTreeSet<SessionId> = ids.iter().cloned().collect();
    let selection = RowSelection {
        sessions: Some(&sessions),
        pass: None,
        holds: &|_| true,
    };
    let mut read = SessionRows::read_rows(index, families, &selection)?;
    reading.unfinished = read.unfinished;
    reading.unreadable = read.unreadable.len();
    let place = |row: &DebateRow| ids.iter().position(|id| id.as_str() == row.session);
    read.rows.sort_by_cached_key(place);
    Ok(read.rows)
}

/// Reads the text of a cell.
pub(super) fn read_text(address: TurnAddress) -> Task {
    Task::new_blocking("read the text of a cell", move |services| {
        let text = read_cell_text(&services.store, &address);
        Message::Text(address, text.map_err(|why| why.to_string()))
    })
}
