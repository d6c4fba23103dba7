//! Play of a pass: verdicts are asked for side by side; each is durable before it is published.

use super::PassUpdate;
use super::batch::{CallsBy, OpenCalls, call_id, format_open_call, lock};
use super::session_judging::SessionJudging;
use crate::engine::Call;
use crate::engine::cost::WorstCase;
use crate::experiments::engine::{
    Asked, Experiment, ExperimentContext, ExperimentEnd, ExperimentJournal, ExperimentLog, ItemEnd,
    ItemReport, OpenedItem, PauseCause, Recorded, Stage, read_blocking,
};
use elenchus_game::debate::{Expense, Judge, SessionId, Spend};
use elenchus_model::{CallError, FixedReply};
use elenchus_records::exchange::batch_file::CallId;
use elenchus_records::workspace::pass::{
    FailedTry, PassEvent, PassState, Rejudged, VerdictAddress,
};
use elenchus_records::workspace::{ItemCounts, Result};
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::UnboundedSender;

/// Verdicts of a pass that are to be asked for.
pub(super) struct OpenVerdicts {
    updates: UnboundedSender<PassUpdate>,
    calls: CallsBy,
    sessions: VecDeque<SessionId>,
    waiting: VecDeque<WantedVerdict>,
    /// Verdicts that the sessions opened so far want, those found before included.
    wanted: u64,
    /// What was tried and cannot be had.
    failed: usize,
    /// What was opened and came to nothing: a call was given up or never sent, or waits in a batch file.
    given_up: usize,
}

/// A verdict that is to be asked for.
pub(super) struct WantedVerdict {
    session_judging: Arc<SessionJudging>,
    judge: Judge,
    /// The earlier verdict, if it was unparsed.
    before: Option<Rejudged>,
}

impl WantedVerdict {
    fn address(&self) -> VerdictAddress {
        VerdictAddress::from_judge(&self.session_judging.session, &self.judge)
    }
}

/// A verdict that was wanted, what came of it, and what its call may have used if it failed. One is unfinished
/// where nothing was sent or the call was given up: that leaves no event and counts at its worst.
type AskedVerdict = (WantedVerdict, VerdictReply);

/// What came of asking for a verdict.
pub(super) struct VerdictReply {
    end: ItemEnd<Box<Rejudged>>,
    /// What a call that failed may have used.
    charge: FailedTry,
    /// Whether the provider's filter refused it.
    filtered: bool,
}

impl OpenVerdicts {
    pub(super) fn new(
        state: &PassState,
        tell: UnboundedSender<PassUpdate>,
        calls: CallsBy,
    ) -> Self {
        Self {
            sessions: state.manifest.sessions.iter().cloned().collect(),
            updates: tell,
            calls,
            waiting: VecDeque::new(),
            wanted: 0,
            failed: 0,
            given_up: 0,
        }
    }

    /// Says whether every session was read.
    pub(super) fn has_looked_at_all(&self) -> bool {
        self.sessions.is_empty() && self.waiting.is_empty()
    }

    /// Returns how many were tried and cannot be had.
    pub(super) fn failed_count(&self) -> usize {
        self.failed
    }

    fn send_update(&self, update: PassUpdate) {
        // The receiver may have been dropped; the journal can be read.
        let _ = self.updates.send(update);
    }

    fn leave_out(&self, context: &ExperimentContext, session: &SessionId, why: String) {
        context
            .observer
            .on_notice(&format!("left out: {session}: {why}"));
        let session = session.clone();
        self.send_update(PassUpdate::LeftOut { session, why });
    }

