//! Form of a new queue: from what it is drawn, how many, and what so many would tell. Pure.

use super::queue_list::QueueList;
use crate::annotation::queue::{
    FILTER_WORDS, FORECAST_RATES, QueueForecast, QueueUnit, StratifyBy,
};
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, typed_char};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, LineInput, ListCursor, Moved, Paragraph, StyledLine, counted, draw_text, frame,
    head_and_body,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// The usual size of a sample.
const SAMPLE: &str = "50";
/// Width of the column of names.
const LABELS: u16 = 12;
/// Strata that are listed, at most.
const MAX_STRATA: usize = 8;

/// Values of the form, as they were typed.
#[derive(Debug, Clone)]
pub(super) struct QueueDraft {
    pub name: String,
    pub set: String,
    /// Conditions, in words.
    pub filter: String,
    pub unit: QueueUnit,
    /// What divides the population, parted by commas.
    pub strata: String,
    /// How many are drawn; empty for all.
    pub sample: String,
}

/// A field, in the form's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueField {
    Name,
    Set,
    Filter,
    Unit,
    Strata,
    Sample,
    Draw,
}

const FIELDS: [QueueField; 7] = [
    QueueField::Name,
    QueueField::Set,
    QueueField::Filter,
    QueueField::Unit,
    QueueField::Strata,
    QueueField::Sample,
    QueueField::Draw,
];

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormOutcome {
    Nothing,
    /// A value is another: what would be drawn is to be asked again.
    Changed,
    Draw,
    Closes,
}

/// The form, with what its values would draw.
pub(super) struct QueueForm {
    pub draft: QueueDraft,
    sets: Vec<String>,
    rows: ListCursor,
    line: Option<LineInput>,
    pub forecast: Option<Result<QueueForecast, String>>,
}

