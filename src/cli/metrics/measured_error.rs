//! Noise floors from the evaluator's error as labels measure it (`--evaluator-error from-labels`).

use super::args::FromLabels;
use crate::cli::common::{CommandContext, output};
use anyhow::Result;
use elenchus_annotation::validation::errors_from_labels;
use elenchus_game::debate::SessionId;
use elenchus_metrics::DebateRow;
use elenchus_records::workspace::StoreIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Gives each debate the error of its evaluator as labels measure it; none where they do not tell it,
/// be its evaluator simulated or not.
///
/// # Errors
/// When the set does not exist, or labels cannot be read.
pub(super) fn set_evaluator_errors(
    rows: &mut [DebateRow],
    evaluators: &BTreeMap<String, String>,
    labels: &FromLabels,
    sessions: Option<BTreeSet<SessionId>>,
    context: &CommandContext,
) -> Result<()> {
    let set = labels.set.clone();
    let index = context.read_index(StoreIndex::read_findings);
    let errors = errors_from_labels(&index, &context.library, set, sessions);
    index.write_changes();
    let errors = errors?;
    let mut notices = BTreeSet::new();
    for row in rows {
        row.evaluator = None;
        let Some(name) = evaluators.get(&row.session) else {
            continue;
        };
        let kind = if row.simulated { "simulated" } else { "real" };
        let text = match errors.get(&(row.simulated, name.clone())) {
            Some(Ok(error)) => {
                row.evaluator = Some(*error);
                format!(
                    "'{name}' in {kind} debates, by labels: sensitivity {:.3}, specificity {:.3}",
                    error.sensitivity(),
                    error.specificity()
                )
            }
            Some(Err(why)) => format!("no noise floor for '{name}' in {kind} debates: {why}"),
            None => format!("no noise floor for '{name}' in {kind} debates: no turn has a label"),
        };
        notices.insert(text);
    }
    for text in notices {
        output::print_notice(&text);
    }
    Ok(())
}
