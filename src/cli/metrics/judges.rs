//! `elenchus metrics --pass A --pass B`: judges beside one another on the same debates.

use super::args::MetricsArgs;
use super::reports::Reports;
use super::{clean_json_lines, leave_out_forks, resolve_sessions};
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Result, bail};
use elenchus_metrics as metrics;
use elenchus_metrics::{
    CompareError, ComparisonSettings, DebateRow, Dimension, JudgeComparison, JudgedRows, Measure,
    Report, ReportSettings, ReportSubject, Resampling, compare_groups, compare_judges,
};
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::pass::{Pass, find_pass, name_pass};
use elenchus_records::workspace::rows::{PassFindings, RowSelection, SessionRows};
use std::collections::BTreeSet;

/// The most passes that stand beside one another.
const MAX_PASSES: usize = 12;

/// Figures of which judges are compared where none is named. Shares of labels are not among them: the table of verdicts
/// has every label.
pub(super) const MEASURES: [Measure; 10] = [
    Measure::ErrorRate,
    Measure::JudgeAlignmentMiddleAccepts,
    Measure::JudgeAlignmentMiddleRejects,
    Measure::JudgeAlignmentMiddleNeither,
    Measure::RejectGivenCorrect,
    Measure::AcceptGivenIncorrect,
    Measure::MiddleRate,
    Measure::PicksRight,
    Measure::PicksRightTiesHalf,
    Measure::OrdersAgree,
];

/// A pass with the debates that it judged.
pub(super) struct JudgeOfPass {
    pub name: String,
    pass: Pass,
    rows: Vec<DebateRow>,
}

/// Puts the passes that are named beside one another, each other one beside the first.
///
/// # Errors
/// When a pass does not exist or has no figure, nothing was judged by all, or an option is of one pass.
pub(super) fn compare_passes(args: &MetricsArgs, context: &CommandContext) -> Result<String> {
    refuse_options_of_one(args)?;
    let mut judges = read_judges(args, context)?;
    let left_out = keep_shared_debates(&mut judges)?;
    for note in list_notes(&judges, left_out) {
        output::print_notice(&format!("notice: {note}"));
    }
    let (differences, verdicts) = compare_judges_of(args, &judges, &MEASURES, context)?;
    format_comparison(args, &differences, &verdicts)
}

/// Compares what judges found with what the first of them did: their figures paired by topic, and their verdicts.
pub(super) fn compare_judges_of(
    args: &MetricsArgs,
    judges: &[JudgeOfPass],
    measures: &[Measure],
    context: &CommandContext,
) -> Result<(Report, JudgeComparison)> {
    let plan = Resampling {
        resamples: args.resamples,
        seed: args.seed.seed,
    };
    let differences = compare_figures(args, judges, (measures, plan), context)?;
    let judged: Vec<JudgedRows<'_>> = judges.iter().map(JudgeOfPass::to_judged_rows).collect();
    Ok((differences, compare_judges(&judged, plan)))
}

/// Writes a comparison in the form that is asked for.
pub(super) fn format_comparison(
    args: &MetricsArgs,
    differences: &Report,
    verdicts: &JudgeComparison,
) -> Result<String> {
    if args.format.json {
        let json = serde_json::json!({"differences": differences, "verdicts": verdicts});
        return Ok(clean_json_lines(
            &(serde_json::to_string_pretty(&json)? + "\n"),
        ));
    }
    if args.format.csv {
        return Ok(output::clean_text(&verdicts.to_csv(differences)?));
    }
    let figures = match differences.sections.is_empty() {
        true => "no figure has a value by both judges\n".to_owned(),
        false => metrics::comparison_to_table(differences, output::width()),
    };
    Ok(output::clean_lines(&format!(
        "{figures}\n{}",
        verdicts.to_text(output::width())
    )))
}

/// Options that are of one pass, or of the games themselves.
pub(super) fn refuse_options_of_one(args: &MetricsArgs) -> Result<()> {
    let options = [
        ("--by", !args.by.is_empty()),
        ("--table", args.table.is_some()),
        ("--plot", args.plot.is_some()),
        ("--svg", args.svg.is_some()),
        ("--matrix", args.matrix.is_some()),
        ("--compare", !args.compare.is_empty()),
        ("--trend", args.trend.is_some()),
        ("--against", args.against.is_some()),
        ("--advantages", args.advantages),
        ("--pool", args.pool),
        ("--evaluator-error", args.error.evaluator_error.is_some()),
    ];
    if let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
        bail!(
            "{option} is of one pass; name one --pass, or leave {option} out to put several beside one another"
        );
    }
    Ok(())
}

fn read_judges(args: &MetricsArgs, context: &CommandContext) -> Result<Vec<JudgeOfPass>> {
    if args.pass.len() > MAX_PASSES {
        bail!(
            "{} passes were named; at most {MAX_PASSES} stand beside one another",
            args.pass.len()
        );
    }
    let mut passes: Vec<(String, Pass)> = Vec::new();
    for text in &args.pass {
        let pass = find_pass(&context.store.layout, text)?;
        let id = &pass.manifest.pass;
        if passes.iter().any(|(_, known)| known.manifest.pass == *id) {
            bail!("--pass names {id} twice; name two passes");
        }
        passes.push((name_pass(&pass.manifest), pass));
    }
    read_rows_of(args, passes, context)
}

