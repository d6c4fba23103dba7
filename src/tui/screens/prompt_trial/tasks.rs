//! Tasks of the prompt trial: reads a turn with the cost of its samples, plays them, adopts one.

use super::Message;
use crate::tui::app::Task;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::drafts::prompt_trial::{TryCard, TryWish};
use elenchus_run::experiments::ExperimentContext;
use elenchus_run::experiments::prompt_trial::{PromptTrial, TryPlan, adopt as adopt_sample};
use elenchus_run::experiments::{NoExperimentObserver, StopSignal};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// Reads the turn, checks the text on it and works out what a sample costs.
pub(super) fn read(wish: TryWish) -> Task {
    Task::blocking("read the turn to try", move |services| {
        let (tools, observer) = (&services.tools, Arc::new(NoExperimentObserver));
        let context = ExperimentContext::from_tools(tools, observer, StopSignal::at_once());
        let card = TryCard::read(&context, &wish, tools.budget_usd);
        Message::Read(card.map(Box::new).map_err(|error| error.to_string()))
    })
}

/// Plays samples until they are over or stopped.
pub(super) fn play(plan: TryPlan, stop: StopSignal) -> Task {
    Task::stream("play samples", move |services, replies| async move {
        let observer = Arc::new(NoExperimentObserver);
        let context = ExperimentContext::from_tools(&services.tools, observer, stop.clone());
        let (tell, mut updates) = unbounded_channel();
        let playing = services.until_closed(stop.pause, async move {
            let mut trial = PromptTrial::go_on_or_begin(&context, plan).await?;
            trial.play(&context, tell).await
        });
        let telling = async {
            while let Some(update) = updates.recv().await {
                match update.is_piece() {
                    true => replies.send_piece(Message::Went(update)),
                    false => replies.send(Message::Went(update)),
                }
            }
        };
        let (played, ()) = tokio::join!(playing, telling);
        let over = played.map(|_| ());
        let over = over.map_err(|error: WorkspaceError| error.to_string());
        replies.send(Message::Over(over));
    })
}

/// Makes a sample a session of its own.
pub(super) fn adopt(sample: SessionId) -> Task {
    Task::blocking("adopt a sample", move |services| {
        let adopted = adopt_sample(&services.tools.desk, &sample).map(|_| ());
        Message::Adopted(sample, adopted.map_err(|error| error.to_string()))
    })
}
