//! Drawing of the labelling screen: position, question and turn, and the letters of labels below.

use super::{Annotate, AnnotatePane, labelling_key};
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, ScreenKeys, key_for};
use crate::tui::screens::{queues, validate};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, StyledLine, body_and_foot, count_cells, draw_frame, draw_lines,
    draw_text, draw_top_lines, lay_out,
};
use elenchus_annotation::labelling::{LabelProgress, LetterChoice, NextStep};
use elenchus_text::{Keep, make_visible};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, question and turn are side by side.
const WIDE: u16 = 120;
/// Share of the height that the question takes above the turn, at most, as a divisor; whichever has the focus.
const QUESTION_PART: u16 = 2;
/// Rows of letters below at most.
const MAX_LETTERS: usize = 5;
/// Columns of the keys of what comes next.
const NEXT_KEYS: usize = 5;
/// Between two choices.
const BETWEEN: &str = "   ";

impl Annotate {
    pub(super) fn draw_labelling(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        if self.labelling.is_empty() {
            let inner = draw_frame(area, buffer, context.look, "labels", Focus::Focused);
            let text = Paragraph::new(Role::Notice, self.labelling.empty_text());
            draw_text(buffer, inner, context.look, &[text]);
            return self.dialog.as_ref()?.draw(area, buffer, context);
        }
        if self.labelling.progress() == LabelProgress::Done {
            self.draw_done(buffer, area, context);
            return None;
        }
        let width = usize::from(area.width);
        let head = lay_out(&[self.labelling.build_heading()], width);
        let letters = self.lay_out_letters(context, width);
        let below = u16::try_from(letters.len()).unwrap_or(0);
        let body = draw_top_lines(
            buffer,
            area,
            context.look,
            head.get(..1).unwrap_or_default(),
        );
        let [body, foot] = body_and_foot(body, below);
        draw_lines(buffer, foot, context.look, &letters);
        let [question, turn] = self.split_area(body);
        self.draw_pane(buffer, question, AnnotatePane::Question, context);
        self.draw_pane(buffer, turn, AnnotatePane::Turn, context);
        if let Some(overlay) = &mut self.overlay {
            overlay.draw(buffer, body, context);
        }
        self.dialog.as_ref()?.draw(body, buffer, context)
    }

    /// The letters that mean something now, and what was said with them so far.
    fn lay_out_letters(&self, context: DrawContext<'_>, width: usize) -> Vec<StyledLine> {
        if self.labelling.progress() == LabelProgress::JustDone {
            return self.lay_out_end(context, width);
        }
        let Some(letters) = self.labelling.letter_choices() else {
            return Vec::new();
        };
        let mut lines = pack_choices(&letters.choices, width);
        lines.extend(lay_out(letters.scale.as_slice(), width));
        if let Some(so_far) = letters.so_far {
            let more = format!(
                "   ({} codebook, {} note, {} flag)",
                labelling_key(Action::Codebook),
                labelling_key(Action::Note),
                labelling_key(Action::Flag)
            );
            let so_far = so_far.with_run(Role::Muted, context.spell_keys(&more));
            lines.extend(lay_out(&[so_far], width).into_iter().take(1));
        }
        lines.truncate(MAX_LETTERS);
        lines
    }

    /// After the last label, in place of letters that mean nothing any more: what comes next.
    fn lay_out_end(&self, context: DrawContext<'_>, width: usize) -> Vec<StyledLine> {
        let keys = format!(" {} lets labels be changed.", labelling_key(Action::Open));
        let done = self.labelling.describe_end();
        let done = done.with_run(Role::Muted, context.spell_keys(&keys));
        let mut page = vec![done];
        page.extend(self.list_next_steps(context));
        let mut lines = lay_out(&page, width);
        lines.truncate(MAX_LETTERS);
        lines
    }

    /// Areas of question and turn: side by side, or one over the other.
    fn split_area(&self, area: Rect) -> [Rect; 2] {
        let width = usize::from(area.width.saturating_sub(4));
        let items = self.question.items().iter();
        let lines: usize = items
            .map(|item| lay_out(&item.paragraphs, width).len())
            .sum();
        let question_height = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2);
        let part = area.height / QUESTION_PART;
        Split::with_share(WIDE, 40, question_height.min(part.max(3))).split_area(area)
    }

    fn draw_pane(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        pane: AnnotatePane,
        context: DrawContext<'_>,
    ) {
        context
            .rows
            .note_pane(area, pane as usize, self.focus as usize);
        let focus = match self.focus == pane {
            true => Focus::Focused,
            false => Focus::Unfocused,
        };
        let (title, page) = match pane {
            AnnotatePane::Question => ("question".to_owned(), &mut self.question),
            AnnotatePane::Turn => (self.labelling.turn_title(), &mut self.turn),
        };
        let inner = draw_frame(area, buffer, context.look, &title, focus);
        // What a click does there is up to the letters: it may be to label.
        page.draw(buffer, inner, context, Focus::Unfocused);
    }

    /// Says that nothing is left, and what can be done then.
    fn draw_done(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let inner = draw_frame(area, buffer, context.look, "done", Focus::Focused);
        let (back, enter) = (labelling_key(Action::Back), labelling_key(Action::Open));
        let keys =
            format!("{enter} goes back to the labels and lets them be changed; {back} goes back.");
        let mut page = vec![
            self.labelling.build_heading(),
            Paragraph::gap(),
            self.labelling.describe_end(),
            Paragraph::gap(),
            Paragraph::new(Role::Strong, "What comes next"),
        ];
        page.extend(self.list_next_steps(context));
        page.push(Paragraph::gap());
        page.push(Paragraph::new(Role::Muted, context.spell_keys(&keys)));
        draw_text(buffer, inner, context.look, &page);
    }

    /// Returns what comes next, a line for each with its keys.
    fn list_next_steps(&self, context: DrawContext<'_>) -> Vec<Paragraph> {
        let steps = self.labelling.list_next_steps().into_iter();
        let lines = steps.map(|(step, text)| {
            let keys = self.next_step_keys(step, context);
            Paragraph::new(Role::KeyHint, format!("{keys:<NEXT_KEYS$}"))
                .with_run(Role::Text, text)
                .with_indent(2, 2 + NEXT_KEYS)
        });
        lines.collect()
    }

    /// Returns the keys that lead to what comes next, from here.
    fn next_step_keys(&self, step: NextStep, context: DrawContext<'_>) -> String {
        let show = |keys: &'static ScreenKeys| {
            let hint = context.keys.key_hint(Context::Annotate, Action::Show(keys));
            hint.unwrap_or_else(|| keys.name.to_owned())
        };
        let in_queues = |action| {
            let key = context.spell_keys(&key_for(Context::Queues, action).to_string());
            format!("{} {key}", show(queues::PLACE.keys))
        };
        match step {
            NextStep::Validate => show(validate::PLACE.keys),
            NextStep::OtherAnnotator => in_queues(Action::LabelAs),
            NextStep::Adjudicate => in_queues(Action::Adjudicate),
        }
    }
}

/// Puts choices into lines; none is parted from its letter.
fn pack_choices(choices: &[LetterChoice], width: usize) -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::default()];
    let mut used = 0;
    for choice in choices {
        let letter = choice.letter.map(|letter| format!("{letter} "));
        let letter = letter.unwrap_or_default();
        let wide = count_cells(&letter) + count_cells(&choice.name) + BETWEEN.len();
        if used > 0 && used + wide > width + BETWEEN.len() {
            lines.push(StyledLine::default());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            let name = make_visible(&choice.name, Keep::Nothing).into_owned();
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
