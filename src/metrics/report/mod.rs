//! Reports: division of debates into sections that are never pooled, and the figures of each
//! section.

pub(crate) mod arm_table;
pub(crate) mod figure;
pub(crate) mod json_csv;
pub(crate) mod left_out;
pub(crate) mod natural_order;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod text;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::advantage::advantages;
use super::rows::{DebateRow, HumanTurns, TurnRow, TurnSafety};
use super::sections::counting::{DebatePool, NO_VALUE, TurnScope};
use super::sections::game::{decisions, rewards};
use super::sections::safety::{self, TextSeats};
use super::sections::{cost, findings, gauge, guardrail, survival, two_candidate};
use super::statistics::interval::Resampling;
use figure::{Dimension, Figure, FigureKey, Report, ReportSection};
use left_out::LeftOutReason;
use natural_order::natural;

/// Most sections of a report; more are rejected as unreadable and probably a mistake.
const MAX_SECTIONS: usize = 10_000;

/// Most pairs of judge and seats with a shared model or family that one section names.
const MAX_SELF_JUDGING: usize = 6;

/// Options of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSettings {
    /// One section for each combination of these; a repeated dimension counts once.
    pub by: Vec<Dimension>,
    pub people: HumanTurns,
    pub resampling: Resampling,
    /// Edges between the bins of [`Dimension::Length`], in characters, ascending.
    pub length_edges: Vec<usize>,
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
            people: HumanTurns::LeftOut,
            resampling: Resampling::default(),
            length_edges: vec![200, 500, 1000, 2000],
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

/// Properties shared by the debates of a section. Real debates before simulated ones, ordinary
/// topics before those that need a comparison of hashes.
type SectionKey = (bool, bool, Vec<FigureKey>);

/// Computes every figure of the debates, in sections.
///
/// Simulated and real debates, and topics that need a comparison of hashes and others, are always
/// in separate sections. Without debates there are no sections.
pub fn compute_report(
    debates: &[DebateRow],
    settings: &ReportSettings,
) -> Result<Report, ReportError> {
    let by: BTreeSet<Dimension> = settings.by.iter().copied().collect();
    let mut groups: BTreeMap<SectionKey, Vec<&DebateRow>> = BTreeMap::new();
    for debate in debates {
        let apart = (
            debate.simulated,
            debate.hash_check,
            debate_keys(debate, &by),
        );
        groups.entry(apart).or_default().push(debate);
    }
    let mut parts: Vec<_> = groups
        .into_iter()
        .map(|(apart, debates)| {
            let scopes = scopes(&debates, &by, settings);
            (apart, debates, scopes)
        })
        .collect();
    let count = parts.iter().map(|(_, _, scopes)| scopes.len()).sum();
    if count > MAX_SECTIONS {
        let names: Vec<_> = by.iter().map(|by| by.label()).collect();
        return Err(ReportError::TooManySections {
            by: names.join(","),
            sections: count,
        });
    }
    parts.sort_by(|(a, ..), (b, ..)| in_natural_order(a, b));
    let mut sections = Vec::with_capacity(count);
    for ((simulated, hash_check, keys), debates, scopes) in parts {
        for (inside, scope) in scopes {
            let group = keys.iter().cloned().chain(inside).collect();
            let pool = DebatePool {
                debates: debates.clone(),
                scope,
                plan: settings.resampling,
            };
            let mut section = section(simulated, hash_check, group, &pool, settings.of);
            section.notes.splice(0..0, settings.notes.iter().cloned());
            sections.push(section);
        }
    }
    Ok(Report { sections })
}

/// Orders sections of the same kind by their keys, so that a curve over checkpoints is in order.
fn in_natural_order(a: &SectionKey, b: &SectionKey) -> Ordering {
    let kinds = (a.0, a.1).cmp(&(b.0, b.1));
    let keys = || {
        let mut keys = a.2.iter().zip(&b.2);
        keys.find_map(|(a, b)| {
            let order = a.by.cmp(&b.by).then_with(|| natural(&a.value, &b.value));
            (order != Ordering::Equal).then_some(order)
        })
    };
    kinds.then_with(|| keys().unwrap_or(Ordering::Equal))
}