    /// Reads a session and returns what is to be asked about it.
    async fn open_session(
        &mut self,
        state: &PassState,
        context: &ExperimentContext,
        session: SessionId,
    ) -> VecDeque<WantedVerdict> {
        let layout = context.store.layout.clone();
        let manifest = state.manifest.clone();
        let session_id = session.clone();
        let set = move || SessionJudging::load(&layout, &session_id, &manifest);
        let session_judging = match read_blocking(set).await {
            Ok(bench) => Arc::new(bench),
            Err(error) => {
                self.failed += 1;
                self.leave_out(context, &session, error.to_string());
                return VecDeque::new();
            }
        };
        for rule in &session_judging.left_out {
            let why = format!("a person judged by '{rule}'; name a model to judge by it again");
            self.leave_out(context, &session, why);
        }
        let old_verdicts = &state.judged;
        let before = |judge: &Judge| {
            let entry = old_verdicts.get(&VerdictAddress::from_judge(&session, judge));
            entry.map(|(_, judged)| judged.clone())
        };
        self.note_answered_calls(state, &session_judging);
        let wanted_verdicts: VecDeque<WantedVerdict> = session_judging
            .judges
            .iter()
            .map(|judge| (judge, before(judge)))
            .filter(|(judge, before)| session_judging.needs_verdict(judge, before.as_ref()))
            .filter(|(judge, _)| {
                let address = VerdictAddress::from_judge(&session, judge);
                !state.filtered.contains_key(&address)
            })
            .map(|(judge, before)| WantedVerdict {
                session_judging: Arc::clone(&session_judging),
                judge: judge.clone(),
                before,
            })
            .collect();
        self.wanted += session_judging.judges.len() as u64;
        self.send_update(PassUpdate::Opened {
            verdicts: session_judging.judges.len(),
            found: session_judging.judges.len() - wanted_verdicts.len(),
            session,
        });
        wanted_verdicts
    }

    /// Takes note of the calls about a session that were answered before: an answer to one of them is known.
    fn note_answered_calls(&self, state: &PassState, session_judging: &SessionJudging) {
        let CallsBy::Reading(taken) = &self.calls else {
            return;
        };
        let mut taken = lock(taken);
        for judge in &session_judging.judges {
            let asked = VerdictAddress::from_judge(&session_judging.session, judge);
            let judged = state.judged.get(&asked).map(|(_, judged)| judged.attempt);
            let filtered = state.filtered.contains_key(&asked).then_some(0);
            let answered = judged.into_iter().chain(filtered).max();
            for attempt in answered.into_iter().flat_map(|last| 0..=last) {
                let id = call_id(&state.manifest.pass, &asked, attempt);
                taken.answers.note_answered(&id);
            }
        }
    }

    /// Records a verdict; one that could not be read may be asked for again.
    async fn record_verdict(
        &mut self,
        log: &mut ExperimentLog<PassEvent>,
        wanted: WantedVerdict,
        judged: Rejudged,
    ) -> Result<Option<ItemReport>> {
        let event = PassEvent::Judged(Box::new(judged.clone()));
        log.record_event(event).await?;
        if wanted
            .session_judging
            .needs_verdict(&wanted.judge, Some(&judged))
        {
            let before = Some(judged);
            self.waiting.push_back(WantedVerdict { before, ..wanted });
            return Ok(None);
        }
        if let Some(verdict) = log.state.verdict_at(&judged.asked) {
            self.send_update(PassUpdate::Judged(Box::new(verdict)));
        }
        Ok(Some(ItemReport {
            name: verdict_name(&judged.asked),
            end: ItemEnd::Done(()),
            spend: judged
                .reply
                .as_ref()
                .map_or_else(Spend::default, Spend::from_reply),
        }))
    }

    async fn record_failure(
        &mut self,
        log: &mut ExperimentLog<PassEvent>,
        asked: VerdictAddress,
        why: String,
        (charge, filtered): (FailedTry, bool),
    ) -> Result<Option<ItemReport>> {
        let event = PassEvent::Failed {
            asked: asked.clone(),
            message: why.clone(),
            filtered,
            charge,
        };
        log.record_event(event).await?;
        let end = match filtered {
            // It is not asked for again, and counted as filtered.
            true => ItemEnd::Done(()),
            false => {
                self.failed += 1;
                ItemEnd::Failed(why.clone())
            }
        };
        let item_left = ItemReport {
            name: verdict_name(&asked),
            end,
            spend: Spend {
                in_doubt_usd: charge.may_have_cost_usd.unwrap_or(0.0),
                ..Spend::default()
            },
        };
        self.send_update(PassUpdate::Failed {
            session: asked.session,
            judging: asked.judging,
            target: asked.target,
            why,
        });
        Ok(Some(item_left))
    }
}

fn verdict_name(asked: &VerdictAddress) -> String {
    format!("{}, {}", asked.session, asked.target)
}

