//! Summary of a prompt comparison so far, the same for every screen and command.

use super::event::{AbCell, AbContext, AbStop};
use super::report::AbRows;
use super::state::AbState;
use elenchus_game::debate::{SessionId, TopicKey};
use elenchus_metrics::{
    Flip, PreferencePair, PreferenceReport, PromptComparison, PromptComparisonError,
    PromptEvidence, PromptSample, Resampling, SequenceReport, compare_prompts, confidence_sequence,
    error_rate_difference, summarize_preferences,
};
use elenchus_records::workspace::Result;
use elenchus_store::Layout;
use elenchus_text::{Paragraph, PromptFigures, Role};

/// Questions and turns that came to nothing and are named.
const MAX_FAULTS: usize = 20;

/// A topic that came out differently, with where to open it.
#[derive(Debug, Clone, PartialEq)]
pub struct AbFlip {
    pub flip: Flip,
    /// The samples of both arms on that topic, in the store of tries unless they were adopted.
    pub samples: [Vec<(AbCell, SessionId)>; 2],
}

/// Summary of a comparison.
#[derive(Debug, Clone)]
pub struct AbSummary {
    pub reads: PromptEvidence,
    pub comparison: Result<PromptComparison, PromptComparisonError>,
    /// Of the difference of error rates, B − A; `None` where no turn was judged.
    pub sequence: Option<SequenceReport>,
    /// `None` without a preference judge, or before its first answer.
    pub preference: Option<PreferenceReport>,
    /// Worst for B first.
    pub flips: Vec<AbFlip>,
    /// Planned samples that are not there; a comparison that settled does not miss them.
    pub missing: usize,
}

impl AbSummary {
    /// Returns the figures of a comparison in paragraphs, and what could not be tried or asked.
    pub fn to_paragraphs(&self, state: &AbState) -> Vec<Paragraph> {
        let manifest = &state.manifest;
        let [a, b] = &manifest.plan.arms;
        let judge = manifest.plan.preference.as_ref();
        let judge = judge.map(|asked| format!("{} ({})", asked.judge, asked.rubric));
        let figures = PromptFigures {
            names: [&a.name, &b.name],
            reads: self.reads,
            comparison: self.comparison.as_ref().ok(),
            sequence: self.sequence.as_ref(),
            is_stopped_early: !manifest.plan.stop.is_fixed(),
            preference: judge.map(|judge| (judge, self.preference.as_ref())),
        };
        let mut page = figures.to_paragraphs();
        let missing_answers = state.unanswered.values().take(MAX_FAULTS);
        let missing_answers = missing_answers.map(|why| format!("no answer: {why}"));
        let impossible = state.impossible.iter().take(MAX_FAULTS);
        let impossible = impossible
            .map(|(place, why)| format!("turn {} could not be tried: {why}", place.context));
        let faults = missing_answers.chain(impossible);
        page.extend(faults.map(|why| Paragraph::new(Role::Error, why)));
        page
    }
}

/// Returns the summary of a comparison. Blocks while it reads its samples.
///
/// # Errors
/// When a sample or the session that it was tried on cannot be read.
pub fn read_ab_summary(layout: &Layout, state: &AbState) -> Result<AbSummary> {
    let mut rows = AbRows::default();
    rows.read_samples(layout, state)?;
    Ok(summarize_samples(&rows, state))
}

/// Returns what a comparison says by samples that were read.
pub fn summarize_samples(rows: &AbRows, state: &AbState) -> AbSummary {
    let [a, b] = rows.samples_by_arm();
    let plan = Resampling::from_seed(state.manifest.plan.seed);
    let comparison = compare_prompts(&a, &b, plan);
    let flips = comparison.iter().flat_map(|compared| &compared.flips);
    let flips = flips.map(|flip| AbFlip {
        samples: [0, 1].map(|arm| find_topic_samples(rows, state, &flip.topic_key, arm)),
        flip: flip.clone(),
    });
    let sequence = compute_sequence(rows, state);
    let is_stopped_early = sequence.is_settled() && !state.manifest.plan.stop.is_fixed();
    let missing = match is_stopped_early {
        true => 0,
        false => state.missing_cells().len(),
    };
    AbSummary {
        reads: choose_evidence(state, missing),
        flips: flips.collect(),
        sequence: (!sequence.points.is_empty()).then_some(sequence),
        preference: compute_preference(rows, state, plan),
        comparison,
        missing,
    }
}

