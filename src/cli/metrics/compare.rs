//! `elenchus metrics --compare` and `--against`: groups of debates on the same topics.

use super::args::MetricsArgs;
use crate::cli::common::output;
use crate::metrics::{
    ComparisonSettings, DebateRow, Dimension, Measure, Report, ReportSettings, TopicProperty,
    compare_groups, group_names,
};
use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// Compares the groups that were named: each other one with the first.
///
/// # Errors
/// When a name fits no group or several, or nothing can be compared.
pub(super) fn compare(
    args: &MetricsArgs,
    rows: &[DebateRow],
    mut groups: ReportSettings,
    measures: Vec<Measure>,
) -> Result<Report> {
    if groups.by.is_empty() {
        groups.by.push(Dimension::Arm);
    }
    let names = group_names(rows, &groups)?;
    let mut named = Vec::new();
    for text in &args.compare {
        let name = found(text, &names)?;
        if named.contains(&name) {
            bail!(
                "--compare names '{}' twice; name two groups",
                output::clean(&name)
            );
        }
        named.push(name);
    }
    let (first, others) = named.split_at(1);
    let settings = ComparisonSettings {
        groups,
        measures,
        within: args.within.map(Into::into),
    };
    Ok(compare_groups(rows, &first[0], others, &settings)?)
}

/// Compares the debates of two protocols, each played by one arm: how often they conclude right, and what the
/// first costs as a multiple of the second, by category too.
///
/// # Errors
/// When either has no debate or several arms, or nothing can be compared.
pub(super) fn against(
    rows: &[DebateRow],
    [protocol, other]: [&str; 2],
    mut groups: ReportSettings,
    measures: Vec<Measure>,
) -> Result<Report> {
    groups.by = vec![Dimension::Arm];
    let (of, from) = (arm_of(rows, protocol)?, arm_of(rows, other)?);
    let settings = ComparisonSettings {
        groups,
        measures,
        within: Some(TopicProperty::Category),
    };
    Ok(compare_groups(rows, &from, &[of], &settings)?)
}

/// Finds the group of this name, of this number in the list of groups, or the only one whose name has all these
/// words.
fn found(text: &str, names: &[String]) -> Result<String> {
    if let Some(name) = names.iter().find(|name| *name == text) {
        return Ok(name.clone());
    }
    let number = text.parse::<usize>().ok();
    if let Some(name) = number.and_then(|number| names.get(number.checked_sub(1)?)) {
        return Ok(name.clone());
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let fits = |name: &&String| words.iter().all(|word| name.contains(word));
    let fitting: Vec<&String> = names.iter().filter(fits).collect();
    let listed = || {
        let names = (1..).zip(names);
        let names = names.map(|(number, name)| format!("{number:>4}  {}", output::clean(name)));
        names.collect::<Vec<_>>().join("\n")
    };
    match fitting[..] {
        [name] => Ok(name.clone()),
        [] => bail!(
            "--compare: no group is called '{}'; name one of these by its number or its words:\n{}",
            output::clean(text),
            listed()
        ),
        _ => bail!(
            "--compare: '{}' fits {} groups; give the number of one, or words that only one has:\n{}",
            output::clean(text),
            fitting.len(),
            listed()
        ),
    }
}

fn arm_of(rows: &[DebateRow], protocol: &str) -> Result<String> {
    let of = rows.iter().filter(|row| row.protocol == protocol);
    let arms: BTreeSet<&str> = of.map(|row| row.arm.as_str()).collect();
    let mut listed = arms.iter();
    match (listed.next(), listed.next()) {
        (Some(arm), None) => Ok((*arm).to_owned()),
        (None, _) => bail!("no debate of '{protocol}' was played to its end"),
        (Some(_), Some(_)) => bail!(
            "'{protocol}' was played by {} arms; choose runs of one with --run, or compare arms with \
             --compare:\n{}",
            arms.len(),
            arms.iter()
                .map(|arm| format!("  {}", output::clean(arm)))
                .collect::<Vec<_>>()
                .join("\n")
        ),
    }
}
