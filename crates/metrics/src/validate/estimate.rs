//! Estimates of one evaluator against gold, with intervals over topics.

use super::coefficient_interval::coefficient_interval;
use crate::sections::counting::{FEW_TOPICS, NO_INTERVAL};
use crate::statistics::agreement::{BinaryTable, ContingencyTable};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::few_apart::{MIN_TOPICS_DIFFERING, effective_number};
use crate::statistics::interval::Interval;
use crate::statistics::interval::{MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, share_interval};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Quantity of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Share of turns on which the evaluator agrees with gold.
    Accuracy,
    /// Share of turns on which people agree.
    Agreement,
    Precision,
    /// Sensitivity.
    Recall,
    Specificity,
    F1,
    BalancedAccuracy,
    /// Cohen's κ.
    Kappa,
    PrevalenceIndex,
    BiasIndex,
    /// Gwet's AC1.
    Ac1,
    PositiveAgreement,
    NegativeAgreement,
    /// Fleiss' κ.
    FleissKappa,
    /// Krippendorff's α on a nominal scale.
    AlphaNominal,
    /// Krippendorff's α on an ordinal scale, with the ranks of the set.
    AlphaOrdinal,
    /// Mean squared distance of score and gold (Brier 1950).
    Brier,
    /// Mean distance of score and gold over ten bins of the score (Naeini et al. 2015).
    CalibrationError,
}

impl Quantity {
    /// Returns the name for display.
    pub fn label(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Agreement => "agreement",
            Self::Precision => "precision",
            Self::Recall => "recall (sensitivity)",
            Self::Specificity => "specificity",
            Self::F1 => "F1",
            Self::BalancedAccuracy => "balanced accuracy",
            Self::Kappa => "Cohen's kappa",
            Self::PrevalenceIndex => "  prevalence index",
            Self::BiasIndex => "  bias index",
            Self::Ac1 => "Gwet's AC1",
            Self::PositiveAgreement => "positive agreement",
            Self::NegativeAgreement => "negative agreement",
            Self::FleissKappa => "Fleiss' kappa",
            Self::AlphaNominal => "Krippendorff's alpha",
            Self::AlphaOrdinal => "  alpha, labels ranked",
            Self::Brier => "Brier score",
            Self::CalibrationError => "calibration error",
        }
    }

    /// Returns whether it is shown in percent.
    pub fn is_share(self) -> bool {
        match self {
            Self::Accuracy
            | Self::Agreement
            | Self::Precision
            | Self::Recall
            | Self::Specificity
            | Self::F1
            | Self::BalancedAccuracy
            | Self::PositiveAgreement
            | Self::NegativeAgreement => true,
            Self::Kappa
            | Self::PrevalenceIndex
            | Self::BiasIndex
            | Self::Ac1
            | Self::FleissKappa
            | Self::AlphaNominal
            | Self::AlphaOrdinal
            | Self::Brier
            | Self::CalibrationError => false,
        }
    }

    fn why_not(self) -> &'static str {
        match self {
            Self::Accuracy | Self::Agreement => "no turn has both a label and a verdict",
            Self::Precision => "the evaluator calls nothing positive",
            Self::Recall => "gold holds nothing positive",
            Self::Specificity => "gold holds nothing negative",
            Self::F1 | Self::PositiveAgreement => "neither calls anything positive",
            Self::NegativeAgreement => "neither calls anything negative",
            Self::BalancedAccuracy => "gold holds one class alone",
            Self::PrevalenceIndex | Self::BiasIndex => "no turn has both a label and a verdict",
            Self::Kappa | Self::Ac1 | Self::FleissKappa => {
                "one class alone was used, so chance explains everything"
            }
            Self::AlphaNominal | Self::AlphaOrdinal => {
                "one class alone was used, so nothing could disagree"
            }
            Self::Brier | Self::CalibrationError => "no turn has both a score and gold",
        }
    }
}

