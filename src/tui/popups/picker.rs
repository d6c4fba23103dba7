//! Picker: chooses one item of a list by fuzzy search, or by words.

use super::palette::WordRanking;
use super::{InputKind, PopupResult};
use crate::tui::keys::Action;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    ClickRows, DrawContext, Focus, LineInput, ListCursor, Moved, Ranked, Split, StyledLine, Typed,
    center_rect, count_cells, draw_frame, draw_label, draw_line, draw_lines, draw_text, fill_area,
    graphemes, head_and_body, lay_out, mark_row, moving_action, prose_paragraphs, rank_texts,
};
pub use elenchus_text::PickItem;
use elenchus_text::{Paragraph, PickList};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Margin, Position, Rect};

/// Width and height of a picker, at most.
const WIDTH: u16 = 76;
const HEIGHT: u16 = 22;
/// Percent of the height that the list takes at most above what is said of an item.
const LIST_PERCENT: u16 = 60;
/// Rows that are not the list's: the border, what is typed, how many there are.
const AROUND: u16 = 4;
/// Rows of the border.
const FRAME: u16 = 2;

/// Lines below the list where a row is cut: a blank one, and the whole of the one under the cursor.
const LINES_BELOW: usize = 4;

/// The list, what is typed, and what matches it.
#[derive(Debug, Clone)]
pub struct Picker {
    title: String,
    items: Vec<PickItem>,
    /// Searched texts, one for each item.
    haystacks: Vec<String>,
    query: LineInput,
    ranked: Vec<Ranked>,
    rows: ListCursor,
    label_width: usize,
    /// What taking the typed text means, where it can be taken.
    typed: Option<String>,
    /// So few items that nothing is searched for: it reads actions.
    is_short: bool,
    /// Finds by words in place of letters.
    words: Option<WordRanking>,
}

impl Picker {
    /// Returns a picker that shows all items in their order until something is typed.
    pub fn new(title: &str, items: Vec<PickItem>) -> Self {
        let haystacks = items
            .iter()
            .map(|item| format!("{} {}", item.label, item.detail))
            .collect();
        let label_width = items.iter().map(|item| count_cells(&item.label)).max();
        let mut pick = Self {
            title: title.to_owned(),
            items,
            haystacks,
            query: LineInput::default(),
            ranked: Vec::new(),
            rows: ListCursor::default(),
            label_width: label_width.unwrap_or_default(),
            typed: None,
            is_short: false,
            words: None,
        };
        pick.rank_items();
        pick
    }

    /// Returns a picker of a described list.
    pub(crate) fn from_list(list: PickList) -> Self {
        let mut pick = Self::new(&list.title, list.items);
        if let Some(meaning) = list.typed {
            pick = pick.with_typed_row(meaning);
        }
        pick.select_item(list.chosen);
        pick
    }

    /// Returns a picker of a few items, which is moved in as in any list.
    pub(crate) fn new_short(title: &str, items: Vec<String>) -> Self {
        let items = items.into_iter().map(|label| PickItem {
            label,
            ..PickItem::default()
        });
        Self {
            is_short: true,
            ..Self::new(title, items.collect())
        }
    }

    /// Returns what it reads.
    pub(crate) fn input_kind(&self) -> InputKind {
        match self.is_short {
            true => InputKind::Actions,
            false => InputKind::Text,
        }
    }

    /// Answers an action.
    pub(crate) fn handle_action(&mut self, action: Action) -> PopupResult<usize> {
        match action {
            Action::Back => PopupResult::Closes,
            Action::Open => self
                .selected_item()
                .map_or(PopupResult::Stays, PopupResult::Says),
            other => {
                self.rows.handle_action(other);
                PopupResult::Stays
            }
        }
    }

    /// Returns the picker with a row for what is typed, said to be the item after the last; it is the
    /// first row where no item holds the text. `detail` says what taking it means.
    #[must_use]
    pub fn with_typed_row(self, detail: String) -> Self {
        Self {
            typed: Some(detail),
            ..self
        }
    }

    /// Returns the picker with another way to find its items: by words in place of letters.
    #[must_use]
    pub(super) fn with_word_ranking(self, words: WordRanking) -> Self {
        let mut pick = Self {
            words: Some(words),
            ..self
        };
        pick.rank_items();
        pick
    }

    /// Returns how many rows it takes, with its frame.
    pub fn height(&self) -> u16 {
        let rows = u16::try_from(self.items.len()).unwrap_or(u16::MAX);
        let around = if self.is_short { FRAME } else { AROUND };
        rows.saturating_add(around).clamp(around + 1, HEIGHT)
    }

