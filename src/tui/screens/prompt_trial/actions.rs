//! Actions of the prompt trial.

use super::ask::{Asking, Decided, For};
use super::sample::TrialSample;
use super::{Playing, Try, tasks};
use crate::debate::protocol::Ceilings;
use crate::engine::Repeats;
use crate::experiments::StopSignal;
use crate::experiments::prompt_trial::{MAX_SAMPLES, TryPlan};
use crate::tui::app::{Command, Effect, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::PopupResult;
use crate::tui::screens::debate::SessionPosition;
use crate::tui::screens::inspect::Inspector;
use ratatui::crossterm::event::KeyEvent;

impl Try {
    pub(crate) fn answer(&mut self, action: Action) -> Vec<Effect> {
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => return self.leave(),
            Action::Interrupt if self.playing.is_some() => return self.stop(),
            Action::Interrupt => return vec![Effect::Quit],
            Action::StopStream => return self.stop(),
            Action::MoreSamples => return self.ask_for_more(),
            Action::RollForward => return self.ask_onward(),
            Action::AskAnew => return self.ask_anew(),
            Action::Adopt => return self.adopt(),
            Action::Open => return self.open(),
            Action::Inspect => return self.inspect(),
            Action::PreviousTurn => return self.answer(Action::Left),
            Action::NextTurn => return self.answer(Action::Right),
            Action::Difference => {
                self.show.difference = !self.show.difference;
                self.columns.forget();
            }
            Action::Private => {
                self.show.private = !self.show.private;
                self.columns.forget();
            }
            Action::Copy => {
                let text = self.text();
                let text = text.map(|text| Effect::Do(Command::Copy(text)));
                return text.into_iter().collect();
            }
            Action::Pager => return vec![Effect::Do(Command::Page(self.whole()))],
            other => {
                self.columns.act(other);
            }
        }
        Vec::new()
    }

    pub(crate) fn key_typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(asking) = &mut self.asking else {
            return Vec::new();
        };
        match asking.key(key) {
            PopupResult::Stays => Vec::new(),
            PopupResult::Closes => {
                self.asking = None;
                Vec::new()
            }
            PopupResult::Says(decided) => {
                self.asking = None;
                self.play(decided)
            }
        }
    }

    fn play(&mut self, decided: Decided) -> Vec<Effect> {
        let numbers = self.samples.iter().map(|sample| sample.number);
        let first_sample = match decided.what {
            For::More => numbers.max().map_or(0, |last| last.saturating_add(1)),
            For::Onward | For::Anew => numbers.min().unwrap_or(0),
        };
        let repeats = match decided.what {
            For::More | For::Onward => Repeats::Serve,
            For::Anew => Repeats::AskAnew,
        };
        self.roll = decided.roll;
        let plan = TryPlan {
            session: self.wish.session.clone(),
            turn: self.wish.turn.clone(),
            change: self.wish.change.clone(),
            samples: decided.samples,
            first_sample,
            roll: decided.roll,
            repeats,
            ceilings: Ceilings::of_usd(self.card.as_ref().and_then(|card| card.budget_usd)),
        };
        let stop = StopSignal::at_once();
        let play = tasks::play(plan.clone(), stop.clone());
        self.playing = Some(Playing { plan, stop });
        vec![Effect::Start(play)]
    }

    fn ask_for_more(&mut self) -> Vec<Effect> {
        if let Some(said) = self.not_now() {
            return said;
        }
        if self.samples.len() >= MAX_SAMPLES as usize {
            let text = format!("there are {MAX_SAMPLES} samples: a comparison takes more");
            return say(text);
        }
        self.asking = Some(Asking::more(self.roll));
        Vec::new()
    }

    fn ask_anew(&mut self) -> Vec<Effect> {
        if let Some(said) = self.not_now() {
            return said;
        }
        if self.samples.is_empty() {
            return self.ask_for_more();
        }
        self.asking = Some(Asking::anew(self.samples.len(), self.roll));
        Vec::new()
    }

    fn ask_onward(&mut self) -> Vec<Effect> {
        if let Some(said) = self.not_now() {
            return said;
        }
        if self.samples.is_empty() {
            return self.ask_for_more();
        }
        self.asking = Some(Asking::onward(self.samples.len()));
        Vec::new()
    }

    /// Says why nothing can be asked now; `None` where it can.
    fn not_now(&self) -> Option<Vec<Effect>> {
        let text = if self.card.is_none() {
            self.empty.clone()
        } else if self.playing.is_some() {
            let stop = key_for(Context::Try, Action::StopStream);
            format!("samples are being played: {stop} stops them")
        } else {
            return None;
        };
        Some(say(text))
    }

    fn stop(&mut self) -> Vec<Effect> {
        let Some(playing) = &self.playing else {
            return say("nothing is being played");
        };
        playing.stop.pause.cancel();
        say("stopping; what came is kept")
    }

    fn leave(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if let Some(playing) = &self.playing {
            playing.stop.pause.cancel();
            effects.extend(say("the samples were stopped; what came is kept"));
        }
        effects.push(Effect::Leave);
        effects
    }

    fn adopt(&mut self) -> Vec<Effect> {
        let Some(sample) = self.here() else {
            let next = key_for(Context::Try, Action::NextTurn);
            return say(format!(
                "this is the recorded reply: {next} goes to the samples"
            ));
        };
        if !sample.is_over() {
            return say("this sample is still being played");
        }
        if sample.attempt(&self.wish.turn).is_none() {
            return say("this sample brought no reply: there is nothing to adopt");
        }
        let session = sample.session.clone();
        if sample.adopted {
            return vec![Effect::Open(session, Some(self.place()))];
        }
        vec![Effect::Start(tasks::adopt(session))]
    }

    /// Returns the position at which a session opens from here.
    pub(crate) fn place(&self) -> SessionPosition {
        SessionPosition {
            turn: Some(self.wish.turn.clone()),
            pane: None,
        }
    }

    fn open(&self) -> Vec<Effect> {
        let session = self.here().map(|sample| &sample.session);
        let session = session.unwrap_or(&self.wish.session).clone();
        vec![Effect::Open(session, Some(self.place()))]
    }

    /// Shows what the seat was shown: in the sample under the cursor, or when it was recorded.
    fn inspect(&self) -> Vec<Effect> {
        let turn = &self.wish.turn;
        let found = match self.here() {
            Some(sample) => sample
                .attempt(turn)
                .map(|(id, _)| (&sample.session, &*sample.state, id)),
            None => self.card.as_ref().and_then(|card| {
                let (id, _) = card.recorded.chosen(turn)?;
                Some((&self.wish.session, &card.recorded, id))
            }),
        };
        match found {
            Some((session, state, id)) => {
                let inspector = Inspector::of_attempt(session, state, &id);
                vec![Effect::Show(Box::new(inspector))]
            }
            None => say("no reply came yet: there is nothing to look into"),
        }
    }

    fn text_of(&self, sample: &TrialSample) -> Option<String> {
        let (_, attempt) = sample.attempt(&self.wish.turn)?;
        Some(attempt.reply.text.clone())
    }

    fn recorded_text(&self) -> Option<String> {
        let card = self.card.as_ref()?;
        let (_, attempt) = card.recorded.chosen(&self.wish.turn)?;
        Some(attempt.reply.text.clone())
    }

    fn text(&self) -> Option<String> {
        match self.here() {
            Some(sample) => self.text_of(sample),
            None => self.recorded_text(),
        }
    }

    /// Returns everything as one text, masked where content is.
    fn whole(&self) -> String {
        let shown = |text: Option<String>| self.show.content.of(&text.unwrap_or_default());
        let mut page = format!("{} of session {}\n", self.wish.turn, self.wish.session);
        page.push_str(&format!(
            "\n=== recorded\n{}\n",
            shown(self.recorded_text())
        ));
        for sample in &self.samples {
            let text = shown(self.text_of(sample));
            let title = self.title_of(sample);
            page.push_str(&format!("\n=== sample {title}\n{text}\n"));
        }
        page
    }
}
