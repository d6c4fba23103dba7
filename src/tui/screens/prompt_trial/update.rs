//! Results of tasks, as the prompt trial takes them in.

use super::ask::Asking;
use super::sample::TrialSample;
use super::{Try, TryCard};
use crate::debate::SessionId;
use crate::experiments::prompt_trial::TrialUpdate;
use crate::tui::app::{Effect, Task, fail, say};

impl Try {
    pub(super) fn read(&mut self, read: Result<Box<TryCard>, String>) -> Vec<Effect> {
        self.columns.forget();
        match read {
            Ok(card) => {
                self.columns.set_count(self.samples.len() + 1);
                self.card = Some(card);
                self.asking = Some(Asking::more(self.roll));
                // What judges found on the recorded turn is shown: labels on it are not blind.
                let seen = vec![self.wish.session.clone()];
                vec![Effect::Start(Task::record_listed(seen))]
            }
            Err(why) => {
                self.empty.clone_from(&why);
                fail(why)
            }
        }
    }

    pub(super) fn went(&mut self, update: TrialUpdate) {
        match update {
            TrialUpdate::Begun {
                number,
                session,
                state,
            } => self.begun(TrialSample::begun(number, session, state)),
            TrialUpdate::Live { number, event } => {
                if let Some(at) = self.at(number)
                    && let Some(sample) = self.samples.get_mut(at)
                {
                    sample.take(&event);
                    self.forget(at);
                }
            }
            TrialUpdate::Left { number, end } => {
                if let Some(at) = self.at(number)
                    && let Some(sample) = self.samples.get_mut(at)
                {
                    sample.left(end);
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
        self.columns.forget();
        self.columns.set_count(self.samples.len() + 1);
        if is_first {
            self.columns.choose(1);
        }
    }

    fn at(&self, number: u32) -> Option<usize> {
        let mut samples = self.samples.iter();
        samples.position(|sample| sample.number == number)
    }

    /// Drops the cached lines of a sample, and of those compared with it.
    fn forget(&mut self, at: usize) {
        self.columns.forget_some(&[0, at + 1]);
    }

    pub(super) fn adopted(
        &mut self,
        session: &SessionId,
        adopted: Result<(), String>,
    ) -> Vec<Effect> {
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
            Err(why) => fail(why),
        }
    }
}
