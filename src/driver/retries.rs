//! What a model says about its retries while a call goes on.

use super::budget::{Budget, Standing};
use super::call::Call;
use super::live::Pieces;
use super::purse::Purse;
use crate::debate::event::Event;
use crate::model::{CallError, Delta, Watch};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Tells at once, so that the journal knows of it before the next try is made, and ends the call
/// when another try could pass the run's ceiling or the debate's own.
pub(super) struct Retries<'a> {
    pub call: &'a Call,
    pub budget: &'a Budget,
    pub purse: &'a Purse,
    pub cancel: &'a CancellationToken,
    /// As many messages as a call has retries.
    pub tell: &'a UnboundedSender<Event>,
    /// Where the reply is shown while it arrives, if anywhere.
    pub pieces: Option<&'a Arc<Pieces>>,
}

impl Watch for Retries<'_> {
    fn delta(&self, delta: Delta<'_>) {
        if let Some(pieces) = self.pieces {
            pieces.came(delta);
        }
    }

    fn retrying(&self, _retry: u32, why: &CallError, wait_ms: u64) {
        if let Some(pieces) = self.pieces {
            pieces.void(why, wait_ms);
        }
        let may_have_cost_usd = self.call.may_have_cost_usd(why);
        let charged = may_have_cost_usd.unwrap_or(0.0);
        for standing in [self.budget.charge(charged), self.purse.charge(charged)] {
            match standing {
                Standing::Holds => {}
                Standing::Broken => self.cancel.cancel(),
            }
        }
        // Nobody listens once the debate is left: then its journal is closed as well.
        let _ = self.tell.send(Event::CallRetried {
            step: self.call.id.clone(),
            why: why.to_string(),
            wait_ms,
            may_have_cost_usd,
        });
    }
}
