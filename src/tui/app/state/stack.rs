//! Stack of screens: effects on it, forks in place of their parents, debates that continue unseen.

use super::{App, InputOutcome, OpenScreen};
use crate::tui::app::SessionPosition;
use crate::tui::app::effect::{Command, Effect};
use crate::tui::app::screen::Screen;
use crate::tui::app::task::{ScreenId, Task};
use crate::tui::app::turn_walk::TurnWalk;
use crate::tui::keys::spelled;
use crate::tui::screens::debate::Debate;
use crate::tui::screens::session_diff::Compare;
use crate::tui::screens::sessions::Sessions;
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_view::OpenedSession;
use elenchus_view::session_diff::DiffSide;
use std::sync::Arc;

impl App {
    /// Performs what a screen wants done.
    pub(super) fn perform_effects(
        &mut self,
        from: ScreenId,
        effects: Vec<Effect>,
        out: &mut InputOutcome,
    ) {
        for effect in effects {
            self.perform_effect(from, effect, out);
        }
    }

    fn perform_effect(&mut self, from: ScreenId, effect: Effect, out: &mut InputOutcome) {
        match effect {
            Effect::Show(screen) => self.push_screen(screen, out),
            Effect::Leave => self.leave_screen(out),
            Effect::Replace(screen) => {
                self.pop_screen(out);
                self.push_screen(screen, out);
            }
            Effect::Open(id, place) => self.open_session(id, place, out),
            Effect::OpenInstead(id) => {
                self.pop_screen(out);
                self.open_session(id, None, out);
            }
            Effect::Walk(walk) => self.open_walk(walk, out),
            Effect::WalkOn(walk) => {
                self.pop_screen(out);
                self.open_walk(walk, out);
            }
            Effect::OpenBegun(session, opened) => {
                self.open_locked_session(session, &opened, None, out)
            }
            Effect::OpenForked {
                parent,
                fork,
                opened,
            } => self.open_fork(&parent, fork, &opened, out),
            Effect::Compare(left, right) => {
                let sides = (DiffSide::from_id(&left), DiffSide::from_id(&right));
                self.push_screen(Box::new(Compare::from_sides(sides.0, sides.1)), out);
            }
            Effect::ListSessions(filter) => {
                let keys = Arc::new(self.keys.clone());
                self.push_screen(Box::new(Sessions::with_filter(&filter, keys)), out);
            }
            Effect::Quit => self.quit(),
            Effect::Say(role, text) => self.message = Some((role, spelled(&text, &self.keys))),
            Effect::Sent(sent) => self.pending_texts.add_text(sent),
            Effect::Do(command) => out.commands.push(command),
            Effect::Order(order) => out.tasks.push((from, Task::give_command(order))),
            Effect::Fork(fork) => out.tasks.push((from, Task::make_fork(fork))),
            Effect::EditOutside(edit) => out.edit = Some((from, edit)),
            Effect::Start(task) => out.tasks.push((from, task)),
        }
    }

    pub(super) fn push_screen(&mut self, screen: Box<dyn Screen>, out: &mut InputOutcome) {
        let id = self.last_screen.next();
        self.push_open_screen(OpenScreen { id, screen });
        if let Some(screen) = self.screens.last_mut() {
            screen.restore_state(&self.saved_state);
            let effects = screen.handle_open();
            self.perform_effects(id, effects, out);
        }
    }

    /// A chord that has begun ends where the screen changes, and only there: what is read in the background
    /// comes between two keys.
    fn push_open_screen(&mut self, screen: OpenScreen) {
        self.resolver.reset();
        self.screens.push(screen);
    }

    pub(super) fn open_session(
        &mut self,
        id: SessionId,
        place: Option<SessionPosition>,
        out: &mut InputOutcome,
    ) {
        match self.parked.remove(&id) {
            Some(screen) => self.push_open_screen(screen),
            None => {
                let debate = Debate::new_unread(id, &self.saved_state, place);
                self.push_screen(Box::new(debate), out);
            }
        }
    }

    /// Shows the debate of a list's turn, with the list.
    fn open_walk(&mut self, walk: TurnWalk, out: &mut InputOutcome) {
        let session = walk.address().session.clone();
        self.open_session(session, None, out);
        if let Some(screen) = self.screens.last_mut() {
            let (id, effects) = (screen.id, screen.set_walk(walk));
            self.perform_effects(id, effects, out);
        }
    }

    /// Shows a fork in place of its parent, and of what lay over that.
    fn open_fork(
        &mut self,
        parent: &SessionId,
        fork: SessionId,
        opened: &Arc<OpenedSession>,
        out: &mut InputOutcome,
    ) {
        self.pending_texts.move_to_fork(parent, &fork);
        let mut screens = self.screens.iter();
        if let Some(at) = screens.position(|screen| screen.session_id() == Some(parent)) {
            while self.screens.len() > at {
                self.pop_screen(out);
            }
        }
        // A fork opens at the position in its parent.
        let last = self
            .saved_state
            .last
            .take()
            .filter(|last| last.session == *parent);
        let place = last.map(|last| SessionPosition::from_last_place(&last));
        self.open_locked_session(fork, opened, place, out);
    }

    /// Shows a session whose lock this process has just taken.
    fn open_locked_session(
        &mut self,
        session: SessionId,
        opened: &Arc<OpenedSession>,
        place: Option<SessionPosition>,
        out: &mut InputOutcome,
    ) {
        self.store_arrangement();
        let debate = Debate::from_opened(session, &self.saved_state, opened, place);
        self.push_screen(Box::new(debate), out);
        out.commands
            .push(Command::Remember(Box::new(self.to_ui_state())));
    }

    fn store_arrangement(&mut self) {
        self.saved_state = self.to_ui_state();
    }

    pub(super) fn leave_screen(&mut self, out: &mut InputOutcome) {
        if self.screens.len() <= 1 {
            return self.quit();
        }
        let left_session = self
            .screens
            .last()
            .and_then(|top| top.session_id().cloned());
        let walked_turn = self.screens.last().and_then(|top| top.walked_turn());
        self.pop_screen(out);
        if let Some(screen) = self.screens.last_mut() {
            match (walked_turn, left_session) {
                (Some(address), _) => screen.select_turn(address),
                (None, Some(session)) => screen.select_session(session),
                (None, None) => {}
            }
            let (id, effects) = (screen.id, screen.handle_return());
            self.perform_effects(id, effects, out);
        }
        out.commands
            .push(Command::Remember(Box::new(self.to_ui_state())));
    }

    /// Takes the top screen away: a debate that is being played goes on without it.
    pub(super) fn pop_screen(&mut self, out: &mut InputOutcome) {
        self.resolver.reset();
        let Some(screen) = self.screens.pop() else {
            return;
        };
        screen.save_state(&mut self.saved_state);
        let Some(id) = screen.session_id().cloned() else {
            return;
        };
        if screen.describe_open_work().is_some() {
            let text = "it goes on while you are elsewhere; opening it again shows it";
            self.message = Some((Role::Notice, text.to_owned()));
            self.parked.insert(id, screen);
        } else if !self
            .screens
            .iter()
            .any(|other| other.session_id() == Some(&id))
        {
            out.commands.push(Command::Release(id));
        }
    }
}
