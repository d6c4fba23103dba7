//! Stack of screens: effects on it, forks in place of their parents, debates that continue unseen.

use super::{App, InputOutcome, OpenScreen};
use crate::tui::app::SessionPosition;
use crate::tui::app::effect::{Command, Effect};
use crate::tui::app::screen::Screen;
use crate::tui::app::task::{ScreenId, Task};
use crate::tui::keys::spelled;
use crate::tui::screens::debate::Debate;
use crate::tui::screens::session_diff::Compare;
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_view::Opened;
use elenchus_view::session_diff::DiffSide;
use std::sync::Arc;

impl App {
    /// Performs what a screen wants done.
    pub(super) fn perform(&mut self, from: ScreenId, effects: Vec<Effect>, out: &mut InputOutcome) {
        for effect in effects {
            self.perform_one(from, effect, out);
        }
    }

    fn perform_one(&mut self, from: ScreenId, effect: Effect, out: &mut InputOutcome) {
        match effect {
            Effect::Show(screen) => self.push(screen, out),
            Effect::Leave => self.leave(out),
            Effect::Replace(screen) => {
                self.take_away(out);
                self.push(screen, out);
            }
            Effect::Open(id, place) => self.open_session(id, place, out),
            Effect::OpenInstead(id) => {
                self.take_away(out);
                self.open_session(id, None, out);
            }
            Effect::OpenBegun(session, opened) => self.open_taken(session, &opened, None, out),
            Effect::OpenForked {
                parent,
                fork,
                opened,
            } => self.open_forked(&parent, fork, &opened, out),
            Effect::Compare(left, right) => {
                let sides = (DiffSide::wanted(&left), DiffSide::wanted(&right));
                self.push(Box::new(Compare::of(sides.0, sides.1)), out);
            }
            Effect::Quit => self.quit(),
            Effect::Say(role, text) => self.said = Some((role, spelled(&text, &self.keys))),
            Effect::Sent(sent) => self.on_their_way.add(sent),
            Effect::Do(command) => out.commands.push(command),
            Effect::Order(order) => out.tasks.push((from, Task::order(order))),
            Effect::Fork(fork) => out.tasks.push((from, Task::fork(fork))),
            Effect::EditOutside(edit) => out.edit = Some((from, edit)),
            Effect::Start(task) => out.tasks.push((from, task)),
        }
    }

    pub(super) fn push(&mut self, screen: Box<dyn Screen>, out: &mut InputOutcome) {
        let id = self.last_screen.next();
        self.put_on_top(OpenScreen { id, screen });
        if let Some(screen) = self.screens.last_mut() {
            screen.recall(&self.kept);
            let effects = screen.opened();
            self.perform(id, effects, out);
        }
    }

    /// A chord that has begun ends where the screen changes, and only there: what is read in the background
    /// comes between two keys.
    fn put_on_top(&mut self, screen: OpenScreen) {
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
            Some(screen) => self.put_on_top(screen),
            None => {
                let debate = Debate::unread(id, &self.kept, place);
                self.push(Box::new(debate), out);
            }
        }
    }

    /// Shows a fork in place of its parent, and of what lay over that.
    fn open_forked(
        &mut self,
        parent: &SessionId,
        fork: SessionId,
        opened: &Arc<Opened>,
        out: &mut InputOutcome,
    ) {
        self.on_their_way.forked(parent, &fork);
        let mut screens = self.screens.iter();
        if let Some(at) = screens.position(|screen| screen.session() == Some(parent)) {
            while self.screens.len() > at {
                self.take_away(out);
            }
        }
        // A fork opens at the position in its parent.
        let last = self.kept.last.take().filter(|last| last.session == *parent);
        let place = last.map(|last| SessionPosition::of(&last));
        self.open_taken(fork, opened, place, out);
    }

    /// Shows a session whose lock this process has just taken.
    fn open_taken(
        &mut self,
        session: SessionId,
        opened: &Arc<Opened>,
        place: Option<SessionPosition>,
        out: &mut InputOutcome,
    ) {
        self.keep_arrangement();
        let debate = Debate::taken(session, &self.kept, opened, place);
        self.push(Box::new(debate), out);
        out.commands
            .push(Command::Remember(Box::new(self.arranged())));
    }

    fn keep_arrangement(&mut self) {
        self.kept = self.arranged();
    }

    pub(super) fn leave(&mut self, out: &mut InputOutcome) {
        if self.screens.len() <= 1 {
            return self.quit();
        }
        let left = self.screens.last().and_then(|top| top.session().cloned());
        self.take_away(out);
        if let Some(screen) = self.screens.last_mut() {
            if let Some(session) = left {
                screen.came_from(session);
            }
            let (id, effects) = (screen.id, screen.returned());
            self.perform(id, effects, out);
        }
        out.commands
            .push(Command::Remember(Box::new(self.arranged())));
    }

    /// Takes the top screen away: a debate that is being played goes on without it.
    pub(super) fn take_away(&mut self, out: &mut InputOutcome) {
        self.resolver.reset();
        let Some(screen) = self.screens.pop() else {
            return;
        };
        screen.keep(&mut self.kept);
        let Some(id) = screen.session().cloned() else {
            return;
        };
        if screen.busy().is_some() {
            let text = "it goes on while you are elsewhere; opening it again shows it";
            self.said = Some((Role::Notice, text.to_owned()));
            self.parked.insert(id, screen);
        } else if !self
            .screens
            .iter()
            .any(|other| other.session() == Some(&id))
        {
            out.commands.push(Command::Release(id));
        }
    }
}
