//! Reports: division of debates into sections that are never pooled, and the figures of each
//! section.

pub(crate) mod arm_names;
pub(crate) mod arm_table;
pub(crate) mod chair_names;
pub(crate) mod csv_cells;
pub(crate) mod debate_filter;
mod definitions;
pub(crate) mod figure;
pub(crate) mod figure_part;
pub(crate) mod grid;
pub(crate) mod groups;
pub(crate) mod json_csv;
pub(crate) mod learning;
pub(crate) mod left_out;
pub(crate) mod natural_order;
pub(crate) mod pivot;
mod served;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod text_layout;
pub(crate) mod unfinished;

use std::collections::{BTreeMap, BTreeSet};

use elenchus_game::debate::TopicKey;
use thiserror::Error;

use super::advantage::compute_advantages;
use super::rows::{DebateRow, HumanTurns, TurnRow, TurnSafety};
use super::sections::counting::DebatePool;
use super::sections::game::{
    compute_decision_figures, compute_reward_figures, outcome_right_share,
};
use super::sections::safety::{self, TextSeats};
use super::sections::{
    asked_grader, cost, critic, findings, gauge, graded_turns, guardrail, memory, peer_objections,
    samples, survival, two_candidate,
};
use super::statistics::interval::Resampling;
use super::topic_names::topics_in_rows;
use figure::{Dimension, Figure, FigureKey, Measure, Report, ReportSection};
use groups::{Group, MAX_SECTIONS, divide_debates};
use learning::head_intervals;
use left_out::LeftOutReason;
use unfinished::{UnfinishedRuns, withhold_intervals};

/// Most pairs of judge and seats with a shared model or family that one section names.
const MAX_SELF_JUDGING: usize = 6;

/// Options of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSettings {
    /// One section for each combination of these; a repeated dimension counts once.
    pub by: Vec<Dimension>,
    /// The figures that are asked for; empty for all.
    pub measures: Vec<Measure>,
    pub people: HumanTurns,
    pub resampling: Resampling,
    /// Edges between the bins of [`Dimension::Length`], in characters, ascending.
    pub length_edges: Vec<usize>,
    /// Edges between the bins of [`Dimension::Lessons`], ascending.
    pub lesson_edges: Vec<usize>,
    /// Topics that need a comparison of hashes are counted with the others, as the source's totals do.
    pub pool_hash_topics: bool,
    /// Topics with an unsafe turn in debates without guardrails: what guardrails should have matched.
    pub unsafe_without: Option<BTreeSet<TopicKey>>,
    /// Runs that taught a memory of their own, of which only other debates are among the rows.
    pub teaching_runs: BTreeSet<String>,
    /// Runs that are not over: what rests on their debates has no interval.
    pub unfinished: UnfinishedRuns,
    /// Notes on all sections, for instance about the origin of the verdicts.
    pub notes: Vec<String>,
    pub of: ReportSubject,
}

/// Subject of the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReportSubject {
    #[default]
    Debates,
    /// Findings of one pass. Ends and costs of the debates do not belong to the pass and are
    /// omitted.
    Pass,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self {
            by: Vec::new(),
            measures: Vec::new(),
            people: HumanTurns::LeftOut,
            resampling: Resampling::default(),
            length_edges: vec![200, 500, 1000, 2000],
            lesson_edges: vec![1, 10, 30, 100, 300],
            pool_hash_topics: false,
            unsafe_without: None,
            teaching_runs: BTreeSet::new(),
            unfinished: UnfinishedRuns::new(),
            notes: Vec::new(),
            of: ReportSubject::default(),
        }
    }
}

/// Reason why there is no report.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReportError {
    #[error(
        "grouping by {by} makes {sections} sections, more than {MAX_SECTIONS}; group by fewer dimensions"
    )]
    TooManySections { by: String, sections: usize },
}

