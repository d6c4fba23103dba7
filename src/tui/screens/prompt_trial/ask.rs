//! Dialog before a prompt trial: number of samples, roll-forward and cost. Pure.

use crate::tui::popups::PopupResult;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    DrawContext, Focus, LineInput, StyledLine, Typed, center_rect, draw_frame, draw_label,
    fill_area,
};
use elenchus_run::drafts::prompt_trial::{TrialAnswer, TrialQuestion, TrialTurn, USUAL_SAMPLES};
use elenchus_text::price;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Margin, Position, Rect};

const WIDTH: u16 = 72;
/// Rows within the frame.
const ROWS: usize = 7;
const HEIGHT: u16 = ROWS as u16 + 2;

/// The question while it is open.
pub(super) struct Asking {
    question: TrialQuestion,
    /// Empty at first: a number typed behind a preset one would be a costly mistake.
    line: LineInput,
    fault: Option<String>,
}

impl Asking {
    pub(super) fn new(question: TrialQuestion) -> Self {
        Self {
            question,
            line: LineInput::default(),
            fault: None,
        }
    }

    pub(super) fn handle_key(&mut self, key: KeyEvent) -> PopupResult<TrialAnswer> {
        match key.code {
            KeyCode::Esc => return PopupResult::Closes,
            KeyCode::Enter => match self.question.parse_answer(self.line.text()) {
                Ok(answer) => return PopupResult::Says(answer),
                Err(why) => self.fault = Some(why.to_string()),
            },
            KeyCode::Tab | KeyCode::Right => self.question.step_roll(1),
            KeyCode::BackTab | KeyCode::Left => self.question.step_roll(-1),
            _ if self.question.describe_present().is_some() => {}
            _ => {
                if self.line.handle_key(key) == Typed::Changed {
                    self.fault = None;
                }
            }
        }
        PopupResult::Stays
    }

    /// Draws the question and returns where the terminal's cursor belongs.
    pub(super) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
        card: &TrialTurn,
    ) -> Option<Position> {
        let look = context.look;
        context.rows.begin_popup();
        let area = center_rect(area, WIDTH.min(area.width.saturating_sub(2)), HEIGHT);
        fill_area(area, buffer, look);
        let inner = draw_frame(area, buffer, look, self.question.title(), Focus::Focused);
        let rows = Layout::vertical([Constraint::Length(1); ROWS]);
        let [first, ways, _, costs, ceiling, cached, below] =
            rows.areas(inner.inner(Margin::new(1, 0)));
        let mut draw_row = |row: Rect, role: Role, text: &str| {
            draw_label(buffer, row, look, role, text);
        };
        let (role, cost) = self.question.describe_cost(card, self.line.text());
        draw_row(costs, role, &cost);
        draw_row(
            ceiling,
            Role::Muted,
            &price::describe_ceiling(card.budget_usd),
        );
        draw_row(cached, Role::Muted, self.question.describe_caching());
        match &self.fault {
            Some(why) => {
                let text = format!("{} {why}", look.tag(Role::Error));
                draw_row(below, Role::Error, &text);
            }
            None => draw_row(below, Role::Muted, self.describe_keys()),
        }
        self.lay_out_choices(look).draw(buffer, ways, look);
        match self.question.describe_present() {
            Some(text) => {
                draw_label(buffer, first, look, Role::Text, &text);
                None
            }
            None => Some(self.draw_count(first, buffer, look)),
        }
    }

    /// The line in which the number of samples is typed.
    fn draw_count(&self, row: Rect, buffer: &mut Buffer, look: &Look) -> Position {
        let line = draw_label(buffer, row, look, Role::Text, "how many samples? ");
        if self.line.text().is_empty() {
            let usual = format!(" ({USUAL_SAMPLES})");
            draw_label(buffer, line, look, Role::Muted, &usual);
        }
        self.line.draw(line, buffer, look, Role::Strong)
    }

    fn describe_keys(&self) -> &'static str {
        match self.question.list_choices().nth(1) {
            Some(_) => "Enter asks · Tab changes how far · Esc leaves",
            None => "Enter asks · Esc leaves",
        }
    }

    /// The line with how far samples are played; empty where there is no choice.
    fn lay_out_choices(&self, look: &Look) -> StyledLine {
        let choices: Vec<_> = self.question.list_choices().collect();
        if choices.len() < 2 {
            return StyledLine::default();
        }
        let mut runs = vec![(Role::Text, "how far?".to_owned())];
        for (words, is_chosen) in choices {
            let (mark, role) = match is_chosen {
                true => (look.glyphs().cursor, Role::Selection),
                false => (" ", Role::Text),
            };
            runs.push((Role::Text, " ".to_owned()));
            runs.push((role, format!("{mark}{words} ")));
        }
        StyledLine::from_runs(runs)
    }
}
