//! Work that is paid for: what it costs is looked up and said, a person says yes, and it goes on in the
//! background until it is over or stopped.

use crate::tui::app::Ticket;
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::DrawContext;
use elenchus_run::experiments::StopSignal;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Work of a plan, with how far it is.
pub struct PaidWork<P, G> {
    stage: Stage<P, G>,
    /// Names the latest question for a price.
    asked: Ticket,
}

enum Stage<P, G> {
    Nothing,
    Pricing,
    Asking(Dialog<P>),
    Going(StopSignal, G),
    /// How it ended, where there is something to say of that.
    Over(Option<String>),
}

/// What the work is at, as a screen says it.
pub enum WorkStatus<'a, G> {
    Nothing,
    Pricing,
    Going(&'a G),
    Over(Option<&'a str>),
}

/// Answer of a person to the price.
pub enum PriceAnswer<P> {
    /// It may begin.
    Yes(P),
    No,
}

impl<P, G> Default for PaidWork<P, G> {
    fn default() -> Self {
        Self {
            stage: Stage::Nothing,
            asked: Ticket::default(),
        }
    }
}

impl<P, G> PaidWork<P, G> {
    /// Takes note that a price is looked up, by the ticket that is returned; `None` where work is under way.
    pub fn begin_pricing(&mut self) -> Option<Ticket> {
        match self.stage {
            Stage::Nothing | Stage::Over(_) => {}
            Stage::Pricing | Stage::Asking(_) | Stage::Going(..) => return None,
        }
        self.asked.0 += 1;
        self.stage = Stage::Pricing;
        Some(self.asked)
    }

    /// Says whether this is the price that is waited for, which is then no more.
    pub fn accept_ticket(&mut self, answered: Ticket) -> bool {
        let is_current = matches!(self.stage, Stage::Pricing) && answered == self.asked;
        if is_current {
            self.stage = Stage::Nothing;
        }
        is_current
    }

    /// Asks whether the work may begin.
    pub fn ask_to_begin(&mut self, title: &str, question: &str, plan: P) {
        self.stage = Stage::Asking(Dialog::new_confirm(title, question, plan));
    }

    /// Says whether keys answer the price.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        matches!(self.stage, Stage::Asking(_))
    }

    /// Takes a key of the answer; `None` while there is none.
    pub fn handle_key(&mut self, key: KeyEvent) -> Option<PriceAnswer<P>> {
        let ask = match std::mem::replace(&mut self.stage, Stage::Nothing) {
            Stage::Asking(ask) => ask,
            other => {
                self.stage = other;
                return None;
            }
        };
        let mut ask = Some(ask);
        match (Dialog::answer_key(&mut ask, key), ask) {
            (Some(DialogAnswer::Yes(plan)), _) => Some(PriceAnswer::Yes(plan)),
            (None, Some(ask)) => {
                self.stage = Stage::Asking(ask);
                None
            }
            (_, _) => Some(PriceAnswer::No),
        }
    }

    /// Takes note that the work goes on from now on; returns what stops it.
    pub fn start_work(&mut self, progress: G) -> StopSignal {
        let stop = StopSignal::new_immediate();
        self.stage = Stage::Going(stop.clone(), progress);
        stop
    }

    /// Returns how far it is, while it goes on.
    pub(in crate::tui) fn progress_mut(&mut self) -> Option<&mut G> {
        match &mut self.stage {
            Stage::Going(_, progress) => Some(progress),
            Stage::Nothing | Stage::Pricing | Stage::Asking(_) | Stage::Over(_) => None,
        }
    }

    /// Begins nothing more; `false` where nothing goes on.
    pub(in crate::tui) fn stop_work(&self) -> bool {
        if let Stage::Going(stop, _) = &self.stage {
            stop.pause.cancel();
        }
        self.is_running()
    }

    pub fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Going(..))
    }

    /// Takes note of its end.
    pub fn end_work(&mut self, said: Option<String>) {
        self.stage = Stage::Over(said);
    }

    pub fn work_status(&self) -> WorkStatus<'_, G> {
        match &self.stage {
            Stage::Nothing | Stage::Asking(_) => WorkStatus::Nothing,
            Stage::Pricing => WorkStatus::Pricing,
            Stage::Going(_, progress) => WorkStatus::Going(progress),
            Stage::Over(said) => WorkStatus::Over(said.as_deref()),
        }
    }

    /// Draws the price and the question.
    pub(in crate::tui) fn draw(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if let Stage::Asking(ask) = &self.stage {
            ask.draw(area, buffer, context);
        }
    }
}
