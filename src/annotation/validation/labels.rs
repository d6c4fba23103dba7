//! People's labels as metrics read them.

use super::super::margin::{Blindness, Drawn, LabelRole, Margins, StandingLabel};
use crate::judge::{Counts, LabelSet};
use crate::metrics::{Blind, Draw, GivenLabel, LabelClasses, Role, Side};
use std::collections::BTreeMap;

/// Returns the sets that turns are labelled by, with how many labels stand.
pub fn labelled_sets(margins: &Margins) -> BTreeMap<String, usize> {
    let mut sets = BTreeMap::new();
    for standing in margins.labels() {
        if standing.label.on.attempt.is_some() {
            *sets.entry(standing.label.set.clone()).or_default() += 1;
        }
    }
    sets
}

/// Returns a set's labels with the side that each stands on.
pub fn set_classes(set: &LabelSet) -> LabelClasses {
    let labels = set.labels.iter();
    let ranked = labels
        .clone()
        .filter_map(|label| Some((label.rank?, &label.name)));
    let ranked: BTreeMap<u8, &String> = ranked.collect();
    LabelClasses {
        set: set.id.clone(),
        labels: labels
            .map(|label| (label.name.clone(), side(label.counts)))
            .collect(),
        ranked: ranked.into_values().cloned().collect(),
    }
}

pub(super) fn side(counts: Counts) -> Side {
    match counts {
        Counts::Positive => Side::Positive,
        Counts::Negative => Side::Negative,
        Counts::LeftOut => Side::Neither,
    }
}

/// Labels of one turn, some of which may have been given on a fork's copy: of the same person in the
/// same role, the last one counts.
pub(super) fn given(labels: &[&StandingLabel]) -> Vec<GivenLabel> {
    let mut last: BTreeMap<(&str, bool, u32), &StandingLabel> = BTreeMap::new();
    for standing in labels {
        let label = &standing.label;
        let adjudicates = label.role == LabelRole::Adjudicator;
        let key = (standing.annotator.as_str(), adjudicates, label.repeat);
        let known = last.entry(key).or_insert(standing);
        if known.at <= standing.at {
            *known = standing;
        }
    }
    last.into_values().map(given_label).collect()
}

fn given_label(standing: &StandingLabel) -> GivenLabel {
    let label = &standing.label;
    GivenLabel {
        annotator: standing.annotator.clone(),
        label: label.label.clone(),
        blindness: match label.blind {
            Blindness::Blind => Blind::Yes,
            Blindness::Unblinded { .. } => Blind::No,
            Blindness::Unknown => Blind::Unknown,
        },
        role: match label.role {
            LabelRole::Annotator => Role::Annotator,
            LabelRole::Adjudicator => Role::Adjudicator,
        },
        repeat: label.repeat,
        drawn: label.drawn.as_ref().map(draw),
    }
}

fn draw(drawn: &Drawn) -> Draw {
    Draw {
        queue: drawn.queue.clone(),
        stratum: drawn.stratum.clone(),
        taken: drawn.taken,
        of: drawn.of,
        chances: drawn.chances,
        by_verdict: drawn.by_verdict,
    }
}