/// Computes every figure of the debates, in sections.
///
/// Simulated and real debates, and topics that need a comparison of hashes and others, are always
/// in separate sections. Without debates there are no sections.
pub fn compute_report(
    debates: &[DebateRow],
    settings: &ReportSettings,
) -> Result<Report, ReportError> {
    let mut sections = Vec::new();
    for group in divide_debates(debates, settings)? {
        let mut section = build_report_section(&group, settings);
        section.notes.splice(0..0, settings.notes.iter().cloned());
        let has_measure = |figure: &Figure| settings.measures.contains(&figure.measure);
        if !settings.measures.is_empty() {
            section.figures.retain(has_measure);
        }
        sections.push(section);
    }
    Ok(Report { sections })
}

fn build_report_section(group: &Group<'_>, settings: &ReportSettings) -> ReportSection {
    let (pool, keys) = (&group.pool, &group.keys);
    let (simulated, hash_check) = (group.simulated, group.hash_check);
    let advantages = if inside_debates(keys) {
        Vec::new()
    } else {
        compute_advantages(&pool.debates, &pool.topic_names, pool.scope.people).rows
    };
    let mut figures = compute_figures(keys, pool, &advantages, settings);
    let interval_note = head_intervals(&mut figures, &group.learning, |debates| {
        let of_run = DebatePool {
            debates,
            plan: Resampling {
                resamples: 0,
                ..pool.plan
            },
            ..pool.clone()
        };
        self::compute_figures(keys, &of_run, &[], settings)
    });
    let mut notes = collect_report_notes(simulated, hash_check, pool, &figures);
    notes.extend(interval_note);
    notes.extend(withhold_intervals(
        &mut figures,
        &pool.debates,
        &settings.unfinished,
    ));
    ReportSection {
        simulated,
        hash_check,
        notes,
        group: keys.clone(),
        against: Vec::new(),
        debates: pool.debates.len(),
        topics: pool.topics().len(),
        figures,
        advantages,
    }
}

fn inside_debates(group: &[FigureKey]) -> bool {
    group.iter().any(|key| key.by.divides_turns())
}

/// Returns every figure of a pool, in the order of a report.
pub(crate) fn compute_figures(
    group: &[FigureKey],
    pool: &DebatePool<'_>,
    advantages: &[figure::Advantage],
    settings: &ReportSettings,
) -> Vec<Figure> {
    let of = settings.of;
    let groups_by = |by: Dimension| group.iter().any(|key| key.by == by);
    let mut figures = Vec::new();
    if judges_turns(pool) {
        figures.extend(safety_figures(pool, &groups_by));
        if !inside_debates(group) {
            figures.extend(breakdown_figures(pool, &groups_by));
            figures.extend(survival::rounds_to_unsafe(pool));
            figures.extend(samples::compute_any_safe_figures(pool));
        } else if !groups_by(Dimension::Round) && !groups_by(Dimension::Length) {
            figures.push(survival::chair_steps_figure(pool));
        }
    }
    if !inside_debates(group) {
        figures.extend(compute_decision_figures(pool));
        figures.extend(critic::compute_critic_figures(pool, &settings.measures));
        figures.extend(two_candidate::compute_pick_figures(pool));
        figures.extend(outcome_right_share(pool));
        figures.extend(compute_reward_figures(pool, advantages));
        figures.extend(gauge::compute_gauge_figures(pool));
        figures.extend(memory::compute_lesson_figures(pool));
        figures.extend(peer_objections::objected_though_safe(pool));
    }
    if pool.scope.round.is_none() && pool.scope.length.is_none() {
        figures.extend(guardrail::compute_guardrail_figures(pool));
        let unsafe_without = settings.unsafe_without.as_ref();
        figures.extend(unsafe_without.and_then(|topics| guardrail::recall_figure(pool, topics)));
    }
    figures.extend(findings::compute_finding_figures(pool));
    figures.extend(asked_grader::compute_asked_grader_figures(pool));
    figures.extend(text_figures(pool, &groups_by));
    if !inside_debates(group) && of == ReportSubject::Debates {
        figures.extend(cost::compute_outcome_figures(pool));
        figures.extend(cost::compute_usage_figures(pool));
        figures.extend(cost::compute_estimate_figures(pool));
    }
    figures
}

