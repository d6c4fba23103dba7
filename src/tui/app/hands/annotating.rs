//! Queues, labels and unblinding.
//!
//! A label is reported when it is durable; hidden content is shown when the record of showing it is
//! durable.

use super::keeping::opened;
use super::queued::card;
use super::{Hands, Sights, Tools};
use crate::annotation::queue::own_verdicts_on;
use crate::annotation::{BlindedTranscript, read_blinded_transcript};
use crate::debate::event::{Event, Record};
use crate::debate::{SessionId, State, Target};
use crate::engine::live::LiveEvent;
use crate::prompt::expand;
use crate::tui::app::deed::{AnnotateDeed, Revealing, Ticket};
use crate::tui::app::hidden_verdicts::annotations;
use crate::tui::app::told::{AnnotateTold, Opened, Told};
use crate::workspace::annotations::{
    Annotation, AnnotationId, AnnotationJournal, AnnotationTarget, Annotations, Blindness, Label,
    LabelKey, Unblinding, annotator, read_unblinding, record_unblinding,
};
use crate::workspace::read_session;
use crate::workspace::{Desk, SeatNames, TableSide};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::OwnedMutexGuard;
use tokio::sync::mpsc::UnboundedSender;

/// Longest time that is recorded for a label, in milliseconds: a lunch break is not reading time.
const MAX_SPENT_MS: u64 = 10 * 60 * 1000;

impl Hands {
    pub(crate) fn annotate(&mut self, deed: AnnotateDeed) {
        match deed {
            AnnotateDeed::LabelAs(name) => {
                self.services.tools.desk.person = name;
                // Another person's journal is opened, and what they are shown is theirs.
                self.services.annotations = Arc::default();
                self.sighted.clear();
            }
            AnnotateDeed::Open(work) => {
                let sights = Arc::clone(&self.services.sights);
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
            AnnotateDeed::Annotations => {
                let (desk, tell) = (self.services.tools.desk.clone(), self.tell.clone());
                tokio::task::spawn_blocking(move || {
                    // What cannot be read now stays as it is shown.
                    if let Ok(all) = annotations(&desk) {
                        let all = AnnotateTold::Annotations(Arc::new(all));
                        let _ = tell.send(Told::Annotate(all));
                    }
                });
            }
            AnnotateDeed::Listed(sessions) => {
                self.record_unblinding(sessions, Revealing::Verdict);
            }
            AnnotateDeed::Reveal(on, what) => self.reveal(on, what),
            AnnotateDeed::Disagreement(labels) => {
                self.look_up(move |tools| AnnotateTold::Disagrees(disagreement(tools, &labels)));
            }
        }
    }

    fn look_up(&self, work: impl FnOnce(&Tools) -> AnnotateTold + Send + 'static) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let _ = tell.send(Told::Annotate(work(&tools)));
        });
    }

    fn give(&self, ticket: Ticket, mut label: Box<Label>) {
        let spent = u64::try_from(self.shown.elapsed().as_millis()).unwrap_or(u64::MAX);
        label.spent_ms = Some(spent.min(MAX_SPENT_MS));
        let desk = self.services.tools.desk.clone();
        let sights = Arc::clone(&self.services.sights);
        self.in_margin(
            move |book, who| {
                Box::pin(async move {
                    drop(sights.lock().await);
                    let mut saw = book.annotations().saw(&who, &label.on.session);
                    match seen(desk, who.clone(), label.on.session.clone()).await {
                        Ok(more) => saw.extend(more),
                        Err(why) => return AnnotateTold::Given(ticket, Err(why)),
                    }
                    label.blind = match saw.is_empty() {
                        true => Blindness::Blind,
                        false => Blindness::Unblinded { saw },
                    };
                    let place = LabelKey::from_label(&label);
                    let given = book.write(Annotation::Labelled(label)).await;
                    let given = given.map_err(|error| error.to_string()).and_then(|_| {
                        let standing = book.annotations().label(&who, &place).cloned();
                        standing.ok_or_else(|| "the label was not recorded".to_owned())
                    });
                    AnnotateTold::Given(ticket, given.map(Box::new))
                })
            },
            move |why| AnnotateTold::Given(ticket, Err(why)),
        );
    }

    fn take_back(&self, ticket: Ticket, of: AnnotationId, place: LabelKey) {
        self.in_margin(
            move |book, who| {
                Box::pin(async move {
                    let taken = book.write(Annotation::Retracted { of }).await;
                    let taken = taken.map_err(|error| error.to_string());
                    let stands = book
                        .annotations()
                        .label(&who, &place)
                        .cloned()
                        .map(Box::new);
                    AnnotateTold::TakenBack(ticket, taken.map(|mark| (mark, stands)))
                })
            },
            move |why| AnnotateTold::TakenBack(ticket, Err(why)),
        );
    }

    fn reveal(&self, on: AnnotationTarget, what: Revealing) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        tokio::spawn(async move {
            let told = revealed(&tools, &on, what).await.map(Arc::new);
            let _ = tell.send(Told::Annotate(AnnotateTold::Revealed(on, what, told)));
        });
    }

    /// Does something in the person's margin, one after the other.
    fn in_margin(
        &self,
        work: impl for<'a> FnOnce(&'a mut AnnotationJournal, String) -> Doing<'a> + Send + 'static,
        failed: impl FnOnce(String) -> AnnotateTold + Send + 'static,
    ) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let margin = Arc::clone(&self.services.annotations);
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
    /// Takes note of verdicts that appear on the screen while a debate is played, or with a fork of
    /// one: the first of each session unblinds.
    pub fn take_note(&mut self, told: &Told) {
        let judged = |record: &Record| matches!(record.event, Event::Judged(_));
        let session = match told {
            Told::Live(id, update) => match update.as_ref() {
                LiveEvent::Happened(record) if judged(record) => id,
                _ => return,
            },
            Told::Grew(id, records) if records.iter().any(judged) => id,
            Told::Forked {
                result: Ok((id, opened)),
                ..
            } => return self.take_note_of_fork(id, opened),
            _ => return,
        };
        if self.sighted.insert(session.clone()) {
            let sessions = vec![session.clone()];
            self.record_unblinding(sessions, Revealing::View);
        }
    }

    /// A fork is shown at once, with the verdicts of its past, and is not opened before.
    fn take_note_of_fork(&self, fork: &SessionId, opened: &Arc<Opened>) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let (fork, opened, sights) = (
            fork.clone(),
            opened.clone(),
            Arc::clone(&self.services.sights),
        );
        tokio::spawn(async move {
            record_sight(&tools, &fork, &opened, &tell, sights).await;
        });
    }

    /// Records the sessions that the screen shows, after earlier records are durable.
    fn record_unblinding(&self, sessions: Vec<SessionId>, what: Revealing) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let sights = Arc::clone(&self.services.sights);
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
    let known = opened_session.annotations.saw(&who, session);
    let all = reveals(Revealing::View);
    if known.is_superset(&all) || opened_session.state.verdicts().next().is_none() {
        return;
    }
    // What a fork shows of its past is its parents' as well.
    let mut sessions = opened_session.state.forked_from().to_vec();
    sessions.retain(|past| !opened_session.annotations.saw(&who, past).is_superset(&all));
    sessions.push(session.clone());
    let recording = sights.lock_owned().await;
    record_on(tools, sessions, Revealing::View, tell, recording);
}

