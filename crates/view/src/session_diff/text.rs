//! Text of a comparison for a file, a pager or the clipboard. Pure.

use super::pass_verdicts::outcome_label;
use super::rows::{DiffItem, DiffRow};
use super::side::{DiffSide, Subject};
use super::{Comparison, DiffOptions};
use elenchus_text::Content;

impl Comparison {
    /// Returns everything as text: every row whole, in the order of the game.
    pub fn full_text(&self, show: DiffOptions) -> String {
        let mut page = String::from("comparison\n");
        for (title, (_, side)) in self.side_titles().into_iter().zip(self.sides()) {
            page.push_str(&format!("{title} (session {})\n", side.session));
            if let Some(creation) = side.state.first_event() {
                page.push_str(&format!(
                    "  {}{}\n  topic: {}\n",
                    creation.protocol.name,
                    if creation.is_simulated() {
                        ", simulated: no evidence"
                    } else {
                        ""
                    },
                    show.content.show_or_mask(&creation.topic.text)
                ));
            }
        }
        for row in &self.rows {
            page.push('\n');
            page.push_str(&self.row_as_text(row, show));
        }
        page.push('\n');
        page.push_str(&self.totals_text());
        page
    }

    /// Returns one item as text.
    pub fn item_text(&self, item: &DiffItem, show: DiffOptions) -> String {
        match item {
            DiffItem::Shared { rows, .. } => self
                .rows
                .iter()
                .take(*rows)
                .map(|row| self.row_as_text(row, show))
                .collect::<Vec<_>>()
                .join("\n"),
            DiffItem::Row(at) => self
                .rows
                .get(*at)
                .map_or_else(String::new, |row| self.row_as_text(row, show)),
            DiffItem::Totals => self.totals_text(),
        }
    }

    fn row_as_text(&self, row: &DiffRow, show: DiffOptions) -> String {
        let what = match &row.subject {
            Subject::Memory => "memory".to_owned(),
            Subject::Turn(turn) => turn.to_string(),
            Subject::Round(round) => format!("round {round}"),
            Subject::Debate => "debate".to_owned(),
            Subject::Lesson => "lesson".to_owned(),
        };
        let mut page = format!("=== {what}\n");
        if row.same {
            page.push_str(&side_text("both", &self.left, &row.subject, show));
        } else {
            for (which, side) in self.sides() {
                page.push_str(&side_text(which, side, &row.subject, show));
            }
        }
        for (which, side) in self.sides() {
            for (judging, found) in side.list_findings(&row.subject) {
                let finding_text =
                    found_words(outcome_label(&found), found.describe(), show.content);
                page.push_str(&format!("{which}: {judging}: {finding_text}\n"));
            }
            for found in self.pass_verdicts.find_verdicts(side, &row.subject) {
                let says = found_words(
                    outcome_label(&found.outcome),
                    found.outcome.describe(),
                    show.content,
                );
                page.push_str(&format!(
                    "{which}: {} again by {} ({}, pass {}): {says}\n",
                    found.judging, found.model, found.rubric, found.pass
                ));
            }
        }
        page
    }
}

fn found_words(label: String, words: String, content: Content) -> String {
    match content {
        Content::Shown => words,
        Content::Masked => label,
    }
}

fn side_text(which: &str, side: &DiffSide, subject: &Subject, show: DiffOptions) -> String {
    let Some(text) = side.subject_text(subject) else {
        return format!("--- {which}: nothing here\n");
    };
    if text.is_empty() {
        return String::new();
    }
    let text = if side.is_private(subject) && !show.private {
        format!("[private reasoning: {} characters]", text.chars().count())
    } else {
        show.content.show_or_mask(&text)
    };
    format!("--- {which}\n{}\n", text.trim_end())
}