/// Reads the debates that passes judged, as each judged them.
pub(super) fn read_rows_of(
    args: &MetricsArgs,
    passes: Vec<(String, Pass)>,
    context: &CommandContext,
) -> Result<Vec<JudgeOfPass>> {
    let sessions = resolve_sessions(&args.sessions.run, &args.sessions.session, context)?;
    let families = context.library.read_families()?;
    let index = context.read_index(StoreIndex::read_rows);
    let mut judges: Vec<JudgeOfPass> = Vec::new();
    for (name, pass) in passes {
        let findings = PassFindings::from_pass(&pass, families.clone());
        let selection = RowSelection {
            sessions: sessions.as_ref(),
            pass: Some(&findings),
            holds: &|row| super::is_asked_for(args, row),
        };
        let mut reading = SessionRows::read_rows(&index, &families, &selection)?;
        let forks = leave_out_forks(args, &[], &mut reading.rows, context)?;
        metrics::keep_debates(&mut reading.rows, &args.only)?;
        findings.check_rows(&reading.rows)?;
        for note in findings.describe_source(&reading.rows, &reading.not_of_pass) {
            output::print_notice(&note);
        }
        forks
            .iter()
            .for_each(|note| output::print_notice(&format!("notice: {note}")));
        let rows = reading.rows;
        judges.push(JudgeOfPass { name, pass, rows });
    }
    index.write_changes();
    Ok(judges)
}

/// Keeps the debates that every pass judged, and returns how many others there are.
pub(super) fn keep_shared_debates(judges: &mut [JudgeOfPass]) -> Result<usize> {
    let sessions = |judge: &JudgeOfPass| -> BTreeSet<String> {
        judge.rows.iter().map(|row| row.session.clone()).collect()
    };
    let all: Vec<BTreeSet<String>> = judges.iter().map(sessions).collect();
    let any: BTreeSet<&String> = all.iter().flatten().collect();
    let shared: BTreeSet<String> = any
        .iter()
        .filter(|session| all.iter().all(|of_judge| of_judge.contains(**session)))
        .map(|session| (*session).clone())
        .collect();
    if shared.is_empty() {
        bail!(
            "no debate was judged by all of these passes; 'elenchus judge list' says what each is of"
        );
    }
    let left_out = any.len() - shared.len();
    for judge in judges {
        judge.rows.retain(|row| shared.contains(&row.session));
    }
    Ok(left_out)
}

pub(super) fn list_notes(judges: &[JudgeOfPass], left_out: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(format!(
            "{} left out, which not every pass judged",
            format_noun_count(left_out, "debate")
        ));
    }
    let arms: BTreeSet<&String> = judges
        .iter()
        .flat_map(|judge| &judge.rows)
        .map(|row| &row.arm)
        .collect();
    if arms.len() > 1 {
        notes.push(format!(
            "debates of {} arms together, each judged by all; --only arm=NAME chooses one",
            arms.len()
        ));
    }
    notes
}

/// Compares the figures of the later judges with those of the first, paired by topic.
fn compare_figures(
    args: &MetricsArgs,
    judges: &[JudgeOfPass],
    (measures, resampling): (&[Measure], Resampling),
    context: &CommandContext,
) -> Result<Report> {
    let mut rows = Vec::new();
    for judge in judges {
        rows.extend(judge.rows.iter().map(|row| DebateRow {
            // The same debates under each judge: what tells them apart is who judged.
            arm: judge.name.clone(),
            ..row.clone()
        }));
    }
    let settings = ComparisonSettings {
        groups: ReportSettings {
            by: vec![Dimension::Arm],
            people: args.with_people,
            pool_hash_topics: args.pool_hash_topics,
            of: ReportSubject::Pass,
            resampling,
            ..ReportSettings::default()
        },
        measures: match args.measure.is_empty() {
            true => measures.to_vec(),
            false => args.measure.clone(),
        },
        within: None,
    };
    let names: Vec<String> = judges.iter().map(|judge| judge.name.clone()).collect();
    let Some((first, others)) = names.split_first() else {
        bail!("name at least two passes");
    };
    let index = context.read_index(StoreIndex::read_rows);
    let compared =
        Reports::new(&index, &rows).load_or_compute("judges", &(first, others, &settings), || {
            match compare_groups(&rows, first, others, &settings) {
                // Labels that no figure counts are compared one by one all the same.
                Err(CompareError::NothingCompared) => Ok(Report {
                    sections: Vec::new(),
                }),
                compared => compared,
            }
        });
    index.write_changes();
    let mut report = compared?;
    if args.measure.is_empty() {
        for section in &mut report.sections {
            section.figures.retain(|figure| figure.value.is_some());
        }
        report
            .sections
            .retain(|section| !section.figures.is_empty());
    }
    Ok(report)
}

impl JudgeOfPass {
    fn to_judged_rows(&self) -> JudgedRows<'_> {
        let sessions: BTreeSet<&str> = self.rows.iter().map(|row| row.session.as_str()).collect();
        let of_debates = self.pass.verdicts.iter();
        let of_debates = of_debates.filter(|verdict| sessions.contains(verdict.session.as_str()));
        let costs: Vec<Option<f64>> = of_debates.map(|verdict| verdict.cost_usd).collect();
        JudgedRows {
            judge: self.name.clone(),
            rows: &self.rows,
            calls: costs.len(),
            cost_usd: costs.into_iter().sum(),
        }
    }
}
