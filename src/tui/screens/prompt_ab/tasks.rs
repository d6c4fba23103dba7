//! Tasks of prompt comparisons.

use super::{FormMessage, ReportMessage};
use crate::debate::protocol::Ceilings;
use crate::engine::models;
use crate::experiments::prompt_ab::{Ab, AbCard, AbPlan, AbSurvey, AbWish, list_comparisons};
use crate::experiments::{ExperimentContext, NoExperimentObserver, StopSignal};
use crate::tui::app::{Replies, Services, Task};
use crate::workspace::for_sessions;
use crate::workspace::prompts::PromptName;
use std::sync::Arc;

/// Lists the comparisons.
pub(super) fn list() -> Task {
    Task::blocking("list the comparisons", |services| {
        list_comparisons(&services.tools.desk.layout)
    })
}

/// Finds debates that a prompt can be compared on.
pub(super) fn survey(prompt: PromptName) -> Task {
    Task::indexed(
        "find debates to compare on",
        for_sessions,
        move |tools, index| {
            let found = AbSurvey::read(&tools.library, index, &prompt).map(|found| {
                let judges = models(tools, &tools.served.all_known()).into_iter();
                AbSurvey {
                    judges: judges.map(|model| model.name).collect(),
                    budget_usd: tools.budget_usd,
                    ..found
                }
            });
            FormMessage::Surveyed(found.map_err(|error| error.to_string()))
        },
    )
}

/// Finds the turns of a comparison and works out its cost.
pub(super) fn plan(wish: AbWish) -> Task {
    Task::blocking("work out what a comparison costs", move |services| {
        let planned = wish.planned(&context(services)).map(Box::new);
        FormMessage::Planned(planned.map_err(|error| error.to_string()))
    })
}

/// Begins a comparison, which goes on in the background.
pub(super) fn begin(plan: AbPlan) -> Task {
    Task::stream("begin a comparison", move |services, replies| async move {
        let context = context(&services);
        let begun = Ab::begin(&context, plan).await.map(|ab| {
            let id = ab.log.state.manifest.id.clone();
            play(services, context, ab);
            id
        });
        replies.send(FormMessage::Begun(begun.map_err(|error| error.to_string())));
    })
}

/// Goes on with a comparison in the background.
pub(super) fn resume(id: String) -> Task {
    Task::stream(
        "go on with a comparison",
        move |services, replies| async move {
            if !services.comparisons.plays(&id) {
                let context = context(&services);
                match Ab::resume(&context, &id, Ceilings::default()).await {
                    Ok(ab) => play(services.clone(), context, ab),
                    Err(error) => {
                        return replies.send(ReportMessage::Ended(Err(error.to_string())));
                    }
                }
            }
            let tell = |news| replies.send(news);
            services.comparisons.follow(&id, tell).await;
        },
    )
}

/// Starts no more samples of a comparison.
pub(super) fn stop(id: String) -> Task {
    Task::stream(
        "stop a comparison",
        |services, _: Replies<ReportMessage>| async move {
            services.comparisons.stop(&id);
        },
    )
}

/// Reads a comparison, and follows it while it is played here.
pub(super) fn read(id: String) -> Task {
    Task::stream("read a comparison", move |services, replies| async move {
        if services.comparisons.plays(&id) {
            let tell = |news| replies.send(news);
            return services.comparisons.follow(&id, tell).await;
        }
        let desk = services.tools.desk.clone();
        let read = tokio::task::spawn_blocking(move || AbCard::read(&desk, &id));
        if let Ok(read) = read.await {
            let read = read.map(Arc::new).map_err(|error| error.to_string());
            replies.send(ReportMessage::Compared(read));
        }
    })
}

/// Plays a comparison in the background: it goes on while no screen shows it.
fn play(services: Services, context: ExperimentContext, ab: Ab) {
    let entered = services.comparisons.enter(context, ab);
    tokio::spawn(async move {
        let stop = entered.stop();
        let played = services.until_closed(stop, entered.play()).await;
        played.finish().await;
    });
}

fn context(services: &Services) -> ExperimentContext {
    let observer = Arc::new(NoExperimentObserver);
    services.tools.experiment(observer, StopSignal::at_once())
}
