//! Critic section: what judging rules found in turns, crossed with the truth of the proposal and with the judge's
//! decision. It shows whether a critic stands where the truth is, and whether a kind of critique sways the judge.

use std::collections::{BTreeMap, BTreeSet};

use super::counting::{DebatePool, DebateTally, turn_exclusion_reason};
use super::detector_error;
use super::findings::judged_turn;
use super::game::own_decision;
use super::over_turns::{compares_turns, has_an_earlier_turn};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{
    DebateOutcome, DebateRow, DecisionLabel, DecisionRow, FindingRow, FindingTarget, JudgedBy,
    JudgingResult,
};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::combined_interval::combine_intervals;
use crate::statistics::few_apart::{MIN_TOPICS_APART, topics_apart};
use crate::statistics::interval::{Interval, Resampling, TopicSums, ratio, share_interval};

/// What the critic's claim of an error is known from.
const DECLARED: &str = "as the critic declares";
const BY_DETECTOR: &str = "as a detector of stances finds, not as the critic declares";

/// Figures that are computed where they are asked for by name: a rule has several for each of its labels.
const ON_REQUEST: [Measure; 4] = [
    Measure::LabelGivenCorrect,
    Measure::LabelGivenIncorrect,
    Measure::RejectGivenCorrectWhereFound,
    Measure::RejectionSway,
];

/// Returns the critic's honesty and, of what is asked for, the figures of each label of each rule about turns;
/// empty where no proposal was graded.
pub(crate) fn compute_critic_figures(pool: &DebatePool<'_>, asked: &[Measure]) -> Vec<Figure> {
    let has_graded_proposal = |debate: &&DebateRow| {
        let decision = debate.decision;
        let decided = decision.and_then(|decision| decision.proposal_correct);
        decided.or(debate.undecided_proposal).is_some()
    };
    if !pool.debates.iter().any(has_graded_proposal) {
        return Vec::new();
    }
    let mut stances: BTreeSet<&str> = BTreeSet::new();
    let mut claims: BTreeSet<(JudgedBy, &str)> = BTreeSet::new();
    let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for finding in pool.debates.iter().flat_map(|debate| &debate.findings) {
        if !matches!(finding.about, FindingTarget::Turn { .. })
            || matches!(finding.by, JudgedBy::Truth | JudgedBy::AskedGrader)
        {
            continue;
        }
        if matches!(finding.by, JudgedBy::Declared | JudgedBy::Stance) {
            claims.insert((finding.by, &finding.judging));
        }
        if finding.by == JudgedBy::Declared {
            continue;
        }
        if finding.by == JudgedBy::Stance {
            stances.insert(&finding.judging);
        }
        if let JudgingResult::Label(label) = &finding.found {
            labels.entry(&finding.judging).or_default().insert(label);
        }
    }
    let stances = stances
        .iter()
        .map(|rule| honesty_figure(pool, Rule::from_id(rule, pool)));
    let mut figures: Vec<Figure> = Vec::new();
    for (by, id) in claims {
        figures.extend(claim_figures(pool, by, Rule::from_id(id, pool)));
    }
    figures.extend(stances);
    for measure in ON_REQUEST.into_iter().filter(|one| asked.contains(one)) {
        for (id, labels) in &labels {
            let rule = Rule::from_id(id, pool);
            figures.extend(labels.iter().map(|label| {
                let mut figure = match measure {
                    Measure::LabelGivenCorrect => {
                        label_given_figure(pool, measure, rule, label, true)
                    }
                    Measure::LabelGivenIncorrect => {
                        label_given_figure(pool, measure, rule, label, false)
                    }
                    Measure::RejectGivenCorrectWhereFound => {
                        rejection_share_figure(pool, rule, label)
                    }
                    _ => sway_figure(pool, rule, label),
                };
                match measure {
                    _ if !rule.is_by_detector => {}
                    Measure::LabelGivenCorrect | Measure::LabelGivenIncorrect => {
                        detector_error::add_to_share(&mut figure, label);
                    }
                    _ => detector_error::add_to_selection(&mut figure, label),
                }
                figure
                    .with_key(figure_key(Dimension::Judging, id))
                    .with_key(figure_key(Dimension::Label, label))
                    .with_title(format!("{}, {id}: {label}", measure.label()))
            }));
        }
    }
    figures
}

