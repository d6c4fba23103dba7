//! Prompt comparisons: surveyed, planned, played and summed up.

use super::library::models;
use super::reading::path_of;
use super::trying::Playing;
use super::{Hands, Tools, locked};
use crate::debate::SessionId;
use crate::debate::protocol::Ceilings;
use crate::debate::protocol::Settings;
use crate::engine::{CostCeiling, check_models};
use crate::experiments::prompt_ab::{
    Ab, AbPlan, AbRows, AbState, TurnFilter, estimate_ab, find_contexts, read_ab, summarise,
};
use crate::experiments::{ExperimentContext, NoExperimentObserver, StopSignal};
use crate::tui::app::deed::Ticket;
use crate::tui::app::told::Told;
use crate::tui::app::try_talk::{AbCard, AbPlanned, AbSource, AbSurvey, AbWish, TryTold};
use crate::tui::widgets::counted;
use crate::workspace::prompts::PromptName;
use crate::workspace::{Desk, SessionOverview, StoreIndex, list, overviews};
use crate::workspace::{WorkspaceError, read_session};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Interval of summing up a comparison that is played.
const SUM_EVERY: Duration = Duration::from_millis(500);
/// Single debates that a comparison can be made on, the newest; older ones are found by their run.
const MAX_SINGLE: usize = 200;

/// Topics whose words are read at most; others are called by their ids.
const MAX_NAMED: usize = 50;

/// Comparisons that are played here, and what stops them.
pub(super) type Comparisons = Arc<Mutex<BTreeMap<String, StopSignal>>>;

impl Hands {
    pub(super) fn read_comparison(&self, id: String) {
        let comparisons = Arc::clone(&self.comparisons);
        self.tried(move |tools| {
            let playing = locked(&comparisons).contains_key(&id);
            let read = read_ab(&tools.desk.layout, &id).and_then(|state| {
                let mut rows = AbRows::default();
                rows.read(&tools.desk.layout, &state)?;
                Ok(Arc::new(with_topics(
                    &tools.desk,
                    card(&rows, state, playing),
                )))
            });
            TryTold::Compared(id, read.map_err(|error| error.to_string()))
        });
    }

    pub(super) fn stop_comparison(&self, id: &str) {
        if let Some(stop) = locked(&self.comparisons).get(id) {
            stop.pause.cancel();
        }
    }

    pub(super) fn begin_comparison(&mut self, ticket: Ticket, plan: AbPlan) {
        let stop = StopSignal::at_once();
        let context = self.try_context(stop.clone());
        let (tell, comparisons) = (self.tell.clone(), Arc::clone(&self.comparisons));
        let task = tokio::spawn(async move {
            match Ab::begin(&context, plan).await {
                Ok(ab) => {
                    let id = ab.state().manifest.id.clone();
                    locked(&comparisons).insert(id.clone(), context.stop.clone());
                    let _ = tell.send(Told::Try(TryTold::Begun(ticket, Ok(id))));
                    played(context, ab, tell, comparisons).await;
                }
                Err(error) => {
                    let begun = TryTold::Begun(ticket, Err(error.to_string()));
                    let _ = tell.send(Told::Try(begun));
                }
            }
        });
        self.keep_playing(Playing { stop, task });
    }

    pub(super) fn resume_comparison(&mut self, id: String) {
        if locked(&self.comparisons).contains_key(&id) {
            return;
        }
        let stop = StopSignal::at_once();
        let context = self.try_context(stop.clone());
        let (tell, comparisons) = (self.tell.clone(), Arc::clone(&self.comparisons));
        let task = tokio::spawn(async move {
            match Ab::resume(&context, &id, Ceilings::default()).await {
                Ok(ab) => {
                    locked(&comparisons).insert(id, context.stop.clone());
                    played(context, ab, tell, comparisons).await;
                }
                Err(error) => {
                    let ended = TryTold::Ended(id, Err(error.to_string()));
                    let _ = tell.send(Told::Try(ended));
                }
            }
        });
        self.keep_playing(Playing { stop, task });
    }
}

