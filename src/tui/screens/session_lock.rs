//! Session lock of a screen over a debate: takes the session before the first change. Pure.

use crate::debate::SessionId;
use crate::engine::live::LiveCommand;
use crate::tui::app::{Deed, Effect, Told, fail};
use crate::workspace::Reopen;

/// Whose a session is when a screen is opened over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// It was taken by this workbench.
    Taken,
    /// Not taken yet.
    #[default]
    Free,
    /// An embedded example: any change makes a fork.
    Example,
}

/// The hand of such a screen.
#[derive(Debug, Clone)]
pub(super) struct LockControl {
    session: SessionId,
    hold: Hold,
    waiting: Option<LiveCommand>,
    forking: bool,
}

impl LockControl {
    /// A hand on a session.
    pub fn on(session: SessionId, hold: Hold) -> Self {
        Self {
            session,
            hold,
            waiting: None,
            forking: false,
        }
    }

    /// Gives an order and leaves the screen once it is given: what comes of it is seen below.
    pub fn give(&mut self, order: LiveCommand) -> Vec<Effect> {
        match self.hold {
            Hold::Taken => self.given(order),
            Hold::Free => {
                self.waiting = Some(order);
                vec![Effect::Do(Deed::Take(self.session.clone()))]
            }
            Hold::Example => self.fork(Reopen::Nothing, vec![order]),
        }
    }

    /// Forks the session; the fork is shown once it is there.
    pub fn fork(&mut self, reopen: Reopen, then: Vec<LiveCommand>) -> Vec<Effect> {
        if self.forking {
            return Vec::new();
        }
        self.forking = true;
        vec![Effect::Do(Deed::Fork {
            parent: self.session.clone(),
            reopen,
            then,
        })]
    }

    /// Takes in the result of taking and forking.
    pub fn told(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Taken(session) if *session == self.session => {
                self.hold = Hold::Taken;
                let waiting = self.waiting.take();
                waiting.map_or_else(Vec::new, |order| self.given(order))
            }
            Told::NotTaken(session, why) if *session == self.session => {
                if self.waiting.take().is_none() {
                    return Vec::new();
                }
                fail(why.clone())
            }
            Told::Released(session) if *session == self.session => {
                self.hold = Hold::Free;
                Vec::new()
            }
            Told::Forked { parent, result } if *parent == self.session && self.forking => {
                self.forking = false;
                match result {
                    Ok((fork, _)) => vec![Effect::OpenForked(fork.clone())],
                    Err(why) => fail(why.clone()),
                }
            }
            _ => Vec::new(),
        }
    }

    fn given(&self, order: LiveCommand) -> Vec<Effect> {
        vec![
            Effect::Do(Deed::Order(self.session.clone(), order)),
            Effect::Leave,
        ]
    }
}
