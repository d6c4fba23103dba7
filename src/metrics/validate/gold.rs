//! What counts as the truth about a turn, and how much a labelled turn weighs.

use super::rows::{Asked, Blind, Blindfold, Draw, GivenLabel, GoldRule, Role, ValidateRow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a label, or a labelled turn, is no gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoGold {
    /// Labels whose giver had seen the verdict, arm, protocol or prompt version.
    NotBlind,
    /// Labels from a file that does not say whether they were given blind.
    NotKnownBlind,
    /// Labels that are not in the set as it is now.
    NotInSet,
    /// Turns on which annotators are split and nobody adjudicated.
    Tie,
    /// Turns with labels, none of them by whom the rule asks for.
    NotAsked,
    /// Turns that are no part of the sample that figures rest on.
    NotDrawn,
}

impl NoGold {
    /// The reason, after a count.
    pub fn label(self) -> &'static str {
        match self {
            Self::NotBlind => "labels not given blind",
            Self::NotKnownBlind => "labels from a file that does not say whether they were blind",
            Self::NotInSet => "labels that the set no longer has",
            Self::Tie => "turns on which annotators are split and nobody adjudicated",
            Self::NotAsked => "labelled turns without the labels that this gold asks for",
            Self::NotDrawn => "labelled turns outside of the sample",
        }
    }
}

/// What was left out, by reason.
pub(super) type Missing = BTreeMap<NoGold, usize>;

/// Whether a label may count, and why not.
pub(super) fn admitted(label: &GivenLabel, asked: &Asked) -> Result<usize, NoGold> {
    let place = asked.classes.place(&label.label).ok_or(NoGold::NotInSet)?;
    match (label.blindness, asked.blindfold) {
        (Blind::Yes, Blindfold::BlindOnly) | (_, Blindfold::Any) => Ok(place),
        (Blind::No, Blindfold::BlindOnly) => Err(NoGold::NotBlind),
        (Blind::Unknown, Blindfold::BlindOnly) => Err(NoGold::NotKnownBlind),
    }
}

/// The gold class of a turn: `None` without a label that counts.
pub(super) fn gold(row: &ValidateRow, asked: &Asked) -> Option<Result<usize, NoGold>> {
    let mut of: BTreeMap<Role, Vec<(&str, usize)>> = BTreeMap::new();
    for label in row.labels.iter().filter(|label| label.repeat == 0) {
        if let Ok(class) = admitted(label, asked) {
            let given = of.entry(label.role).or_default();
            given.push((label.annotator.as_str(), class));
        }
    }
    let (settled, given) = (of.get(&Role::Adjudicator), of.get(&Role::Annotator));
    if settled.is_none() && given.is_none() {
        return None;
    }
    let most = |given: &[(&str, usize)]| most(given).ok_or(NoGold::Tie);
    Some(match &asked.gold {
        GoldRule::Best => match (settled, given) {
            (Some(settled), _) => most(settled),
            (None, Some(given)) => most(given),
            (None, None) => Err(NoGold::NotAsked),
        },
        GoldRule::Single(name) => {
            let own = given.and_then(|given| given.iter().find(|(who, _)| who == name));
            own.map(|(_, class)| *class).ok_or(NoGold::NotAsked)
        }
        GoldRule::Majority => match given {
            Some(given) if given.len() > 1 => most(given),
            Some(_) | None => Err(NoGold::NotAsked),
        },
        GoldRule::Adjudicated => settled.map_or(Err(NoGold::NotAsked), |settled| most(settled)),
    })
}

/// The class that more people gave than any other one.
fn most(given: &[(&str, usize)]) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, class) in given {
        *counts.entry(*class).or_default() += 1;
    }
    let highest = counts.values().copied().max()?;
    let mut leaders = counts.iter().filter(|(_, count)| **count == highest);
    match (leaders.next(), leaders.next()) {
        (Some((class, _)), None) => Some(*class),
        _ => None,
    }
}

