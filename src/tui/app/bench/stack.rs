//! Stack of screens: effects on it, forks in place of their parents, debates that continue unseen.

use super::{App, InputOutcome};
use crate::debate::SessionId;
use crate::tui::app::deed::{Deed, Effect};
use crate::tui::keys::spelled;
use crate::tui::screens::debate::{Debate, SessionPosition};
use crate::tui::screens::session_diff::{Compare, DiffSide};
use crate::tui::theme::Role;

impl App {
    pub(super) fn perform(&mut self, effects: Vec<Effect>, out: &mut InputOutcome) {
        for effect in effects {
            self.perform_one(effect, out);
        }
    }

    pub(super) fn perform_one(&mut self, effect: Effect, out: &mut InputOutcome) {
        match effect {
            Effect::Show(screen) => self.screens.push(screen),
            Effect::Leave => self.leave(out),
            Effect::Replace(screen) => {
                self.take_away(out);
                self.screens.push(screen);
            }
            Effect::Open(id, place) => {
                let opened = match self.parked.remove(&id) {
                    Some(screen) => screen,
                    None => {
                        let (debate, deed) = Debate::opening(id, &self.kept, place);
                        self.perform_one(deed, out);
                        Box::new(debate)
                    }
                };
                self.screens.push(opened);
            }
            Effect::OpenInstead(id) => {
                self.take_away(out);
                self.perform_one(Effect::Open(id, None), out);
            }
            Effect::OpenForked(child) => self.open_forked(&child, out),
            Effect::Compare(left, right) => {
                let (compare, effects) =
                    Compare::of(DiffSide::wanted(&left), DiffSide::wanted(&right));
                self.screens.push(Box::new(compare));
                self.perform(effects, out);
            }
            Effect::Quit => self.quit(),
            Effect::Say(role, text) => self.said = Some((role, spelled(&text, &self.keys))),
            Effect::Sent(sent) => self.on_their_way.add(sent),
            Effect::Do(deed) => out.deeds.push(deed),
        }
        self.resolver.reset();
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
        self.screens.push(Box::new(debate));
        out.deeds.push(Deed::Remember(self.arranged()));
    }

    fn keep_arrangement(&mut self) {
        self.kept = self.arranged();
    }

    pub(super) fn leave(&mut self, out: &mut InputOutcome) {
        if self.screens.len() <= 1 {
            return self.quit();
        }
        self.take_away(out);
        if let Some(screen) = self.screens.last_mut() {
            let effects = screen.returned();
            self.perform(effects, out);
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
