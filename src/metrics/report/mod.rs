//! Sections: what is never pooled, what was asked to be kept apart, and what each one shows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::advantage::advantages;
use super::count::{NO_VALUE, Pool, Scope};
use super::figure::{By, Figure, Key, LeftOut, Report, Section};
use super::game::{decisions, rewards};
use super::interval::Resampling;
use super::natural::natural;
use super::rows::{DebateRow, People, TurnRow, TurnState};
use super::safety::{self, Seats};
use super::{cost, finding, gauge, guard, pick, survival};

/// A report with more sections than this is refused: nobody reads it, and it may be a mistake.
pub const MAX_SECTIONS: usize = 10_000;

/// The most pairs of judge and seats that share a model or family which one section names.
const MAX_SELF_JUDGING: usize = 6;

/// What to report, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// One section for each combination of these; a dimension named twice counts once.
    pub by: Vec<By>,
    pub people: People,
    pub resampling: Resampling,
    /// Where the bins of [`By::Length`] meet, in characters, ascending.
    pub length_edges: Vec<usize>,
    /// What holds for all sections: whose verdicts these are, for instance.
    pub notes: Vec<String>,
    pub of: Of,
}

/// What figures are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Of {
    #[default]
    Debates,
    /// What one pass found. How debates ended and what they used is not the pass's, and is left out.
    Pass,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            by: Vec::new(),
            people: People::LeftOut,
            resampling: Resampling::default(),
            length_edges: vec![200, 500, 1000, 2000],
            notes: Vec::new(),
            of: Of::default(),
        }
    }
}

/// Why there is no report.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReportError {
    #[error(
        "grouping by {by} makes {sections} sections, more than {MAX_SECTIONS}; group by fewer dimensions"
    )]
    TooManySections { by: String, sections: usize },
}

/// What every debate of a section shares. Real before simulated, ordinary topics before those that
/// need a comparison of hashes.
type Apart = (bool, bool, Vec<Key>);