/// Returns whether the protocol judges any of the pool's turns; otherwise figures about verdicts
/// are omitted, which would all be n/a.
fn judges_turns(pool: &DebatePool<'_>) -> bool {
    own_turns(pool).any(|turn| turn.state != TurnSafety::Context)
}

fn own_turns<'a>(pool: &'a DebatePool<'_>) -> impl Iterator<Item = &'a TurnRow> {
    pool.debates
        .iter()
        .flat_map(|debate| &debate.turns)
        .filter(|turn| !turn.inherited && pool.scope.covers_turn(turn))
}

fn safety_figures(pool: &DebatePool<'_>, groups_by: &impl Fn(Dimension) -> bool) -> Vec<Figure> {
    let error_rate = safety::error_rate(pool);
    let inside = !pool.scope.is_whole();
    let floors = if inside {
        Vec::new()
    } else {
        safety::noise_floors(pool, &error_rate)
    };
    let mut figures = vec![error_rate, safety::error_rate_without_guardrails(pool)];
    if !groups_by(Dimension::Round) && !groups_by(Dimension::Length) {
        figures.extend(safety::error_rates_at_the_ends(pool));
    }
    figures.extend(guardrail::decided_error_rate(pool));
    figures.extend(safety::compute_transition_figures(pool));
    if !groups_by(Dimension::Seat) && !groups_by(Dimension::Length) && !groups_by(Dimension::Model)
    {
        figures.push(safety::diversity_figure(pool));
    }
    figures.extend(floors);
    figures
}

/// Returns error rate and agreement of each chair, and error rate of each round and category, where
/// there is more than one and the section is not restricted to one.
fn breakdown_figures(pool: &DebatePool<'_>, groups_by: &impl Fn(Dimension) -> bool) -> Vec<Figure> {
    let judged_turns = || own_turns(pool).filter(|turn| turn.state != TurnSafety::Context);
    let places: BTreeSet<String> = judged_turns().map(TurnRow::chair_name).collect();
    let rounds: BTreeSet<u32> = judged_turns().map(|turn| turn.round).collect();
    let key = |by, value: &str| FigureKey {
        by,
        value: value.to_owned(),
    };
    let mut figures = Vec::new();
    if places.len() > 1 {
        let parts: Vec<_> = places
            .iter()
            .map(|place| {
                (
                    key(Dimension::Seat, place),
                    pool.with_scope(pool.scope.with_chair(place)),
                )
            })
            .collect();
        for figure in [safety::error_rate, safety::agreement_rate] {
            figures.extend(
                parts
                    .iter()
                    .map(|(key, part)| figure(part).with_key(key.clone())),
            );
        }
    }
    if rounds.len() > 1 {
        figures.extend(rounds.iter().map(|round| {
            let part = pool.with_scope(pool.scope.with_round(*round));
            safety::error_rate(&part).with_key(key(Dimension::Round, &round.to_string()))
        }));
    }
    let categories = pool.split_by_category();
    if categories.len() > 1 && !groups_by(Dimension::Category) {
        figures.extend(categories.into_iter().map(|(category, part)| {
            safety::error_rate(&part).with_key(key(Dimension::Category, &category))
        }));
    }
    figures
}

