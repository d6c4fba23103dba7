//! Prompt trials on recorded turns.

use super::comparing::{planned, survey};
use super::index_turns::for_sessions;
use super::{Hands, Tools};
use crate::engine::Repeats;
use crate::engine::{CostCeiling, check_models};
use crate::experiments::prompt_ab::read_ab;
use crate::experiments::prompt_trial::{
    PromptTrial, RollForward, TryPlan, TurnContext, adopt, estimate_sample,
};
use crate::experiments::{ExperimentContext, NoExperimentObserver, StopSignal};
use crate::tui::app::told::Told;
use crate::tui::app::try_talk::{TryCard, TryDeed, TryTold};
use crate::tui::screens::prompt_trial::TryWish;
use crate::workspace::example_of;
use crate::workspace::replace_private as keep_private;
use crate::workspace::{WorkspaceError, read_session};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;

/// Samples that are being played.
pub(crate) struct Playing {
    pub stop: StopSignal,
    pub task: JoinHandle<()>,
}

impl Playing {
    /// Starts nothing more, and waits until what came is durable.
    pub(crate) async fn close(self) {
        self.stop.pause.cancel();
        // A task that panicked has nothing left to keep.
        let _ = self.task.await;
    }
}

impl Hands {
    pub(crate) fn try_out(&mut self, deed: TryDeed) {
        match deed {
            TryDeed::Read(ticket, wish) => {
                let context = self.try_context(StopSignal::at_once());
                self.tried(move |tools| {
                    let card = card(tools, &context, &wish).map(Arc::new);
                    TryTold::Read(ticket, card.map_err(|error| error.to_string()))
                });
            }
            TryDeed::Play(ticket, plan) => {
                let stop = StopSignal::at_once();
                let context = self.try_context(stop.clone());
                let told = self.tell.clone();
                let task = tokio::spawn(async move {
                    let (tell, mut updates) = unbounded_channel();
                    let playing = async {
                        let mut trial = PromptTrial::go_on_or_begin(&context, *plan).await?;
                        trial.play(&context, tell).await
                    };
                    let telling = async {
                        while let Some(update) = updates.recv().await {
                            let went = TryTold::Went(ticket, Arc::new(update));
                            let _ = told.send(Told::Try(went));
                        }
                    };
                    let (played, ()) = tokio::join!(playing, telling);
                    let over = played
                        .map(|_| ())
                        .map_err(|error: WorkspaceError| error.to_string());
                    let _ = told.send(Told::Try(TryTold::Over(ticket, over)));
                });
                self.stop_trying();
                self.trying = Some(stop.clone());
                self.keep_playing(Playing { stop, task });
            }
            TryDeed::Stop => self.stop_trying(),
            TryDeed::Adopt(sample) => self.tried(move |tools| {
                let adopted = adopt(&tools.desk, &sample).map_err(|error| error.to_string());
                TryTold::Adopted(sample, adopted)
            }),
            TryDeed::ListComparisons => self.tried(|tools| {
                let layout = &tools.desk.layout;
                let ids = layout.tries().names("ab").unwrap_or_default();
                let read = ids.into_iter().rev().map(|id| {
                    let read = read_ab(layout, &id);
                    read.map_err(|error| format!("{id}: {error}"))
                });
                TryTold::Comparisons(Arc::new(read.collect()))
            }),
            TryDeed::Survey(ticket, prompt) => {
                self.with_index(for_sessions, move |tools, index| {
                    let found = survey(tools, index, &prompt).map(Arc::new);
                    let found = found.map_err(|error| error.to_string());
                    Told::Try(TryTold::Surveyed(ticket, found))
                })
            }
            TryDeed::Plan(ticket, wish) => self.tried(move |tools| {
                let found = planned(tools, &wish).map(Arc::new);
                TryTold::Planned(ticket, found.map_err(|error| error.to_string()))
            }),
            TryDeed::Begin(ticket, plan) => self.begin_comparison(ticket, *plan),
            TryDeed::Resume(id) => self.resume_comparison(id),
            TryDeed::StopComparison(id) => self.stop_comparison(&id),
            TryDeed::ReadComparison(id) => self.read_comparison(id),
        }
    }

    fn stop_trying(&mut self) {
        if let Some(trying) = self.trying.take() {
            trying.pause.cancel();
        }
    }

    pub(super) fn keep_playing(&mut self, playing: Playing) {
        self.playing.retain(|playing| !playing.task.is_finished());
        self.playing.push(playing);
    }

    pub(crate) fn tried(&self, work: impl FnOnce(&Tools) -> TryTold + Send + 'static) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let _ = tell.send(Told::Try(work(&tools)));
        });
    }

    pub(super) fn try_context(&self, stop: StopSignal) -> ExperimentContext {
        self.services
            .tools
            .experiment(Arc::new(NoExperimentObserver), stop)
    }
}

/// Reads a turn with everything that is known before it is asked again. Blocks.
fn card(
    tools: &Tools,
    context: &ExperimentContext,
    wish: &TryWish,
) -> Result<TryCard, WorkspaceError> {
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
            budget_usd: tools.budget_usd,
        };
        Some((roll, estimate_sample(context, &one).ok()?))
    });
    let prices = prices.collect();
    Ok(TryCard {
        recorded,
        prices,
        budget_usd: tools.budget_usd,
    })
}
