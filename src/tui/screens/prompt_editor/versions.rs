//! Versions of a prompt on the screen: the list, and the one under the cursor.

use crate::exchange::grouped_count;
use crate::experiments::PromptHistory;
use crate::tui::keys::Action;
use crate::tui::popups::PopupResult;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    DrawContext, Focus, ListCursor, Marking, ScrollText, StyledLine, fill, frame, label_and_rest,
    lay_out,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Rect};
use std::sync::Arc;

/// Rows of the list, at most a third of the screen.
const SHARE: u16 = 3;

/// The versions, and the one under the cursor.
pub(super) struct Versions {
    known: Arc<PromptHistory>,
    rows: ListCursor,
    text: ScrollText,
}

/// Request on the text of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VersionRequest {
    /// Put it into the editor.
    Take(Arc<str>),
    /// Put a label on it, or take it away.
    Label(Arc<str>),
}

impl Versions {
    pub(super) fn of(known: Arc<PromptHistory>) -> Self {
        Self {
            rows: ListCursor::new(known.versions.len()),
            known,
            text: ScrollText::default(),
        }
    }

    /// The same list with what is known by now.
    pub(super) fn again(mut self, known: Arc<PromptHistory>) -> Self {
        self.rows.set_len(known.versions.len());
        self.known = known;
        self.text.changed();
        self
    }

    /// Asks for something with the version under the cursor, where there is one.
    fn ask(&self, request: impl FnOnce(Arc<str>) -> VersionRequest) -> PopupResult<VersionRequest> {
        let at = self.rows.chosen();
        match at.and_then(|at| self.known.versions.get(at)) {
            Some(version) => PopupResult::Says(request(Arc::clone(&version.text))),
            None => PopupResult::Stays,
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> PopupResult<VersionRequest> {
        let moves = match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return PopupResult::Closes,
            KeyCode::Enter => return self.ask(VersionRequest::Take),
            KeyCode::Char('r') => return self.ask(VersionRequest::Label),
            KeyCode::Up | KeyCode::Char('k') => Action::Up,
            KeyCode::Down | KeyCode::Char('j') => Action::Down,
            KeyCode::Home => Action::Top,
            KeyCode::End => Action::Bottom,
            KeyCode::PageUp | KeyCode::PageDown => {
                let is_up = key.code == KeyCode::PageUp;
                let page = if is_up {
                    Action::PageUp
                } else {
                    Action::PageDown
                };
                self.text.act(page);
                return PopupResult::Stays;
            }
            _ => return PopupResult::Stays,
        };
        self.rows.act(moves);
        self.text.replaced();
        PopupResult::Stays
    }

    pub(super) fn draw(&mut self, area: Rect, buffer: &mut Buffer, brush: DrawContext<'_>) {
        let look = brush.look;
        brush.rows.begin_popup();
        fill(area, buffer, look);
        let rows = u16::try_from(self.known.versions.len()).unwrap_or(u16::MAX);
        let rows = rows
            .saturating_add(2)
            .clamp(3, (area.height / SHARE).max(3));
        let rows = [
            Constraint::Length(rows),
            Constraint::Fill(1),
            Constraint::Length(1),
        ];
        let [list, text, foot] = Layout::vertical(rows).areas(area);
        let inner = frame(list, buffer, look, "versions, newest first", Focus::Focused);
        brush.rows.note(self.rows, inner);
        self.rows.draw(buffer, inner, look, |at, _| {
            let version = self.known.versions.get(at);
            version.map_or_else(StyledLine::default, |version| StyledLine {
                indent: 0,
                runs: version.line().runs,
            })
        });
        self.draw_text(text, buffer, brush);
        let words = match self.known.unread {
            0 => "Enter puts it into the editor   r labels it   PgDn reads on   Esc closes"
                .to_owned(),
            unread => format!(
                "{} could not be read; elenchus verify names them",
                grouped_count(unread, "file")
            ),
        };
        label_and_rest(buffer, foot, look, Role::Muted, &words);
    }

    /// The text under the cursor, with what it differs in from the next older one.
    fn draw_text(&mut self, area: Rect, buffer: &mut Buffer, brush: DrawContext<'_>) {
        let look = brush.look;
        let at = self.rows.chosen().unwrap_or(0);
        let title = self.known.change_heading(at);
        let inner = frame(area, buffer, look, &title, Focus::Unfocused);
        self.text.draw(buffer, inner, look, |width| {
            let change = self.known.change(at, brush.content, Marking::on(look));
            lay_out(&change, width)
        });
    }
}
