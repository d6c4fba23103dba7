//! A store with seats of the simulated model, used through the library.

use crate::engine::cost::Budget;
use crate::engine::play::{PlayEnd, Table, play_session};
use crate::engine::seats::{ModelTable, SIM, Seats};
use crate::engine::{DebatePlan, NoObserver, NoPeople, RunContext, TypedTopic};
use crate::experiments::{ExperimentContext, NoExperimentObserver, StopSignal};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::{SessionId, State, Topic};
use elenchus_records::library::Library;
use elenchus_records::workspace::memory::{EmbeddingPlaces, LazyEmbedding};
use elenchus_records::workspace::{Clock, Session, read_session};
use elenchus_records::workspace::{StoreContext, WorkspaceError};
use elenchus_store::Layout;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub struct SimulatedStore {
    _folder: tempfile::TempDir,
    pub run: RunContext,
}

impl Deref for SimulatedStore {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.run
    }
}

impl SimulatedStore {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().join("store"));
        let seats = Seats::new(
            ModelTable::default(),
            Arc::new(|_| None),
            Arc::new(|_| Err(WorkspaceError::invalid("nothing is recorded here"))),
        );
        Self {
            _folder: folder,
            run: RunContext {
                store: StoreContext::new(layout, "a test", "ada"),
                library: Library::default(),
                seats: Arc::new(seats),
                embedding: Arc::new(LazyEmbedding::new(EmbeddingPlaces::default())),
                training: Default::default(),
            },
        }
    }

    pub fn path(&self, id: &SessionId) -> PathBuf {
        self.store.layout.session_path(id.as_str()).unwrap()
    }

    pub fn state(&self, id: &SessionId) -> State {
        read_session(&self.path(id)).unwrap()
    }

    /// What happened in a session, as a tail tells it.
    pub fn records(&self, id: &SessionId) -> Vec<Record> {
        elenchus_records::workspace::Tail::open(&self.path(id))
            .read_new_records()
            .unwrap()
    }

    /// What experiments are performed with, one item after the other.
    pub fn experiment(&self, stop: &StopSignal) -> ExperimentContext {
        let no_observer = Arc::new(NoExperimentObserver);
        ExperimentContext::without_people(self.run.clone(), no_observer, stop.clone())
    }

    pub async fn begin(&self, plan: &DebatePlan) -> Session {
        let prepared = plan.prepare(&self.store, &self.library, &self.seats, Some(SIM));
        prepared.unwrap().begin_session(&self.store).await.unwrap()
    }

    pub async fn play_on(&self, session: &mut Session) -> PlayEnd {
        let budget = Budget::new(None, 0.0);
        let table = Table {
            clock: Clock,
            seats: &self.seats,
            budget: &budget,
            memory: None,
            swapped_rewards: None,
            observer: &NoObserver,
            people: &NoPeople,
            cancel: &CancellationToken::new(),
        };
        play_session(session, table).await.unwrap()
    }

    /// Plays a debate to its end.
    pub async fn played(&self, plan: &DebatePlan) -> SessionId {
        let mut session = self.begin(plan).await;
        let left = self.play_on(&mut session).await;
        assert!(matches!(left, PlayEnd::Done(_)), "{left:?}");
        session.id.clone()
    }
}

pub fn topic(text: &str) -> Topic {
    let typed = TypedTopic {
        text: text.to_owned(),
        ..TypedTopic::default()
    };
    typed.into_topic().unwrap()
}

/// A debate of two rounds about why the sea is salty.
pub fn plan(protocol: &str) -> DebatePlan {
    DebatePlan {
        rounds: Some(2),
        // With it something unsafe is said and a lesson is written.
        seed: 1,
        ..DebatePlan::new(protocol, topic("Why is the sea salty?"))
    }
}
