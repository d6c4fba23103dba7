//! Help popup: the keys of a context in force, grouped and searchable; Enter performs the row's
//! action.

use super::{InputKind, PopupResult};
use crate::tui::keys::{Action, Chord, Context, HelpGroup, KeyTable};
use crate::tui::theme::{Glyphs, Look, Role};
use crate::tui::widgets::{
    DrawContext, Focus, LineInput, ListCursor, Moved, StyledLine, center_rect, count_cells,
    draw_frame, draw_label, draw_line, fill_area, mark_row,
};
use elenchus_text::wrap_line;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Position, Rect};

const WIDTH: u16 = 78;
/// Width of the column of keys, at most; longer ones stand on a line of their own.
const KEYS_WIDTH: u16 = 13;
/// Columns before the keys, and between keys and text.
const MARGIN: u16 = 2;

/// Keys that are read where text is typed, which no key file changes.
const TYPING: [(&str, &str); 12] = [
    ("Ctrl-D", "Done: use the text of an editor."),
    (
        "Ctrl-E",
        "Go on in your own editor, from $VISUAL or $EDITOR.",
    ),
    (
        "Enter, Ctrl-J",
        "Begin a new line in an editor; Enter uses a single line.",
    ),
    (
        "PgUp, PgDn",
        "Read on in what a seat is shown, above a text that is written for it.",
    ),
    ("Ctrl-Left, -Right", "One word to the left or right."),
    ("Ctrl-Home, -End", "To the beginning or end of an editor."),
    ("Ctrl-U", "Empty the line before the cursor."),
    ("Ctrl-K", "Empty the line behind the cursor, in an editor."),
    (
        "Ctrl-_",
        "Undo in an editor, word by word; terminals send it for Ctrl-/ too.",
    ),
    ("Ctrl-R", "Redo in an editor."),
    ("Ctrl-O", "Back to the text that was opened or saved."),
    ("Esc", "Leave without using the text."),
];

/// The rows, what is searched, and the row under the cursor.
#[derive(Debug, Clone)]
pub struct Help {
    title: String,
    all: Vec<HelpRow>,
    /// Rows of `all` that are shown.
    visible_rows: Vec<usize>,
    rows: ListCursor,
    query: LineInput,
    searching: bool,
}

#[derive(Debug, Clone)]
enum HelpRow {
    Heading(String),
    Key {
        keys: String,
        what: String,
        action: Option<Action>,
    },
    /// A mark of the screen, as the terminal shows it.
    Mark {
        mark: fn(&Glyphs) -> &'static str,
        what: &'static str,
    },
}

impl Help {
    /// Lists the keys of a context: those of the screen and those that hold everywhere, in groups, each in
    /// the order of use.
    pub fn new(table: &KeyTable, context: Context) -> Self {
        let keys = list_keys(table, context);
        let mut all = Vec::new();
        for group in HelpGroup::ALL {
            let rows: Vec<HelpRow> = keys
                .iter()
                .filter(|(of, _)| *of == group)
                .map(|(_, row)| row.clone())
                .collect();
            if !rows.is_empty() {
                all.push(HelpRow::Heading(group.heading().to_owned()));
                all.extend(rows);
            }
        }
        let marks = list_marks(context);
        if !marks.is_empty() {
            all.push(HelpRow::Heading("Marks".to_owned()));
            all.extend(marks);
        }
        all.push(HelpRow::Heading("Where text is typed".to_owned()));
        all.extend(TYPING.map(|(keys, what)| HelpRow::Key {
            keys: keys.to_owned(),
            what: what.to_owned(),
            action: None,
        }));
        let mut help = Self {
            title: format!("Keys: {}", context.heading()),
            all,
            visible_rows: Vec::new(),
            rows: ListCursor::default(),
            query: LineInput::default(),
            searching: false,
        };
        help.filter_rows();
        help
    }

    /// Returns what the help wants to be given.
    pub fn input_kind(&self) -> InputKind {
        if self.searching {
            InputKind::Text
        } else {
            InputKind::Actions
        }
    }

    /// Takes an action: moves, searches, closes; Enter says the action under the cursor.
    pub fn handle_action(&mut self, action: Action) -> PopupResult<Action> {
        if self.rows.handle_action(action) == Moved::Yes {
            self.step_over_heading(action);
            return PopupResult::Stays;
        }
        match action {
            Action::Back | Action::Help | Action::Quit => PopupResult::Closes,
            Action::Search | Action::Filter => {
                self.searching = true;
                PopupResult::Stays
            }
            Action::Open => self
                .selected_action()
                .map_or(PopupResult::Stays, PopupResult::Says),
            _ => PopupResult::Stays,
        }
    }

    /// Takes a key of the search: Enter ends it, Esc empties it.
    pub fn handle_key(&mut self, key: KeyEvent) -> PopupResult<Action> {
        match key.code {
            KeyCode::Enter => self.searching = false,
            KeyCode::Esc => {
                self.searching = false;
                self.query.clear();
            }
            _ => _ = self.query.handle_key(key),
        }
        self.filter_rows();
        PopupResult::Stays
    }

