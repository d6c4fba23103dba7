//! Text of a comparison's row: of both sides, of one, or as one marked text. Pure.

use super::Comparison;
use super::pass_verdicts::outcome_label;
use super::rows::{DiffRow, VerdictMatch};
use super::side::{DiffSide, Subject};
use crate::debate_text::{hidden_text, role_of, texts};
use elenchus_game::debate::Sides;
use elenchus_game::debate::event::Outcome;
use elenchus_text::word_diff::{self, Marking};
use elenchus_text::{Content, Paragraph, Role, others_prose, set_off};

/// Layout of the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLayout {
    /// Two columns.
    Beside,
    /// One text with what was removed and added.
    Woven,
    Left,
    Right,
}

/// Display options of rows.
#[derive(Debug, Clone, Copy)]
pub struct DiffOptions {
    pub layout: DiffLayout,
    pub content: Content,
    /// Private turns are shown.
    pub private: bool,
    /// Rows that say the same are one line.
    pub folded: bool,
    pub marking: Marking,
}

/// Paragraphs of a row, for its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowText {
    /// A column for each side.
    Both(Vec<Paragraph>, Vec<Paragraph>),
    One(Vec<Paragraph>),
}

impl RowText {
    fn new(layout: DiffLayout, left: Vec<Paragraph>, right: Vec<Paragraph>) -> Option<Self> {
        match layout {
            DiffLayout::Beside => Some(RowText::Both(left, right)),
            DiffLayout::Left => Some(RowText::One(left)),
            DiffLayout::Right => Some(RowText::One(right)),
            DiffLayout::Woven => None,
        }
    }
}

impl Comparison {
    /// Returns a row's heading, and its texts and verdicts where they are more than its heading says.
    pub fn row_text(&self, row: &DiffRow, show: DiffOptions) -> (Paragraph, Vec<RowText>) {
        let title = self.build_title(row);
        if !(show.folded && row.same) {
            let mut parts: Vec<RowText> = self.build_texts(row, show).into_iter().collect();
            parts.push(self.build_verdicts(row, show));
            return (title, parts);
        }
        let heading = self.build_folded_heading(row, title);
        let pass_findings = [&self.left, &self.right].into_iter();
        let mut pass_findings =
            pass_findings.map(|side| self.pass_verdicts.find_verdicts(side, &row.subject));
        let is_whole = row.verdicts != VerdictMatch::Differ && pass_findings.all(<[_]>::is_empty);
        match is_whole {
            true => (heading, Vec::new()),
            false => (heading, vec![self.build_verdicts(row, show)]),
        }
    }

    fn build_title(&self, row: &DiffRow) -> Paragraph {
        let mut heading = match &row.subject {
            Subject::Memory => Paragraph::new(Role::Strong, "memory"),
            Subject::Turn(turn) => {
                let side = match row.sides {
                    Sides::Both | Sides::Left => &self.left,
                    Sides::Right => &self.right,
                };
                let name = side.state.name_of(&turn.chair);
                Paragraph::new(
                    Role::Strong,
                    format!("round {} · {} · {name}", turn.round, turn.stage),
                )
            }
            Subject::Round(round) => {
                Paragraph::new(Role::Strong, format!("round {round} as a whole"))
            }
            Subject::Debate => Paragraph::new(Role::Strong, "the debate as a whole"),
            Subject::Lesson => Paragraph::new(Role::Strong, "lesson"),
        };
        let [left, right] = self.side_names();
        let only = |which: &str| match which {
            "parent" | "fork" => format!(" · only in the {which}"),
            which => format!(" · only {which}"),
        };
        match row.sides {
            Sides::Both => {}
            Sides::Left => heading = heading.with_run(Role::Removed, only(left)),
            Sides::Right => heading = heading.with_run(Role::Added, only(right)),
        }
        match row.verdicts {
            VerdictMatch::Differ => heading.with_run(Role::Warning, " · verdicts differ"),
            VerdictMatch::Same | VerdictMatch::Incomparable => heading,
        }
    }

    /// Adds the placeholder for equal texts and equal verdicts.
    fn build_folded_heading(&self, row: &DiffRow, heading: Paragraph) -> Paragraph {
        let words = self.left.subject_text(&row.subject).unwrap_or_default();
        let words = words.split_whitespace().count();
        let what = match row.subject {
            Subject::Memory => "both were given the same".to_owned(),
            Subject::Turn(_) | Subject::Lesson => format!("both say the same {words} words"),
            Subject::Round(_) | Subject::Debate => "both found the same".to_owned(),
        };
        let mut heading = heading.with_run(Role::Muted, format!(" · {what}"));
        if row.verdicts == VerdictMatch::Differ {
            return heading;
        }
        for (judging, found) in self.left.list_findings(&row.subject) {
            heading = heading
                .with_run(Role::Muted, format!(" · {judging}: "))
                .with_run(role_of(&found), texts::finding_label(&found));
        }
        heading
    }

