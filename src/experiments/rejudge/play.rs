//! Play of a pass: calls run concurrently; each verdict is durable before it is published.

use super::session_judging::SessionJudging;
use super::{PassEnd, PassFloor, PassUpdate};
use crate::debate::protocol::Ceilings;
use crate::debate::{Expense, Judge, SessionId};
use crate::engine::Call;
use crate::engine::cost::expense;
use crate::engine::cost::{Budget, CeilingStatus, Reservation};
use crate::model::{self, CallError, CallErrorKind, Delta, Watch};
use crate::store::JournalWriter;
use crate::workspace::WorkspaceError;
use crate::workspace::pass::{PassEvent, PassState, Rejudged, VerdictAddress};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Pass in progress.
pub(super) struct PassRunner {
    table: PassCalls,
    state: PassState,
    sessions: VecDeque<SessionId>,
    waiting: VecDeque<WantedVerdict>,
    missing: usize,
}

/// State shared by calls in flight.
struct PassCalls {
    floor: PassFloor,
    journal: JournalWriter<PassEvent>,
    budget: Budget,
    ceiling_usd: Option<f64>,
    tell: UnboundedSender<PassUpdate>,
    cancel: CancellationToken,
}

/// A verdict that is to be asked for.
struct WantedVerdict {
    bench: Arc<SessionJudging>,
    judge: Judge,
    /// The earlier verdict, if it was unparsed.
    before: Option<Rejudged>,
}

/// Result of a call.
enum CallResult<'a> {
    Answered {
        wanted: WantedVerdict,
        call: Box<Call>,
        reservation: Reservation<'a>,
        result: Box<Result<model::Reply, CallError>>,
    },
    /// Found without a call.
    Found(Box<Rejudged>),
    /// Nothing was sent: the ceiling is reached, or the pass was cancelled.
    NotSent,
    /// Nothing can be sent.
    Failed {
        wanted: WantedVerdict,
        why: String,
    },
    Broke(WorkspaceError),
}

impl PassRunner {
    pub(crate) fn new(
        floor: PassFloor,
        journal: JournalWriter<PassEvent>,
        state: PassState,
        tell: UnboundedSender<PassUpdate>,
        cancel: CancellationToken,
    ) -> Self {
        let ceiling_usd = state.manifest.budget_usd;
        let ceilings = Ceilings {
            cost_usd: ceiling_usd,
            ..Ceilings::default()
        };
        let spent = Expense::of_usd(state.committed_usd());
        Self {
            sessions: state.manifest.sessions.iter().cloned().collect(),
            table: PassCalls {
                budget: Budget::of_many(ceilings, spent),
                ceiling_usd,
                floor,
                journal,
                tell,
                cancel,
            },
            state,
            waiting: VecDeque::new(),
            missing: 0,
        }
    }

    /// Carries it out and sends its end, once the journal's lock is released.
    pub(crate) async fn finish(self) {
        let tell = self.table.tell.clone();
        let ended = self.carry_out().await;
        // The receiver may have been dropped; the journal can be read.
        let _ = tell.send(PassUpdate::Ended(ended.map_err(|error| error.to_string())));
    }

    async fn carry_out(mut self) -> Result<PassEnd, WorkspaceError> {
        let table = self.table;
        let mut rest = PassTotals {
            state: self.state,
            missing: self.missing,
        };
        let mut doing: FuturesUnordered<BoxFuture<'_, CallResult<'_>>> = FuturesUnordered::new();
        let at_once = table.floor.concurrency.max(1);
        loop {
            while doing.len() < at_once && !table.is_stopping() {
                if let Some(wanted) = self.waiting.pop_front() {
                    doing.push(Box::pin(ask(&table, wanted)));
                } else if let Some(session) = self.sessions.pop_front() {
                    self.waiting = table.open(session, &mut rest).await;
                } else {
                    break;
                }
            }
            let Some(came) = doing.next().await else {
                break;
            };
            let again = table.take_in(came, &mut rest).await?;
            self.waiting.extend(again);
        }
        drop(doing);
        table.close(&rest).await
    }
}

/// State that changes while calls are in flight.
struct PassTotals {
    state: PassState,
    missing: usize,
}

impl PassCalls {
    fn is_stopping(&self) -> bool {
        self.cancel.is_cancelled() || self.budget.is_exhausted()
    }

    fn say(&self, update: PassUpdate) {
        // The receiver may have been dropped; the journal can be read.
        let _ = self.tell.send(update);
    }