    /// Types pasted text into the search.
    pub fn paste_text(&mut self, text: &str) {
        if self.searching {
            self.query.paste_text(text);
            self.filter_rows();
        }
    }

    /// Draws the help and returns where the terminal's cursor belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, context: DrawContext<'_>) -> Option<Position> {
        let look = context.look;
        let height = area.height.saturating_sub(2);
        let area = center_rect(area, WIDTH.min(area.width.saturating_sub(2)), height);
        fill_area(area, buf, look);
        let inner = draw_frame(area, buf, look, &self.title, Focus::Focused);
        if inner.height < 2 {
            return None;
        }
        let [list, foot] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(inner);
        let lines = self.lay_out_rows(list.width, look);
        let top = first_line(&lines, self.rows.selected_row(), list.height.into());
        for (place, (row, line)) in list.rows().zip(lines.into_iter().skip(top)) {
            line.draw(buf, place, look);
            if self.rows.selected_row() == Some(row) {
                mark_row(buf, place, look);
            }
            if self.is_key(row) {
                let cursor_row = self.rows.selected_row().unwrap_or(0);
                context
                    .rows
                    .note_item(place, self.keys_before(row), self.keys_before(cursor_row));
            }
        }
        self.draw_foot(foot, buf, look)
    }

    /// Lays all rows out, each line with the row that it belongs to. Nothing is cut: what is longer than
    /// its column goes on below.
    fn lay_out_rows(&self, width: u16, look: &Look) -> Vec<(usize, StyledLine)> {
        let column = self.keys_width(width);
        let indent = usize::from(MARGIN + column + MARGIN);
        let room = usize::from(width).saturating_sub(indent);
        let mut lines = Vec::new();
        for row in 0..self.visible_rows.len() {
            let columns = match self.row_at(row) {
                Some(HelpRow::Heading(text)) => {
                    lines.push((row, StyledLine::from_text(Role::Strong, text.clone())));
                    None
                }
                Some(HelpRow::Key { keys, what, .. }) => Some((keys.as_str(), what.as_str())),
                Some(HelpRow::Mark { mark, what }) => Some((mark(look.glyphs()), *what)),
                None => None,
            };
            if let Some((keys, what)) = columns {
                let mut texts = wrap_line(what, room, room).into_iter();
                let mut first = StyledLine::from_text(Role::Text, " ".repeat(MARGIN.into()));
                first.runs.push((Role::KeyHint, keys.to_owned()));
                let used = usize::from(MARGIN) + count_cells(keys);
                if count_cells(keys) <= usize::from(column) {
                    let text = texts.next().unwrap_or_default();
                    let blanks = " ".repeat(indent.saturating_sub(used));
                    first.runs.push((Role::Text, format!("{blanks}{text}")));
                }
                lines.push((row, first));
                lines.extend(texts.map(|text| {
                    let text = format!("{}{text}", " ".repeat(indent));
                    (row, StyledLine::from_text(Role::Text, text))
                }));
            }
        }
        lines
    }

    /// Returns the width of the column of keys.
    fn keys_width(&self, width: u16) -> u16 {
        let most = KEYS_WIDTH.min(width / 3);
        let widths = self.all.iter().filter_map(|row| match row {
            HelpRow::Heading(_) | HelpRow::Mark { .. } => None,
            HelpRow::Key { keys, .. } => u16::try_from(count_cells(keys)).ok(),
        });
        widths.filter(|keys| *keys <= most).max().unwrap_or(most)
    }

    fn draw_foot(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        let has_query = !self.query.text().is_empty();
        if !self.searching && !has_query {
            let hint = "/ searches   Enter does it   Esc closes";
            draw_label(buf, area, look, Role::Muted, hint);
            return None;
        }
        let line = draw_label(buf, area, look, Role::KeyHint, "/");
        let cursor = self.query.draw(line, buf, look, Role::Text);
        if self.visible_rows.is_empty() {
            let text = "no match";
            let start = area.right().saturating_sub(count_cells(text) as u16);
            let at = Position::new(start, area.y);
            draw_line(buf, at, area.width, text, look.style(Role::Muted), look);
        }
        self.searching.then_some(cursor)
    }

    fn is_key(&self, row: usize) -> bool {
        matches!(
            self.row_at(row),
            Some(HelpRow::Key { .. } | HelpRow::Mark { .. })
        )
    }

    /// Returns how many keys are above a row: moving passes over headings.
    fn keys_before(&self, row: usize) -> usize {
        (0..row).filter(|row| self.is_key(*row)).count()
    }

    fn selected_action(&self) -> Option<Action> {
        match self.row_at(self.rows.selected_row()?)? {
            HelpRow::Key { action, .. } => *action,
            HelpRow::Heading(_) | HelpRow::Mark { .. } => None,
        }
    }

    /// The cursor skips headings.
    fn step_over_heading(&mut self, action: Action) {
        let on_heading = |help: &Self| {
            let row = help.rows.selected_row().and_then(|row| help.row_at(row));
            matches!(row, Some(HelpRow::Heading(_)))
        };
        if on_heading(self) && matches!(action, Action::Up | Action::PageUp) {
            self.rows.handle_action(Action::Up);
        }
        if on_heading(self) {
            self.rows.handle_action(Action::Down);
        }
    }

    fn row_at(&self, row: usize) -> Option<&HelpRow> {
        self.all.get(*self.visible_rows.get(row)?)
    }

    /// Shows the rows that match, in their order, under their headings.
    fn filter_rows(&mut self) {
        let query = self.query.text().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let hit = |row: &HelpRow| {
            let text = searchable_text(row).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let mut visible_rows = Vec::new();
        let mut heading = None;
        for (index, row) in self.all.iter().enumerate() {
            match row {
                HelpRow::Heading(_) => heading = Some(index),
                HelpRow::Key { .. } | HelpRow::Mark { .. } if hit(row) => {
                    visible_rows.extend(heading.take());
                    visible_rows.push(index);
                }
                HelpRow::Key { .. } | HelpRow::Mark { .. } => {}
            }
        }
        if visible_rows != self.visible_rows {
            self.rows = ListCursor::new(visible_rows.len());
            self.visible_rows = visible_rows;
            self.step_over_heading(Action::Top);
        }
    }
}

