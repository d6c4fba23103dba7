//! Theme picker: moving the cursor previews a theme on the whole screen.

use super::PopupResult;
use crate::tui::keys::Action;
use crate::tui::theme::{Look, Role, ThemeListing, Themes};
use crate::tui::widgets::{
    DrawContext, Focus, ListCursor, Moved, StyledLine, cells, centred, draw_text, fill, frame,
    label_and_rest, prose, put,
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
    listed: Vec<ThemeListing>,
    rows: ListCursor,
    before: String,
}

impl ThemePicker {
    /// Lists the themes with the cursor on the one in use.
    pub fn new(themes: &Themes, in_use: &str) -> Self {
        let listed = themes.list();
        let mut rows = ListCursor::new(listed.len());
        rows.choose(
            listed
                .iter()
                .position(|one| one.name == in_use)
                .unwrap_or(0),
        );
        Self {
            listed,
            rows,
            before: in_use.to_owned(),
        }
    }

    /// Lists the themes again, after files were saved.
    pub fn refresh(&mut self, themes: &Themes) {
        let name = self.chosen().map(|one| one.name.clone());
        self.listed = themes.list();
        self.rows = ListCursor::new(self.listed.len());
        let at = self
            .listed
            .iter()
            .position(|one| Some(&one.name) == name.as_ref());
        self.rows.choose(at.unwrap_or(0));
    }

    /// Takes an action: moving previews, Enter keeps, Esc goes back.
    pub fn act(&mut self, action: Action) -> PopupResult<ThemeWish> {
        let before = self.rows.chosen();
        if self.rows.act(action) == Moved::Yes {
            return match self.good() {
                Some(name) if self.rows.chosen() != before => {
                    PopupResult::Says(ThemeWish::Preview(name))
                }
                _ => PopupResult::Stays,
            };
        }
        match action {
            Action::Open => self.good().map_or(PopupResult::Stays, |name| {
                PopupResult::Says(ThemeWish::Keep(name))
            }),
            Action::Back | Action::Quit | Action::Themes => {
                PopupResult::Says(ThemeWish::Restore(self.before.clone()))
            }
            _ => PopupResult::Stays,
        }
    }

    /// Draws the list, samples, and what is wrong with the theme under the cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, brush: DrawContext<'_>) {
        let look = brush.look;
        let height = (self.listed.len() as u16).saturating_add(BELOW + 3);
        let height = height.min(area.height.saturating_sub(2));
        let area = centred(area, WIDTH.min(area.width.saturating_sub(2)), height);
        fill(area, buf, look);
        let inner = frame(area, buf, look, "Themes", Focus::Focused);
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
        brush.rows.note(self.rows, list);
        self.rows.draw(buf, list, look, |at, _| {
            let listed = self.listed.get(at);
            listed.map_or_else(StyledLine::default, |listed| named(listed, look))
        });
        for (row, roles) in [first, second].into_iter().zip(SAMPLES) {
            samples(row, buf, look, roles);
        }
        self.draw_said(said, buf, look);
        let hint = "Enter keeps   Esc goes back";
        label_and_rest(buf, foot, look, Role::Muted, hint);
    }

    /// Description and location of the chosen theme.
    fn draw_said(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(listed) = self.chosen() else {
            return;
        };
        let (text, role) = match &listed.description {
            Ok(description) => (format!("{description}\n{}", listed.file), Role::Muted),
            Err(error) => (error.to_string(), Role::Text),
        };
        draw_text(buf, area, look, &prose(role, 0, &text));
    }

    fn chosen(&self) -> Option<&ThemeListing> {
        self.listed.get(self.rows.chosen()?)
    }

    /// The chosen theme, if nothing is wrong with it.
    fn good(&self) -> Option<String> {
        let listed = self.chosen()?;
        listed.description.is_ok().then(|| listed.name.clone())
    }
}

/// Returns a theme's name, with a mark where something is wrong with it.
fn named(listed: &ThemeListing, look: &Look) -> StyledLine {
    let mut line = StyledLine::of(Role::Text, listed.name.clone());
    if listed.description.is_err() {
        let tag = look.tag(Role::Error);
        line.runs.push((Role::Text, "  ".to_owned()));
        line.runs.push((Role::Error, tag.to_owned()));
    }
    line
}

fn samples(area: Rect, buf: &mut Buffer, look: &Look, roles: &[Role]) {
    let mut x = area.x;
    for role in roles {
        let name = role.name();
        let tag = look.tag(*role);
        let text = if tag.is_empty() || tag == name {
            name
        } else {
            format!("{tag} {name}")
        };
        let room = area.right().saturating_sub(x);
        if cells(&text) > usize::from(room) {
            return;
        }
        x += put(
            buf,
            Position::new(x, area.y),
            room,
            &text,
            look.style(*role),
            look,
        ) + 2;
    }
}
