//! Tasks of the comparison form: finds debates, works out the cost, begins.

use super::FormMessage;
use crate::tui::app::Task;
use elenchus_records::workspace::for_sessions;
use elenchus_records::workspace::prompts::PromptName;
use elenchus_run::engine::models;
use elenchus_run::experiments::prompt_ab::{AbPlan, AbSurvey, AbWish};

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
        let planned = wish.planned(&services.comparison_context()).map(Box::new);
        FormMessage::Planned(planned.map_err(|error| error.to_string()))
    })
}

/// Begins a comparison, which goes on in the background.
pub(super) fn begin(plan: AbPlan) -> Task {
    Task::stream("begin a comparison", move |services, replies| async move {
        replies.send(FormMessage::Begun(services.begin_comparison(plan).await));
    })
}
