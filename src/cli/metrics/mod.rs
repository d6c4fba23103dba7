//! `elenchus metrics`: figures over the sessions of the store.

mod args;
mod arm_list;
mod compare;
mod corrected;
mod imported_verdicts;
mod judges;
mod matrix;
mod measured_error;
mod one_population;
mod orders;
mod period;
mod picture;
mod replaced;
mod reports;
mod selection;
mod unfinished;

use super::common::{
    CommandContext, add_short_paths, format_noun_count, output, print_missing_of_runs,
    resolve_session,
};
use anyhow::{Result, anyhow, bail};
use args::Plot;
pub(crate) use args::{FIGURES, MetricsArgs};
use arm_list::list_arms;
use elenchus_game::debate::protocol::Orders;
use elenchus_game::debate::{SessionId, TopicKey};
use elenchus_metrics as metrics;
use elenchus_metrics::{
    ComparisonSettings, DebateRow, Dimension, Forks, HumanTurns, Measure, PivotShape, Report,
    ReportSettings, ReportSubject, Resampling, TableFormat, TurnSafety, UnfinishedRuns,
};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::pass::find_pass;
use elenchus_records::workspace::read_whole_run;
use elenchus_records::workspace::rows::{
    PassFindings, RowSelection, SessionRows, run_rows, unfinished_runs,
};
use elenchus_records::workspace::{StoreIndex, find_run};
use imported_verdicts::hint_imported_verdicts;
use reports::Reports;
use std::collections::BTreeSet;
use unfinished::refuse_differences;

/// Measures the selected sessions.
///
/// # Errors
/// When a run, session or dimension does not exist.
pub fn run(args: &MetricsArgs, context: &CommandContext) -> Result<()> {
    if args.pass.len() > 1 {
        return output::print_text(&judges::compare_passes(args, context)?);
    }
    let by = args
        .by
        .iter()
        .map(|name| {
            name.trim()
                .parse::<Dimension>()
                .map_err(|why| anyhow!("--by: {why}"))
        })
        .collect::<Result<Vec<Dimension>>>()?;
    let session_ids = resolve_sessions(&args.sessions.run, &args.sessions.session, context)?;
    check_pass_options(args)?;
    let families = context.library.read_families()?;
    let pass = args.pass.first();
    let pass = pass
        .map(|text| find_pass(&context.store.layout, text))
        .transpose()?;
    if let Some(pass) = pass
        .as_ref()
        .filter(|pass| !pass.manifest.critiques.is_empty())
    {
        let of = (session_ids.as_ref(), &families);
        return replaced::print_replaced(args, pass, of, context);
    }
    if let Some(pass) = pass
        .as_ref()
        .filter(|pass| pass.manifest.orders == Orders::Both)
    {
        return output::print_text(&orders::compare_orders(args, pass.clone(), context)?);
    }
    let to_findings = |pass| PassFindings::from_pass(pass, families.clone());
    let pass = pass.as_ref().map(to_findings);
    let selection = RowSelection {
        sessions: session_ids.as_ref(),
        pass: pass.as_ref(),
        holds: &|row| is_asked_for(args, row),
    };
    let index = context.read_index(match args.matrix {
        Some(_) => StoreIndex::read_rows_and_topics,
        None => StoreIndex::read_rows,
    });
    let mut reading = SessionRows::read_rows(&index, &families, &selection)?;
    // Whatever becomes of the figures: reading it took long.
    index.write_changes();
    let forks = leave_out_forks(args, &by, &mut reading.rows, context)?;
    // A run that taught is one also where only what it held out is asked for.
    let teaching_runs = metrics::teaching_runs(&reading.rows);
    reading.left_out += metrics::keep_debates(&mut reading.rows, &args.only)?;
    print_notices(&reading);
    let short = print_missing_of_runs(&index, &args.sessions.run)?;
    let mut notes = match &pass {
        Some(pass) => {
            pass.check_rows(&reading.rows)?;
            check_rewards_of_pass(args, &reading.rows)?;
            pass.describe_source(&reading.rows, &reading.not_of_pass)
        }
        None => Vec::new(),
    };
    for note in &notes {
        output::print_notice(note);
    }
    notes.extend(forks.map(|note| {
        output::print_notice(&format!("notice: {note}"));
        note
    }));
    if let Some(labels) = &args.error.evaluator_error {
        measured_error::set_evaluator_errors(
            &mut reading.rows,
            &reading.evaluators,
            labels,
            session_ids,
            context,
        )?;
    }
    if let Some(note) = hint_imported_verdicts(args, &reading.rows, context)? {
        output::print_notice(&format!("notice: {note}"));
        notes.push(note);
    }
    let open_runs = match args.with_unfinished {
        true => UnfinishedRuns::new(),
        false => unfinished_runs(&index, &reading.rows),
    };
    refuse_differences(args, &open_runs)?;
    let groups = ReportSettings {
        by,
        people: args.with_people,
        pool_hash_topics: args.pool_hash_topics,
        unsafe_without: find_unsafe_topics(&args.unsafe_without, &index, &families)?,
        teaching_runs,
        unfinished: open_runs,
        notes,
        of: match args.pass.is_empty() {
            true => ReportSubject::Debates,
            false => ReportSubject::Pass,
        },
        resampling: Resampling {
            resamples: args.resamples,
            seed: args.seed.seed,
        },
        ..ReportSettings::default()
    };
    let text = match selection::is_asked_for(args) {
        _ if args.matrix.is_some() => matrix::format_matrix(args, &reading.rows, &index)?,
        true => {
            let rows = &mut reading.rows;
            let report = selection::compute_selection(args, rows, groups, &index, &families)?;
            match args.plot.is_some() || args.svg.is_some() {
                true => picture::draw_selection(args, &report, context)?,
                false => selection::format_selection(args, &report)?,
            }
        }
        false if args.plot == Some(Plot::Corrected) => {
            let reports = Reports::new(&index, &reading.rows);
            corrected::draw_corrected_rates(args, &reports, groups, &reading.evaluators, context)?
        }
        false if args.plot.is_some() || args.svg.is_some() => {
            picture::draw_figure(args, &Reports::new(&index, &reading.rows), groups, context)?
        }
        false => format_figures(args, &Reports::new(&index, &reading.rows), groups)?,
    };
    index.write_changes();
    output::print_text(&if args.format.json {
        add_short_paths(text, &short)?
    } else {
        text
    })?;
    Ok(())
}

