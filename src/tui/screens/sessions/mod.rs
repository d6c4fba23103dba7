//! Session list screen: all sessions at a glance, filtered by typing; every debate is opened from
//! it.
//!
//! | file | content |
//! |---|---|
//! | `known_sessions` | sessions read so far |
//! | `filter`, `arrange` | filter; order and groups |
//! | `selection` | arranged lines and the choice among them |
//! | `columns`, `table`, `details`, `view` | drawing |
//! | `line_prompt` | line prompt at the foot |
//! | `history` | undo and redo |
//! | `search_hits` | search over all sessions |
//! | `actions`, `heard` | actions; results of commands |

mod actions;
mod arrange;
mod columns;
mod details;
mod filter;
mod heard;
mod history;
mod known_sessions;
mod line_prompt;
mod search_hits;
mod selection;
mod table;
mod view;

use crate::debate::{RunId, SessionId};
use crate::tui::app::{DrawContext, Effect, Screen, Told};
use crate::tui::app::{ListState, UiState};
use crate::tui::keys::{Action, Context, KeyTable};
use crate::tui::terminal::Paste;
use crate::tui::widgets::above_status;
use arrange::ListArrangement;
use history::History;
use known_sessions::KnownSessions;
use line_prompt::FootPrompt;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use search_hits::SearchResults;
use selection::ListView;
use std::sync::Arc;

/// The screen of all sessions.
pub struct Sessions {
    stock: KnownSessions,
    how: ListArrangement,
    view: ListView,
    /// Something changed since the list was arranged.
    stale: bool,
    history: History,
    prompt: Option<FootPrompt>,
    finds: Option<SearchResults>,
    /// The left side of a comparison.
    marked: Option<SessionId>,
    /// The session whose fork was asked for from here.
    forking: Option<SessionId>,
    /// An export was asked for from here.
    exporting: bool,
    keys: Arc<KeyTable>,
}

impl Sessions {
    /// An empty list; its caller asks for [`Deed::List`](crate::tui::app::deed::Deed). `keys` name
    /// the keys in the welcome text.
    pub fn new(kept: &ListState, keys: Arc<KeyTable>) -> Self {
        Self {
            stock: KnownSessions::default(),
            how: ListArrangement::of(kept),
            view: ListView::default(),
            stale: true,
            history: History::default(),
            prompt: None,
            finds: None,
            marked: None,
            forking: None,
            exporting: false,
            keys,
        }
    }

    /// Arranges the list if anything changed.
    fn refresh(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.view.arrange(&self.stock, &self.how);
        }
    }
}

no_own_messages!(Sessions);

impl Screen for Sessions {
    fn context(&self) -> Context {
        Context::Sessions
    }

    fn is_typing(&self) -> bool {
        self.prompt.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.refresh();
        self.answer(action)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.refresh();
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        match &self.finds {
            Some(finds) => finds.status(),
            // The number of sessions is above the list.
            None => match self.stock.servers() {
                Some(servers) if !self.is_first_start() => servers.to_owned(),
                Some(_) | None => self.count(),
            },
        }
    }

    fn hints(&self) -> Vec<Action> {
        self.useful()
    }

    fn run(&self) -> Option<RunId> {
        let glance = self.chosen()?.found.as_ref().ok()?;
        glance.summary.run.clone()
    }

    fn keep(&self, kept: &mut UiState) {
        kept.list = self.how.kept();
    }

    fn came_from(&mut self, session: SessionId) {
        self.view.choose(session);
        self.stale = true;
    }

    fn refresh(&mut self) -> Vec<Effect> {
        self.returned()
    }

    fn returned(&mut self) -> Vec<Effect> {
        vec![Effect::Do(crate::tui::app::Deed::List)]
    }
}
