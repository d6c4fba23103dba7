//! Isolation of debates: a failure stays in one debate of a run and keeps its paid replies.

use elenchus_game::debate::event::{Event, MemoryUse, Participant, Player, Record};
use elenchus_game::debate::protocol::{Ceilings, SettingValue, Settings};
use elenchus_game::debate::{RunId, SessionId, State, Topic};
use elenchus_model::SimSettings;
use elenchus_records::library::{Game, Library};
use elenchus_records::workspace::memory::{EmbeddingPlaces, LazyEmbedding};
use elenchus_records::workspace::run::{DatasetPlace, Manifest, RunItem};
use elenchus_records::workspace::{Clock, StoreContext, read_session, reject};
use elenchus_run::engine::seats::{CastRequest, ModelTable, Seats};
use elenchus_run::engine::{NoPeople, Observer, People, PersonAnswer, PersonQuestion, RunContext};
use elenchus_run::experiments::run::{PlannedRun, Run};
use elenchus_run::experiments::{
    EndedItem, ExperimentContext, ExperimentEnd, ExperimentObserver, StopSignal,
};
use elenchus_store::Layout;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Watches, and panics when something happens in a session that it was told of.
struct Watcher {
    panics_at: Option<SessionId>,
}

impl Observer for Watcher {
    fn on_event(&self, session: &SessionId, record: &Record, _state: &State) {
        let replied = matches!(record.event, Event::Replied(_));
        assert!(
            !replied || self.panics_at.as_ref() != Some(session),
            "as the test wants"
        );
    }
}

impl ExperimentObserver for Watcher {
    fn on_item_end(&self, _item: &EndedItem<'_>) {}
}

/// A person whose answer is no text.
struct UnreadablePerson;

impl People for UnreadablePerson {
    fn ask<'a>(
        &'a self,
        _question: &'a PersonQuestion,
    ) -> elenchus_model::BoxFuture<'a, std::io::Result<PersonAnswer>> {
        Box::pin(async { Err(std::io::Error::other("no text")) })
    }

    fn name(&self) -> String {
        "ana".to_owned()
    }
}

struct RunFixture {
    folder: tempfile::TempDir,
    game: Game,
    cast: Vec<Participant>,
    seats: Arc<Seats>,
}

impl RunFixture {
    fn new() -> Self {
        let slow = SimSettings {
            latency_ms: 30,
            ..SimSettings::default()
        };
        let table = ModelTable {
            sims: BTreeMap::from([("slow".to_owned(), slow)]),
            ..ModelTable::default()
        };
        let seats = Seats::new(table, Arc::new(|_| None), Arc::new(|_| reject("")));
        let settings = Settings::from([("rounds".to_owned(), SettingValue::Integer(1))]);
        let game = Library::default().load_game("pred", &settings).unwrap();
        let cast = CastRequest::default()
            .seat_all(&game, &seats, Some("slow"))
            .unwrap();
        Self {
            folder: tempfile::tempdir().unwrap(),
            game,
            cast,
            seats: Arc::new(seats),
        }
    }

    fn context(&self, panics_at: Option<SessionId>, people: Arc<dyn People>) -> ExperimentContext {
        let layout = Layout::new(self.folder.path());
        layout.create_missing_folders().unwrap();
        let run = RunContext {
            store: StoreContext::new(layout, "test", "test"),
            library: Library::default(),
            seats: Arc::clone(&self.seats),
            embedding: Arc::new(LazyEmbedding::new(EmbeddingPlaces::default())),
            training: Default::default(),
        };
        let observer = Arc::new(Watcher { panics_at });
        let context = ExperimentContext::without_people(run, observer, StopSignal::default());
        ExperimentContext {
            people,
            ..context.with_concurrency(4)
        }
    }

