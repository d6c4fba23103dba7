//! What optimising a seat's reward would do, from rollouts that were played: the best of N, and Boltzmann
//! reweighting.
//!
//! A seat's policy chooses what it says, so rollouts are weighted by what the same answer earned on average: best
//! of N by the chance that it has the largest such reward of N drawn without replacement, the other by
//! exp(r / β), the answers that a penalty of β on the divergence from the policy that was played would lead to, as
//! far as rewards are known. Both lie on one axis, the divergence from the rollouts of the same checkpoint as they
//! were played; checkpoints have no place on it.
//!
//! The decision that pays a reward is no figure of what the reward selects: those debates are chosen in which it
//! was favourable, by luck as well. It is measured on repetitions that know nothing of the choice
//! ([`fresh_draws`]), by cross-fitting: half of the draws chooses, the other measures, and the other way round
//! (Chernozhukov et al. 2018).

mod certain_judge;
mod fresh_draws;
mod measured;
mod notes;
mod rollouts;
mod speech;
mod weights;

use super::report::figure::{Dimension, Figure, FigureKey, Measure, Report, ReportSection};
use super::report::groups::{Group, divide_debates};
use super::report::learning::head_intervals;
use super::report::{ReportError, ReportSettings};
use super::rows::{DebateRow, DecisionLabel};
use super::sections::counting::DebatePool;
use super::statistics::interval::Resampling;
use fresh_draws::FreshDraws;
use measured::Measured;
use rollouts::{Rollouts, rollouts_of};
use std::collections::BTreeSet;
use thiserror::Error;

pub use fresh_draws::repeated_seats;
pub use weights::Selection;

/// Effective rollouts of a topic below which a note says that the weights rest on few.
const FEW_EFFECTIVE: f64 = 2.0;

/// The topics that the points of a curve are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CurveTopics {
    /// Those that all points have, so that a difference between points is none between topics.
    #[default]
    Shared,
    /// Those that each point has.
    OfEachPoint,
}

/// What is selected, and what measures it.
#[derive(Debug, Clone, Copy)]
pub struct SelectionSettings<'a> {
    /// Whose rewards.
    pub seats: &'a [String],
    pub selections: &'a [Selection],
    pub topics: CurveTopics,
    /// Debates that repeat turns of those that are measured; `None` leaves out what only they can tell.
    pub judged_by: Option<&'a [DebateRow]>,
}

/// Why rollouts cannot be weighted, or not be measured by repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SelectionError {
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("the runs that shall measure have no finished debate")]
    NoRepetitions,
    #[error(
        "run {0} repeats nobody's turns: play it with 'run --proposer said:RUN --seed N', of the run that is measured"
    )]
    RepeatsNothing(String),
    #[error(
        "runs {0} and {1} repeat different seats, which answers different questions: measure by one of them at a time"
    )]
    OtherSeats(String, String),
    #[error(
        "the runs that shall measure do not repeat the {0}, whose answers are chosen among: play them with 'run \
         --seat {0}=said:RUN'"
    )]
    SeatNotRepeated(String),
    #[error(
        "the {seat} answers the {before}, whose turns have to be the same in what is chosen among: repeat them too, \
         with 'run --seat {before}=said:RUN --seat {seat}=said:RUN'"
    )]
    BeforeNotRepeated { seat: String, before: String },
    #[error(
        "run {run} repeats run {other}, which is not among what is measured: name it with --run"
    )]
    RepeatsOther { run: String, other: String },
    #[error(
        "run {run} has the seed of run {other} ({seed}): its draws are the same draws again; play it with another --seed"
    )]
    EqualSeeds {
        run: String,
        other: String,
        seed: u64,
    },
    #[error(
        "the runs that shall measure were played by different models, prompts or settings: measure by those of one \
         kind at a time"
    )]
    SeveralPlayers,
}

/// Computes figures of the game under each selection by each seat's reward, in sections like those of a report.
/// The rollouts of a topic are its debates of one arm and checkpoint in which the same was said before the seat
/// spoke; forks are none.
///
/// # Errors
/// When the groups are too many, or repetitions cannot tell what is asked.
pub fn selection_report(
    debates: &[DebateRow],
    settings: &ReportSettings,
    selection_settings: &SelectionSettings<'_>,
) -> Result<Report, SelectionError> {
    let groups = divide_debates(debates, settings)?;
    let measured_debates: Vec<&DebateRow> = groups
        .iter()
        .flat_map(|group| group.pool.debates.iter().copied())
        .collect();
    let fresh = selection_settings.seats.iter().map(|seat| {
        let repetitions = selection_settings.judged_by;
        let fresh = repetitions.map(|rows| FreshDraws::new(&measured_debates, rows, seat));
        fresh.transpose()
    });
    let fresh: Vec<Option<FreshDraws<'_>>> = fresh.collect::<Result<_, _>>()?;
    let mut sections = Vec::new();
    for group in &groups {
        for (seat, fresh) in selection_settings.seats.iter().zip(&fresh) {
            sections.extend(curve_sections(
                group,
                seat,
                fresh.as_ref(),
                settings,
                selection_settings,
            ));
        }
    }
    Ok(Report { sections })
}