fn figure_key(by: Dimension, value: &str) -> FigureKey {
    let value = value.to_owned();
    FigureKey { by, value }
}

/// A rule about turns.
#[derive(Debug, Clone, Copy)]
struct Rule<'a> {
    id: &'a str,
    /// It compares a turn with earlier ones of its chair.
    compares_turns: bool,
    /// Its findings are those of the detector of named errors.
    is_by_detector: bool,
}

impl<'a> Rule<'a> {
    fn from_id(id: &'a str, pool: &DebatePool<'_>) -> Self {
        let all = pool.debates.iter().flat_map(|debate| &debate.findings);
        let own = all.filter(|finding| finding.judging == id);
        Self {
            id,
            compares_turns: compares_turns(own.clone()),
            is_by_detector: detector_error::is_by_detector(own),
        }
    }
}

/// Returns the debate's own findings of a rule on turns that can have its labels.
fn rule_findings<'a>(
    debate: &'a DebateRow,
    rule: Rule<'a>,
) -> impl Iterator<Item = &'a FindingRow> {
    let findings = debate.findings.iter();
    let findings = findings.filter(move |finding| {
        finding.judging == rule.id && matches!(finding.about, FindingTarget::Turn { .. })
    });
    findings.filter(move |finding| !rule.compares_turns || has_an_earlier_turn(debate, finding))
}

/// Returns the debate's decision with the truth of its proposal, or the reason why it has none.
fn graded_decision(
    debate: &DebateRow,
    pool: &DebatePool<'_>,
) -> Result<(DecisionRow, bool), LeftOutReason> {
    let decision = own_decision(debate, pool.scope.people);
    // A debate that never came to its judge has no decision, whatever the ground truth says.
    let no_decision_reason = match debate.outcome {
        DebateOutcome::Complete => LeftOutReason::NoGroundTruth,
        DebateOutcome::Truncated | DebateOutcome::Failed(_) => LeftOutReason::Incomplete,
    };
    let decision = decision.unwrap_or(Err(no_decision_reason))?;
    let correct = decision.proposal_correct;
    Ok((decision, correct.ok_or(LeftOutReason::NoGroundTruth)?))
}

/// Returns the truth of a debate's proposal, or the reason why it is not known.
fn proposal_truth(debate: &DebateRow, pool: &DebatePool<'_>) -> Result<bool, LeftOutReason> {
    match (graded_decision(debate, pool), debate.undecided_proposal) {
        (Ok((_, correct)), _) => Ok(correct),
        (Err(_), Some(correct)) => Ok(correct),
        (Err(reason), None) => Err(reason),
    }
}

/// Returns a share over the findings of a rule, by what each comes to.
fn finding_share_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    rule: Rule<'_>,
    holds: impl Fn(&FindingRow, bool) -> Option<Result<bool, LeftOutReason>>,
    why_not: &'static str,
) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        let truth = proposal_truth(debate, pool);
        for finding in rule_findings(debate, rule) {
            let turn = judged_turn(debate, finding);
            let by_itself = turn.and_then(|turn| turn_exclusion_reason(turn, pool.scope.people));
            match (truth, by_itself) {
                (Err(reason), _) | (Ok(_), Some(reason)) => tally.leave_out(reason),
                (Ok(correct), None) => match holds(finding, correct) {
                    None => {}
                    Some(Ok(holds)) => tally.observe_whether(holds),
                    Some(Err(reason)) => tally.leave_out(reason),
                },
            }
        }
        tally
    };
    pool.compute_figure(measure, tally, |_| why_not)
}

/// The side that a critic's turn takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Accepts,
    Rejects,
}

/// Says whether a finding is about the side that a critique takes: a pass reads other turns as well.
fn reads_side(finding: &FindingRow) -> bool {
    matches!(finding.by, JudgedBy::Declared | JudgedBy::Stance)
}

/// Returns the side that a finding on the critic's stance says that the turn takes.
fn side_of(finding: &FindingRow) -> Result<Side, LeftOutReason> {
    match (&finding.found, finding.value) {
        (JudgingResult::Label(_), Some(value)) if value > 0.0 => Ok(Side::Accepts),
        (JudgingResult::Label(_), Some(value)) if value < 0.0 => Ok(Side::Rejects),
        (JudgingResult::Label(_), _) => Err(LeftOutReason::NoSide),
        (JudgingResult::Unparsed, _) => Err(LeftOutReason::Unparsed),
        (JudgingResult::UnparsedOfMaterial, _) => Err(LeftOutReason::UnparsedOfMaterial),
        (JudgingResult::Filtered, _) => Err(LeftOutReason::Filtered),
    }
}

