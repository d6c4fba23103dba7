//! Tasks of the labelling screen: the queues there are, what a draw would give, and drawing.

use super::queue_form::QueueDraft;
use super::{Message, QueueLine, QueueList};
use crate::annotation::queue::{
    ItemOrder, QueuePlan, REPEATS_PERCENT, Sampling, StratifyBy, begin_queue, filter_from_words,
    forecast_queue, progress, queues,
};
use crate::library::LabelBook;
use crate::tui::app::hands::Tools;
use crate::tui::app::{Task, Ticket};
use crate::workspace::WorkspaceError;
use crate::workspace::annotations::{annotator, read_annotations};

/// Lists the queues as a person sees them, by default the one who labels.
pub(super) fn list_queues(person: Option<String>) -> Task {
    Task::blocking("list the queues", |services| {
        let tools = &services.tools;
        let list = list(tools, &person.unwrap_or_else(|| tools.desk.person.clone()));
        Message::Queues(list.map_err(|error| error.to_string()))
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