/// Returns the sections of one seat's selections.
fn curve_sections(
    group: &Group<'_>,
    seat: &str,
    fresh: Option<&FreshDraws<'_>>,
    settings: &ReportSettings,
    selection_settings: &SelectionSettings<'_>,
) -> Vec<ReportSection> {
    let needs = |selection: &Selection| selection.min_rollouts();
    let most = selection_settings
        .selections
        .iter()
        .map(needs)
        .max()
        .unwrap_or(0);
    let fewest = selection_settings
        .selections
        .iter()
        .map(needs)
        .min()
        .unwrap_or(0);
    let shared_rollouts = match selection_settings.topics {
        CurveTopics::Shared => Some(rollouts_of(&group.pool, seat, most, fresh)),
        CurveTopics::OfEachPoint => None,
    };
    let population = shared_rollouts
        .as_ref()
        .filter(|_| most > fewest)
        .and_then(|shared| {
            let all = rollouts_of(&group.pool, seat, fewest, fresh);
            population_note(shared.topics().len(), all.topics().len())
        });
    let sections = selection_settings.selections.iter().map(|selection| {
        let own;
        let rollouts = match &shared_rollouts {
            Some(shared) => shared,
            None => {
                own = rollouts_of(&group.pool, seat, selection.min_rollouts(), fresh);
                &own
            }
        };
        let measured_rollouts = Measured::new(&group.pool, rollouts, seat, *selection, fresh);
        let mut section = build_selection_section(group, &measured_rollouts, rollouts, settings);
        let needs = match selection_settings.topics {
            CurveTopics::Shared => most,
            CurveTopics::OfEachPoint => selection.min_rollouts(),
        };
        let interval_note = head_intervals(&mut section.figures, &group.learning, |debates| {
            let of_run = DebatePool {
                debates,
                plan: Resampling {
                    resamples: 0,
                    ..group.pool.plan
                },
                ..group.pool.clone()
            };
            let rollouts = rollouts_of(&of_run, seat, needs, fresh);
            Measured::new(&of_run, &rollouts, seat, *selection, fresh).compute_selection_figures()
        });
        section.notes.extend(interval_note);
        section.notes.extend(population.clone());
        section
    });
    sections.collect()
}

/// A difference between the points of a curve must be none between their topics (FIGURES 21).
fn population_note(shared: usize, all: usize) -> Option<String> {
    match (shared, all) {
        (_, 0) => None,
        (shared, all) if shared == all => {
            Some(format!("all points are over the same {shared} topics"))
        }
        (shared, all) => Some(format!(
            "all points are over the {shared} of {all} topics that have enough rollouts for each of them; \
             --all-topics takes for each point what it has"
        )),
    }
}

fn build_selection_section(
    group: &Group<'_>,
    measured: &Measured<'_>,
    rollouts: &Rollouts<'_>,
    settings: &ReportSettings,
) -> ReportSection {
    let mut figures = measured.compute_selection_figures();
    let effective = figures
        .iter()
        .find(|figure| figure.measure == Measure::EffectiveRollouts)
        .and_then(|figure| figure.value);
    let has_measure = |figure: &Figure| settings.measures.contains(&figure.measure);
    if !settings.measures.is_empty() {
        figures.retain(has_measure);
    }
    let mut notes = settings.notes.clone();
    if group.simulated {
        notes.push(
            "simulated: a check of the instrument, no evidence about models or protocols"
                .to_owned(),
        );
    }
    notes.push(
        "no model was trained: rollouts that were played are weighted by what their answers earned on average"
            .to_owned(),
    );
    notes.extend(measured.collect_selection_notes());
    if effective.is_some_and(|rollouts| rollouts < FEW_EFFECTIVE) {
        notes.push(format!(
            "a topic's weights rest on fewer than {FEW_EFFECTIVE} rollouts on average: play more of each topic"
        ));
    }
    let mut keys = group.keys.clone();
    keys.push(FigureKey {
        by: Dimension::Selection,
        value: measured.heading(),
    });
    ReportSection {
        simulated: group.simulated,
        hash_check: group.hash_check,
        group: keys,
        against: Vec::new(),
        debates: rollouts.debate_count(),
        topics: rollouts.topics().len(),
        notes,
        figures,
        advantages: Vec::new(),
    }
}

/// Returns whether the ground truth alone pays, so that an answer earns the same however often it is given.
fn is_paid_by_truth(debates: &[&DebateRow]) -> bool {
    let decisions: BTreeSet<bool> = debates
        .iter()
        .filter_map(|debate| debate.decision)
        .map(|decision| decision.label == DecisionLabel::NoJudge)
        .collect();
    decisions == BTreeSet::from([true])
}
