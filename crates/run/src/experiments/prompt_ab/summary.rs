//! Summary of a prompt comparison so far, the same for every screen and command.

use super::event::{AbCell, AbStop};
use super::report::AbRows;
use super::state::AbState;
use super::topics::{AbTopic, list_topics};
use elenchus_metrics::{
    PreferencePair, PreferenceReport, PromptComparison, PromptComparisonError, PromptEvidence,
    PromptSample, Resampling, SequenceReport, compare_prompts, confidence_sequence,
    error_rate_difference, summarize_preferences,
};
use elenchus_records::workspace::Result;
use elenchus_store::Layout;
use elenchus_text::{Paragraph, PromptFigures, Role};

/// Questions and turns that came to nothing and are named.
const MAX_FAULTS: usize = 20;

/// Summary of a comparison.
#[derive(Debug, Clone)]
pub struct AbSummary {
    pub reads: PromptEvidence,
    pub comparison: Result<PromptComparison, PromptComparisonError>,
    /// Of the difference of error rates, B − A; `None` where no turn was judged.
    pub sequence: Option<SequenceReport>,
    /// `None` without a preference judge, or before its first answer.
    pub preference: Option<PreferenceReport>,
    /// Topics that came out differently, the worse for B first, and then all others.
    pub topics: Vec<AbTopic>,
    /// A and B have the same words on every turn that was tried.
    pub is_one_text: bool,
    /// Planned samples that are not there; a comparison that settled does not miss them.
    pub missing: usize,
}

impl AbSummary {
    /// Returns the figures of a comparison in paragraphs, and what could not be tried or asked.
    pub fn to_paragraphs(&self, state: &AbState) -> Vec<Paragraph> {
        let mut page = self.figures(state).to_paragraphs();
        let missing_answers = state.unanswered.values().take(MAX_FAULTS);
        let missing_answers = missing_answers.map(|why| format!("no answer: {why}"));
        let impossible = state.impossible.iter().take(MAX_FAULTS);
        let impossible = impossible
            .map(|(place, why)| format!("turn {} could not be tried: {why}", place.context));
        let faults = missing_answers.chain(impossible);
        page.extend(faults.map(|why| Paragraph::new(Role::Error, why)));
        page
    }

    /// Returns the sentence that the comparison comes to; `None` where nothing is paired yet.
    pub fn conclusion(&self, state: &AbState) -> Option<String> {
        self.figures(state).conclusion()
    }

    fn figures<'a>(&'a self, state: &'a AbState) -> PromptFigures<'a> {
        let plan = &state.manifest.plan;
        let [a, b] = &plan.arms;
        let judge = plan.preference.as_ref();
        let judge = judge.map(|asked| format!("{} ({})", asked.judge, asked.rubric));
        PromptFigures {
            names: [&a.name, &b.name],
            reads: self.reads,
            comparison: self.comparison.as_ref().ok(),
            sequence: self.sequence.as_ref(),
            is_stopped_early: !plan.stop.is_fixed(),
            is_one_text: self.is_one_text,
            asked_alone: plan.context_kind().noun_alone(),
            preference: judge.map(|judge| (judge, self.preference.as_ref())),
        }
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
    let sequence = compute_sequence(rows, state);
    let is_stopped_early = sequence.is_settled() && !state.manifest.plan.stop.is_fixed();
    let missing = match is_stopped_early {
        true => 0,
        false => state.missing_cells().len(),
    };
    AbSummary {
        reads: choose_evidence(state, missing),
        topics: list_topics(rows, state),
        is_one_text: rows.are_of_one_text(),
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
