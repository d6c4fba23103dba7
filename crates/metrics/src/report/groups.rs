//! Division of debates, and of the turns within them, into groups by dimensions.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::figure::{Dimension, FigureKey};
use super::learning::{LearningRuns, teaching_runs};
use super::natural_order::compare_naturally;
use super::{ReportError, ReportSettings};
use crate::rows::{DebateRow, TurnRow};
use crate::sections::counting::{DebatePool, NO_VALUE, TurnScope};
use crate::topic_names::TopicNames;

/// Most groups of a report; more are rejected as unreadable and probably a mistake.
pub(super) const MAX_SECTIONS: usize = 10_000;

/// Debates, and the part of their turns, that share their keys.
pub(crate) struct Group<'a> {
    pub simulated: bool,
    pub hash_check: bool,
    pub keys: Vec<FigureKey>,
    pub pool: DebatePool<'a>,
    /// The memories that its debates were played with.
    pub learning: LearningRuns<'a>,
}

/// Real debates before simulated ones, ordinary topics before those that need a comparison of hashes.
type GroupKey = (bool, bool, Vec<FigureKey>);

/// Divides debates by the dimensions of the settings; simulated and real debates, and topics that need a
/// comparison of hashes and others, are always apart.
pub(crate) fn divide_debates<'a>(
    debates: &'a [DebateRow],
    settings: &ReportSettings,
) -> Result<Vec<Group<'a>>, ReportError> {
    let by: BTreeSet<Dimension> = settings.by.iter().copied().collect();
    let topic_names = Arc::new(TopicNames::from_topics(
        debates.iter().map(|debate| &debate.topic),
    ));
    let mut teaching = teaching_runs(debates);
    teaching.extend(settings.teaching_runs.iter().cloned());
    let mut groups: BTreeMap<GroupKey, Vec<&DebateRow>> = BTreeMap::new();
    for debate in debates {
        let apart = (
            debate.simulated,
            debate.hash_check && !settings.pool_hash_topics,
            debate_keys(debate, &by, settings),
        );
        groups.entry(apart).or_default().push(debate);
    }
    let mut parts: Vec<_> = groups
        .into_iter()
        .map(|(apart, debates)| {
            let scopes = list_scopes(&debates, &by, settings);
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
    parts.sort_by(|(a, ..), (b, ..)| compare_group_keys(a, b));
    let mut groups_with_scopes = Vec::with_capacity(count);
    for ((simulated, hash_check, keys), debates, scopes) in parts {
        let learning = LearningRuns::from_debates(&debates, &teaching);
        for (inside, scope) in scopes {
            groups_with_scopes.push(Group {
                simulated,
                hash_check,
                keys: keys.iter().cloned().chain(inside).collect(),
                pool: DebatePool {
                    debates: debates.clone(),
                    topic_names: topic_names.clone(),
                    scope,
                    plan: settings.resampling,
                    measures: settings.measures.clone(),
                },
                learning: learning.clone(),
            });
        }
    }
    Ok(groups_with_scopes)
}

/// Orders sections of the same kind by their keys, so that a curve over checkpoints is in order.
fn compare_group_keys(a: &GroupKey, b: &GroupKey) -> Ordering {
    let kinds = (a.0, a.1).cmp(&(b.0, b.1));
    let keys = || {
        let mut keys = a.2.iter().zip(&b.2);
        keys.find_map(|(a, b)| {
            let order =
                a.by.cmp(&b.by)
                    .then_with(|| compare_naturally(&a.value, &b.value));
            (order != Ordering::Equal).then_some(order)
        })
    };
    kinds.then_with(|| keys().unwrap_or(Ordering::Equal))
}

fn debate_keys(
    debate: &DebateRow,
    by: &BTreeSet<Dimension>,
    settings: &ReportSettings,
) -> Vec<FigureKey> {
    by.iter()
        .filter_map(|by| {
            let value = debate_value(debate, *by, settings)?;
            Some(FigureKey { by: *by, value })
        })
        .collect()
}

/// Returns the group of a dimension that a whole debate is in; `None` for a dimension that divides
/// its turns or its figures.
#[must_use]
pub fn debate_value(
    debate: &DebateRow,
    by: Dimension,
    settings: &ReportSettings,
) -> Option<String> {
    let origin = &debate.origin;
    let value_or_none = |value: Option<String>| value.unwrap_or_else(|| NO_VALUE.to_owned());
    Some(match by {
        Dimension::Protocol => debate.protocol.clone(),
        Dimension::Arm => debate.arm.clone(),
        Dimension::Checkpoint => value_or_none(debate.checkpoint.clone()),
        Dimension::Category => value_or_none(debate.category.clone()),
        Dimension::Dataset => value_or_none(origin.dataset.clone()),
        Dimension::Run => value_or_none(origin.run.clone()),
        Dimension::Seed => value_or_none(origin.seed.map(|seed| seed.to_string())),
        Dimension::Phase => value_or_none(origin.phase.map(|phase| phase.label().to_owned())),
        // Who replays a set from the first lessons of a memory asks for this number of them.
        Dimension::Lessons if origin.first_lessons.is_some() => {
            value_or_none(origin.first_lessons.map(|first| first.to_string()))
        }
        Dimension::Lessons => value_or_none(
            origin
                .lessons_held
                .map(|held| bin_label(find_bin(held as usize, &settings.lesson_edges))),
        ),
        Dimension::Shown => value_or_none(origin.lessons_shown.map(|shown| shown.to_string())),
        Dimension::Memory => value_or_none(origin.memory.clone()),
        Dimension::Settings => value_or_none(origin.settings.clone()),
        // The first seven characters of a time in RFC 3339 are year and month.
        Dimension::Month => {
            let began = origin.began_at.as_deref();
            value_or_none(began.and_then(|at| Some(at.get(..7)?.to_owned())))
        }
        Dimension::Fork => match debate.fork {
            true => "fork",
            false => "no fork",
        }
        .to_owned(),
        Dimension::Model
        | Dimension::Seat
        | Dimension::Round
        | Dimension::Length
        | Dimension::Gauge
        | Dimension::Judging
        | Dimension::Label
        | Dimension::Stage
        | Dimension::Selection => return None,
    })
}

/// Model, chair, round and bin of lengths, each where it was requested.
type TurnPart = (
    Option<Option<String>>,
    Option<String>,
    Option<u32>,
    Option<(usize, usize)>,
);

/// Returns the parts of the debates' own turns by the dimensions within a debate; all turns where
/// no such dimension is requested.
fn list_scopes(
    debates: &[&DebateRow],
    by: &BTreeSet<Dimension>,
    settings: &ReportSettings,
) -> Vec<(Vec<FigureKey>, TurnScope)> {
    let divides_by = |wanted: Dimension| by.contains(&wanted);
    let whole = TurnScope {
        people: settings.people,
        ..TurnScope::default()
    };
    if !by.iter().any(|by| by.divides_turns()) {
        return vec![(Vec::new(), whole)];
    }
    let parts: BTreeSet<TurnPart> = debates
        .iter()
        .flat_map(|debate| &debate.turns)
        .filter(|turn| !turn.inherited)
        .map(|turn| {
            (
                divides_by(Dimension::Model).then(|| turn.model.clone()),
                divides_by(Dimension::Seat).then(|| turn.chair_name()),
                divides_by(Dimension::Round).then_some(turn.round),
                divides_by(Dimension::Length).then(|| find_bin(turn.chars, &settings.length_edges)),
            )
        })
        .collect();
    parts
        .into_iter()
        .map(|(model, place, round, length)| {
            let mut keys = Vec::new();
            let mut key = |by, value: Option<String>| {
                keys.extend(value.map(|value| FigureKey { by, value }));
            };
            key(Dimension::Model, model.clone().map(label_model));
            key(Dimension::Seat, place.clone());
            key(Dimension::Round, round.map(|round| round.to_string()));
            key(Dimension::Length, length.map(bin_label));
            (
                keys,
                TurnScope {
                    model,
                    chair: place,
                    round,
                    length,
                    ..whole.clone()
                },
            )
        })
        .collect()
}

/// Returns the group of a dimension that a turn is in; `None` for a dimension that does not divide turns.
pub(super) fn turn_value(
    turn: &TurnRow,
    by: Dimension,
    settings: &ReportSettings,
) -> Option<String> {
    match by {
        Dimension::Model => Some(label_model(turn.model.clone())),
        Dimension::Seat => Some(turn.chair_name()),
        Dimension::Round => Some(turn.round.to_string()),
        Dimension::Length => Some(bin_label(find_bin(turn.chars, &settings.length_edges))),
        Dimension::Protocol
        | Dimension::Arm
        | Dimension::Checkpoint
        | Dimension::Category
        | Dimension::Dataset
        | Dimension::Run
        | Dimension::Seed
        | Dimension::Phase
        | Dimension::Lessons
        | Dimension::Shown
        | Dimension::Memory
        | Dimension::Settings
        | Dimension::Month
        | Dimension::Fork
        | Dimension::Gauge
        | Dimension::Judging
        | Dimension::Label
        | Dimension::Stage
        | Dimension::Selection => None,
    }
}

/// Names the model of a turn's chair.
fn label_model(model: Option<String>) -> String {
    model.unwrap_or_else(|| NO_VALUE.to_owned())
}

/// Returns the bin of a length: from its lower edge up to but not including its upper one.
fn find_bin(chars: usize, edges: &[usize]) -> (usize, usize) {
    let lower = edges.iter().copied().filter(|edge| *edge <= chars).max();
    let upper = edges.iter().copied().filter(|edge| *edge > chars).min();
    (lower.unwrap_or(0), upper.unwrap_or(usize::MAX))
}

fn bin_label((from, to): (usize, usize)) -> String {
    if to == usize::MAX {
        format!("{from}+")
    } else if to == from + 1 {
        from.to_string()
    } else {
        format!("{from}-{}", to - 1)
    }
}