/// Leaves out forks that nobody asked for, and says how many.
fn leave_out_forks(
    args: &MetricsArgs,
    by: &[Dimension],
    rows: &mut Vec<DebateRow>,
    context: &CommandContext,
) -> Result<Option<String>> {
    let columns = args
        .table
        .iter()
        .flat_map(|table| table.rows.iter().chain(&table.columns));
    let filters = args.only.iter().map(metrics::DebateFilter::dimension);
    let mut dimensions = by.iter().copied().chain(columns.copied()).chain(filters);
    match args.with_forks {
        Forks::LeftOut if !dimensions.any(|by| by == Dimension::Fork) => {}
        Forks::LeftOut | Forks::Included => return Ok(None),
    }
    let session_ids = args.sessions.session.iter();
    let session_ids =
        session_ids.map(|text| resolve_session(context, text).map(|id| id.to_string()));
    let session_ids: BTreeSet<String> = session_ids.collect::<Result<_>>()?;
    let row_count = rows.len();
    rows.retain(|row| !row.fork || session_ids.contains(&row.session));
    Ok(match row_count - rows.len() {
        0 => None,
        left_out => Some(format!(
            "{} left out, which a person made having seen a debate: --with-forks counts the turns of their own",
            match left_out {
                1 => "1 fork is".to_owned(),
                count => format!("{count} forks are"),
            }
        )),
    })
}

/// Says whether a debate is of a protocol and a time that are asked for.
fn is_asked_for(args: &MetricsArgs, row: &DebateRow) -> bool {
    let of_protocol = args.protocol.as_ref().is_none_or(|protocol| {
        &row.protocol == protocol || args.against.as_ref() == Some(&row.protocol)
    });
    of_protocol && args.period.covers(row.origin.began_at.as_deref())
}

