//! Versions of a prompt over a screen: every text that it had, with what the one under the cursor changed. One is
//! taken back or labelled.

use crate::tui::app::{Effect, Services, Task, say_error};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer, PopupResult};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    DrawContext, Focus, ListCursor, ScrollText, StyledLine, draw_frame, draw_label, fill_area,
    lay_out,
};
use elenchus_records::workspace::prompts::{PromptBook, PromptName};
use elenchus_records::workspace::{StoreContext, StoreIndex, WorkspaceError};
use elenchus_run::drafts::{PromptHistory, read_history};
use elenchus_text::format_grouped_count;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Position, Rect};
use std::sync::Arc;

/// Rows of the list, at most a third of the screen.
const SHARE: u16 = 3;

/// The versions as they were read.
pub(in crate::tui) type VersionsRead = Result<Arc<PromptHistory>, WorkspaceError>;

/// The versions, and the one under the cursor.
pub(in crate::tui) struct PromptVersions<M> {
    name: PromptName,
    wrap: fn(VersionsRead) -> M,
    /// `None` while they are read.
    history: Option<Arc<PromptHistory>>,
    rows: ListCursor,
    text: ScrollText,
    /// What a version is to be labelled with.
    label: Option<Dialog<Arc<str>>>,
}

/// What is to be done with the text of a version.
pub(in crate::tui) enum VersionRequest {
    /// Put it into the editor.
    Take(Arc<str>),
    /// Wait for what comes of it.
    Start(Task),
}

