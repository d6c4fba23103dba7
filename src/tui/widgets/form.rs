//! Form: fields with a name and a value each, one of which has the focus. One rule for the keys of every form:
//! letters type where text is, else they act; no letter goes to another field. Enter goes on to the next field, or
//! opens a list to choose from.

use super::cells::count_cells;
use super::frame::{draw_line, fill_area};
use super::layout::draw_label;
use super::line_input::{LineInput, Typed};
use super::list::{ListCursor, Moved, first_visible_row, mark_row};
use super::{DrawContext, Paragraph};
use crate::tui::keys::{Action, Context, key_for, typed_char};
use crate::tui::theme::{Look, Role};
use elenchus_text::{Content, FieldKind, FormField, FormValues, PickList};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// Cells before a field, for the cursor.
const MARGIN: u16 = 2;
/// Cells between a name and its value.
const GAP: u16 = 1;
/// Rows from which on one before the focus and one behind it are seen.
const MIN_PAGE: usize = 3;
/// Characters that stay commands on a text that is not being written.
const COMMANDS: [char; 2] = ['?', ':'];
/// Characters that a number may begin with.
const NUMBER: [char; 3] = ['.', '-', '$'];

/// What is left to the screen after a key; it is about the focused field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormEvent {
    Stays,
    /// What is typed is another text, or was given up: the value is as it was.
    Typed,
    /// A value was taken.
    Changed,
    /// The list of its values is to be shown.
    Choose,
    /// What the form sets out is to begin.
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
    Fault(Role, &'a str),
}

impl<F: Clone + PartialEq> Form<F> {
    pub fn with_focus(focus: F) -> Self {
        Self {
            focus,
            line: None,
            refusal: None,
        }
    }

    /// Leads the focus to the first field where its own is not there any more.
    pub fn keep_focus(&mut self, fields: &[FormField<F>]) {
        if self.focused_field(fields).is_none()
            && let Some(first) = fields.first()
        {
            *self = Self::with_focus(first.field.clone());
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
        if action == Action::Begin {
            return match self.take_typed_text(values) {
                true => FormEvent::Press,
                false => FormEvent::Stays,
            };
        }
        if self.move_focus(action, &fields) == Moved::Yes {
            return FormEvent::Stays;
        }
        let Some(field) = self.focused_field(&fields) else {
            return FormEvent::Stays;
        };
        let by = match (action, field.kind) {
            (Action::Left, _) => -1,
            (Action::Right, _) => 1,
            (Action::Open | Action::Edit, FieldKind::Choice | FieldKind::Listed) => {
                return FormEvent::Choose;
            }
            (Action::Open | Action::Edit, FieldKind::Button) => return FormEvent::Press,
            (Action::Open, _) => {
                self.move_focus(Action::FocusNext, &fields);
                return FormEvent::Stays;
            }
            (Action::Edit, FieldKind::Page) => return FormEvent::Write(None),
            (Action::Edit, _) => {
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
        let line = match typed_char(key) {
            Some(_) => self.open_to_type(field),
            // What is there is changed, also where a letter would write another.
            None => self.open_line(&field.text),
        };
        Some(match line.handle_key(key) {
            Typed::Changed => FormEvent::Typed,
            Typed::Moved | Typed::Ignored => FormEvent::Stays,
        })
    }

    /// Returns the text that is typed into the focused field and is not its value yet.
    pub fn typed_text(&self) -> Option<&str> {
        self.line.as_ref().map(|line| line.text().trim())
    }

    /// Takes what is typed as the value of its field; says whether nothing is left to be mended.
    fn take_typed_text(&mut self, values: &mut impl FormValues<Field = F>) -> bool {
        let Some(text) = self.typed_text().map(str::to_owned) else {
            return true;
        };
        if let Err(why) = values.set_value(&self.focus, &text) {
            self.open_line(&text);
            self.refusal = Some(why);
            return false;
        }
        (self.line, self.refusal) = (None, None);
        true
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
                return FormEvent::Typed;
            }
            KeyCode::Enter | KeyCode::Tab | KeyCode::Down => Action::FocusNext,
            KeyCode::BackTab | KeyCode::Up => Action::FocusPrevious,
            _ => {
                if line.handle_key(key) != Typed::Changed {
                    return FormEvent::Stays;
                }
                self.refusal = None;
                return FormEvent::Typed;
            }
        };
        if !self.take_typed_text(values) {
            return FormEvent::Stays;
        }
        self.move_focus(next_action, &values.list_fields());
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
            rows.extend(refusal.map(|why| FormRow::Fault(Role::Error, why)));
            let fault = field.fault.as_deref();
            rows.extend(fault.map(|why| FormRow::Fault(field.fault_role, why)));
        }
        rows
    }

