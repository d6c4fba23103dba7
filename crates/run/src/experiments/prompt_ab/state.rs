//! State of a prompt comparison: a fold over its journal.

use super::event::{AbAnswer, AbCell, AbContext, AbEvent, AbManifest, AbPair, ContextKind};
use crate::experiments::prompt_trial::SampleEnd;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Expense, SessionId};
use elenchus_records::workspace::{
    ExperimentEvent, ExperimentSummary, Intake, ItemCounts, JournalKind, ProgressMark, Result,
    Standing, fold_experiment, has_fields, is_cost_known,
};
use elenchus_store::{JournalLine, JournalType};
use elenchus_text::format_grouped_count;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A sample as the journal has it.
#[derive(Debug, Clone, PartialEq)]
pub struct AbPlayed {
    pub session: SessionId,
    pub failed: Option<String>,
}

/// A comparison as far as it is known.
#[derive(Debug, Clone)]
pub struct AbState {
    pub manifest: AbManifest,
    pub begun_at: String,
    pub played: BTreeMap<AbCell, AbPlayed>,
    pub impossible: BTreeMap<AbCell, String>,
    pub answers: BTreeMap<AbPair, AbAnswer>,
    /// Why the judge of a preference gave no answer.
    pub unanswered: BTreeMap<AbPair, String>,
    /// What all that was asked may have used at most.
    pub committed: Expense,
    /// Whether that is all, as far as the journal says.
    pub is_cost_known: bool,
    /// Questions without a recorded result, at their worst case.
    open: BTreeMap<AbPair, Expense>,
    pub paused: Option<String>,
    pub completed: bool,
}

impl AbState {
    /// Says what both prompts are tried on.
    pub fn context_kind(&self) -> ContextKind {
        self.manifest.plan.context_kind()
    }

    /// Returns how many samples are there, of how many.
    pub fn describe_progress(&self) -> String {
        let plan = &self.manifest.plan;
        let all = 2 * plan.contexts.len() * plan.samples as usize;
        let there = self.played.values().filter(|one| one.failed.is_none());
        format!(
            "{} of {}",
            there.count(),
            format_grouped_count(all, "sample")
        )
    }

    /// Names the template and both prompts.
    pub fn title(&self) -> String {
        let [a, b] = &self.manifest.plan.arms;
        let template = &self.manifest.plan.template;
        format!("{template}: {} against {}", a.name, b.name)
    }

    /// Returns in one line how far it is, how it is played, and its id.
    pub fn describe(&self) -> String {
        let end = match (&self.paused, self.completed) {
            (Some(why), _) => format!("paused: {why}"),
            (None, true) => "complete".to_owned(),
            (None, false) => "not played to its end".to_owned(),
        };
        let roll = self.manifest.plan.roll.describe();
        let id = &self.manifest.id;
        format!("{}, {roll}, {end} · {id}", self.describe_progress())
    }
}

impl AbState {
    fn from_manifest(manifest: AbManifest, at: &str) -> Self {
        Self {
            manifest,
            begun_at: at.to_owned(),
            played: BTreeMap::new(),
            impossible: BTreeMap::new(),
            answers: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            open: BTreeMap::new(),
            committed: Expense::default(),
            is_cost_known: true,
            paused: None,
            completed: false,
        }
    }

    /// Returns what a sample is played on.
    pub fn find_context(&self, place: AbCell) -> Option<&AbContext> {
        let at = usize::try_from(place.context).ok()?;
        self.manifest.plan.contexts.get(at)
    }

    /// Returns the places of every planned sample, context by context, both arms of a sample together.
    pub fn planned_cells(&self) -> impl Iterator<Item = AbCell> + '_ {
        let contexts = u32::try_from(self.manifest.plan.contexts.len()).unwrap_or(u32::MAX);
        let samples = self.manifest.plan.samples;
        (0..contexts).flat_map(move |context| {
            (0..samples).flat_map(move |sample| {
                (0..2).map(move |arm| AbCell {
                    context,
                    arm,
                    sample,
                })
            })
        })
    }

    /// Returns what is still to be played, context by context, both arms of a sample together.
    pub fn missing_cells(&self) -> Vec<AbCell> {
        let is_missing =
            |place: &AbCell| !self.is_whole(*place) && !self.impossible.contains_key(place);
        self.planned_cells().filter(is_missing).collect()
    }

    /// Says whether a sample was played to its end.
    pub(super) fn is_whole(&self, place: AbCell) -> bool {
        let sample = self.played.get(&place);
        sample.is_some_and(|played| played.failed.is_none())
    }

    /// Returns the questions to the judge of a preference that can be asked and are not answered.
    pub fn open_pairs(&self) -> Vec<AbPair> {
        if self.manifest.judge.is_none() {
            return Vec::new();
        }
        let first = self.planned_cells().filter(|place| place.arm == 0);
        let both = first
            .filter(|first| self.is_whole(*first) && self.is_whole(AbCell { arm: 1, ..*first }));
        let pairs = both.flat_map(AbCell::to_pairs);
        pairs
            .filter(|pair| !self.answers.contains_key(pair))
            .collect()
    }

    /// A question is over: its worst case becomes what it did cost, or may have cost.
    fn settle_question(&mut self, pair: AbPair, committed: Expense) {
        let open = self.open.remove(&pair).unwrap_or_default();
        self.committed = self.committed.plus(committed).minus(open);
    }

    fn apply_event(&mut self, event: AbEvent) {
        match event {
            // One begins it; the reader has checked that.
            AbEvent::Begun(_) => {}
            AbEvent::Resumed { ceilings } => {
                self.paused = None;
                self.completed = false;
                self.manifest.plan.ceilings = self.manifest.plan.ceilings.with_overrides(ceilings);
            }
            AbEvent::Played {
                place,
                session,
                failed,
                committed,
                priced,
            } => {
                self.committed = self.committed.plus(committed);
                self.is_cost_known &= is_cost_known(priced, committed.usd);
                self.played.remove(&place);
                if !is_held_up(failed.as_deref()) {
                    self.played.insert(place, AbPlayed { session, failed });
                }
            }
            AbEvent::Asked { pair, worst_case } => {
                self.committed = self.committed.plus(worst_case);
                self.open.insert(pair, worst_case);
            }
            AbEvent::Answered {
                pair,
                answer,
                committed,
            } => {
                self.settle_question(pair, committed);
                self.unanswered.remove(&pair);
                self.answers.insert(pair, *answer);
            }
            AbEvent::Unanswered {
                pair,
                why,
                committed,
            } => {
                self.settle_question(pair, committed);
                if !is_held_up(Some(&why)) {
                    self.unanswered.insert(pair, why);
                }
            }
            AbEvent::Impossible { place, why } => {
                self.impossible.insert(place, why);
            }
            AbEvent::Paused { why } => self.paused = Some(why),
            AbEvent::Completed {} => self.completed = true,
        }
    }
}

