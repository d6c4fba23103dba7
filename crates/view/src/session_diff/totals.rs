//! Totals of both sides. Pure.

use super::Comparison;
use super::pass_verdicts::outcome_label;
use super::side::{DiffSide, Subject};
use crate::debate_text::texts;
use elenchus_game::debate::{JudgingId, TurnId};
use std::collections::{BTreeMap, BTreeSet};

/// Width of the column of what a line counts, in text.
const WHAT: usize = 18;

/// One line: what it counts, and both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    pub what: String,
    pub left: String,
    pub right: String,
}

impl Comparison {
    /// Returns the totals as text, for a file or a pager.
    pub(super) fn totals_text(&self) -> String {
        let mut page = String::from("in all\n");
        for total in self.build_totals() {
            page.push_str(&format!(
                "{:WHAT$}{} | {}\n",
                total.what, total.left, total.right
            ));
        }
        page
    }

    /// Returns what both sides come to.
    pub fn build_totals(&self) -> Vec<Total> {
        let (left, right) = (&self.left, &self.right);
        let total = |what: &str, of: &dyn Fn(&DiffSide) -> String| Total {
            what: what.to_owned(),
            left: of(left),
            right: of(right),
        };
        let mut totals = vec![
            total("state", &|side| texts::describe_ending(&side.state).1),
            total("rounds, turns", &|side| {
                let turns: Vec<&TurnId> = side.state.turns().keys().collect();
                let last_round = turns.iter().map(|turn| turn.round).max().unwrap_or(0);
                format!("{last_round}, {}", turns.len())
            }),
        ];
        let rules: BTreeSet<JudgingId> = [left, right]
            .into_iter()
            .flat_map(|side| self.count_labels(side).into_keys())
            .collect();
        for rule in rules {
            totals.push(total(rule.as_str(), &|side| {
                self.count_labels(side)
                    .get(&rule)
                    .map_or_else(none_text, |counts| join_counts(counts))
            }));
            let count_pass_labels = |side: &DiffSide| {
                let counts = self.pass_verdicts.count_labels(&side.session);
                counts.get(&rule).map(|counts| join_counts(counts))
            };
            if count_pass_labels(left).is_some() || count_pass_labels(right).is_some() {
                totals.push(total(&format!("{rule} again"), &|side| {
                    count_pass_labels(side).unwrap_or_else(none_text)
                }));
            }
        }
        totals.extend([
            total("tokens", &|side| {
                let spend = side.state.spend();
                format!("{} in, {} out", spend.input_tokens, spend.output_tokens)
            }),
            total("calls", &|side| side.state.spend().calls.to_string()),
            total("cost", &|side| {
                let own = match side.state.forked_from() {
                    [] => "",
                    _ => ", its own turns only",
                };
                format!("{}{own}", texts::describe_cost(&side.state))
            }),
            total("memory", &describe_memory),
            total("lesson", &|side| {
                let entries: Vec<&str> =
                    side.state.lessons().map(|one| one.entry.as_str()).collect();
                match entries.is_empty() {
                    false => format!("written: {}", entries.join(", ")),
                    true => none_text(),
                }
            }),
        ]);
        totals
    }

    /// Returns how often each rule found each label, on rows of the comparison.
    fn count_labels(&self, side: &DiffSide) -> BTreeMap<JudgingId, Vec<(String, usize)>> {
        let mut counts: BTreeMap<JudgingId, BTreeMap<String, usize>> = BTreeMap::new();
        let subjects = self.rows.iter().map(|row| &row.subject);
        for (judging, found) in subjects.flat_map(|subject: &Subject| side.list_findings(subject)) {
            let rule = counts.entry(judging).or_default();
            *rule.entry(outcome_label(&found)).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(rule, labels)| (rule, labels.into_iter().collect()))
            .collect()
    }
}

fn none_text() -> String {
    "none".to_owned()
}

fn describe_memory(side: &DiffSide) -> String {
    match side.count_retrieved() {
        Some(entries) => elenchus_text::format_noun_count(entries, "entry"),
        None => "not asked".to_owned(),
    }
}

fn join_counts(counts: &[(String, usize)]) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(label, count)| format!("{label} {count}"))
        .collect();
    words.join(", ")
}