    async fn note(&self, event: PassEvent, rest: &mut PassTotals) -> Result<(), WorkspaceError> {
        let at = self.floor.desk.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        rest.state.apply(&at, &event);
        Ok(())
    }

    /// Reads a session and returns what is to be asked about it.
    async fn open(&self, session: SessionId, rest: &mut PassTotals) -> VecDeque<WantedVerdict> {
        let (layout, manifest) = (self.floor.desk.layout.clone(), rest.state.manifest.clone());
        let named = session.clone();
        let set = move || SessionJudging::set(&layout, &named, &manifest);
        let bench = match tokio::task::spawn_blocking(set).await {
            Ok(Ok(bench)) => Arc::new(bench),
            Ok(Err(error)) => {
                rest.missing += 1;
                let why = error.to_string();
                self.say(PassUpdate::LeftOut { session, why });
                return VecDeque::new();
            }
            Err(error) => {
                rest.missing += 1;
                let why = format!("reading it ended abnormally: {error}");
                self.say(PassUpdate::LeftOut { session, why });
                return VecDeque::new();
            }
        };
        for rule in &bench.left_out {
            let why = format!("a person judged by '{rule}'; name a model to judge by it again");
            let session = session.clone();
            self.say(PassUpdate::LeftOut { session, why });
        }
        let judged = &rest.state.judged;
        let before = |judge: &Judge| {
            let found = judged.get(&VerdictAddress::from_judge(&session, judge));
            found.map(|(_, judged)| judged.clone())
        };
        let wanted: VecDeque<WantedVerdict> = bench
            .judges
            .iter()
            .map(|judge| (judge, before(judge)))
            .filter(|(judge, before)| bench.wants(judge, before.as_ref()))
            .map(|(judge, before)| WantedVerdict {
                bench: Arc::clone(&bench),
                judge: judge.clone(),
                before,
            })
            .collect();
        self.say(PassUpdate::Opened {
            verdicts: bench.judges.len(),
            found: bench.judges.len() - wanted.len(),
            session,
        });
        wanted
    }

    /// Records what came, and returns what must be asked once more.
    async fn take_in(
        &self,
        came: CallResult<'_>,
        rest: &mut PassTotals,
    ) -> Result<Option<WantedVerdict>, WorkspaceError> {
        let (wanted, call, reservation, result) = match came {
            CallResult::NotSent => return Ok(None),
            CallResult::Found(judged) => {
                let asked = judged.asked.clone();
                self.note(PassEvent::Judged(judged), rest).await?;
                self.tell_of(&asked, rest);
                return Ok(None);
            }
            CallResult::Broke(error) => return Err(error),
            CallResult::Failed { wanted, why } => {
                self.failed(&wanted, why, None, rest).await?;
                return Ok(None);
            }
            CallResult::Answered {
                wanted,
                call,
                reservation,
                result,
            } => (wanted, call, reservation, result),
        };
        let worst_case = call.worst_case;
        match *result {
            Ok(reply) => {
                let used = expense(&call.seat.settings, &reply);
                let before = wanted.before.as_ref();
                let attempt = before.map_or(0, |before| before.attempt + 1);
                let judged = wanted.bench.judged(&wanted.judge, attempt, *call, reply);
                let event = PassEvent::Judged(Box::new(judged.clone()));
                self.note(event, rest).await?;
                reservation.settle(used);
                if wanted.bench.wants(&wanted.judge, Some(&judged)) {
                    let before = Some(judged);
                    return Ok(Some(WantedVerdict { before, ..wanted }));
                }
                self.tell_of(&judged.asked, rest);
            }
            // It leaves no event: it counts at its worst.
            Err(error) if error.kind == CallErrorKind::Cancelled => {
                reservation.settle(worst_case.expense());
            }
            Err(error) => {
                self.budget.turned_away(&error);
                let may_have_cost_usd = call.may_have_cost_usd(&error);
                let why = error.to_string();
                self.failed(&wanted, why, may_have_cost_usd, rest).await?;
                reservation.settle(worst_case.charge(&error).expense());
            }
        }
        Ok(None)
    }

    fn tell_of(&self, asked: &VerdictAddress, rest: &PassTotals) {
        if let Some(verdict) = rest.state.given(asked) {
            self.say(PassUpdate::Judged(Box::new(verdict)));
        }
    }

