//! Figures of an experiment: what it found so far, as tables of any width.

use super::arm_rows::ArmRows;
use super::columns::ListedFigures;
use super::debate_figures::DebateFigures;
use super::debate_rows::{PassRows, read_golden_rows, read_rows_by_pass, read_run_rows};
use super::engine::read_plan;
use super::golden::GoldenPlan;
use super::sweep::{SweepReport, compute_sweep_report, read_arms_of_sweep};
use super::trained_rows::{LeftOutOfTraining, keep_trained_rows};
use elenchus_game::debate::RunId;
use elenchus_metrics::{
    ChairNames, DebateRow, Dimension, Figure, HEADLINES, Measure, ReportSettings, ReportSubject,
    Resampling, compute_report, find_headline, to_table,
};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::pass::find_pass;
use elenchus_records::workspace::rows::{PassFindings, unfinished_runs};
use elenchus_records::workspace::run::read_begun_run;
use elenchus_records::workspace::sweep::read_sweep;
use elenchus_records::workspace::{Result, StoreIndex, WorkspaceError};
use elenchus_store::Layout;

/// What an experiment found so far.
#[derive(Debug)]
pub enum ExperimentFigures {
    Debates(Box<DebateFigures>),
    Sweep(Box<SweepReport>),
}

/// An experiment whose figures are read.
#[derive(Clone, Copy)]
pub(super) struct FigureSource<'a> {
    pub index: &'a StoreIndex,
    pub families: &'a ModelFamilies,
    pub id: &'a str,
}

impl FigureSource<'_> {
    fn layout(&self) -> &Layout {
        self.index.layout()
    }
}

