//! Comparison of a golden set: debates against single answers to the same questions, and what the
//! debates measure of themselves (EAAPL-MAG005 §13.3).

use super::groups::{CompareError, ComparisonSettings, TopicProperty, compare_groups, group_name};
use super::table::comparison_to_table;
use crate::report::arm_names::ArmNames;
use crate::report::table::to_table;
use crate::report::text_layout::{escape_hidden, format_count, push_paragraph};
use crate::report::{ReportError, ReportSettings, compute_report};
use crate::sections::game::outcome_right;
use crate::{DebateRow, Dimension, Figure, FigureKey, Measure, Report, ReportSection};
use elenchus_game::debate::protocol::Gauge;
use elenchus_game::debate::{Protocol, RunId};
use serde::Serialize;
use std::collections::BTreeSet;

/// One of the two runs of a golden set.
#[derive(Debug)]
pub struct GoldenArm {
    pub run: RunId,
    pub protocol: Protocol,
    /// The file of its questions, and its hash.
    pub dataset: String,
    pub sha256: String,
    pub seed: u64,
    pub rollouts: u32,
    /// How many of its debates are done, and of how many.
    pub done: usize,
    pub items: u64,
    pub rows: Vec<DebateRow>,
}

/// Why two runs are not compared.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    #[error(
        "runs {debates} and {singles} are of the same arm, '{arm}': there is nothing to compare"
    )]
    SameArm {
        debates: RunId,
        singles: RunId,
        arm: String,
    },
    #[error(
        "no question has an outcome that could be graded in both arms: {of_debates} of run {debates} and \
         {of_singles} of run {singles} have one; 'elenchus metrics --run {debates}' says what became of \
         the others"
    )]
    NothingGraded {
        debates: RunId,
        singles: RunId,
        of_debates: String,
        of_singles: String,
    },
    #[error(
        "run {0} has no debate that was played to its end; go on with it: elenchus run --resume {0}"
    )]
    NothingPlayed(RunId),
    #[error("run {run} has {arms} arms; a golden set is played by one")]
    SeveralArms { run: RunId, arms: usize },
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Quality(#[from] ReportError),
}

/// Everything that is said about two runs.
#[derive(Debug, Serialize)]
pub struct GoldenComparison {
    debates: ArmSummary,
    singles: ArmSummary,
    /// Why the runs may not be comparable.
    notes: Vec<String>,
    /// The debates against the single answers.
    comparison: Report,
    /// What the game asks of its gauges before it is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    demands: Vec<Demand>,
    quality: Report,
}

#[derive(Debug, Serialize)]
struct ArmSummary {
    run: RunId,
    protocol: String,
    seed: u64,
    done: usize,
    of: usize,
    /// What is compared with the expert's answer.
    right_by: &'static str,
}

impl GoldenComparison {
    /// Compares debates with single answers.
    ///
    /// # Errors
    /// When a run has no debate or several arms, both have the same one, or nothing was graded in both.
    pub fn compare(debates: &GoldenArm, singles: &GoldenArm) -> Result<Self, GoldenError> {
        let mut rows = debates.rows.clone();
        rows.extend(singles.rows.iter().cloned());
        let (arm_a, arm_b) = (debates.arm_name()?, singles.arm_name()?);
        if arm_a == arm_b {
            return Err(GoldenError::SameArm {
                debates: debates.run.clone(),
                singles: singles.run.clone(),
                arm: arm_a,
            });
        }
        let settings = ComparisonSettings {
            groups: ReportSettings {
                by: vec![Dimension::Arm],
                ..ReportSettings::default()
            },
            measures: vec![
                Measure::OutcomeRight,
                Measure::CostPerDebate,
                Measure::WallPerDebate,
                Measure::TokensPerDebate,
            ],
            within: Some(TopicProperty::Category),
        };
        let comparison = compare_groups(&rows, &arm_b, &[arm_a], &settings)?;
        let is_outcome = |figure: &Figure| figure.measure == Measure::OutcomeRight;
        if !figures_of(&comparison).any(is_outcome) {
            return Err(GoldenError::NothingGraded {
                debates: debates.run.clone(),
                singles: singles.run.clone(),
                of_debates: debates.describe_outcomes(),
                of_singles: singles.describe_outcomes(),
            });
        }
        let quality = compute_quality_report(&debates.rows)?;
        Ok(Self {
            notes: collect_run_notes(debates, singles),
            demands: compute_demands(&debates.protocol, &quality),
            debates: debates.summarize(),
            singles: singles.summarize(),
            comparison,
            quality,
        })
    }

    /// Returns what the debates and the single answers are called, by what they differ in.
    fn arm_names(&self) -> [String; 2] {
        let section = self.comparison.sections.first();
        let name = |keys: fn(&ReportSection) -> &Vec<FigureKey>| {
            section.map_or_else(String::new, |section| group_name(keys(section)))
        };
        let whole = [
            name(|section| &section.group),
            name(|section| &section.against),
        ];
        let short = ArmNames::from_arms(whole.iter().map(String::as_str));
        whole.map(|name| escape_hidden(short.name_of(&name)))
    }

