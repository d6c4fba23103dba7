//! Play of a pass: calls run concurrently; each verdict is durable before it is published.

use super::session_judging::SessionJudging;
use super::{ExperimentEnd, PassFloor, PassUpdate};
use crate::debate::protocol::Ceilings;
use crate::debate::{Expense, Judge, SessionId};
use crate::engine::Call;
use crate::engine::cost::{Budget, WorstCase};
use crate::engine::paid_call::{OnceSent, PaidCall, PaidReply};
use crate::experiments::engine::{Opened, Work, perform};
use crate::model::{self, CallError, CallErrorKind};
use crate::store::JournalWriter;
use crate::workspace::WorkspaceError;
use crate::workspace::pass::{PassEvent, PassState, Rejudged, VerdictAddress};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Pass in progress.
pub(super) struct PassRunner {
    calls: PassCalls,
    state: PassState,
    sessions: VecDeque<SessionId>,
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

/// Result of a verdict that was wanted.
enum VerdictResult {
    Answered {
        wanted: WantedVerdict,
        call: Box<Call>,
        reply: Box<model::Reply>,
    },
    /// Found without a call.
    Found(Box<Rejudged>),
    /// Nothing was sent, or the call was given up: it leaves no event and counts at its worst.
    Nothing,
    Failed {
        wanted: WantedVerdict,
        why: String,
        may_have_cost_usd: Option<f64>,
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
            calls: PassCalls {
                budget: Budget::of_many(ceilings, spent),
                ceiling_usd,
                floor,
                journal,
                tell,
                cancel,
            },
            state,
        }
    }

    /// Carries it out and sends its end, once the journal's lock is released.
    pub(crate) async fn finish(self) {
        let tell = self.calls.tell.clone();
        let ended = self.carry_out().await;
        // The receiver may have been dropped; the journal can be read.
        let _ = tell.send(PassUpdate::Ended(ended.map_err(|error| error.to_string())));
    }

    async fn carry_out(self) -> Result<ExperimentEnd, WorkspaceError> {
        let calls = self.calls;
        let at_once = calls.floor.concurrency;
        let mut work = PassItems {
            calls: &calls,
            state: self.state,
            sessions: self.sessions,
            waiting: VecDeque::new(),
            missing: 0,
        };
        perform(&mut work, at_once).await?;
        let missing = work.missing;
        calls.close(missing).await
    }
}

/// Items of a pass, and the state that changes while calls are in flight.
struct PassItems<'a> {
    calls: &'a PassCalls,
    state: PassState,
    sessions: VecDeque<SessionId>,
    waiting: VecDeque<WantedVerdict>,
    missing: usize,
}

impl<'a> Work<'a, VerdictResult> for PassItems<'a> {
    fn open(&mut self) -> Opened<'_, 'a, VerdictResult> {
        Box::pin(async move {
            while !self.calls.is_stopping() {
                if let Some(wanted) = self.waiting.pop_front() {
                    return Ok(Some(ask(self.calls, wanted).boxed()));
                }
                let Some(session) = self.sessions.pop_front() else {
                    break;
                };
                self.waiting = self.read(session).await;
            }
            Ok(None)
        })
    }

    fn record(&mut self, came: VerdictResult) -> BoxFuture<'_, Result<(), WorkspaceError>> {
        Box::pin(async move {
            match came {
                VerdictResult::Nothing => Ok(()),
                VerdictResult::Broke(error) => Err(error),
                VerdictResult::Found(judged) => {
                    let asked = judged.asked.clone();
                    self.note(PassEvent::Judged(judged)).await?;
                    self.tell_of(&asked);
                    Ok(())
                }
                VerdictResult::Failed {
                    wanted,
                    why,
                    may_have_cost_usd,
                } => self.failed(&wanted, why, may_have_cost_usd).await,
                VerdictResult::Answered {
                    wanted,
                    call,
                    reply,
                } => {
                    let before = wanted.before.as_ref();
                    let attempt = before.map_or(0, |before| before.attempt + 1);
                    let judged = wanted.bench.judged(&wanted.judge, attempt, *call, *reply);
                    let event = PassEvent::Judged(Box::new(judged.clone()));
                    self.note(event).await?;
                    if wanted.bench.wants(&wanted.judge, Some(&judged)) {
                        let before = Some(judged);
                        self.waiting.push_back(WantedVerdict { before, ..wanted });
                    } else {
                        self.tell_of(&judged.asked);
                    }
                    Ok(())
                }
            }
        })
    }
}

impl PassCalls {
    fn is_stopping(&self) -> bool {
        self.cancel.is_cancelled() || self.budget.is_exhausted()
    }

    fn say(&self, update: PassUpdate) {
        // The receiver may have been dropped; the journal can be read.
        let _ = self.tell.send(update);
    }

    async fn close(&self, missing: usize) -> Result<ExperimentEnd, WorkspaceError> {
        let end = ExperimentEnd::of(&self.budget, self.cancel.is_cancelled(), missing);
        let event = match &end {
            ExperimentEnd::Completed => PassEvent::Completed {},
            ExperimentEnd::WithFailures(count) => PassEvent::Paused {
                why: format!("everything was tried and {count} could not be judged"),
            },
            ExperimentEnd::Paused(why) => PassEvent::Paused { why: why.clone() },
        };
        let at = self.floor.desk.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        Ok(end)
    }
}

