//! A kind of experiment that is one file gets everything else from the engine.

mod survey;

use crate::engine::seats::{ModelTable, Seats};
use crate::engine::{Observer, RunContext};
use crate::experiments::{
    EndedItem, ExperimentContext, ExperimentEnd, ExperimentKind, ExperimentObserver, ItemEnd,
    ItemExperiment, StopSignal, estimate_items,
};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{SessionId, State};
use elenchus_model::{ModelSettings, ProviderSettings};
use elenchus_records::library::Library;
use elenchus_records::workspace::journals::RegisteredKind;
use elenchus_records::workspace::memory::{EmbeddingPlaces, LazyEmbedding};
use elenchus_records::workspace::{Clock, ItemCounts, ItemEvent, Standing, StoreContext, reject};
use elenchus_store::{Layout, verify_journal};
use elenchus_test_support::answer::Answer;
use elenchus_test_support::server::ChatServer;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use survey::{Interviewer, Survey};

const QUESTIONS: [&str; 4] = ["Who?", "Where?", "When?", "Why?"];

/// Keeps what it is told.
#[derive(Default)]
struct Watcher(Mutex<Vec<(String, ItemEnd, ItemCounts, u64)>>);

impl Observer for Watcher {
    fn on_event(&self, _: &SessionId, _: &Record, _: &State) {}
}

impl ExperimentObserver for Watcher {
    fn on_item_end(&self, item: &EndedItem<'_>) {
        let told = (
            item.name.to_owned(),
            item.end.clone(),
            item.counts,
            item.spend.calls,
        );
        self.0.lock().unwrap().push(told);
    }
}

struct Fixture {
    folder: tempfile::TempDir,
    server: ChatServer,
}

impl Fixture {
    fn new(server: ChatServer) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            server,
        }
    }

    fn context(&self, observer: &Arc<Watcher>) -> ExperimentContext {
        let provider = ProviderSettings {
            retries: 0,
            ..ProviderSettings::from_base_url(&self.server.base_url())
        };
        let model = ModelSettings {
            price_in_usd_per_mtok: Some(1.0),
            price_out_usd_per_mtok: Some(1000.0),
            ..ModelSettings::from_name("here", "m")
        };
        let table = ModelTable {
            providers: BTreeMap::from([("here".to_owned(), provider)]),
            models: BTreeMap::from([("m".to_owned(), model)]),
            ..ModelTable::default()
        };
        let layout = Layout::new(self.folder.path());
        layout.create_missing_folders().unwrap();
        let run = RunContext {
            store: StoreContext::new(layout, "test", "ada"),
            library: Library::default(),
            seats: Arc::new(Seats::new(
                table,
                Arc::new(|_| None),
                Arc::new(|_| reject("")),
            )),
            embedding: Arc::new(LazyEmbedding::new(EmbeddingPlaces::default())),
            training: Default::default(),
        };
        ExperimentContext::without_people(run, observer.clone(), StopSignal::default())
    }

    fn asked(&self) -> Vec<String> {
        let calls = self.server.calls();
        calls.iter().map(|call| call.text()).collect()
    }
}

fn plan(ceilings: Ceilings) -> Survey {
    Survey {
        id: Clock.fresh_id(),
        model: "m".to_owned(),
        questions: QUESTIONS.map(str::to_owned).to_vec(),
        ceilings,
    }
}

