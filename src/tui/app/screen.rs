//! Screen trait: the interface between the workbench and each screen.

use super::broadcast::Broadcast;
use super::effect::Effect;
use super::task::Deliver;
use super::turn_walk::TurnWalk;
use super::ui_state::UiState;
use crate::tui::keys::{Action, Context};
use crate::tui::theme::Role;
use crate::tui::widgets::DrawContext;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_terminal::Paste;
use elenchus_view::TurnAddress;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// A screen: keeps what it shows, says what it wants done, and draws itself. Pure.
pub trait Screen: Deliver {
    /// Returns where its keys are read.
    fn key_context(&self) -> Context;

    /// Returns the context by which the line at the top knows the place that it stands for; `None` where it lies over
    /// another screen though it has the keys of a place.
    fn place_context(&self) -> Option<Context> {
        Some(self.key_context())
    }

    /// Returns its name in the line at the top.
    fn name(&self) -> String {
        self.key_context().name().replace('-', " ")
    }

    /// Returns what the screen wants done when it is opened.
    fn handle_open(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Says whether keys are text now, given to [`Screen::handle_typed_key`] instead of being looked up.
    fn is_typing(&self) -> bool {
        false
    }

    /// Says whether a form has the keys: no letter leaves it or moves in it, and the key that begins what it sets out
    /// is an action also while a text is typed.
    fn is_form(&self) -> bool {
        false
    }

    /// Takes a key before the table of keys is asked, where it is a letter of what is shown; `None`
    /// leaves it to the table.
    fn intercept_key(&mut self, _key: KeyEvent) -> Option<Vec<Effect>> {
        None
    }

    /// Answers an action.
    fn handle_action(&mut self, action: Action) -> Vec<Effect>;

    /// Takes a key while text is typed.
    fn handle_typed_key(&mut self, _key: KeyEvent) -> Vec<Effect> {
        Vec::new()
    }

    /// Takes pasted text; outside of a text field it says what to do with it.
    fn handle_paste(&mut self, _paste: &Paste) -> Vec<Effect> {
        vec![Effect::Say(
            Role::Notice,
            "nothing is typed here".to_owned(),
        )]
    }

    /// Takes in what concerns all screens.
    fn handle_broadcast(&mut self, _news: &Broadcast) -> Vec<Effect> {
        Vec::new()
    }

    /// Draws itself above the status line. Returns the position of the terminal's cursor.
    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position>;

    /// Returns what the status line says: what is going on here, in a few words. Keys are named by
    /// their marks, here as in what is said.
    fn describe_status(&self) -> String;

    /// Returns the actions worth a hint now, the most useful first.
    fn list_hints(&self) -> Vec<Action>;

    /// Returns what an action is called in a hint here, where its name says too little.
    fn hint_word(&self, _action: Action) -> Option<&'static str> {
        None
    }

    /// Says what would be lost or goes on if the program quit now; `None` where nothing would.
    fn describe_open_work(&self) -> Option<String> {
        None
    }

    /// Says whether it shows seconds that pass: it is then drawn every second. A screen on which nothing goes
    /// on draws nothing.
    fn counts_seconds(&self) -> bool {
        false
    }

    /// Returns the session that the screen shows alone: while it is busy it can be left and found
    /// again.
    fn session_id(&self) -> Option<&SessionId> {
        None
    }

    /// Returns the run that what the screen shows, or what its cursor is on, belongs to.
    fn run_id(&self) -> Option<RunId> {
        None
    }

    /// Learns, before it is opened, how a person arranged it and what was played last.
    fn restore_state(&mut self, _state: &UiState) {}

    /// Writes down how a person arranged it.
    fn save_state(&self, _state: &mut UiState) {}

    /// Reads again what it lists: something was written into the store. Asked of the screen on top, at most
    /// once a second.
    fn refresh(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Says whether it shows what a process on this machine does, so that the end of one has to be noticed.
    fn watches_process(&self) -> bool {
        false
    }

    /// Learns which session was shown above it and left: a list puts its cursor there.
    fn select_session(&mut self, _session: SessionId) {}

    /// Takes a list of turns to walk through, and goes to the one that is open.
    fn set_walk(&mut self, _walk: TurnWalk) -> Vec<Effect> {
        Vec::new()
    }

    /// Returns the turn of a list that it was opened at, or has walked to.
    fn walked_turn(&self) -> Option<TurnAddress> {
        None
    }

    /// Learns at which turn of its list a debate was left: the list puts its cursor there.
    fn select_turn(&mut self, address: TurnAddress) {
        self.select_session(address.session);
    }

    /// Learns that it is on top again.
    fn handle_return(&mut self) -> Vec<Effect> {
        self.refresh()
    }
}
