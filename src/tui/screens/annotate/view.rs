//! Drawing of the labelling screen: position, question and turn, and the letters of labels below.

use super::{Annotate, AnnotatePane, key};
use crate::tui::app::DrawContext;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, StyledLine, body_and_foot, cells, draw_lines, draw_text, frame,
    lay_out, lines_and_rest,
};
use elenchus_annotation::labelling::{LabelProgress, LetterChoice};
use elenchus_text::{Keep, visible};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, question and turn are side by side.
const WIDE: u16 = 120;
/// Share of the height that the question takes above the turn, at most, as a divisor; whichever has the focus.
const QUESTION_PART: u16 = 2;
/// Rows of letters below at most.
const MAX_LETTERS: usize = 5;
/// Between two choices.
const BETWEEN: &str = "   ";

impl Annotate {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        if self.sitting.is_empty() {
            let inner = frame(area, buffer, brush.look, "labels", Focus::Focused);
            let text = Paragraph::of(Role::Notice, self.sitting.empty_text());
            draw_text(buffer, inner, brush.look, &[text]);
            return None;
        }
        if self.sitting.progress() == LabelProgress::Done {
            self.draw_done(buffer, area, brush);
            return None;
        }
        let width = usize::from(area.width);
        let head = lay_out(&[self.sitting.head()], width);
        let letters = self.letters(brush, width);
        let below = u16::try_from(letters.len()).unwrap_or(0);
        let body = lines_and_rest(buffer, area, brush.look, head.get(..1).unwrap_or_default());
        let [body, foot] = body_and_foot(body, below);
        draw_lines(buffer, foot, brush.look, &letters);
        let [question, turn] = self.split(body);
        self.draw_pane(buffer, question, AnnotatePane::Question, brush);
        self.draw_pane(buffer, turn, AnnotatePane::Turn, brush);
        if let Some(overlay) = &mut self.overlay {
            overlay.draw(buffer, body, brush);
        }
        self.typed.as_ref()?.draw(body, buffer, brush)
    }

    /// The letters that mean something now, and what was said with them so far.
    fn letters(&self, brush: DrawContext<'_>, width: usize) -> Vec<StyledLine> {
        let Some(letters) = self.sitting.letter_choices() else {
            return Vec::new();
        };
        let mut lines = packed(&letters.choices, width);
        lines.extend(lay_out(letters.scale.as_slice(), width));
        if let Some(so_far) = letters.so_far {
            let more = format!(
                "   ({} codebook, {} note, {} flag)",
                key(Action::Codebook),
                key(Action::Note),
                key(Action::Flag)
            );
            let so_far = so_far.and(Role::Muted, brush.spelled(&more));
            lines.extend(lay_out(&[so_far], width).into_iter().take(1));
        }
        lines.truncate(MAX_LETTERS);
        lines
    }

    /// Areas of question and turn: side by side, or one over the other.
    fn split(&self, area: Rect) -> [Rect; 2] {
        let width = usize::from(area.width.saturating_sub(4));
        let items = self.question.items().iter();
        let lines: usize = items
            .map(|item| lay_out(&item.paragraphs, width).len())
            .sum();
        let wanted = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2);
        let part = area.height / QUESTION_PART;
        Split::shared(WIDE, 40, wanted.min(part.max(3))).areas(area)
    }

    fn draw_pane(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        pane: AnnotatePane,
        brush: DrawContext<'_>,
    ) {
        brush
            .rows
            .note_pane(area, pane as usize, self.focus as usize);
        let focus = match self.focus == pane {
            true => Focus::Focused,
            false => Focus::Unfocused,
        };
        let (title, page) = match pane {
            AnnotatePane::Question => ("question".to_owned(), &mut self.question),
            AnnotatePane::Turn => (self.sitting.turn_title(), &mut self.turn),
        };
        let inner = frame(area, buffer, brush.look, &title, focus);
        // What a click does there is up to the letters: it may be to label.
        page.draw(buffer, inner, brush, Focus::Unfocused);
    }

    /// Says that nothing is left, and what can be done then.
    fn draw_done(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let inner = frame(area, buffer, brush.look, "done", Focus::Focused);
        let of = self.sitting.len();
        let (back, enter) = (key(Action::Back), key(Action::Open));
        let keys =
            format!("{enter} goes back to the labels and lets them be changed; {back} goes back.");
        let page = [
            self.sitting.head(),
            Paragraph::gap(),
            Paragraph::of(Role::Strong, format!("Done: all {of} are labelled.")),
            Paragraph::of(Role::Muted, brush.spelled(&keys)),
        ];
        draw_text(buffer, inner, brush.look, &page);
    }
}

/// Puts choices into lines; none is parted from its letter.
fn packed(choices: &[LetterChoice], width: usize) -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::default()];
    let mut used = 0;
    for choice in choices {
        let letter = choice.letter.map(|letter| format!("{letter} "));
        let letter = letter.unwrap_or_default();
        let wide = cells(&letter) + cells(&choice.name) + BETWEEN.len();
        if used > 0 && used + wide > width + BETWEEN.len() {
            lines.push(StyledLine::default());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            let name = visible(&choice.name, Keep::Nothing).into_owned();
            line.runs.extend([
                (Role::KeyHint, letter),
                (choice.role, name),
                (Role::Text, BETWEEN.to_owned()),
            ]);
        }
        used += wide;
    }
    lines
}
