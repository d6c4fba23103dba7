//! Text of a comparison's row: in two columns, in one, or as one marked text. Pure.

use super::align::{DiffItem, DiffRow, VerdictMatch};
use super::pass_verdicts::{PassVerdicts, label};
use super::side::{DiffSide, Subject};
use super::totals;
use crate::debate::event::Outcome;
use crate::debate::{EMPTY_REPLY_PLACEHOLDER, Sides, is_blank};
use crate::tui::screens::debate::{role_of, texts};
use crate::tui::screens::rows::{beside, halves};
use crate::tui::theme::{Glyphs, Role};
use crate::tui::widgets::{Content, Marking, Paragraph, StyledLine, lay_out, prose, word_diff};

/// Layout of the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffLayout {
    /// Two columns.
    Beside,
    /// One text with what was removed and added.
    Woven,
    Left,
    Right,
}

/// Display options of rows.
#[derive(Clone, Copy)]
pub(super) struct RowOptions {
    pub view: DiffLayout,
    pub content: Content,
    /// Private turns are shown.
    pub private: bool,
    /// Rows that say the same are one line.
    pub folded: bool,
    pub marking: Marking,
    pub glyphs: &'static Glyphs,
    /// There is no room for two columns.
    pub is_narrow: bool,
}

/// Content that rows are made of.
#[derive(Clone, Copy)]
pub(super) struct Pages<'a> {
    pub left: &'a DiffSide,
    pub right: &'a DiffSide,
    pub rows: &'a [DiffRow],
    pub again: &'a PassVerdicts,
    pub show: RowOptions,
}

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffColumn {
    Left,
    Right,
}

