//! Gold labels: the reference class of a turn, and the weights of labelled turns.

use super::rows::{
    AnnotatorRole, Blinding, BlindingRule, GivenLabel, GoldRule, LabelDraw, LabelSide,
    ValidateOptions, ValidateRow,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Reason why a label, or a labelled turn, is not gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoGold {
    /// Labels by a person who had seen the verdict, arm, protocol or prompt version.
    NotBlind,
    /// Labels from a file that does not say whether they were given blind.
    NotKnownBlind,
    /// Labels given after the judge's reasons were shown, where others are counted.
    AfterReasons,
    /// Labels given without the judge's reasons, where those given after them are counted.
    WithoutReasons,
    /// Labels that are not in the present set.
    NotInSet,
    /// Turns on which annotators disagree without an adjudicator.
    Tie,
    /// Turns with labels, none of them by a person that the rule admits.
    NotAsked,
    /// Turns outside of the sample.
    NotDrawn,
}

impl NoGold {
    /// Returns the reason, worded to follow a count.
    pub fn label(self) -> &'static str {
        match self {
            Self::NotBlind => "labels not given blind",
            Self::NotKnownBlind => "labels from a file that does not say whether they were blind",
            Self::AfterReasons => {
                "labels given after the judge's reasons were shown, which --after-reasons counts by themselves"
            }
            Self::WithoutReasons => "labels given without the judge's reasons",
            Self::NotInSet => "labels that the set no longer has",
            Self::Tie => "turns on which annotators are split and nobody adjudicated",
            Self::NotAsked => "labelled turns without the labels that this gold asks for",
            Self::NotDrawn => "labelled turns outside of the sample",
        }
    }
}

/// Labels and turns left out, by reason.
pub(super) type LeftOutLabels = BTreeMap<NoGold, usize>;

/// Returns the class of a label, or the reason why it does not count.
pub(super) fn admit_label(label: &GivenLabel, options: &ValidateOptions) -> Result<usize, NoGold> {
    let place = options
        .classes
        .index_of(&label.label)
        .ok_or(NoGold::NotInSet)?;
    match (label.blindness, options.blinding_rule) {
        (Blinding::Yes, BlindingRule::BlindOnly)
        | (Blinding::Yes | Blinding::No | Blinding::Unknown, BlindingRule::Any)
        | (Blinding::AfterReasons, BlindingRule::AfterReasons) => Ok(place),
        (Blinding::AfterReasons, BlindingRule::BlindOnly | BlindingRule::Any) => {
            Err(NoGold::AfterReasons)
        }
        (Blinding::Yes | Blinding::No | Blinding::Unknown, BlindingRule::AfterReasons) => {
            Err(NoGold::WithoutReasons)
        }
        (Blinding::No, BlindingRule::BlindOnly) => Err(NoGold::NotBlind),
        (Blinding::Unknown, BlindingRule::BlindOnly) => Err(NoGold::NotKnownBlind),
    }
}

/// Returns the gold class of a turn by its labels: `None` without one that counts.
pub(super) fn find_gold(
    labels: &[GivenLabel],
    options: &ValidateOptions,
) -> Option<Result<usize, NoGold>> {
    let mut of: BTreeMap<AnnotatorRole, Vec<(&str, usize)>> = BTreeMap::new();
    for label in labels.iter().filter(|label| label.repeat == 0) {
        if let Ok(class) = admit_label(label, options) {
            let role_labels = of.entry(label.role).or_default();
            role_labels.push((label.annotator.as_str(), class));
        }
    }
    let (settled, given) = (
        of.get(&AnnotatorRole::Adjudicator),
        of.get(&AnnotatorRole::Annotator),
    );
    if settled.is_none() && given.is_none() {
        return None;
    }
    let classes = |given: Option<&Vec<(&str, usize)>>| -> Vec<usize> {
        given
            .into_iter()
            .flatten()
            .map(|(_, class)| *class)
            .collect()
    };
    Some(match &options.gold {
        GoldRule::Best => find_best_label(&classes(given), &classes(settled)).ok_or(NoGold::Tie),
        GoldRule::Single(name) => {
            let own = given.and_then(|given| given.iter().find(|(who, _)| who == name));
            own.map(|(_, class)| *class).ok_or(NoGold::NotAsked)
        }
        GoldRule::Majority => match given {
            Some(several) if several.len() > 1 => find_majority(&classes(given)).ok_or(NoGold::Tie),
            Some(_) | None => Err(NoGold::NotAsked),
        },
        GoldRule::Adjudicated => match settled {
            Some(_) => find_majority(&classes(settled)).ok_or(NoGold::Tie),
            None => Err(NoGold::NotAsked),
        },
    })
}