/// Plays a comparison to its end and reports its figures meanwhile.
async fn played(
    context: ExperimentContext,
    mut ab: Ab,
    tell: tokio::sync::mpsc::UnboundedSender<Told>,
    comparisons: Comparisons,
) {
    let id = ab.state().manifest.id.clone();
    let (seen, look) = watch::channel(ab.state().clone());
    let summing = tokio::spawn(summed(context.clone(), look, tell.clone()));
    let heard = |state: &AbState| {
        // Of several states that wait to be summed up, the last one is.
        let _ = seen.send(state.clone());
    };
    let end = ab.play(&context, heard).await;
    drop(seen);
    // Joining fails only for an aborted task, and this one is never aborted.
    let rows = summing.await.unwrap_or_default();
    locked(&comparisons).remove(&id);
    let state = ab.state().clone();
    // The journal is released before the end is reported.
    drop(ab);
    if tell.is_closed() {
        return;
    }
    let desk = context.desk;
    let last = tokio::task::spawn_blocking(move || {
        let mut rows = rows;
        let read = rows.read(&desk.layout, &state);
        read.map(|()| Arc::new(with_topics(&desk, card(&rows, state, false))))
    });
    if let Ok(last) = last.await {
        let last = last.map_err(|error| error.to_string());
        let _ = tell.send(Told::Try(TryTold::Compared(id.clone(), last)));
    }
    let end = end.map_err(|error| error.to_string());
    let _ = tell.send(Told::Try(TryTold::Ended(id, end)));
}

/// Sums up what comes, now and then, and returns what it read.
async fn summed(
    context: ExperimentContext,
    mut look: watch::Receiver<AbState>,
    tell: tokio::sync::mpsc::UnboundedSender<Told>,
) -> AbRows {
    let mut rows = AbRows::default();
    loop {
        let state = look.borrow_and_update().clone();
        let id = state.manifest.id.clone();
        let layout = context.desk.layout.clone();
        let summing = tokio::task::spawn_blocking(move || {
            let read = rows.read(&layout, &state);
            let card = read.map(|()| Arc::new(card(&rows, state, true)));
            (rows, card)
        });
        let Ok((read, card)) = summing.await else {
            return AbRows::default();
        };
        rows = read;
        let card = card.map_err(|error| error.to_string());
        let _ = tell.send(Told::Try(TryTold::Compared(id, card)));
        tokio::select! {
            // Leaving the screen does not wait for figures.
            () = tell.closed() => return rows,
            () = tokio::time::sleep(SUM_EVERY) => {}
        }
        if look.changed().await.is_err() {
            return rows;
        }
    }
}

fn card(rows: &AbRows, state: AbState, playing: bool) -> AbCard {
    AbCard {
        summary: summarise(rows, &state),
        state,
        playing,
        topics: BTreeMap::new(),
    }
}

/// Reads what the topics ask that came out differently; one that cannot be read keeps its id. Blocks.
fn with_topics(desk: &Desk, mut card: AbCard) -> AbCard {
    let contexts = &card.state.manifest.contexts;
    for flip in card.summary.flips.iter().take(MAX_NAMED) {
        let of_topic = contexts.iter().find(|one| one.topic == flip.flip.topic);
        let path = of_topic.and_then(|context| path_of(desk, &context.session).ok());
        let state = path.and_then(|path| read_session(&path).ok());
        if let Some(created) = state.as_ref().and_then(|state| state.created()) {
            let text = created.topic.text.clone();
            card.topics.insert(flip.flip.topic.clone(), text);
        }
    }
    card
}

