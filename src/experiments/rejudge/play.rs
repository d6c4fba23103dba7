//! Play of a pass: verdicts are asked for side by side; each is durable before it is published.

use super::PassUpdate;
use super::session_judging::SessionJudging;
use crate::debate::{Expense, Judge, SessionId, Spend};
use crate::engine::Call;
use crate::engine::cost::WorstCase;
use crate::engine::paid_call::PaidReply;
use crate::experiments::engine::{
    Closed, Experiment, ExperimentContext, ExperimentEnd, ExperimentJournal, ExperimentLog,
    ItemEnd, ItemLeft, Opened, Recorded, Stage, read_apart,
};
use crate::model::{self, CallError, CallErrorKind};
use crate::workspace::pass::{FailedTry, PassEvent, Rejudged, VerdictAddress};
use crate::workspace::{ExperimentEvent, ExperimentSummary, ItemCounts, Result, WorkspaceError};
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// Verdicts of a pass that are to be asked for.
pub(super) struct OpenVerdicts<'p> {
    log: &'p mut ExperimentLog<PassEvent>,
    tell: UnboundedSender<PassUpdate>,
    sessions: VecDeque<SessionId>,
    waiting: VecDeque<WantedVerdict>,
    /// Verdicts that the sessions opened so far want, those found before included.
    wanted: u64,
    /// What was tried and cannot be had.
    failed: usize,
    /// What was opened and came to nothing: a call was given up or never sent.
    given_up: usize,
}

/// A verdict that is to be asked for.
struct WantedVerdict {
    bench: Arc<SessionJudging>,
    judge: Judge,
    /// The earlier verdict, if it was unparsed.
    before: Option<Rejudged>,
}

impl WantedVerdict {
    fn address(&self) -> VerdictAddress {
        VerdictAddress::from_judge(&self.bench.session, &self.judge)
    }
}

/// Result of a verdict that was wanted.
pub(super) struct AskedVerdict {
    wanted: WantedVerdict,
    came: VerdictResult,
}

enum VerdictResult {
    Answered {
        call: Box<Call>,
        reply: Box<model::Reply>,
    },
    /// Found without a call.
    Found(Box<Rejudged>),
    /// Nothing was sent, or the call was given up: it leaves no event and counts at its worst.
    Nothing,
    Failed {
        why: String,
        charge: FailedTry,
    },
    Broke(WorkspaceError),
}

impl<'p> OpenVerdicts<'p> {
    pub(super) fn new(
        log: &'p mut ExperimentLog<PassEvent>,
        tell: UnboundedSender<PassUpdate>,
    ) -> Self {
        Self {
            sessions: log.state.manifest.sessions.iter().cloned().collect(),
            log,
            tell,
            waiting: VecDeque::new(),
            wanted: 0,
            failed: 0,
            given_up: 0,
        }
    }

    fn say(&self, update: PassUpdate) {
        // The receiver may have been dropped; the journal can be read.
        let _ = self.tell.send(update);
    }

    fn leave_out(&self, context: &ExperimentContext, session: &SessionId, why: String) {
        context
            .observer
            .noticed(&format!("left out: {session}: {why}"));
        let session = session.clone();
        self.say(PassUpdate::LeftOut { session, why });
    }

    /// Reads a session and returns what is to be asked about it.
    async fn read(
        &mut self,
        context: &ExperimentContext,
        session: SessionId,
    ) -> VecDeque<WantedVerdict> {
        let layout = context.desk.layout.clone();
        let manifest = self.log.state.manifest.clone();
        let named = session.clone();
        let set = move || SessionJudging::set(&layout, &named, &manifest);
        let bench = match read_apart(set).await {
            Ok(bench) => Arc::new(bench),
            Err(error) => {
                self.failed += 1;
                self.leave_out(context, &session, error.to_string());
                return VecDeque::new();
            }
        };
        for rule in &bench.left_out {
            let why = format!("a person judged by '{rule}'; name a model to judge by it again");
            self.leave_out(context, &session, why);
        }
        let judged = &self.log.state.judged;
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
        self.wanted += bench.judges.len() as u64;
        self.say(PassUpdate::Opened {
            verdicts: bench.judges.len(),
            found: bench.judges.len() - wanted.len(),
            session,
        });
        wanted
    }

    /// Records a verdict; one that could not be read may be asked for again.
    async fn judged(
        &mut self,
        wanted: WantedVerdict,
        judged: Rejudged,
    ) -> Result<Option<ItemLeft>> {
        let event = PassEvent::Judged(Box::new(judged.clone()));
        self.log.note(event).await?;
        if wanted.bench.wants(&wanted.judge, Some(&judged)) {
            let before = Some(judged);
            self.waiting.push_back(WantedVerdict { before, ..wanted });
            return Ok(None);
        }
        if let Some(verdict) = self.log.state.given(&judged.asked) {
            self.say(PassUpdate::Judged(Box::new(verdict)));
        }
        Ok(Some(ItemLeft {
            name: name(&judged.asked),
            end: ItemEnd::Done,
            spend: judged
                .reply
                .as_ref()
                .map_or_else(Spend::default, Spend::of_reply),
        }))
    }

