//! Paragraphs as blocks of a page: lines of others that follow each other are one text. Pure.

use crate::page::{TextBlock, TextRun};
use elenchus_text::{Paragraph, Role};

/// Columns of a terminal that are one step to the right on a page.
const COLUMNS_PER_STEP: usize = 2;
/// No block stands further to the right.
const MAX_STEPS: usize = 5;

/// Returns paragraphs as blocks, which begin at the left; gaps between them are a matter of looks.
pub(super) fn build_blocks(paragraphs: &[Paragraph]) -> Vec<TextBlock> {
    let left = paragraphs.iter().filter(|one| !one.runs.is_empty());
    let left = left.map(|one| one.indent).min().unwrap_or(0);
    let is_one_text = |one: &Paragraph, next: &Paragraph| {
        let first_role = |paragraph: &Paragraph| paragraph.runs.first().map(|(role, _)| *role);
        let are_of_others = one.is_by_others && next.is_by_others;
        are_of_others && first_role(one) == first_role(next) && one.indent == next.indent
    };
    let texts = paragraphs.chunk_by(is_one_text);
    texts
        .filter(|text| text.iter().any(|line| !line.runs.is_empty()))
        .map(|text| {
            let first = text.first();
            TextBlock {
                is_by_others: first.is_some_and(|line| line.is_by_others),
                indent: first.map_or(0, |line| count_steps(line.indent.saturating_sub(left))),
                runs: join_lines(text),
            }
        })
        .collect()
}

fn count_steps(columns: usize) -> usize {
    (columns / COLUMNS_PER_STEP).min(MAX_STEPS)
}

/// Returns the runs of lines; neighbours of one role are one run.
fn join_lines(lines: &[Paragraph]) -> Vec<TextRun> {
    let mut runs: Vec<TextRun> = Vec::new();
    let mut push = |role: Role, text: &str| match runs.last_mut() {
        Some(last) if last.role == role.name() => last.text.push_str(text),
        Some(_) | None => runs.push(TextRun {
            role: role.name(),
            text: text.to_owned(),
        }),
    };
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            let role = line.runs.first().map_or(Role::Text, |(role, _)| *role);
            push(role, "\n");
        }
        for (role, text) in &line.runs {
            push(*role, text);
        }
    }
    runs
}
