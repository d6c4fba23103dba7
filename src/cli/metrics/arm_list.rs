//! A list of arms, with which figures of a store of many begin.

use super::MetricsArgs;
use super::reports::Reports;
use anyhow::Result;
use elenchus_metrics::{Dimension, ReportSettings, arms_to_table};
use std::collections::BTreeSet;

/// Most arms whose figures are shown in one pool unless a pool is asked for.
const MAX_POOLED_ARMS: usize = 3;

/// Returns a list of arms in place of a pool of many, which would be a figure of nothing that was played; `None`
/// where something else was asked for.
pub(super) fn list_arms(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    groups: &ReportSettings,
    width: usize,
) -> Result<Option<String>> {
    let arms: BTreeSet<&str> = reports.rows.iter().map(|row| row.arm.as_str()).collect();
    let is_plain = groups.by.is_empty() && groups.measures.is_empty() && !args.pool;
    let is_text = !args.format.json && !args.format.csv;
    if arms.len() <= MAX_POOLED_ARMS || !is_plain || !is_text || !args.pass.is_empty() {
        return Ok(None);
    }
    let report = reports.compute_figures(&ReportSettings {
        by: vec![Dimension::Arm],
        ..groups.clone()
    })?;
    let arms: Vec<String> = arms.into_iter().map(str::to_owned).collect();
    let list = arms_to_table(&report, &arms, width);
    Ok(Some(format!(
        "{list}\n{} arms: --only 'arm=NAME' or --by arm shows all figures of one or each, --compare two of them, \
         --pool all together\n",
        arms.len()
    )))
}
