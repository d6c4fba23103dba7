//! Agreement of annotators with each other, and with themselves (FIGURES 7).

use super::estimate::{
    BETWEEN_TWO, Classed, Estimate, Quantity, TwoSided, estimate_binary, estimate_classes,
};
use super::gold::{LeftOutLabels, admit_label};
use super::label_space::ValidatedTurn;
use super::rows::{AnnotatorRole, LabelClasses, LabelSide, ValidateOptions};
use crate::statistics::agreement::{RatingSums, Ratings, Scale};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::few_apart::{MIN_TOPICS_DIFFERING, effective_number};
use crate::statistics::interval::{TopicSums, share_interval};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Agreement of people on the turns that they labelled; never weighted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorAgreement {
    /// Number of counted labels of each annotator.
    pub labels: BTreeMap<String, usize>,
    /// Median of the seconds that these labels took, by annotator, where it is known of some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub median_seconds: BTreeMap<String, f64>,
    /// All annotators together; empty with fewer than two on the same turns.
    pub together: Vec<Estimate>,
    pub pairs: Vec<AnnotatorPair>,
    /// Each annotator with themselves, by hidden repeats.
    pub selves: Vec<AnnotatorPair>,
    /// Labels on neither side, as *unsure*, which are in none of these figures.
    pub undecided: usize,
}

/// Two people's labels of the same turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorPair {
    pub first: String,
    /// The same person in a hidden repeat.
    pub second: String,
    pub estimates: Vec<Estimate>,
}

/// Note on Fleiss' κ where turns have different numbers of raters, of which his formula knows nothing.
const UNEQUAL_RATERS: &str = "a generalisation of Fleiss' kappa: the turns have different numbers of \
     raters, and each turn weighs the same";

/// Reason for a missing ordinal agreement.
const NOT_RANKED: &str = "the set says of no label how it ranks: give each a 'rank' in its file";

/// Decided labels of a person by the index of the row.
type DecidedLabels = BTreeMap<usize, usize>;

