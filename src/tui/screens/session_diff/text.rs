//! Text of a comparison for a file, a pager or the clipboard. Pure.

use super::align::{DiffItem, DiffRow};
use super::pass_verdicts::label;
use super::row_text::Pages;
use super::side::{DiffSide, Subject};
use super::totals;
use crate::tui::widgets::Content;

/// Returns everything as text: every row whole, in the order of the game.
pub(super) fn whole(pages: &Pages<'_>, content: Content) -> String {
    let mut page = String::from("comparison\n");
    for (which, side) in [("left", pages.left), ("right", pages.right)] {
        page.push_str(&format!("{which}: {}\n", side.title()));
        if let Some(created) = side.state.created() {
            page.push_str(&format!(
                "  {}{}\n  topic: {}\n",
                created.protocol.name,
                if created.is_simulated() {
                    ", simulated: no evidence"
                } else {
                    ""
                },
                content.of(&created.topic.text)
            ));
        }
    }
    for row in pages.rows {
        page.push('\n');
        page.push_str(&one(pages, row, content));
    }
    page.push('\n');
    page.push_str(&totals::text(pages));
    page
}

/// Returns one item as text.
pub(super) fn item(pages: &Pages<'_>, item: &DiffItem, content: Content) -> String {
    match item {
        DiffItem::Shared { rows, .. } => pages
            .rows
            .iter()
            .take(*rows)
            .map(|row| one(pages, row, content))
            .collect::<Vec<_>>()
            .join("\n"),
        DiffItem::Row(at) => pages
            .rows
            .get(*at)
            .map_or_else(String::new, |row| one(pages, row, content)),
        DiffItem::Totals => totals::text(pages),
    }
}

fn one(pages: &Pages<'_>, row: &DiffRow, content: Content) -> String {
    let what = match &row.subject {
        Subject::Memory => "memory".to_owned(),
        Subject::Turn(turn) => turn.to_string(),
        Subject::Round(round) => format!("round {round}"),
        Subject::Debate => "debate".to_owned(),
        Subject::Lesson => "lesson".to_owned(),
    };
    let mut page = format!("=== {what}\n");
    if row.same {
        page.push_str(&said(pages, "both", pages.left, &row.subject, content));
    } else {
        page.push_str(&said(pages, "left", pages.left, &row.subject, content));
        page.push_str(&said(pages, "right", pages.right, &row.subject, content));
    }
    for (which, side) in [("left", pages.left), ("right", pages.right)] {
        for (judging, found) in side.found(&row.subject) {
            let found = found_words(label(&found), found.describe(), content);
            page.push_str(&format!("{which}: {judging}: {found}\n"));
        }
        for found in pages.again.on(side, &row.subject) {
            let says = found_words(label(&found.outcome), found.outcome.describe(), content);
            page.push_str(&format!(
                "{which}: {} again by {} ({}, pass {}): {says}\n",
                found.judging, found.model, found.rubric, found.pass
            ));
        }
    }
    page
}

fn found_words(label: String, words: String, content: Content) -> String {
    match content {
        Content::Shown => words,
        Content::Masked => label,
    }
}

fn said(
    pages: &Pages<'_>,
    which: &str,
    side: &DiffSide,
    subject: &Subject,
    content: Content,
) -> String {
    let Some(text) = side.text(subject) else {
        return format!("--- {which}: nothing here\n");
    };
    if text.is_empty() {
        return String::new();
    }
    let text = if side.is_private(subject) && !pages.show.private {
        format!("[private reasoning: {} characters]", text.chars().count())
    } else {
        content.of(&text)
    };
    format!("--- {which}\n{}\n", text.trim_end())
}