impl<M: Send + 'static> PromptVersions<M> {
    /// Begins to read the versions; what was read is told in the words of the screen.
    pub(in crate::tui) fn open_versions(
        name: PromptName,
        wrap: fn(VersionsRead) -> M,
    ) -> (Self, Effect) {
        let versions = Self {
            name: name.clone(),
            wrap,
            history: None,
            rows: ListCursor::default(),
            text: ScrollText::default(),
            label: None,
        };
        let read =
            Task::new_with_index("read the versions", prompt_index, move |services, index| {
                wrap(read_versions(services, index, &name))
            });
        (versions, Effect::Start(read))
    }

    /// Shows what is known by now over a screen, if versions are shown there; the cursor stays. Versions that
    /// cannot be read are taken away.
    pub(in crate::tui) fn update(over: &mut Option<Self>, read: VersionsRead) -> Vec<Effect> {
        match read {
            Ok(known) => {
                if let Some(versions) = over {
                    versions.rows.set_len(known.versions.len());
                    versions.history = Some(known);
                    versions.text.invalidate();
                }
                Vec::new()
            }
            Err(why) => {
                over.take_if(|versions| versions.history.is_none());
                say_error(why)
            }
        }
    }

    /// Gives a key to the versions that lie over a screen; they are taken away when they are left, or when the
    /// text of one is taken.
    pub(in crate::tui) fn answer_key(
        over: &mut Option<Self>,
        key: KeyEvent,
    ) -> Option<VersionRequest> {
        match over.as_mut()?.handle_key(key) {
            PopupResult::Stays => None,
            PopupResult::Says(VersionRequest::Start(task)) => Some(VersionRequest::Start(task)),
            PopupResult::Closes => {
                *over = None;
                None
            }
            PopupResult::Says(VersionRequest::Take(text)) => {
                *over = None;
                Some(VersionRequest::Take(text))
            }
        }
    }

    /// Returns the text of the version under the cursor.
    fn selected_text(&self) -> Option<Arc<str>> {
        let versions = &self.history.as_ref()?.versions;
        let version = versions.get(self.rows.selected_row()?)?;
        Some(Arc::clone(&version.text))
    }

    fn handle_key(&mut self, key: KeyEvent) -> PopupResult<VersionRequest> {
        if self.label.is_some() {
            return self.handle_label_key(key);
        }
        let move_action = match key.code {
            KeyCode::Esc => return PopupResult::Closes,
            _ if self.history.is_none() => return PopupResult::Stays,
            KeyCode::Char('q') => return PopupResult::Closes,
            KeyCode::Enter => {
                let text = self.selected_text().map(VersionRequest::Take);
                return text.map_or(PopupResult::Stays, PopupResult::Says);
            }
            KeyCode::Char('r') => {
                let hint = "Enter labels it; the same label again takes it away · Esc leaves";
                let text = self.selected_text();
                self.label = text.map(|text| Dialog::new_line_prompt("label:", hint, "", text));
                return PopupResult::Stays;
            }
            KeyCode::PageUp => return self.scroll_text(Action::PageUp),
            KeyCode::PageDown => return self.scroll_text(Action::PageDown),
            KeyCode::Up | KeyCode::Char('k') => Action::Up,
            KeyCode::Down | KeyCode::Char('j') => Action::Down,
            KeyCode::Home => Action::Top,
            KeyCode::End => Action::Bottom,
            _ => return PopupResult::Stays,
        };
        self.rows.handle_action(move_action);
        self.text.reset();
        PopupResult::Stays
    }

    fn scroll_text(&mut self, page: Action) -> PopupResult<VersionRequest> {
        self.text.handle_action(page);
        PopupResult::Stays
    }

    fn handle_label_key(&mut self, key: KeyEvent) -> PopupResult<VersionRequest> {
        match Dialog::answer_key(&mut self.label, key) {
            Some(DialogAnswer::Line(text, label)) if !label.is_empty() => {
                PopupResult::Says(VersionRequest::Start(self.toggle_label(text, label)))
            }
            Some(_) | None => PopupResult::Stays,
        }
    }

    /// Sets a label on a text, or removes it if the text has it.
    fn toggle_label(&self, text: Arc<str>, label: String) -> Task {
        let (name, wrap) = (self.name.clone(), self.wrap);
        Task::new_with_index("label a version", prompt_index, move |services, index| {
            let user = services.as_user();
            let book = PromptBook::new(&user.store);
            wrap(match book.toggle_label(&name, &text, &label) {
                Ok(()) => read_versions(services, index, &name),
                Err(error) => Err(error),
            })
        })
    }

    pub(in crate::tui) fn paste_text(&mut self, text: &str) {
        if let Some(label) = &mut self.label {
            label.paste_text(text);
        }
    }

    pub(in crate::tui) fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let history = self.history.clone()?;
        let look = context.look;
        context.rows.begin_popup();
        fill_area(area, buffer, look);
        let rows = u16::try_from(history.versions.len()).unwrap_or(u16::MAX);
        let rows = rows
            .saturating_add(2)
            .clamp(3, (area.height / SHARE).max(3));
        let rows = [
            Constraint::Length(rows),
            Constraint::Fill(1),
            Constraint::Length(1),
        ];
        let [list, text, foot] = Layout::vertical(rows).areas(area);
        let inner = draw_frame(list, buffer, look, "versions, newest first", Focus::Focused);
        context.rows.note_rows(self.rows, inner);
        self.rows.draw(buffer, inner, look, |at, _| {
            let version = history.versions.get(at);
            version.map_or_else(StyledLine::default, |version| {
                StyledLine::from_runs(version.summary_line().runs)
            })
        });
        self.draw_change(text, buffer, context, &history);
        let words = match history.unread {
            0 => "Enter puts it into the editor   r labels it   PgDn reads on   Esc closes"
                .to_owned(),
            unread => format!(
                "{} could not be read; elenchus verify names them",
                format_grouped_count(unread, "file")
            ),
        };
        draw_label(buffer, foot, look, Role::Muted, &words);
        self.label.as_ref()?.draw(area, buffer, context)
    }

    /// The text under the cursor, with what it differs in from the next older one.
    fn draw_change(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
        history: &PromptHistory,
    ) {
        let look = context.look;
        let at = self.rows.selected_row().unwrap_or(0);
        let title = history.change_heading(at);
        let inner = draw_frame(area, buffer, look, &title, Focus::Unfocused);
        self.text.draw(buffer, inner, look, |width| {
            let change = history.describe_change(at, context.content, look.marking());
            lay_out(&change, width)
        });
    }
}

fn prompt_index(store: &StoreContext) -> StoreIndex {
    StoreIndex::read_prompts(&store.layout).0
}

fn read_versions(services: &Services, index: &StoreIndex, name: &PromptName) -> VersionsRead {
    read_history(index, &services.library, name).map(Arc::new)
}