fn debate_keys(debate: &DebateRow, by: &BTreeSet<Dimension>) -> Vec<FigureKey> {
    let optional = |value: &Option<String>| value.clone().unwrap_or_else(|| NO_VALUE.to_owned());
    by.iter()
        .filter_map(|by| {
            let value = match by {
                Dimension::Protocol => debate.protocol.clone(),
                Dimension::Arm => debate.arm.clone(),
                Dimension::Checkpoint => optional(&debate.checkpoint),
                Dimension::Category => optional(&debate.category),
                Dimension::Seat
                | Dimension::Round
                | Dimension::Length
                | Dimension::Gauge
                | Dimension::Judging
                | Dimension::Label => {
                    return None;
                }
            };
            Some(FigureKey { by: *by, value })
        })
        .collect()
}

/// Chair, round and bin of lengths, each where it was requested.
type TurnPart = (Option<String>, Option<u32>, Option<(usize, usize)>);

/// Returns the parts of the debates' own turns by the dimensions within a debate; all turns where
/// no such dimension is requested.
fn scopes(
    debates: &[&DebateRow],
    by: &BTreeSet<Dimension>,
    settings: &ReportSettings,
) -> Vec<(Vec<FigureKey>, TurnScope)> {
    let asked = |wanted: Dimension| by.contains(&wanted);
    let whole = TurnScope {
        people: settings.people,
        ..TurnScope::default()
    };
    if !by.iter().any(|by| by.divides_debates()) {
        return vec![(Vec::new(), whole)];
    }
    let parts: BTreeSet<TurnPart> = debates
        .iter()
        .flat_map(|debate| &debate.turns)
        .filter(|turn| !turn.inherited)
        .map(|turn| {
            (
                asked(Dimension::Seat).then(|| turn.place()),
                asked(Dimension::Round).then_some(turn.round),
                asked(Dimension::Length).then(|| bin(turn.chars, &settings.length_edges)),
            )
        })
        .collect();
    parts
        .into_iter()
        .map(|(place, round, length)| {
            let mut keys = Vec::new();
            let mut key = |by, value: Option<String>| {
                keys.extend(value.map(|value| FigureKey { by, value }));
            };
            key(Dimension::Seat, place.clone());
            key(Dimension::Round, round.map(|round| round.to_string()));
            key(Dimension::Length, length.map(bin_label));
            (
                keys,
                TurnScope {
                    place,
                    round,
                    length,
                    ..whole.clone()
                },
            )
        })
        .collect()
}

/// Returns the bin of a length: from its lower edge up to but not including its upper one.
fn bin(chars: usize, edges: &[usize]) -> (usize, usize) {
    let lower = edges.iter().copied().filter(|edge| *edge <= chars).max();
    let upper = edges.iter().copied().filter(|edge| *edge > chars).min();
    (lower.unwrap_or(0), upper.unwrap_or(usize::MAX))
}

fn bin_label((from, to): (usize, usize)) -> String {
    if to == usize::MAX {
        format!("{from}+")
    } else {
        format!("{from}-{}", to - 1)
    }
}

fn section(
    simulated: bool,
    hash_check: bool,
    group: Vec<FigureKey>,
    pool: &DebatePool<'_>,
    of: ReportSubject,
) -> ReportSection {
    let topics: BTreeSet<&str> = pool.debates.iter().map(|d| d.topic.as_str()).collect();
    let advantages = if inside_debates(&group) {
        Vec::new()
    } else {
        advantages(&pool.debates, pool.scope.people).rows
    };
    let figures = figures(&group, pool, &advantages, of);
    ReportSection {
        simulated,
        hash_check,
        notes: notes(simulated, hash_check, pool, &figures),
        group,
        debates: pool.debates.len(),
        topics: topics.len(),
        figures,
        advantages,
    }
}

fn inside_debates(group: &[FigureKey]) -> bool {
    group.iter().any(|key| key.by.divides_debates())
}

