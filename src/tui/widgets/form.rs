//! Form: fields with a name and a value each, one of which has the focus. Each kind of field is filled in alike
//! in every form, and said to be: a text is typed in the row of its field.

use super::frame::draw_line;
use super::layout::draw_label;
use super::line_input::{LineInput, Typed};
use super::list::{ListCursor, Moved, first_visible_row, mark_row};
use super::{DrawContext, Paragraph};
use crate::tui::keys::{Action, Context, key_for, typed_char};
use crate::tui::theme::Role;
use elenchus_text::{Content, FieldKind, FormField, FormValues};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// Cells before a field, for the cursor.
const MARGIN: u16 = 2;
/// Cells between a name and its value.
const GAP: u16 = 1;
/// Characters that stay commands on a text that is not being written.
const COMMANDS: [char; 2] = ['?', ':'];
/// Characters that a number may begin with.
const NUMBER: [char; 3] = ['.', '-', '$'];

/// What is left to the screen after a key; it is about the focused field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormEvent {
    Stays,
    /// A value was taken.
    Changed,
    /// The list of its values is to be shown.
    Choose,
    /// The button was pressed.
    Press,
    /// The editor of its text is to be opened, with a key that begins the text.
    Write(Option<KeyEvent>),
}

/// The field with the focus, and what is typed into it.
#[derive(Debug, Clone, Default)]
pub struct Form<F> {
    pub focus: F,
    line: Option<LineInput>,
    /// Why the line was refused; gone when it changes.
    refusal: Option<String>,
}

