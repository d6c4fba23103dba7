//! Tasks of the labelling screen: the queues there are, what a draw would give, and drawing; what is
//! labelled, labels and what is revealed.
//!
//! A label is reported when it is durable; hidden content is shown when the record of showing it is
//! durable.

use super::Message;
use crate::annotation::labelling::{
    self, LabellingWork, QueueDraft, give_label, open_work, plan_queue, recorded_time_ms,
    take_label_back,
};
use crate::annotation::queue::{begin_queue, forecast_queue};
use crate::annotation::read_blinded_transcript;
use crate::debate::SessionId;
use crate::tui::app::{Task, Ticket};
use crate::workspace::annotations::{AnnotationId, AnnotationTarget, Label, LabelKey, Revealing};
use crate::workspace::{SeatNames, TableSide};
use std::sync::Arc;
use std::time::Instant;

/// Lists the queues as a person sees them, by default the one who labels.
pub(super) fn list_queues(reading: Ticket, person: Option<String>) -> Task {
    Task::blocking("list the queues", move |services| {
        let tools = &services.tools;
        let person = person.unwrap_or_else(|| tools.desk.person.clone());
        let list = labelling::list_queues(&tools.desk.layout, &tools.library, &person);
        Message::Queues(reading, list.map_err(|error| error.to_string()))
    })
}

/// Says what a draw would give.
pub(super) fn forecast(ticket: Ticket, draft: QueueDraft) -> Task {
    Task::blocking("forecast a draw", move |services| {
        let (layout, library) = (&services.tools.desk.layout, &services.tools.library);
        let made = plan_queue(layout, library, &draft).and_then(|(book, plan)| {
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
            let (book, plan) = plan_queue(&tools.desk.layout, &tools.library, &draft)?;
            let drawn = begin_queue(&tools.desk, &book, plan).await;
            drawn.map_err(|error| error.to_string())
        };
        let drawn = made.await.map(|drawn| drawn.queue.definition.queue);
        replies.send(Message::Drawn(drawn));
    })
}

/// Opens something to be labelled.
pub(super) fn open(work: LabellingWork) -> Task {
    Task::blocking("open what is to be labelled", |services| {
        drop(services.sights.blocking_lock());
        let tools = &services.tools;
        let card = open_work(&tools.desk, &tools.library, &work).map(Arc::new);
        Message::Opened(work, card.map_err(|error| error.to_string()))
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

/// Gives a label, with how long it took since its item was shown.
pub(super) fn give(ticket: Ticket, mut label: Box<Label>, shown_at: Option<Instant>) -> Task {
    let spent = shown_at.map_or(0, |at| at.elapsed().as_millis());
    label.spent_ms = Some(recorded_time_ms(spent));
    Task::stream("give a label", move |services, replies| async move {
        let mut journal = services.annotations.lock().await;
        // What is being shown is recorded first.
        drop(services.sights.lock().await);
        let given = give_label(&services.tools.desk, &mut journal, label).await;
        let given = given.map_err(|error| error.to_string());
        replies.send(Message::Given(ticket, given.map(Box::new)));
    })
}

/// Takes a mark back, be it a label or the taking back of one.
pub(super) fn take_back(ticket: Ticket, of: AnnotationId, place: LabelKey) -> Task {
    Task::stream("take a label back", move |services, replies| async move {
        let mut journal = services.annotations.lock().await;
        let taken = take_label_back(&services.tools.desk, &mut journal, of, &place).await;
        let taken = taken.map_err(|error| error.to_string());
        replies.send(Message::TakenBack(ticket, taken));
    })
}

/// Shows what is hidden, and records it first.
pub(super) fn reveal(on: AnnotationTarget, what: Revealing) -> Task {
    Task::stream("show what is hidden", move |services, replies| async move {
        let words = labelling::reveal(&services.tools.desk, &on, what).await;
        replies.send(Message::Revealed(on, what, words.map(Arc::new)));
    })
}

/// Finds labels (each with its side) that evaluators contradict; only where the person is no longer blind.
pub(super) fn find_disagreement(labels: Vec<(usize, AnnotationTarget, TableSide)>) -> Task {
    Task::blocking("find a disagreement", move |services| {
        let layout = &services.tools.desk.layout;
        Message::Disagrees(labelling::find_disagreement(layout, &labels))
    })
}