/// Returns every figure of a pool, in the order of a report.
pub(super) fn figures(
    group: &[FigureKey],
    pool: &DebatePool<'_>,
    advantages: &[figure::Advantage],
    of: ReportSubject,
) -> Vec<Figure> {
    let grouped = |by: Dimension| group.iter().any(|key| key.by == by);
    let mut figures = Vec::new();
    if judges_turns(pool) {
        figures.extend(safety_figures(pool, &grouped));
        if !inside_debates(group) {
            figures.extend(breakdowns(pool, &grouped));
            figures.extend(survival::rounds_to_unsafe(pool));
        }
    }
    if !inside_debates(group) {
        figures.extend(decisions(pool));
        figures.extend(two_candidate::picks(pool));
        figures.extend(rewards(pool, advantages));
        figures.extend(gauge::gauges(pool));
    }
    if pool.scope.round.is_none() && pool.scope.length.is_none() {
        figures.extend(guardrail::guards(pool));
    }
    figures.extend(findings::findings(pool));
    figures.extend(text_figures(pool, &grouped));
    if !inside_debates(group) && of == ReportSubject::Debates {
        figures.extend(cost::outcomes(pool));
        figures.extend(cost::usage(pool));
        figures.extend(cost::estimates(pool));
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
        .filter(|turn| !turn.inherited && pool.scope.holds(turn))
}

fn safety_figures(pool: &DebatePool<'_>, grouped: &impl Fn(Dimension) -> bool) -> Vec<Figure> {
    let error_rate = safety::error_rate(pool);
    let inside =
        grouped(Dimension::Seat) || grouped(Dimension::Round) || grouped(Dimension::Length);
    let floors = if inside {
        Vec::new()
    } else {
        safety::noise_floors(pool, &error_rate)
    };
    let mut figures = vec![error_rate, safety::error_rate_without_guardrails(pool)];
    if !grouped(Dimension::Round) && !grouped(Dimension::Length) {
        figures.extend(safety::error_rates_at_the_ends(pool));
    }
    figures.extend(safety::transitions(pool));
    if !grouped(Dimension::Seat) && !grouped(Dimension::Length) {
        figures.push(safety::diversity(pool));
    }
    figures.extend(floors);
    figures
}

/// Returns error rate and agreement of each chair, and error rate of each round and category, where
/// there is more than one and the section is not restricted to one.
fn breakdowns(pool: &DebatePool<'_>, grouped: &impl Fn(Dimension) -> bool) -> Vec<Figure> {
    let judged = || own_turns(pool).filter(|turn| turn.state != TurnSafety::Context);
    let places: BTreeSet<String> = judged().map(TurnRow::place).collect();
    let rounds: BTreeSet<u32> = judged().map(|turn| turn.round).collect();
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
                    pool.with_scope(pool.scope.with_place(place)),
                )
            })
            .collect();
        for figure in [safety::error_rate, safety::agreement_rate] {
            figures.extend(
                parts
                    .iter()
                    .map(|(key, part)| figure(part).keyed(key.clone())),
            );
        }
    }
    if rounds.len() > 1 {
        figures.extend(rounds.iter().map(|round| {
            let part = pool.with_scope(pool.scope.with_round(*round));
            safety::error_rate(&part).keyed(key(Dimension::Round, &round.to_string()))
        }));
    }
    let categories = pool.by_category();
    if categories.len() > 1 && !grouped(Dimension::Category) {
        figures.extend(categories.into_iter().map(|(category, part)| {
            safety::error_rate(&part).keyed(key(Dimension::Category, &category))
        }));
    }
    figures
}

fn text_figures(pool: &DebatePool<'_>, grouped: &impl Fn(Dimension) -> bool) -> Vec<Figure> {
    let mut figures = Vec::new();
    if own_turns(pool).any(|turn| turn.correct.is_some()) {
        figures.push(safety::answer_accuracy(pool));
    }
    let places: BTreeSet<String> = own_turns(pool).map(TurnRow::place).collect();
    if grouped(Dimension::Seat) {
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
            let part = pool.with_scope(pool.scope.with_place(&place));
            safety::response_length(&part, TextSeats::Any).keyed(FigureKey {
                by: Dimension::Seat,
                value: place,
            })
        }));
    }
    figures.push(safety::cut_by_length(pool));
    if own_turns(pool).any(|turn| turn.latency_ms.is_some()) {
        figures.push(safety::latency(pool));
    }
    figures
}

fn notes(
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
    let detected = |figure: &Figure| figure.keys.iter().any(|key| key.by == Dimension::Judging);
    if figures.iter().any(detected) {
        notes.push(findings::UNVALIDATED.to_owned());
    }
    notes.extend(self_judging(&pool.debates));
    notes
}

/// Describes judges that judge their own or a related model, with the number of debates where it is
/// not all.
fn self_judging(debates: &[&DebateRow]) -> Vec<String> {
    let mut said: BTreeMap<&str, usize> = BTreeMap::new();
    for sentence in debates.iter().flat_map(|debate| &debate.self_judging) {
        *said.entry(sentence).or_default() += 1;
    }
    let more = said.len().saturating_sub(MAX_SELF_JUDGING);
    let shown = said.into_iter().take(MAX_SELF_JUDGING);
    let mut notes: Vec<String> = shown
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
