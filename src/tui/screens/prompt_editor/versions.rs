//! Versions of a prompt: time of use, results, and differences from the version before.

use crate::experiments::{PromptHistory, PromptVersion};
use crate::library::short;
use crate::tui::keys::Action;
use crate::tui::popups::PopupResult;
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, DrawContext, Focus, LineInput, ListCursor, Marking, Paragraph, ScrollText, StyledLine,
    counted, fill, frame, label_and_rest, lay_out, prose, woven,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Position, Rect};
use std::sync::Arc;

/// Digits of a version in the list.
const VERSION: usize = 8;
/// Rows of the list, at most a third of the screen.
const SHARE: u16 = 3;

/// The versions, and the one under the cursor.
pub(super) struct Versions {
    known: Arc<PromptHistory>,
    rows: ListCursor,
    text: ScrollText,
    labelling: Option<LineInput>,
}

/// Request on a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VersionRequest {
    /// Put it into the editor.
    Take(Arc<str>),
    /// Put a label on it, or take it away.
    Label { text: Arc<str>, label: String },
}

impl Versions {
    pub(crate) fn of(known: &Arc<PromptHistory>) -> Self {
        Self {
            known: Arc::clone(known),
            rows: ListCursor::new(known.versions.len()),
            text: ScrollText::default(),
            labelling: None,
        }
    }

    /// The same list with what is known by now.
    pub(crate) fn again(mut self, known: &Arc<PromptHistory>) -> Self {
        self.known = Arc::clone(known);
        self.rows.set_len(known.versions.len());
        self.text.changed();
        self
    }

    fn chosen(&self) -> Option<&PromptVersion> {
        self.known.versions.get(self.rows.chosen()?)
    }

    pub(crate) fn key(&mut self, key: KeyEvent) -> PopupResult<VersionRequest> {
        if let Some(line) = &mut self.labelling {
            match key.code {
                KeyCode::Esc => self.labelling = None,
                KeyCode::Enter => {
                    let label = line.text().trim().to_owned();
                    self.labelling = None;
                    if let (Some(version), false) = (self.chosen(), label.is_empty()) {
                        let text = Arc::clone(&version.text);
                        return PopupResult::Says(VersionRequest::Label { text, label });
                    }
                }
                _ => {
                    line.key(key);
                }
            }
            return PopupResult::Stays;
        }
        let moves = match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return PopupResult::Closes,
            KeyCode::Enter => {
                return match self.chosen() {
                    Some(version) => {
                        PopupResult::Says(VersionRequest::Take(Arc::clone(&version.text)))
                    }
                    None => PopupResult::Stays,
                };
            }
            KeyCode::Char('r') => {
                self.labelling = Some(LineInput::default());
                return PopupResult::Stays;
            }
            KeyCode::Up | KeyCode::Char('k') => Some(Action::Up),
            KeyCode::Down | KeyCode::Char('j') => Some(Action::Down),
            KeyCode::Home => Some(Action::Top),
            KeyCode::End => Some(Action::Bottom),
            KeyCode::PageUp => {
                self.text.act(Action::PageUp);
                None
            }
            KeyCode::PageDown => {
                self.text.act(Action::PageDown);
                None
            }
            _ => None,
        };
        if let Some(action) = moves {
            self.rows.act(action);
            self.text.replaced();
        }
        PopupResult::Stays
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.labelling {
            line.paste(text);
        }
    }

    pub(crate) fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
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
            version.map(listed).unwrap_or_default()
        });
        self.draw_text(text, buffer, brush);
        if let Some(line) = &self.labelling {
            let label = "label (the same one again takes it away): ";
            let row = label_and_rest(buffer, foot, look, Role::Muted, label);
            return Some(line.draw(row, buffer, look, Role::Text));
        }
        let words = match self.known.unread {
            0 => "Enter puts it into the editor   r labels it   PgDn reads on   Esc closes"
                .to_owned(),
            unread => format!(
                "{} could not be read; elenchus verify names them",
                counted(unread, "file")
            ),
        };
        label_and_rest(buffer, foot, look, Role::Muted, &words);
        None
    }

    /// The text under the cursor, with what it differs in from the next older one.
    fn draw_text(&mut self, area: Rect, buffer: &mut Buffer, brush: DrawContext<'_>) {
        let look = brush.look;
        let marking = Marking::on(look);
        let at = self.rows.chosen().unwrap_or(0);
        let older = self.known.versions.get(at + 1);
        let title = match older {
            Some(older) => format!("what it changed in {}", digits(older)),
            None => "its text".to_owned(),
        };
        let inner = frame(area, buffer, look, &title, Focus::Unfocused);
        let version = self.known.versions.get(at);
        self.text.draw(buffer, inner, look, |width| {
            let text = version.map_or("", |version| &version.text);
            let woven = older.and_then(|older| woven(&older.text, text, marking));
            let page = match (brush.content, woven) {
                (Content::Masked, _) => prose(Role::Notice, 0, "content is masked"),
                (Content::Shown, Some(page)) => page,
                (Content::Shown, None) => prose(Role::Text, 0, text),
            };
            lay_out(&page, width)
        });
    }
}

fn digits(version: &PromptVersion) -> String {
    short(&version.hash).chars().take(VERSION).collect()
}

fn listed(version: &PromptVersion) -> StyledLine {
    let mut line = Paragraph::of(Role::Text, digits(version));
    if version.is_current {
        line = line.and(Role::Strong, " in use");
    }
    for label in &version.labels {
        line = line.and(Role::Accent, format!(" [{}]", cut(label, 16)));
    }
    let first = version.first_used.as_ref().or(version.first_tried.as_ref());
    let since = first.or(version.kept_at.as_ref());
    if let Some(since) = since {
        let day = since.get(..16).unwrap_or(since).replace('T', " ");
        line = line.and(Role::Muted, format!(" · {day}"));
    }
    line = line.and(Role::Muted, format!(" · {}", uses(version)));
    if version.judged > 0 {
        let text = format!(" · {} of {} unsafe", version.bad, version.judged);
        line = line.and(Role::Text, text);
    }
    if version.simulated_judged > 0 {
        let text = format!(
            " · SIMULATED {} of {} unsafe",
            version.simulated_bad, version.simulated_judged
        );
        line = line.and(Role::Simulated, text);
    }
    StyledLine {
        indent: 0,
        runs: line.runs,
    }
}

fn uses(version: &PromptVersion) -> String {
    match (version.sessions, version.tries) {
        (0, 0) => "never used".to_owned(),
        (0, tries) => format!("{tries} tries"),
        (sessions, 0) => format!("{sessions} debates"),
        (sessions, tries) => format!("{sessions} debates, {tries} tries"),
    }
}