    async fn failed(
        &self,
        wanted: &WantedVerdict,
        why: String,
        may_have_cost_usd: Option<f64>,
        rest: &mut PassTotals,
    ) -> Result<(), WorkspaceError> {
        rest.missing += 1;
        let asked = VerdictAddress::from_judge(&wanted.bench.session, &wanted.judge);
        let event = PassEvent::Failed {
            asked: asked.clone(),
            message: why.clone(),
            may_have_cost_usd,
        };
        self.note(event, rest).await?;
        self.say(PassUpdate::Failed {
            session: asked.session,
            judging: asked.judging,
            target: asked.target,
            why,
        });
        Ok(())
    }

    async fn close(self, rest: &PassTotals) -> Result<PassEnd, WorkspaceError> {
        let end = if self.cancel.is_cancelled() {
            PassEnd::Paused("it was stopped".to_owned())
        } else if let Some(refusal) = self.budget.refusal() {
            PassEnd::Paused(format!(
                "no more calls are sent, for each would be refused as well: {refusal}"
            ))
        } else if self.budget.is_exhausted() {
            PassEnd::Paused(format!(
                "its ceiling is reached: ${:.4} spent or in doubt",
                self.budget.spent_usd()
            ))
        } else if rest.missing > 0 {
            PassEnd::WithFailures(rest.missing)
        } else {
            PassEnd::Completed
        };
        let event = match &end {
            PassEnd::Completed => PassEvent::Completed {},
            PassEnd::WithFailures(count) => PassEvent::Paused {
                why: format!("everything was tried and {count} could not be judged"),
            },
            PassEnd::Paused(why) => PassEvent::Paused { why: why.clone() },
        };
        let at = self.floor.desk.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        Ok(end)
    }
}

/// Asks for a verdict.
async fn ask<'a>(table: &'a PassCalls, wanted: WantedVerdict) -> CallResult<'a> {
    if let Some(found) = wanted.bench.found_by_rule(&wanted.judge) {
        return CallResult::Found(Box::new(found));
    }
    let before = wanted.before.as_ref();
    let call = wanted.bench.call(&table.floor.seats, &wanted.judge, before);
    let call = match call {
        Ok(Some(call)) => Box::new(call),
        Ok(None) => {
            let why = "no model sits on the judge's chair".to_owned();
            return CallResult::Failed { wanted, why };
        }
        Err(error) => {
            let why = error.to_string();
            return CallResult::Failed { wanted, why };
        }
    };
    if table.ceiling_usd.is_some() && call.worst_case.usd.is_none() {
        let why =
            "a ceiling is set and the judge's model has no price; give it one, 0 if it is free";
        return CallResult::Failed {
            wanted,
            why: why.to_owned(),
        };
    }
    let worst_case = call.worst_case.expense();
    let Ok(mut reservation) = table.budget.reserve(worst_case).await else {
        return CallResult::NotSent;
    };
    if table.cancel.is_cancelled() {
        return CallResult::NotSent;
    }
    let asked = VerdictAddress::from_judge(&wanted.bench.session, &wanted.judge);
    let started = PassEvent::CallStarted {
        asked: asked.clone(),
        worst_case_usd: call.worst_case.usd,
    };
    let at = table.floor.desk.clock.now();
    if let Err(error) = table.journal.append_unsynced(&at, "engine", &started) {
        return CallResult::Broke(error.into());
    }
    reservation.sent();
    let cancel = table.cancel.child_token();
    let retries = PassRetries {
        table,
        call: &call,
        asked: &asked,
        cancel: &cancel,
    };
    let model = Arc::clone(&call.seat.model);
    let result = model.complete(&call.request, &retries, &cancel).await;
    CallResult::Answered {
        wanted,
        reservation,
        result: Box::new(result),
        call,
    }
}

/// Writes down at once that a call is made again, and ends it when another try could pass the
/// ceiling.
struct PassRetries<'a> {
    table: &'a PassCalls,
    call: &'a Call,
    asked: &'a VerdictAddress,
    cancel: &'a CancellationToken,
}

impl Watch for PassRetries<'_> {
    fn delta(&self, _delta: Delta<'_>) {}

    fn retrying(&self, _retry: u32, why: &CallError, wait_ms: u64) {
        let charge = self.call.worst_case.charge(why);
        match self.table.budget.charge(charge.expense()) {
            CeilingStatus::Holds => {}
            CeilingStatus::Broken => return self.cancel.cancel(),
        }
        let event = PassEvent::CallRetried {
            asked: self.asked.clone(),
            why: why.to_string(),
            wait_ms,
            may_have_cost_usd: charge.usd,
        };
        let at = self.table.floor.desk.clock.now();
        // A journal that takes no more lines refuses the verdict as well, and that is reported.
        let _ = self.table.journal.append_unsynced(&at, "engine", &event);
    }
}