    async fn failed(
        &mut self,
        asked: VerdictAddress,
        why: String,
        charge: FailedTry,
    ) -> Result<Option<ItemLeft>> {
        self.failed += 1;
        let event = PassEvent::Failed {
            asked: asked.clone(),
            message: why.clone(),
            charge,
        };
        self.log.note(event).await?;
        let left = ItemLeft {
            name: name(&asked),
            end: ItemEnd::Failed(why.clone()),
            spend: Spend {
                in_doubt_usd: charge.may_have_cost_usd.unwrap_or(0.0),
                ..Spend::default()
            },
        };
        self.say(PassUpdate::Failed {
            session: asked.session,
            judging: asked.judging,
            target: asked.target,
            why,
        });
        Ok(Some(left))
    }
}

fn name(asked: &VerdictAddress) -> String {
    format!("{}, {}", asked.session, asked.target)
}

impl Experiment<'static, AskedVerdict> for OpenVerdicts<'_> {
    fn summary(&self) -> ExperimentSummary {
        PassEvent::summary(&self.log.state)
    }

    fn spent(&self, _: &ExperimentContext) -> Result<Expense> {
        Ok(self.log.state.committed())
    }

    fn counts(&self) -> ItemCounts {
        ItemCounts {
            // Sessions say what they want when they are opened.
            all: Some(self.wanted),
            done: self.log.state.judged.len() as u64,
            failed: self.failed as u64,
        }
    }

    fn open<'s>(&'s mut self, stage: &'s Stage) -> Opened<'s, 'static, AskedVerdict> {
        Box::pin(async move {
            loop {
                if let Some(wanted) = self.waiting.pop_front() {
                    let (stage, journal) = (stage.clone(), self.log.journal());
                    let ceiling = self.log.state.manifest.ceilings.cost_usd;
                    return Ok(Some(
                        async move {
                            let came = ask(&stage, &journal, ceiling, &wanted).await;
                            AskedVerdict { wanted, came }
                        }
                        .boxed(),
                    ));
                }
                let Some(session) = self.sessions.pop_front() else {
                    return Ok(None);
                };
                self.waiting = self.read(&stage.context, session).await;
            }
        })
    }

    fn record<'s>(&'s mut self, _: &'s Stage, asked: AskedVerdict) -> Recorded<'s> {
        Box::pin(async move {
            let AskedVerdict { wanted, came } = asked;
            match came {
                VerdictResult::Nothing => {
                    self.given_up += 1;
                    Ok(None)
                }
                VerdictResult::Broke(error) => Err(error),
                VerdictResult::Found(judged) => self.judged(wanted, *judged).await,
                VerdictResult::Failed { why, charge } => {
                    self.failed(wanted.address(), why, charge).await
                }
                VerdictResult::Answered { call, reply } => {
                    let before = wanted.before.as_ref();
                    let attempt = before.map_or(0, |before| before.attempt + 1);
                    let judged = wanted.bench.judged(&wanted.judge, attempt, *call, *reply);
                    self.judged(wanted, judged).await
                }
            }
        })
    }

    fn missing(&self) -> usize {
        self.failed + self.given_up + self.waiting.len() + self.sessions.len()
    }

    fn close<'s>(&'s mut self, end: &'s ExperimentEnd) -> Closed<'s> {
        Box::pin(self.log.close(end))
    }
}

fn failed_try(charge: WorstCase) -> FailedTry {
    FailedTry {
        may_have_cost_usd: charge.usd,
        may_have_used_tokens: Some(charge.tokens),
        unsent: charge.calls == 0,
    }
}

/// Asks for a verdict.
async fn ask(
    stage: &Stage,
    journal: &ExperimentJournal<PassEvent>,
    ceiling_usd: Option<f64>,
    wanted: &WantedVerdict,
) -> VerdictResult {
    let failed = |why: &dyn ToString, charge| VerdictResult::Failed {
        why: why.to_string(),
        charge,
    };
    let unsent = FailedTry {
        unsent: true,
        ..FailedTry::default()
    };
    if let Some(found) = wanted.bench.found_by_rule(&wanted.judge) {
        return VerdictResult::Found(Box::new(found));
    }
    let before = wanted.before.as_ref();
    let call = match wanted
        .bench
        .call(&stage.context.seats, &wanted.judge, before)
    {
        Ok(Some(call)) => Box::new(call),
        Ok(None) => return failed(&"no model sits on the judge's chair", unsent),
        Err(error) => return failed(&error, unsent),
    };
    if ceiling_usd.is_some() && call.worst_case.usd.is_none() {
        let why =
            "a ceiling is set and the judge's model has no price; give it one, 0 if it is free";
        return failed(&why, unsent);
    }
    let asked = wanted.address();
    let started = async {
        journal.note_soon(&PassEvent::CallStarted {
            asked: asked.clone(),
            worst_case_usd: call.worst_case.usd,
            worst_case_tokens: call.worst_case.tokens,
        })
    };
    let retried = |why: &CallError, wait_ms: u64, charge: WorstCase| {
        // A journal that takes no more lines refuses the verdict as well, and that is reported.
        let _ = journal.note_soon(&PassEvent::CallRetried {
            asked: asked.clone(),
            why: why.to_string(),
            wait_ms,
            charge: failed_try(charge),
        });
    };
    let paid = stage.call(&call.seat, &call.request, call.worst_case);
    match paid.send(started, retried).await {
        Ok(PaidReply::Replied(reply)) => VerdictResult::Answered { call, reply },
        Ok(PaidReply::Failed { error, .. }) if error.kind == CallErrorKind::Cancelled => {
            VerdictResult::Nothing
        }
        Ok(PaidReply::Failed { error, charge }) => failed(&error, failed_try(charge)),
        Ok(PaidReply::Refused | PaidReply::NotSent) => VerdictResult::Nothing,
        Err(error) => VerdictResult::Broke(error),
    }
}
