//! Results of commands, as the prompt trial takes them in.

use super::Try;
use super::actions::say;
use super::ask::Asking;
use super::sample::TrialSample;
use crate::debate::SessionId;
use crate::experiments::prompt_trial::TrialUpdate;
use crate::tui::app::{AnnotateDeed, Deed, Effect, Told, TryCard, TryTold};
use crate::tui::theme::Role;
use std::sync::Arc;

impl Try {
    pub(crate) fn heard(&mut self, told: &Told) -> Vec<Effect> {
        let Told::Try(told) = told else {
            return Vec::new();
        };
        match told {
            TryTold::Read(ticket, read) if *ticket == self.ticket => self.read(read),
            TryTold::Went(ticket, update) if *ticket == self.ticket => {
                self.went(update);
                Vec::new()
            }
            TryTold::Over(ticket, over) if *ticket == self.ticket => self.over(over),
            TryTold::Adopted(sample, adopted) => self.adopted(sample, adopted),
            TryTold::Read(..)
            | TryTold::Went(..)
            | TryTold::Over(..)
            | TryTold::Comparisons(_)
            | TryTold::Surveyed(..)
            | TryTold::Planned(..)
            | TryTold::Begun(..)
            | TryTold::Compared(..)
            | TryTold::Ended(..) => Vec::new(),
        }
    }

    fn read(&mut self, read: &Result<Arc<TryCard>, String>) -> Vec<Effect> {
        self.wrapped.clear();
        match read {
            Ok(card) => {
                self.card = Some(Arc::clone(card));
                self.asking = Some(Asking::more(self.roll));
                // What judges found on the recorded turn is shown: labels on it are not blind.
                let seen = AnnotateDeed::Listed(vec![self.wish.session.clone()]);
                vec![Effect::Do(Deed::Annotate(seen))]
            }
            Err(why) => {
                self.empty.clone_from(why);
                vec![Effect::Say(Role::Error, why.clone())]
            }
        }
    }

    fn went(&mut self, update: &TrialUpdate) {
        match update {
            TrialUpdate::Begun {
                number,
                session,
                state,
            } => self.begun(TrialSample::begun(*number, session, state)),
            TrialUpdate::Live { number, event } => {
                if let Some(at) = self.at(*number)
                    && let Some(sample) = self.samples.get_mut(at)
                {
                    sample.take(event);
                    self.forget(at);
                }
            }
            TrialUpdate::Left { number, end } => {
                if let Some(at) = self.at(*number)
                    && let Some(sample) = self.samples.get_mut(at)
                {
                    sample.left(end.clone());
                    self.forget(at);
                }
            }
        }
    }

    /// Replaces the sample of the same number.
    fn begun(&mut self, sample: TrialSample) {
        let is_first = self.samples.is_empty();
        match self.at(sample.number) {
            Some(at) => {
                if let Some(place) = self.samples.get_mut(at) {
                    *place = sample;
                }
            }
            None => {
                self.samples.push(sample);
                self.samples.sort_by_key(|sample| sample.number);
            }
        }
        self.wrapped.clear();
        if is_first {
            self.cursor = 1;
        }
    }

    fn at(&self, number: u32) -> Option<usize> {
        let mut samples = self.samples.iter();
        samples.position(|sample| sample.number == number)
    }

    /// Drops the cached lines of a sample, and of those compared with it.
    fn forget(&mut self, at: usize) {
        let changed = [0, at + 1];
        self.wrapped
            .retain(|(column, _), _| !changed.contains(column));
    }

    fn over(&mut self, over: &Result<(), String>) -> Vec<Effect> {
        self.playing = false;
        match over {
            Ok(()) => Vec::new(),
            Err(why) => vec![Effect::Say(Role::Error, why.clone())],
        }
    }

    fn adopted(&mut self, session: &SessionId, adopted: &Result<(), String>) -> Vec<Effect> {
        let mut samples = self.samples.iter_mut();
        let Some(sample) = samples.find(|sample| sample.session == *session) else {
            return Vec::new();
        };
        match adopted {
            Ok(()) => {
                sample.adopted = true;
                let mut effects = vec![Effect::Open(session.clone(), Some(self.place()))];
                effects.extend(say("the sample is a session of its own now, a fork"));
                effects
            }
            Err(why) => vec![Effect::Say(Role::Error, why.clone())],
        }
    }
}