impl QueueForm {
    pub(super) fn new(list: &QueueList) -> Self {
        let is_taken = |name: &String| list.queues.iter().any(|line| line.queue == *name);
        let mut names = (1..).map(|at| format!("queue-{at}"));
        let usual = list.sets.iter().find(|set| *set == "safety");
        Self {
            draft: QueueDraft {
                name: names.find(|name| !is_taken(name)).unwrap_or_default(),
                set: usual.or(list.sets.first()).cloned().unwrap_or_default(),
                filter: String::new(),
                unit: QueueUnit::Turn,
                strata: String::new(),
                sample: SAMPLE.to_owned(),
            },
            sets: list.sets.clone(),
            rows: ListCursor::new(FIELDS.len()),
            line: None,
            forecast: None,
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        self.line.is_some()
    }

    /// Takes note that what would be drawn was asked for.
    pub(super) fn asked(&mut self) {
        self.forecast = None;
    }

    pub(super) fn status(&self) -> String {
        match &self.forecast {
            None => "looking what there is to draw from".to_owned(),
            Some(Ok(forecast)) if forecast.of == 0 => "nothing fits the conditions".to_owned(),
            Some(Ok(_)) => "ready to draw".to_owned(),
            Some(Err(_)) => "nothing can be drawn so".to_owned(),
        }
    }

    fn focus(&self) -> QueueField {
        let at = self.rows.chosen().unwrap_or(0);
        FIELDS.get(at).copied().unwrap_or(QueueField::Name)
    }

    /// Returns the text of the focused field, where it has one.
    fn text(&mut self) -> Option<&mut String> {
        match self.focus() {
            QueueField::Name => Some(&mut self.draft.name),
            QueueField::Filter => Some(&mut self.draft.filter),
            QueueField::Strata => Some(&mut self.draft.strata),
            QueueField::Sample => Some(&mut self.draft.sample),
            QueueField::Set | QueueField::Unit | QueueField::Draw => None,
        }
    }

    /// Types a character into the focused text; a number is replaced by it.
    pub(super) fn begins_typing(&mut self, key: KeyEvent) -> bool {
        let is_number = self.focus() == QueueField::Sample;
        let is_taken = typed_char(key).is_some_and(|c| match is_number {
            true => c.is_ascii_digit(),
            false => c.is_alphanumeric(),
        });
        let Some(text) = self.text().filter(|_| is_taken) else {
            return false;
        };
        let mut line = match is_number {
            true => LineInput::default(),
            false => LineInput::new(text),
        };
        line.key(key);
        self.line = Some(line);
        true
    }

    pub(super) fn paste(&mut self, pasted: &str) {
        if self.line.is_none() {
            self.line = self.text().map(|text| LineInput::new(text));
        }
        if let Some(line) = &mut self.line {
            line.paste(pasted);
        }
    }

    /// Takes a key while a line is typed.
    pub(super) fn key(&mut self, key: KeyEvent) -> FormOutcome {
        let Some(mut line) = self.line.take() else {
            return FormOutcome::Nothing;
        };
        let moves = match key.code {
            KeyCode::Esc => return FormOutcome::Nothing,
            KeyCode::Enter => None,
            KeyCode::Tab | KeyCode::Down => Some(Action::Down),
            KeyCode::BackTab | KeyCode::Up => Some(Action::Up),
            _ => {
                line.key(key);
                self.line = Some(line);
                return FormOutcome::Nothing;
            }
        };
        if let Some(text) = self.text() {
            *text = line.text().trim().to_owned();
        }
        if let Some(action) = moves {
            self.rows.act(action);
        }
        FormOutcome::Changed
    }

    /// Answers an action.
    pub(super) fn act(&mut self, action: Action) -> FormOutcome {
        let action = match action {
            Action::FocusNext => Action::Down,
            Action::FocusPrevious => Action::Up,
            action => action,
        };
        if self.rows.act(action) == Moved::Yes {
            return FormOutcome::Nothing;
        }
        match (action, self.focus()) {
            (Action::Back, _) => FormOutcome::Closes,
            (Action::Open, QueueField::Draw) => match &self.forecast {
                Some(Ok(_)) => FormOutcome::Draw,
                Some(Err(_)) | None => FormOutcome::Nothing,
            },
            (Action::Open | Action::Right | Action::Left, QueueField::Set) => {
                let at = self.sets.iter().position(|set| *set == self.draft.set);
                let count = self.sets.len().max(1);
                let by = if action == Action::Left { count - 1 } else { 1 };
                let next = (at.unwrap_or(0) + by) % count;
                let next = self.sets.get(next).cloned();
                self.draft.set = next.unwrap_or_default();
                FormOutcome::Changed
            }
            (Action::Open | Action::Right | Action::Left, QueueField::Unit) => {
                self.draft.unit = match (self.draft.unit, action) {
                    (QueueUnit::Turn, Action::Left) | (QueueUnit::Pair, _) => QueueUnit::Debate,
                    (QueueUnit::Turn, _) => QueueUnit::Pair,
                    (QueueUnit::Debate, _) => QueueUnit::Turn,
                };
                FormOutcome::Changed
            }
            (Action::Open, _) => {
                self.line = self.text().map(|text| LineInput::new(text));
                FormOutcome::Nothing
            }
            _ => FormOutcome::Nothing,
        }
    }

    /// Draws the form; returns the cursor while a line is typed.
    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let inner = frame(area, buffer, look, "a new queue", Focus::Focused);
        let [rows, below] = head_and_body(inner, FIELDS.len() as u16 + 1);
        self.rows.draw(buffer, rows, look, |at, _| {
            let field = FIELDS.get(at).copied().unwrap_or(QueueField::Draw);
            let (name, role, value) = self.row(field);
            let wide = usize::from(LABELS);
            StyledLine {
                indent: 0,
                runs: vec![(Role::Strong, format!("{name:wide$}")), (role, value)],
            }
        });
        draw_text(buffer, below, look, &self.about());
        let line = self.line.as_ref()?;
        let at = u16::try_from(self.rows.chosen()?).ok()?;
        let row = rows.rows().nth(at.into())?;
        let before = Constraint::Length(LABELS + 2);
        let [_, value] = Layout::horizontal([before, Constraint::Fill(1)]).areas(row);
        let blank = " ".repeat(value.width.into());
        buffer.set_string(value.x, value.y, blank, look.base());
        Some(line.draw(value, buffer, look, Role::Text))
    }

