//! Long-term memory of one namespace: what debates were taught, and what they may be shown.

use super::embedding::LazyEmbedding;
use super::error::DriverError;
use super::lines::known;
use super::memory_state::MemoryState;
use super::ranking::{Ordered, Ranked, Ranking};
use crate::debate::event::{Created, Retrieved, RetrievedEntry};
use crate::debate::{SessionId, State};
use crate::memory::{
    self, Asker, Entry, EntryId, Exclusion, MemoryEvent, Origin, Retriever, TOP_K, fold, retrieve,
};
use crate::store::{Fsync, JournalWriter, Layout, Notice, read_journal};
use jiff::Timestamp;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};

/// The namespace that is used unless one is named.
pub const DEFAULT_NAMESPACE: &str = "default";
/// Ends the namespaces of simulated debates, so that real ones never learn from them.
const SIMULATED: &str = ".sim";

/// One namespace as this process sees it: what was there when it was opened, and what this
/// process adds.
pub struct MemoryBook {
    layout: Layout,
    fsync: Fsync,
    namespace: String,
    /// The journal this process adds to: named after its run or session, so no two meet.
    writer_name: String,
    entries: Mutex<Vec<Entry>>,
    writer: tokio::sync::Mutex<Option<JournalWriter<MemoryEvent>>>,
    ranking: Ranking,
}

/// Returns the namespace that a cast writes to.
pub fn namespace_for(namespace: &str, simulated: bool) -> String {
    if simulated && !namespace.ends_with(SIMULATED) {
        format!("{namespace}{SIMULATED}")
    } else {
        namespace.to_owned()
    }
}

impl MemoryBook {
    /// Reads every journal of a namespace as it was when this run or session began (`as_of`, RFC
    /// 3339), with what it has added itself since: what others teach meanwhile is not shown, so
    /// going on later shows the same.
    ///
    /// # Errors
    /// When a journal cannot be read; it is named.
    pub fn open(
        layout: &Layout,
        fsync: &Fsync,
        namespace: &str,
        writer_name: &str,
        as_of: &str,
    ) -> Result<Self, DriverError> {
        let mut entries = Vec::new();
        for path in layout.memory_journals(namespace)? {
            let journal = read_journal::<MemoryEvent>(&path)?;
            let lines = known(&path, journal.lines)?;
            let mut found = fold(lines.iter().map(|line| &line.event)).entries;
            if path.file_stem() != Some(OsStr::new(writer_name)) {
                found.retain(|entry| !is_later(&entry.at, as_of));
            }
            entries.append(&mut found);
        }
        Ok(Self {
            layout: layout.clone(),
            fsync: fsync.clone(),
            namespace: namespace.to_owned(),
            writer_name: writer_name.to_owned(),
            entries: Mutex::new(entries),
            writer: tokio::sync::Mutex::new(None),
            ranking: Ranking::by_words(layout, namespace),
        })
    }

    /// Ranks with what this process embeds with, from here on.
    #[must_use]
    pub fn ranked(mut self, embedding: &Arc<LazyEmbedding>, ranked: Ranked) -> Self {
        let embedding = Arc::clone(embedding);
        self.ranking = Ranking::of(&self.layout, &self.namespace, embedding, ranked);
        self
    }

    /// Returns how this namespace is ranked.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// Returns which entries there are that a run did not teach itself.
    pub fn state(&self, run: Option<&str>) -> MemoryState {
        let entries = self.entries();
        let of_run = |entry: &&Entry| {
            let own = entry
                .origin
                .as_ref()
                .and_then(|origin| origin.run.as_deref());
            run.is_none() || own != run
        };
        MemoryState::of(entries.iter().filter(of_run))
    }