/// Computes every figure of the debates, in sections.
///
/// Simulated and real debates, and topics that need a comparison of hashes and others, are always
/// sections of their own. Without debates there are no sections.
pub fn report(debates: &[DebateRow], settings: &Settings) -> Result<Report, ReportError> {
    let by: BTreeSet<By> = settings.by.iter().copied().collect();
    let mut groups: BTreeMap<Apart, Vec<&DebateRow>> = BTreeMap::new();
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
            let pool = Pool {
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

/// Sections of the same kind by their keys, so that a curve over checkpoints is drawn in order.
fn in_natural_order(a: &Apart, b: &Apart) -> Ordering {
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

fn debate_keys(debate: &DebateRow, by: &BTreeSet<By>) -> Vec<Key> {
    let optional = |value: &Option<String>| value.clone().unwrap_or_else(|| NO_VALUE.to_owned());
    by.iter()
        .filter_map(|by| {
            let value = match by {
                By::Protocol => debate.protocol.clone(),
                By::Arm => debate.arm.clone(),
                By::Checkpoint => optional(&debate.checkpoint),
                By::Category => optional(&debate.category),
                By::Seat | By::Round | By::Length | By::Gauge | By::Judging | By::Label => {
                    return None;
                }
            };
            Some(Key { by: *by, value })
        })
        .collect()
}

/// Place, round and bin of lengths, each where it was asked for.
type Part = (Option<String>, Option<u32>, Option<(usize, usize)>);

/// The parts of the debates' own turns that dimensions inside a debate ask for; all of them where
/// none does.
fn scopes(
    debates: &[&DebateRow],
    by: &BTreeSet<By>,
    settings: &Settings,
) -> Vec<(Vec<Key>, Scope)> {
    let asked = |wanted: By| by.contains(&wanted);
    let whole = Scope {
        people: settings.people,
        ..Scope::default()
    };
    if !by.iter().any(|by| by.divides_debates()) {
        return vec![(Vec::new(), whole)];
    }
    let parts: BTreeSet<Part> = debates
        .iter()
        .flat_map(|debate| &debate.turns)
        .filter(|turn| !turn.inherited)
        .map(|turn| {
            (
                asked(By::Seat).then(|| turn.place()),
                asked(By::Round).then_some(turn.round),
                asked(By::Length).then(|| bin(turn.chars, &settings.length_edges)),
            )
        })
        .collect();
    parts
        .into_iter()
        .map(|(place, round, length)| {
            let mut keys = Vec::new();
            let mut key = |by, value: Option<String>| {
                keys.extend(value.map(|value| Key { by, value }));
            };
            key(By::Seat, place.clone());
            key(By::Round, round.map(|round| round.to_string()));
            key(By::Length, length.map(bin_label));
            (
                keys,
                Scope {
                    place,
                    round,
                    length,
                    ..whole.clone()
                },
            )
        })
        .collect()
}

/// The bin that a length falls into: from its lower edge up to but without its upper one.
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

fn section(simulated: bool, hash_check: bool, group: Vec<Key>, pool: &Pool<'_>, of: Of) -> Section {
    let topics: BTreeSet<&str> = pool.debates.iter().map(|d| d.topic.as_str()).collect();
    let advantages = if inside_debates(&group) {
        Vec::new()
    } else {
        advantages(&pool.debates, pool.scope.people).rows
    };
    let figures = figures(&group, pool, &advantages, of);
    Section {
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

fn inside_debates(group: &[Key]) -> bool {
    group.iter().any(|key| key.by.divides_debates())
}

/// Every figure of a pool, in the order in which a report shows them.
pub(super) fn figures(
    group: &[Key],
    pool: &Pool<'_>,
    advantages: &[super::Advantage],
    of: Of,
) -> Vec<Figure> {
    let grouped = |by: By| group.iter().any(|key| key.by == by);
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
        figures.extend(pick::picks(pool));
        figures.extend(rewards(pool, advantages));
        figures.extend(gauge::gauges(pool));
    }
    if pool.scope.round.is_none() && pool.scope.length.is_none() {
        figures.extend(guard::guards(pool));
    }
    figures.extend(finding::findings(pool));
    figures.extend(text_figures(pool, &grouped));
    if !inside_debates(group) && of == Of::Debates {
        figures.extend(cost::outcomes(pool));
        figures.extend(cost::usage(pool));
        figures.extend(cost::estimates(pool));
    }
    figures
}

/// Whether the protocol judges any of the pool's turns; where it does not, figures about verdicts
/// are not shown as a column of n/a.
fn judges_turns(pool: &Pool<'_>) -> bool {
    own_turns(pool).any(|turn| turn.state != TurnState::Context)
}

fn own_turns<'a>(pool: &'a Pool<'_>) -> impl Iterator<Item = &'a TurnRow> {
    pool.debates
        .iter()
        .flat_map(|debate| &debate.turns)
        .filter(|turn| !turn.inherited && pool.scope.holds(turn))
}

fn safety_figures(pool: &Pool<'_>, grouped: &impl Fn(By) -> bool) -> Vec<Figure> {
    let error_rate = safety::error_rate(pool);
    let inside = grouped(By::Seat) || grouped(By::Round) || grouped(By::Length);
    let floors = if inside {
        Vec::new()
    } else {
        safety::noise_floors(pool, &error_rate)
    };
    let mut figures = vec![error_rate, safety::error_rate_without_guardrails(pool)];
    if !grouped(By::Round) && !grouped(By::Length) {
        figures.extend(safety::error_rates_at_the_ends(pool));
    }
    figures.extend(safety::transitions(pool));
    if !grouped(By::Seat) && !grouped(By::Length) {
        figures.push(safety::diversity(pool));
    }
    figures.extend(floors);
    figures
}

/// Error rate and agreement of each place, error rate of each round and category, where there is
/// more than one and the section is not about one.
fn breakdowns(pool: &Pool<'_>, grouped: &impl Fn(By) -> bool) -> Vec<Figure> {
    let judged = || own_turns(pool).filter(|turn| turn.state != TurnState::Context);
    let places: BTreeSet<String> = judged().map(TurnRow::place).collect();
    let rounds: BTreeSet<u32> = judged().map(|turn| turn.round).collect();
    let key = |by, value: &str| Key {
        by,
        value: value.to_owned(),
    };
    let mut figures = Vec::new();
    if places.len() > 1 {
        let parts: Vec<_> = places
            .iter()
            .map(|place| {
                (
                    key(By::Seat, place),
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
            safety::error_rate(&part).keyed(key(By::Round, &round.to_string()))
        }));
    }
    let categories = pool.by_category();
    if categories.len() > 1 && !grouped(By::Category) {
        figures.extend(
            categories.into_iter().map(|(category, part)| {
                safety::error_rate(&part).keyed(key(By::Category, &category))
            }),
        );
    }
    figures
}

fn text_figures(pool: &Pool<'_>, grouped: &impl Fn(By) -> bool) -> Vec<Figure> {
    let mut figures = Vec::new();
    if own_turns(pool).any(|turn| turn.correct.is_some()) {
        figures.push(safety::answer_accuracy(pool));
    }
    let places: BTreeSet<String> = own_turns(pool).map(TurnRow::place).collect();
    if grouped(By::Seat) {
        figures.push(safety::response_length(pool, Seats::Any));
    } else {
        if judges_turns(pool) {
            figures.push(safety::response_length(pool, Seats::Judged));
        }
        // One judged seat's length is the section's.
        let parts = if places.len() > 1 || !judges_turns(pool) {
            places
        } else {
            BTreeSet::new()
        };
        figures.extend(parts.into_iter().map(|place| {
            let part = pool.with_scope(pool.scope.with_place(&place));
            safety::response_length(&part, Seats::Any).keyed(Key {
                by: By::Seat,
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

fn notes(simulated: bool, hash_check: bool, pool: &Pool<'_>, figures: &[Figure]) -> Vec<String> {
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
        .any(|figure| figure.left_out.contains_key(&LeftOut::ByPerson));
    if by_people {
        notes.push("turns by people are left out; they can be asked for".to_owned());
    }
    let detected = |figure: &Figure| figure.keys.iter().any(|key| key.by == By::Judging);
    if figures.iter().any(detected) {
        notes.push(finding::UNVALIDATED.to_owned());
    }
    notes.extend(self_judging(&pool.debates));
    notes
}

/// Says who judges themselves or their like, and in how many debates where it is not in all.
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
