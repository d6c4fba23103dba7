//! Observed rates beside those that the evaluator's measured error makes of them (`--plot corrected`).

use super::args::{FromLabels, MetricsArgs};
use super::reports::Reports;
use crate::cli::common::{CommandContext, format_noun_count, output, show_picture};
use anyhow::{Result, anyhow, bail};
use elenchus_annotation::validation::{
    RatesFromLabels, ValidateQuery, ValidationRequest, rates_from_labels,
};
use elenchus_metrics::{
    ArmNames, ArmRate, DebateRow, Dimension, Measure, Report, ReportSettings, debate_value,
};
use elenchus_plot::{CorrectedPair, PlottedValue, picture_from_rates};
use elenchus_records::workspace::StoreIndex;
use std::collections::{BTreeMap, BTreeSet};

/// The commands that get a measured error.
const LABEL_FIRST: &str = "draw turns and label them: elenchus labels queue NAME --all --sample 100, then elenchus \
                           annotate NAME";
/// Rates that differ by more are not of the same turns.
const SAME_RATE: f64 = 1e-9;

/// Draws the rate of each group as it was observed, and as it is corrected.
///
/// # Errors
/// When nothing says what the evaluator's error is, a dimension divides no whole debates, or another figure than the
/// error rate is asked for.
pub(super) fn draw_corrected_rates(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    mut groups: ReportSettings,
    evaluators: &BTreeMap<String, String>,
    context: &CommandContext,
) -> Result<String> {
    let Some(labels) = &args.error.evaluator_error else {
        bail!(
            "--plot corrected needs a measured error: --evaluator-error from-labels[:SET]; where nothing is labelled, {LABEL_FIRST}"
        );
    };
    check_figure(args)?;
    if groups.by.is_empty() {
        groups.by.push(Dimension::Arm);
    }
    groups.measures = vec![Measure::ErrorRate];
    let rows = choose_rows(reports.rows);
    let names = name_groups(&rows, &groups)?;
    let rates = read_rates(args, labels, &rows, &names, evaluators, &groups, context)?;
    let report = reports.compute_figures(&groups)?;
    let (pairs, notes) = pair_rates(&report, &rates, is_simulated(&rows));
    if !pairs.iter().any(|pair| pair.corrected.is_ok()) {
        let reasons = pairs
            .iter()
            .filter_map(|pair| pair.corrected.as_ref().err());
        let reasons: BTreeSet<&String> = reasons.collect();
        let reasons: Vec<&str> = reasons.into_iter().map(String::as_str).collect();
        bail!(
            "no rate can be corrected: {}; {LABEL_FIRST}",
            output::clean_line(&reasons.join("; "))
        );
    }
    let dimensions: Vec<&str> = groups.by.iter().map(|by| by.label()).collect();
    let picture = picture_from_rates(
        "error rate, observed and corrected",
        &format!("by {}", dimensions.join(", ")),
        is_simulated(&rows),
        &pairs,
        notes,
    );
    let picture = picture.map_err(|why| anyhow!("{why}"))?;
    show_picture(&picture, args.svg.as_deref(), context)
}

fn check_figure(args: &MetricsArgs) -> Result<()> {
    match args.measure.as_slice() {
        [] | [Measure::ErrorRate] => {}
        [..] => bail!(
            "labels measure the error on verdicts of turns: --plot corrected is of error_rate alone"
        ),
    }
    if !args.pass.is_empty() {
        bail!(
            "--plot corrected is of the games' own evaluators; what a pass found is corrected by 'elenchus validate'"
        );
    }
    if !args.compare.is_empty() {
        bail!("--plot corrected is of rates; differences are drawn by --plot forest");
    }
    if args.pool_hash_topics {
        bail!(
            "--plot corrected and --pool-hash-topics do not go together: on topics that need a comparison of hashes the \
             evaluator's error is another"
        );
    }
    Ok(())
}

/// Returns the debates that are drawn: simulated ones are never beside others, and topics that need a comparison of
/// hashes are no sample of an evaluator's error.
fn choose_rows(rows: &[DebateRow]) -> Vec<&DebateRow> {
    let ordinary = || rows.iter().filter(|row| !row.hash_check);
    let is_mixed = ordinary().any(|row| row.simulated) && ordinary().any(|row| !row.simulated);
    ordinary()
        .filter(|row| !(is_mixed && row.simulated))
        .collect()
}

fn is_simulated(rows: &[&DebateRow]) -> bool {
    rows.iter().any(|row| row.simulated)
}

/// Returns the group of each session.
fn name_groups(rows: &[&DebateRow], groups: &ReportSettings) -> Result<BTreeMap<String, String>> {
    let mut names = BTreeMap::new();
    for row in rows {
        let mut values = Vec::new();
        // As sections of a report order them.
        for by in groups.by.iter().copied().collect::<BTreeSet<Dimension>>() {
            match debate_value(row, by, groups) {
                Some(value) => values.push(value),
                None => bail!(
                    "--plot corrected is by what divides whole debates (protocol, arm, checkpoint, dataset …), and {} \
                     divides their turns: 'elenchus validate --by' has the error there",
                    by.label()
                ),
            }
        }
        names.insert(row.session.clone(), values.join(GROUP_JOINT));
    }
    Ok(names)
}

/// Between the values that name a group.
const GROUP_JOINT: &str = " · ";

