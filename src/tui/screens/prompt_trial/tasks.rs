//! Tasks of the prompt trial: reads a turn with the cost of its samples, plays them, adopts one.

use super::Message;
use crate::tui::app::Task;
use elenchus_game::debate::SessionId;
use elenchus_run::drafts::prompt_trial::{TrialTurn, TryWish};
use elenchus_run::experiments::StopSignal;
use elenchus_run::experiments::prompt_trial::{PromptTrial, TryPlan, adopt_tried_sample};
use tokio::sync::mpsc::unbounded_channel;

/// Reads the turn, checks the text on it and works out what a sample costs.
pub(super) fn read_turn(wish: TryWish) -> Task {
    Task::new_blocking("read the turn to try", move |services| {
        let context = services.experiment_context(StopSignal::new_immediate());
        let card = TrialTurn::read(&context, &wish, services.defaults.budget_usd);
        Message::Read(card.map(Box::new))
    })
}

/// Plays samples until they are over or stopped.
pub(super) fn play_samples(plan: TryPlan, stop: StopSignal) -> Task {
    Task::new_stream("play samples", move |services, replies| async move {
        let context = services.experiment_context(stop.clone());
        let (update_sender, mut updates) = unbounded_channel();
        let playing = services.run_until_exit(stop.pause, async move {
            let mut trial = PromptTrial::resume_or_begin(&context, plan).await?;
            trial.play_samples(&context, update_sender).await
        });
        let telling = async {
            while let Some(update) = updates.recv().await {
                match update.is_piece() {
                    true => replies.send_piece(Message::Update(update)),
                    false => replies.send_message(Message::Update(update)),
                }
            }
        };
        let (play_result, ()) = tokio::join!(playing, telling);
        replies.send_message(Message::Over(play_result.map(|_| ())));
    })
}

/// Makes a sample a session of its own.
pub(super) fn start_adoption(sample: SessionId) -> Task {
    Task::new_blocking("adopt a sample", move |services| {
        let adoption = adopt_tried_sample(&services.as_user().store, &sample).map(|_| ());
        Message::Adopted(sample, adoption)
    })
}
