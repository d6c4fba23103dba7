//! Theme picker: moving the cursor previews a theme on the whole screen.

use super::PopupResult;
use crate::tui::keys::Action;
use crate::tui::theme::{Look, Role, ThemeListing, Themes};
use crate::tui::widgets::{
    DrawContext, Focus, ListCursor, Moved, StyledLine, center_rect, count_cells, draw_frame,
    draw_label, draw_line, draw_text, fill_area, prose_paragraphs,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

const WIDTH: u16 = 64;
/// Rows under the list: samples, and what the theme says of itself.
const BELOW: u16 = 5;
/// Roles that are shown as samples, line by line.
const SAMPLES: [&[Role]; 2] = [
    &[
        Role::Safe,
        Role::Unsafe,
        Role::Middle,
        Role::Unparsed,
        Role::Added,
        Role::Removed,
    ],
    &[
        Role::Match,
        Role::Private,
        Role::Thinking,
        Role::Warning,
        Role::Error,
    ],
];

/// Decision of the person; only [`ThemeWish::Preview`] leaves the picker open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThemeWish {
    /// Show everything in this theme, for now.
    Preview(String),
    /// Keep this theme.
    Keep(String),
    /// Go back to the theme of before.
    Restore(String),
}

/// The list and the theme of before.
#[derive(Debug, Clone)]
pub struct ThemePicker {
    listings: Vec<ThemeListing>,
    rows: ListCursor,
    before: String,
}

impl ThemePicker {
    /// Lists the themes with the cursor on the one in use.
    pub fn new(themes: &Themes, in_use: &str) -> Self {
        let listings = themes.list_themes();
        let mut rows = ListCursor::new(listings.len());
        rows.select_row(
            listings
                .iter()
                .position(|one| one.name == in_use)
                .unwrap_or(0),
        );
        Self {
            listings,
            rows,
            before: in_use.to_owned(),
        }
    }

    /// Lists the themes again, after files were saved.
    pub fn refresh_list(&mut self, themes: &Themes) {
        let name = self.selected_theme().map(|one| one.name.clone());
        self.listings = themes.list_themes();
        self.rows = ListCursor::new(self.listings.len());
        let at = self
            .listings
            .iter()
            .position(|one| Some(&one.name) == name.as_ref());
        self.rows.select_row(at.unwrap_or(0));
    }

    /// Takes an action: moving previews, Enter keeps, Esc goes back.
    pub fn handle_action(&mut self, action: Action) -> PopupResult<ThemeWish> {
        let before = self.rows.selected_row();
        if self.rows.handle_action(action) == Moved::Yes {
            return match self.usable_theme() {
                Some(name) if self.rows.selected_row() != before => {
                    PopupResult::Says(ThemeWish::Preview(name))
                }
                _ => PopupResult::Stays,
            };
        }
        match action {
            Action::Open => self.usable_theme().map_or(PopupResult::Stays, |name| {
                PopupResult::Says(ThemeWish::Keep(name))
            }),
            Action::Back | Action::Quit | Action::Themes => {
                PopupResult::Says(ThemeWish::Restore(self.before.clone()))
            }
            _ => PopupResult::Stays,
        }
    }

    /// Draws the list, samples, and what is wrong with the theme under the cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, context: DrawContext<'_>) {
        let look = context.look;
        let height = (self.listings.len() as u16).saturating_add(BELOW + 3);
        let height = height.min(area.height.saturating_sub(2));
        let area = center_rect(area, WIDTH.min(area.width.saturating_sub(2)), height);
        fill_area(area, buf, look);
        let inner = draw_frame(area, buf, look, "Themes", Focus::Focused);
        if inner.height < BELOW + 1 {
            return;
        }
        let rows = [
            Constraint::Fill(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(2),
            Constraint::Length(BELOW - 4),
        ];
        let [list, first, second, said, foot] = Layout::vertical(rows).areas(inner);
        context.rows.note_rows(self.rows, list);
        self.rows.draw(buf, list, look, |at, _| {
            let listing = self.listings.get(at);
            listing.map_or_else(StyledLine::default, |listed| theme_line(listed, look))
        });
        for (row, roles) in [first, second].into_iter().zip(SAMPLES) {
            draw_samples(row, buf, look, roles);
        }
        self.draw_description(said, buf, look);
        let hint = "Enter keeps   Esc goes back";
        draw_label(buf, foot, look, Role::Muted, hint);
    }

    /// Description and location of the chosen theme.
    fn draw_description(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(listing) = self.selected_theme() else {
            return;
        };
        let (text, role) = match &listing.description {
            Ok(description) => (format!("{description}\n{}", listing.file), Role::Muted),
            Err(error) => (error.to_string(), Role::Text),
        };
        draw_text(buf, area, look, &prose_paragraphs(role, 0, &text));
    }

    fn selected_theme(&self) -> Option<&ThemeListing> {
        self.listings.get(self.rows.selected_row()?)
    }

    /// The chosen theme, if nothing is wrong with it.
    fn usable_theme(&self) -> Option<String> {
        let listing = self.selected_theme()?;
        listing.description.is_ok().then(|| listing.name.clone())
    }
}

/// Returns a theme's name, with a mark where something is wrong with it.
fn theme_line(listed: &ThemeListing, look: &Look) -> StyledLine {
    let mut line = StyledLine::from_text(Role::Text, listed.name.clone());
    if listed.description.is_err() {
        let tag = look.tag(Role::Error);
        line.runs.push((Role::Text, "  ".to_owned()));
        line.runs.push((Role::Error, tag.to_owned()));
    }
    line
}

fn draw_samples(area: Rect, buf: &mut Buffer, look: &Look, roles: &[Role]) {
    let mut x = area.x;
    for role in roles {
        let name = role.name();
        let tag = look.tag(*role);
        let text = if tag.is_empty() || tag == name {
            name.to_owned()
        } else {
            format!("{tag} {name}")
        };
        let room = area.right().saturating_sub(x);
        if count_cells(&text) > usize::from(room) {
            return;
        }
        x += draw_line(
            buf,
            Position::new(x, area.y),
            room,
            &text,
            look.style(*role),
            look,
        ) + 2;
    }
}
