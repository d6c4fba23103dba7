//! Tasks of the prompt trial: reads a turn with the cost of its samples, plays them, adopts one.

use super::{Message, TryCard, TryWish};
use crate::debate::SessionId;
use crate::debate::protocol::Ceilings;
use crate::engine::live::LiveEvent;
use crate::engine::{CostCeiling, Repeats, check_models};
use crate::experiments::prompt_trial::{
    PromptTrial, RollForward, TrialUpdate, TryPlan, TurnContext, adopt as adopt_sample,
    estimate_sample,
};
use crate::experiments::{NoExperimentObserver, StopSignal};
use crate::tui::app::{Replies, Task, Tools};
use crate::workspace::replace_private as keep_private;
use crate::workspace::{WorkspaceError, example_of, read_session};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// Reads the turn, checks the text on it and works out what a sample costs.
pub(super) fn read(wish: TryWish) -> Task {
    Task::blocking("read the turn to try", move |services| {
        let card = card(&services.tools, &wish).map(Box::new);
        Message::Read(card.map_err(|error| error.to_string()))
    })
}

/// Plays samples until they are over or stopped.
pub(super) fn play(plan: TryPlan, stop: StopSignal) -> Task {
    Task::stream("play samples", move |services, replies| async move {
        let observer = Arc::new(NoExperimentObserver);
        let context = services.tools.experiment(observer, stop.clone());
        let (tell, mut updates) = unbounded_channel();
        let playing = services.until_closed(stop.pause, async move {
            let mut trial = PromptTrial::go_on_or_begin(&context, plan).await?;
            trial.play(&context, tell).await
        });
        let telling = async {
            while let Some(update) = updates.recv().await {
                went(&replies, update);
            }
        };
        let (played, ()) = tokio::join!(playing, telling);
        let over = played.map(|_| ());
        let over = over.map_err(|error: WorkspaceError| error.to_string());
        replies.send(Message::Over(over));
    })
}

fn went(replies: &Replies<Message>, update: TrialUpdate) {
    match &update {
        TrialUpdate::Live { event, .. } if matches!(**event, LiveEvent::Delta { .. }) => {
            replies.send_piece(Message::Went(update));
        }
        TrialUpdate::Begun { .. } | TrialUpdate::Live { .. } | TrialUpdate::Left { .. } => {
            replies.send(Message::Went(update));
        }
    }
}

/// Makes a sample a session of its own.
pub(super) fn adopt(sample: SessionId) -> Task {
    Task::blocking("adopt a sample", move |services| {
        let adopted = adopt_sample(&services.tools.desk, &sample).map(|_| ());
        Message::Adopted(sample, adopted.map_err(|error| error.to_string()))
    })
}

/// Reads a turn with everything that is known before it is asked again. Blocks.
fn card(tools: &Tools, wish: &TryWish) -> Result<TryCard, WorkspaceError> {
    let path = tools.desk.layout.session(wish.session.as_str())?;
    // A sample needs its parent in the store: an example is copied into it first.
    if let Some(example) = example_of(&tools.desk, &wish.session) {
        tools.desk.layout.create()?;
        keep_private(&path, example.bytes)?;
    }
    let turn = TurnContext::read(&path, &wish.turn)?;
    if turn.model().is_none() {
        return Err(WorkspaceError::Invalid(format!(
            "nobody can be asked for {}: a person sits there, or what is said is written down",
            wish.turn
        )));
    }
    if let Some(change) = &wish.change {
        turn.rendered(change)?;
    }
    let recorded = read_session(&path)?;
    if let Some(created) = recorded.created() {
        let ceiling = CostCeiling::from_budget(tools.budget_usd, &created.protocol);
        check_models(&created.cast, &tools.seats, ceiling)?;
    }
    let context = tools.experiment(Arc::new(NoExperimentObserver), StopSignal::at_once());
    let ways = [RollForward::Turn, RollForward::Next, RollForward::End];
    let prices = ways.into_iter().filter_map(|roll| {
        let one = TryPlan {
            session: wish.session.clone(),
            turn: wish.turn.clone(),
            change: wish.change.clone(),
            samples: 1,
            first_sample: 0,
            roll,
            repeats: Repeats::Serve,
            ceilings: Ceilings::of_usd(tools.budget_usd),
        };
        Some((roll, estimate_sample(&context, &one).ok()?))
    });
    let prices = prices.collect();
    Ok(TryCard {
        recorded,
        prices,
        budget_usd: tools.budget_usd,
    })
}
