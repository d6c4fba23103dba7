//! Stack of screens: effects on it, forks in place of their parents, debates that continue unseen.

use super::{App, InputOutcome, OpenScreen};
use crate::debate::SessionId;
use crate::tui::app::deed::{Deed, Effect};
use crate::tui::app::screen::Screen;
use crate::tui::app::task::ScreenId;
use crate::tui::keys::spelled;
use crate::tui::screens::debate::{Debate, SessionPosition};
use crate::tui::screens::session_diff::{Compare, DiffSide};
use crate::tui::theme::Role;

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
            Effect::OpenForked(child) => self.open_forked(&child, out),
            Effect::OpenBegun(session, opened) => {
                self.forked = Some((session.clone(), session.clone(), opened));
                self.open_forked(&session, out);
            }
            Effect::Compare(left, right) => {
                let (compare, effects) =
                    Compare::of(DiffSide::wanted(&left), DiffSide::wanted(&right));
                self.push(Box::new(compare), out);
                self.perform(from, effects, out);
            }
            Effect::Quit => self.quit(),
            Effect::Say(role, text) => self.said = Some((role, spelled(&text, &self.keys))),
            Effect::Sent(sent) => self.on_their_way.add(sent),
            Effect::Do(deed) => out.deeds.push(deed),
            Effect::EditOutside(edit) => out.edit = Some((from, edit)),
            Effect::Start(task) => out.tasks.push((from, task)),
        }
        self.resolver.reset();
    }

    pub(super) fn push(&mut self, screen: Box<dyn Screen>, out: &mut InputOutcome) {
        let id = self.last_screen.next();
        self.screens.push(OpenScreen { id, screen });
        if let Some(screen) = self.screens.last_mut() {
            screen.recall(&self.kept);
            let effects = screen.opened();
            self.perform(id, effects, out);
        }
    }

    pub(super) fn open_session(
        &mut self,
        id: SessionId,
        place: Option<SessionPosition>,
        out: &mut InputOutcome,
    ) {
        match self.parked.remove(&id) {
            Some(screen) => self.screens.push(screen),
            None => {
                let (debate, effect) = Debate::opening(id, &self.kept, place);
                self.push(Box::new(debate), out);
                let from = self.last_screen;
                self.perform_one(from, effect, out);
            }
        }
    }

    /// Shows a fork in place of its parent, and of what lay over that.
    fn open_forked(&mut self, child: &SessionId, out: &mut InputOutcome) {
        let Some((parent, made, opened)) = self.forked.take() else {
            return;
        };
        if made != *child {
            self.forked = Some((parent, made, opened));
            return;
        }
        let mut screens = self.screens.iter();
        if let Some(at) = screens.position(|screen| screen.session() == Some(&parent)) {
            while self.screens.len() > at {
                self.take_away(out);
            }
        }
        // A fork opens at the position in its parent.
        let last = self.kept.last.take().filter(|last| last.session == parent);
        let place = last.map(|last| SessionPosition::of(&last));
        self.keep_arrangement();
        let debate = Debate::opened(made, &self.kept, &opened, place);
        self.push(Box::new(debate), out);
        out.deeds.push(Deed::Remember(self.arranged()));
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
        out.deeds.push(Deed::Remember(self.arranged()));
    }

    /// Takes the top screen away: a debate that is being played goes on without it.
    pub(super) fn take_away(&mut self, out: &mut InputOutcome) {
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
            out.deeds.push(Deed::Release(id));
        }
    }
}
