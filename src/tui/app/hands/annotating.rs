//! Queues, labels, and what unblinds.
//!
//! A label is told of when it is durable, and what was hidden is told when it is durable that it was
//! shown.

use super::keeping::opened;
use super::queued::{card, lines};
use super::reading::margins;
use super::{Hands, Sights, Tools};
use crate::debate::event::{Event, Record};
use crate::debate::{SessionId, State, Target};
use crate::driver::desk::{
    Blindness, Counts, Desk, Label, LabelPlace, MarginBook, Margins, Mark, MarkId, SeatNames,
    Sheet, Spot, Unblinding, annotator, read_sheet, read_sights, record_sights, verdicts_on,
};
use crate::driver::live::Tiding;
use crate::driver::read_session;
use crate::prompt::expand;
use crate::tui::app::{AnnotateDeed, AnnotateTold, Opened, Revealing, Ticket, Told};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::OwnedMutexGuard;
use tokio::sync::mpsc::UnboundedSender;

/// The longest time that a label is said to have taken, in milliseconds: whoever goes away for lunch
/// does not read for an hour.
const MAX_SPENT_MS: u64 = 10 * 60 * 1000;

impl Hands {
    pub(super) fn annotate(&mut self, deed: AnnotateDeed) {
        match deed {
            AnnotateDeed::Queues => {
                self.look_up(|tools| AnnotateTold::Queues(lines(tools).map(Arc::new)));
            }
            AnnotateDeed::Open(work) => {
                let sights = Arc::clone(&self.sights);
                self.look_up(move |tools| {
                    drop(sights.blocking_lock());
                    let card = card(tools, &work).map(Arc::new);
                    AnnotateTold::Opened(work, card)
                });
            }
            AnnotateDeed::Sheet(session, names) => self.look_up(move |tools| {
                let sheet = sheet(tools, &session, names).map(Arc::new);
                AnnotateTold::Sheet(session, sheet)
            }),
            AnnotateDeed::Shown => self.shown = Instant::now(),
            AnnotateDeed::Give(ticket, label) => self.give(ticket, label),
            AnnotateDeed::TakeBack(ticket, of, place) => self.take_back(ticket, of, *place),
            AnnotateDeed::Margins => {
                let (desk, tell) = (self.tools.desk.clone(), self.tell.clone());
                tokio::task::spawn_blocking(move || {
                    // What cannot be read now stays as it is shown.
                    if let Ok(all) = margins(&desk) {
                        let all = AnnotateTold::Margins(Arc::new(all));
                        let _ = tell.send(Told::Annotate(all));
                    }
                });
            }
            AnnotateDeed::Listed(sessions) => {
                self.record_sights(sessions, Revealing::Verdict);
            }
            AnnotateDeed::Reveal(on, what) => self.reveal(on, what),
            AnnotateDeed::Disagreement(labels) => {
                self.look_up(move |tools| AnnotateTold::Disagrees(disagreement(tools, &labels)));
            }
        }
    }