/// Reads the sessions of an experiment and computes its figures. Blocks.
pub(super) type ReadFigures = fn(FigureSource<'_>) -> Result<ExperimentFigures>;

impl ExperimentFigures {
    /// Says whether all of it was played by simulated models.
    pub fn are_simulated(&self) -> bool {
        match self {
            Self::Debates(figures) => figures.report.is_simulated(),
            Self::Sweep(report) => report.report.is_simulated(),
        }
    }

    /// Returns the figures as text of at most `width` columns, or of the least that a table needs.
    pub fn to_text(&self, width: usize) -> String {
        match self {
            Self::Debates(figures) => to_table(&figures.report, width),
            Self::Sweep(report) => report.to_text(width),
        }
    }
}

/// Figures of a run's finished debates.
pub(super) fn read_run_figures(source: FigureSource<'_>) -> Result<ExperimentFigures> {
    let mut rows = read_run_rows(source)?;
    let left_out = keep_headline_rows(source, &mut rows)?;
    let settings = ReportSettings {
        unfinished: unfinished_runs(source.index, &rows),
        ..ReportSettings::default()
    };
    let chairs = read_chair_names(source.layout(), [&RunId::new(source.id)])?;
    let mut figures = compute_debate_figures(source.index, &rows, &settings, chairs)?;
    if let (Some(note), ExperimentFigures::Debates(figures)) = (left_out.describe(), &mut figures) {
        let DebateFigures { report, page, .. } = figures.as_mut();
        let sections = report.sections.iter_mut().chain(&mut page.sections);
        sections.for_each(|section| section.notes.push(note.clone()));
    }
    Ok(figures)
}

/// Keeps the debates that the headline of a run is of.
fn keep_headline_rows(
    source: FigureSource<'_>,
    rows: &mut Vec<DebateRow>,
) -> Result<LeftOutOfTraining> {
    let run = read_begun_run(&source.layout().run_path(source.id)?)?;
    Ok(run.map_or_else(LeftOutOfTraining::default, |run| {
        keep_trained_rows(rows, &run.manifest)
    }))
}

/// Returns what a run's debates come to so far: the headline of its game, and measures that are asked for. Nothing is
/// resampled: there are no intervals.
pub(super) fn read_listed_figures(
    source: FigureSource<'_>,
    asked: &[Measure],
) -> Result<ListedFigures> {
    let mut rows = read_run_rows(source)?;
    keep_headline_rows(source, &mut rows)?;
    let settings = ReportSettings {
        measures: HEADLINES.iter().chain(asked).copied().collect(),
        resampling: Resampling {
            resamples: 0,
            ..Resampling::default()
        },
        ..ReportSettings::default()
    };
    let report = compute_report(&rows, &settings);
    let report = report.map_err(|error| WorkspaceError::Invalid(error.to_string()))?;
    let judged = report.sections.iter().find(|section| !section.hash_check);
    let section = judged.or(report.sections.first());
    let figures = section.into_iter().flat_map(|section| &section.figures);
    let is_asked = |figure: &&Figure| figure.keys.is_empty() && asked.contains(&figure.measure);
    Ok(ListedFigures {
        headline: find_headline(&report).map(without_interval),
        figures: figures.filter(is_asked).map(without_interval).collect(),
    })
}

fn without_interval(figure: &Figure) -> Figure {
    Figure {
        interval: None,
        interval_of: None,
        ..figure.clone()
    }
}

/// Reads the debates of an experiment that has some of its own. Blocks.
pub(super) type ReadArmRows = fn(FigureSource<'_>) -> Result<ArmRows>;

/// Reads the debates of a run.
pub(super) fn read_rows_of_run(source: FigureSource<'_>) -> Result<ArmRows> {
    Ok(ArmRows {
        rows: read_run_rows(source)?,
        ..ArmRows::default()
    })
}

/// Reads the debates of both runs of a golden set.
pub(super) fn read_rows_of_golden_set(source: FigureSource<'_>) -> Result<ArmRows> {
    Ok(ArmRows {
        rows: read_golden_rows(source)?,
        ..ArmRows::default()
    })
}

/// Reads the debates of a sweep's arms.
pub(super) fn read_rows_of_sweep(source: FigureSource<'_>) -> Result<ArmRows> {
    let state = read_sweep(source.layout(), source.id)?;
    read_arms_of_sweep(source.index, &state, source.families)
}

/// Figures of both runs of a golden set, each an arm.
pub(super) fn read_golden_figures(source: FigureSource<'_>) -> Result<ExperimentFigures> {
    let rows = read_golden_rows(source)?;
    let settings = ReportSettings {
        by: vec![Dimension::Arm],
        unfinished: unfinished_runs(source.index, &rows),
        ..ReportSettings::default()
    };
    let plan = read_plan::<GoldenPlan>(source.layout(), source.id)?;
    let chairs = read_chair_names(source.layout(), [&plan.debates, &plan.singles])?;
    compute_debate_figures(source.index, &rows, &settings, chairs)
}

/// Figures of what a pass found about the safety of turns.
pub(super) fn read_pass_figures(source: FigureSource<'_>) -> Result<ExperimentFigures> {
    let pass = find_pass(source.layout(), source.id)?;
    let findings = PassFindings::from_pass(&pass, source.families.clone());
    let PassRows {
        rows,
        left_out,
        chairs,
    } = read_rows_by_pass(source, &pass, &findings)?;
    findings.check_rows(&rows)?;
    let settings = ReportSettings {
        notes: findings.describe_source(&rows, &left_out),
        of: ReportSubject::Pass,
        ..ReportSettings::default()
    };
    compute_debate_figures(source.index, &rows, &settings, chairs)
}

/// Figures of a sweep, by arm.
pub(super) fn read_sweep_figures(source: FigureSource<'_>) -> Result<ExperimentFigures> {
    let state = read_sweep(source.layout(), source.id)?;
    let report =
        compute_sweep_report(source.index, &state, source.families, Resampling::default())?;
    Ok(ExperimentFigures::Sweep(Box::new(report)))
}

/// Returns what the seats of some runs are called.
fn read_chair_names<'a>(
    layout: &Layout,
    runs: impl IntoIterator<Item = &'a RunId>,
) -> Result<ChairNames> {
    let mut names = ChairNames::default();
    for run in runs {
        // Of a golden set, the second one may not have begun.
        if let Some(run) = read_begun_run(&layout.run_path(run.as_str())?)? {
            names.add_protocol(&run.manifest.protocol);
        }
    }
    Ok(names)
}

fn compute_debate_figures(
    index: &StoreIndex,
    rows: &[DebateRow],
    settings: &ReportSettings,
    chairs: ChairNames,
) -> Result<ExperimentFigures> {
    let figures = DebateFigures::from_rows(index, rows, settings, chairs)?;
    Ok(ExperimentFigures::Debates(Box::new(figures)))
}