/// Says of whose verdicts some are those of their like, where no section of a report says it.
fn list_self_judging(rows: &[DebateRow]) -> BTreeSet<&String> {
    rows.iter().flat_map(|row| &row.self_judging).collect()
}

/// Returns what was asked for, ready to be written.
fn format_figures(
    args: &MetricsArgs,
    reports: &Reports<'_>,
    mut groups: ReportSettings,
) -> Result<String> {
    let (rows, width) = (reports.rows, output::width());
    if args.advantages {
        return format_advantages(args, rows, groups.people);
    }
    let against = args.protocol.as_deref().zip(args.against.as_deref());
    if !args.compare.is_empty() || against.is_some() {
        for sentence in list_self_judging(rows) {
            output::print_notice(&format!("notice: {sentence}"));
        }
        let measures = args.measure.clone();
        let report = match against {
            Some((protocol, other)) => {
                compare::compare_protocols(reports, [protocol, other], groups, measures)?
            }
            None => compare::compare_named_groups(args, reports, groups, measures)?,
        };
        return format_report(args, &report, |report| {
            metrics::comparison_to_table(report, width)
        });
    }
    if let Some(over) = args.trend {
        let settings = ComparisonSettings {
            groups,
            measures: args.measure.clone(),
            within: None,
        };
        let over = over.into();
        let report = reports.load_or_compute("trend", &(over, &settings), || {
            metrics::trend_over(rows, over, &settings)
        })?;
        return format_report(args, &report, |report| {
            metrics::trend_to_table(report, width)
        });
    }
    groups.measures.clone_from(&args.measure);
    let Some(table) = &args.table else {
        if let Some(list) = list_arms(args, reports, &groups, width)? {
            return Ok(list);
        }
        let report = reports.compute_figures(&groups)?;
        return format_report(args, &report, |report| metrics::to_table(report, width));
    };
    if groups.measures.is_empty() {
        groups.measures.push(Measure::ErrorRate);
    }
    groups.by = table.rows.iter().chain(&table.columns).copied().collect();
    let mut report = reports.compute_figures(&groups)?;
    if args.totals {
        let Some(last) = table.columns.last().copied() else {
            bail!("--totals are over a dimension of the columns: give --table ROWS × COLUMNS");
        };
        groups.by.retain(|by| *by != last);
        let totals = reports.compute_figures(&groups)?;
        report = metrics::with_totals(report, totals, last);
    }
    let shape = PivotShape {
        rows: table.rows.clone(),
        columns: table.columns.clone(),
        measures: groups.measures,
    };
    let format = match (args.markdown, args.latex) {
        (true, _) => TableFormat::Markdown,
        (_, true) => TableFormat::Latex,
        (false, false) => TableFormat::Text(width),
    };
    format_report(args, &report, |report| {
        let pivots = metrics::build_pivots(report, &shape).into_iter();
        let pivots: Vec<String> = pivots.map(|pivot| pivot.render(format)).collect();
        match pivots.is_empty() {
            true => "no debates to measure\n".to_owned(),
            false => pivots.join("\n"),
        }
    })
}

/// Writes a report as JSON, CSV, or as a text of its own.
fn format_report(
    args: &MetricsArgs,
    report: &Report,
    text: impl FnOnce(&Report) -> String,
) -> Result<String> {
    Ok(if args.format.json {
        clean_json_lines(&metrics::to_json(report)?)
    } else if args.format.csv {
        output::clean_text(&metrics::to_csv(report)?)
    } else {
        output::clean_lines(&text(report))
    })
}

