//! Question before a prompt trial: number of samples, roll-forward and cost. Pure.

use super::TryCard;
use crate::exchange::price;
use crate::experiments::prompt_trial::{MAX_SAMPLES, RollForward};
use crate::tui::popups::PopupResult;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    DrawContext, Focus, LineInput, StyledLine, Typed, centred, fill, frame, label_and_rest,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Margin, Position, Rect};

const WIDTH: u16 = 72;
/// Rows within the frame.
const ROWS: usize = 7;
const HEIGHT: u16 = ROWS as u16 + 2;
/// Samples that are asked for where nothing is typed.
const USUAL: u32 = 4;

/// Purpose of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// More samples, next to the present ones.
    More,
    /// The samples that are there go on.
    Onward,
    /// The present samples are requested again, without cached replies.
    Anew,
}

/// The question while it is open.
pub(super) struct Asking {
    pub what: For,
    line: LineInput,
    roll: RollForward,
    fault: Option<String>,
}

/// Decision of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decided {
    pub what: For,
    pub samples: u32,
    pub roll: RollForward,
}

impl Asking {
    pub(crate) fn more(roll: RollForward) -> Self {
        Self {
            what: For::More,
            // Empty: a number typed behind a preset one would be a costly mistake.
            line: LineInput::default(),
            roll,
            fault: None,
        }
    }

    /// Asks whether samples are paid for again.
    pub(crate) fn anew(samples: usize, roll: RollForward) -> Self {
        Self {
            what: For::Anew,
            line: LineInput::new(&samples.to_string()),
            roll,
            fault: None,
        }
    }

    /// Asks how far samples go on.
    pub(crate) fn onward(samples: usize) -> Self {
        Self {
            what: For::Onward,
            line: LineInput::new(&samples.to_string()),
            roll: RollForward::Next,
            fault: None,
        }
    }

    pub(crate) fn key(&mut self, key: KeyEvent) -> PopupResult<Decided> {
        match key.code {
            KeyCode::Esc => return PopupResult::Closes,
            KeyCode::Enter => {
                return match self.count() {
                    Some(samples) => PopupResult::Says(Decided {
                        what: self.what,
                        samples,
                        roll: self.roll,
                    }),
                    None => {
                        self.fault = Some(format!("write a number from 1 to {MAX_SAMPLES}"));
                        PopupResult::Stays
                    }
                };
            }
            KeyCode::Tab | KeyCode::Right => self.roll = self.further(),
            KeyCode::BackTab | KeyCode::Left => self.roll = self.nearer(),
            _ => self.type_count(key),
        }
        PopupResult::Stays
    }

    fn type_count(&mut self, key: KeyEvent) {
        if self.what == For::More && self.line.key(key) == Typed::Changed {
            self.fault = None;
        }
    }

    fn count(&self) -> Option<u32> {
        let text = self.line.text().trim();
        if text.is_empty() {
            return Some(USUAL);
        }
        let count = text.parse::<u32>().ok()?;
        (1..=MAX_SAMPLES).contains(&count).then_some(count)
    }

    fn further(&self) -> RollForward {
        match (self.roll, self.what) {
            (RollForward::Turn, _) => RollForward::Next,
            (RollForward::Next, _) => RollForward::End,
            (RollForward::End, For::More | For::Anew) => RollForward::Turn,
            (RollForward::End, For::Onward) => RollForward::Next,
        }
    }

    fn nearer(&self) -> RollForward {
        match (self.roll, self.what) {
            (RollForward::Turn, _) => RollForward::End,
            (RollForward::Next, For::More | For::Anew) => RollForward::Turn,
            (RollForward::Next, For::Onward) => RollForward::End,
            (RollForward::End, _) => RollForward::Next,
        }
    }

    /// Draws the question and returns where the terminal's cursor belongs.
    pub(crate) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        brush: DrawContext<'_>,
        card: &TryCard,
    ) -> Option<Position> {
        let look = brush.look;
        brush.rows.begin_popup();
        let area = centred(area, WIDTH.min(area.width.saturating_sub(2)), HEIGHT);
        fill(area, buffer, look);
        let title = match self.what {
            For::More => "Ask the seat again",
            For::Onward => "Continue the debate with each reply",
            For::Anew => "Ask again, without cached replies",
        };
        let inner = frame(area, buffer, look, title, Focus::Focused);
        let rows = Layout::vertical([Constraint::Length(1); ROWS]);
        let [first, ways, _, costs, ceiling, cached, below] =
            rows.areas(inner.inner(Margin::new(1, 0)));
        let mut say = |row: Rect, role: Role, text: &str| {
            label_and_rest(buffer, row, look, role, text);
        };
        let (role, text) = self.cost(card);
        say(costs, role, &text);
        say(ceiling, Role::Muted, &price::ceiling(card.budget_usd));
        let text = match self.what {
            For::More | For::Onward => "cached replies to the same request are used",
            For::Anew => "every request is sent and paid for again",
        };
        say(cached, Role::Muted, text);
        match &self.fault {
            Some(why) => {
                let text = format!("{} {why}", look.tag(Role::Error));
                say(below, Role::Error, &text);
            }
            None => {
                let text = "Enter asks · Tab changes how far · Esc leaves";
                say(below, Role::Muted, text);
            }
        }
        self.ways(look).put(buffer, ways, look);
        let count = self.line.text();
        let text = match self.what {
            For::More => return Some(self.draw_count(first, buffer, look)),
            For::Anew => format!("{count} new replies replace them"),
            For::Onward => format!("with the reply of each of {count} samples"),
        };
        label_and_rest(buffer, first, look, Role::Text, &text);
        None
    }

    /// The line in which the number of samples is typed.
    fn draw_count(&self, row: Rect, buffer: &mut Buffer, look: &Look) -> Position {
        let line = label_and_rest(buffer, row, look, Role::Text, "how many samples? ");
        if self.line.text().is_empty() {
            let usual = format!(" ({USUAL})");
            label_and_rest(buffer, line, look, Role::Muted, &usual);
        }
        self.line.draw(line, buffer, look, Role::Strong)
    }

    /// The line with how far samples are played.
    fn ways(&self, look: &Look) -> StyledLine {
        let mut runs = vec![(Role::Text, "how far?".to_owned())];
        for (roll, words) in [
            (RollForward::Turn, "this turn"),
            (RollForward::Next, "to the next verdict"),
            (RollForward::End, "to the end"),
        ] {
            if roll == RollForward::Turn && self.what == For::Onward {
                continue;
            }
            let is_chosen = roll == self.roll;
            let mark = if is_chosen { look.glyphs().cursor } else { " " };
            let role = if is_chosen {
                Role::Selection
            } else {
                Role::Text
            };
            runs.push((Role::Text, " ".to_owned()));
            runs.push((role, format!("{mark}{words} ")));
        }
        StyledLine { indent: 0, runs }
    }

    fn cost(&self, card: &TryCard) -> (Role, String) {
        let simulated = card
            .recorded
            .created()
            .is_some_and(|created| created.is_simulated());
        let Some(samples) = self.count() else {
            return (Role::Muted, String::new());
        };
        let Some(one) = card.price(self.roll) else {
            let text = "the cost is not known";
            return (Role::Warning, text.to_owned());
        };
        let mut all = one;
        for _ in 1..samples {
            all = all.with(one);
        }
        let text = price::price(&all);
        match simulated {
            true => (Role::Simulated, format!("simulated: {text}")),
            false => (Role::Text, text),
        }
    }
}
