//! Tasks of the validation screen.

use super::Message;
use crate::tui::app::{Task, Ticket};
use elenchus_annotation::queue::{FurtherDraw, draw_further};
use elenchus_annotation::validation::{
    MissingLabels, ValidationRequest, ValidationResult, find_most_labelled_set, read_cell_turns,
    read_further_draw, validate_evaluators,
};
use elenchus_metrics::TurnPlace;
use elenchus_records::workspace::{WorkspaceError, read_validation_index};
use std::sync::Arc;

/// Holds evaluators against labels, by default those of the set that most turns are labelled by.
pub(super) fn compute_validation(ticket: Ticket, request: ValidationRequest) -> Task {
    Task::new_with_index(
        "validate evaluators",
        read_validation_index,
        move |services, index| {
            let compute = || -> Result<ValidationResult, WorkspaceError> {
                let set = match request.set.clone() {
                    Some(set) => Some(set),
                    None => find_most_labelled_set(index.layout())?,
                };
                validate_evaluators(
                    index,
                    &services.library,
                    &ValidationRequest { set, ..request },
                )
            };
            let result = compute().map(Arc::new);
            Message::Validated(ticket, result)
        },
    )
}

/// Reads the turns of an evaluator's cell.
pub(super) fn read_turns(
    ticket: Ticket,
    known: Arc<ValidationResult>,
    evaluator: String,
    gold: String,
    places: Vec<TurnPlace>,
) -> Task {
    Task::new_blocking("read the turns of a cell", move |services| {
        let layout = &services.store.layout;
        let read = read_cell_turns(layout, &known.reading.rows, &evaluator, &gold, &places);
        Message::TurnsRead(ticket, read)
    })
}

/// Reads what labels can be drawn from.
pub(super) fn read_draw(missing: MissingLabels) -> Task {
    Task::new_with_index(
        "read what labels are drawn from",
        read_validation_index,
        move |services, index| {
            let further = read_further_draw(index, &services.library, &missing);
            Message::DrawRead(further.map(|further| (missing.queue, further)))
        },
    )
}

/// Draws turns to be labelled into a queue.
pub(super) fn draw_labels(queue: String, further: FurtherDraw) -> Task {
    Task::new_stream("draw labels", |services, replies| async move {
        let drawn = draw_further(&services.store, &queue, &further).await;
        replies.send_message(Message::Drawn(drawn.map(|(_, calls)| (queue, calls))));
    })
}