/// Returns the first line that is shown: the cursor's row stands in the middle, where there is more than
/// fits.
fn first_line(lines: &[(usize, StyledLine)], cursor: Option<usize>, height: usize) -> usize {
    let cursor = cursor.unwrap_or(0);
    let at = lines
        .iter()
        .position(|(row, _)| *row == cursor)
        .unwrap_or(0);
    let last = lines.len().saturating_sub(height);
    at.saturating_sub(height / 2).min(last)
}

/// Returns a row for each action that has a meaning in a context, with its group, in the order of the
/// table of keys; actions that only the palette knows come last.
fn list_keys(table: &KeyTable, context: Context) -> Vec<(HelpGroup, HelpRow)> {
    let bindings = table.list_bindings(context);
    let mut actions: Vec<Action> = Vec::new();
    let of_table = table.list_default_order(context).into_iter();
    for action in of_table.chain(bindings.iter().map(|binding| binding.action)) {
        if !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions.retain(|action| !matches!(action, Action::Undo | Action::Redo) || context.has_undo());
    // What is used most.
    if let Some(at) = actions.iter().position(|action| *action == Action::Open) {
        let open = actions.remove(at);
        actions.insert(0, open);
    }
    let mut rows = Vec::new();
    for action in actions {
        let chords: Vec<String> = bindings
            .iter()
            .filter(|binding| binding.action == action)
            .map(|binding| Chord::to_string(&binding.chord))
            .collect();
        let keys = match chords.is_empty() {
            true => format!(": {}", action.name()),
            false => chords.join(", "),
        };
        rows.push((
            action.help_group(),
            HelpRow::Key {
                keys,
                what: action.help_in(context).to_owned(),
                action: Some(action),
            },
        ));
    }
    rows.push((
        HelpGroup::Program,
        HelpRow::Key {
            keys: "Space".to_owned(),
            what: "Show which keys may follow.".to_owned(),
            action: None,
        },
    ));
    rows
}

/// A mark as it is drawn, and what it means.
type MarkMeaning = (fn(&Glyphs) -> &'static str, &'static str);

/// The marks of a screen, with what they mean.
fn list_marks(context: Context) -> Vec<HelpRow> {
    let marks: &[MarkMeaning] = match context {
        Context::Debate | Context::Searching => &[
            (|glyphs| glyphs.safe, "Found safe, right or good."),
            (|glyphs| glyphs.unsafe_found, "Found unsafe, wrong or bad."),
            (|glyphs| glyphs.middle, "Found in the middle."),
            (|glyphs| glyphs.unparsed, "The verdict could not be read."),
            (|glyphs| glyphs.turn, "A turn that was not judged."),
            (
                |glyphs| glyphs.refused,
                "Refused by a guardrail or a provider's filter.",
            ),
            (|glyphs| glyphs.empty, "Nothing visible was said."),
            (|glyphs| glyphs.failed, "The call failed."),
            (|glyphs| glyphs.open, "A turn that comes next."),
            (|glyphs| glyphs.playing, "A turn that is being spoken."),
            (|glyphs| glyphs.human, "Said or found by a person."),
        ],
        Context::Sessions => &[
            (|_| "S", "A verdict: safe, right or good."),
            (|_| "M", "In the middle."),
            (|_| "U", "Unsafe, wrong or bad."),
            (|_| "?", "The verdict could not be read."),
            (|_| "E", "An empty reply."),
            (|_| "F", "Refused by the provider's filter."),
        ],
        _ => &[],
    };
    let rows = marks.iter();
    rows.map(|(mark, what)| HelpRow::Mark { mark: *mark, what })
        .collect()
}

fn searchable_text(row: &HelpRow) -> String {
    match row {
        HelpRow::Heading(_) => String::new(),
        HelpRow::Mark { what, .. } => (*what).to_owned(),
        HelpRow::Key { keys, what, action } => {
            let name = action.map(Action::name).unwrap_or_default();
            format!("{keys} {what} {name}")
        }
    }
}
