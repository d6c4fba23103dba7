//! Columns of passes: what each found, by the rule that it was asked.

use super::cells::label_of;
use crate::workspace::pass::Pass;
use elenchus_game::debate::{JudgingId, SessionId, Target};
use std::collections::{BTreeMap, BTreeSet};

/// What stands for a finding that the provider's filter refused.
const FILTERED: &str = "filtered";

/// A pass and one of its rules.
type PassColumn = (String, JudgingId);

/// What is found by a pass, of all judges of one rule and of one target.
type Found = BTreeMap<PassColumn, BTreeSet<String>>;

/// Findings of passes by what they are on, and the columns that sessions need for them.
#[derive(Debug, Default)]
pub(super) struct PassColumns {
    columns: BTreeSet<PassColumn>,
    found: BTreeMap<SessionId, BTreeMap<Target, Found>>,
}

impl PassColumns {
    /// Takes what passes found about targets that are asked for.
    pub(super) fn from_passes(passes: &[Pass], is_asked_for: impl Fn(&Target) -> bool) -> Self {
        let mut columns = Self::default();
        for pass in passes {
            let id = &pass.manifest.pass;
            let verdict_labels = pass.verdicts.iter().map(|verdict| {
                let label = label_of(&verdict.outcome);
                (&verdict.session, &verdict.target, &verdict.judging, label)
            });
            let filter_labels = pass.filtered.iter().map(|asked| {
                let label = FILTERED.to_owned();
                (&asked.session, &asked.target, &asked.judging, label)
            });
            for (session, target, judging, label) in verdict_labels.chain(filter_labels) {
                if !is_asked_for(target) {
                    continue;
                }
                let of_session = columns.found.entry(session.clone()).or_default();
                let of_target = of_session.entry(target.clone()).or_default();
                let column = (id.clone(), judging.clone());
                of_target.entry(column).or_default().insert(label);
            }
        }
        columns
    }

    /// Adds the columns that a session needs.
    pub(super) fn add_session(&mut self, session: &SessionId) {
        let findings = self.found.get(session).into_iter().flatten();
        let columns = findings.flat_map(|(_, found)| found.keys().cloned());
        self.columns.extend(columns);
    }

    pub(super) fn column_names(&self) -> impl Iterator<Item = String> + '_ {
        let columns = self.columns.iter();
        columns.map(|(pass, judging)| format!("pass.{pass}.{judging}"))
    }

    /// Returns what passes found about a target of a session. Judges that differ are all named.
    pub(super) fn target_cells(&self, session: &SessionId, target: Option<&Target>) -> Vec<String> {
        let findings = self.found.get(session);
        let findings = target.and_then(|target| findings?.get(target));
        let labels = |column| {
            let labels: Vec<&str> = findings?.get(column)?.iter().map(String::as_str).collect();
            Some(labels.join(" | "))
        };
        let cells = self.columns.iter();
        cells
            .map(|column| labels(column).unwrap_or_default())
            .collect()
    }
}