    /// Returns what both sides say; nothing on rows that only findings are on.
    fn build_texts(&self, row: &DiffRow, show: DiffOptions) -> Option<RowText> {
        match row.subject {
            Subject::Round(_) | Subject::Debate => return None,
            Subject::Memory | Subject::Turn(_) | Subject::Lesson => {}
        }
        let left = visible_text(&self.left, &row.subject, show);
        let right = visible_text(&self.right, &row.subject, show);
        if show.layout == DiffLayout::Woven {
            let [one, other] = self.side_names();
            return Some(RowText::One(combine_texts(
                row.sides,
                [(one, &left), (other, &right)],
                show.marking,
            )));
        }
        let marked_texts = match (&left, &right) {
            (Ok(one), Ok(other)) => word_diff::compare_side_by_side(one, other, show.marking),
            (Err(_), _) | (_, Err(_)) => None,
        };
        let (one, other) = match marked_texts {
            Some(marked) => (set_off(marked.left), set_off(marked.right)),
            None => (text_paragraphs(&left), text_paragraphs(&right)),
        };
        let with_marks = |side: &DiffSide, text: Vec<Paragraph>| {
            let marks = side.marks_line(&row.subject).into_iter();
            marks.chain(text).collect()
        };
        RowText::new(
            show.layout,
            with_marks(&self.left, one),
            with_marks(&self.right, other),
        )
    }

    /// Returns what was found on both sides, when they were played and by passes.
    fn build_verdicts(&self, row: &DiffRow, show: DiffOptions) -> RowText {
        let left = self.describe_findings(&self.left, row, show.content);
        let right = self.describe_findings(&self.right, row, show.content);
        if show.layout != DiffLayout::Woven {
            let both = RowText::new(show.layout, left, right);
            return both.unwrap_or(RowText::One(Vec::new()));
        }
        let [one, other] = self.side_names();
        let width = one.len().max(other.len());
        let with_side_name = |which: &'static str, page: Vec<Paragraph>| {
            page.into_iter().map(move |mut line| {
                line.runs
                    .insert(0, (Role::Muted, format!("{which:width$} ")));
                line
            })
        };
        RowText::One(
            with_side_name(one, left)
                .chain(with_side_name(other, right))
                .collect(),
        )
    }

    /// Returns what was found on a side of a row, when it was played and by passes.
    fn describe_findings(
        &self,
        side: &DiffSide,
        row: &DiffRow,
        content: Content,
    ) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for (judging, outcome) in side.list_findings(&row.subject) {
            let line = Paragraph::new(Role::Muted, format!("{judging}: "))
                .with_run(role_of(&outcome), texts::finding_label(&outcome));
            page.push(add_reason(line, &outcome, content).with_indent(0, 4));
        }
        for found in self.pass_verdicts.find_verdicts(side, &row.subject) {
            let head = format!("{} again by {}", found.judging, found.model);
            let mut line = Paragraph::new(Role::Muted, head);
            let own_findings = side.list_findings(&row.subject);
            let own_finding = own_findings.iter().find(|(id, _)| *id == found.judging);
            if own_finding
                .is_some_and(|(_, outcome)| outcome_label(outcome) != outcome_label(&found.outcome))
            {
                line = line.with_run(Role::Warning, ", not as recorded");
            }
            line = line.with_run(Role::Muted, ": ").with_run(
                role_of(&found.outcome),
                texts::finding_label(&found.outcome),
            );
            page.push(add_reason(line, &found.outcome, content).with_indent(0, 4));
        }
        page
    }
}

fn add_reason(line: Paragraph, outcome: &Outcome, content: Content) -> Paragraph {
    let finding = outcome.as_finding();
    let reason = finding.and_then(|finding| Some(finding.reason.as_deref()?.trim()));
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => line.with_run(Role::Muted, format!(": {}", content.show_or_mask(reason))),
        None => line,
    }
}

/// Returns a side's text, or what stands in its place.
fn visible_text(
    side: &DiffSide,
    subject: &Subject,
    show: DiffOptions,
) -> Result<String, Paragraph> {
    let Some(text) = side.subject_text(subject) else {
        let text = match side.missing {
            Some(_) => "(not read yet)",
            None => "(nothing here)",
        };
        return Err(Paragraph::new(Role::Muted, text));
    };
    let is_hidden = side.is_private(subject) && !show.private;
    match hidden_text(&text, is_hidden, show.content) {
        Some(instead) => Err(instead),
        None => Ok(text),
    }
}

fn text_paragraphs(shown: &Result<String, Paragraph>) -> Vec<Paragraph> {
    match shown {
        Ok(text) => others_prose(Role::Text, 2, text),
        Err(instead) => vec![instead.clone()],
    }
}

/// Returns both texts as one; one after the other where they cannot be compared.
fn combine_texts(
    sides: Sides,
    [(left_name, left), (right_name, right)]: [(&str, &Result<String, Paragraph>); 2],
    marking: Marking,
) -> Vec<Paragraph> {
    if let (Ok(one), Ok(other)) = (left, right)
        && let Some(page) = word_diff::compare_inline(one, other, marking)
    {
        return set_off(page);
    }
    let mut page = Vec::new();
    for (which, shown, other_only) in [
        (left_name, left, Sides::Right),
        (right_name, right, Sides::Left),
    ] {
        if shown.is_ok() || sides != other_only {
            page.push(Paragraph::new(Role::Muted, format!("{which}:")));
            page.extend(text_paragraphs(shown));
        }
    }
    page
}