#[tokio::test]
async fn it_is_estimated_performed_checked_and_summed_up() {
    let fixture = Fixture::new(ChatServer::start(|_| Answer::chat("Nobody knows.")));
    let watcher = Arc::new(Watcher::default());
    let context = fixture.context(&watcher);
    let plan = plan(Ceilings::default());
    let estimate = estimate_items(&context, &plan, 0..4, &Interviewer).unwrap();
    assert_eq!(
        (estimate.likely.calls, estimate.at_most.output_tokens),
        (4, 400)
    );
    assert!(fixture.asked().is_empty());

    let mut survey = ItemExperiment::begin(&context, plan).await.unwrap();
    let end = survey
        .perform_missing(&context, &Interviewer)
        .await
        .unwrap();
    assert_eq!(end, ExperimentEnd::Completed);
    assert_eq!(survey.log.state.done.len(), 4);
    assert_eq!(survey.log.state.done[&3], "Nobody knows.");
    let told = watcher.0.lock().unwrap().clone();
    let last = ItemCounts {
        all: Some(4),
        done: 4,
        failed: 0,
    };
    assert_eq!(told[3], ("Why?".to_owned(), ItemEnd::Done(()), last, 1));

    let id = survey.log.summarize().id;
    drop(survey);
    let path = ItemExperiment::<Survey>::journal_path(&context, &id).unwrap();
    assert!(verify_journal(&path, &[]).unwrap().is_sound());
    RegisteredKind::new::<ItemEvent<Survey>>()
        .check_journal(&path)
        .unwrap();
    let kind = ExperimentKind::from_events::<ItemEvent<Survey>>(&["survey", "--resume"]);
    let summary = kind.read_summary(&path).unwrap();
    assert_eq!(summary.standing, Standing::Completed);
    assert_eq!((summary.kind, summary.items), ("survey", last));
    assert!(summary.committed_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn a_ceiling_pauses_it_and_a_higher_one_goes_on_without_asking_twice() {
    let fixture = Fixture::new(ChatServer::start(|_| Answer::chat("Nobody knows.")));
    let context = fixture.context(&Arc::default());
    let two_calls = Ceilings {
        calls: Some(2),
        ..Ceilings::default()
    };
    let mut survey = ItemExperiment::begin(&context, plan(two_calls))
        .await
        .unwrap();
    let end = survey
        .perform_missing(&context, &Interviewer)
        .await
        .unwrap();
    let ExperimentEnd::Paused(cause) = end else {
        panic!("{end:?}");
    };
    let why = cause.to_string();
    assert_eq!(why, "the ceiling is reached: 2 of 2 calls were made");
    let id = survey.log.summarize().id;
    assert_eq!(survey.log.summarize().standing, Standing::Paused(why));
    drop(survey);

    let more = Ceilings {
        calls: Some(9),
        ..Ceilings::default()
    };
    let resumed = ItemExperiment::<Survey>::resume(&context, &id, more).await;
    let end = resumed
        .unwrap()
        .perform_missing(&context, &Interviewer)
        .await
        .unwrap();
    assert_eq!(end, ExperimentEnd::Completed);
    assert_eq!(fixture.asked(), QUESTIONS);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_in_flight_when_it_was_killed_counts_at_its_worst_and_is_asked_again() {
    let fixture = Fixture::new(ChatServer::start(|call| match call.text().as_str() {
        "When?" => Answer::stall(),
        _ => Answer::chat("Nobody knows."),
    }));
    let context = fixture.context(&Arc::default());
    let plan = plan(Ceilings::default());
    let id = plan.id.clone();
    let mut survey = ItemExperiment::begin(&context, plan).await.unwrap();
    let playing = {
        let context = context.clone();
        tokio::spawn(async move { survey.perform_missing(&context, &Interviewer).await })
    };
    fixture
        .server
        .wait_until("the third question", |log| log.requests.len() == 3);
    playing.abort();
    assert!(playing.await.unwrap_err().is_cancelled());

    let answering = Fixture {
        server: ChatServer::start(|_| Answer::chat("Nobody knows.")),
        ..fixture
    };
    let context = answering.context(&Arc::default());
    let resumed = ItemExperiment::<Survey>::resume(&context, &id, Ceilings::default()).await;
    let mut resumed = resumed.unwrap();
    // The reply that never came may have been as long as its limit: ten cents.
    let before = resumed.log.state.committed_expense();
    assert!(before.usd >= 0.1, "{before:?}");
    assert_eq!(before.calls, 3);
    let end = resumed
        .perform_missing(&context, &Interviewer)
        .await
        .unwrap();
    assert_eq!(end, ExperimentEnd::Completed);
    assert_eq!(answering.asked(), ["When?", "Why?"]);
}

#[tokio::test]
async fn an_item_that_fails_is_listed_with_its_reason_and_tried_again_on_resume() {
    let fixture = Fixture::new(ChatServer::start(|call| match call.text().as_str() {
        "Where?" => Answer::error(400, "bad_request", "no such place"),
        _ => Answer::chat("Nobody knows."),
    }));
    let context = fixture.context(&Arc::default());
    let mut survey = ItemExperiment::begin(&context, plan(Ceilings::default()))
        .await
        .unwrap();
    let end = survey
        .perform_missing(&context, &Interviewer)
        .await
        .unwrap();
    assert_eq!(end, ExperimentEnd::WithFailures(1));
    let summary = survey.log.summarize();
    assert_eq!(summary.failures[0].0, "Where?");
    assert!(
        summary.failures[0].1.contains("no such place"),
        "{summary:?}"
    );
    let id = summary.id;
    drop(survey);
    let resumed = ItemExperiment::<Survey>::resume(&context, &id, Ceilings::default()).await;
    let end = resumed
        .unwrap()
        .perform_missing(&context, &Interviewer)
        .await
        .unwrap();
    assert_eq!(end, ExperimentEnd::WithFailures(1));
    assert_eq!(
        fixture
            .asked()
            .iter()
            .filter(|text| *text == "Where?")
            .count(),
        2
    );
    assert_eq!(fixture.asked().len(), 5);
}