/// A row of a form.
enum FormRow<'a, F> {
    Heading(&'a str),
    Field(&'a FormField<F>),
    /// What is wrong with the field before it.
    Fault(&'a str),
}

impl<F: Clone + PartialEq> Form<F> {
    pub fn with_focus(focus: F) -> Self {
        Self {
            focus,
            line: None,
            refusal: None,
        }
    }

    /// Says whether keys are text of a field.
    pub fn is_typing(&self) -> bool {
        self.line.is_some()
    }

    /// Says whether something is typed that is not the field's value yet.
    pub fn has_open_text(&self, fields: &[FormField<F>]) -> bool {
        let typed = self.line.as_ref().zip(self.focused_field(fields));
        typed.is_some_and(|(line, field)| line.text().trim() != field.text)
    }

    /// Returns the focused field, where it is one of these.
    pub fn focused_field<'a>(&self, fields: &'a [FormField<F>]) -> Option<&'a FormField<F>> {
        fields.iter().find(|field| field.field == self.focus)
    }

    /// Says what the focused field means and how it is filled in, by the keys of a context.
    pub fn describe_field(
        &self,
        context: Context,
        fields: &[FormField<F>],
        draw_context: DrawContext<'_>,
    ) -> Paragraph {
        let field = self.focused_field(fields);
        let help = field.map(|field| field_help(context, field.kind, &field.help));
        Paragraph::new(
            Role::Muted,
            draw_context.spell_keys(&help.unwrap_or_default()),
        )
    }

    /// Answers an action: moves the focus, or does in the focused field what its kind does.
    pub fn handle_action(
        &mut self,
        action: Action,
        values: &mut impl FormValues<Field = F>,
    ) -> FormEvent {
        let fields = values.list_fields();
        if self.move_focus(action, &fields) == Moved::Yes {
            return FormEvent::Stays;
        }
        let Some(field) = self.focused_field(&fields) else {
            return FormEvent::Stays;
        };
        let by = match (action, field.kind) {
            (Action::Left, _) => -1,
            (Action::Right, _) | (Action::Open, FieldKind::Choice) => 1,
            (Action::Open, FieldKind::Listed) => return FormEvent::Choose,
            (Action::Open, FieldKind::Button) => return FormEvent::Press,
            (Action::Open, FieldKind::Page) => return FormEvent::Write(None),
            (Action::Open, _) => {
                self.open_line(&field.text);
                return FormEvent::Stays;
            }
            _ => return FormEvent::Stays,
        };
        match values.step_value(&self.focus, by) {
            true => FormEvent::Changed,
            false => FormEvent::Stays,
        }
    }

    /// Takes a key that begins a text of the focused field; `None` leaves it to the table of keys.
    pub fn start_typing(&mut self, key: KeyEvent, fields: &[FormField<F>]) -> Option<FormEvent> {
        let field = self.focused_field(fields)?;
        if !begins_text(field, key) {
            return None;
        }
        if field.kind == FieldKind::Page {
            return Some(FormEvent::Write(Some(key)));
        }
        self.open_to_type(field).handle_key(key);
        Some(FormEvent::Stays)
    }

    /// Takes a key while a text is typed. A text that is refused stays to be mended.
    pub fn handle_typed_key(
        &mut self,
        key: KeyEvent,
        values: &mut impl FormValues<Field = F>,
    ) -> FormEvent {
        let Some(line) = &mut self.line else {
            return FormEvent::Stays;
        };
        let next_action = match key.code {
            KeyCode::Esc => {
                (self.line, self.refusal) = (None, None);
                return FormEvent::Stays;
            }
            KeyCode::Enter => None,
            KeyCode::Tab | KeyCode::Down => Some(Action::FocusNext),
            KeyCode::BackTab | KeyCode::Up => Some(Action::FocusPrevious),
            _ => {
                if line.handle_key(key) == Typed::Changed {
                    self.refusal = None;
                }
                return FormEvent::Stays;
            }
        };
        let text = line.text().trim().to_owned();
        if let Err(why) = values.set_value(&self.focus, &text) {
            self.open_line(&text);
            self.refusal = Some(why);
            return FormEvent::Stays;
        }
        (self.line, self.refusal) = (None, None);
        if let Some(action) = next_action {
            self.move_focus(action, &values.list_fields());
        }
        FormEvent::Changed
    }

    /// Types pasted text into the line, else into the focused text; says whether there is one.
    pub fn paste_text(&mut self, text: &str, fields: &[FormField<F>]) -> bool {
        if let Some(line) = &mut self.line {
            line.paste_text(text);
            self.refusal = None;
            return true;
        }
        let field = self.focused_field(fields);
        let field = field.filter(|field| match field.kind {
            FieldKind::Text | FieldKind::Name | FieldKind::Number | FieldKind::Count => true,
            FieldKind::Page | FieldKind::Choice | FieldKind::Listed | FieldKind::Button => false,
        });
        if let Some(field) = field {
            self.open_to_type(field).paste_text(text);
        }
        field.is_some()
    }

    /// Lets the text of the focused field be changed.
    fn open_line(&mut self, text: &str) -> &mut LineInput {
        self.line.insert(LineInput::new(text))
    }

    /// Lets the focused text be continued; a number and a name are replaced.
    fn open_to_type(&mut self, field: &FormField<F>) -> &mut LineInput {
        self.open_line(match field.kind {
            FieldKind::Text => &field.text,
            _ => "",
        })
    }

    fn move_focus(&mut self, action: Action, fields: &[FormField<F>]) -> Moved {
        let mut rows = ListCursor::new(fields.len());
        let at = fields.iter().position(|field| field.field == self.focus);
        rows.select_row(at.unwrap_or(0));
        let outcome = rows.handle_action(match action {
            Action::FocusPrevious => Action::Up,
            Action::FocusNext => Action::Down,
            other => other,
        });
        let field = rows.selected_row().and_then(|row| fields.get(row));
        if let (Moved::Yes, Some(field)) = (outcome, field) {
            self.focus = field.field.clone();
        }
        outcome
    }

    /// Returns how many rows the form takes.
    pub fn height(&self, fields: &[FormField<F>]) -> u16 {
        u16::try_from(self.build_rows(fields).len()).unwrap_or(u16::MAX)
    }

    fn build_rows<'a>(&'a self, fields: &'a [FormField<F>]) -> Vec<FormRow<'a, F>> {
        let mut rows = Vec::new();
        for field in fields {
            let refusal = self.refusal.as_deref();
            let refusal = refusal.filter(|_| field.field == self.focus);
            rows.extend(field.heading.as_deref().map(FormRow::Heading));
            rows.push(FormRow::Field(field));
            rows.extend(refusal.map(FormRow::Fault));
            rows.extend(field.fault.as_deref().map(FormRow::Fault));
        }
        rows
    }

    /// Draws a button in a row of its own, which does not scroll with the form.
    pub fn draw_button(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        context: DrawContext<'_>,
        button: &FormField<F>,
    ) {
        let text = format!("  {} {}", button.name, button.value);
        draw_label(buffer, row, context.look, button.role, text.trim_end());
        if button.field == self.focus {
            mark_row(buffer, row, context.look);
        }
    }

    /// Draws the rows in sight, names in a column of so many cells; returns the cursor while a text is typed.
    pub fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        names: u16,
        fields: &[FormField<F>],
    ) -> Option<Position> {
        let look = context.look;
        let rows = self.build_rows(fields);
        let is_focus =
            |row: &FormRow<F>| matches!(row, FormRow::Field(field) if field.field == self.focus);
        let last = rows.len().saturating_sub(1);
        let focus_row = rows.iter().position(is_focus).unwrap_or(last);
        let top = first_visible_row(focus_row, rows.len(), area.height);
        let mut cursor = None;
        for (at, row) in area.rows().zip(rows.iter().skip(top)) {
            let (role, text) = match row {
                FormRow::Heading(heading) => (Role::Muted, (*heading).to_owned()),
                FormRow::Fault(fault) => (Role::Error, format!("    {fault}")),
                FormRow::Field(field) => {
                    let input = self.line.as_ref().filter(|_| is_focus(row));
                    cursor = cursor.or(draw_field(buffer, at, context, names, field, input));
                    if is_focus(row) && input.is_none() {
                        mark_row(buffer, at, look);
                    }
                    continue;
                }
            };
            draw_line(
                buffer,
                at.as_position(),
                at.width,
                &text,
                look.style(role),
                look,
            );
        }
        cursor
    }
}