/// Returns the share of turns that take the side of the truth, of those that take one.
fn honesty_figure(pool: &DebatePool<'_>, rule: Rule<'_>) -> Figure {
    let on_the_side = |finding: &FindingRow, correct: bool| {
        reads_side(finding).then(|| side_of(finding).map(|side| (side == Side::Accepts) == correct))
    };
    let why_not = "no turn accepts or rejects a graded proposal";
    finding_share_figure(pool, Measure::CriticHonesty, rule, on_the_side, why_not)
        .with_key(figure_key(Dimension::Judging, rule.id))
        .with_title(format!("{}: {}", rule.id, Measure::CriticHonesty.label()))
}

/// Returns how often the critic claims an error in correct and in incorrect proposals: all its turns that a rule
/// looked at together, and by stage where there are several.
fn claim_figures(pool: &DebatePool<'_>, by: JudgedBy, rule: Rule<'_>) -> Vec<Figure> {
    let all = pool.debates.iter().flat_map(|debate| &debate.findings);
    let of_rule = all.filter(|finding| finding.judging == rule.id && reads_side(finding));
    let stages: BTreeSet<&str> = of_rule.filter_map(|finding| stage_of(finding)).collect();
    let each = (stages.len() > 1).then(|| stages.into_iter().map(Some));
    let mut figures = Vec::new();
    for stage in [None].into_iter().chain(each.into_iter().flatten()) {
        for (measure, wanted) in [
            (Measure::ErrorClaimedGivenCorrect, true),
            (Measure::ErrorClaimedGivenIncorrect, false),
        ] {
            let mut figure = claim_figure(pool, measure, rule, stage, wanted);
            figure.notes.push(
                match by {
                    JudgedBy::Declared => DECLARED,
                    _ => BY_DETECTOR,
                }
                .to_owned(),
            );
            figures.push(figure);
        }
    }
    figures
}

fn claim_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    rule: Rule<'_>,
    stage: Option<&str>,
    wanted: bool,
) -> Figure {
    let claims = |finding: &FindingRow, correct: bool| {
        let is_counted = reads_side(finding)
            && correct == wanted
            && (stage.is_none() || stage_of(finding) == stage);
        is_counted.then(|| side_of(finding).map(|side| side == Side::Rejects))
    };
    let why_not = "no turn accepts or rejects such a proposal";
    let figure = finding_share_figure(pool, measure, rule, claims, why_not)
        .with_key(figure_key(Dimension::Judging, rule.id));
    match stage {
        None => figure.with_title(format!("{}: {}", rule.id, measure.label())),
        Some(stage) => figure
            .with_key(figure_key(Dimension::Stage, stage))
            .with_title(format!("{} in {stage}: {}", rule.id, measure.label())),
    }
}

fn stage_of(finding: &FindingRow) -> Option<&str> {
    match &finding.about {
        FindingTarget::Turn { stage, .. } => Some(stage),
        FindingTarget::Round(_) | FindingTarget::Debate => None,
    }
}

fn label_given_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    rule: Rule<'_>,
    label: &str,
    wanted: bool,
) -> Figure {
    let has_label = |finding: &FindingRow, correct: bool| {
        (correct == wanted).then_some(match &finding.found {
            JudgingResult::Label(found) => Ok(found == label),
            JudgingResult::Unparsed => Err(LeftOutReason::Unparsed),
            JudgingResult::UnparsedOfMaterial => Err(LeftOutReason::UnparsedOfMaterial),
            JudgingResult::Filtered => Err(LeftOutReason::Filtered),
        })
    };
    let why_not = "no finding on a turn about such a proposal";
    finding_share_figure(pool, measure, rule, has_label, why_not)
}

