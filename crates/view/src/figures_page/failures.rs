//! What failed, and why: reasons first, with how often.

use super::lines::{FiguresLine, LineSubject};
use elenchus_game::debate::failed_steps::find_cause;
use elenchus_text::safe_text::{Keep, make_visible};
use elenchus_text::{Paragraph, Role};
use std::collections::BTreeSet;

/// Most reasons that are told; the rest is counted.
const MAX_REASONS: usize = 8;
/// Most items that are named for a reason.
const MAX_ITEMS: usize = 3;

/// A line about failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureLine {
    /// A reason, by its place among them.
    Reason(usize),
    /// All reasons that have no line of their own.
    Others,
}

/// A cause for which items failed, whichever step of them it was.
struct FailureReason<'a> {
    cause: &'a str,
    /// Reasons as their journal words them.
    whole: Vec<&'a str>,
    items: Vec<&'a str>,
}

/// Returns the reasons of failures (item and reason each), the most frequent first.
fn list_reasons(failures: &[(String, String)]) -> Vec<FailureReason<'_>> {
    let mut reasons: Vec<FailureReason<'_>> = Vec::new();
    for (item, why) in failures {
        let cause = find_cause(why);
        match reasons.iter_mut().find(|known| known.cause == cause) {
            Some(known) => {
                known.items.push(item);
                known.whole.push(why);
            }
            None => reasons.push(FailureReason {
                cause,
                whole: vec![why],
                items: vec![item],
            }),
        }
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.items.len()));
    reasons
}

/// Returns the reasons that a line about failures stands for.
pub(super) fn find_reasons(failures: &[(String, String)], line: FailureLine) -> BTreeSet<String> {
    let reasons = list_reasons(failures).into_iter();
    let (first, count) = match line {
        FailureLine::Reason(at) => (at, 1),
        FailureLine::Others => (MAX_REASONS, usize::MAX),
    };
    let whole = reasons
        .skip(first)
        .take(count)
        .flat_map(|reason| reason.whole);
    whole.map(str::to_owned).collect()
}

/// Returns lines about failures: item and reason each.
pub(super) fn build_failure_lines(failures: &[(String, String)]) -> Vec<FiguresLine> {
    let reasons = list_reasons(failures);
    let mut lines = Vec::new();
    if !reasons.is_empty() {
        lines.push(FiguresLine::gap());
        lines.push(FiguresLine::without_subject(Paragraph::new(
            Role::Strong,
            "what failed, and why",
        )));
    }
    for (at, FailureReason { cause, items, .. }) in reasons.iter().take(MAX_REASONS).enumerate() {
        let named: Vec<&str> = items.iter().take(MAX_ITEMS).copied().collect();
        let more = match items.len().saturating_sub(MAX_ITEMS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("{:>4}  {cause} ", items.len());
        let text = make_visible(&text, Keep::Nothing).into_owned();
        let names = format!("({}{more})", named.join(", "));
        let names = make_visible(&names, Keep::Nothing).into_owned();
        let line = Paragraph::new(Role::Error, text).with_run(Role::Muted, names);
        lines.push(FiguresLine::about(
            line.with_indent(0, 6),
            LineSubject::Failures(FailureLine::Reason(at)),
        ));
    }
    let more = reasons.iter().skip(MAX_REASONS);
    match more.map(|reason| reason.items.len()).sum::<usize>() {
        0 => {}
        more => lines.push(FiguresLine::about(
            Paragraph::new(Role::Muted, format!("{more:>4}  for other reasons")),
            LineSubject::Failures(FailureLine::Others),
        )),
    }
    lines
}
