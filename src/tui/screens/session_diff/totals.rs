//! Totals of both sides. Pure.

use super::pass_verdicts::label;
use super::row_text::{DiffLayout, Pages};
use super::side::{DiffSide, Subject};
use crate::debate::{JudgingId, TurnId};
use crate::tui::screens::debate::texts;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, StyledLine, lay_out};
use std::collections::{BTreeMap, BTreeSet};

/// Cells for what a line counts.
const WHAT: usize = 18;

/// One line: what it counts, and both sides.
struct Total {
    what: String,
    left: String,
    right: String,
}

/// Lays the totals out.
pub(super) fn lines(pages: &Pages<'_>, width: usize) -> Vec<StyledLine> {
    let mut lines = lay_out(&[Paragraph::of(Role::Strong, "in all")], width);
    let room = width.saturating_sub(WHAT) / 2;
    for total in totals(pages) {
        let differs = total.left != total.right;
        let role = if differs { Role::Text } else { Role::Muted };
        if room < 16 || pages.show.view != DiffLayout::Beside {
            let line = Paragraph::of(Role::Muted, format!("{:WHAT$}", total.what))
                .and(role, total.left)
                .and(Role::Border, format!(" {} ", pages.show.glyphs.separator))
                .and(role, total.right);
            lines.extend(lay_out(&[line.indented(0, WHAT)], width));
            continue;
        }
        let what = lay_out(&[Paragraph::of(Role::Muted, total.what)], WHAT);
        let left = lay_out(&[Paragraph::of(role, total.left)], room.saturating_sub(3));
        let right = lay_out(&[Paragraph::of(role, total.right)], room.saturating_sub(3));
        let line = pages.show.glyphs.separator;
        let first = crate::tui::screens::rows::beside(what, left, WHAT, " ");
        let both = crate::tui::screens::rows::beside(first, right, WHAT + room, line);
        lines.extend(both);
    }
    lines
}

/// Returns the totals as text, for a file or a pager.
pub(super) fn text(pages: &Pages<'_>) -> String {
    let mut page = String::from("in all\n");
    for total in totals(pages) {
        page.push_str(&format!(
            "{:WHAT$}{} | {}\n",
            total.what, total.left, total.right
        ));
    }
    page
}

fn totals(pages: &Pages<'_>) -> Vec<Total> {
    let (left, right) = (pages.left, pages.right);
    let total = |what: &str, of: &dyn Fn(&DiffSide) -> String| Total {
        what: what.to_owned(),
        left: of(left),
        right: of(right),
    };
    let mut totals = vec![
        total("state", &|side| texts::ending(&side.state).1),
        total("rounds, turns", &|side| {
            let turns: Vec<&TurnId> = side.state.turns().keys().collect();
            let begun = turns.iter().map(|turn| turn.round).max().unwrap_or(0);
            format!("{begun}, {}", turns.len())
        }),
    ];
    let rules: BTreeSet<JudgingId> = [left, right]
        .into_iter()
        .flat_map(|side| counts(side, pages).into_keys())
        .collect();
    for rule in rules {
        totals.push(total(rule.as_str(), &|side| {
            counts(side, pages)
                .get(&rule)
                .map_or_else(none, |counts| counted(counts))
        }));
        let again = |side: &DiffSide| {
            let counts = pages.again.counts(&side.session);
            counts.get(&rule).map(|counts| counted(counts))
        };
        if again(left).is_some() || again(right).is_some() {
            totals.push(total(&format!("{rule} again"), &|side| {
                again(side).unwrap_or_else(none)
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
            format!("{}{own}", texts::cost(&side.state))
        }),
        total("memory", &memory),
        total("lesson", &|side| match side.state.feedback() {
            Some(lesson) => format!("written: {}", lesson.entry),
            None => none(),
        }),
    ]);
    totals
}

fn none() -> String {
    "none".to_owned()
}

fn memory(side: &DiffSide) -> String {
    match side.state.retrieved() {
        Some(retrieved) => match retrieved.entries.len() {
            1 => "1 entry".to_owned(),
            many => format!("{many} entries"),
        },
        None => "not asked".to_owned(),
    }
}

fn counted(counts: &[(String, usize)]) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(label, count)| format!("{label} {count}"))
        .collect();
    words.join(", ")
}

/// Returns how often each rule found each label, on rows of the comparison.
fn counts(side: &DiffSide, pages: &Pages<'_>) -> BTreeMap<JudgingId, Vec<(String, usize)>> {
    let mut counts: BTreeMap<JudgingId, BTreeMap<String, usize>> = BTreeMap::new();
    let subjects = pages.rows.iter().map(|row| &row.subject);
    for (judging, found) in subjects.flat_map(|subject: &Subject| side.found(subject)) {
        let rule = counts.entry(judging).or_default();
        *rule.entry(label(&found)).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(rule, labels)| (rule, labels.into_iter().collect()))
        .collect()
}
