//! `elenchus metrics --compare` and `--against`: groups of debates on the same topics.

use super::args::MetricsArgs;
use super::reports::Reports;
use crate::cli::common::output;
use anyhow::{Result, bail};
use elenchus_metrics::{
    ComparisonSettings, Dimension, Measure, Report, ReportSettings, TopicProperty, arm_of_protocol,
    compare_groups, find_group, group_names,
};

/// Compares the groups that were named: each other one with the first.
///
/// # Errors
/// When a name fits no group or several, or nothing can be compared.
pub(super) fn compare_named_groups(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    mut groups: ReportSettings,
    measures: Vec<Measure>,
) -> Result<Report> {
    let rows = reports.rows;
    if groups.by.is_empty() {
        groups.by.push(Dimension::Arm);
    }
    let names = group_names(rows, &groups)?;
    let mut selected_names = Vec::new();
    for text in &args.compare {
        let name = find_group(text, &names)?;
        if selected_names.contains(&name) {
            bail!(
                "--compare names '{}' twice; name two groups",
                output::clean_line(&name)
            );
        }
        selected_names.push(name);
    }
    let (first, others) = selected_names.split_at(1);
    let settings = ComparisonSettings {
        groups,
        measures,
        within: args.within.map(Into::into),
    };
    reports.load_or_compute("comparison", &(first, others, &settings), || {
        compare_groups(rows, &first[0], others, &settings)
    })
}

/// Compares the debates of two protocols, each played by one arm: how often they conclude right, and what the
/// first costs as a multiple of the second, by category too.
///
/// # Errors
/// When either has no debate or several arms, or nothing can be compared.
pub(super) fn compare_protocols(
    reports: &Reports<'_>,
    [protocol, other]: [&str; 2],
    mut groups: ReportSettings,
    measures: Vec<Measure>,
) -> Result<Report> {
    let rows = reports.rows;
    groups.by = vec![Dimension::Arm];
    let (of, from) = (
        arm_of_protocol(rows, protocol)?,
        arm_of_protocol(rows, other)?,
    );
    let settings = ComparisonSettings {
        groups,
        measures,
        within: Some(TopicProperty::Category),
    };
    let others = [of];
    reports.load_or_compute("comparison", &(&from, &others, &settings), || {
        compare_groups(rows, &from, &others, &settings)
    })
}