    /// Returns the values of the focused field, to choose one from; `None` where its screen lists them.
    pub fn list_values(&self, values: &(impl FormValues<Field = F> + Clone)) -> Option<PickList> {
        let fields = values.list_fields();
        let field = self.focused_field(&fields)?;
        (field.kind == FieldKind::Choice).then(|| values.list_values(field))
    }

    /// Says, in a few words for the line at the bottom, what letters do in the focused field.
    pub fn describe_keys(&self, fields: &[FormField<F>]) -> &'static str {
        match self.focused_field(fields).map(|field| field.kind) {
            Some(FieldKind::Text | FieldKind::Name | FieldKind::Page) => "letters write",
            Some(FieldKind::Number | FieldKind::Count) => "digits write",
            Some(FieldKind::Choice | FieldKind::Listed | FieldKind::Button) | None => "letters act",
        }
    }

    /// Returns the actions worth a hint at the focused field.
    pub fn list_hints(&self, fields: &[FormField<F>]) -> Vec<Action> {
        let mut hints = vec![Action::Begin, Action::Open];
        let kind = self.focused_field(fields).map(|field| field.kind);
        if let Some(FieldKind::Choice | FieldKind::Listed | FieldKind::Count) = kind {
            hints.push(Action::Right);
        }
        hints.push(Action::Back);
        if !self.is_typing() {
            hints.push(Action::Help);
        }
        hints
    }

    /// Returns what an action is called in a hint of a form.
    pub fn hint_word(&self, action: Action, fields: &[FormField<F>]) -> Option<&'static str> {
        let kind = self.focused_field(fields).map(|field| field.kind);
        Some(match action {
            Action::Open => match kind {
                Some(FieldKind::Choice | FieldKind::Listed) => "choose",
                Some(FieldKind::Button) => "begin",
                _ => "next",
            },
            Action::Right => "other",
            Action::Back if self.is_typing() => "undo",
            Action::Back => "leave",
            _ => return None,
        })
    }

    /// Draws a button in a row of its own, which does not scroll with the form; `at` is its place among the fields.
    pub fn draw_button(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        context: DrawContext<'_>,
        button: &FormField<F>,
        at: usize,
        fields: &[FormField<F>],
    ) {
        let focus = fields.iter().position(|field| field.field == self.focus);
        context.rows.note_item(row, at, focus.unwrap_or(at));
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
        let top = first_row_of_page(focus_row, rows.len(), area.height);
        let mut cursor = None;
        let place_of = |sought: &F| fields.iter().position(|field| field.field == *sought);
        // Where the focus is on a button, that stands behind the fields.
        let focus = place_of(&self.focus).unwrap_or(fields.len());
        for (at, row) in area.rows().zip(rows.iter().skip(top)) {
            if let FormRow::Field(field) = row
                && let Some(place) = place_of(&field.field)
            {
                context.rows.note_item(at, place, focus);
            }
            let (role, text) = match row {
                FormRow::Heading(heading) => (Role::Muted, (*heading).to_owned()),
                FormRow::Fault(role, fault) => (*role, format!("    {fault}")),
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
        let above = top;
        let below = rows.len().saturating_sub(top + usize::from(area.height));
        let first = area.rows().next();
        let last = area.rows().next_back();
        for (count, row, mark) in [
            (above, first, look.glyphs().up),
            (below, last, look.glyphs().down),
        ] {
            if let Some(row) = row.filter(|_| count > 0) {
                draw_scroll_mark(buffer, row, look, &format!(" {mark} {count} more"));
            }
        }
        cursor
    }
}

/// Returns the first of `len` rows to draw in `height` lines so that the focus is among them, with a row before and
/// behind it. It moves by a page at a time: a field that is clicked stays where it is.
fn first_row_of_page(focus: usize, len: usize, lines: u16) -> usize {
    let height = usize::from(lines);
    if height < MIN_PAGE {
        return first_visible_row(focus, len, lines);
    }
    let page = height - 2;
    let top = focus.saturating_sub(1) / page * page;
    top.min(len.saturating_sub(height))
}

/// Says at the end of a row how many rows are out of sight behind it.
fn draw_scroll_mark(buffer: &mut Buffer, row: Rect, look: &Look, mark: &str) {
    let width = u16::try_from(count_cells(mark)).unwrap_or(u16::MAX);
    let [_, place] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(width)]).areas(row);
    fill_area(place, buffer, look);
    draw_label(buffer, place, look, Role::Muted, mark);
}

