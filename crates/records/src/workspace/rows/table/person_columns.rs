//! Columns of people's labels: what annotators said, and what an adjudicator settled.

use crate::workspace::annotations::{Annotations, LabelRole};
use elenchus_game::debate::SessionId;
use elenchus_store::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// A column of one label set: an annotator's, or that of what was settled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PersonColumn {
    Said { set: String, annotator: String },
    Settled { set: String },
}

/// People's labels by what they are on, and the columns that sessions need for them.
#[derive(Debug, Default)]
pub(super) struct PersonColumns {
    columns: BTreeSet<PersonColumn>,
    /// By the hash of what was labelled.
    given: BTreeMap<SessionId, BTreeMap<Hash, BTreeMap<PersonColumn, String>>>,
}

impl PersonColumns {
    /// Takes the labels on turns; hidden repeats have no column.
    pub(super) fn from_annotations(annotations: &Annotations) -> Self {
        let mut columns = Self::default();
        for standing in annotations.labels() {
            let label = &standing.label;
            let Some(attempt) = &label.on.attempt else {
                continue;
            };
            if label.repeat > 0 {
                continue;
            }
            let set = label.set.clone();
            let column = match label.role {
                LabelRole::Annotator => PersonColumn::Said {
                    set,
                    annotator: standing.annotator.clone(),
                },
                LabelRole::Adjudicator => PersonColumn::Settled { set },
            };
            let of_session = columns.given.entry(label.on.session.clone()).or_default();
            let labels = of_session.entry(attempt.sha256).or_default();
            labels.insert(column, label.label.clone());
        }
        columns
    }

    /// Adds the columns that a session needs.
    pub(super) fn add_session(&mut self, session: &SessionId) {
        let labels_by_text = self.given.get(session).into_iter().flatten();
        let columns = labels_by_text.flat_map(|(_, labels)| labels.keys().cloned());
        self.columns.extend(columns);
    }

    pub(super) fn column_names(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|column| match column {
            PersonColumn::Said { set, annotator } => format!("label.{set}.{annotator}"),
            PersonColumn::Settled { set } => format!("settled.{set}"),
        })
    }

    /// Returns what was said about an attempt of a session, by the hash of its text; blank for one that has
    /// none.
    pub(super) fn attempt_cells(&self, session: &SessionId, attempt: Option<Hash>) -> Vec<String> {
        let of_session = self.given.get(session);
        let labels = attempt.and_then(|attempt| of_session?.get(&attempt));
        let label = |column| labels?.get(column).cloned();
        let cells = self.columns.iter();
        cells
            .map(|column| label(column).unwrap_or_default())
            .collect()
    }
}
