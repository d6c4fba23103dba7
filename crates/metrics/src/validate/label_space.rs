//! Label space of a comparison with gold: the set's own labels, or sides alone.

use super::rows::{EvaluatorFinding, LabelClasses, LabelSide, ValidateOptions, ValidateRow};
use std::collections::BTreeMap;

/// A row with its gold class.
pub(super) struct ValidatedTurn<'a> {
    pub row: &'a ValidateRow,
    /// Name of its topic, one for each.
    pub topic: &'a str,
    /// Index in the set, and weight, for a turn of the sample.
    pub gold: Option<(usize, f64)>,
}

/// Label space in which an evaluator is compared with gold.
pub(super) enum LabelSpace {
    /// It uses the set's own labels.
    Classes,
    /// Its sides are the set's.
    Sides,
    /// Its sides are the set's, reversed.
    Switched,
    /// It does not distinguish the positive class from the others.
    Neither,
}

impl LabelSpace {
    pub(super) fn from_findings(
        items: &[ValidatedTurn<'_>],
        name: &str,
        options: &ValidateOptions,
        classes: &LabelClasses,
    ) -> Self {
        let label_names = classes.deciding_labels();
        let mut labels = items
            .iter()
            .filter_map(|item| match item.row.found.get(name)? {
                EvaluatorFinding::Found { label, side, .. } => Some((label.as_str(), *side)),
                EvaluatorFinding::Unparsed
                | EvaluatorFinding::Missing
                | EvaluatorFinding::Guardrail => None,
            });
        // A label on neither side is no evidence about the deciding labels.
        if labels.all(|(label, side)| label_names.contains(&label) || side == LabelSide::Neither) {
            return Self::Classes;
        }
        let same = |turned: bool| {
            label_names.iter().all(|label| {
                let own = options.classes.side_of(label) == LabelSide::Positive;
                (own != turned) == (classes.side_of(label) == LabelSide::Positive)
            })
        };
        match (same(false), same(true)) {
            (true, _) => Self::Sides,
            (false, true) => Self::Switched,
            (false, false) => Self::Neither,
        }
    }

    /// Returns the side of a finding.
    pub(super) fn resolve_side(
        &self,
        label: &str,
        side: LabelSide,
        classes: &LabelClasses,
    ) -> LabelSide {
        match self {
            Self::Classes => classes.side_of(label),
            Self::Sides => side,
            Self::Switched => side.opposite(),
            Self::Neither => LabelSide::Neither,
        }
    }
}

/// Counts the labels of findings on neither side.
pub(super) fn count_sideless_labels(
    name: &str,
    items: &[ValidatedTurn<'_>],
    side_of: &impl Fn(&EvaluatorFinding) -> LabelSide,
) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for judged in items.iter().filter_map(|item| item.row.found.get(name)) {
        match judged {
            EvaluatorFinding::Found { label, .. } if side_of(judged) == LabelSide::Neither => {
                *words.entry(label.clone()).or_default() += 1;
            }
            EvaluatorFinding::Found { .. }
            | EvaluatorFinding::Unparsed
            | EvaluatorFinding::Missing
            | EvaluatorFinding::Guardrail => {}
        }
    }
    words
}
