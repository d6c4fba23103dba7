//! Long-term memory, and replicates that leave an entry out.

use super::Hands;
use crate::debate::event::Record;
use crate::debate::protocol::Settings;
use crate::debate::{RunId, SessionId, Spend, State};
use crate::driver::desk::TypedTopic;
use crate::driver::memory_desk::{
    AblationPlan, Change, EntryId, PlannedAblation, Shelf, ablation, change, namespaces,
    plan_ablation, search, would_show,
};
use crate::driver::{
    Ceiling, DEFAULT_NAMESPACE, DriverError, Floor, Item, ItemEnd, Nobody, Observer, Ranked,
    Ranking, Run, RunEnd, RunObserver, make_ready, read_session,
};
use crate::tui::app::{MemoryCard, MemoryDeed, MemoryTold, Told, TrialTiding};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// Entries that a search finds at most.
const MAX_FOUND: usize = 200;
/// The seed of replicates and of what is computed of them: a person who wants another one plays them
/// on the command line.
const SEED: u64 = 0;

impl Hands {
    pub(super) fn memory(&mut self, deed: MemoryDeed) {
        match deed {
            MemoryDeed::Read(namespace) => self.read_memory(namespace),
            MemoryDeed::Search(ticket, card, query) => self.on_a_thread(move |tools| {
                let found = search(&card.shelf, &ranking(tools, &card), &query, MAX_FOUND);
                MemoryTold::Found(ticket, found.map(Arc::new).map_err(in_words))
            }),
            MemoryDeed::Try(ticket, card, text) => self.on_a_thread(move |tools| {
                let protocol = tools.default_protocol.as_deref().unwrap_or_default();
                let topic = TypedTopic {
                    text,
                    ..TypedTopic::default()
                };
                let shown = topic.topic().and_then(|topic| {
                    let game = tools.library.game(protocol, &Settings::default())?;
                    would_show(&card.shelf, &ranking(tools, &card), &game, topic)
                });
                MemoryTold::Shown(ticket, shown.map(Arc::new).map_err(in_words))
            }),
            MemoryDeed::Uses(card, id) => self.on_a_thread(move |tools| {
                let shelf = &card.shelf;
                let uses = match shelf.folded.find(&id) {
                    Some(entry) => crate::driver::memory_desk::uses(
                        &tools.desk.layout,
                        &shelf.namespace,
                        entry,
                    )
                    .map(Arc::new)
                    .map_err(in_words),
                    None => Err("the entry is not there any more".to_owned()),
                };
                MemoryTold::Uses(id, uses)
            }),
            MemoryDeed::Change(namespace, wanted) => self.change_memory(namespace, wanted),
            MemoryDeed::Plan {
                ticket,
                session,
                entry,
                replicates,
            } => self.on_a_thread(move |tools| {
                let planned = plan(tools, &session, &entry, replicates);
                MemoryTold::Planned(ticket, planned.map(Arc::new).map_err(in_words))
            }),
            MemoryDeed::Begin(planned) => self.begin_trial(&planned),
            MemoryDeed::Stop => {
                if let Some(trial) = self.trial.take() {
                    trial.cancel();
                }
            }
        }
    }