/// Reason of what a ceiling held up.
pub(super) const HELD_UP: &str = "the ceiling allowed no more calls";
/// Reason of what a person stopped.
pub(super) const STOPPED: &str = "it was stopped";

/// Says whether a sample or a question did not fail: it is still to come, and what it used counts.
fn is_held_up(failed: Option<&str>) -> bool {
    failed.is_some_and(|why| [HELD_UP, STOPPED].contains(&why))
}

/// Says why a sample is not as long as was asked.
pub(super) fn explain_incomplete_sample(end: &SampleEnd) -> Option<String> {
    match end {
        SampleEnd::Played => None,
        SampleEnd::Failed(why) => Some(why.clone()),
        SampleEnd::Paused => Some(HELD_UP.to_owned()),
        SampleEnd::Stopped => Some(STOPPED.to_owned()),
    }
}

impl JournalType for AbEvent {
    type Event = Self;
    const KIND: &'static str = "comparison";
}

impl JournalKind for AbEvent {
    type State = AbState;
    const NAMES: (&'static str, &'static str) = ("comparison", "comparisons");
    const FOLDERS: &'static [&'static str] = &["tries/ab"];
    const INTAKE: Intake = Intake::Freely;
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["arms", "contexts"])
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<AbState> {
        fold_experiment(path, lines)
    }
}

impl ExperimentEvent for AbEvent {
    fn resume_event(ceilings: Ceilings) -> Self {
        Self::Resumed { ceilings }
    }

    fn pause_event(why: String) -> Self {
        Self::Paused { why }
    }

    fn completion_event() -> Self {
        Self::Completed {}
    }

    /// What failed cannot be distinguished from what no prompt can be tried on: both are left out.
    fn incomplete_event(_missing: usize) -> Self {
        Self::Completed {}
    }

    fn begin_state(&self, at: &str) -> Option<AbState> {
        let Self::Begun(manifest) = self else {
            return None;
        };
        Some(AbState::from_manifest((**manifest).clone(), at))
    }

    fn apply_event(state: &mut AbState, _at: &str, event: Self) {
        state.apply_event(event);
    }

    fn progress_mark(&self) -> Option<ProgressMark> {
        match self {
            Self::Begun(_) | Self::Resumed { .. } => Some(ProgressMark::Begins),
            Self::Played { .. } => Some(ProgressMark::FinishesItem),
            Self::Asked { .. }
            | Self::Answered { .. }
            | Self::Unanswered { .. }
            | Self::Impossible { .. }
            | Self::Paused { .. }
            | Self::Completed {} => None,
        }
    }

    fn summarize(state: &AbState) -> ExperimentSummary {
        let manifest = &state.manifest;
        let [a, b] = &manifest.plan.arms;
        let sample_failures = state
            .played
            .iter()
            .filter_map(|(cell, played)| Some((cell.to_string(), played.failed.clone()?)));
        let failures: Vec<(String, String)> = sample_failures.collect();
        let committed_usd = state.is_cost_known.then_some(state.committed.usd);
        ExperimentSummary {
            kind: "comparison",
            id: manifest.id.clone(),
            about: format!("{}: {} against {}", manifest.plan.template, a.name, b.name),
            begun_at: state.begun_at.clone(),
            items: ItemCounts {
                all: Some(state.planned_cells().count() as u64),
                done: (state.played.len() - failures.len()) as u64,
                failed: failures.len() as u64,
            },
            item_names: ("sample", "samples"),
            standing: Standing::from_journal(state.paused.as_ref(), state.completed),
            ceilings: manifest.plan.ceilings,
            committed_usd,
            ended_usd: committed_usd,
            filtered: 0,
            failures,
            setup: None,
            runs: Vec::new(),
            in_batch: 0,
            is_shard: false,
            repeat: manifest.plan.repeat.clone(),
        }
    }
}