    fn plan(&self, debates: u64) -> PlannedRun {
        let items: Vec<RunItem> = (0..debates).map(item).collect();
        let manifest = Manifest {
            format: 1,
            run: RunId::new(Clock.fresh_id()),
            software: "test".to_owned(),
            protocol: self.game.protocol.clone(),
            settings: self.game.settings.clone(),
            templates: self.game.templates.clone(),
            rubrics: self.game.rubric_texts.clone(),
            lists: self.game.lists.clone(),
            unpinned: self.game.unpinned_files(),
            casts: vec![self.cast.clone()],
            dataset: DatasetPlace::default(),
            seed: 1,
            rollouts: 1,
            shard: None,
            ceilings: Ceilings::default(),
            memory: MemoryUse::default(),
            memory_kinds: Vec::new(),
            accept: None,
            memory_read: None,
            learn_batch: None,
            training: None,
            split: None,
            items: debates,
            ablation: None,
            repeat: None,
        };
        PlannedRun {
            game: self.game.clone(),
            manifest,
            items,
        }
    }
}

fn item(item: u64) -> RunItem {
    RunItem {
        item,
        session: SessionId::new(Clock.fresh_id()),
        topic: Topic {
            id: format!("t{item}"),
            text: format!("Why is number {item}?"),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: None,
            expected: None,
            documents: Vec::new(),
            options: Vec::new(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        },
        cast: 0,
        rollout: 0,
        batch: None,
        lines: Vec::new(),
        given: None,
        given_guards: None,
        teaches: false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_whose_task_panics_fails_alone_and_is_played_again() {
    let fixture = RunFixture::new();
    let planned = fixture.plan(4);
    let id = planned.manifest.run.clone();
    let panics_at = planned.items[1].session.clone();
    let bad = fixture.context(Some(panics_at), Arc::new(NoPeople));
    let mut run = Run::begin(&bad, planned).await.unwrap();
    assert_eq!(
        run.play_debates(&bad).await.unwrap(),
        ExperimentEnd::WithFailures(1)
    );
    assert_eq!(run.log.state.finished.len(), 3);
    assert!(run.log.state.failed[&1].contains("ended abnormally"));
    drop(run);

    let good = fixture.context(None, Arc::new(NoPeople));
    let mut run = Run::resume(&good, &id, Ceilings::default()).await.unwrap();
    assert_eq!(
        run.play_debates(&good).await.unwrap(),
        ExperimentEnd::Completed
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_flight_are_kept_when_an_answer_cannot_be_read() {
    let mut fixture = RunFixture::new();
    fixture.cast[0].player = Player::Human { name: None };
    let planned = fixture.plan(1);
    let session = planned.items[0].session.clone();
    let context = fixture.context(None, Arc::new(UnreadablePerson));
    let mut run = Run::begin(&context, planned).await.unwrap();
    assert_eq!(
        run.play_debates(&context).await.unwrap(),
        ExperimentEnd::WithFailures(1)
    );
    assert!(
        run.log.state.failed[&0].contains("no text"),
        "{:?}",
        run.log.state.failed
    );
    let path = context.store.layout.session_path(session.as_str()).unwrap();
    let state = read_session(&path).unwrap();
    // The two others were asked at the same time, and what they said is kept.
    assert_eq!(state.turns().len(), 2);
    assert_eq!(state.committed_calls(), state.spend().calls);
}

#[test]
fn a_seat_that_only_rules_that_are_turned_off_name_is_nobodys() {
    let program = elenchus_test_support::program::Program::new();
    for (detectors, sits) in [("rules", false), ("model", true)] {
        let set = format!("detectors={detectors}");
        program
            .run(&[
                "run",
                "--protocol",
                "pcd-4",
                "--topic",
                "1+1?",
                "--set",
                &set,
            ])
            .ended_with(0);
        let events = program.events("last");
        let cast = events[0]["cast"].as_array().unwrap();
        assert_eq!(
            cast.iter().any(|one| one["chair"] == "detector-0"),
            sits,
            "{detectors}"
        );
    }
}
