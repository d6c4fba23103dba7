//! Form of a new queue: from what it is drawn, how many, and what so many would tell. Pure.

use crate::annotation::labelling::{QueueDraft, QueueList};
use crate::annotation::queue::{FILTER_WORDS, QueueForecast, QueueUnit, StratifyBy};
use crate::tui::app::DrawContext;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    FieldKind, Focus, Form, FormKey, FormLine, Moved, Paragraph, draw_text, frame, head_and_body,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Width of the column of names.
const LABELS: u16 = 11;

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
    rows: Form<QueueField>,
    pub forecast: Option<Result<QueueForecast, String>>,
}

impl QueueForm {
    pub(super) fn new(list: &QueueList) -> Self {
        Self {
            draft: QueueDraft::new(list),
            sets: list.sets.clone(),
            rows: Form::at(QueueField::Name),
            forecast: None,
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        self.rows.is_typing()
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

    /// Returns the text of the focused field, where it has one.
    fn text(&mut self) -> Option<&mut String> {
        match self.rows.focus {
            QueueField::Name => Some(&mut self.draft.name),
            QueueField::Filter => Some(&mut self.draft.filter),
            QueueField::Strata => Some(&mut self.draft.strata),
            QueueField::Sample => Some(&mut self.draft.sample),
            QueueField::Set | QueueField::Unit | QueueField::Draw => None,
        }
    }

    /// Types a character into the focused text; a number is replaced by it.
    pub(super) fn begins_typing(&mut self, key: KeyEvent) -> bool {
        let kind = match self.rows.focus {
            QueueField::Name | QueueField::Filter | QueueField::Strata => FieldKind::Text,
            QueueField::Sample => FieldKind::Number,
            QueueField::Set | QueueField::Unit | QueueField::Draw => FieldKind::Chosen,
        };
        let text = self.text().cloned().unwrap_or_default();
        let begins = kind.begins_with(key, &text);
        if begins {
            self.rows.open(match kind {
                FieldKind::Number => "",
                FieldKind::Chosen | FieldKind::Text => &text,
            });
            self.rows.key(key);
        }
        begins
    }

    pub(super) fn paste(&mut self, pasted: &str) {
        if !self.rows.is_typing()
            && let Some(text) = self.text().cloned()
        {
            self.rows.open(&text);
        }
        self.rows.paste(pasted);
    }

    /// Takes a key while a line is typed.
    pub(super) fn key(&mut self, key: KeyEvent) -> FormOutcome {
        let FormKey::Entered(entered, then) = self.rows.key(key) else {
            return FormOutcome::Nothing;
        };
        if let Some(text) = self.text() {
            *text = entered;
        }
        if let Some(action) = then {
            self.rows.act(action, &FIELDS);
        }
        FormOutcome::Changed
    }

    /// Answers an action.
    pub(super) fn act(&mut self, action: Action) -> FormOutcome {
        if self.rows.act(action, &FIELDS) == Moved::Yes {
            return FormOutcome::Nothing;
        }
        match (action, self.rows.focus) {
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
                if let Some(text) = self.text().cloned() {
                    self.rows.open(&text);
                }
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
        let lines = FIELDS.map(|field| {
            let (name, role, value) = self.row(field);
            FormLine::Field {
                field,
                name: name.to_owned(),
                role,
                value,
            }
        });
        draw_text(buffer, below, look, &self.about());
        self.rows.draw(buffer, rows, look, LABELS, &lines)
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
        let help = match self.rows.focus {
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
            Some(Ok(forecast)) => page.extend(forecast.describe(self.draft.unit)),
        }
        page
    }
}