    /// Renders it as text of at most `width` columns.
    pub fn to_text(&self, width: usize) -> String {
        let mut text = String::new();
        for (name, arm) in self.arm_names().iter().zip([&self.debates, &self.singles]) {
            let line = format!(
                "{name}: run {}, {} of {} done; right if {} is what the expert says",
                arm.run,
                arm.done,
                format_count(arm.of, "debate"),
                arm.right_by
            );
            push_paragraph(&mut text, &line, width);
        }
        for note in &self.notes {
            push_paragraph(&mut text, &format!("! {note}"), width);
        }
        text.push('\n');
        text.push_str(&comparison_to_table(&self.comparison, width));
        if figures_of(&self.quality).next().is_some() {
            text.push_str("\nWhat the debates measure of themselves\n");
            text.push_str(&to_table(&self.quality, width));
        }
        for demand in &self.demands {
            text.push('\n');
            push_paragraph(&mut text, &demand.describe(), width);
        }
        text.push('\n');
        let all = format!("all figures: elenchus metrics --run {}", self.debates.run);
        push_paragraph(&mut text, &all, width);
        text
    }
}

impl GoldenArm {
    /// Returns the name of its arm: all debates of a run are of one, for it has one cast.
    fn arm_name(&self) -> Result<String, GoldenError> {
        let arms: BTreeSet<&str> = self.rows.iter().map(|row| row.arm.as_str()).collect();
        let mut names = arms.iter();
        match (names.next(), names.next()) {
            (Some(arm), None) => Ok((*arm).to_owned()),
            (None, _) => Err(GoldenError::NothingPlayed(self.run.clone())),
            (Some(_), Some(_)) => Err(GoldenError::SeveralArms {
                run: self.run.clone(),
                arms: arms.len(),
            }),
        }
    }

    /// Says how many of the debates played to their end came out right or wrong.
    fn describe_outcomes(&self) -> String {
        let outcome = |row: &&DebateRow| outcome_right(row).is_some();
        let graded_count = self.rows.iter().filter(outcome).count();
        format!(
            "{graded_count} of {}",
            format_count(self.rows.len(), "debate")
        )
    }

    fn summarize(&self) -> ArmSummary {
        ArmSummary {
            run: self.run.clone(),
            protocol: self.protocol.id.to_string(),
            seed: self.seed,
            done: self.done,
            of: usize::try_from(self.items).unwrap_or(usize::MAX),
            right_by: if self.rows.iter().any(|row| row.concludes) {
                "the debate's conclusion"
            } else {
                "the last graded answer"
            },
        }
    }
}

fn figures_of(report: &Report) -> impl Iterator<Item = &Figure> {
    report.sections.iter().flat_map(|section| &section.figures)
}

/// Whether a gauge comes to what its game asks of it before use.
#[derive(Debug, Serialize)]
struct Demand {
    gauge: String,
    name: String,
    known_cases: usize,
    known_cases_asked: u32,
    mean: f64,
    mean_asked_above: f64,
    fit: bool,
}

/// Returns the result of each gate of a protocol, except those whose gauge was never read.
fn compute_demands(protocol: &Protocol, quality: &Report) -> Vec<Demand> {
    let of = |gauge: &Gauge| {
        let requirement = gauge.before_use?;
        let figure = figures_of(quality).find(|figure| {
            figure.measure == Measure::GaugeMean
                && figure.keys.iter().any(|key| key.value == gauge.id)
        })?;
        let mean = figure.value?;
        Some(Demand {
            gauge: gauge.id.clone(),
            name: gauge.name.clone(),
            known_cases: figure.topics,
            known_cases_asked: requirement.cases,
            mean,
            mean_asked_above: requirement.mean_above,
            fit: figure.topics >= requirement.cases as usize && mean > requirement.mean_above,
        })
    };
    protocol.gauges.iter().filter_map(of).collect()
}

impl Demand {
    fn describe(&self) -> String {
        format!(
            "{}, before use: the protocol asks for a mean above {} over {} known cases. Here {:.2} \
             over {}: {}. It is what the seats say of themselves; read some of it too.",
            self.name,
            self.mean_asked_above,
            self.known_cases_asked,
            self.mean,
            format_count(self.known_cases, "case"),
            if self.fit { "met" } else { "not met" }
        )
    }
}

/// The gauges of the protocol alone; everything else is in `elenchus metrics`.
fn compute_quality_report(debates: &[DebateRow]) -> Result<Report, ReportError> {
    let mut report = compute_report(debates, &ReportSettings::default())?;
    for section in &mut report.sections {
        section.figures.retain(|figure| {
            matches!(
                figure.measure,
                Measure::GaugeMean | Measure::GaugeShare | Measure::GaugeFlagged
            )
        });
        // Notes are about figures that are not shown here; the comparison says what is simulated.
        section.notes.clear();
        section.advantages.clear();
    }
    Ok(report)
}

/// Why two runs may not be comparable.
fn collect_run_notes(many: &GoldenArm, one: &GoldenArm) -> Vec<String> {
    let mut notes = Vec::new();
    if many.sha256 != one.sha256 {
        notes.push(format!(
            "the runs read different files, {} and {}: only questions of the same id are compared",
            many.dataset, one.dataset
        ));
    }
    if many.seed != one.seed {
        notes.push(format!(
            "the runs have different seeds, {} and {}",
            many.seed, one.seed
        ));
    }
    if many.rollouts != one.rollouts {
        notes.push(format!(
            "the runs play each question {} and {} times",
            many.rollouts, one.rollouts
        ));
    }
    for (name, arm) in [("debates", many), ("single answers", one)] {
        let sentences: BTreeSet<&String> =
            arm.rows.iter().flat_map(|row| &row.self_judging).collect();
        notes.extend(
            sentences
                .iter()
                .map(|sentence| format!("{name}: {sentence}")),
        );
    }
    notes
}
