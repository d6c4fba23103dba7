//! Long-term memory, and replicates that leave an entry out.

use super::{Hands, Tools};
use crate::debate::event::Record;
use crate::debate::protocol::Settings;
use crate::debate::{RunId, SessionId, State};
use crate::engine::TypedTopic;
use crate::engine::{CostCeiling, Observer, check_models};
use crate::experiments::ExperimentEnd;
use crate::experiments::run::{PlannedRun, Run};
use crate::experiments::{AblationPlan, PlannedAblation, plan_ablation};
use crate::experiments::{ExperimentContext, ExperimentObserver, LeftItem, StopSignal};
use crate::tui::app::deed::MemoryDeed;
use crate::tui::app::told::{MemoryCard, MemoryTold, Told, TopicTried, TrialTiding};
use crate::workspace::EntryId;
use crate::workspace::memory::{DEFAULT_NAMESPACE, Ranking, RankingPolicy, WithNotices};
use crate::workspace::memory::{
    EntryChange, NamespaceEntries, change, namespaces, preview_guards, preview_lessons, search,
    uses,
};
use crate::workspace::{Desk, StoreIndex, WorkspaceError, read_session};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc::UnboundedSender;

/// Entries that a search finds at most.
const MAX_FOUND: usize = 200;

fn memory_index(desk: &Desk) -> StoreIndex {
    let namespaces = desk.layout.namespaces().unwrap_or_default();
    StoreIndex::for_memory(&desk.layout, &namespaces)
}

impl Hands {
    pub(crate) fn memory(&mut self, deed: MemoryDeed) {
        match deed {
            MemoryDeed::Read(namespace) => self.read_memory(namespace),
            MemoryDeed::Search(ticket, card, kind, query) => self.on_a_thread(move |tools| {
                let ranking = ranking(tools, &card);
                let found = search(&card.shelf, &ranking, &query, MAX_FOUND, &[kind]);
                MemoryTold::Found(ticket, found.map(Arc::new).map_err(in_words))
            }),
            MemoryDeed::Try(ticket, card, text) => self.on_a_thread(move |tools| {
                let tried = try_topic(tools, &card, text);
                MemoryTold::Shown(ticket, tried.map(Arc::new).map_err(in_words))
            }),
            MemoryDeed::Uses(card, id) => self.on_a_thread(move |tools| {
                let shelf = &card.shelf;
                let found = match shelf.folded.find(&id) {
                    Some(entry) => uses(&tools.desk.layout, &shelf.namespace, entry)
                        .map(Arc::new)
                        .map_err(in_words),
                    None => Err("the entry is not there any more".to_owned()),
                };
                MemoryTold::Uses(id, found)
            }),
            MemoryDeed::Change(namespace, wanted) => self.change_memory(namespace, wanted),
            MemoryDeed::Plan {
                ticket,
                session,
                entry,
                replicates,
                seed,
            } => self.on_a_thread(move |tools| {
                let planned = plan(tools, &session, &entry, (replicates, seed));
                MemoryTold::Planned(ticket, planned.map(Arc::new).map_err(in_words))
            }),
            MemoryDeed::Begin(planned) => self.begin_trial(&planned),
            MemoryDeed::Stop => {
                if let Some(trial) = self.trial.take() {
                    trial.pause.cancel();
                }
            }
        }
    }

