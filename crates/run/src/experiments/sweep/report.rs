//! Report of a sweep: figures of each arm, and every arm against the first one, paired by topic.
//!
//! An arm's figures wait until each of its points was tried, so that half of a planned number is never shown
//! (FIGURES 5). Its seeds and rollouts are observations within their topics.

use crate::experiments::LeftOutOfTraining;
use crate::experiments::arm_rows::ArmRows;
use elenchus_game::debate::{RunId, TopicKey};
use elenchus_metrics::{
    ComparisonSettings, DebateRow, Dimension, Measure, Report, ReportError, ReportSettings,
    Resampling, arms_to_table, compare_groups, comparison_to_table, compute_report,
};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::rows::{RowReader, journal_rows};
use elenchus_records::workspace::run::{RunState, read_begun_run, read_run};
use elenchus_records::workspace::sweep::{PointStanding, SweepState};
use elenchus_records::workspace::{
    ReportKey, Result, StoreIndex, WorkspaceError, missing_sessions, reject,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Measures that arms are compared by.
const COMPARED: [Measure; 3] = [
    Measure::ErrorRate,
    Measure::AgreementRate,
    Measure::OutcomeRight,
];

/// Results of a sweep so far.
#[derive(Debug, Clone)]
pub struct SweepReport {
    /// In the order in which they are played.
    pub arms: Vec<ArmFigures>,
    /// A section for each arm that was tried, apart for simulated debates and hashes.
    pub report: Report,
    /// Other arms against the first one.
    pub comparisons: Option<Report>,
    /// Notes on what the figures cover.
    pub notes: Vec<String>,
}

impl SweepReport {
    /// Returns notes, figures by arm and comparisons as text of at most `width` columns, or of the least that
    /// a table needs.
    pub fn to_text(&self, width: usize) -> String {
        let names: Vec<String> = self.arms.iter().map(|arm| arm.name.clone()).collect();
        let notes = self.notes.iter().map(|note| format!("! {note}\n"));
        let mut text: String = notes.collect();
        if !self.report.sections.is_empty() {
            text.push('\n');
            text.push_str(&arms_to_table(&self.report, &names, width));
        }
        if let Some(comparisons) = &self.comparisons {
            text.push('\n');
            text.push_str(&comparison_to_table(comparisons, width));
        }
        text
    }
}

/// An arm of a report.
#[derive(Debug, Clone, Serialize)]
pub struct ArmFigures {
    pub name: String,
    pub debates: ArmProgress,
    pub runs: Vec<RunId>,
}

/// Debates of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ArmProgress {
    pub planned: usize,
    pub finished: usize,
    pub failed: usize,
    /// Each of its points was tried: it has figures.
    pub tried: bool,
}

/// Computes the figures of a sweep.
///
/// # Errors
/// When a run or a session cannot be read, or a session that was finished is gone.
pub fn compute_sweep_report(
    index: &StoreIndex,
    state: &SweepState,
    families: &ModelFamilies,
    plan: Resampling,
) -> Result<SweepReport> {
    let reading = Reading::load(index, state, families)?;
    let settings = ReportSettings {
        by: vec![Dimension::Arm],
        resampling: plan,
        teaching_runs: reading.teaching.clone(),
        ..ReportSettings::default()
    };
    let key = ReportKey::from_rows("report", &settings, &reading.rows);
    let report = index.cached_report(key, || compute_report(&reading.rows, &settings));
    let report = report.map_err(|error: ReportError| WorkspaceError::Invalid(error.to_string()))?;
    Ok(SweepReport {
        comparisons: reading.compare_arms(index, &settings),
        notes: reading.list_notes(state),
        arms: reading.arms,
        report,
    })
}

/// Debates that the figures of a sweep are of.
#[derive(Debug, Clone)]
pub struct SweepRows {
    /// Each under the name of its arm; those of arms that were tried.
    pub rows: Vec<DebateRow>,
    /// Runs that wrote a memory of their own.
    pub teaching_runs: BTreeSet<String>,
}