/// What the labelled turns are a sample of (FIGURES 6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Basis {
    /// Turns of one queue, weighted by the inverse of their chance.
    Drawn {
        queue: String,
        /// How many turns the queue was drawn from.
        of: u64,
        /// How many were drawn, and how many of those have gold.
        taken: u64,
        labelled: usize,
        /// Whether all turns weigh the same.
        even: bool,
    },
    /// Every turn has gold: no sample, all of it.
    All,
    /// People chose what to label: figures describe those turns alone.
    Chosen,
    /// A queue of turns that were chosen by what evaluators said.
    ByVerdict { queue: String },
}

/// Returns what the turns with gold are a sample of, and the weight of each of them; `None` for one
/// that is no part of the sample.
///
/// Where a stratum is not labelled to its end, its labels stand for the rest of it: a turn weighs
/// `of / labelled` instead of `of / taken`, so that strata which are ahead do not count for more.
pub(super) fn weights(
    rows: &[&ValidateRow],
    gold: &[Option<Result<usize, NoGold>>],
    asked: &Asked,
) -> (Basis, Vec<Option<f64>>) {
    let with_gold = || rows.iter().zip(gold).filter(|(_, gold)| is_settled(gold));
    let mut queues: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for (row, _) in with_gold() {
        let mut seen: Vec<(&str, bool)> = draws(row).map(named).collect();
        seen.sort_unstable();
        seen.dedup();
        for queue in seen {
            *queues.entry(queue).or_default() += 1;
        }
    }
    let wanted = |queue: &str| asked.queue.as_ref().is_none_or(|wanted| wanted == queue);
    let fullest = |by_verdict: bool| {
        let fitting = queues
            .iter()
            .filter(|((queue, own), _)| *own == by_verdict && wanted(queue));
        let fullest = fitting.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        fullest.map(|((queue, _), _)| (*queue).to_owned())
    };
    let ones = || {
        gold.iter()
            .map(|gold| is_settled(gold).then_some(1.0))
            .collect()
    };
    if let Some(queue) = fullest(false) {
        return drawn(rows, gold, queue);
    }
    if gold.iter().all(is_settled) {
        return (Basis::All, ones());
    }
    match fullest(true) {
        Some(queue) => (Basis::ByVerdict { queue }, ones()),
        None => (Basis::Chosen, ones()),
    }
}

/// Whether those have labelled a turn whom the rule asks for, even where they are split.
fn is_settled(gold: &Option<Result<usize, NoGold>>) -> bool {
    match gold {
        Some(Ok(_) | Err(NoGold::Tie)) => true,
        None | Some(Err(_)) => false,
    }
}

fn named(draw: &Draw) -> (&str, bool) {
    (draw.queue.as_str(), draw.by_verdict)
}

fn draws(row: &ValidateRow) -> impl Iterator<Item = &Draw> {
    row.labels.iter().filter_map(|label| label.drawn.as_ref())
}

fn drawn(
    rows: &[&ValidateRow],
    gold: &[Option<Result<usize, NoGold>>],
    queue: String,
) -> (Basis, Vec<Option<f64>>) {
    let of_queue: Vec<Option<&Draw>> = rows
        .iter()
        .zip(gold)
        .map(|(row, gold)| {
            let mut draws = draws(row).filter(|_| is_settled(gold));
            draws.find(|draw| draw.queue == queue && !draw.by_verdict)
        })
        .collect();
    let mut strata: BTreeMap<(&str, u32, u32), usize> = BTreeMap::new();
    for draw in of_queue.iter().flatten() {
        *strata.entry(draw.part()).or_default() += 1;
    }
    let weight = |draw: &Draw| {
        let labelled = strata.get(&draw.part()).copied().unwrap_or(0).max(1) as f64;
        // Pairs hold two turns, and two draws of a growing queue can look the same: there may be
        // more turns than were taken.
        let behind = (f64::from(draw.taken) / labelled).max(1.0);
        behind / draw.probability()
    };
    let weights: Vec<Option<f64>> = of_queue.iter().map(|draw| draw.map(weight)).collect();
    let known: Vec<f64> = weights.iter().flatten().copied().collect();
    let even = known.iter().all(|one| Some(one) == known.first());
    let basis = Basis::Drawn {
        queue,
        of: strata.keys().map(|(_, _, of)| u64::from(*of)).sum(),
        taken: strata.keys().map(|(_, taken, _)| u64::from(*taken)).sum(),
        labelled: known.len(),
        even,
    };
    (basis, weights)
}