/// Returns the topics with an unsafe turn in runs that were played without guardrails; `None` where none is named.
fn find_unsafe_topics(
    runs: &[String],
    index: &StoreIndex,
    families: &ModelFamilies,
) -> Result<Option<BTreeSet<TopicKey>>> {
    let mut topics = BTreeSet::new();
    for text in runs {
        let run = find_run(index.layout(), text)?;
        let rows = run_rows(index, &run, families)?;
        if rows.iter().any(|row| !row.guards.is_empty()) {
            bail!("--unsafe-without {run}: its debates used guardrails; name a run without them");
        }
        let is_unsafe = |row: &&DebateRow| {
            let mut turns = row.turns.iter();
            turns.any(|turn| turn.state == TurnSafety::Unsafe)
        };
        topics.extend(
            rows.iter()
                .filter(is_unsafe)
                .map(|row| row.topic.key.clone()),
        );
    }
    Ok((!runs.is_empty()).then_some(topics))
}

/// A comparison of protocols is of what their debates cost too, and of what they conclude: that is the games' own.
fn check_pass_options(args: &MetricsArgs) -> Result<()> {
    match (args.pass.first(), &args.against) {
        (Some(_), Some(_)) => bail!(
            "--against and --pass do not go together: cost, time and what a debate concludes come from the games \
             themselves, never from a pass; leave one of them out, or compare with --by protocol --compare"
        ),
        (Some(_), None) | (None, _) => Ok(()),
    }
}

/// Rewards of a pass are by the game's table over what it decided; one that decided nothing has none.
fn check_rewards_of_pass(args: &MetricsArgs, rows: &[DebateRow]) -> Result<()> {
    let has_rewards = rows.iter().any(|row| !row.rewards.is_empty());
    if !args.advantages || args.pass.is_empty() || has_rewards {
        return Ok(());
    }
    bail!(
        "the pass has no rewards: these games pay for nothing that it judged, or a verdict that they pay for is \
         missing in it; 'elenchus judge --model MODEL' without --rubric judges everything that a game pays for"
    )
}

fn format_advantages(args: &MetricsArgs, rows: &[DebateRow], people: HumanTurns) -> Result<String> {
    let advantages = metrics::group_advantages(rows, people);
    Ok(if args.format.json {
        clean_json_lines(&metrics::advantages_to_json(&advantages)?)
    } else if args.format.csv {
        let csv = metrics::advantages_to_csv(&advantages)?;
        output::clean_text(&csv)
    } else {
        let table = metrics::advantages_to_table(&advantages, output::width());
        output::clean_lines(&table)
    })
}

pub(super) fn clean_json_lines(json: &str) -> String {
    json.lines()
        .map(|line| output::clean_json(line) + "\n")
        .collect()
}

/// Returns the sessions that were named, by themselves or by their runs; `None` for all.
pub(super) fn resolve_sessions(
    runs: &[String],
    sessions: &[String],
    context: &CommandContext,
) -> Result<Option<BTreeSet<SessionId>>> {
    if runs.is_empty() && sessions.is_empty() {
        return Ok(None);
    }
    let mut session_ids = BTreeSet::new();
    for text in runs {
        let id = find_run(&context.store.layout, text)?;
        session_ids.extend(read_whole_run(&context.store.layout, &id)?.sessions());
    }
    for text in sessions {
        session_ids.insert(resolve_session(context, text)?);
    }
    Ok(Some(session_ids))
}

/// Says on standard error what the figures rest on, so that it never mixes with CSV or JSON.
fn print_notices(reading: &SessionRows) {
    for why in &reading.unreadable {
        output::print_notice(&format!("notice: a session is not counted: {why}"));
    }
    let mut text = format!("{} read", format_noun_count(reading.rows.len(), "session"));
    if reading.left_out > 0 {
        text.push_str(&format!(", {} not selected", reading.left_out));
    }
    if reading.unfinished > 0 {
        text.push_str(&format!(", {} not played to the end", reading.unfinished));
    }
    if !reading.unreadable.is_empty() {
        text.push_str(&format!(", {} unreadable", reading.unreadable.len()));
    }
    let simulated_count = reading.rows.iter().filter(|row| row.simulated).count();
    if simulated_count > 0 {
        text.push_str(&format!(
            "; {simulated_count} SIMULATED: a check of the instrument, no evidence about models or protocols"
        ));
    }
    output::print_notice(&text);
}