impl Pages<'_> {
    /// Lays an item out.
    pub(crate) fn lay_out(&self, item: &DiffItem, width: usize) -> Vec<StyledLine> {
        match item {
            DiffItem::Shared { rows, turns, upto } => {
                let turns = match turns {
                    1 => "the same turn".to_owned(),
                    many => format!("the same {many} turns"),
                };
                let text = format!("{} {turns} up to {upto}", self.show.glyphs.folded);
                let line = Paragraph::of(Role::Muted, text)
                    .and(Role::Muted, format!(", shared past ({rows} rows, folded)"));
                lay_out(&[line], width)
            }
            DiffItem::Row(at) => match self.rows.get(*at) {
                Some(row) => self.row(row, width),
                None => Vec::new(),
            },
            DiffItem::Totals => totals::lines(self, width),
        }
    }

    fn row(&self, row: &DiffRow, width: usize) -> Vec<StyledLine> {
        let folds = self.show.folded && row.same;
        let mut heading = self.heading(row);
        if folds {
            heading = self.folded(row, heading);
        }
        let mut lines = lay_out(&[heading], width);
        let again = !self.again.on(self.left, &row.subject).is_empty()
            || !self.again.on(self.right, &row.subject).is_empty();
        if folds && row.verdicts != VerdictMatch::Differ && !again {
            return lines;
        }
        if !folds {
            lines.extend(self.texts(row, width));
        }
        lines.extend(self.verdicts(row, width));
        lines.push(StyledLine::default());
        lines
    }

    fn heading(&self, row: &DiffRow) -> Paragraph {
        let mut heading = match &row.subject {
            Subject::Memory => Paragraph::of(Role::Strong, "memory"),
            Subject::Turn(turn) => {
                let side = match row.sides {
                    Sides::Both | Sides::Left => self.left,
                    Sides::Right => self.right,
                };
                let name = side.state.protocol().map_or_else(
                    || turn.chair.to_string(),
                    |protocol| protocol.name_of(&turn.chair),
                );
                Paragraph::of(
                    Role::Strong,
                    format!("round {} · {} · {name}", turn.round, turn.stage),
                )
            }
            Subject::Round(round) => {
                Paragraph::of(Role::Strong, format!("round {round} as a whole"))
            }
            Subject::Debate => Paragraph::of(Role::Strong, "the debate as a whole"),
            Subject::Lesson => Paragraph::of(Role::Strong, "lesson"),
        };
        match row.sides {
            Sides::Both => {}
            Sides::Left => heading = heading.and(Role::Removed, " · only left"),
            Sides::Right => heading = heading.and(Role::Added, " · only right"),
        }
        match row.verdicts {
            VerdictMatch::Differ => heading.and(Role::Warning, " · verdicts differ"),
            VerdictMatch::Same | VerdictMatch::Incomparable => heading,
        }
    }

    /// Adds the placeholder for equal texts and equal verdicts.
    fn folded(&self, row: &DiffRow, heading: Paragraph) -> Paragraph {
        let words = self.left.text(&row.subject).unwrap_or_default();
        let words = words.split_whitespace().count();
        let what = match row.subject {
            Subject::Memory => "both were given the same".to_owned(),
            Subject::Turn(_) | Subject::Lesson => format!("both say the same {words} words"),
            Subject::Round(_) | Subject::Debate => "both found the same".to_owned(),
        };
        let mut heading = heading.and(Role::Muted, format!(" · {what}"));
        if row.verdicts == VerdictMatch::Differ {
            return heading;
        }
        for (judging, found) in self.left.found(&row.subject) {
            heading = heading
                .and(Role::Muted, format!(" · {judging}: "))
                .and(role_of(&found), texts::label(&found));
        }
        heading
    }

    fn side(&self, which: DiffColumn) -> &DiffSide {
        match which {
            DiffColumn::Left => self.left,
            DiffColumn::Right => self.right,
        }
    }

    /// Returns a side's text, or its placeholder.
    fn shown(&self, which: DiffColumn, row: &DiffRow) -> Result<String, Paragraph> {
        let side = self.side(which);
        let Some(text) = side.text(&row.subject) else {
            let text = match side.missing {
                Some(_) => "(not read yet)",
                None => "(nothing here)",
            };
            return Err(Paragraph::of(Role::Muted, text));
        };
        if self.show.content == Content::Masked {
            return Err(Paragraph::of(Role::Masked, Content::Masked.of(&text)));
        }
        if side.is_private(&row.subject) && !self.show.private {
            let count = text.chars().count();
            let text = format!("[private reasoning: {count} characters, not shown]");
            return Err(Paragraph::of(Role::Private, text));
        }
        if is_blank(&text) {
            return Err(Paragraph::of(Role::Warning, EMPTY_REPLY_PLACEHOLDER));
        }
        Ok(text)
    }

    fn texts(&self, row: &DiffRow, width: usize) -> Vec<StyledLine> {
        match row.subject {
            Subject::Round(_) | Subject::Debate => return Vec::new(),
            Subject::Memory | Subject::Turn(_) | Subject::Lesson => {}
        }
        let (left, right) = (
            self.shown(DiffColumn::Left, row),
            self.shown(DiffColumn::Right, row),
        );
        let plain = |shown: &Result<String, Paragraph>| match shown {
            Ok(text) => prose(Role::Text, 0, text),
            Err(instead) => vec![instead.clone()],
        };
        let marked = match (&left, &right) {
            (Ok(one), Ok(other)) => word_diff::beside(one, other, self.show.marking),
            (Err(_), _) | (_, Err(_)) => None,
        };
        let (one, other) = match marked {
            Some(marked) => (marked.left, marked.right),
            None => (plain(&left), plain(&right)),
        };
        match self.show.view {
            DiffLayout::Beside => {
                let (first, second) = halves(width);
                let mut one_lines = self.marks(DiffColumn::Left, row, first);
                one_lines.extend(lay_out(&one, first));
                let mut other_lines = self.marks(DiffColumn::Right, row, second);
                other_lines.extend(lay_out(&other, second));
                beside(one_lines, other_lines, first, self.show.glyphs.separator)
            }
            DiffLayout::Left => {
                let mut lines = self.marks(DiffColumn::Left, row, width);
                lines.extend(lay_out(&one, width));
                lines
            }
            DiffLayout::Right => {
                let mut lines = self.marks(DiffColumn::Right, row, width);
                lines.extend(lay_out(&other, width));
                lines
            }
            DiffLayout::Woven => {
                let page = match (&left, &right) {
                    (Ok(one), Ok(other)) => word_diff::woven(one, other, self.show.marking),
                    (Err(_), _) | (_, Err(_)) => None,
                };
                let page = page.unwrap_or_else(|| {
                    let mut page = Vec::new();
                    if let Ok(text) = &left {
                        page.push(Paragraph::of(Role::Muted, "left:"));
                        page.extend(prose(Role::Text, 2, text));
                    } else if row.sides != Sides::Right {
                        page.push(Paragraph::of(Role::Muted, "left:"));
                        page.extend(plain(&left));
                    }
                    if let Ok(text) = &right {
                        page.push(Paragraph::of(Role::Muted, "right:"));
                        page.extend(prose(Role::Text, 2, text));
                    } else if row.sides != Sides::Left {
                        page.push(Paragraph::of(Role::Muted, "right:"));
                        page.extend(plain(&right));
                    }
                    page
                });
                lay_out(&page, width)
            }
        }
    }

    fn marks(&self, which: DiffColumn, row: &DiffRow, width: usize) -> Vec<StyledLine> {
        let marks = self.side(which).marks(&row.subject);
        if marks.is_empty() {
            return Vec::new();
        }
        let mut line = Paragraph::default();
        for (at, (role, text)) in marks.into_iter().enumerate() {
            if at > 0 {
                line = line.and(Role::Muted, " · ");
            }
            line = line.and(role, text);
        }
        lay_out(&[line], width)
    }

    fn verdicts(&self, row: &DiffRow, width: usize) -> Vec<StyledLine> {
        let (left, right) = (
            self.found(DiffColumn::Left, row),
            self.found(DiffColumn::Right, row),
        );
        match self.show.view {
            DiffLayout::Beside => {
                let (first, second) = halves(width);
                beside(
                    lay_out(&left, first),
                    lay_out(&right, second),
                    first,
                    self.show.glyphs.separator,
                )
            }
            DiffLayout::Left => lay_out(&left, width),
            DiffLayout::Right => lay_out(&right, width),
            DiffLayout::Woven => {
                let named = |which: &str, page: Vec<Paragraph>| {
                    let lines = page.into_iter();
                    let lines = lines.map(|mut line| {
                        line.runs.insert(0, (Role::Muted, format!("{which} ")));
                        line
                    });
                    lines.collect::<Vec<Paragraph>>()
                };
                let mut page = named("left ", left);
                page.extend(named("right", right));
                lay_out(&page, width)
            }
        }
    }

    /// Returns what was found on a side of a row, when it was played and by passes.
    fn found(&self, which: DiffColumn, row: &DiffRow) -> Vec<Paragraph> {
        let side = self.side(which);
        let mut page = Vec::new();
        for (judging, outcome) in side.found(&row.subject) {
            let line = Paragraph::of(Role::Muted, format!("{judging}: "))
                .and(role_of(&outcome), texts::label(&outcome));
            page.push(self.reasoned(line, &outcome).indented(0, 4));
        }
        for found in self.again.on(side, &row.subject) {
            let head = format!("{} again by {}", found.judging, found.model);
            let mut line = Paragraph::of(Role::Muted, head);
            let recorded = side.found(&row.subject);
            let recorded = recorded.iter().find(|(id, _)| *id == found.judging);
            if recorded.is_some_and(|(_, outcome)| label(outcome) != label(&found.outcome)) {
                line = line.and(Role::Warning, ", not as recorded");
            }
            line = line
                .and(Role::Muted, ": ")
                .and(role_of(&found.outcome), texts::label(&found.outcome));
            page.push(self.reasoned(line, &found.outcome).indented(0, 4));
        }
        page
    }

    fn reasoned(&self, line: Paragraph, outcome: &Outcome) -> Paragraph {
        let finding = outcome.finding();
        let reason = finding.and_then(|finding| Some(finding.reason.as_deref()?.trim()));
        match reason.filter(|reason| !reason.is_empty()) {
            Some(reason) => {
                let reason = self.show.content.of(reason);
                line.and(Role::Muted, format!(": {reason}"))
            }
            None => line,
        }
    }
}