/// Returns the side of a turn's gold; `None` where it has none.
pub fn find_gold_side(labels: &[GivenLabel], options: &ValidateOptions) -> Option<LabelSide> {
    let class = find_gold(labels, options)?.ok()?;
    options.classes.labels.get(class).map(|(_, side)| *side)
}

/// Returns the gold of some labels where no rule is asked for: what was settled, or else what more people said than
/// anything else; `None` where they are split, or there are none. Whoever shows gold shows it by this rule.
pub fn find_best_label<T: Ord + Copy>(given: &[T], settled: &[T]) -> Option<T> {
    find_majority(match settled.is_empty() {
        true => given,
        false => settled,
    })
}

/// Returns what was said more often than anything else.
fn find_majority<T: Ord + Copy>(given: &[T]) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for label in given {
        *counts.entry(*label).or_default() += 1;
    }
    let highest = counts.values().copied().max()?;
    let mut leaders = counts.iter().filter(|(_, count)| **count == highest);
    match (leaders.next(), leaders.next()) {
        (Some((label, _)), None) => Some(*label),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// Population of which the labelled turns are a sample (FIGURES 6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Basis {
    /// Turns of one queue, weighted by their inverse probability.
    Drawn {
        queue: String,
        /// Number of turns that the queue was drawn from.
        of: u64,
        /// Number of turns drawn, and of those with gold.
        taken: u64,
        labelled: usize,
        /// Number of turns drawn that have gold and are not of this section.
        #[serde(default, skip_serializing_if = "is_zero")]
        elsewhere: usize,
        /// All turns have the same weight.
        even: bool,
    },
    /// Every turn has gold: the whole population.
    All,
    /// People chose the turns: figures describe those turns alone.
    Chosen,
    /// A queue of turns that were chosen by the verdicts of evaluators.
    ByVerdict { queue: String },
}

impl Basis {
    /// Returns the queue of the labels, and how many turns it has drawn that wait for one; `None` where none does.
    pub fn find_waiting(&self) -> Option<(&str, u64)> {
        let Self::Drawn {
            queue,
            taken,
            labelled,
            elsewhere,
            ..
        } = self
        else {
            return None;
        };
        let left = taken.saturating_sub((labelled + elsewhere) as u64);
        (left > 0).then_some((queue.as_str(), left))
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Part of a draw: the queue, its stratum, how many units of how many were taken, and whether that is stated and not
/// counted.
type DrawPart<'a> = (&'a str, &'a str, u32, u32, bool);

/// Turns with gold in each part of each draw. They are counted over everything that is labelled, of whatever
/// section and selection: what was drawn represents the whole stratum, and a section only its share of it.
#[derive(Debug, Default)]
pub(super) struct LabelledDraws<'a>(BTreeMap<DrawPart<'a>, usize>);

impl<'a> LabelledDraws<'a> {
    pub(super) fn from_turns(
        turns: impl Iterator<Item = &'a [GivenLabel]>,
        options: &ValidateOptions,
    ) -> Self {
        let mut counts: BTreeMap<DrawPart<'a>, usize> = BTreeMap::new();
        for labels in turns.filter(|labels| has_admitted_labels(&find_gold(labels, options))) {
            let label_draws = labels.iter().filter_map(|label| label.drawn.as_ref());
            let mut parts: Vec<DrawPart<'a>> = label_draws
                .filter(|draw| !draw.by_verdict)
                .map(draw_part)
                .collect();
            // A turn counts once for a queue, by the draw that its weight comes from.
            let mut queues = BTreeSet::new();
            parts.retain(|(queue, ..)| queues.insert(*queue));
            for part in parts {
                *counts.entry(part).or_default() += 1;
            }
        }
        Self(counts)
    }

    fn labelled_count(&self, draw: &LabelDraw) -> usize {
        self.0.get(&draw_part(draw)).copied().unwrap_or(0).max(1)
    }

    fn parts_of_queue(&self, name: &str) -> impl Iterator<Item = (DrawPart<'a>, usize)> {
        let parts = self.0.iter().map(|(part, count)| (*part, *count));
        parts.filter(move |((queue, ..), _)| *queue == name)
    }
}

fn draw_part(draw: &LabelDraw) -> DrawPart<'_> {
    (
        &draw.queue,
        &draw.stratum,
        draw.taken,
        draw.of,
        draw.is_stated,
    )
}

