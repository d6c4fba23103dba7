//! In which words an evaluator is held against gold: the set's own labels, or sides alone.

use super::rows::{Asked, Judged, LabelClasses, Side, ValidateRow};
use std::collections::BTreeMap;

/// A row with its gold class.
pub(super) struct Item<'a> {
    pub row: &'a ValidateRow,
    /// The place in the set, and the weight, of a turn of the sample.
    pub gold: Option<(usize, f64)>,
}

/// In which words an evaluator is held against gold.
pub(super) enum Tongue {
    /// It uses the set's own labels.
    Classes,
    /// Its sides are the set's.
    Sides,
    /// Its sides are the set's, the other way round.
    Switched,
    /// It does not tell the positive class from the others.
    Neither,
}

impl Tongue {
    pub(super) fn of(
        items: &[Item<'_>],
        name: &str,
        asked: &Asked,
        classes: &LabelClasses,
    ) -> Self {
        let decided = classes.decided();
        let mut labels = items
            .iter()
            .filter_map(|item| match item.row.found.get(name)? {
                Judged::Found { label, side, .. } => Some((label.as_str(), *side)),
                Judged::Unparsed | Judged::Missing | Judged::Guardrail => None,
            });
        // A word on neither side says nothing about the words that decide.
        if labels.all(|(label, side)| decided.contains(&label) || side == Side::Neither) {
            return Self::Classes;
        }
        let same = |turned: bool| {
            decided.iter().all(|label| {
                let own = asked.classes.side(label) == Side::Positive;
                (own != turned) == (classes.side(label) == Side::Positive)
            })
        };
        match (same(false), same(true)) {
            (true, _) => Self::Sides,
            (false, true) => Self::Switched,
            (false, false) => Self::Neither,
        }
    }

    /// The side of a finding.
    pub(super) fn side(&self, label: &str, side: Side, classes: &LabelClasses) -> Side {
        match self {
            Self::Classes => classes.side(label),
            Self::Sides => side,
            Self::Switched => side.opposite(),
            Self::Neither => Side::Neither,
        }
    }
}

/// Counts the words of findings that are on neither side.
pub(super) fn on_neither_side(
    name: &str,
    items: &[Item<'_>],
    side_of: &impl Fn(&Judged) -> Side,
) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for judged in items.iter().filter_map(|item| item.row.found.get(name)) {
        match judged {
            Judged::Found { label, .. } if side_of(judged) == Side::Neither => {
                *words.entry(label.clone()).or_default() += 1;
            }
            Judged::Found { .. } | Judged::Unparsed | Judged::Missing | Judged::Guardrail => {}
        }
    }
    words
}