impl PassItems<'_> {
    async fn note(&mut self, event: PassEvent) -> Result<(), WorkspaceError> {
        let at = self.calls.floor.desk.clock.now();
        self.calls.journal.append(&at, "engine", &event).await?;
        self.state.apply(&at, &event);
        Ok(())
    }

    /// Reads a session and returns what is to be asked about it.
    async fn read(&mut self, session: SessionId) -> VecDeque<WantedVerdict> {
        let layout = self.calls.floor.desk.layout.clone();
        let manifest = self.state.manifest.clone();
        let named = session.clone();
        let set = move || SessionJudging::set(&layout, &named, &manifest);
        let bench = match tokio::task::spawn_blocking(set).await {
            Ok(Ok(bench)) => Arc::new(bench),
            Ok(Err(error)) => {
                self.missing += 1;
                let why = error.to_string();
                self.calls.say(PassUpdate::LeftOut { session, why });
                return VecDeque::new();
            }
            Err(error) => {
                self.missing += 1;
                let why = format!("reading it ended abnormally: {error}");
                self.calls.say(PassUpdate::LeftOut { session, why });
                return VecDeque::new();
            }
        };
        for rule in &bench.left_out {
            let why = format!("a person judged by '{rule}'; name a model to judge by it again");
            let session = session.clone();
            self.calls.say(PassUpdate::LeftOut { session, why });
        }
        let judged = &self.state.judged;
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
        self.calls.say(PassUpdate::Opened {
            verdicts: bench.judges.len(),
            found: bench.judges.len() - wanted.len(),
            session,
        });
        wanted
    }

    fn tell_of(&self, asked: &VerdictAddress) {
        if let Some(verdict) = self.state.given(asked) {
            self.calls.say(PassUpdate::Judged(Box::new(verdict)));
        }
    }

    async fn failed(
        &mut self,
        wanted: &WantedVerdict,
        why: String,
        may_have_cost_usd: Option<f64>,
    ) -> Result<(), WorkspaceError> {
        self.missing += 1;
        let asked = VerdictAddress::from_judge(&wanted.bench.session, &wanted.judge);
        let event = PassEvent::Failed {
            asked: asked.clone(),
            message: why.clone(),
            may_have_cost_usd,
        };
        self.note(event).await?;
        self.calls.say(PassUpdate::Failed {
            session: asked.session,
            judging: asked.judging,
            target: asked.target,
            why,
        });
        Ok(())
    }
}

/// Asks for a verdict.
async fn ask(calls: &PassCalls, wanted: WantedVerdict) -> VerdictResult {
    let failed = |wanted, why: &dyn ToString, may_have_cost_usd| VerdictResult::Failed {
        wanted,
        why: why.to_string(),
        may_have_cost_usd,
    };
    if let Some(found) = wanted.bench.found_by_rule(&wanted.judge) {
        return VerdictResult::Found(Box::new(found));
    }
    let before = wanted.before.as_ref();
    let call = match wanted.bench.call(&calls.floor.seats, &wanted.judge, before) {
        Ok(Some(call)) => Box::new(call),
        Ok(None) => return failed(wanted, &"no model sits on the judge's chair", None),
        Err(error) => return failed(wanted, &error, None),
    };
    if calls.ceiling_usd.is_some() && call.worst_case.usd.is_none() {
        let why =
            "a ceiling is set and the judge's model has no price; give it one, 0 if it is free";
        return failed(wanted, &why, None);
    }
    let asked = VerdictAddress::from_judge(&wanted.bench.session, &wanted.judge);
    let note = |event| {
        let at = calls.floor.desk.clock.now();
        calls.journal.append_unsynced(&at, "engine", &event)
    };
    let started = async {
        note(PassEvent::CallStarted {
            asked: asked.clone(),
            worst_case_usd: call.worst_case.usd,
        })?;
        Ok(())
    };
    let retried = |why: &CallError, wait_ms: u64, charge: WorstCase| {
        // A journal that takes no more lines refuses the verdict as well, and that is reported.
        let _ = note(PassEvent::CallRetried {
            asked: asked.clone(),
            why: why.to_string(),
            wait_ms,
            may_have_cost_usd: charge.usd,
        });
    };
    let paid = PaidCall {
        seat: &call.seat,
        request: &call.request,
        worst_case: call.worst_case,
        budget: &calls.budget,
        cancel: &calls.cancel,
        once_sent: OnceSent::GivenUp,
    };
    match paid.send(started, retried).await {
        Ok(PaidReply::Replied(reply)) => VerdictResult::Answered {
            wanted,
            call,
            reply,
        },
        Ok(PaidReply::Failed { error, .. }) if error.kind == CallErrorKind::Cancelled => {
            VerdictResult::Nothing
        }
        Ok(PaidReply::Failed { error, charge }) => failed(wanted, &error, charge.usd),
        Ok(PaidReply::Refused | PaidReply::NotSent) => VerdictResult::Nothing,
        Err(error) => VerdictResult::Broke(error),
    }
}
