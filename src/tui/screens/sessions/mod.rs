//! Session list screen: all sessions at a glance, filtered by typing; every debate is opened from
//! it. What is listed, chosen and marked comes from `workspace::session_browser`.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions, and what is typed at the foot |
//! | `update` | work in the background, and its results |
//! | `view` | drawing |

mod actions;
mod update;
mod view;

pub use update::Message;

use super::places::Place;
use crate::tui::app::{DrawContext, Effect, Rereading, Screen, UiState, say_notice};
use crate::tui::components::session_acts::{ActMessage, SessionActs};
use crate::tui::components::session_search::SearchTask;
use crate::tui::keys::{Action, Context, KeyTable, ScreenKeys};
use crate::tui::popups::{FootPrompt, FootText};
use crate::tui::widgets::Content;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_terminal::Paste;
use elenchus_view::session_browser::{ListState, SessionBrowser};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
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
    list: SessionBrowser,
    prompt: Option<FootPrompt<ListQuestion>>,
    search: SearchTask,
    acts: SessionActs<Message>,
    reading: Rereading,
    /// How it was drawn last: questions name topics.
    content: Content,
    keys: Arc<KeyTable>,
    purpose: ListPurpose,
    /// A key was pressed in it.
    is_used: bool,
}

/// What the list is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListPurpose {
    /// All sessions, below every other screen: how it is arranged is kept.
    All,
    /// Sessions that another screen asked for: it is left to that.
    Asked,
}

/// What a line at the foot is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListQuestion {
    Filter,
    SearchAll,
}

impl FootText for ListQuestion {
    fn prompt_label(&self) -> String {
        match self {
            ListQuestion::Filter => "filter: ".to_owned(),
            ListQuestion::SearchAll => "search all sessions: ".to_owned(),
        }
    }

    fn key_help(&self) -> &'static str {
        match self {
            ListQuestion::Filter => {
                "words, or state:failed verdict:unsafe model:x cost>0.1 age<2d is:fork tag:x run:x; - before one: without; Enter keeps the filter, Esc drops it"
            }
            ListQuestion::SearchAll => {
                "Enter looks through topics, turns, verdicts, lessons and notes; Esc leaves"
            }
        }
    }
}

impl Sessions {
    /// A list that is read once it is opened. `keys` name the keys in the welcome text.
    pub fn new(state: &ListState, keys: Arc<KeyTable>) -> Self {
        Self {
            list: SessionBrowser::new(state),
            prompt: None,
            search: SearchTask::default(),
            acts: SessionActs::new(Message::Act, |message| {
                Message::Act(ActMessage::Rejudging(message))
            }),
            reading: Rereading::default(),
            content: Content::Shown,
            keys,
            purpose: ListPurpose::All,
            is_used: false,
        }
    }

    /// A list of the sessions that a filter names, over the screen that asks for them.
    pub fn with_filter(filter: &str, keys: Arc<KeyTable>) -> Self {
        let mut screen = Self::new(&ListState::default(), keys);
        screen.list.filter_by(filter);
        screen.purpose = ListPurpose::Asked;
        screen
    }
}

impl Screen for Sessions {
    fn key_context(&self) -> Context {
        Context::Sessions
    }

    fn place_context(&self) -> Option<Context> {
        (self.purpose == ListPurpose::All).then_some(Context::Sessions)
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let mut effects = self.read_list();
        effects.push(Effect::Start(update::ask_servers()));
        effects
    }

    fn is_typing(&self) -> bool {
        self.prompt.is_some() || self.acts.is_asking()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.is_used = true;
        self.list.refresh();
        self.handle_list_action(action)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.list.refresh();
        match self.acts.is_asking() {
            true => self.acts.handle_key(key, &self.list),
            false => self.handle_prompt_key(key),
        }
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.prompt {
            Some(prompt) => {
                prompt.paste_text(&paste.text);
                self.apply_filter();
            }
            None if self.acts.is_asking() => self.acts.paste_text(&paste.text),
            None => {
                return say_notice(
                    "to debate a pasted text, begin a new debate and paste it there",
                );
            }
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_sessions(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        let mark_words = self.list.marked_words().into_iter();
        let parts: Vec<String> = mark_words.chain(self.acts.describe_status()).collect();
        if !parts.is_empty() {
            return parts.join(" · ");
        }
        let listing = self.list.known_sessions();
        match (self.list.current_search(), listing.servers()) {
            (Some((_, results)), _) => results.describe_progress(),
            // The number of sessions is above the list.
            // It would cover the keys: whoever has pressed one has read it.
            (None, Some(servers)) if !listing.is_empty() && !self.is_used => servers.to_owned(),
            (None, Some(_) | None) => listing.count_words(),
        }
    }

    fn describe_open_work(&self) -> Option<String> {
        self.acts.describe_open_work()
    }

    fn list_hints(&self) -> Vec<Action> {
        use Action::{
            Back, Compare, Delete, Export, Filter, Fork, Group, Help, Mark, MarkAll, New, Open,
            Quit, Rejudge, Rename, RunToEnd, SearchAll, Sort, Tag, Tree, Undo, UnmarkAll,
        };
        if self.prompt.is_some() || self.acts.is_asking() {
            // The question says itself what its keys do.
            return Vec::new();
        }
        if self.list.current_search().is_some() {
            return vec![Open, Back, SearchAll, Help];
        }
        if self.list.marked_words().is_some() {
            return vec![
                Tag, Delete, Export, Rejudge, RunToEnd, Compare, UnmarkAll, Help,
            ];
        }
        vec![
            New, Open, Filter, SearchAll, Help, Sort, Group, Fork, Tree, Mark, MarkAll, Compare,
            Rename, Tag, Delete, Undo, Export, Quit,
        ]
    }

    fn run_id(&self) -> Option<RunId> {
        let glance = self.list.chosen_session()?.found.as_ref().ok()?;
        glance.summary.run.clone()
    }

    fn save_state(&self, kept: &mut UiState) {
        match self.purpose {
            ListPurpose::All => kept.list = self.list.arrangement().to_state(),
            ListPurpose::Asked => {}
        }
    }

    fn select_session(&mut self, session: SessionId) {
        self.list.choose_session(session);
    }

    fn refresh(&mut self) -> Vec<Effect> {
        self.read_list()
    }
}