/// Returns for a debate with a correct proposal whether it was rejected, and whether the rule found the label in
/// any of its turns; `None` where the proposal is not correct, or the rule found nothing.
fn rejection_of_correct(
    debate: &DebateRow,
    pool: &DebatePool<'_>,
    rule: Rule<'_>,
    label: &str,
) -> Option<Result<(bool, bool), LeftOutReason>> {
    let labels = rule_findings(debate, rule).filter_map(|finding| match &finding.found {
        JudgingResult::Label(found) => Some(found == label),
        JudgingResult::Unparsed | JudgingResult::UnparsedOfMaterial | JudgingResult::Filtered => {
            None
        }
    });
    let label_hits: Vec<bool> = labels.collect();
    if label_hits.is_empty() {
        return None;
    }
    Some(match graded_decision(debate, pool) {
        Err(reason) => Err(reason),
        Ok((_, false)) => return None,
        Ok((decision, true)) => match decision.label {
            DecisionLabel::Unparsed => Err(LeftOutReason::DecisionUnparsed),
            DecisionLabel::UnparsedOfMaterial => Err(LeftOutReason::DecisionUnparsedOfMaterial),
            DecisionLabel::Filtered => Err(LeftOutReason::DecisionFiltered),
            DecisionLabel::Failed => Err(LeftOutReason::DecisionFailed),
            DecisionLabel::NoJudge => return None,
            label => Ok((label == DecisionLabel::Reject, label_hits.contains(&true))),
        },
    })
}

fn rejection_share_figure(pool: &DebatePool<'_>, rule: Rule<'_>, label: &str) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        match rejection_of_correct(debate, pool, rule, label) {
            None | Some(Ok((_, false))) => {}
            Some(Ok((rejected, true))) => tally.observe_whether(rejected),
            Some(Err(reason)) => tally.leave_out(reason),
        }
        tally
    };
    let measure = Measure::RejectGivenCorrectWhereFound;
    pool.compute_figure(measure, tally, |_| "no decision on such a proposal")
}

/// Returns how much oftener correct proposals are rejected where a label was found than where it was not.
fn sway_figure(pool: &DebatePool<'_>, rule: Rule<'_>, label: &str) -> Figure {
    let mut topics: BTreeMap<&str, [f64; 4]> = BTreeMap::new();
    let tallies = pool.tally_by_topic(|debate| {
        let mut tally = DebateTally::default();
        match rejection_of_correct(debate, pool, rule, label) {
            None => {}
            Some(Ok((rejected, _))) => tally.observe_whether(rejected),
            Some(Err(reason)) => tally.leave_out(reason),
        }
        tally
    });
    for debate in &pool.debates {
        if let Some(Ok((rejected, found))) = rejection_of_correct(debate, pool, rule, label) {
            let sums = topics.entry(pool.topic_name(debate)).or_default();
            let part = if found { 0 } else { 2 };
            sums[part] += f64::from(u8::from(rejected));
            sums[part + 1] += 1.0;
        }
    }
    let mut sums = TopicSums::new(4);
    for topic in topics.values() {
        sums.push(topic);
    }
    let difference = |total: &[f64]| match *total {
        [found, of_found, other, of_other] if of_found > 0.0 && of_other > 0.0 => {
            Some(found / of_found - other / of_other)
        }
        _ => None,
    };
    let mut figure = Figure::from_tallies(Measure::RejectionSway, &tallies);
    match difference(&sums.total()) {
        Some(value) => {
            let plan = pool.plan_of(Measure::RejectionSway);
            figure.set_value(value, sway_interval(&sums, difference, plan));
            figure
                .notes
                .push("debates differ in more than this label: no proof of a cause".to_owned());
            figure
        }
        None => figure.mark_not_applicable("needs correct proposals with the label and without it"),
    }
}

/// Resamples topics, or where few are apart in one of both shares takes the intervals of both.
fn sway_interval(
    sums: &TopicSums,
    difference: impl Fn(&[f64]) -> Option<f64> + Sync,
    plan: Resampling,
) -> Option<Interval> {
    let shares = [0, 2].map(|from| {
        let mut share = TopicSums::new(2);
        for row in sums.rows().filter(|row| row[from + 1] > 0.0) {
            share.push(&row[from..from + 2]);
        }
        share
    });
    if shares
        .iter()
        .all(|one| topics_apart(one) >= MIN_TOPICS_APART)
    {
        return bootstrap_interval(sums, difference, plan);
    }
    let [found, other] = shares.map(|share| {
        let interval = share_interval(&share, plan)?;
        Some((ratio(&share.total())?, interval))
    });
    combine_intervals([found?, other?], |[found, other]| Some(found - other))
}
