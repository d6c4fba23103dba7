//! Tasks of the comparison form: finds debates, works out the cost, begins.

use super::FormMessage;
use crate::tui::app::Task;
use elenchus_records::workspace::prompts::PromptName;
use elenchus_records::workspace::read_sessions_index;
use elenchus_run::engine::list_models;
use elenchus_run::experiments::prompt_ab::{AbPlan, AbSurvey, AbWish};

/// Finds debates that a prompt can be compared on, with the servers and models that were configured meanwhile too.
pub(super) fn find_debates(prompt: PromptName) -> Task {
    let name = "find debates to compare on";
    Task::new_stream(name, |services, replies| async move {
        let services = services.with_models_of_now().await;
        let survey = services.with_index(read_sessions_index, move |services, index| {
            AbSurvey::read(&services.library, index, &prompt).map(|found| {
                let defaults = &services.defaults;
                let known_lists = defaults.served.known_lists();
                let judges = list_models(services, &defaults.served, &known_lists).into_iter();
                AbSurvey {
                    judges: judges.map(|model| model.name).collect(),
                    budget_usd: defaults.budget_usd,
                    ..found
                }
            })
        });
        if let Some(result) = survey.await {
            replies.send_message(FormMessage::Surveyed(result));
        }
    })
}

/// Finds the turns of a comparison and works out its cost.
pub(super) fn plan_comparison(wish: AbWish) -> Task {
    Task::new_blocking("work out what a comparison costs", move |services| {
        let result = wish
            .plan_comparison(&services.comparison_context())
            .map(Box::new);
        FormMessage::Planned(result)
    })
}

/// Begins a comparison, which goes on in the background.
pub(super) fn start_comparison(plan: AbPlan) -> Task {
    Task::new_stream("begin a comparison", move |services, replies| async move {
        replies.send_message(FormMessage::Begun(services.begin_comparison(plan).await));
    })
}
