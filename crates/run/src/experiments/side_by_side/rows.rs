//! Debates of experiments, each with the arm that it is of.

use super::SideArm;
use crate::experiments::figures::FigureSource;
use crate::experiments::kinds::ListedExperiment;
use elenchus_game::debate::RunId;
use elenchus_metrics::{DebateRow, Dimension, ReportSettings, UnfinishedRuns, teaching_runs};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::rows::unfinished_runs;
use elenchus_records::workspace::{Result, StoreIndex, reject};
use std::collections::{BTreeMap, BTreeSet};

/// Debates that are compared.
#[derive(Debug, Clone)]
pub struct ComparedRows {
    pub(super) rows: Vec<DebateRow>,
    /// Runs that wrote a memory of their own.
    teaching: BTreeSet<String>,
    pub(super) unfinished: UnfinishedRuns,
    pub(super) notes: Vec<String>,
    /// What the plan of the only experiment calls its arms, by their names here.
    pub(super) plan_names: BTreeMap<String, String>,
}

/// Reads the debates of experiments, the one that began first before the others. Blocks: journals are read where the
/// index, read for rows, does not know them as they are.
///
/// # Errors
/// When an experiment has no debates of its own, or a session cannot be read.
pub fn read_compared_rows(
    index: &StoreIndex,
    families: &ModelFamilies,
    experiments: &[ListedExperiment],
) -> Result<ComparedRows> {
    let mut in_order: Vec<&ListedExperiment> = experiments.iter().collect();
    in_order.sort_by_key(|one| (&one.summary.begun_at, &one.summary.id));
    let mut rows: Vec<DebateRow> = Vec::new();
    let (mut teaching, mut notes) = (BTreeSet::new(), Vec::new());
    let mut known = BTreeSet::new();
    let mut plan_names = BTreeMap::new();
    for one in in_order {
        let Some(read) = one.kind.arm_rows else {
            return reject(format!(
                "a {} has no debates of its own to compare: unmark {}",
                one.summary.kind, one.summary.id
            ));
        };
        let of_one = read(FigureSource {
            index,
            families,
            id: &one.summary.id,
        })?;
        // A run that is marked beside its sweep counts once.
        let new = of_one.rows.into_iter();
        rows.extend(new.filter(|row| known.insert(row.session.clone())));
        teaching.extend(of_one.teaching);
        plan_names.extend(of_one.plan_names);
        for note in of_one.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    teaching.extend(teaching_runs(&rows));
    Ok(ComparedRows {
        unfinished: unfinished_runs(index, &rows),
        rows,
        teaching,
        notes,
        plan_names: match experiments.len() {
            1 => plan_names,
            // What differs between two plans stands in neither.
            _ => BTreeMap::new(),
        },
    })
}

impl ComparedRows {
    pub(super) fn report_settings(&self) -> ReportSettings {
        ReportSettings {
            by: vec![Dimension::Arm],
            teaching_runs: self.teaching.clone(),
            unfinished: self.unfinished.clone(),
            ..ReportSettings::default()
        }
    }

    /// Lists the arms in the order in which their debates were read.
    pub(super) fn list_arms(&self) -> Vec<SideArm> {
        let mut arms: Vec<SideArm> = Vec::new();
        for row in &self.rows {
            let at = arms.iter().position(|arm| arm.arm == row.arm);
            let at = at.unwrap_or_else(|| {
                arms.push(SideArm {
                    arm: row.arm.clone(),
                    name: row.arm.clone(),
                    runs: Vec::new(),
                    shares_runs: false,
                });
                arms.len() - 1
            });
            let run = row.origin.run.as_deref().map(RunId::new);
            if let Some((arm, run)) = arms.get_mut(at).zip(run)
                && !arm.runs.contains(&run)
            {
                arm.runs.push(run);
            }
        }
        let shared: Vec<bool> = arms
            .iter()
            .map(|arm| {
                let others = arms.iter().filter(|other| other.arm != arm.arm);
                let mut runs = others.flat_map(|other| &other.runs);
                runs.any(|run| arm.runs.contains(run))
            })
            .collect();
        for (arm, shares_runs) in arms.iter_mut().zip(shared) {
            arm.shares_runs = shares_runs;
        }
        arms
    }
}
