//! Comparison of the two runs of a golden set; plays nothing.

use super::args::GoldenShowArgs;
use crate::cli::common::{Exit, Workshop, counted, output};
use crate::cli::metrics::harmless_lines;
use crate::debate::protocol::Gauge;
use crate::debate::{Protocol, RunId};
use crate::metrics::{
    self, ComparisonSettings, DebateRow, Dimension, Measure, Report, ReportSettings, TopicProperty,
};
use crate::workspace::find_run;
use crate::workspace::rows::run_rows;
use crate::workspace::run::{Manifest, read_run};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeSet;

/// Compares two runs once more.
pub(super) fn show(args: &GoldenShowArgs, shop: &Workshop) -> Result<Exit> {
    let debates = find_run(&shop.layout, &args.debates)?;
    let singles = find_run(&shop.layout, &args.singles)?;
    print(shop, &debates, &singles, args.output.json)?;
    Ok(Exit::Fine)
}

/// Prints the comparison of two runs, and what the debates say of their own quality.
pub(super) fn print(shop: &Workshop, debates: &RunId, singles: &RunId, json: bool) -> Result<()> {
    let (many, one) = (Arm::read(shop, debates)?, Arm::read(shop, singles)?);
    let mut rows = many.rows.clone();
    rows.extend(one.rows.iter().cloned());
    let (arm_a, arm_b) = (many.name()?, one.name()?);
    if arm_a == arm_b {
        bail!(
            "runs {debates} and {singles} are of the same arm, '{arm_a}': there is nothing to compare"
        );
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
    let report = metrics::compare_groups(&rows, &arm_b, &[arm_a], &settings)?;
    let is_graded = |figure: &metrics::Figure| figure.measure == Measure::OutcomeRight;
    if !report
        .sections
        .iter()
        .any(|section| section.figures.iter().any(is_graded))
    {
        bail!(
            "no question has an outcome that could be graded in both arms: {} of run {debates} and \
             {} of run {singles} have one; 'elenchus metrics --run {debates}' says what became of \
             the others",
            many.graded(),
            one.graded()
        );
    }
    let quality = quality(&many.rows)?;
    let comparison = ComparisonJson {
        notes: notes(&many, &one),
        demands: demands(&many.manifest.protocol, &quality),
        debates: many.to_json(),
        singles: one.to_json(),
        comparison: report,
        quality,
    };
    output::out(&if json {
        harmless_lines(&serde_json::to_string_pretty(&comparison)?)
    } else {
        output::harmless(&comparison.page(output::width()))
    })
}

/// Everything that is said about two runs.
#[derive(Serialize)]
struct ComparisonJson {
    debates: ArmJson,
    singles: ArmJson,
    /// Why the runs may not be comparable.
    notes: Vec<String>,
    /// The debates against the single answers.
    comparison: Report,
    /// What the game asks of its gauges before it is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    demands: Vec<Demand>,
    quality: Report,
}

#[derive(Serialize)]
struct ArmJson {
    run: RunId,
    protocol: String,
    seed: u64,
    done: usize,
    of: usize,
    /// What is compared with the expert's answer.
    right_by: &'static str,
}

impl ComparisonJson {
    fn page(&self, width: usize) -> String {
        let mut text = String::new();
        for (place, arm) in [("other", &self.debates), ("first", &self.singles)] {
            text += &prose(
                &format!(
                    "{place}: run {}, {} of {} done; right if {} is what the expert says",
                    arm.run,
                    arm.done,
                    counted(arm.of, "debate"),
                    arm.right_by
                ),
                width,
            );
        }
        for note in &self.notes {
            text += &prose(&format!("! {note}"), width);
        }
        text += "\n";
        text += &metrics::comparison_to_table(&self.comparison, width);
        if self
            .quality
            .sections
            .iter()
            .any(|it| !it.figures.is_empty())
        {
            text += "\nWhat the debates measure of themselves\n";
            text += &metrics::to_table(&self.quality, width);
        }
        for demand in &self.demands {
            text += "\n";
            text += &prose(&demand.sentence(), width);
        }
        text.push('\n');
        text += &prose(
            &format!("all figures: elenchus metrics --run {}", self.debates.run),
            width,
        );
        text
    }
}

/// Whether a gauge comes to what its game asks of it before use.
#[derive(Serialize)]
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
fn demands(protocol: &Protocol, quality: &Report) -> Vec<Demand> {
    let figures = || quality.sections.iter().flat_map(|section| &section.figures);
    let of = |gauge: &Gauge| {
        let asked = gauge.before_use?;
        let figure = figures().find(|figure| {
            figure.measure == Measure::GaugeMean
                && figure.keys.iter().any(|key| key.value == gauge.id)
        })?;
        let mean = figure.value?;
        Some(Demand {
            gauge: gauge.id.clone(),
            name: gauge.name.clone(),
            known_cases: figure.topics,
            known_cases_asked: asked.cases,
            mean,
            mean_asked_above: asked.mean_above,
            fit: figure.topics >= asked.cases as usize && mean > asked.mean_above,
        })
    };
    protocol.gauges.iter().filter_map(of).collect()
}

impl Demand {
    fn sentence(&self) -> String {
        format!(
            "{}, before use: the protocol asks for a mean above {} over {} known cases. Here {:.2} \
             over {}: {}. It is what the seats say of themselves; read some of it too.",
            self.name,
            self.mean_asked_above,
            self.known_cases_asked,
            self.mean,
            counted(self.known_cases, "case"),
            if self.fit { "met" } else { "not met" }
        )
    }
}

fn prose(text: &str, width: usize) -> String {
    let lines = output::wrap(text, width, width);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The gauges of the protocol alone; everything else is in `elenchus metrics`.
fn quality(debates: &[DebateRow]) -> Result<Report> {
    let mut report = metrics::compute_report(debates, &metrics::ReportSettings::default())?;
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
fn notes(many: &Arm, one: &Arm) -> Vec<String> {
    let mut notes = Vec::new();
    let (a, b) = (&many.manifest, &one.manifest);
    if a.dataset.sha256 != b.dataset.sha256 {
        notes.push(format!(
            "the runs read different files, {} and {}: only questions of the same id are compared",
            a.dataset.path, b.dataset.path
        ));
    }
    if a.seed != b.seed {
        notes.push(format!(
            "the runs have different seeds, {} and {}",
            a.seed, b.seed
        ));
    }
    if a.rollouts != b.rollouts {
        notes.push(format!(
            "the runs play each question {} and {} times",
            a.rollouts, b.rollouts
        ));
    }
    for (letter, arm) in [("A", many), ("B", one)] {
        let said: BTreeSet<&String> = arm.rows.iter().flat_map(|row| &row.self_judging).collect();
        notes.extend(said.iter().map(|sentence| format!("{letter}: {sentence}")));
    }
    notes
}

/// One run and its debates.
struct Arm {
    manifest: Manifest,
    done: usize,
    rows: Vec<DebateRow>,
}

impl Arm {
    fn read(shop: &Workshop, run: &RunId) -> Result<Self> {
        let state = read_run(&shop.layout.run(run.as_str())?)?;
        Ok(Self {
            done: state.finished.len(),
            manifest: state.manifest,
            rows: run_rows(&shop.layout, run, &shop.library.families()?)?,
        })
    }

    /// All debates of a run are of one arm, for it has one cast.
    fn name(&self) -> Result<String> {
        let run = &self.manifest.run;
        let mut arms: Vec<&str> = self.rows.iter().map(|row| row.arm.as_str()).collect();
        arms.sort_unstable();
        arms.dedup();
        match arms.as_slice() {
            [arm] => Ok((*arm).to_owned()),
            [] => bail!(
                "run {run} has no debate that was played to its end; go on with it: elenchus run \
                 --resume {run}"
            ),
            _ => bail!(
                "run {run} has {} arms; a golden set is played by one",
                arms.len()
            ),
        }
    }

    /// How many of the debates played to their end came out right or wrong.
    fn graded(&self) -> String {
        let outcome = |row: &&DebateRow| metrics::outcome_right(row).is_some();
        let graded = self.rows.iter().filter(outcome).count();
        format!("{graded} of {}", counted(self.rows.len(), "debate"))
    }

    fn to_json(&self) -> ArmJson {
        ArmJson {
            run: self.manifest.run.clone(),
            protocol: self.manifest.protocol.id.to_string(),
            seed: self.manifest.seed,
            done: self.done,
            of: usize::try_from(self.manifest.items).unwrap_or(usize::MAX),
            right_by: if self.rows.iter().any(|row| row.concludes) {
                "the debate's conclusion"
            } else {
                "the last graded answer"
            },
        }
    }
}