    fn look_up(&self, work: impl FnOnce(&Tools) -> AnnotateTold + Send + 'static) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let _ = tell.send(Told::Annotate(work(&tools)));
        });
    }

    fn give(&self, ticket: Ticket, mut label: Box<Label>) {
        let spent = u64::try_from(self.shown.elapsed().as_millis()).unwrap_or(u64::MAX);
        label.spent_ms = Some(spent.min(MAX_SPENT_MS));
        let desk = self.tools.desk.clone();
        let sights = Arc::clone(&self.sights);
        self.in_margin(
            move |book, who| {
                Box::pin(async move {
                    drop(sights.lock().await);
                    let mut saw = book.margins().saw(&who, &label.on.session);
                    match seen(desk, who.clone(), label.on.session.clone()).await {
                        Ok(more) => saw.extend(more),
                        Err(why) => return AnnotateTold::Given(ticket, Err(why)),
                    }
                    label.blind = match saw.is_empty() {
                        true => Blindness::Blind,
                        false => Blindness::Unblinded { saw },
                    };
                    let place = LabelPlace::of(&label);
                    let given = book.write(Mark::Labelled(label)).await;
                    let given = given.map_err(|error| error.to_string()).and_then(|_| {
                        let standing = book.margins().label(&who, &place).cloned();
                        standing.ok_or_else(|| "the label does not stand".to_owned())
                    });
                    AnnotateTold::Given(ticket, given.map(Box::new))
                })
            },
            move |why| AnnotateTold::Given(ticket, Err(why)),
        );
    }

    fn take_back(&self, ticket: Ticket, of: MarkId, place: LabelPlace) {
        self.in_margin(
            move |book, who| {
                Box::pin(async move {
                    let taken = book.write(Mark::Retracted { of }).await;
                    let taken = taken.map_err(|error| error.to_string());
                    let stands = book.margins().label(&who, &place).cloned().map(Box::new);
                    AnnotateTold::TakenBack(ticket, taken.map(|mark| (mark, stands)))
                })
            },
            move |why| AnnotateTold::TakenBack(ticket, Err(why)),
        );
    }

    fn reveal(&self, on: Spot, what: Revealing) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::spawn(async move {
            let told = revealed(&tools, &on, what).await.map(Arc::new);
            let _ = tell.send(Told::Annotate(AnnotateTold::Revealed(on, what, told)));
        });
    }

    /// Does something in the person's margin, one after the other.
    fn in_margin(
        &self,
        work: impl for<'a> FnOnce(&'a mut MarginBook, String) -> Doing<'a> + Send + 'static,
        failed: impl FnOnce(String) -> AnnotateTold + Send + 'static,
    ) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        let margin = Arc::clone(&self.margin);
        tokio::spawn(async move {
            let mut book = margin.lock().await;
            let told = match opened(&tools, &mut book) {
                Ok(book) => work(book, annotator(&tools.desk.person)).await,
                Err(why) => failed(why),
            };
            let _ = tell.send(Told::Annotate(told));
        });
    }
}

type Doing<'a> = std::pin::Pin<Box<dyn Future<Output = AnnotateTold> + Send + 'a>>;

impl Hands {
    /// Takes note of verdicts that appear on the screen while a debate is played: the first of each
    /// session unblinds.
    pub fn take_note(&mut self, told: &Told) {
        let judged = |record: &Record| matches!(record.event, Event::Judged(_));
        let session = match told {
            Told::Live(id, tiding) => match tiding.as_ref() {
                Tiding::Happened(record) if judged(record) => id,
                _ => return,
            },
            Told::Grew(id, records) if records.iter().any(judged) => id,
            _ => return,
        };
        if self.sighted.insert(session.clone()) {
            let sessions = vec![session.clone()];
            self.record_sights(sessions, Revealing::View);
        }
    }

    /// Records what the screen shows of some sessions, once whatever is being recorded is durable.
    fn record_sights(&self, sessions: Vec<SessionId>, what: Revealing) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        let sights = Arc::clone(&self.sights);
        tokio::spawn(async move {
            let recording = sights.lock_owned().await;
            record_on(&tools, sessions, what, &tell, recording);
        });
    }
}

/// Records that a person is shown a session's verdicts, once, where it has any.
pub(super) async fn record_sight(
    tools: &Tools,
    session: &SessionId,
    opened_session: &Opened,
    tell: &UnboundedSender<Told>,
    sights: Sights,
) {
    let who = annotator(&tools.desk.person);
    let known = opened_session.margins.saw(&who, session);
    let all = reveals(Revealing::View);
    if known.is_superset(&all) || opened_session.state.verdicts().next().is_none() {
        return;
    }
    // What a fork shows of its past is its parents' as well.
    let mut sessions = opened_session.state.forked_from().to_vec();
    sessions.push(session.clone());
    let recording = sights.lock_owned().await;
    record_on(tools, sessions, Revealing::View, tell, recording);
}

/// Records what is shown of some sessions; what goes wrong is said, for then nobody would
/// know that whoever labels is no longer blind.
fn record_on(
    tools: &Tools,
    sessions: Vec<SessionId>,
    what: Revealing,
    tell: &UnboundedSender<Told>,
    recording: OwnedMutexGuard<()>,
) {
    let (desk, tell) = (tools.desk.clone(), tell.clone());
    tokio::spawn(async move {
        let _recording = recording;
        let all = sessions.into_iter();
        let sights: Vec<_> = all.map(|session| (session, reveals(what))).collect();
        if let Err(why) = record(&desk, &sights).await {
            let why = format!("that you were shown verdicts is not recorded: {why}");
            let _ = tell.send(Told::Margins(Err(why)));
        }
    });
}

