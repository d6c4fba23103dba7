//! Tasks of the labelling screen: the queues there are, what a draw would give, and drawing; what is
//! labelled, labels and what is revealed.
//!
//! A label is reported when it is durable; hidden content is shown when the record of showing it is
//! durable.

use super::queue_form::QueueDraft;
use super::work::card;
use super::{Message, QueueLine, QueueList};
use crate::annotation::queue::{
    ItemOrder, QueuePlan, REPEATS_PERCENT, Sampling, StratifyBy, begin_queue, filter_from_words,
    forecast_queue, own_verdicts_on, progress, queues,
};
use crate::annotation::read_blinded_transcript;
use crate::debate::{SessionId, State, Target};
use crate::library::LabelBook;
use crate::prompt::expand;
use crate::tui::app::{Revealing, Services, Task, Ticket, Tools, Work, record};
use crate::workspace::annotations::{
    Annotation, AnnotationId, AnnotationJournal, AnnotationTarget, Annotations, Blindness,
    CurrentLabel, Label, LabelKey, Unblinding, annotator, opened_journal, read_annotations,
    read_unblinding, unblinds,
};
use crate::workspace::{Desk, SeatNames, TableSide, WorkspaceError, read_session};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Longest time that is recorded for a label, in milliseconds: a lunch break is not reading time.
const MAX_SPENT_MS: u64 = 10 * 60 * 1000;

/// Lists the queues as a person sees them, by default the one who labels.
pub(super) fn list_queues(reading: Ticket, person: Option<String>) -> Task {
    Task::blocking("list the queues", move |services| {
        let tools = &services.tools;
        let list = list(tools, &person.unwrap_or_else(|| tools.desk.person.clone()));
        Message::Queues(reading, list.map_err(|error| error.to_string()))
    })
}

/// Says what a draw would give.
pub(super) fn forecast(ticket: Ticket, draft: QueueDraft) -> Task {
    Task::blocking("forecast a draw", move |services| {
        let made = planned(&services.tools, &draft).and_then(|(book, plan)| {
            let layout = &services.tools.desk.layout;
            forecast_queue(layout, &book, plan).map_err(|error| error.to_string())
        });
        Message::Forecast(ticket, made)
    })
}

/// Draws a queue.
pub(super) fn draw(draft: QueueDraft) -> Task {
    Task::stream("draw a queue", |services, replies| async move {
        let tools = services.tools;
        let made = async {
            let (book, plan) = planned(&tools, &draft)?;
            let drawn = begin_queue(&tools.desk, &book, plan).await;
            drawn.map_err(|error| error.to_string())
        };
        let drawn = made.await.map(|drawn| drawn.queue.definition.queue);
        replies.send(Message::Drawn(drawn));
    })
}

fn list(tools: &Tools, person: &str) -> Result<QueueList, WorkspaceError> {
    let layout = &tools.desk.layout;
    let (annotations, _) = read_annotations(layout)?;
    let who = annotator(person);
    let mut people: Vec<String> = annotations.annotators().map(str::to_owned).collect();
    if !people.contains(&who) {
        people.insert(0, who.clone());
    }
    let found = queues(layout)?.into_iter();
    let lines = found.filter_map(|(_, queue)| queue.ok()).map(|queue| {
        let mine = progress(&queue, &annotations, &who);
        let others = annotations.annotators().filter(|other| *other != who);
        let others = others.filter(|other| progress(&queue, &annotations, other).labelled > 0);
        QueueLine {
            others: others.count(),
            labelled: mine.labelled,
            of: mine.of,
            set: queue.definition.set,
            queue: queue.definition.queue,
        }
    });
    let sets = tools.library.label_sets().into_iter();
    Ok(QueueList {
        queues: lines.collect(),
        sets: sets.map(|(name, _)| name).collect(),
        annotator: who,
        people,
    })
}

/// Reads what was typed into the form.
fn planned(tools: &Tools, draft: &QueueDraft) -> Result<(LabelBook, QueuePlan), String> {
    let layout = &tools.desk.layout;
    let book = tools.library.label_set(&draft.set);
    let book = book.map_err(|error| error.to_string())?;
    // A name that is taken is said before anything is labelled by it.
    let path = layout.queue(&draft.name);
    if path.map_err(|error| error.to_string())?.exists() {
        return Err(format!("a queue '{}' is there already", draft.name));
    }
    let strata = draft.strata.split(',').map(str::trim);
    let strata = strata.filter(|by| !by.is_empty()).map(|by| {
        let read: Result<StratifyBy, String> = by.parse();
        read.map_err(|why| format!("strata: '{by}': {why}"))
    });
    let sampling = match draft.sample.as_str() {
        "" => Sampling::All,
        text => match text.parse() {
            Ok(units) => Sampling::Sample { units },
            Err(_) => return Err("how many: a whole number, or empty for all".to_owned()),
        },
    };
    let plan = QueuePlan {
        queue: draft.name.clone(),
        filter: filter_from_words(layout, &draft.filter)?,
        unit: draft.unit,
        sampling,
        strata: strata.collect::<Result<_, _>>()?,
        order: ItemOrder::ByTopic,
        repeats_percent: REPEATS_PERCENT,
        seed: 0,
    };
    Ok((book, plan))
}