/// One number; exactly one of `value` and `not_applicable` is present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub quantity: Quantity,
    pub value: Option<f64>,
    /// Reason for a missing value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_applicable: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Topics and turns that contribute.
    pub topics: usize,
    pub turns: usize,
    /// Notes needed to interpret it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Estimate {
    pub(super) fn new(quantity: Quantity, value: Option<f64>, topics: usize, turns: usize) -> Self {
        let value = value.filter(|value| value.is_finite());
        Self {
            quantity,
            not_applicable: value.is_none().then(|| quantity.why_not().to_owned()),
            value,
            interval: None,
            topics,
            turns,
            notes: Vec::new(),
        }
    }

    pub(super) fn new_not_applicable(quantity: Quantity, why: &str) -> Self {
        Self {
            not_applicable: Some(why.to_owned()),
            ..Self::new(quantity, None, 0, 0)
        }
    }

    /// Adds the interval, or a note why there is none.
    pub(super) fn with_interval(mut self, interval: Option<Interval>) -> Self {
        if self.value.is_none() {
            return self;
        }
        self.interval = interval;
        self.notes.extend(topic_note(self.topics));
        if self.topics >= MIN_TOPICS_FOR_INTERVAL && self.interval.is_none() {
            let note = format!("{NO_INTERVAL}: too little variation between topics");
            self.notes.push(note);
        }
        self
    }
}

/// Returns the note about few topics.
pub(super) fn topic_note(topics: usize) -> Option<String> {
    if topics < MIN_TOPICS_FOR_INTERVAL {
        let few = format!("{NO_INTERVAL}: fewer than {MIN_TOPICS_FOR_INTERVAL} topics");
        return Some(few);
    }
    (topics < FEW_TOPICS).then(|| format!("fewer than {FEW_TOPICS} topics"))
}

/// A turn with gold and verdict by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoSided<'a> {
    pub topic: &'a str,
    pub gold: bool,
    pub verdict: bool,
    pub weight: f64,
}

/// A turn with gold and verdict among the same classes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classed<'a> {
    pub topic: &'a str,
    pub gold: usize,
    pub verdict: usize,
    pub weight: f64,
}

pub(super) const HIT: usize = 0;
pub(super) const MISSED: usize = 1;
pub(super) const FALSE_ALARM: usize = 2;
pub(super) const QUIET: usize = 3;

/// Quantities of a two-by-two table against gold.
pub(super) const AGAINST_GOLD: [Quantity; 11] = [
    Quantity::Accuracy,
    Quantity::Precision,
    Quantity::Recall,
    Quantity::F1,
    Quantity::Specificity,
    Quantity::BalancedAccuracy,
    Quantity::Kappa,
    Quantity::PrevalenceIndex,
    Quantity::BiasIndex,
    Quantity::Ac1,
    Quantity::NegativeAgreement,
];

/// Quantities of each category, seat or round.
pub(super) const OF_PARTS: [Quantity; 5] = [
    Quantity::Accuracy,
    Quantity::Precision,
    Quantity::Recall,
    Quantity::Specificity,
    Quantity::Kappa,
];

/// Quantities of a two-by-two table of two people.
pub(super) const BETWEEN_TWO: [Quantity; 7] = [
    Quantity::Agreement,
    Quantity::Kappa,
    Quantity::PrevalenceIndex,
    Quantity::BiasIndex,
    Quantity::Ac1,
    Quantity::PositiveAgreement,
    Quantity::NegativeAgreement,
];