/// Says what a field means and how its kind is filled in, with marks for keys.
fn field_help(context: Context, kind: FieldKind, help: &str) -> String {
    let key = |action| key_for(context, action);
    let [open, left, right] = [Action::Open, Action::Left, Action::Right].map(key);
    let how = match kind {
        FieldKind::Text => {
            format!("Letters write here at once, the arrows go into the text; {open} goes on.")
        }
        FieldKind::Name => {
            format!("Letters write another, the arrows change what is there; {open} goes on.")
        }
        FieldKind::Page => format!(
            "Letters write here at once, the arrows go into the text; {open} goes on, Ctrl-J \
             breaks a line."
        ),
        FieldKind::Number => {
            format!("A digit writes another, the arrows change what is there; {open} goes on.")
        }
        FieldKind::Count => format!(
            "{left} and {right} count, a digit writes another, Backspace changes what is there."
        ),
        FieldKind::Choice | FieldKind::Listed => {
            format!("{open} lists the values, {left} and {right} go through them.")
        }
        FieldKind::Button => return format!("{open} {help}"),
    };
    format!("{help} {how}")
}

/// Says whether a key begins a text of a field. No text begins with a blank, which is a command as well.
fn begins_text<F>(field: &FormField<F>, key: KeyEvent) -> bool {
    let Some(c) = typed_char(key) else {
        return changes_text(field, key);
    };
    match field.kind {
        FieldKind::Choice | FieldKind::Listed | FieldKind::Button => false,
        FieldKind::Text | FieldKind::Name | FieldKind::Page if c == ' ' => !field.text.is_empty(),
        FieldKind::Text | FieldKind::Name | FieldKind::Page => !COMMANDS.contains(&c),
        FieldKind::Number | FieldKind::Count => c.is_ascii_digit() || NUMBER.contains(&c),
    }
}

/// Says whether a key changes the text that a field has, or goes into it.
fn changes_text<F>(field: &FormField<F>, key: KeyEvent) -> bool {
    let (is_text, is_counted) = match field.kind {
        FieldKind::Text | FieldKind::Name | FieldKind::Page | FieldKind::Number => (true, false),
        FieldKind::Count => (true, true),
        FieldKind::Choice | FieldKind::Listed | FieldKind::Button => (false, false),
    };
    let is_empty = field.text.is_empty();
    match key.code {
        KeyCode::Backspace | KeyCode::Delete => is_text && !is_empty,
        KeyCode::Char('u') if key.modifiers == KeyModifiers::CONTROL => is_text && !is_empty,
        KeyCode::Left | KeyCode::Right => is_text && !is_counted && !is_empty,
        _ => false,
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