/// Finds what a prompt can be compared on. Blocks.
pub(super) fn survey(
    tools: &Tools,
    index: &StoreIndex,
    prompt: &PromptName,
) -> Result<AbSurvey, WorkspaceError> {
    let glances = overviews(index, &list(index.layout())?);
    let glances = glances.into_iter().flatten();
    let of_game = glances.filter(|glance| glance.summary.protocol == prompt.protocol);
    let of_game: Vec<SessionOverview> = of_game.collect();
    let game = tools
        .library
        .unpinned_game(&prompt.protocol, &Settings::default())?;
    let mut seats = BTreeSet::new();
    for stage in game.protocol.stages.iter().filter(|stage| stage.enabled) {
        for seat in &stage.seats {
            if game.protocol.template_name(stage, seat) == prompt.template {
                seats.insert(seat.to_string());
            }
        }
    }
    let models = models(tools, &tools.served.all_known()).into_iter();
    Ok(AbSurvey {
        sources: sources(&of_game),
        seats: seats.into_iter().collect(),
        judges: models.map(|model| model.name).collect(),
        budget_usd: tools.budget_usd,
    })
}

/// Returns the debates that turns can be taken from; simulated ones are never pooled with others.
fn sources(glances: &[SessionOverview]) -> Vec<AbSource> {
    let mut sources = Vec::new();
    for simulated in [false, true] {
        let of_kind = glances.iter().map(|glance| &glance.summary);
        let of_kind = of_kind.filter(|summary| summary.simulated == simulated);
        let sessions: Vec<SessionId> = of_kind.map(|summary| summary.session.clone()).collect();
        if !sessions.is_empty() {
            let what = if simulated { "simulated" } else { "real" };
            sources.push(AbSource {
                label: format!("all {what} debates"),
                detail: format!("{} of this game", sessions.len()),
                sessions,
            });
        }
    }
    let mut runs: Vec<(String, Vec<SessionId>)> = Vec::new();
    for summary in glances.iter().map(|glance| &glance.summary) {
        let Some(run) = summary.run.as_ref().map(ToString::to_string) else {
            continue;
        };
        match runs.iter_mut().find(|(known, _)| *known == run) {
            Some((_, sessions)) => sessions.push(summary.session.clone()),
            None => runs.push((run, vec![summary.session.clone()])),
        }
    }
    sources.extend(runs.into_iter().map(|(run, sessions)| AbSource {
        label: format!("run {run}"),
        detail: counted(sessions.len(), "debate"),
        sessions,
    }));
    let single = glances.iter().take(MAX_SINGLE);
    sources.extend(single.map(|glance| AbSource {
        label: format!("debate {}", glance.summary.session),
        detail: glance.summary.topic.clone(),
        sessions: vec![glance.summary.session.clone()],
    }));
    sources
}

/// Finds the turns of a comparison, and what it costs. Blocks.
pub(super) fn planned(tools: &Tools, wish: &AbWish) -> Result<AbPlanned, WorkspaceError> {
    let layout = &tools.desk.layout;
    let filter = TurnFilter {
        sessions: wish.sessions.clone(),
        template: wish.plan.template.clone(),
        seat: wish.seat.clone(),
        round: wish.round,
        sample: wish.turns,
    };
    let (contexts, unread) = find_contexts(layout, &filter, wish.plan.seed);
    let sessions: BTreeSet<&SessionId> = contexts.iter().map(|context| &context.session).collect();
    let mut kinds = BTreeSet::new();
    for session in sessions {
        let state = read_session(&layout.session(session.as_str())?)?;
        if let Some(created) = state.created() {
            let ceiling = CostCeiling::from_budget(wish.plan.budget_usd, &created.protocol);
            check_models(&created.cast, &tools.seats, ceiling)?;
            kinds.insert(created.is_simulated());
        }
    }
    if kinds.len() > 1 {
        return Err(WorkspaceError::Invalid(
            "some of these debates are simulated: those are never pooled with others".to_owned(),
        ));
    }
    let topics: BTreeSet<&String> = contexts.iter().map(|context| &context.topic).collect();
    let topics = topics.len();
    let plan = AbPlan {
        contexts,
        ..wish.plan.clone()
    };
    let context = tools.experiment(Arc::new(NoExperimentObserver), StopSignal::at_once());
    let estimate = estimate_ab(&context, &plan).map_err(|error| error.to_string());
    Ok(AbPlanned {
        estimate,
        topics,
        plan,
        simulated: kinds.contains(&true),
        notices: unread,
    })
}
