//! Tasks of the memory screen: reads, ranks and changes a namespace, and plays replicates that leave an
//! entry out.

use super::ablation::TrialProgress;
use super::{MemoryCard, Message, TopicTried};
use crate::debate::event::Record;
use crate::debate::protocol::{Ceilings, Settings};
use crate::debate::{RunId, SessionId, State};
use crate::engine::{CostCeiling, Observer, TypedTopic, check_models};
use crate::experiments::run::Run;
use crate::experiments::{
    AblationPlan, ExperimentEnd, ExperimentObserver, LeftItem, PlannedAblation, StopSignal,
    ablations_of, plan_ablation,
};
use crate::tui::app::{Replies, Task, Ticket, Tools};
use crate::workspace::memory::{
    DEFAULT_NAMESPACE, EntryChange, NamespaceEntries, Ranking, RankingPolicy, WithNotices, change,
    namespaces, preview_guards, preview_lessons, search as search_entries, uses,
};
use crate::workspace::{Desk, EntryId, EntryKind, StoreIndex, WorkspaceError, read_session};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Entries that a search finds at most.
const MAX_FOUND: usize = 200;

fn memory_index(desk: &Desk) -> StoreIndex {
    let namespaces = desk.layout.namespaces().unwrap_or_default();
    StoreIndex::for_memory(&desk.layout, &namespaces)
}

/// Reads a namespace, or the one that a newcomer wants to see.
pub(super) fn read(namespace: Option<String>) -> Task {
    Task::indexed("read memory", memory_index, move |tools, index| {
        let card = card(tools, index, namespace.as_deref()).map(Arc::new);
        Message::Read(card.map_err(in_words))
    })
}

fn card(
    tools: &Tools,
    index: &StoreIndex,
    named: Option<&str>,
) -> Result<MemoryCard, WorkspaceError> {
    let namespaces = namespaces(index)?;
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
}

/// Finds entries of a kind by meaning.
pub(super) fn search(
    ticket: Ticket,
    card: Arc<MemoryCard>,
    kind: EntryKind,
    query: String,
) -> Task {
    Task::blocking("search memory", move |services| {
        let ranking = ranking(&services.tools, &card);
        let found = search_entries(&card.shelf, &ranking, &query, MAX_FOUND, &[kind]);
        Message::Found(ticket, found.map_err(in_words))
    })
}

/// Previews what a debate about a topic would be shown.
pub(super) fn try_topic(ticket: Ticket, card: Arc<MemoryCard>, text: String) -> Task {
    Task::blocking("preview memory for a topic", move |services| {
        let tried = tried(&services.tools, &card, text).map(Box::new);
        Message::Shown(ticket, tried.map_err(in_words))
    })
}

/// Lists the debates that were shown an entry or asked about it.
pub(super) fn read_uses(card: Arc<MemoryCard>, id: EntryId) -> Task {
    Task::blocking("read the uses of an entry", move |services| {
        let shelf = &card.shelf;
        let layout = &services.tools.desk.layout;
        let found = match shelf.folded.find(&id) {
            Some(entry) => uses(layout, &shelf.namespace, entry).map_err(in_words),
            None => Err("the entry is not there any more".to_owned()),
        };
        Message::Uses(id, found)
    })
}

/// Changes a namespace.
pub(super) fn change_entry(namespace: String, wanted: EntryChange) -> Task {
    Task::stream("change memory", move |services, replies| async move {
        let changed = change(&services.tools.desk, &namespace, wanted).await;
        replies.send(Message::Changed(changed.map(Box::new).map_err(in_words)));
    })
}

/// Reads what all runs that left an entry out came to.
pub(super) fn read_ablations(entry: EntryId) -> Task {
    Task::blocking("read ablations", move |services| {
        let reports = ablations_of(&services.tools.desk.layout, &entry.0);
        Message::Ablations(entry, reports.map_err(in_words))
    })
}

/// Plans replicates of a debate with and without an entry.
pub(super) fn plan_trial(
    ticket: Ticket,
    session: SessionId,
    entry: EntryId,
    how_many: (u32, u64),
) -> Task {
    Task::blocking("plan replicates", move |services| {
        let planned = plan(&services.tools, &session, &entry, how_many);
        Message::Planned(ticket, planned.map(Arc::new).map_err(in_words))
    })
}

/// Plays what was planned; it goes on when the screen is left.
pub(super) fn play(planned: Arc<PlannedAblation>, stop: StopSignal) -> Task {
    Task::stream("play replicates", move |services, replies| async move {
        let observer = Arc::new(TrialObserver {
            replies,
            over: AtomicUsize::new(0),
        });
        let context = services.tools.experiment(observer.clone(), stop.clone());
        let planned = planned.run.clone();
        let run = planned.manifest.run.clone();
        observer.report(TrialProgress::Began(run.clone()));
        let playing = async {
            let mut run = Run::begin(&context, planned).await?;
            run.play(&context).await
        };
        let ended = services.until_closed(stop.pause, playing).await;
        observer.report(TrialProgress::Ended(match ended {
            Ok(end) => early(end, &run),
            Err(error) => Some(WorkspaceError::to_string(&error)),
        }));
    })
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
fn tried(
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
        ceilings: Ceilings::of_usd(tools.budget_usd),
    };
    let planned = plan_ablation(session, &state, &plan, tools.desk.clock)?;
    let ceiling = CostCeiling::from_budget(tools.budget_usd, &planned.run.manifest.protocol);
    for cast in &planned.run.manifest.casts {
        check_models(cast, &tools.seats, ceiling)?;
    }
    Ok(planned)
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
struct TrialObserver {
    replies: Replies<Message>,
    over: AtomicUsize,
}

impl TrialObserver {
    fn report(&self, progress: TrialProgress) {
        self.replies.send(Message::Trial(progress));
    }
}

impl Observer for TrialObserver {
    fn happened(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

impl ExperimentObserver for TrialObserver {
    fn left(&self, _item: &LeftItem<'_>) {
        let over = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        self.report(TrialProgress::Over(over));
    }
}
