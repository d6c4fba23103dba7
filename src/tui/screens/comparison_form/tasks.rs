//! Tasks of the comparison form: finds debates, works out the cost, begins.

use super::FormMessage;
use crate::tui::app::{Services, Task};
use elenchus_annotation::validation::{list_verdict_truths, read_known_truth};
use elenchus_records::workspace::prompts::PromptName;
use elenchus_records::workspace::{WorkspaceError, read_sessions_index, read_validation_index};
use elenchus_run::engine::list_models;
use elenchus_run::experiments::prompt_ab::{AbPlan, AbSurvey, AbWish, KnownTruth, VerdictTruth};

/// Finds debates that a prompt can be compared on, with the servers and models that were configured meanwhile too.
pub(super) fn find_debates(prompt: PromptName) -> Task {
    let name = "find debates to compare on";
    Task::new_stream(name, |services, replies| async move {
        let services = services.with_models_of_now().await;
        let survey = services.with_index(read_sessions_index, move |services, index| {
            let found = AbSurvey::read(&services.library, index, &prompt)?;
            let defaults = &services.defaults;
            let known_lists = defaults.served.known_lists();
            let judges = list_models(services, &defaults.served, &known_lists).into_iter();
            let truths = match found.is_of_verdicts {
                true => list_verdict_truths(index.layout(), &services.library)?,
                false => Vec::new(),
            };
            Ok(AbSurvey {
                truths,
                judges: judges.map(|model| model.name).collect(),
                budget_usd: defaults.budget_usd,
                ..found
            })
        });
        if let Some(result) = survey.await {
            replies.send_message(FormMessage::Surveyed(result));
        }
    })
}

/// Finds the turns of a comparison and works out its cost.
pub(super) fn plan_comparison(wish: AbWish) -> Task {
    let name = "work out what a comparison costs";
    let named = wish.plan.truth.clone();
    let plan = move |services: &Services, truth: Result<KnownTruth, WorkspaceError>| {
        let context = services.comparison_context();
        let planned = truth.and_then(|truth| wish.plan_comparison(&context, truth));
        FormMessage::Planned(planned.map(Box::new))
    };
    match named {
        VerdictTruth::Grader => {
            Task::new_blocking(name, move |services| plan(services, Ok(KnownTruth::Grader)))
        }
        named => Task::new_with_index(name, read_validation_index, move |services, index| {
            let truth = read_known_truth(index, &services.library, &named);
            plan(services, truth)
        }),
    }
}

/// Begins a comparison, which goes on in the background.
pub(super) fn start_comparison(plan: AbPlan) -> Task {
    Task::new_stream("begin a comparison", move |services, replies| async move {
        replies.send_message(FormMessage::Begun(services.begin_comparison(plan).await));
    })
}