    fn on_a_thread(&self, work: impl FnOnce(&Tools) -> MemoryTold + Send + 'static) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let _ = tell.send(Told::Memory(work(&tools)));
        });
    }

    fn read_memory(&self, namespace: Option<String>) {
        let read = move |tools: &Tools, index: &StoreIndex| {
            let read = namespaces(index).and_then(|namespaces| {
                let named = namespace.as_deref();
                let fullest = || {
                    let live = |at: &usize| {
                        let counts = namespaces.get(*at).map(|glance| &glance.counts);
                        counts.and_then(|counts| counts.as_ref().ok().map(|counts| counts.live))
                    };
                    let at = (0..namespaces.len()).rev().max_by_key(live)?;
                    namespaces.get(at).map(|glance| glance.name.as_str())
                };
                let name = named.or_else(fullest).unwrap_or(DEFAULT_NAMESPACE);
                let shelf = NamespaceEntries::read_with(index, name)?;
                Ok(MemoryCard {
                    namespaces,
                    shelf,
                    by_words: tools.embedding.places().by_words(),
                })
            });
            Told::Memory(MemoryTold::Read(read.map(Arc::new).map_err(in_words)))
        };
        self.with_index(memory_index, read);
    }

    fn change_memory(&self, namespace: String, wanted: EntryChange) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        tokio::spawn(async move {
            let changed = change(&tools.desk, &namespace, wanted).await;
            let changed = changed.map(Arc::new).map_err(in_words);
            let _ = tell.send(Told::Memory(MemoryTold::Changed(changed)));
        });
    }

    fn begin_trial(&mut self, planned: &PlannedAblation) {
        let stop = StopSignal::at_once();
        if let Some(before) = self.trial.replace(stop.clone()) {
            before.pause.cancel();
        }
        let watcher = Arc::new(Watcher {
            tell: self.tell.clone(),
            over: AtomicUsize::new(0),
        });
        let context = self.services.tools.experiment(watcher.clone(), stop);
        let planned = planned.run.clone();
        tokio::spawn(async move {
            let manifest = &planned.manifest;
            let run = manifest.run.clone();
            watcher.say(TrialTiding::Began {
                run: run.clone(),
                debates: planned.items.len(),
            });
            let ended = play(&context, planned).await;
            watcher.say(TrialTiding::Ended(match ended {
                Ok(end) => early(end, &run),
                Err(error) => Some(error.to_string()),
            }));
        });
    }
}

fn ranking(tools: &Tools, card: &MemoryCard) -> Ranking {
    let embedding = Arc::clone(&tools.embedding);
    let namespace = &card.shelf.namespace;
    Ranking::new(
        &tools.desk.layout,
        namespace,
        embedding,
        RankingPolicy::Freely,
    )
}

/// Memory that a debate about a typed topic would be given: lessons and guardrails. Blocks.
fn try_topic(
    tools: &Tools,
    card: &MemoryCard,
    text: String,
) -> Result<WithNotices<TopicTried>, WorkspaceError> {
    let topic = TypedTopic {
        text,
        ..TypedTopic::default()
    };
    let topic = topic.topic()?;
    let protocol = tools.default_protocol.as_deref().unwrap_or_default();
    let game = tools.library.game(protocol, &Settings::default())?;
    let ranking = ranking(tools, card);
    let shown = preview_lessons(&card.shelf, &ranking, &game, topic.clone())?;
    let game = game.with_guardrails(&tools.library)?;
    let asked = preview_guards(&card.shelf, &ranking, &game, topic)?;
    Ok(WithNotices {
        found: TopicTried {
            shown: shown.found,
            asked: asked.found,
        },
        notices: [shown.notices, asked.notices].concat(),
    })
}

fn in_words(error: WorkspaceError) -> String {
    error.to_string()
}

fn plan(
    tools: &Tools,
    session: &SessionId,
    entry: &EntryId,
    (replicates, seed): (u32, u64),
) -> Result<PlannedAblation, WorkspaceError> {
    let state = read_session(&tools.desk.layout.session(session.as_str())?)?;
    let plan = AblationPlan {
        entry: entry.0.clone(),
        replicates,
        rounds: None,
        seed,
        budget_usd: tools.budget_usd,
    };
    let planned = plan_ablation(session, &state, &plan, tools.desk.clock)?;
    let ceiling = CostCeiling::from_budget(tools.budget_usd, &planned.run.manifest.protocol);
    for cast in &planned.run.manifest.casts {
        check_models(cast, &tools.seats, ceiling)?;
    }
    Ok(planned)
}

async fn play(
    context: &ExperimentContext,
    planned: PlannedRun,
) -> Result<ExperimentEnd, WorkspaceError> {
    let mut run = Run::begin(context, planned).await?;
    run.play(context).await
}

fn early(end: ExperimentEnd, run: &RunId) -> Option<String> {
    let why = match end {
        ExperimentEnd::Completed => return None,
        ExperimentEnd::WithFailures(_) => "some debates failed".to_owned(),
        ExperimentEnd::Paused { why, .. } => why,
    };
    Some(format!(
        "{why}; go on with: elenchus memory ablate --resume {run}"
    ))
}

/// Counts debates that are over.
struct Watcher {
    tell: UnboundedSender<Told>,
    over: AtomicUsize,
}

impl Watcher {
    fn say(&self, update: TrialTiding) {
        let told = Told::Memory(MemoryTold::Trial(Arc::new(update)));
        let _ = self.tell.send(told);
    }
}

impl Observer for Watcher {
    fn happened(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

impl ExperimentObserver for Watcher {
    fn left(&self, _item: &LeftItem<'_>) {
        let over = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        self.say(TrialTiding::Over(over));
    }
}