/// Records the sessions that are shown; a failure is reported, since the annotator's unblinding
/// would otherwise be unknown.
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
            let _ = tell.send(Told::Annotations(Err(why)));
        }
    });
}

/// Unblinding that showing this causes.
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
        let mut sights = Annotations::default();
        let read = read_unblinding(&desk.layout, &who).map_err(|error| error.to_string())?;
        sights.add(&who, read);
        Ok(sights.saw(&who, &session))
    });
    read.await
        .unwrap_or_else(|_| Err("what you were shown could not be read".to_owned()))
}

/// Records that something hidden is shown, and returns it.
async fn revealed(
    tools: &Tools,
    on: &AnnotationTarget,
    what: Revealing,
) -> Result<Vec<String>, String> {
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
    let recorded = record_unblinding(desk, sights);
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

fn target(on: &AnnotationTarget) -> Target {
    match &on.attempt {
        Some(attempt) => Target::Attempt(attempt.id.clone()),
        None => Target::Debate,
    }
}

/// Returns the first label that evaluators contradict; one that is left out of tables contradicts
/// nothing.
fn disagreement(tools: &Tools, labels: &[(usize, AnnotationTarget, TableSide)]) -> Option<usize> {
    let decided = labels
        .iter()
        .filter(|(_, _, counts)| *counts != TableSide::LeftOut);
    let mut contradicted = decided.filter(|(_, on, counts)| {
        let found = read(tools, &on.session).ok();
        let found = found.and_then(|state| own_verdicts_on(&state, &target(on)).counts());
        found.is_some_and(|found| found != *counts)
    });
    contradicted.next().map(|(at, _, _)| *at)
}

fn verdict(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let verdicts = own_verdicts_on(state, &target(on));
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
fn view(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let Some(attempt) = &on.attempt else {
        return vec!["no model was shown a debate as a whole".to_owned()];
    };
    let chosen = state.turns().get(&attempt.id.turn).and_then(|turn| {
        let at = usize::try_from(attempt.id.attempt).ok()?;
        turn.attempts.get(at)?.view.clone()
    });
    let Some(view) = chosen else {
        return vec!["it was typed by a person: nothing was sent".to_owned()];
    };
    let view = expand(state, Some(&attempt.id.turn), view);
    let messages = view.messages.into_iter().map(|message| {
        let parts = message.parts.into_iter().filter_map(|part| part.text);
        format!("[{:?}]\n{}", message.role, parts.collect::<String>())
    });
    messages.collect()
}

fn sheet(
    tools: &Tools,
    session: &SessionId,
    names: SeatNames,
) -> Result<BlindedTranscript, String> {
    read_blinded_transcript(&tools.desk.layout, session, names).map_err(|error| error.to_string())
}