/// Says what a field means and how its kind is filled in, with marks for keys.
fn field_help(context: Context, kind: FieldKind, help: &str) -> String {
    let key = |action| key_for(context, action);
    let [open, left, right] = [Action::Open, Action::Left, Action::Right].map(key);
    let how = match kind {
        FieldKind::Text => format!("Letters write here at once, {open} opens the line."),
        FieldKind::Name => format!("Letters write another, {open} changes what is there."),
        FieldKind::Page => {
            format!("Letters write here at once, {open} opens the text; Esc or Tab leaves it.")
        }
        FieldKind::Number => format!("A digit writes another, {open} changes what is there."),
        FieldKind::Count => format!(
            "{left} and {right} count, a digit writes another, {open} changes what is there."
        ),
        FieldKind::Choice => format!("{left} and {right}, or {open}, go through the values."),
        FieldKind::Listed => {
            format!("{open} lists the values, {left} and {right} go through them.")
        }
        FieldKind::Button => return format!("{open} {help}"),
    };
    format!("{help} {how}")
}

/// Says whether a key begins a text of a field. No text begins with a blank, which is a command as well.
fn begins_text<F>(field: &FormField<F>, key: KeyEvent) -> bool {
    let Some(c) = typed_char(key) else {
        return false;
    };
    match field.kind {
        FieldKind::Choice | FieldKind::Listed | FieldKind::Button => false,
        FieldKind::Text | FieldKind::Name | FieldKind::Page if c == ' ' => !field.text.is_empty(),
        FieldKind::Text | FieldKind::Name | FieldKind::Page => !COMMANDS.contains(&c),
        FieldKind::Number | FieldKind::Count => c.is_ascii_digit() || NUMBER.contains(&c),
    }
}

fn draw_field<F>(
    buffer: &mut Buffer,
    row: Rect,
    context: DrawContext<'_>,
    names: u16,
    field: &FormField<F>,
    input: Option<&LineInput>,
) -> Option<Position> {
    let look = context.look;
    let [_, label, _, place] = Layout::horizontal([
        Constraint::Length(MARGIN),
        Constraint::Length(names.min(row.width / 2)),
        Constraint::Length(GAP),
        Constraint::Fill(1),
    ])
    .areas(row);
    // A button has no value, and the whole row for its name.
    let room = if field.value.is_empty() && input.is_none() {
        row.width.saturating_sub(MARGIN)
    } else {
        label.width
    };
    let mut write = |place: Rect, width: u16, role: Role, text: &str| {
        let style = look.style(role);
        draw_line(buffer, place.as_position(), width, text, style, look);
    };
    write(label, room, Role::Strong, &field.name);
    if let Some(line) = input {
        return Some(line.draw(place, buffer, look, Role::Text));
    }
    match context.content {
        Content::Masked if field.is_secret && !field.text.is_empty() => {
            let masked_text = context.content.show_or_mask(&field.text);
            write(place, place.width, Role::Masked, &masked_text);
        }
        Content::Masked | Content::Shown => write(place, place.width, field.role, &field.value),
    }
    None
}