pub(super) fn annotator_agreement(
    items: &[ValidatedTurn<'_>],
    options: &ValidateOptions,
    classes: &LabelClasses,
    missing: &mut LeftOutLabels,
) -> AnnotatorAgreement {
    let label_names = classes.ranked_labels();
    let mut first_labels: BTreeMap<&str, DecidedLabels> = BTreeMap::new();
    let mut repeat_labels: BTreeMap<&str, DecidedLabels> = BTreeMap::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut spent_ms: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut undecided_count = 0;
    for (at, item) in items.iter().enumerate() {
        for label in &item.row.labels {
            if let Err(why) = admit_label(label, options) {
                *missing.entry(why).or_default() += 1;
                continue;
            }
            if label.role == AnnotatorRole::Adjudicator {
                continue;
            }
            if label.repeat == 0 {
                *labels.entry(label.annotator.clone()).or_default() += 1;
                let durations = spent_ms.entry(label.annotator.clone()).or_default();
                durations.extend(label.spent_ms);
            }
            let Some(class) = label_names.iter().position(|name| *name == label.label) else {
                undecided_count += 1;
                continue;
            };
            let of = if label.repeat == 0 {
                &mut first_labels
            } else {
                &mut repeat_labels
            };
            of.entry(&label.annotator).or_default().insert(at, class);
        }
    }
    let sides: Vec<bool> = label_names
        .iter()
        .map(|name| classes.side_of(name) == LabelSide::Positive)
        .collect();
    let pair = |first: &str, second: &str, one: &DecidedLabels, other: &DecidedLabels| {
        let both: Vec<Classed<'_>> = one
            .iter()
            .filter_map(|(at, class)| {
                let item = items.get(*at)?;
                Some(Classed {
                    topic: item.topic,
                    gold: *class,
                    verdict: *other.get(at)?,
                    weight: 1.0,
                })
            })
            .collect();
        (!both.is_empty()).then(|| AnnotatorPair {
            first: first.to_owned(),
            second: second.to_owned(),
            estimates: pair_estimates(&both, &sides, options),
        })
    };
    let names: Vec<&str> = first_labels.keys().copied().collect();
    let mut pairs = Vec::new();
    for (at, first) in names.iter().enumerate() {
        for second in names.iter().skip(at + 1) {
            if let Some((one, other)) = first_labels.get(first).zip(first_labels.get(second)) {
                pairs.extend(pair(first, second, one, other));
            }
        }
    }
    let selves = repeat_labels.iter().filter_map(|(name, repeats)| {
        let first = first_labels.get(name)?;
        pair(name, name, first, repeats)
    });
    let selves = selves.collect();
    let medians = spent_ms.into_iter();
    let medians = medians.filter_map(|(name, spent)| Some((name, median_seconds(&spent)?)));
    AnnotatorAgreement {
        labels,
        median_seconds: medians.collect(),
        together: joint_agreement(items, &first_labels, label_names.len(), (options, classes)),
        pairs,
        selves,
        undecided: undecided_count,
    }
}

/// Returns the median of durations in seconds, the mean of the two in the middle of an even number; `None` of none.
pub fn median_seconds(spent_ms: &[u64]) -> Option<f64> {
    let mut durations = spent_ms.to_vec();
    durations.sort_unstable();
    let middle = durations.len() / 2;
    let upper = *durations.get(middle)?;
    let lower = match durations.len() % 2 {
        0 => *durations.get(middle - 1)?,
        _ => upper,
    };
    Some((lower as f64 + upper as f64) / 2_000.0)
}

fn pair_estimates(
    both: &[Classed<'_>],
    sides: &[bool],
    options: &ValidateOptions,
) -> Vec<Estimate> {
    if sides.len() > 2 {
        return estimate_classes(both, sides.len(), Quantity::Agreement, options.resampling);
    }
    let side = |class: usize| sides.get(class).copied().unwrap_or(false);
    let turns: Vec<TwoSided<'_>> = both
        .iter()
        .map(|turn| TwoSided {
            topic: turn.topic,
            gold: side(turn.gold),
            verdict: side(turn.verdict),
            weight: turn.weight,
        })
        .collect();
    estimate_binary(&turns, &BETWEEN_TWO, options.resampling)
}

/// Estimates the agreement of all annotators, over the turns that at least two labelled.
fn joint_agreement(
    items: &[ValidatedTurn<'_>],
    given: &BTreeMap<&str, DecidedLabels>,
    classes: usize,
    (options, set): (&ValidateOptions, &LabelClasses),
) -> Vec<Estimate> {
    let mut classes_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, class) in given.values().flatten() {
        classes_of.entry(*at).or_default().push(*class);
    }
    let mut topics: BTreeMap<&str, Ratings> = BTreeMap::new();
    let mut shared_topics = BTreeSet::new();
    for (at, given) in &classes_of {
        let Some(item) = items.get(*at) else {
            continue;
        };
        let ratings = topics.entry(item.topic);
        // Every class was found among those of the set.
        let _ = ratings
            .or_insert_with(|| Ratings::new(classes))
            .add_item(given);
        if given.len() > 1 {
            shared_topics.insert(item.topic);
        }
    }
    let shared_turns: usize = topics.values().map(Ratings::shared_items).sum();
    let raters: BTreeSet<usize> = (classes_of.values().map(Vec::len))
        .filter(|raters| *raters > 1)
        .collect();
    if shared_turns == 0 {
        return Vec::new();
    }
    let width = Ratings::new(classes).sums().values().len();
    let mut sums = TopicSums::new(width);
    let mut agreeing = TopicSums::new(2);
    for ratings in topics.values() {
        let of_topic = ratings.sums();
        sums.push(of_topic.values());
        let of_pairs @ [_, pairs] = of_topic.pair_sums();
        if pairs > 0.0 {
            agreeing.push(&of_pairs);
        }
    }
    type Statistic = fn(&RatingSums) -> Option<f64>;
    let mut quantities: Vec<(Quantity, Statistic)> = vec![
        (Quantity::Agreement, RatingSums::agreement),
        (Quantity::FleissKappa, RatingSums::fleiss_kappa),
        (Quantity::AlphaNominal, |sums| {
            sums.krippendorff_alpha(Scale::Nominal)
        }),
    ];
    let has_ranks = !set.ranked.is_empty();
    if classes > 2 && has_ranks {
        quantities.push((Quantity::AlphaOrdinal, |sums| {
            sums.krippendorff_alpha(Scale::Ordinal)
        }));
    }
    quantities.push((Quantity::Ac1, RatingSums::ac1));
    let estimates = quantities.into_iter().map(|(quantity, statistic)| {
        let of = |sums: &[f64]| statistic(&RatingSums::from_values(classes, sums));
        let estimate = Estimate::new(
            quantity,
            of(&sums.total()),
            shared_topics.len(),
            shared_turns,
        );
        let interval = match quantity {
            Quantity::Agreement => share_interval(&agreeing, options.resampling),
            Quantity::FleissKappa | Quantity::AlphaNominal | Quantity::AlphaOrdinal
                if !classes_vary(topics.values()) =>
            {
                None
            }
            _ => bootstrap_interval(&sums, of, options.resampling),
        };
        let mut estimate = estimate.with_interval(interval);
        if quantity == Quantity::FleissKappa && raters.len() > 1 && estimate.value.is_some() {
            estimate.notes.push(UNEQUAL_RATERS.to_owned());
        }
        estimate
    });
    let mut estimates: Vec<Estimate> = estimates.collect();
    if classes > 2 && !has_ranks {
        let unranked_alpha = Estimate::new_not_applicable(Quantity::AlphaOrdinal, NOT_RANKED);
        estimates.insert(estimates.len() - 1, unranked_alpha);
    }
    estimates
}

/// Says whether enough topics hold a class other than the most common one.
fn classes_vary<'a>(topics: impl Iterator<Item = &'a Ratings>) -> bool {
    let shares: Vec<Vec<f64>> = topics
        .map(|topic| topic.sums().class_shares().to_vec())
        .collect();
    let classes = shares.first().map_or(0, Vec::len);
    let total = |class: usize| -> f64 { shares.iter().filter_map(|topic| topic.get(class)).sum() };
    let commonest = (0..classes).max_by(|a, b| total(*a).total_cmp(&total(*b)));
    let others = shares.iter().map(|topic| {
        let common = commonest.and_then(|class| topic.get(class)).copied();
        topic.iter().sum::<f64>() - common.unwrap_or(0.0)
    });
    effective_number(others) >= MIN_TOPICS_DIFFERING
}
