//! Verdicts that came with an imported file: they stand in a pass of their own, where figures of the games do not
//! look.

use super::MetricsArgs;
use crate::cli::common::{Workshop, counted, output};
use anyhow::Result;
use elenchus_metrics::{DebateRow, TurnSafety};
use elenchus_records::workspace::pass::{PassRules, passes};
use std::collections::BTreeSet;

/// Says where the verdicts are that came with a file, for debates of which nothing was judged here.
pub(super) fn point_to_imported(
    args: &MetricsArgs,
    rows: &[DebateRow],
    shop: &Workshop,
) -> Result<Option<String>> {
    let is_judged = |row: &DebateRow| {
        let unjudged = [TurnSafety::Context, TurnSafety::NotJudged];
        row.turns.iter().any(|turn| !unjudged.contains(&turn.state))
    };
    let unjudged = rows.iter().filter(|row| !is_judged(row));
    let unjudged: BTreeSet<&str> = unjudged.map(|row| row.session.as_str()).collect();
    if args.pass.is_some() || unjudged.is_empty() {
        return Ok(None);
    }
    for pass in passes(&shop.layout)?.into_iter().flatten() {
        let PassRules::Imported { column, file } = &pass.manifest.rules else {
            continue;
        };
        let sessions = pass.manifest.sessions.iter();
        let of_these = sessions.filter(|id| unjudged.contains(id.as_str())).count();
        if of_these > 0 {
            return Ok(Some(format!(
                "{} have verdicts that came with {} (column {}) and count in a pass alone: \
                 elenchus metrics --pass {}",
                counted(of_these, "debate"),
                output::clean(file),
                output::clean(column),
                pass.manifest.pass
            )));
        }
    }
    Ok(None)
}
