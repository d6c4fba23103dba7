//! What failed, and why: reasons first, with how often.

use super::lines::FiguresLine;
use elenchus_text::safe_text::{Keep, make_visible};
use elenchus_text::{Paragraph, Role};

/// Most reasons that are told; the rest is counted.
const MAX_REASONS: usize = 8;
/// Most items that are named for a reason.
const MAX_ITEMS: usize = 3;

/// Returns lines about failures: item and reason each.
pub(super) fn build_failure_lines(failures: &[(String, String)]) -> Vec<FiguresLine> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (item, why) in failures {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, items)) => items.push(item),
            None => reasons.push((why, vec![item])),
        }
    }
    reasons.sort_by_key(|(_, items)| std::cmp::Reverse(items.len()));
    let mut lines = Vec::new();
    if !reasons.is_empty() {
        lines.push(FiguresLine::gap());
        lines.push(FiguresLine::without_subject(Paragraph::new(
            Role::Strong,
            "what failed, and why",
        )));
    }
    for (why, items) in reasons.iter().take(MAX_REASONS) {
        let named: Vec<&str> = items.iter().take(MAX_ITEMS).copied().collect();
        let more = match items.len().saturating_sub(MAX_ITEMS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("{:>4}  {why} ", items.len());
        let text = make_visible(&text, Keep::Nothing).into_owned();
        let names = format!("({}{more})", named.join(", "));
        let names = make_visible(&names, Keep::Nothing).into_owned();
        let line = Paragraph::new(Role::Error, text).with_run(Role::Muted, names);
        lines.push(FiguresLine::without_subject(line.with_indent(0, 6)));
    }
    let more = reasons
        .iter()
        .skip(MAX_REASONS)
        .map(|(_, items)| items.len());
    match more.sum::<usize>() {
        0 => {}
        more => lines.push(FiguresLine::without_subject(Paragraph::new(
            Role::Muted,
            format!("{more:>4}  for other reasons"),
        ))),
    }
    lines
}
