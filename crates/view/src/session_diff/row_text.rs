//! Text of a comparison's row: of both sides, of one, or as one marked text. Pure.

use super::Comparison;
use super::pass_verdicts::label;
use super::rows::{DiffRow, VerdictMatch};
use super::side::{DiffSide, Subject};
use crate::debate_blocks::{hidden_text, role_of, texts};
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
        let title = self.title(row);
        if !(show.folded && row.same) {
            let mut parts: Vec<RowText> = self.texts(row, show).into_iter().collect();
            parts.push(self.verdicts(row, show));
            return (title, parts);
        }
        let heading = self.folded(row, title);
        let again = [&self.left, &self.right].into_iter();
        let mut again = again.map(|side| self.again.on(side, &row.subject));
        let is_whole = row.verdicts != VerdictMatch::Differ && again.all(<[_]>::is_empty);
        match is_whole {
            true => (heading, Vec::new()),
            false => (heading, vec![self.verdicts(row, show)]),
        }
    }

    fn title(&self, row: &DiffRow) -> Paragraph {
        let mut heading = match &row.subject {
            Subject::Memory => Paragraph::of(Role::Strong, "memory"),
            Subject::Turn(turn) => {
                let side = match row.sides {
                    Sides::Both | Sides::Left => &self.left,
                    Sides::Right => &self.right,
                };
                let name = side.state.name_of(&turn.chair);
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

    /// Returns what both sides say; nothing on rows that only findings are on.
    fn texts(&self, row: &DiffRow, show: DiffOptions) -> Option<RowText> {
        match row.subject {
            Subject::Round(_) | Subject::Debate => return None,
            Subject::Memory | Subject::Turn(_) | Subject::Lesson => {}
        }
        let left = shown(&self.left, &row.subject, show);
        let right = shown(&self.right, &row.subject, show);
        if show.layout == DiffLayout::Woven {
            return Some(RowText::One(woven(row.sides, &left, &right, show.marking)));
        }
        let marked = match (&left, &right) {
            (Ok(one), Ok(other)) => word_diff::beside(one, other, show.marking),
            (Err(_), _) | (_, Err(_)) => None,
        };
        let (one, other) = match marked {
            Some(marked) => (set_off(marked.left), set_off(marked.right)),
            None => (plain(&left), plain(&right)),
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
    fn verdicts(&self, row: &DiffRow, show: DiffOptions) -> RowText {
        let left = self.found(&self.left, row, show.content);
        let right = self.found(&self.right, row, show.content);
        if show.layout != DiffLayout::Woven {
            let both = RowText::new(show.layout, left, right);
            return both.unwrap_or(RowText::One(Vec::new()));
        }
        let named = |which: &'static str, page: Vec<Paragraph>| {
            page.into_iter().map(move |mut line| {
                line.runs.insert(0, (Role::Muted, format!("{which} ")));
                line
            })
        };
        RowText::One(named("left ", left).chain(named("right", right)).collect())
    }

    /// Returns what was found on a side of a row, when it was played and by passes.
    fn found(&self, side: &DiffSide, row: &DiffRow, content: Content) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for (judging, outcome) in side.found(&row.subject) {
            let line = Paragraph::of(Role::Muted, format!("{judging}: "))
                .and(role_of(&outcome), texts::label(&outcome));
            page.push(reasoned(line, &outcome, content).indented(0, 4));
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
            page.push(reasoned(line, &found.outcome, content).indented(0, 4));
        }
        page
    }
}

fn reasoned(line: Paragraph, outcome: &Outcome, content: Content) -> Paragraph {
    let finding = outcome.finding();
    let reason = finding.and_then(|finding| Some(finding.reason.as_deref()?.trim()));
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => line.and(Role::Muted, format!(": {}", content.of(reason))),
        None => line,
    }
}

/// Returns a side's text, or what stands in its place.
fn shown(side: &DiffSide, subject: &Subject, show: DiffOptions) -> Result<String, Paragraph> {
    let Some(text) = side.text(subject) else {
        let text = match side.missing {
            Some(_) => "(not read yet)",
            None => "(nothing here)",
        };
        return Err(Paragraph::of(Role::Muted, text));
    };
    let is_hidden = side.is_private(subject) && !show.private;
    match hidden_text(&text, is_hidden, show.content) {
        Some(instead) => Err(instead),
        None => Ok(text),
    }
}

fn plain(shown: &Result<String, Paragraph>) -> Vec<Paragraph> {
    match shown {
        Ok(text) => others_prose(Role::Text, 2, text),
        Err(instead) => vec![instead.clone()],
    }
}

/// Returns both texts as one; one after the other where they cannot be compared.
fn woven(
    sides: Sides,
    left: &Result<String, Paragraph>,
    right: &Result<String, Paragraph>,
    marking: Marking,
) -> Vec<Paragraph> {
    if let (Ok(one), Ok(other)) = (left, right)
        && let Some(page) = word_diff::woven(one, other, marking)
    {
        return set_off(page);
    }
    let mut page = Vec::new();
    for (which, shown, other_only) in [
        ("left:", left, Sides::Right),
        ("right:", right, Sides::Left),
    ] {
        if shown.is_ok() || sides != other_only {
            page.push(Paragraph::of(Role::Muted, which));
            page.extend(plain(shown));
        }
    }
    page
}
