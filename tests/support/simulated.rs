//! A store of its own with everything that is needed to play in it.

use elenchus::debate::event::Record;
use elenchus::debate::{SessionId, State, Topic};
use elenchus::driver::desk::{Desk, Plan, TypedTopic};
use elenchus::driver::{
    Budget, Clock, Left, Library, ModelTable, NoObserver, Nobody, SIM, Seats, Session, Table, play,
    read_session,
};
use elenchus::store::{Fsync, Layout};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub struct Place {
    _folder: tempfile::TempDir,
    pub desk: Desk,
    pub library: Library,
    pub seats: Arc<Seats>,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk {
            layout: Layout::at(folder.path().join("store")),
            fsync: Fsync::start().unwrap(),
            clock: Clock,
            holder: "a test".to_owned(),
            person: "ada".to_owned(),
        };
        Self {
            _folder: folder,
            desk,
            library: Library::default(),
            seats: Arc::new(Seats::new(
                ModelTable::default(),
                Arc::new(|_| None),
                Arc::new(|_| Err("nothing is recorded here".to_owned())),
            )),
        }
    }

    pub fn path(&self, id: &SessionId) -> PathBuf {
        self.desk.layout.session(id.as_str()).unwrap()
    }

    pub fn state(&self, id: &SessionId) -> State {
        read_session(&self.path(id)).unwrap()
    }

    /// What happened in a session, as a tail tells it.
    pub fn records(&self, id: &SessionId) -> Vec<Record> {
        elenchus::driver::desk::Tail::open(&self.path(id))
            .more()
            .unwrap()
    }

    pub async fn begin(&self, plan: &Plan) -> Session {
        let prepared = plan.prepare(&self.desk, &self.library, &self.seats, Some(SIM));
        prepared.unwrap().begin(&self.desk).await.unwrap()
    }

    pub async fn play_on(&self, session: &mut Session) -> Left {
        let budget = Budget::new(None, 0.0);
        let table = Table {
            clock: Clock,
            seats: &self.seats,
            budget: &budget,
            memory: None,
            observer: &NoObserver,
            people: &Nobody,
            cancel: &CancellationToken::new(),
        };
        play(session, table).await.unwrap()
    }

    /// Plays a debate to its end.
    pub async fn played(&self, plan: &Plan) -> SessionId {
        let mut session = self.begin(plan).await;
        let left = self.play_on(&mut session).await;
        assert!(matches!(left, Left::Done(_)), "{left:?}");
        session.id.clone()
    }
}

pub fn topic(text: &str) -> Topic {
    let typed = TypedTopic {
        text: text.to_owned(),
        ..TypedTopic::default()
    };
    typed.topic().unwrap()
}

/// A debate of two rounds about why the sea is salty.
pub fn plan(protocol: &str) -> Plan {
    Plan {
        rounds: Some(2),
        ..Plan::new(protocol, topic("Why is the sea salty?"))
    }
}
