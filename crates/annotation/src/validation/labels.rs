//! Labels of people, converted to the input of metrics.

use crate::queue::LaterDraws;
use elenchus_game::judge::{LabelSet, TableSide};
use elenchus_metrics::{AnnotatorRole, Blinding, GivenLabel, LabelClasses, LabelDraw, LabelSide};
use elenchus_records::workspace::annotations::{
    Annotations, Blindness, CurrentLabel, LabelRole, QueueDraw, Unblinding,
};
use std::collections::BTreeMap;

/// Counts the labels by label set, without retracted ones.
pub(super) fn count_labels_by_set(annotations: &Annotations) -> BTreeMap<String, usize> {
    let mut sets = BTreeMap::new();
    for standing in annotations.labels() {
        *sets.entry(standing.label.set.clone()).or_default() += 1;
    }
    sets
}

/// Returns a set's labels, each with its side.
pub(super) fn label_classes(set: &LabelSet) -> LabelClasses {
    let labels = set.labels.iter();
    let names_by_rank = labels
        .clone()
        .filter_map(|label| Some((label.rank?, &label.name)));
    let names_by_rank: BTreeMap<u8, &String> = names_by_rank.collect();
    LabelClasses {
        set: set.id.clone(),
        of: set.of.name().to_owned(),
        labels: labels
            .map(|label| (label.name.clone(), label_side(label.counts)))
            .collect(),
        ranked: names_by_rank.into_values().cloned().collect(),
    }
}

pub(super) fn label_side(counts: TableSide) -> LabelSide {
    match counts {
        TableSide::Positive => LabelSide::Positive,
        TableSide::Negative => LabelSide::Negative,
        TableSide::LeftOut => LabelSide::Neither,
    }
}

/// Labels of one turn, some of which may have been given on a fork's copy: of the same person in the
/// same role, the last one counts.
pub(super) fn select_latest_labels(
    labels: &[&CurrentLabel],
    later_draws: &LaterDraws,
) -> Vec<GivenLabel> {
    let mut last: BTreeMap<(&str, bool, u32), &CurrentLabel> = BTreeMap::new();
    for standing in labels {
        let label = &standing.label;
        let adjudicates = label.role == LabelRole::Adjudicator;
        let key = (standing.annotator.as_str(), adjudicates, label.repeat);
        let latest = last.entry(key).or_insert(standing);
        if latest.at <= standing.at {
            *latest = standing;
        }
    }
    last.into_values()
        .map(|standing| given_label(standing, later_draws))
        .collect()
}

fn given_label(standing: &CurrentLabel, later_draws: &LaterDraws) -> GivenLabel {
    let label = &standing.label;
    let drawn = label.drawn.as_ref();
    let drawn = drawn.map(|drawn| later_draws.find_draw(drawn, &label.on));
    GivenLabel {
        annotator: standing.annotator.clone(),
        label: label.label.clone(),
        blindness: match &label.blind {
            Blindness::Blind => Blinding::Yes,
            Blindness::Unblinded { saw } if saw.contains(&Unblinding::Reasons) => {
                Blinding::AfterReasons
            }
            Blindness::Unblinded { .. } => Blinding::No,
            Blindness::Unknown => Blinding::Unknown,
        },
        role: match label.role {
            LabelRole::Annotator => AnnotatorRole::Annotator,
            LabelRole::Adjudicator => AnnotatorRole::Adjudicator,
        },
        repeat: label.repeat,
        drawn: drawn.map(label_draw),
        spent_ms: label.spent_ms,
    }
}

fn label_draw(drawn: &QueueDraw) -> LabelDraw {
    LabelDraw {
        queue: drawn.queue.clone(),
        stratum: drawn.stratum.clone(),
        taken: drawn.taken,
        of: drawn.of,
        chances: drawn.chances,
        by_verdict: drawn.by_verdict,
        is_stated: drawn.is_stated,
    }
}