/// Opens something to be labelled.
pub(super) fn open(work: Work) -> Task {
    Task::blocking("open what is to be labelled", |services| {
        drop(services.sights.blocking_lock());
        let card = card(&services.tools, &work).map(Arc::new);
        Message::Opened(work, card)
    })
}

/// Reads the blinded transcript of a session for the annotator.
pub(super) fn read_sheet(session: SessionId, names: SeatNames) -> Task {
    Task::blocking("read a blinded transcript", move |services| {
        let layout = &services.tools.desk.layout;
        let sheet = read_blinded_transcript(layout, &session, names).map(Arc::new);
        Message::Sheet(session, sheet.map_err(|error| error.to_string()))
    })
}

/// Gives a label. How blind it is, and how long it took since its item was shown, is filled in.
pub(super) fn give(ticket: Ticket, mut label: Box<Label>, shown_at: Option<Instant>) -> Task {
    let spent = shown_at.map_or(0, |at| at.elapsed().as_millis());
    let spent = u64::try_from(spent).unwrap_or(u64::MAX);
    label.spent_ms = Some(spent.min(MAX_SPENT_MS));
    Task::stream("give a label", move |services, replies| async move {
        let given = async {
            let mut journal = services.annotations.lock().await;
            let journal = opened_journal(&services.tools.desk, &mut journal)
                .map_err(|error| error.to_string())?;
            given(&services, journal, label).await
        };
        replies.send(Message::Given(ticket, given.await.map(Box::new)));
    })
}

async fn given(
    services: &Services,
    journal: &mut AnnotationJournal,
    mut label: Box<Label>,
) -> Result<CurrentLabel, String> {
    let who = annotator(&services.tools.desk.person);
    drop(services.sights.lock().await);
    let mut saw = journal.annotations().saw(&who, &label.on.session);
    let desk = services.tools.desk.clone();
    saw.extend(seen(desk, who.clone(), label.on.session.clone()).await?);
    label.blind = match saw.is_empty() {
        true => Blindness::Blind,
        false => Blindness::Unblinded { saw },
    };
    let place = LabelKey::from_label(&label);
    let written = journal.write(Annotation::Labelled(label)).await;
    written.map_err(|error| error.to_string())?;
    let standing = journal.annotations().label(&who, &place).cloned();
    standing.ok_or_else(|| "the label was not recorded".to_owned())
}

/// Takes a mark back, be it a label or the taking back of one.
pub(super) fn take_back(ticket: Ticket, of: AnnotationId, place: LabelKey) -> Task {
    Task::stream("take a label back", move |services, replies| async move {
        let taken = async {
            let mut journal = services.annotations.lock().await;
            let journal = opened_journal(&services.tools.desk, &mut journal)
                .map_err(|error| error.to_string())?;
            let taken = journal.write(Annotation::Retracted { of }).await;
            let mark = taken.map_err(|error| error.to_string())?;
            let who = annotator(&services.tools.desk.person);
            let stands = journal.annotations().label(&who, &place).cloned();
            Ok((mark, stands.map(Box::new)))
        };
        replies.send(Message::TakenBack(ticket, taken.await));
    })
}

/// Shows what is hidden, and records it first.
pub(super) fn reveal(on: AnnotationTarget, what: Revealing) -> Task {
    Task::stream("show what is hidden", move |services, replies| async move {
        let words = revealed(&services.tools, &on, what).await.map(Arc::new);
        replies.send(Message::Revealed(on, what, words));
    })
}

/// Finds labels (each with its side) that evaluators contradict; only where the person is no longer blind.
pub(super) fn find_disagreement(labels: Vec<(usize, AnnotationTarget, TableSide)>) -> Task {
    Task::blocking("find a disagreement", move |services| {
        Message::Disagrees(disagreement(&services.tools, &labels))
    })
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
    record(&tools.desk, &[(on.session.clone(), unblinds(what))]).await?;
    Ok(match what {
        Revealing::Verdict => verdict(&state, on),
        Revealing::View => view(&state, on),
    })
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
        turn.attempts.get(at)?.view
    });
    let Some(place) = chosen else {
        return vec!["it was typed by a person: nothing was sent".to_owned()];
    };
    let view = expand(state, Some(&attempt.id.turn), state.view(place));
    let messages = view.messages.into_iter().map(|message| {
        let parts = message.parts.into_iter().filter_map(|part| part.text);
        format!("[{:?}]\n{}", message.role, parts.collect::<String>())
    });
    messages.collect()
}