/// What somebody sees to whom this is shown.
fn reveals(what: Revealing) -> BTreeSet<Unblinding> {
    match what {
        Revealing::Verdict => BTreeSet::from([Unblinding::Verdict]),
        Revealing::View => BTreeSet::from([
            Unblinding::Verdict,
            Unblinding::Arm,
            Unblinding::Protocol,
            Unblinding::PromptVersion,
        ]),
    }
}

/// Returns what a person was shown of a session by now: it may have been in another terminal.
async fn seen(desk: Desk, who: String, session: SessionId) -> Result<BTreeSet<Unblinding>, String> {
    let read = tokio::task::spawn_blocking(move || {
        let mut sights = Margins::default();
        let read = read_sights(&desk.layout, &who).map_err(|error| error.to_string())?;
        sights.add(&who, read);
        Ok(sights.saw(&who, &session))
    });
    read.await
        .unwrap_or_else(|_| Err("what you were shown could not be read".to_owned()))
}

/// Records that something hidden is shown, and returns it.
async fn revealed(tools: &Tools, on: &Spot, what: Revealing) -> Result<Vec<String>, String> {
    let (with, session) = (tools.clone(), on.session.clone());
    let read = tokio::task::spawn_blocking(move || read(&with, &session)).await;
    let state = read.unwrap_or_else(|_| Err("the session could not be read".to_owned()))?;
    record(&tools.desk, &[(on.session.clone(), reveals(what))]).await?;
    Ok(match what {
        Revealing::Verdict => verdict(&state, on),
        Revealing::View => view(&state, on),
    })
}

async fn record(desk: &Desk, sights: &[(SessionId, BTreeSet<Unblinding>)]) -> Result<(), String> {
    let Desk {
        layout,
        fsync,
        clock,
        holder,
        person,
    } = desk;
    let recorded = record_sights(layout, fsync, *clock, person, holder, sights);
    recorded.await.map_err(|error| error.to_string())
}

fn read(tools: &Tools, session: &SessionId) -> Result<State, String> {
    let path = tools.desk.layout.session(session.as_str());
    let path = path.map_err(|error| error.to_string())?;
    if !path.exists() {
        return Err("this is a pack: it holds no verdicts and no prompts".to_owned());
    }
    read_session(&path).map_err(|error| error.to_string())
}

fn target(on: &Spot) -> Target {
    match &on.attempt {
        Some(attempt) => Target::Attempt(attempt.id.clone()),
        None => Target::Debate,
    }
}

/// Returns the first label that evaluators contradict; one that is left out of tables contradicts
/// nothing.
fn disagreement(tools: &Tools, labels: &[(usize, Spot, Counts)]) -> Option<usize> {
    let decided = labels
        .iter()
        .filter(|(_, _, counts)| *counts != Counts::LeftOut);
    let mut contradicted = decided.filter(|(_, on, counts)| {
        let found = read(tools, &on.session).ok();
        let found = found.and_then(|state| verdicts_on(&state, &target(on)).counts());
        found.is_some_and(|found| found != *counts)
    });
    contradicted.next().map(|(at, _, _)| *at)
}

fn verdict(state: &State, on: &Spot) -> Vec<String> {
    let verdicts = verdicts_on(state, &target(on));
    let mut words: Vec<String> = verdicts
        .found
        .iter()
        .map(|(rule, found)| format!("{rule}: {found}"))
        .collect();
    if words.is_empty() {
        words.push("no evaluator has looked at it".to_owned());
    }
    if verdicts.disagree() {
        words.push("evaluators disagree".to_owned());
    }
    words
}

/// Everything that a seat was shown, message by message.
fn view(state: &State, on: &Spot) -> Vec<String> {
    let Some(attempt) = &on.attempt else {
        return vec!["a debate as a whole was shown to nobody".to_owned()];
    };
    let chosen = state.turns().get(&attempt.id.turn).and_then(|turn| {
        let at = usize::try_from(attempt.id.attempt).ok()?;
        turn.attempts.get(at)?.view.clone()
    });
    let Some(view) = chosen else {
        return vec!["it was typed by a person, who was sent nothing".to_owned()];
    };
    let view = expand(state, Some(&attempt.id.turn), view);
    let messages = view.messages.into_iter().map(|message| {
        let parts = message.parts.into_iter().filter_map(|part| part.text);
        format!("[{:?}]\n{}", message.role, parts.collect::<String>())
    });
    messages.collect()
}

fn sheet(tools: &Tools, session: &SessionId, names: SeatNames) -> Result<Sheet, String> {
    read_sheet(&tools.desk.layout, session, names).map_err(|error| error.to_string())
}
