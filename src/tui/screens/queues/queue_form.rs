//! Form of a new queue: from what it is drawn, how many, and what so many would tell. Pure.

use crate::tui::app::DrawContext;
use crate::tui::app::{Effect, say_warning};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::{Dialog, DialogAnswer, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Form, FormEvent, Paragraph, draw_frame, draw_text, head_and_body,
};
use elenchus_annotation::labelling::{QueueDraft, QueueField, QueueList};
use elenchus_annotation::queue::{ForecastPopulation, QueueForecast};
use elenchus_records::workspace::WorkspaceError;
use elenchus_text::FormValues;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Width of the column of names.
const LABELS: u16 = 11;

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormOutcome {
    Nothing,
    /// A value is another: what would be drawn is to be asked again, where it depends on it.
    Changed,
    Draw,
    /// It is drawn once what is counted is known.
    DrawLater,
    /// Nothing can be drawn so.
    Refused,
    Closes,
}

/// The form, with what its values would draw.
pub(super) struct QueueForm {
    pub draft: QueueDraft,
    form: Form<QueueField>,
    /// The values of a field, to choose one from.
    values: Option<Dialog<QueueField>>,
    pub forecast: Option<Result<QueueForecast, WorkspaceError>>,
    /// What was read for the last forecast.
    pub population: Option<Arc<ForecastPopulation>>,
    pub drawing: Drawing,
}

/// How far the draw is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Drawing {
    #[default]
    No,
    /// It was asked for while what it would give is counted.
    Asked,
    Begun,
}

impl QueueForm {
    pub(super) fn new(list: &QueueList) -> Self {
        Self {
            draft: QueueDraft::new(list),
            form: Form::with_focus(QueueField::Name),
            values: None,
            forecast: None,
            population: None,
            drawing: Drawing::No,
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        self.form.is_typing() || self.values.is_some()
    }

    /// Says whether the form itself has the keys.
    pub(super) fn has_keys(&self) -> bool {
        self.values.is_none()
    }

    /// Returns the draft with what is typed now, which is counted before it is taken.
    pub(super) fn draft_as_typed(&self) -> QueueDraft {
        let mut draft = self.draft.clone();
        if let Some(text) = self.form.typed_text() {
            // What is refused stays as it was.
            let _ = draft.set_value(&self.form.focus, text);
        }
        draft
    }

    /// Takes note that what would be drawn was asked for.
    pub(super) fn clear_forecast(&mut self) {
        self.forecast = None;
    }

    pub(super) fn describe_status(&self) -> String {
        let keys = self.form.describe_keys(&self.draft.list_fields());
        let state = match &self.forecast {
            _ if self.drawing == Drawing::Begun => "drawing",
            None if self.drawing == Drawing::Asked => "draws once it is counted",
            None => "counting",
            Some(Ok(forecast)) if forecast.of == 0 => "nothing fits",
            Some(Ok(_)) => "ready to draw",
            Some(Err(_)) => "nothing to draw so",
        };
        format!("{keys}; {state}")
    }

    /// Takes a draw back that waits for what is counted: whoever presses another key goes on with the form.
    fn withdraw_draw(&mut self) {
        if self.drawing == Drawing::Asked {
            self.drawing = Drawing::No;
        }
    }

    /// Types a key into the focused field, where it is text there.
    pub(super) fn start_typing(&mut self, key: KeyEvent) -> Option<FormOutcome> {
        self.withdraw_draw();
        let event = self.form.start_typing(key, &self.draft.list_fields())?;
        Some(self.handle_form_event(event))
    }

    pub(super) fn paste_text(&mut self, pasted: &str) -> FormOutcome {
        self.withdraw_draw();
        if let Some(values) = &mut self.values {
            values.paste_text(pasted);
            return FormOutcome::Nothing;
        }
        match self.form.paste_text(pasted, &self.draft.list_fields()) {
            true => FormOutcome::Changed,
            false => FormOutcome::Nothing,
        }
    }

    /// Returns the actions worth a hint.
    pub(super) fn list_hints(&self) -> Vec<Action> {
        match self.values {
            Some(_) => Vec::new(),
            None => self.form.list_hints(&self.draft.list_fields()),
        }
    }

    pub(super) fn hint_word(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Begin => Some("draw"),
            other => self.form.hint_word(other, &self.draft.list_fields()),
        }
    }

    /// Says why nothing can be drawn.
    pub(super) fn explain_refusal(&self) -> Vec<Effect> {
        match &self.forecast {
            Some(Err(why)) => say_warning(why.to_string()),
            Some(Ok(_)) | None => Vec::new(),
        }
    }

    /// Takes a key while a line is typed.
    pub(super) fn handle_key(&mut self, key: KeyEvent) -> FormOutcome {
        self.withdraw_draw();
        if self.values.is_some() {
            return match Dialog::answer_key(&mut self.values, key) {
                Some(DialogAnswer::Item(field, at, _)) => {
                    self.draft.pick_value(&field, at);
                    FormOutcome::Changed
                }
                Some(_) | None => FormOutcome::Nothing,
            };
        }
        let event = self.form.handle_typed_key(key, &mut self.draft);
        self.handle_form_event(event)
    }

    /// Answers an action.
    pub(super) fn handle_action(&mut self, action: Action) -> FormOutcome {
        self.withdraw_draw();
        if let Action::Back | Action::Interrupt = action {
            return FormOutcome::Closes;
        }
        let event = self.form.handle_action(action, &mut self.draft);
        self.handle_form_event(event)
    }

    /// Returns what drawing leads to now.
    pub(super) fn press(&self) -> FormOutcome {
        match &self.forecast {
            _ if self.drawing == Drawing::Begun => FormOutcome::Nothing,
            None => FormOutcome::DrawLater,
            Some(Err(_)) => FormOutcome::Refused,
            Some(Ok(_)) => FormOutcome::Draw,
        }
    }

    fn handle_form_event(&mut self, event: FormEvent) -> FormOutcome {
        match event {
            FormEvent::Changed | FormEvent::Typed => FormOutcome::Changed,
            FormEvent::Press => self.press(),
            FormEvent::Choose => {
                if let Some(values) = self.form.list_values(&self.draft) {
                    let list = Picker::from_list(values);
                    self.values = Some(Dialog::new_list(list, self.form.focus));
                }
                FormOutcome::Nothing
            }
            FormEvent::Stays | FormEvent::Write(_) => FormOutcome::Nothing,
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
        let [rows, below] = head_and_body(inner, self.form.height(&fields));
        let help = self.form.describe_field(Context::Form, &fields, context);
        let mut page = vec![help, Paragraph::gap()];
        match &self.forecast {
            None => page.push(Paragraph::new(Role::Muted, "counting what there is")),
            Some(Err(why)) => page.push(Paragraph::new(Role::Warning, why.to_string())),
            Some(Ok(forecast)) => page.extend(forecast.describe(self.draft.unit_noun())),
        }
        draw_text(buffer, below, context.look, &page);
        let cursor = self.form.draw(buffer, rows, context, LABELS, &fields);
        match &self.values {
            Some(values) => values.draw(area, buffer, context),
            None => cursor,
        }
    }
}
