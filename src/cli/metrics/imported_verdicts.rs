//! Verdicts that came with an imported file: they stand in a pass of their own, where figures of the games do not
//! look.

use super::MetricsArgs;
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::Result;
use elenchus_metrics::{DebateRow, TurnSafety};
use elenchus_records::workspace::pass::{PassRules, read_all_passes};
use std::collections::BTreeSet;

/// Says where the verdicts are that came with a file, for debates of which nothing was judged here.
pub(super) fn hint_imported_verdicts(
    args: &MetricsArgs,
    rows: &[DebateRow],
    context: &CommandContext,
) -> Result<Option<String>> {
    let is_judged = |row: &DebateRow| {
        let other_states = [TurnSafety::Context, TurnSafety::NotJudged];
        row.turns
            .iter()
            .any(|turn| !other_states.contains(&turn.state))
    };
    let unjudged_sessions = rows.iter().filter(|row| !is_judged(row));
    let unjudged_sessions: BTreeSet<&str> =
        unjudged_sessions.map(|row| row.session.as_str()).collect();
    if !args.pass.is_empty() || unjudged_sessions.is_empty() {
        return Ok(None);
    }
    for pass in read_all_passes(&context.store.layout)?
        .into_iter()
        .flatten()
    {
        let PassRules::Imported { column, file } = &pass.manifest.rules else {
            continue;
        };
        let sessions = pass.manifest.sessions.iter();
        let of_these = sessions
            .filter(|id| unjudged_sessions.contains(id.as_str()))
            .count();
        if of_these > 0 {
            return Ok(Some(format!(
                "{} have verdicts that came with {} (column {}) and count in a pass alone: \
                 elenchus metrics --pass {}",
                format_noun_count(of_these, "debate"),
                output::clean_line(file),
                output::clean_line(column),
                pass.manifest.pass
            )));
        }
    }
    Ok(None)
}