    /// Says whether there is nothing to choose, whatever is typed.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns what is typed.
    pub fn typed_text(&self) -> &str {
        self.query.text()
    }

    /// Puts the cursor on an item.
    pub fn select_item(&mut self, index: usize) {
        if let Some(row) = self.ranked.iter().position(|ranked| ranked.index == index) {
            self.rows.select_row(row);
        }
    }

    /// Returns the item under the cursor; what is typed is the one after the last.
    pub fn selected_item(&self) -> Option<usize> {
        let entry = self.ranked.get(self.rows.selected_row()?)?;
        Some(entry.index)
    }

    /// Takes a key: arrows and pages move, Enter picks, Esc closes, anything else is typed.
    pub fn handle_key(&mut self, key: KeyEvent) -> PopupResult<usize> {
        match key.code {
            KeyCode::Esc => return PopupResult::Closes,
            KeyCode::Enter => {
                return self
                    .selected_item()
                    .map_or(PopupResult::Stays, PopupResult::Says);
            }
            _ => {}
        }
        if moving_action(key).is_some_and(|action| self.rows.handle_action(action) == Moved::Yes) {
            return PopupResult::Stays;
        }
        if self.query.handle_key(key) == Typed::Changed {
            self.rank_items();
        }
        PopupResult::Stays
    }

    /// Types pasted text; it never picks.
    pub fn paste_text(&mut self, text: &str) {
        if self.query.paste_text(text) == Typed::Changed {
            self.rank_items();
        }
    }