/// Reads the debates that [`compute_sweep_report`] counts, for other figures of the same.
///
/// # Errors
/// When a run or a session cannot be read, or a session that was finished is gone.
pub fn read_sweep_rows(
    index: &StoreIndex,
    state: &SweepState,
    families: &ModelFamilies,
) -> Result<SweepRows> {
    let reading = Reading::load(index, state, families)?;
    Ok(SweepRows {
        rows: reading.rows,
        teaching_runs: reading.teaching,
    })
}

/// Reads the debates of all arms that were tried, to stand beside those of other experiments: an arm is called as its
/// debates call it, where they agree; otherwise, as where each seed has a memory of its own, as the plan does, with
/// the sweep.
///
/// # Errors
/// As [`compute_sweep_report`].
pub(in crate::experiments) fn read_arms_of_sweep(
    index: &StoreIndex,
    state: &SweepState,
    families: &ModelFamilies,
) -> Result<ArmRows> {
    let mut reading = Reading::load(index, state, families)?;
    let mut names: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for (number, name) in &reading.own_names {
        names.entry(*number).or_default().insert(name);
    }
    let sweep = &state.manifest.sweep;
    let mut plan_names = BTreeMap::new();
    for (row, (number, own)) in reading.rows.iter_mut().zip(&reading.own_names) {
        let name = match names.get(number).map(BTreeSet::len) {
            Some(1) => own.clone(),
            _ => format!("{} sweep={sweep}", row.arm),
        };
        let plan_name = std::mem::replace(&mut row.arm, name);
        plan_names.insert(row.arm.clone(), plan_name);
    }
    Ok(ArmRows {
        notes: reading.list_notes(state),
        rows: reading.rows,
        teaching: reading.teaching,
        plan_names,
    })
}

/// Debates of all arms that were tried.
struct Reading {
    arms: Vec<ArmFigures>,
    rows: Vec<DebateRow>,
    /// By which name each of the rows calls its arm itself, with the number of its arm here.
    own_names: Vec<(usize, String)>,
    /// Runs that wrote a memory of their own: the points of one arm are its learning runs.
    teaching: BTreeSet<String>,
    /// Figures are over topics that memory was not written from.
    held_out: bool,
    /// Debates whose debaters were not trained as was asked.
    left_out: LeftOutOfTraining,
}

impl Reading {
    fn load(index: &StoreIndex, state: &SweepState, families: &ModelFamilies) -> Result<Self> {
        let layout = index.layout();
        let manifest = &state.manifest;
        let mut arms: Vec<ArmFigures> = (0..)
            .zip(&manifest.arms)
            .map(|(number, arm)| ArmFigures {
                name: arm.name.clone(),
                debates: ArmProgress {
                    planned: 0,
                    finished: 0,
                    failed: 0,
                    tried: state.planned && state.is_tried(number),
                },
                runs: Vec::new(),
            })
            .collect();
        let mut runs: Vec<(usize, u64, RunState)> = Vec::new();
        for point in &manifest.points {
            let path = layout.run_path(point.run.as_str())?;
            let number = point.arm as usize;
            let Some(arm) = arms.get_mut(number) else {
                continue;
            };
            arm.runs.push(point.run.clone());
            let begun = match state.planned {
                true => Some(read_run(&path)?),
                false => read_begun_run(&path)?,
            };
            let Some(run) = begun else {
                continue;
            };
            arm.debates.planned += run.items.len();
            arm.debates.finished += run.finished.len();
            arm.debates.failed += run.failed.len();
            if arm.debates.tried {
                runs.push((number, point.seed, run));
            }
        }
        let held_out = find_held_out_topics(&runs);
        let teaching = runs
            .iter()
            .filter(|(_, _, run)| run.manifest.memory.writes)
            .map(|(_, _, run)| run.manifest.run.to_string())
            .collect();
        let mut reader = RowReader::new(index, families);
        let (mut rows, mut own_names) = (Vec::new(), Vec::new());
        let mut left_out = LeftOutOfTraining::default();
        for (number, seed, run) in &runs {
            if let Some(reason) = missing_sessions(layout, run)?.first() {
                let id = &run.manifest.run;
                return reject(format!("run {id}: {reason}"));
            }
            let seed_topics = held_out.get(seed);
            let items = run.items.iter().filter(|item| {
                seed_topics.is_none_or(|topics| topics.contains(&item.topic.compute_key()))
            });
            let mut sessions = Vec::new();
            for item in items {
                if layout.session_path(item.session.as_str())?.exists() {
                    sessions.push(&item.session);
                }
            }
            for told in journal_rows(index, &sessions) {
                if let Some(mut row) = reader.complete_row(told?)? {
                    if left_out.leaves_out(&row) {
                        continue;
                    }
                    // Its own name holds the seed's namespace of memory.
                    own_names.push((*number, row.arm));
                    row.arm = arms.get(*number).map_or("", |arm| &arm.name).to_owned();
                    rows.push(row);
                }
            }
        }
        Ok(Self {
            arms,
            rows,
            own_names,
            teaching,
            held_out: !held_out.is_empty(),
            left_out,
        })
    }

