//! Versions of a prompt: time of use, results, and differences from the version before.

use crate::experiments::{PromptHistory, PromptVersion};
use crate::library::short;
use crate::tui::keys::Action;
use crate::tui::popups::PopupResult;
use crate::tui::screens::rows::{cut, row};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{Content, counted};
use crate::tui::widgets::{Focus, LineInput, ListCursor, fill, frame, put};
use crate::tui::widgets::{Marking, woven};
use crate::tui::widgets::{Paragraph, prose};
use crate::tui::widgets::{StyledLine, lay_out};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Digits of a version in the list.
const VERSION: usize = 8;
/// Rows of the list, at most a third of the screen.
const SHARE: u16 = 3;

/// The versions, and the one under the cursor.
pub(super) struct Versions {
    known: Arc<PromptHistory>,
    rows: ListCursor,
    /// The first line of the text that is shown.
    top: usize,
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
            top: 0,
            labelling: None,
        }
    }

    /// The same list with what is known by now.
    pub(crate) fn again(mut self, known: &Arc<PromptHistory>) -> Self {
        self.known = Arc::clone(known);
        self.rows.set_len(known.versions.len());
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
                self.top = self.top.saturating_sub(8);
                None
            }
            KeyCode::PageDown => {
                self.top = self.top.saturating_add(8);
                None
            }
            _ => None,
        };
        if let Some(action) = moves {
            self.rows.act(action);
            self.top = 0;
        }
        PopupResult::Stays
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.labelling {
            line.paste(text);
        }
    }

    pub(crate) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        look: &Look,
        marking: Marking,
        content: Content,
    ) -> Option<Position> {
        fill(area, buffer, look);
        let rows = u16::try_from(self.known.versions.len()).unwrap_or(u16::MAX);
        let list = Rect {
            height: rows
                .saturating_add(2)
                .clamp(3, (area.height / SHARE).max(3)),
            ..area
        };
        let below = Rect {
            y: list.bottom(),
            height: area.height.saturating_sub(list.height + 1),
            ..area
        };
        let inner = frame(list, buffer, look, "versions, newest first", Focus::Focused);
        let top = self.rows.top(inner.height);
        let shown = self.known.versions.iter().enumerate().skip(top);
        for (y, (at, version)) in (inner.y..inner.bottom()).zip(shown) {
            let line = listed(version, self.rows.chosen() == Some(at), look);
            line.put(buffer, row(inner, y), look);
        }
        self.draw_text(below, buffer, look, marking, content);
        let foot = row(area, area.bottom().saturating_sub(1));
        let muted = look.style(Role::Muted);
        match &self.labelling {
            Some(line) => {
                let words = "label (the same one again takes it away): ";
                let used = put(buffer, foot.as_position(), foot.width, words, muted, look);
                let typed = Rect {
                    x: foot.x + used,
                    width: foot.width.saturating_sub(used),
                    ..foot
                };
                Some(line.draw(typed, buffer, look, Role::Text))
            }
            None => {
                let words = match self.known.unread {
                    0 => "Enter puts it into the editor   r labels it   PgDn reads on   Esc closes"
                        .to_owned(),
                    unread => format!(
                        "{} could not be read; elenchus verify names them",
                        counted(unread, "file")
                    ),
                };
                put(buffer, foot.as_position(), foot.width, &words, muted, look);
                None
            }
        }
    }

    /// The text under the cursor, with what it differs in from the next older one.
    fn draw_text(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        look: &Look,
        marking: Marking,
        content: Content,
    ) {
        let at = self.rows.chosen().unwrap_or(0);
        let older = self.known.versions.get(at + 1);
        let title = match older {
            Some(older) => format!("what it changed in {}", digits(older)),
            None => "its text".to_owned(),
        };
        let inner = frame(area, buffer, look, &title, Focus::Unfocused);
        let Some(version) = self.chosen() else {
            return;
        };
        let woven = older.and_then(|older| woven(&older.text, &version.text, marking));
        let page = match (content, woven) {
            (Content::Masked, _) => prose(Role::Notice, 0, "content is masked"),
            (Content::Shown, Some(page)) => page,
            (Content::Shown, None) => prose(Role::Text, 0, &version.text),
        };
        let lines = lay_out(&page, usize::from(inner.width));
        let last = lines.len().saturating_sub(usize::from(inner.height));
        let lines = lines.into_iter().skip(self.top.min(last));
        for (y, line) in (inner.y..inner.bottom()).zip(lines) {
            line.put(buffer, row(inner, y), look);
        }
    }
}

fn digits(version: &PromptVersion) -> String {
    short(&version.hash).chars().take(VERSION).collect()
}

fn listed(version: &PromptVersion, is_chosen: bool, look: &Look) -> StyledLine {
    let mark = match is_chosen {
        true => look.glyphs().cursor,
        false => " ",
    };
    let role = match is_chosen {
        true => Role::Selection,
        false => Role::Text,
    };
    let mut line = Paragraph::of(Role::Accent, format!("{mark} ")).and(role, digits(version));
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