/// Returns the population of which the turns with gold are a sample, and the weight of each of
/// them; `None` for a turn outside of the sample.
///
/// Where a stratum is not fully labelled, its labels represent the rest of it: a turn is weighted
/// by `of / labelled` instead of `of / taken`, so that strata with more labels do not count for
/// more. What is labelled in other sections, or was not selected, counts as labelled there.
pub(super) fn weigh_turns(
    rows: &[&ValidateRow],
    gold: &[Option<Result<usize, NoGold>>],
    counts: &LabelledDraws<'_>,
    options: &ValidateOptions,
) -> (Basis, Vec<Option<f64>>) {
    let with_gold = || {
        rows.iter()
            .zip(gold)
            .filter(|(_, gold)| has_admitted_labels(gold))
    };
    let mut queues: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for (row, _) in with_gold() {
        let mut row_queues: Vec<(&str, bool)> = list_draws(row).map(queue_key).collect();
        row_queues.sort_unstable();
        row_queues.dedup();
        for queue in row_queues {
            *queues.entry(queue).or_default() += 1;
        }
    }
    let matches_queue = |queue: &str| options.queue.as_ref().is_none_or(|wanted| wanted == queue);
    let fullest = |by_verdict: bool| {
        let fitting = queues
            .iter()
            .filter(|((queue, own), _)| *own == by_verdict && matches_queue(queue));
        let fullest = fitting.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        fullest.map(|((queue, _), _)| (*queue).to_owned())
    };
    let ones = || {
        gold.iter()
            .map(|gold| has_admitted_labels(gold).then_some(1.0))
            .collect()
    };
    if let Some(queue) = fullest(false) {
        return weigh_draws(rows, gold, counts, queue);
    }
    if gold.iter().all(has_admitted_labels) {
        return (Basis::All, ones());
    }
    match fullest(true) {
        Some(queue) => (Basis::ByVerdict { queue }, ones()),
        None => (Basis::Chosen, ones()),
    }
}

/// Returns whether the people that the rule admits have labelled a turn, even where they disagree.
fn has_admitted_labels(gold: &Option<Result<usize, NoGold>>) -> bool {
    match gold {
        Some(Ok(_) | Err(NoGold::Tie)) => true,
        None | Some(Err(_)) => false,
    }
}

fn queue_key(draw: &LabelDraw) -> (&str, bool) {
    (draw.queue.as_str(), draw.by_verdict)
}

fn list_draws(row: &ValidateRow) -> impl Iterator<Item = &LabelDraw> {
    row.labels.iter().filter_map(|label| label.drawn.as_ref())
}

/// Returns how many turns were taken of how many. Where probabilities are stated, what is labelled was taken, and stands
/// for as many as its weights (Horvitz and Thompson 1952).
fn part_size((.., taken, of, is_stated): DrawPart<'_>, labelled: usize) -> (f64, f64) {
    let (taken, of) = (f64::from(taken), f64::from(of));
    match is_stated {
        false => (taken, of),
        true => (labelled as f64, labelled as f64 * of / taken.max(1.0)),
    }
}

fn to_count(count: f64) -> u64 {
    count.round() as u64
}

fn weigh_draws(
    rows: &[&ValidateRow],
    gold: &[Option<Result<usize, NoGold>>],
    counts: &LabelledDraws<'_>,
    queue: String,
) -> (Basis, Vec<Option<f64>>) {
    let of_queue: Vec<Option<&LabelDraw>> = rows
        .iter()
        .zip(gold)
        .map(|(row, gold)| {
            let mut draws = list_draws(row).filter(|_| has_admitted_labels(gold));
            draws.find(|draw| draw.queue == queue && !draw.by_verdict)
        })
        .collect();
    let weight = |draw: &LabelDraw| {
        if draw.is_stated {
            return 1.0 / draw.probability();
        }
        // Pairs contain two turns, and two draws of a growing queue can look the same: there may be
        // more turns than were taken.
        let behind = (f64::from(draw.taken) / counts.labelled_count(draw) as f64).max(1.0);
        behind / draw.probability()
    };
    let weights: Vec<Option<f64>> = of_queue.iter().map(|draw| draw.map(weight)).collect();
    let known_weights: Vec<f64> = weights.iter().flatten().copied().collect();
    let even = known_weights
        .iter()
        .all(|one| Some(one) == known_weights.first());
    let parts: Vec<(DrawPart<'_>, usize)> = counts.parts_of_queue(&queue).collect();
    let all: usize = parts.iter().map(|(_, count)| count).sum();
    let sizes = parts.iter().map(|(part, count)| part_size(*part, *count));
    let (taken, of) = sizes.fold((0.0, 0.0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
    let basis = Basis::Drawn {
        of: to_count(of),
        taken: to_count(taken),
        labelled: known_weights.len(),
        elsewhere: all.saturating_sub(known_weights.len()),
        even,
        queue,
    };
    (basis, weights)
}