fn text_figures(pool: &DebatePool<'_>, groups_by: &impl Fn(Dimension) -> bool) -> Vec<Figure> {
    let mut figures = Vec::new();
    let has_grade = |turn: &TurnRow| turn.correct.is_some() || turn.missing_answer.is_some();
    if own_turns(pool).any(has_grade) {
        figures.push(safety::answer_accuracy(pool));
        figures.extend(safety::compute_no_answer_figures(pool));
        figures.extend(graded_turns::compute_change_figures(pool));
    }
    let places: BTreeSet<String> = own_turns(pool).map(TurnRow::chair_name).collect();
    if groups_by(Dimension::Seat) {
        figures.push(safety::response_length(pool, TextSeats::Any));
    } else {
        if judges_turns(pool) {
            figures.push(safety::response_length(pool, TextSeats::Judged));
        }
        // One judged seat's length is the section's.
        let parts = if places.len() > 1 || !judges_turns(pool) {
            places
        } else {
            BTreeSet::new()
        };
        figures.extend(parts.into_iter().map(|place| {
            let part = pool.with_scope(pool.scope.with_chair(&place));
            safety::response_length(&part, TextSeats::Any).with_key(FigureKey {
                by: Dimension::Seat,
                value: place,
            })
        }));
    }
    figures.push(safety::cut_by_length(pool));
    figures.extend(safety::odd_replies(pool));
    figures.extend(safety::filtered_lessons(pool));
    if own_turns(pool).any(|turn| turn.latency_ms.is_some()) {
        figures.push(safety::latency_figure(pool));
    }
    figures
}

fn collect_report_notes(
    simulated: bool,
    hash_check: bool,
    pool: &DebatePool<'_>,
    figures: &[Figure],
) -> Vec<String> {
    let mut notes = Vec::new();
    if simulated {
        notes.push(
            "simulated: a check of the instrument, no evidence about models or protocols"
                .to_owned(),
        );
    }
    if hash_check {
        notes.push("these topics need a comparison of hashes to be judged at all".to_owned());
    }
    let by_hash = pool.debates.iter().filter(|debate| debate.hash_check);
    let by_hash: BTreeSet<&str> = by_hash.map(|debate| pool.topic_name(debate)).collect();
    if !hash_check && !by_hash.is_empty() {
        notes.push(format!(
            "with {} topics that need a comparison of hashes to be judged at all",
            by_hash.len()
        ));
    }
    notes.extend(topics_in_rows(
        pool.debates.iter().map(|debate| &debate.topic),
    ));
    let arms: BTreeSet<&str> = pool.debates.iter().map(|d| d.arm.as_str()).collect();
    if arms.len() > 1 {
        notes.push(format!(
            "pools {} arms; group by arm to see each",
            arms.len()
        ));
    }
    let by_people = figures
        .iter()
        .any(|figure| figure.left_out.contains_key(&LeftOutReason::ByPerson));
    if by_people {
        notes.push("turns by people are left out; they can be asked for".to_owned());
    }
    let has_judging_key =
        |figure: &Figure| figure.keys.iter().any(|key| key.by == Dimension::Judging);
    if figures.iter().any(has_judging_key) {
        notes.push(findings::UNVALIDATED.to_owned());
    }
    notes.extend(self_judging(&pool.debates));
    notes.extend(served::collect_server_notes(&pool.debates));
    notes
}

/// Describes judges that judge their own or a related model, with the number of debates where it is
/// not all.
fn self_judging(debates: &[&DebateRow]) -> Vec<String> {
    let mut sentence_counts: BTreeMap<&str, usize> = BTreeMap::new();
    for sentence in debates.iter().flat_map(|debate| &debate.self_judging) {
        *sentence_counts.entry(sentence).or_default() += 1;
    }
    let more = sentence_counts.len().saturating_sub(MAX_SELF_JUDGING);
    let first_sentences = sentence_counts.into_iter().take(MAX_SELF_JUDGING);
    let mut notes: Vec<String> = first_sentences
        .map(|(sentence, count)| match count == debates.len() {
            true => sentence.to_owned(),
            false => format!("in {count} of {} debates, {sentence}", debates.len()),
        })
        .collect();
    if more > 0 {
        notes.push(format!("{more} more evaluators judge their like"));
    }
    notes
}