/// Sums up what the judge said about each pair; both orders must be answered.
fn compute_preference(
    rows: &AbRows,
    state: &AbState,
    plan: Resampling,
) -> Option<PreferenceReport> {
    let judge = state.manifest.judge.as_deref()?;
    let mut pairs = Vec::new();
    let mut missing = 0;
    for place in state.planned_cells().filter(|place| place.arm == 0) {
        let answers = place
            .to_pairs()
            .map(|pair| Some(state.answers.get(&pair)?.said));
        match (answers, rows.find_row(place)) {
            ([Some(first), Some(second)], Some(row)) => pairs.push(PreferencePair {
                topic: row.topic.clone(),
                simulated: row.simulated || judge.player.simulated,
                said: [first, second],
            }),
            (_, Some(_) | None) => missing += 1,
        }
    }
    let mut report = summarize_preferences(&pairs, missing, plan).filter(|_| !pairs.is_empty())?;
    if judge.is_kin {
        let kin =
            "the judge is of one family with a seat that it judges, and models favour their own";
        report.warnings.push(kin.to_owned());
    }
    Some(report)
}

fn choose_evidence(state: &AbState, missing: usize) -> PromptEvidence {
    match state.manifest.plan.stop {
        AbStop::Fixed if missing == 0 || state.completed => PromptEvidence::FixedN,
        AbStop::Fixed | AbStop::Settled { .. } => PromptEvidence::Sequence,
    }
}

fn find_topic_samples(
    rows: &AbRows,
    state: &AbState,
    topic: &TopicKey,
    arm: u8,
) -> Vec<(AbCell, SessionId)> {
    let of_topic = |context: &AbContext| rows.topic_key(context) == Some(topic);
    let samples = state
        .played
        .iter()
        .filter(|(place, _)| place.arm == arm && state.find_context(**place).is_some_and(of_topic));
    samples
        .map(|(place, played)| (*place, played.session.clone()))
        .collect()
}

/// Watches the error rates' difference topic by topic, in the planned order: a topic counts when all
/// its samples are there, and those before it, so that what answers quickly has no say.
pub(super) fn compute_sequence(rows: &AbRows, state: &AbState) -> SequenceReport {
    let mut differences = Vec::new();
    let (mut without_value, mut waiting) = (0, 0);
    for places in group_cells(rows, state) {
        let is_tried = |place: &AbCell| {
            state.played.contains_key(place) || state.impossible.contains_key(place)
        };
        if waiting > 0 || !places.iter().all(is_tried) {
            waiting += 1;
            continue;
        }
        match compute_difference(rows, state, &places) {
            Some(difference) => differences.push(difference),
            None => without_value += 1,
        }
    }
    let sequence = confidence_sequence(&differences, state.manifest.plan.stop.alpha());
    SequenceReport {
        without_value,
        waiting,
        ..sequence
    }
}

/// Returns the places of every topic, in the order in which topics come first.
fn group_cells(rows: &AbRows, state: &AbState) -> Vec<Vec<AbCell>> {
    let mut topics: Vec<Vec<AbCell>> = Vec::new();
    let mut indices = std::collections::BTreeMap::new();
    for place in state.planned_cells() {
        let Some(context) = state.find_context(place) else {
            continue;
        };
        let at = *indices
            .entry(rows.topic_key(context))
            .or_insert(topics.len());
        match topics.get_mut(at) {
            Some(places) => places.push(place),
            None => topics.push(vec![place]),
        }
    }
    topics
}

/// A topic with a sample that failed has no difference: half of it would be missing.
fn compute_difference(rows: &AbRows, state: &AbState, places: &[AbCell]) -> Option<f64> {
    if !places.iter().all(|place| state.is_whole(*place)) {
        return None;
    }
    let of_arm = |arm: u8| -> Vec<&PromptSample> {
        let places = places.iter().filter(|place| place.arm == arm);
        places.filter_map(|place| rows.find_row(*place)).collect()
    };
    error_rate_difference(&of_arm(0), &of_arm(1))
}
