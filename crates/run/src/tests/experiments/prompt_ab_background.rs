//! Comparisons that are played in the background and followed by whoever wants.

use crate::drafts::prompt_ab::{AbNews, RunningComparisons};
use crate::experiments::prompt_ab::KnownTruth;
use crate::experiments::prompt_ab::{Ab, AbArm, AbPlan, AbStop, AbWish, list_comparisons};
use crate::experiments::prompt_trial::RollForward;
use crate::experiments::{ExperimentContext, ExperimentEnd, StopSignal};
use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::protocol::Ceilings;
use std::cell::RefCell;

/// Another prompt for the debaters, on every turn of a debate.
async fn begun(store: &SimulatedStore, context: &ExperimentContext) -> Ab {
    let session = store.played(&plan("pred")).await;
    let arm = |name: &str, text: Option<&str>| AbArm {
        name: name.to_owned(),
        text: text.map(str::to_owned),
    };
    let wish = AbWish {
        sessions: vec![session],
        plan: AbPlan {
            template: "debater".to_owned(),
            arms: [
                arm("recorded", None),
                arm("brief", Some("=== user\nSay it briefly.\n")),
            ],
            contexts: Vec::new(),
            samples: 1,
            roll: RollForward::Turn,
            stop: AbStop::Fixed,
            preference: None,
            truth: Default::default(),
            repeats: Default::default(),
            ceilings: Ceilings::default(),
            seed: 7,
            repeat: None,
        },
        seat: None,
        round: Some(1),
        turns: None,
    };
    let planned = wish.plan_comparison(context, KnownTruth::Grader).unwrap();
    Ab::begin(context, planned.plan).await.unwrap()
}

fn keep(told: &RefCell<Vec<AbNews>>, news: AbNews) {
    told.borrow_mut().push(news);
}

#[tokio::test]
async fn a_comparison_is_followed_to_its_end_by_everybody_and_released_before_that_is_told() {
    let store = SimulatedStore::new();
    let context = store.experiment(&StopSignal::new_immediate());
    let ab = begun(&store, &context).await;
    let id = ab.log.state.manifest.id.clone();
    let comparisons = RunningComparisons::default();
    let entered = comparisons.enter_comparison(context.clone(), ab);
    assert!(comparisons.is_playing(&id));
    let told = [RefCell::new(Vec::new()), RefCell::new(Vec::new())];
    let follow = |told| comparisons.follow_comparison(&id, move |news| keep(told, news));
    let playing = async { entered.play().await.finish().await };
    tokio::join!(playing, follow(&told[0]), follow(&told[1]));
    assert!(!comparisons.is_playing(&id));
    for told in told {
        let mut told = told.into_inner().into_iter().rev();
        let end = told.next();
        let is_over = matches!(end, Some(AbNews::Ended(Ok(ExperimentEnd::Completed))));
        assert!(is_over, "{end:?}");
        let Some(AbNews::Compared(Ok(card))) = told.next() else {
            panic!("nothing was summed up");
        };
        assert!(!card.playing);
        assert_eq!((card.summary.missing, card.state.completed), (0, true));
    }
    // Whoever comes later reads it: nobody holds its journal.
    Ab::resume(&context, &id, Ceilings::default())
        .await
        .unwrap();
    let listed = list_comparisons(&store.store.layout);
    assert_eq!(listed[0].as_ref().unwrap().manifest.id, id);
}

#[tokio::test]
async fn a_comparison_that_is_stopped_starts_no_more_samples() {
    let store = SimulatedStore::new();
    let context = store.experiment(&StopSignal::new_immediate());
    let ab = begun(&store, &context).await;
    let id = ab.log.state.manifest.id.clone();
    let comparisons = RunningComparisons::default();
    let entered = comparisons.enter_comparison(context, ab);
    comparisons.stop_comparison(&id);
    assert!(entered.stop_token().is_cancelled());
    let last = RefCell::new(None);
    let follow = comparisons.follow_comparison(&id, |news| _ = last.replace(Some(news)));
    let playing = async { entered.play().await.finish().await };
    tokio::join!(playing, follow);
    let end = last.into_inner();
    let is_paused = matches!(end, Some(AbNews::Ended(Ok(ExperimentEnd::Paused { .. }))));
    assert!(is_paused, "{end:?}");
    let listed = list_comparisons(&store.store.layout);
    assert!(!listed[0].as_ref().unwrap().completed);
    // What is not played here has no news.
    comparisons
        .follow_comparison(&id, |news| panic!("{news:?}"))
        .await;
}
