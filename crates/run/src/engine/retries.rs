//! Retries of a call: charged and published while the call goes on.

use super::call::Call;
use super::cost::SpendLimit;
use super::cost::{Budget, CeilingStatus, Reservation, longer_reply};
use super::live::StreamBuffer;
use super::model_request;
use super::partial_saver::PartialSaver;
use elenchus_game::debate::event::Event;
use elenchus_model::{CallError, Delta, Usage, Watch};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Publishes at once, so that the journal has it before the next try is made. Where another try
/// could pass a ceiling of the run or of the debate none is made: the call ends, and its
/// `CallStarted` replaces the one that failed.
pub(super) struct Retries<'a> {
    pub call: &'a Call,
    pub budget: &'a Budget,
    pub spend_limit: &'a SpendLimit,
    pub cancel: &'a CancellationToken,
    /// At most two messages for each retry.
    pub events: &'a UnboundedSender<Event>,
    /// Buffer of the streamed reply, if it is shown.
    pub stream: Option<&'a Arc<StreamBuffer>>,
    pub partial: &'a PartialSaver,
    /// What was set aside for a reply longer than its request's limit.
    pub longer: Mutex<Vec<LongerReply<'a>>>,
}

/// Cost of the tokens that a reply may have beyond its request's limit, set aside until the call ends.
pub(super) struct LongerReply<'a> {
    _reservation: Reservation<'a>,
    spend_limit: &'a SpendLimit,
    usd: f64,
}

impl Drop for LongerReply<'_> {
    fn drop(&mut self) {
        self.spend_limit.forget_charge(self.usd);
    }
}

impl Watch for Retries<'_> {
    fn may_send(&self) -> bool {
        if self.budget.is_paused() {
            self.cancel.cancel();
        }
        !self.cancel.is_cancelled()
    }

    fn on_delta(&self, delta: Delta<'_>) {
        if let Some(stream) = self.stream {
            stream.push_delta(delta);
        }
        self.partial.push_delta(delta);
    }

    fn on_usage(&self, usage: Usage) {
        let price = &self.call.seat.settings;
        let cost_usd = price.compute_price(usage.input_tokens, usage.output_tokens);
        self.partial
            .set_usage(model_request::to_event_usage(usage), cost_usd);
    }

    fn may_reply_longer(&self, by_tokens: u32) -> bool {
        let more = longer_reply(&self.call.seat.settings, by_tokens);
        if self.spend_limit.charge_try(more.usd) == CeilingStatus::Holds {
            if let Ok(reservation) = self.budget.reserve_more(more) {
                let mut longer = self.longer.lock().unwrap_or_else(PoisonError::into_inner);
                longer.push(LongerReply {
                    _reservation: reservation,
                    spend_limit: self.spend_limit,
                    usd: more.usd,
                });
                return true;
            }
            self.spend_limit.forget_charge(more.usd);
        }
        self.cancel.cancel();
        false
    }

    fn on_retry(&self, _retry: u32, why: &CallError, wait_ms: u64) {
        if let Some(stream) = self.stream {
            stream.discard_text(why, wait_ms);
        }
        let words = self.partial.take_words();
        let charge = self.call.charge_for_failure(why, &words);
        // The receiver is dropped once the debate has ended; its journal is closed as well.
        if let Some(stopped_event) = self.call.stopped_reply_event(why, words) {
            let _ = self.events.send(stopped_event);
        }
        let charged_usd = charge.usd.unwrap_or(0.0);
        match self.spend_limit.charge_try(charged_usd) {
            CeilingStatus::Holds => {}
            CeilingStatus::Broken => return self.cancel.cancel(),
        }
        match self.budget.charge_try(charge.to_expense()) {
            CeilingStatus::Holds => {}
            CeilingStatus::Broken => {
                self.spend_limit.forget_charge(charged_usd);
                return self.cancel.cancel();
            }
        }
        let _ = self.events.send(Event::CallRetried {
            step: self.call.id.clone(),
            why: why.to_string(),
            wait_ms,
            may_have_cost_usd: charge.usd,
            may_have_used_tokens: Some(charge.tokens).filter(|tokens| *tokens > 0),
            unsent: charge.calls == 0,
        });
    }
}
