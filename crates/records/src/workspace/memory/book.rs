//! Long-term memory of one namespace, as one run or session reads and extends it.

use super::embedding::LazyEmbedding;
use super::guardrails::{GuardrailJournals, count_examples};
use super::hold_back::held_back_name;
use super::journals::{NamespaceWriter, import_of_writer, read_with_index};
use super::ranking::{Ranking, RankingPolicy, WithNotices};
use super::state::MemoryState;
use crate::workspace::error::Result;
use elenchus_game::debate::event::{
    Created, FeedbackWritten, MemoryLookup, MemoryQuery, MemoryUse, Retrieved, RetrievedEntry,
};
use elenchus_game::debate::{Protocol, RunId, SeatId, SessionId, State, Topic};
use elenchus_memory::{
    EntryId, EntryKind, EntryOrigin, EntryStatus, Excluded, Exclusion, ExclusionReason, LeastScore,
    LessonComparison, LookupLimits, MemoryEvent, MemoryFold, RetrievalItem, RetrieveError,
    Retriever, RetrievingDebate, find_duplicate_lesson, retrieve_entries,
};
use elenchus_store::{Journals, Layout, SyncPool, TailNotice};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio_util::sync::CancellationToken;

/// The namespace that is used unless one is named.
pub const DEFAULT_NAMESPACE: &str = "default";
/// Ends the namespaces of simulated debates, so that real ones never learn from them.
const SIMULATED: &str = ".sim";

/// One namespace as this process sees it: what was there when it was opened, and what this
/// process adds.
pub struct MemoryBook {
    pub(super) layout: Layout,
    pub(super) namespace: String,
    /// Names the journals that this process adds to: after its run or session, so no two meet.
    pub(super) writer_name: String,
    /// What others did later is left out, RFC 3339.
    pub(super) as_of: Option<String>,
    lessons: Mutex<Arc<MemoryFold>>,
    /// Read when they are first asked for: a debate that uses none is not held up by their journals.
    pub(super) guardrails: OnceLock<GuardrailJournals>,
    pub(super) writer: tokio::sync::Mutex<NamespaceWriter>,
    /// Where lessons of a run or session that was imported are held back: it goes on with them, and others
    /// are shown them when a person accepted them.
    held_back: Option<tokio::sync::Mutex<NamespaceWriter>>,
    pub(super) ranking: Ranking,
    /// The memories of seats that learn for themselves, each a namespace of its own.
    learners: BTreeMap<SeatId, MemoryBook>,
}

/// Returns the namespace that a cast writes to.
pub fn namespace_for(namespace: &str, simulated: bool) -> String {
    if simulated && !namespace.ends_with(SIMULATED) {
        format!("{namespace}{SIMULATED}")
    } else {
        namespace.to_owned()
    }
}

/// Returns the namespace in which a seat that learns for itself keeps its lessons.
pub fn learner_namespace(namespace: &str, learner: &SeatId) -> String {
    match namespace.strip_suffix(SIMULATED) {
        Some(namespace) => format!("{namespace}.{learner}{SIMULATED}"),
        None => format!("{namespace}.{learner}"),
    }
}

/// Says whether a namespace is another one, or may be that of a seat which learns for itself beside it.
pub(super) fn is_within(namespace: &str, other: &str) -> bool {
    let whole = other.strip_suffix(SIMULATED).unwrap_or(other);
    namespace == other || namespace.starts_with(&format!("{whole}."))
}

/// Returns the namespaces of the lessons that debates of a game are shown or write.
pub fn lesson_namespaces(protocol: &Protocol, namespace: &str) -> Vec<String> {
    let learners = protocol.learners();
    let own: Vec<String> = learners
        .map(|learner| learner_namespace(namespace, learner))
        .collect();
    match own.is_empty() {
        true => vec![namespace.to_owned()],
        false => own,
    }
}

impl MemoryBook {
    /// Reads the memory that debates of a game use, those of seats that learn for themselves included, as
    /// [`open`](Self::open) does.
    ///
    /// # Errors
    /// When a journal cannot be read; it is named.
    pub fn open_for_game(
        layout: &Layout,
        fsync: &SyncPool,
        (protocol, memory): (&Protocol, &MemoryUse),
        writer_name: &str,
        begun_at: &str,
    ) -> Result<Self> {
        let as_of = memory.as_of.as_deref().unwrap_or(begun_at);
        let open = |namespace: &str| {
            let namespace = (namespace, memory.first);
            Self::open_namespace(layout, fsync, namespace, writer_name, Some(as_of))
        };
        let mut book = open(&memory.namespace)?;
        for learner in protocol.learners() {
            let own = open(&learner_namespace(&memory.namespace, learner))?;
            book.learners.insert(learner.clone(), own);
        }
        Ok(book)
    }