    /// Compares arms with the first one, once all were tried: p-values are adjusted over all of them.
    fn compare_arms(&self, index: &StoreIndex, groups: &ReportSettings) -> Option<Report> {
        if !self.arms.iter().all(|arm| arm.debates.tried) {
            return None;
        }
        let mut arms = self.arms.iter().map(|arm| arm.name.clone());
        let first = arms.next()?;
        // An arm of which no debate came to an end has nothing to compare.
        let has_rows = |arm: &String| self.rows.iter().any(|row| row.arm == *arm);
        let others: Vec<String> = arms.filter(has_rows).collect();
        let settings = ComparisonSettings {
            groups: groups.clone(),
            measures: COMPARED.to_vec(),
            within: None,
        };
        let key = ReportKey::from_rows("comparison", &(&first, &others, &settings), &self.rows);
        let report = index.cached_report(key, || {
            compare_groups(&self.rows, &first, &others, &settings)
        });
        report.ok()
    }

    fn list_notes(&self, state: &SweepState) -> Vec<String> {
        let mut notes = Vec::new();
        let open_count = self.arms.iter().filter(|arm| !arm.debates.tried).count();
        if open_count > 0 {
            notes.push(format!(
                "{open_count} of {} arms wait for their planned number of debates and have no figures yet; \
                 comparisons wait for all",
                self.arms.len()
            ));
        }
        let failure_count = state.tried.values().map(|standing| match standing {
            PointStanding::Finished { .. } => 0,
            PointStanding::Failed { debates, .. } => *debates,
        });
        let failure_count: u64 = failure_count.sum();
        if failure_count > 0 {
            notes.push(format!(
                "{failure_count} debates failed: what they would have shown is missing"
            ));
        }
        if self.held_out {
            notes.push("over the topics that memory was not written from, in every arm".to_owned());
        }
        notes.extend(self.left_out.describe());
        notes
    }
}

/// Returns for each seed the topics that memory is not written from; none where topics are not split.
fn find_held_out_topics(runs: &[(usize, u64, RunState)]) -> BTreeMap<u64, BTreeSet<TopicKey>> {
    let mut topics_by_seed: BTreeMap<u64, BTreeSet<TopicKey>> = BTreeMap::new();
    for (_, seed, run) in runs
        .iter()
        .filter(|(_, _, run)| run.manifest.split.is_some())
    {
        let held_out = run.items.iter().filter(|item| !item.teaches);
        let topics = held_out.map(|item| item.topic.compute_key());
        topics_by_seed.entry(*seed).or_default().extend(topics);
    }
    topics_by_seed
}