/// Estimates quantities of a two-by-two table.
pub(super) fn estimate_binary(
    turns: &[TwoSided<'_>],
    quantities: &[Quantity],
    plan: Resampling,
) -> Vec<Estimate> {
    if turns.is_empty() {
        let missing = quantities.iter().copied();
        return missing
            .map(|quantity| {
                Estimate::new_not_applicable(quantity, "no turn has both a label and a verdict")
            })
            .collect();
    }
    let mut topics: BTreeMap<&str, [f64; 4]> = BTreeMap::new();
    for turn in turns {
        if let Some(sum) = topics
            .entry(turn.topic)
            .or_default()
            .get_mut(cell_of_turn(turn))
        {
            *sum += turn.weight;
        }
    }
    let estimates = quantities.iter().map(|quantity| match share_of(*quantity) {
        Some(share) => share_estimate(*quantity, turns, &topics, share, plan),
        None => {
            let mut sums = TopicSums::new(4);
            topics.values().for_each(|topic| sums.push(topic));
            let statistic = |sums: &[f64]| compute_quantity(*quantity, binary_table(sums));
            let value = statistic(&sums.total());
            let estimate = Estimate::new(*quantity, value, topics.len(), turns.len());
            let interval = coefficient_interval(*quantity, &sums, statistic, plan);
            estimate.with_interval(interval)
        }
    });
    estimates.collect()
}

fn cell_of_turn(turn: &TwoSided<'_>) -> usize {
    match (turn.gold, turn.verdict) {
        (true, true) => HIT,
        (true, false) => MISSED,
        (false, true) => FALSE_ALARM,
        (false, false) => QUIET,
    }
}

/// Cells of a share's numerator and denominator; `None` for a quantity that is no share of turns.
type ShareCells = (&'static [usize], &'static [usize]);

fn share_of(quantity: Quantity) -> Option<ShareCells> {
    match quantity {
        Quantity::Accuracy | Quantity::Agreement => {
            Some((&[HIT, QUIET], &[HIT, MISSED, FALSE_ALARM, QUIET]))
        }
        Quantity::Precision => Some((&[HIT], &[HIT, FALSE_ALARM])),
        Quantity::Recall => Some((&[HIT], &[HIT, MISSED])),
        Quantity::Specificity => Some((&[QUIET], &[QUIET, FALSE_ALARM])),
        Quantity::F1
        | Quantity::BalancedAccuracy
        | Quantity::Kappa
        | Quantity::PrevalenceIndex
        | Quantity::BiasIndex
        | Quantity::Ac1
        | Quantity::PositiveAgreement
        | Quantity::NegativeAgreement
        | Quantity::FleissKappa
        | Quantity::AlphaNominal
        | Quantity::AlphaOrdinal
        | Quantity::Brier
        | Quantity::CalibrationError => None,
    }
}

/// Estimates a share of turns; topics and turns without a part in its denominator are not counted.
fn share_estimate(
    quantity: Quantity,
    turns: &[TwoSided<'_>],
    topics: &BTreeMap<&str, [f64; 4]>,
    (of, over): ShareCells,
    plan: Resampling,
) -> Estimate {
    let sum_places = |topic: &[f64; 4], places: &[usize]| -> f64 {
        places.iter().filter_map(|place| topic.get(*place)).sum()
    };
    let mut sums = TopicSums::new(2);
    for topic in topics.values() {
        let below = sum_places(topic, over);
        if below > 0.0 {
            sums.push(&[sum_places(topic, of), below]);
        }
    }
    let counting_turns = turns
        .iter()
        .filter(|turn| over.contains(&cell_of_turn(turn)));
    let value = crate::statistics::interval::ratio(&sums.total());
    let estimate = Estimate::new(quantity, value, sums.topic_count(), counting_turns.count());
    estimate.with_interval(share_interval(&sums, plan))
}

fn binary_table(sums: &[f64]) -> BinaryTable {
    let at = |place: usize| sums.get(place).copied().unwrap_or(0.0);
    BinaryTable {
        both_positive: at(HIT),
        first_only: at(MISSED),
        second_only: at(FALSE_ALARM),
        both_negative: at(QUIET),
    }
}

fn compute_quantity(quantity: Quantity, binary: BinaryTable) -> Option<f64> {
    match quantity {
        Quantity::Accuracy | Quantity::Agreement => binary.agreement(),
        Quantity::Precision => binary.precision(),
        Quantity::Recall => binary.recall(),
        Quantity::Specificity => binary.specificity(),
        Quantity::F1 | Quantity::PositiveAgreement => binary.f1(),
        Quantity::NegativeAgreement => binary.negative_agreement(),
        Quantity::BalancedAccuracy => binary.balanced_accuracy(),
        Quantity::PrevalenceIndex => binary.prevalence_index(),
        Quantity::BiasIndex => binary.bias_index(),
        Quantity::Kappa => binary.to_contingency_table().kappa(),
        Quantity::Ac1 => binary.to_contingency_table().ac1(),
        Quantity::FleissKappa
        | Quantity::AlphaNominal
        | Quantity::AlphaOrdinal
        | Quantity::Brier
        | Quantity::CalibrationError => None,
    }
}

/// Estimates κ, AC1 and the share of agreement, under the given name, of a table of any number of
/// classes.
pub(super) fn estimate_classes(
    turns: &[Classed<'_>],
    classes: usize,
    same: Quantity,
    plan: Resampling,
) -> Vec<Estimate> {
    let mut topics: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for turn in turns {
        let sums = topics.entry(turn.topic);
        let sums = sums.or_insert_with(|| vec![0.0; classes * classes]);
        if let Some(sum) = sums.get_mut(turn.gold * classes + turn.verdict) {
            *sum += turn.weight;
        }
    }
    let mut sums = TopicSums::new(classes * classes);
    topics.values().for_each(|topic| sums.push(topic));
    let table = |sums: &[f64]| {
        let mut table = ContingencyTable::new(classes);
        for (place, weight) in sums.iter().enumerate() {
            // An empty cell stays empty.
            let _ = table.add_item(place / classes, place % classes, *weight);
        }
        table
    };
    type Statistic = fn(&ContingencyTable) -> Option<f64>;
    let quantities: [(Quantity, Statistic); 3] = [
        (same, ContingencyTable::agreement),
        (Quantity::Kappa, ContingencyTable::kappa),
        (Quantity::Ac1, ContingencyTable::ac1),
    ];
    let estimates = quantities.iter().map(|(quantity, statistic)| {
        let value = statistic(&table(&sums.total()));
        let estimate = Estimate::new(*quantity, value, topics.len(), turns.len());
        let interval = match *quantity {
            Quantity::Kappa if !classes_vary(&sums, classes) => None,
            quantity if quantity == same => share_interval(&agreement_sums(&sums, classes), plan),
            _ => bootstrap_interval(&sums, |sums| statistic(&table(sums)), plan),
        };
        estimate.with_interval(interval)
    });
    estimates.collect()
}

/// Returns the agreeing turns of each topic and all of them.
fn agreement_sums(tables: &TopicSums, classes: usize) -> TopicSums {
    let mut sums = TopicSums::new(2);
    for row in tables.rows() {
        let same: f64 = row.iter().step_by(classes + 1).sum();
        sums.push(&[same, row.iter().sum()]);
    }
    sums
}

/// Says whether enough topics hold a class other than the most common one, on either side.
fn classes_vary(tables: &TopicSums, classes: usize) -> bool {
    let of_class = |row: &[f64], class: usize| -> f64 {
        let evaluator_weights = row.iter().skip(class).step_by(classes);
        let gold = row.iter().skip(class * classes).take(classes);
        evaluator_weights.chain(gold).sum()
    };
    let total = tables.total();
    let by_size = |a: &usize, b: &usize| of_class(&total, *a).total_cmp(&of_class(&total, *b));
    let commonest = (0..classes).max_by(by_size).unwrap_or(0);
    let others = tables
        .rows()
        .map(|row| 2.0 * row.iter().sum::<f64>() - of_class(row, commonest));
    effective_number(others) >= MIN_TOPICS_DIFFERING
}