    fn on_a_thread(&self, work: impl FnOnce(&super::Tools) -> MemoryTold + Send + 'static) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let _ = tell.send(Told::Memory(work(&tools)));
        });
    }

    fn read_memory(&self, namespace: Option<String>) {
        self.on_a_thread(move |tools| {
            let layout = &tools.desk.layout;
            let read = namespaces(layout).and_then(|namespaces| {
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
                let shelf = Shelf::read(layout, name)?;
                Ok(MemoryCard { namespaces, shelf })
            });
            MemoryTold::Read(read.map(Arc::new).map_err(in_words))
        });
    }

    fn change_memory(&self, namespace: String, wanted: Change) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::spawn(async move {
            let changed = change(&tools.desk, &namespace, wanted).await;
            let changed = changed.map(Arc::new).map_err(in_words);
            let _ = tell.send(Told::Memory(MemoryTold::Changed(changed)));
        });
    }

    fn begin_trial(&mut self, planned: &PlannedAblation) {
        let cancel = CancellationToken::new();
        if let Some(before) = self.trial.replace(cancel.clone()) {
            before.cancel();
        }
        let watcher = Arc::new(Watcher {
            tell: self.tell.clone(),
            over: AtomicUsize::new(0),
        });
        let floor = Floor {
            layout: self.tools.desk.layout.clone(),
            fsync: self.tools.desk.fsync.clone(),
            clock: self.tools.desk.clock,
            seats: Arc::clone(&self.tools.seats),
            observer: Arc::clone(&watcher) as Arc<dyn RunObserver>,
            people: Arc::new(Nobody),
            cancel,
            embedding: Arc::clone(&self.tools.embedding),
            holder: self.tools.desk.holder.clone(),
        };
        let (planned, concurrency) = (planned.clone(), self.tools.concurrency);
        tokio::spawn(async move {
            let run = planned.manifest.run.clone();
            watcher.say(TrialTiding::Began {
                run: run.clone(),
                debates: planned.items.len(),
            });
            let ended = play(&floor, planned, concurrency).await;
            let (report, why) = match ended {
                Ok(end) => (compare(&floor, &run), early(end, &run)),
                Err(error) => (Err(error.to_string()), None),
            };
            watcher.say(TrialTiding::Ended {
                report: report.map(Box::new),
                why,
            });
        });
    }
}

fn ranking(tools: &super::Tools, card: &MemoryCard) -> Ranking {
    let embedding = Arc::clone(&tools.embedding);
    let namespace = &card.shelf.namespace;
    Ranking::of(&tools.desk.layout, namespace, embedding, Ranked::Freely)
}

fn in_words(error: DriverError) -> String {
    error.to_string()
}

fn plan(
    tools: &super::Tools,
    session: &SessionId,
    entry: &EntryId,
    replicates: u32,
) -> Result<PlannedAblation, DriverError> {
    let state = read_session(&tools.desk.layout.session(session.as_str())?)?;
    let plan = AblationPlan {
        entry: entry.0.clone(),
        replicates,
        rounds: None,
        seed: SEED,
        budget_usd: tools.budget_usd,
    };
    let planned = plan_ablation(session, &state, &plan, tools.desk.clock)?;
    let ceiling = Ceiling::of(tools.budget_usd, &planned.manifest.protocol);
    for cast in &planned.manifest.casts {
        make_ready(cast, &tools.seats, ceiling)?;
    }
    Ok(planned)
}

async fn play(
    floor: &Floor,
    planned: PlannedAblation,
    concurrency: usize,
) -> Result<RunEnd, DriverError> {
    let PlannedAblation {
        manifest,
        items,
        game,
        ..
    } = planned;
    let mut run = Run::begin(floor, manifest, items, game).await?;
    run.play(floor, concurrency).await
}

fn compare(
    floor: &Floor,
    run: &RunId,
) -> Result<crate::driver::memory_desk::AblationReport, String> {
    ablation(&floor.layout, run, SEED).map_err(in_words)
}

fn early(end: RunEnd, run: &RunId) -> Option<String> {
    let why = match end {
        RunEnd::Completed => return None,
        RunEnd::WithFailures => "some debates failed".to_owned(),
        RunEnd::Paused(why) => why,
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
    fn say(&self, tiding: TrialTiding) {
        let told = Told::Memory(MemoryTold::Trial(Arc::new(tiding)));
        let _ = self.tell.send(told);
    }
}

impl Observer for Watcher {
    fn happened(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

impl RunObserver for Watcher {
    fn left(&self, _item: &Item, _how: &ItemEnd, _spend: Spend) {
        let over = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        self.say(TrialTiding::Over(over));
    }

    fn as_observer(&self) -> &dyn Observer {
        self
    }
}