/// Returns what labels make of the groups, by the evaluators that judged these debates.
fn read_rates(
    args: &MetricsArgs,
    labels: &FromLabels,
    rows: &[&DebateRow],
    names: &BTreeMap<String, String>,
    evaluators: &BTreeMap<String, String>,
    groups: &ReportSettings,
    context: &CommandContext,
) -> Result<Vec<RatesFromLabels>> {
    let request = ValidationRequest {
        set: labels.set.clone(),
        query: ValidateQuery {
            people: args.with_people,
            ..ValidateQuery::default()
        },
        resampling: groups.resampling,
        ..ValidationRequest::default()
    };
    let index = context.read_index(StoreIndex::read_findings);
    let rates = rates_from_labels(&index, &context.library, &request, names);
    index.write_changes();
    let sessions = rows.iter().map(|row| &row.session);
    let own_evaluators: BTreeSet<&String> = sessions
        .filter_map(|session| evaluators.get(session))
        .collect();
    let mut rates = rates?;
    rates.retain(|one| own_evaluators.contains(&one.evaluator.evaluator));
    Ok(rates)
}

/// Puts the rates beside each other, and says what they rest on.
fn pair_rates(
    report: &Report,
    rates: &[RatesFromLabels],
    simulated: bool,
) -> (Vec<CorrectedPair>, Vec<String>) {
    let sections = report.sections.iter();
    let sections = sections.filter(|section| section.simulated == simulated && !section.hash_check);
    let arm_keys = || {
        let keys = report.sections.iter().flat_map(|section| &section.group);
        keys.filter(|key| key.by == Dimension::Arm)
    };
    let arm_names = ArmNames::from_arms(arm_keys().map(|key| key.value.as_str()));
    let mut pairs = Vec::new();
    let mut notes = describe_errors(rates, simulated);
    let mut report_notes = Vec::new();
    for section in sections {
        let values = section.group.iter().map(|key| key.value.as_str());
        let group = values.collect::<Vec<_>>().join(GROUP_JOINT);
        let shown_values = section.group.iter().map(|key| match key.by {
            Dimension::Arm => arm_names.name_of(&key.value),
            _ => key.value.as_str(),
        });
        let shown = shown_values.collect::<Vec<_>>().join(GROUP_JOINT);
        let figures = section
            .figures
            .iter()
            .filter(|figure| figure.keys.is_empty());
        let mut figures = figures.filter(|figure| figure.measure == Measure::ErrorRate);
        let observed = figures.next().and_then(PlottedValue::from_figure);
        report_notes.extend(section.notes.iter().cloned());
        let of_group: Vec<(&RatesFromLabels, &ArmRate)> = rates
            .iter()
            .filter(|one| one.simulated == simulated)
            .flat_map(|one| one.evaluator.arms.iter().map(move |arm| (one, arm)))
            .filter(|(_, arm)| arm.arm == group)
            .collect();
        let corrected = match of_group.as_slice() {
            [] => Err("no turn of it has a verdict that labels could be about".to_owned()),
            [(_, arm)] => correct_rate(arm, &shown, observed, &mut notes),
            several => Err(format!(
                "{} evaluators judged it, each with an error of its own: --by arm, or --only, tells them apart",
                several.len()
            )),
        };
        pairs.push(CorrectedPair {
            group: shown,
            observed,
            corrected,
        });
    }
    for note in report_notes {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    (pairs, notes)
}

/// Returns the corrected rate of a group, and adds what is to be known of it.
fn correct_rate(
    arm: &ArmRate,
    group: &str,
    observed: Option<PlottedValue>,
    notes: &mut Vec<String>,
) -> Result<PlottedValue, String> {
    let rate = arm.by_error.as_ref().map_err(Clone::clone)?;
    if let Some(raw) = rate.truncated_from {
        notes.push(format!(
            "{group}: the formula gives {:.1} %, which is drawn as {:.1} %",
            100.0 * raw,
            100.0 * rate.value
        ));
    }
    let is_same = observed
        .zip(arm.observed)
        .is_none_or(|(drawn, corrected)| (drawn.value - corrected).abs() < SAME_RATE);
    if !is_same {
        notes.push(format!(
            "{group}: what is corrected is {:.1} % over {}, for the labels' set reads verdicts otherwise",
            100.0 * arm.observed.unwrap_or_default(),
            format_noun_count(arm.turns, "turn")
        ));
    }
    notes.extend(arm.notes.iter().map(|note| format!("{group}: {note}")));
    Ok(PlottedValue {
        value: rate.value,
        interval: rate.interval.map(|interval| [interval.low, interval.high]),
        observations: arm.turns,
        topics: arm.topics,
    })
}

/// Says how each evaluator errs, and where it errs more.
fn describe_errors(rates: &[RatesFromLabels], simulated: bool) -> Vec<String> {
    let mut notes = Vec::new();
    for one in rates.iter().filter(|one| one.simulated == simulated) {
        let evaluator = &one.evaluator;
        if let Ok(error) = &evaluator.error {
            notes.push(format!(
                "{}: sensitivity {:.1} %, specificity {:.1} %, by {}",
                evaluator.evaluator,
                100.0 * error.sensitivity(),
                100.0 * error.specificity(),
                format_noun_count(one.labelled, "label")
            ));
        }
        notes.extend(
            evaluator
                .differences
                .iter()
                .map(|difference| difference.describe()),
        );
    }
    notes
}
