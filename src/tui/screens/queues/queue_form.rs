//! Form of a new queue: from what it is drawn, how many, and what so many would tell. Pure.

use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Form, FormEvent, Paragraph, draw_frame, draw_text, head_and_body,
};
use elenchus_annotation::labelling::{QueueDraft, QueueField, QueueList};
use elenchus_annotation::queue::QueueForecast;
use elenchus_records::workspace::WorkspaceError;
use elenchus_text::FormValues;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Width of the column of names.
const LABELS: u16 = 11;

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
    form: Form<QueueField>,
    pub forecast: Option<Result<QueueForecast, WorkspaceError>>,
}

impl QueueForm {
    pub(super) fn new(list: &QueueList) -> Self {
        Self {
            draft: QueueDraft::new(list),
            form: Form::with_focus(QueueField::Name),
            forecast: None,
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        self.form.is_typing()
    }

    /// Takes note that what would be drawn was asked for.
    pub(super) fn clear_forecast(&mut self) {
        self.forecast = None;
    }

    pub(super) fn describe_status(&self) -> String {
        if self.form.has_open_text(&self.draft.list_fields()) {
            return "Enter takes what is typed".to_owned();
        }
        match &self.forecast {
            None => "looking what there is to draw from".to_owned(),
            Some(Ok(forecast)) if forecast.of == 0 => "nothing fits the conditions".to_owned(),
            Some(Ok(_)) => "ready to draw".to_owned(),
            Some(Err(_)) => "nothing can be drawn so".to_owned(),
        }
    }

    /// Types a key into the focused field; says whether it is text there.
    pub(super) fn start_typing(&mut self, key: KeyEvent) -> bool {
        self.form
            .start_typing(key, &self.draft.list_fields())
            .is_some()
    }

    pub(super) fn paste_text(&mut self, pasted: &str) {
        self.form.paste_text(pasted, &self.draft.list_fields());
    }

    /// Takes a key while a line is typed.
    pub(super) fn handle_key(&mut self, key: KeyEvent) -> FormOutcome {
        let event = self.form.handle_typed_key(key, &mut self.draft);
        self.to_outcome(event)
    }

    /// Answers an action.
    pub(super) fn handle_action(&mut self, action: Action) -> FormOutcome {
        if action == Action::Back {
            return FormOutcome::Closes;
        }
        let event = self.form.handle_action(action, &mut self.draft);
        self.to_outcome(event)
    }

    fn to_outcome(&self, event: FormEvent) -> FormOutcome {
        match event {
            FormEvent::Changed => FormOutcome::Changed,
            FormEvent::Press if matches!(self.forecast, Some(Ok(_))) => FormOutcome::Draw,
            FormEvent::Press | FormEvent::Stays | FormEvent::Choose | FormEvent::Write(_) => {
                FormOutcome::Nothing
            }
        }
    }

    /// Draws the form; returns the cursor while a line is typed.
    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let inner = draw_frame(area, buffer, context.look, "a new queue", Focus::Focused);
        let fields = self.draft.list_fields();
        let [rows, below] = head_and_body(inner, self.form.height(&fields) + 1);
        let help = self.form.describe_field(Context::Queues, &fields, context);
        let mut page = vec![help, Paragraph::gap()];
        match &self.forecast {
            // It would be about the conditions of before.
            Some(_) if self.form.has_open_text(&fields) => page.push(Paragraph::new(
                Role::Muted,
                "what these conditions would draw is looked up when Enter or Tab takes them",
            )),
            None => {}
            Some(Err(why)) => page.push(Paragraph::new(Role::Warning, why.to_string())),
            Some(Ok(forecast)) => page.extend(forecast.describe(self.draft.unit)),
        }
        draw_text(buffer, below, context.look, &page);
        self.form.draw(buffer, rows, context, LABELS, &fields)
    }
}