    /// Draws the picker and returns where the terminal's cursor belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        let (outside, whole) = self.compute_window(area);
        fill_area(outside, buf, look);
        let inner = draw_frame(outside, buf, look, &self.title, Focus::Focused);
        let [typed, list, said, foot] = self.split_window(inner, whole.len())?;
        for (place, row) in list
            .rows()
            .zip(self.rows.top_row(list.height)..self.ranked.len())
        {
            self.draw_row(place, buf, look, row);
        }
        draw_lines(buf, said, look, &whole);
        if self.is_short {
            return None;
        }
        let [mark, typed] =
            Layout::horizontal([Constraint::Length(2), Constraint::Fill(1)]).areas(typed);
        draw_label(buf, mark, look, Role::Accent, look.glyphs().right);
        let cursor = self.query.draw(typed, buf, look, Role::Text);
        let items = self.ranked.iter();
        let items = items.filter(|ranked| ranked.index < self.items.len());
        let count = match items.count() {
            0 if self.words.is_some() => {
                "nothing is called so, here or on the command line   Esc closes".to_owned()
            }
            0 if self.ranked.is_empty() => "no match".to_owned(),
            0 => "no match; Enter takes what is typed   Esc closes".to_owned(),
            some if self.words.is_some() => format!("{some} found   Enter picks   Esc closes"),
            some => format!("{some} of {}   Enter picks   Esc closes", self.items.len()),
        };
        draw_label(buf, foot, look, Role::Muted, &count);
        Some(cursor)
    }

    /// Draws it over a whole area, with what is said of the item under its cursor: beside it from a width on, else
    /// below it.
    pub(crate) fn draw_with_page(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
        wide: u16,
        page: &[Paragraph],
    ) -> Option<Position> {
        let look = context.look;
        fill_area(area, buffer, look);
        let [list, beside] = match page {
            [] => head_and_body(area, area.height),
            // The list scrolls: what is said of an item is read where it is chosen.
            _ => {
                let list = self.height().min(area.height * LIST_PERCENT / 100);
                Split::with_share(wide, 60, list).split_area(area)
            }
        };
        draw_text(buffer, beside, look, page);
        context.rows.begin_popup();
        self.note_rows(list, context.rows);
        self.draw(list, buffer, look)
    }

    /// Notes where a click reaches its rows, as it is drawn into an area.
    pub(crate) fn note_rows(&self, area: Rect, rows: &ClickRows) {
        let (outside, whole) = self.compute_window(area);
        let inner = outside.inner(Margin::new(1, 1));
        if let Some([_, list, ..]) = self.split_window(inner, whole.len()) {
            rows.note_rows(self.rows, list);
        }
    }

    /// Returns where it is drawn in an area, and the whole of a row that is cut.
    fn compute_window(&self, area: Rect) -> (Rect, Vec<StyledLine>) {
        let width = WIDTH.min(area.width.saturating_sub(2));
        let whole = self.lay_out_cut_row(width.saturating_sub(2));
        let below = u16::try_from(whole.len()).unwrap_or(0);
        (center_rect(area, width, self.height() + below), whole)
    }

    /// Returns the rows for what is typed, the list, the whole of a row, and how many there are; nothing
    /// where there is no room.
    fn split_window(&self, inner: Rect, whole: usize) -> Option<[Rect; 4]> {
        let least = if self.is_short { 1 } else { AROUND - FRAME + 1 };
        if inner.height < least || inner.width < 8 {
            return None;
        }
        let below = u16::try_from(whole).unwrap_or(0);
        let rows = [
            Constraint::Length(u16::from(!self.is_short)),
            Constraint::Fill(1),
            Constraint::Length(below.min(inner.height - least)),
            Constraint::Length(u16::from(!self.is_short)),
        ];
        Some(Layout::vertical(rows).areas(inner))
    }

    /// Returns the whole of what the row under the cursor cuts off, in as many lines whatever row that is;
    /// nothing where no row of one text is cut.
    fn lay_out_cut_row(&self, width: u16) -> Vec<StyledLine> {
        let width = usize::from(width);
        let is_cut =
            |item: &PickItem| item.detail.is_empty() && count_cells(&item.label) + 3 > width;
        if !self.items.iter().any(is_cut) {
            return Vec::new();
        }
        let item = self.selected_item().and_then(|at| self.items.get(at));
        let text = item.filter(|item| is_cut(item));
        let text = prose_paragraphs(Role::Muted, 2, text.map_or("", |item| &item.label));
        let mut lines = lay_out(&text, width);
        lines.insert(0, StyledLine::default());
        lines.resize(LINES_BELOW, StyledLine::default());
        lines
    }

    fn draw_row(&self, area: Rect, buf: &mut Buffer, look: &Look, row: usize) {
        let Some(entry) = self.ranked.get(row) else {
            return;
        };
        let typed_item = PickItem {
            label: self.query.text().trim().to_owned(),
            detail: self.typed.clone().unwrap_or_default(),
            aside: String::new(),
        };
        let item = self.items.get(entry.index).unwrap_or(&typed_item);
        let aside = count_cells(&item.aside).min(usize::from(area.width / 3)) as u16;
        let text = area.width.saturating_sub(2 + aside + 1);
        let labels = (self.label_width as u16).min(text / 2).max(text.min(12));
        let label = Rect::new(area.x + 2, area.y, labels, 1);
        let detail = Rect::new(
            label.right() + 2,
            area.y,
            text.saturating_sub(labels + 2),
            1,
        );
        let full = if item.detail.is_empty() {
            Rect::new(label.x, label.y, text, 1)
        } else {
            label
        };
        draw_match(full, buf, look, &item.label, Role::Text, entry, 0);
        let before = item.label.chars().count() + 1;
        draw_match(detail, buf, look, &item.detail, Role::Muted, entry, before);
        let at = Position::new(area.right() - aside, area.y);
        draw_line(buf, at, aside, &item.aside, look.style(Role::KeyHint), look);
        if self.rows.selected_row() == Some(row) {
            mark_row(buf, area, look);
        }
    }

    fn rank_items(&mut self) {
        self.ranked = match &self.words {
            Some(words) => words.rank_rows(self.query.text(), &self.haystacks),
            None => {
                let texts = self.haystacks.iter().map(String::as_str);
                rank_texts(self.query.text(), texts)
            }
        };
        let text = self.query.text().trim();
        let is_item = text.is_empty() || self.items.iter().any(|item| item.label == text);
        if self.typed.is_some() && !is_item {
            let text = text.to_lowercase();
            let mut items = self.haystacks.iter();
            let is_found = items.any(|item| item.to_lowercase().contains(&text));
            let typed_row = Ranked {
                index: self.items.len(),
                letters: Vec::new(),
            };
            let at = if is_found { self.ranked.len() } else { 0 };
            self.ranked.insert(at, typed_row);
        }
        self.rows = ListCursor::new(self.ranked.len());
    }
}

/// Draws a text with the letters that match; `before` characters of what was searched precede it.
fn draw_match(
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
    text: &str,
    role: Role,
    ranked: &Ranked,
    before: usize,
) {
    let at = Position::new(area.x, area.y);
    draw_line(buf, at, area.width, text, look.style(role), look);
    let (mut letter, mut x) = (before, area.x);
    for grapheme in graphemes(text) {
        let next = letter + grapheme.chars().count();
        let width = count_cells(grapheme) as u16;
        if x + width > area.right() {
            break;
        }
        let hit = |letter: usize| {
            u32::try_from(letter).is_ok_and(|at| ranked.letters.binary_search(&at).is_ok())
        };
        if (letter..next).any(hit) {
            buf.set_style(Rect::new(x, area.y, width, 1), look.style(Role::Accent));
        }
        letter = next;
        x += width;
    }
}