    /// Returns how many entries can be retrieved from.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Says whether nothing was taught yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks a debate's topic up: at most five entries, none that FIGURES 9 keeps from it.
    ///
    /// # Errors
    /// When a run's retriever fails.
    pub async fn retrieve(&self, created: &Created) -> Result<Ordered<Retrieved>, DriverError> {
        let entries = self.entries().clone();
        let (topic, root) = (created.topic.clone(), created.session.clone());
        let run = created
            .run
            .as_ref()
            .and_then(|place| Some((place.run.clone(), place.batch?)));
        let work = move |retriever: &dyn Retriever| {
            let asker = Asker {
                topic_id: &topic.id,
                topic_text: &topic.text,
                root_session: root.as_str(),
                run: run.as_ref().map(|(run, batch)| (run.as_str(), *batch)),
            };
            let rules = Exclusion::default();
            let found = retrieve(retriever, &asker, &entries, TOP_K, &rules)?;
            Ok(shown(&found, &entries))
        };
        self.ranking.with(work).await
    }

    /// Adds the lesson of a debate, durable when this returns; a lesson that is there stays as it
    /// is. Returns what was mended in the journal when it was opened.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn learn(
        &self,
        session: &SessionId,
        state: &State,
        created: &Created,
        at: &str,
    ) -> Result<Vec<Notice>, DriverError> {
        let Some(feedback) = state.feedback() else {
            return Ok(Vec::new());
        };
        let id = EntryId(feedback.entry.clone());
        if self.entries().iter().any(|entry| entry.id == id) {
            return Ok(Vec::new());
        }
        let origin = Origin {
            session: session.to_string(),
            run: created.run.as_ref().map(|place| place.run.to_string()),
            topic_id: created.topic.id.clone(),
            topic_text: created.topic.text.clone(),
            // A fork keeps its root's first event, so the session named there is the root.
            root_session: created.session.to_string(),
        };
        let added = MemoryEvent::EntryAdded {
            id,
            text: feedback.reply.text.clone(),
            origin: Some(origin),
            batch: created.run.as_ref().and_then(|place| place.batch),
            at: at.to_owned(),
        };
        let mut writer = self.writer.lock().await;
        let (journal, notices) = match writer.take() {
            Some(journal) => (journal, Vec::new()),
            None => self.writer()?,
        };
        journal.append(at, "engine", &added).await?;
        *writer = Some(journal);
        self.entries().extend(fold([&added]).entries);
        Ok(notices)
    }

    fn writer(&self) -> Result<(JournalWriter<MemoryEvent>, Vec<Notice>), DriverError> {
        let path = self.layout.memory(&self.namespace, &self.writer_name)?;
        if path.exists() {
            let opened = JournalWriter::open(&path, "memory", &self.fsync)?;
            return Ok((opened.writer, opened.notices));
        }
        let journal = JournalWriter::create(&path, "memory", &self.fsync)?;
        Ok((journal, Vec::new()))
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was retrieved, with the texts as they are now.
fn shown(found: &memory::Retrieved, entries: &[Entry]) -> Retrieved {
    let shown = found.hits.iter().filter_map(|hit| {
        let entry = entries.iter().find(|entry| entry.id.0 == hit.id)?;
        Some(RetrievedEntry {
            id: entry.id.0.clone(),
            score: hit.score,
            text: entry.text.clone(),
            origin: entry
                .origin
                .as_ref()
                .map(|origin| SessionId::new(origin.session.clone())),
        })
    });
    Retrieved {
        retriever: found.retriever.clone(),
        entries: shown.collect(),
        excluded: found
            .excluded
            .iter()
            .map(|excluded| (excluded.id.0.clone(), why(&excluded.why)))
            .collect(),
    }
}

/// Says whether a time is after another one; times that cannot be read are not.
fn is_later(at: &str, than: &str) -> bool {
    match (at.parse::<Timestamp>(), than.parse::<Timestamp>()) {
        (Ok(at), Ok(than)) => at > than,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

fn why(why: &crate::memory::Why) -> String {
    use crate::memory::Why;
    match why {
        Why::Disabled => "disabled".to_owned(),
        Why::NotEarlierBatch => "taught in this batch or a later one".to_owned(),
        Why::Fork => "taught in a fork of this session".to_owned(),
        Why::SameTopicId | Why::SameTopicText => "taught by the same topic".to_owned(),
        Why::NearDuplicate { similarity } => {
            format!("taught by a near-duplicate of the topic ({similarity:.2})")
        }
    }
}