    fn row(&self, field: QueueField) -> (&'static str, Role, String) {
        let or = |text: &str, empty: &str| match text {
            "" => (Role::Muted, empty.to_owned()),
            text => (Role::Text, text.to_owned()),
        };
        let draft = &self.draft;
        let (name, (role, value)) = match field {
            QueueField::Name => ("name", or(&draft.name, "none yet")),
            QueueField::Set => ("labels", or(&draft.set, "no label set")),
            QueueField::Filter => ("only", or(&draft.filter, "everything of real models")),
            QueueField::Unit => ("unit", or(draft.unit.word(), "")),
            QueueField::Strata => ("strata", or(&draft.strata, "none")),
            QueueField::Sample => ("how many", or(&draft.sample, "all")),
            QueueField::Draw => ("Draw it", or("", "")),
        };
        (name, role, value)
    }

    /// Returns help on the focused field, and what would be drawn.
    fn about(&self) -> Vec<Paragraph> {
        let help = match self.focus() {
            QueueField::Name => {
                "What the queue is called: letters, digits, dots, dashes.".to_owned()
            }
            QueueField::Set => "The label set: Left and Right go through them.".to_owned(),
            QueueField::Filter => format!("Conditions, parted by blanks: {FILTER_WORDS}"),
            QueueField::Unit => "Turns, pairs of turns of two rounds, or whole debates.".to_owned(),
            QueueField::Strata => {
                let words = StratifyBy::ALL.map(StratifyBy::word).join(", ");
                format!("What divides them, so that each part is drawn from: {words}")
            }
            QueueField::Sample => "How many are drawn by the seed; empty for all.".to_owned(),
            QueueField::Draw => "Draws it; what was drawn never changes afterwards.".to_owned(),
        };
        let mut page = vec![Paragraph::of(Role::Muted, help), Paragraph::gap()];
        match &self.forecast {
            None => {}
            Some(Err(why)) => page.push(Paragraph::of(Role::Warning, why.clone())),
            Some(Ok(forecast)) => page.extend(self.foretold(forecast)),
        }
        page
    }

    fn foretold(&self, forecast: &QueueForecast) -> Vec<Paragraph> {
        let unit = self.draft.unit.word();
        let of = counted(forecast.of as usize, unit);
        let sessions = counted(forecast.sessions, "session");
        let items = counted(forecast.items, "item");
        let (taken, all) = (forecast.taken, forecast.of);
        let drawn = format!("{taken} of {of} in {sessions}: {items} to label");
        let tells = match forecast.half_widths {
            None if all == 0 => {
                "nothing fits; simulated debates are left out without the word 'simulated'"
                    .to_owned()
            }
            None => "all are taken: labels tell the rate itself".to_owned(),
            Some(widths) => {
                let rates = FORECAST_RATES.iter().zip(widths);
                let known = rates.map(|(rate, half)| {
                    format!("one of {:.0} % to ±{:.0}", rate * 100.0, half * 100.0)
                });
                format!(
                    "a sample of {taken} tells a rate to so many points at 95 %: {}; turns of one \
                     debate are alike, so expect wider",
                    known.collect::<Vec<_>>().join(", ")
                )
            }
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, drawn),
            Paragraph::of(Role::Text, tells),
        ];
        if forecast.strata.len() > 1 {
            let listed = forecast.strata.iter().take(MAX_STRATA);
            page.extend(listed.map(|(name, taken, of)| {
                Paragraph::of(Role::Muted, format!("{name}: {taken} of {of}")).indented(2, 4)
            }));
            let more = forecast.strata.len().saturating_sub(MAX_STRATA);
            if more > 0 {
                page.push(Paragraph::of(Role::Muted, format!("  and {more} more")));
            }
        }
        page
    }
}
