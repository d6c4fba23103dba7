//! `elenchus metrics --against`: two protocols on the same topics.

use crate::cli::common::output;
use crate::metrics::{self, DebateRow, HumanTurns, Resampling};
use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// Compares the debates of two protocols: how often each concludes right, and what the first costs
/// as a multiple of the second.
///
/// # Errors
/// When either has no debate or several arms, or they share no topic with an outcome.
pub(super) fn compare(
    rows: &[DebateRow],
    protocols: [&str; 2],
    people: HumanTurns,
    seed: u64,
) -> Result<metrics::PairedReport> {
    let [a, b] = protocols;
    let (arm_a, arm_b) = (arm_of(rows, a)?, arm_of(rows, b)?);
    let plan = Resampling::seeded(seed);
    Ok(metrics::paired_arms(
        rows,
        &arm_a,
        &arm_b,
        metrics::outcome_right,
        people,
        plan,
    )?)
}

/// Returns the comparison as a table that fits the terminal.
pub(super) fn table(report: &metrics::PairedReport) -> String {
    let table = metrics::paired_to_table(report, output::width());
    output::harmless(&table)
}

fn arm_of(rows: &[DebateRow], protocol: &str) -> Result<String> {
    let of = rows.iter().filter(|row| row.protocol == protocol);
    let arms: BTreeSet<&str> = of.map(|row| row.arm.as_str()).collect();
    let mut listed = arms.iter();
    match (listed.next(), listed.next()) {
        (Some(arm), None) => Ok((*arm).to_owned()),
        (None, _) => bail!("no debate of '{protocol}' was played to its end"),
        (Some(_), Some(_)) => bail!(
            "'{protocol}' was played by {} arms; choose runs of one with --run:\n{}",
            arms.len(),
            arms.iter()
                .map(|arm| format!("  {}", output::clean(arm)))
                .collect::<Vec<_>>()
                .join("\n")
        ),
    }
}