impl Experiment<'static> for OpenVerdicts {
    type Event = PassEvent;
    type Outcome = AskedVerdict;

    fn sum_earlier_expense(&self, state: &PassState, _: &ExperimentContext) -> Result<Expense> {
        Ok(state.committed_expense())
    }

    fn count_items(&self, state: &PassState) -> ItemCounts {
        ItemCounts {
            // Sessions say what they want when they are opened.
            all: Some(self.wanted),
            done: state.settled_count(),
            failed: self.failed as u64,
        }
    }

    fn open_next_item<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<PassEvent>,
        stage: &'s Stage,
    ) -> OpenedItem<'s, 'static, AskedVerdict> {
        Box::pin(async move {
            loop {
                if let Some(wanted_verdict) = self.waiting.pop_front() {
                    let (stage, journal) = (stage.clone(), log.journal());
                    let asker = Asker {
                        stage,
                        journal,
                        calls: self.calls.clone(),
                        pass: log.state.manifest.pass.clone(),
                        ceiling_usd: log.state.manifest.ceilings.cost_usd,
                        waits_in_batch: log.state.waits_in_batch(&wanted_verdict.address()),
                    };
                    let asking = async move {
                        let reply = asker.ask_judge(&wanted_verdict).await?;
                        Ok((wanted_verdict, reply))
                    };
                    return Ok(Some(asking.boxed()));
                }
                let Some(session) = self.sessions.pop_front() else {
                    return Ok(None);
                };
                self.waiting = self.open_session(&log.state, &stage.context, session).await;
            }
        })
    }

    fn record_outcome<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<PassEvent>,
        _: &'s Stage,
        (wanted, reply): AskedVerdict,
    ) -> Recorded<'s> {
        Box::pin(async move {
            let VerdictReply {
                end,
                charge,
                filtered,
            } = reply;
            match end {
                ItemEnd::Done(judged) => self.record_verdict(log, wanted, *judged).await,
                ItemEnd::Failed(why) => {
                    let failure = (charge, filtered);
                    self.record_failure(log, wanted.address(), why, failure)
                        .await
                }
                ItemEnd::Unfinished => {
                    self.given_up += 1;
                    Ok(None)
                }
            }
        })
    }

    fn count_missing(&self, _: &PassState) -> usize {
        self.failed + self.given_up + self.waiting.len() + self.sessions.len()
    }

    fn adjust_end(&self, _: &PassState, end: ExperimentEnd) -> ExperimentEnd {
        match (&self.calls, end) {
            // What failed at a server needs another call, which another batch file can hold as well.
            (CallsBy::Reading(_), ExperimentEnd::WithFailures(missing)) => {
                ExperimentEnd::Paused(PauseCause::InBatch(missing))
            }
            (CallsBy::Writing(_), ExperimentEnd::WithFailures(_)) if self.given_up > 0 => {
                ExperimentEnd::Paused(PauseCause::InBatch(self.given_up))
            }
            (CallsBy::Asking | CallsBy::Writing(_) | CallsBy::Reading(_), end) => end,
        }
    }
}

fn to_failed_try(charge: WorstCase) -> FailedTry {
    FailedTry {
        may_have_cost_usd: charge.usd,
        may_have_used_tokens: Some(charge.tokens),
        unsent: charge.calls == 0,
    }
}

impl VerdictReply {
    /// Nothing was sent.
    fn without_call(end: ItemEnd<Box<Rejudged>>) -> Self {
        Self {
            end,
            charge: FailedTry {
                unsent: true,
                ..FailedTry::default()
            },
            filtered: false,
        }
    }

    fn from_failure(why: &dyn ToString) -> Self {
        Self::without_call(ItemEnd::Failed(why.to_string()))
    }
}

/// What a verdict is asked for with.
struct Asker {
    stage: Stage,
    journal: ExperimentJournal<PassEvent>,
    calls: CallsBy,
    pass: String,
    ceiling_usd: Option<f64>,
    /// Its call is in a batch file already, and counts.
    waits_in_batch: bool,
}

