//! Giving orders from a screen that lies over a debate: the session is taken first where nobody has
//! taken it. Pure.

use crate::debate::SessionId;
use crate::driver::desk::Reopen;
use crate::driver::live::Order;
use crate::tui::app::{Deed, Effect, Told};
use crate::tui::theme::Role;

/// Whose a session is when a screen is opened over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// It was taken by this workbench.
    Taken,
    /// Nobody took it yet.
    #[default]
    Free,
    /// It comes with the program: whatever changes it makes a fork.
    Example,
}

/// The hand of such a screen.
#[derive(Debug, Clone)]
pub struct Hand {
    session: SessionId,
    hold: Hold,
    waiting: Option<Order>,
    forking: bool,
}

impl Hand {
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
    pub fn give(&mut self, order: Order) -> Vec<Effect> {
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
    pub fn fork(&mut self, reopen: Reopen, then: Vec<Order>) -> Vec<Effect> {
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

    /// Learns what came of taking and forking.
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
                vec![Effect::Say(Role::Error, why.clone())]
            }
            Told::Released(session) if *session == self.session => {
                self.hold = Hold::Free;
                Vec::new()
            }
            Told::Forked { parent, result } if *parent == self.session && self.forking => {
                self.forking = false;
                match result {
                    Ok((fork, _)) => vec![Effect::OpenForked(fork.clone())],
                    Err(why) => vec![Effect::Say(Role::Error, why.clone())],
                }
            }
            _ => Vec::new(),
        }
    }

    fn given(&self, order: Order) -> Vec<Effect> {
        vec![
            Effect::Do(Deed::Order(self.session.clone(), order)),
            Effect::Leave,
        ]
    }
}
