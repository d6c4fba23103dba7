//! Tasks of the list of queues: the queues there are, what a draw would give, and drawing.

use super::Message;
use crate::tui::app::{Task, Ticket};
use elenchus_annotation::labelling::{self, QueueDraft, plan_queue};
use elenchus_annotation::queue::{
    ForecastPopulation, QueueChoices, begin_queue, forecast_queue, remove_queue as remove_from_list,
};
use std::sync::Arc;

/// Lists the queues as a person sees them, by default the one who labels.
pub(super) fn list_queues(reading: Ticket, person: Option<String>) -> Task {
    Task::new_blocking("list the queues", move |services| {
        let person = person.unwrap_or_else(|| services.store.person.clone());
        let list = labelling::list_queues(&services.store.layout, &services.library, &person);
        Message::Queues(reading, list)
    })
}

/// Reads what there is to draw from.
pub(super) fn read_choices() -> Task {
    Task::new_blocking("read what there is to draw from", move |services| {
        let kinds = labelling::list_kinds(&labelling::list_sets(&services.library));
        let choices = QueueChoices::read(&services.store.layout, &kinds);
        Message::Choices(choices.map(Box::new))
    })
}

/// Says what a draw would give; sessions are read where the conditions are others than of what is known.
pub(super) fn forecast_draw(
    ticket: Ticket,
    draft: QueueDraft,
    known: Option<Arc<ForecastPopulation>>,
) -> Task {
    Task::new_blocking("forecast a draw", move |services| {
        let (layout, library) = (&services.store.layout, &services.library);
        let mut population = known.clone();
        let forecast = plan_queue(layout, library, &draft).and_then(|(book, plan)| {
            let read = ForecastPopulation::read(layout, &book, &plan, known)?;
            let forecast = forecast_queue(&book, plan, &read);
            population = Some(read);
            forecast
        });
        Message::Forecast(ticket, forecast, population)
    })
}

/// Draws a queue.
pub(super) fn draw_queue(draft: QueueDraft) -> Task {
    Task::new_stream("draw a queue", |services, replies| async move {
        let drawing = async {
            let (book, plan) = plan_queue(&services.store.layout, &services.library, &draft)?;
            begin_queue(&services.store, &book, plan).await
        };
        let name = drawing.await.map(|drawn| drawn.queue.definition.queue);
        replies.send_message(Message::Drawn(name));
    })
}

/// Removes a queue; its labels stay.
pub(super) fn remove_queue(queue: String) -> Task {
    Task::new_stream("remove a queue", |services, replies| async move {
        let removed = remove_from_list(&services.store, &queue).await;
        replies.send_message(Message::Removed(removed.map(|()| queue)));
    })
}
