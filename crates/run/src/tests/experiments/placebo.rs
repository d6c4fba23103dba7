//! A placebo run as an observer follows it.

use crate::engine::MemoryShown;
use crate::engine::seats::SIM;
use crate::engine::{DebatePlan, Observer};
use crate::experiments::run::{Run, RunPlan};
use crate::experiments::{
    EndedItem, ExperimentContext, ExperimentEnd, ExperimentObserver, ItemEnd, StopSignal,
};
use crate::tests::simulated::{SimulatedStore, topic};
use elenchus_game::debate::event::{Learning, Placebo, Record};
use elenchus_game::debate::protocol::SettingValue;
use elenchus_game::debate::{SessionId, Spend, State};
use std::sync::{Arc, Mutex};

/// Adds up what it is told of items.
#[derive(Default)]
struct Sums(Mutex<(usize, Spend)>);

impl Observer for Sums {
    fn on_event(&self, _: &SessionId, _: &Record, _: &State) {}
}

impl ExperimentObserver for Sums {
    fn on_item_end(&self, item: &EndedItem<'_>) {
        let (done, spend) = &mut *self.0.lock().unwrap();
        *done += usize::from(matches!(item.end, ItemEnd::Done(())));
        *spend = spend.plus(item.spend);
    }
}

#[tokio::test]
async fn what_a_debate_took_before_it_waited_for_rewards_counts() {
    let store = SimulatedStore::new();
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.csv");
    std::fs::write(
        &rows,
        "id,text,answer\na,Which is it?,1\nb,How many are there?,2\n",
    )
    .unwrap();
    let learn = SettingValue::Text("proposer".to_owned());
    let plan = RunPlan {
        debate: DebatePlan {
            settings: [("learn".to_owned(), learn)].into(),
            shown: MemoryShown::Lessons,
            ..DebatePlan::new("pcd-2", topic("It is not played."))
        },
        dataset: format!("own:{}", rows.display()),
        columns: Default::default(),
        sample: None,
    };
    let prepared = plan.prepare(&store.store, &store.library, &store.seats, Some(SIM));
    let mut planned = prepared.unwrap().planned;
    planned.manifest.memory.learning = Some(Learning {
        batch: 2,
        split: None,
        accepts_up_to: None,
        placebo: Some(Placebo::Rewards),
    });
    for item in &mut planned.items {
        item.batch = Some(0);
    }
    let sessions: Vec<SessionId> = planned
        .items
        .iter()
        .map(|one| one.session.clone())
        .collect();
    assert_eq!(sessions.len(), 2);
    let sums = Arc::new(Sums::default());
    let context =
        ExperimentContext::without_people(store.run.clone(), sums.clone(), StopSignal::default());
    store.store.layout.create_missing_folders().unwrap();
    let mut run = Run::begin(&context, planned).await.unwrap();
    let end = run.play_debates(&context).await.unwrap();
    assert_eq!(end, ExperimentEnd::Completed);
    let states = sessions.iter().map(|session| store.state(session));
    let used = states.fold(Spend::default(), |sum, state| {
        assert!(state.swapped_rewards().is_some() && state.lesson().is_some());
        sum.plus(state.spend())
    });
    let (done, told) = *sums.0.lock().unwrap();
    assert_eq!((done, told.calls), (2, used.calls));
    assert_eq!(told.total_tokens(), used.total_tokens());
}
