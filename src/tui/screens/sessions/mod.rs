//! Session list screen: all sessions at a glance, filtered by typing; every debate is opened from
//! it. What is listed, and in which order, comes from `workspace::session_browser`.
//!
//! | file | content |
//! |---|---|
//! | `selection` | arranged lines and the choice among them |
//! | `columns`, `table`, `view` | drawing |
//! | `line_prompt` | line prompt at the foot |
//! | `search_hits` | search over all sessions |
//! | `actions`, `several` | actions; those on all marked sessions |
//! | `tasks`, `update` | work in the background; its results |

mod actions;
mod columns;
mod line_prompt;
mod search_hits;
mod selection;
mod several;
mod table;
mod tasks;
mod update;
mod view;

pub use update::Message;

use super::places::Place;
use crate::debate::{RunId, SessionId};
use crate::terminal::Paste;
use crate::tui::app::{DrawContext, Effect, Screen, Ticket, UiState};
use crate::tui::keys::{Action, Context, KeyTable, ScreenKeys};
use crate::tui::popups::Dialog;
use crate::tui::screens::rejudging::Rejudging;
use crate::tui::widgets::Content;
use crate::workspace::session_browser::{ChangeHistory, KnownSessions, ListArrangement, ListState};
use line_prompt::FootPrompt;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use search_hits::SearchHits;
use selection::ListView;
use several::{AskedAct, Playing};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "1",
        name: "sessions",
        action: "show-sessions",
        label: "list of sessions",
        help: "Go to the list of sessions.",
        own: &[],
    },
    context: Context::Sessions,
    open: Vec::new,
};

/// The screen of all sessions.
pub struct Sessions {
    stock: KnownSessions,
    how: ListArrangement,
    view: ListView,
    /// Something changed since the list was arranged.
    stale: bool,
    history: ChangeHistory,
    prompt: Option<FootPrompt>,
    finds: Option<SearchHits>,
    searches: Ticket,
    marks: BTreeSet<SessionId>,
    /// Question that waits for a yes.
    asking: Option<Dialog<AskedAct>>,
    rejudging: Rejudging,
    playing: Option<Playing>,
    reading: ListReading,
    /// How it was drawn last: questions name topics.
    content: Content,
    keys: Arc<KeyTable>,
}

/// Whether the list is being read.
#[derive(Debug, Clone, Copy, Default)]
struct ListReading {
    goes_on: bool,
    /// It was asked for once more meanwhile.
    again: bool,
}

impl ListReading {
    /// Says whether to begin now; else it is read again after the reading that goes on.
    fn begins(&mut self) -> bool {
        self.again = self.goes_on;
        !std::mem::replace(&mut self.goes_on, true)
    }

    /// Takes note that it was read; says whether it is to be read again.
    fn end(&mut self) -> bool {
        self.goes_on = false;
        std::mem::take(&mut self.again)
    }
}

impl Sessions {
    /// A list that is read once it is opened. `keys` name the keys in the welcome text.
    pub fn new(kept: &ListState, keys: Arc<KeyTable>) -> Self {
        Self {
            stock: KnownSessions::default(),
            how: ListArrangement::of(kept),
            view: ListView::default(),
            stale: true,
            history: ChangeHistory::default(),
            prompt: None,
            finds: None,
            searches: Ticket::default(),
            marks: BTreeSet::new(),
            asking: None,
            rejudging: Rejudging::default(),
            playing: None,
            reading: ListReading::default(),
            content: Content::Shown,
            keys,
        }
    }

    /// Reads the list, once more where it is being read.
    fn read_list(&mut self) -> Vec<Effect> {
        match self.reading.begins() {
            true => vec![Effect::Start(tasks::read_list())],
            false => Vec::new(),
        }
    }

    /// Arranges the list if anything changed.
    fn refresh(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.view.arrange(&self.stock, &self.how);
        }
    }
}

impl Screen for Sessions {
    fn context(&self) -> Context {
        Context::Sessions
    }

    fn opened(&mut self) -> Vec<Effect> {
        let mut effects = self.read_list();
        effects.push(Effect::Start(tasks::ask_servers()));
        effects
    }

    fn is_typing(&self) -> bool {
        self.prompt.is_some() || self.is_asking()
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

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        let playing = self.playing.as_ref().map(Playing::status);
        let going = playing.or_else(|| match &self.rejudging {
            // Said when it ended.
            Rejudging::Over(_) => None,
            going => going.status(Context::Sessions),
        });
        let said: Vec<String> = self.marked_words().into_iter().chain(going).collect();
        if !said.is_empty() {
            return said.join(" · ");
        }
        match &self.finds {
            Some(finds) => finds.results.status(),
            // The number of sessions is above the list.
            None => match self.stock.servers() {
                Some(servers) if !self.is_first_start() => servers.to_owned(),
                Some(_) | None => self.count(),
            },
        }
    }

    fn busy(&self) -> Option<String> {
        let playing = self.playing.as_ref();
        let playing = playing.map(|_| "sessions are played to the end here".to_owned());
        playing.or_else(|| self.rejudging.busy())
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
        self.read_list()
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.read_list()
    }
}