    /// Reads a namespace as it was when this run or session began (`as_of`, RFC 3339), with what it has
    /// added itself since: what others do to memory meanwhile is not shown, so going on later shows the
    /// same. Without a time it is read as it is now.
    ///
    /// # Errors
    /// When a journal cannot be read; it is named.
    pub fn open<'a>(
        layout: &Layout,
        fsync: &SyncPool,
        namespace: &str,
        writer_name: &str,
        as_of: impl Into<Option<&'a str>>,
    ) -> Result<Self> {
        Self::open_namespace(layout, fsync, (namespace, None), writer_name, as_of.into())
    }

    fn open_namespace(
        layout: &Layout,
        fsync: &SyncPool,
        (namespace, first): (&str, Option<u32>),
        writer_name: &str,
        as_of: Option<&str>,
    ) -> Result<Self> {
        let mut lessons = read_with_index(layout, EntryKind::Lesson, namespace)?;
        let came = import_of_writer(layout, writer_name);
        as_of.inspect(|as_of| lessons.cut_off(writer_name, as_of, came.as_ref()));
        first.inspect(|count| lessons.keep_first_lessons(*count));
        let journals = Journals::new("memory", fsync);
        let writer = NamespaceWriter::new(layout, &journals, namespace, writer_name)?;
        let held_back = match came.filter(|came| came.from.is_some()) {
            Some(_) => {
                let name = held_back_name(writer_name);
                let writer = NamespaceWriter::new(layout, &journals, namespace, &name)?;
                Some(tokio::sync::Mutex::new(writer))
            }
            None => None,
        };
        Ok(Self {
            layout: layout.clone(),
            namespace: namespace.to_owned(),
            writer_name: writer_name.to_owned(),
            as_of: as_of.map(str::to_owned),
            lessons: Mutex::new(Arc::new(lessons.fold_entries())),
            guardrails: OnceLock::new(),
            writer: tokio::sync::Mutex::new(writer),
            held_back,
            ranking: Ranking::new_lexical(layout, namespace),
            learners: BTreeMap::new(),
        })
    }

    /// Ranks with what this process embeds with, from here on.
    #[must_use]
    pub fn with_ranking(mut self, embedding: &Arc<LazyEmbedding>, ranked: RankingPolicy) -> Self {
        let learners = self.learners.into_iter();
        self.learners = learners
            .map(|(seat, book)| (seat, book.with_ranking(embedding, ranked.clone())))
            .collect();
        let embedding = Arc::clone(embedding);
        self.ranking = Ranking::new(&self.layout, &self.namespace, embedding, ranked);
        self
    }

    /// Returns the memory of a seat that learns for itself, and this one for all others.
    fn memory_of(&self, learner: Option<&SeatId>) -> &Self {
        let own = learner.and_then(|learner| self.learners.get(learner));
        own.unwrap_or(self)
    }

    /// Returns how this namespace is ranked.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// Returns which entries debates may be shown that a run did not teach itself.
    pub fn memory_state(&self, run: Option<&str>) -> MemoryState {
        let books = std::iter::once(self).chain(self.learners.values());
        let folds: Vec<_> = books.map(Self::lessons).collect();
        let entries = folds.iter().flat_map(|fold| &fold.entries);
        let others = entries.filter(|entry| {
            let first = entry.origins.first();
            run.is_none() || first.and_then(|origin| origin.run.as_deref()) != run
        });
        MemoryState::from_entries(others.filter(|entry| entry.availability() == EntryStatus::Live))
    }

    /// Returns how many lessons there are.
    pub fn len(&self) -> usize {
        self.lessons().entries.len()
    }

    /// Says whether nothing was taught yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks a debate's topic up, in the memory of a seat that learns for itself or in the common one: as many
    /// entries as it asks for, none that FIGURES 9 keeps from it.
    ///
    /// # Errors
    /// When a run's retriever fails.
    pub async fn retrieve_lessons(
        &self,
        created: &Created,
        learner: Option<&SeatId>,
    ) -> Result<WithNotices<Retrieved>> {
        let memory = self.memory_of(learner);
        let (folded, asks) = (memory.lessons(), Asks::from_created(created));
        let limits = lookup_limits(created);
        let look =
            move |retriever: &dyn Retriever| look_up(retriever, &asks.asker(), limits, &folded);
        let mut retrieval = memory.ranking.with_retriever(look).await?;
        retrieval.found.learner = learner.cloned();
        Ok(retrieval)
    }

    /// Adds the lessons of a debate, durable when this returns, each to the memory of those that it is for; a
    /// lesson that is there stays as it is. Where the debate's lessons are merged and an entry of earlier
    /// debates says nearly the same, the lesson becomes part of that entry. Returns what was mended in the
    /// journals when they were opened; nothing where it was cancelled while a server held the comparison up, and
    /// lessons are left for the next time.
    ///
    /// # Errors
    /// When a journal cannot be written, or a run's retriever fails.
    pub async fn learn_lessons(
        &self,
        session: &SessionId,
        (state, created): (&State, &Created),
        at: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<Vec<TailNotice>>> {
        let mut notices = Vec::new();
        // An empty lesson teaches nothing.
        for written in state.lessons().filter(|lesson| !lesson.reply.is_empty()) {
            let memory = self.memory_of(written.learner.as_ref());
            let debate = (session, created);
            let Some(more) = memory.learn_lesson(debate, written, at, cancel).await? else {
                return Ok(None);
            };
            notices.extend(more);
        }
        Ok(Some(notices))
    }

    async fn learn_lesson(
        &self,
        (session, created): (&SessionId, &Created),
        feedback: &FeedbackWritten,
        at: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<Vec<TailNotice>>> {
        let id = EntryId(feedback.entry.clone());
        // One lesson at a time: which entry says the same is decided on what is durable.
        let mut writer = self.writer.lock().await;
        if self.lessons().find_entry(&id).is_some() {
            return Ok(Some(Vec::new()));
        }
        let origin = EntryOrigin {
            session: session.to_string(),
            run: created.run.as_ref().map(|place| place.run.to_string()),
            topic_id: created.topic.id.clone(),
            topic_text: created.topic.text.clone(),
            said_before: created.topic.earlier_user_text(),
            // A fork keeps its root's first event, so the session named there is the root.
            root_session: created.session.to_string(),
            batch: created.run.as_ref().and_then(|place| place.batch),
        };
        let text = feedback.reply.text.clone();
        let same = match created.memory.merges {
            true => tokio::select! {
                biased;
                // What this machine compares is not waited for in vain.
                () = cancel.cancelled(), if self.ranking.asks_server() => return Ok(None),
                same = self.nearly_same(&text, created) => same?,
            },
            false => None,
        };
        let event = match same {
            Some(into) => MemoryEvent::EntryMerged {
                into,
                id,
                origin,
                from_text: text,
                at: at.to_owned(),
            },
            None => MemoryEvent::EntryAdded {
                id,
                text,
                origin: Some(origin),
                batch: None,
                at: at.to_owned(),
            },
        };
        // Before the lesson is there: a kill leaves it in no other debate.
        if let (Some(held_back), MemoryEvent::EntryAdded { id, at, .. }) = (&self.held_back, &event)
        {
            let (id, at) = (id.clone(), at.clone());
            let disable_event = MemoryEvent::EntryDisabled { id, at };
            held_back
                .lock()
                .await
                .record_event("engine", &disable_event)
                .await?;
        }
        let (line, notices) = writer.record_event("engine", &event).await?;
        let mut lessons = self.lessons.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut lessons).apply_event(&self.writer_name, line, &event);
        Ok(Some(notices))
    }

    /// Finds the entry that a lesson says once more: the nearest one, of those that the debate could
    /// have been shown. Lessons of its own batch are none of them, so what becomes part of what does
    /// not depend on which debate was over first.
    async fn nearly_same(&self, text: &str, created: &Created) -> Result<Option<EntryId>> {
        let (folded, asks, text) = (self.lessons(), Asks::from_created(created), text.to_owned());
        let compare = move |compared: LessonComparison<'_>| {
            let asker = asks.asker();
            let candidates = folded.entries.iter().filter(|entry| {
                entry.availability() == EntryStatus::Live
                    && entry
                        .origins
                        .first()
                        .is_none_or(|first| asker.can_see(first))
            });
            let candidates: Vec<RetrievalItem<'_>> = candidates
                .map(|entry| RetrievalItem {
                    id: &entry.id.0,
                    text: &entry.text,
                })
                .collect();
            find_duplicate_lesson(compared, &text, &candidates)
        };
        let same = self.ranking.compare_texts(compare).await?;
        Ok(same.map(|same| EntryId(same.id)))
    }

    pub(super) fn lessons(&self) -> Arc<MemoryFold> {
        Arc::clone(&self.lessons.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The debate that asks memory.
pub(super) struct Asks {
    topic: Topic,
    said_before: String,
    root: SessionId,
    run: Option<(RunId, u32)>,
}

impl Asks {
    pub(super) fn from_created(created: &Created) -> Self {
        let place = created.run.as_ref();
        Asks {
            topic: created.topic.clone(),
            said_before: match debate_lookup(created).query {
                MemoryQuery::Conversation => created.topic.earlier_user_text(),
                MemoryQuery::Topic => String::new(),
            },
            root: created.session.clone(),
            run: place.and_then(|place| Some((place.run.clone(), place.batch?))),
        }
    }

    pub(super) fn asker(&self) -> RetrievingDebate<'_> {
        RetrievingDebate {
            topic_id: &self.topic.id,
            topic_text: &self.topic.text,
            said_before: &self.said_before,
            root_session: self.root.as_str(),
            run: self.run.as_ref().map(|(run, batch)| (run.as_str(), *batch)),
        }
    }
}

/// Returns how a debate looks memory up; one of an earlier version by its topic alone.
fn debate_lookup(created: &Created) -> MemoryLookup {
    created.memory.lookup.unwrap_or(MemoryLookup {
        query: MemoryQuery::Topic,
        ..MemoryLookup::default()
    })
}

/// Returns how many lessons a debate is shown, and from which score on. One of an earlier version is
/// shown only those that match.
pub(super) fn lookup_limits(created: &Created) -> LookupLimits {
    let lookup = debate_lookup(created);
    let least = match (created.memory.lookup, lookup.min_score) {
        (None, _) => LeastScore::AboveZero,
        (Some(_), None) => LeastScore::Any,
        (Some(_), Some(least)) => LeastScore::AtLeast(least),
    };
    LookupLimits {
        k: lookup.k as usize,
        least,
        examples: count_examples(&created.memory),
    }
}

/// Looks a topic up among lessons, as every debate does.
///
/// # Errors
/// When the retriever cannot rank now.
pub(super) fn look_up(
    retriever: &dyn Retriever,
    asker: &RetrievingDebate<'_>,
    limits: LookupLimits,
    folded: &MemoryFold,
) -> Result<Retrieved, RetrieveError> {
    let rules = Exclusion::default();
    let lessons = folded.entries_of_kind(EntryKind::Lesson);
    let retrieval = retrieve_entries(retriever, asker, lessons, limits, &rules)?;
    let entries = retrieval.hits.iter().filter_map(|hit| {
        let entry = folded.find_entry(&EntryId(hit.id.clone()))?;
        // What the asker's own run taught in this batch is not known to it yet.
        let known_origins = entry.origins.iter().filter(|origin| asker.can_see(origin));
        let mut origins = known_origins.map(|origin| SessionId::new(origin.session.clone()));
        Some(RetrievedEntry {
            id: entry.id.0.clone(),
            score: hit.score,
            text: entry.text.clone(),
            origin: origins.next(),
            also_from: origins.collect(),
        })
    });
    Ok(Retrieved {
        learner: None,
        retriever: retrieval.retriever.clone(),
        entries: entries.collect(),
        excluded: list_reasons(&retrieval.excluded),
    })
}

/// Returns what was excluded, with the reasons as text; what is deleted is not there.
pub(super) fn list_reasons(excluded: &[Excluded]) -> Vec<(String, String)> {
    let exclusions = excluded.iter();
    exclusions
        .filter(|excluded| excluded.why != ExclusionReason::Deleted)
        .map(|excluded| (excluded.id.0.clone(), exclusion_reason(excluded)))
        .collect()
}

fn exclusion_reason(excluded: &Excluded) -> String {
    let why = match excluded.why {
        ExclusionReason::Disabled => "disabled".to_owned(),
        ExclusionReason::Deleted => "deleted".to_owned(),
        ExclusionReason::NotEarlierBatch => "taught in this batch or a later one".to_owned(),
        ExclusionReason::Fork => "taught in a fork of this session".to_owned(),
        ExclusionReason::SameTopicId | ExclusionReason::SameTopicText => {
            "taught by the same topic".to_owned()
        }
        ExclusionReason::NearDuplicate { similarity } => {
            format!("taught by a near-duplicate of the topic ({similarity:.2})")
        }
    };
    match &excluded.origin {
        Some(session) => format!("{why}, in session {session}"),
        None => why,
    }
}