impl Asker {
    /// Asks for a verdict, or finds it without a call.
    async fn ask_judge(&self, wanted: &WantedVerdict) -> Result<VerdictReply> {
        let session_judging = &wanted.session_judging;
        if let Some(verdict) = session_judging.judge_by_rule(&wanted.judge) {
            return Ok(VerdictReply::without_call(ItemEnd::Done(Box::new(verdict))));
        }
        let before = wanted.before.as_ref();
        let attempt = before.map_or(0, |before| before.attempt + 1);
        let seats = &self.stage.context.seats;
        let mut call = match session_judging.build_call(seats, &wanted.judge, before) {
            Ok(Some(call)) => call,
            Ok(None) => {
                return Ok(VerdictReply::from_failure(
                    &"no model sits on the judge's chair",
                ));
            }
            Err(error) => return Ok(VerdictReply::from_failure(&error)),
        };
        if self.ceiling_usd.is_some() && call.worst_case.usd.is_none() {
            let why =
                "a ceiling is set and the judge's model has no price; give it one, 0 if it is free";
            return Ok(VerdictReply::from_failure(&why));
        }
        let id = call_id(&self.pass, &wanted.address(), attempt);
        // A reply that is known already, or simulated, needs no server.
        let is_by_batch = call.seat.model.batch_server().is_some();
        match &self.calls {
            CallsBy::Writing(calls) if is_by_batch => {
                return self.write_call(&id, &call, wanted, calls).await;
            }
            CallsBy::Reading(taken) if is_by_batch => {
                let result = lock(taken).find_result(&id, &call, self.waits_in_batch);
                match result {
                    Some(result) => {
                        let result = FixedReply::from_result(call.seat.model.as_ref(), result);
                        call.seat.model = Arc::new(result);
                    }
                    None => {
                        lock(taken).second_tries += usize::from(attempt > 0);
                        return Ok(VerdictReply::without_call(ItemEnd::Unfinished));
                    }
                }
            }
            CallsBy::Asking | CallsBy::Writing(_) | CallsBy::Reading(_) => {}
        }
        let Asked {
            end,
            charge,
            filtered,
            ..
        } = self.ask_model(wanted, &call).await?;
        let to_verdict = |reply: Box<_>| {
            Box::new(session_judging.build_verdict(&wanted.judge, attempt, call, *reply))
        };
        Ok(VerdictReply {
            end: end.map(to_verdict),
            charge: to_failed_try(charge),
            filtered,
        })
    }

    async fn ask_model(&self, wanted: &WantedVerdict, call: &Call) -> Result<Asked> {
        let address = wanted.address();
        let start_event = async {
            match (&self.calls, self.waits_in_batch) {
                // It was written down when it was put into the file.
                (CallsBy::Reading(_), true) => Ok(()),
                _ => self.journal.record_unsynced(&call_started(
                    address.clone(),
                    call,
                    CallPlace::AtServer,
                )),
            }
        };
        let note_retry = |why: &CallError, wait_ms: u64, charge: WorstCase| {
            // A journal that takes no more lines refuses the verdict as well, and that is reported.
            let _ = self.journal.record_unsynced(&PassEvent::CallRetried {
                asked: address.clone(),
                why: why.to_string(),
                wait_ms,
                charge: to_failed_try(charge),
            });
        };
        let (seat, request) = (&call.seat, &call.request);
        let stage = &self.stage;
        stage
            .ask_model(seat, request, call.worst_case, start_event, note_retry)
            .await
    }

    /// Puts a call into a batch file, once its worst case fits under the ceilings.
    async fn write_call(
        &self,
        id: &CallId,
        call: &Call,
        wanted: &WantedVerdict,
        calls: &Mutex<OpenCalls>,
    ) -> Result<VerdictReply> {
        let line = match format_open_call(id, call) {
            Ok(line) => line,
            Err(error) => return Ok(VerdictReply::from_failure(&error)),
        };
        let unfinished = Ok(VerdictReply::without_call(ItemEnd::Unfinished));
        if !lock(calls).has_room(&line) {
            lock(calls).left_out += 1;
            return unfinished;
        }
        if !self.waits_in_batch {
            let reserved = self
                .stage
                .budget
                .reserve(call.worst_case.to_expense())
                .await;
            let Ok(mut reservation) = reserved else {
                return unfinished;
            };
            let started = call_started(wanted.address(), call, CallPlace::InBatch);
            self.journal.record_unsynced(&started)?;
            // It counts at its worst from here on, and nobody waits for it in this process.
            reservation.mark_sent();
        }
        lock(calls).add_call(line, call);
        unfinished
    }
}

/// Where a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallPlace {
    AtServer,
    InBatch,
}

fn call_started(asked: VerdictAddress, call: &Call, place: CallPlace) -> PassEvent {
    PassEvent::CallStarted {
        asked,
        worst_case_usd: call.worst_case.usd,
        worst_case_tokens: call.worst_case.tokens,
        batch: place == CallPlace::InBatch,
    }
}
