//! Re-judging of finished sessions.

use crate::engine::seats::SeatRequest;
use crate::experiments::rejudge::{PassUpdate, RejudgingPass, plan_pass};
use crate::experiments::{ExperimentContext, ExperimentEnd, PauseCause, StopSignal};
use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{SessionId, Target};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::attempt_hash;
use elenchus_records::workspace::pass::{
    Pass, PassRules, PassStanding, PassVerdict, read_all_passes, read_passes,
};
use elenchus_store::{StoreError, verify_journal};
use std::collections::BTreeMap;
use tokio::sync::mpsc::unbounded_channel;

/// Begins a pass and carries it out.
async fn judged_by(
    store: &SimulatedStore,
    sessions: Vec<SessionId>,
    rules: PassRules,
) -> (Vec<PassUpdate>, ExperimentEnd) {
    let context = store.experiment(&StopSignal::default());
    let plan = plan_pass(&context, sessions, rules, Default::default()).unwrap();
    let mut pass = RejudgingPass::begin(&context, plan).await.unwrap();
    played(&mut pass, &context, |_| {}).await
}

/// Carries a pass out and returns everything that it tells.
async fn played(
    pass: &mut RejudgingPass,
    context: &ExperimentContext,
    watch: impl Fn(&PassUpdate),
) -> (Vec<PassUpdate>, ExperimentEnd) {
    let (tell, mut updates) = unbounded_channel();
    let watching = async {
        let mut told = Vec::new();
        while let Some(update) = updates.recv().await {
            watch(&update);
            told.push(update);
        }
        told
    };
    let (end, told) = tokio::join!(pass.judge_missing(context, tell), watching);
    (told, end.unwrap())
}

fn by_own_rules() -> PassRules {
    PassRules::Own { model: None }
}

fn by_rubric(rubric: &str) -> PassRules {
    PassRules::Rubric {
        rubric: rubric.to_owned(),
        model: "sim".to_owned(),
    }
}

fn verdicts(told: &[PassUpdate]) -> Vec<&PassVerdict> {
    let judged = told.iter().filter_map(|update| match update {
        PassUpdate::Judged(verdict) => Some(&**verdict),
        _ => None,
    });
    judged.collect()
}

fn only_pass(store: &SimulatedStore) -> Pass {
    let mut all = read_all_passes(&store.store.layout).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0).unwrap()
}

#[tokio::test]
async fn the_same_judges_find_the_same_again_and_the_session_stays_as_it_is() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let state = store.state(&id);
    let before = std::fs::read(store.path(&id)).unwrap();
    let (told, end) = judged_by(&store, vec![id.clone()], by_own_rules()).await;
    assert_eq!(end, ExperimentEnd::Completed);
    assert!(matches!(
        &told[0],
        PassUpdate::Opened { verdicts: 6, found: 0, session } if session == &id
    ));
    let mut read = read_passes(&store.store.layout, &id).unwrap();
    assert_eq!(read.len(), 6);
    for verdict in &read {
        let theirs = state
            .verdicts_on(&verdict.judging, &verdict.target)
            .unwrap();
        let original = theirs.values().next().unwrap();
        assert_eq!(original.outcome.as_ref(), Some(&verdict.outcome));
        let Target::Attempt(attempt) = &verdict.target else {
            panic!("{verdict:?}");
        };
        let (chosen, text) = state.chosen_attempt(&attempt.turn).unwrap();
        assert_eq!(&chosen, attempt);
        assert_eq!(verdict.sha256, attempt_hash(attempt, &text.reply.text));
    }
    let mut heard: Vec<PassVerdict> = verdicts(&told).into_iter().cloned().collect();
    let order = |one: &PassVerdict| one.target.to_string();
    read.sort_by_key(order);
    heard.sort_by_key(order);
    assert_eq!(heard, read);
    let pass = only_pass(&store);
    assert_eq!(pass.end, Some(PassStanding::Completed));
    let journal = store.store.layout.pass_path(&pass.manifest.pass).unwrap();
    assert!(verify_journal(&journal, &[]).unwrap().is_sound());
    assert_eq!(std::fs::read(store.path(&id)).unwrap(), before);
    let other = SessionId::new("somebody-else");
    assert_eq!(read_passes(&store.store.layout, &other).unwrap(), []);
}

#[tokio::test]
async fn several_sessions_are_judged_by_one_rubric_and_model() {
    let store = SimulatedStore::new();
    let safety = store.played(&plan("pred")).await;
    let proposals = store.played(&plan("pcd-2")).await;
    let sessions = vec![safety.clone(), proposals.clone()];
    let (told, end) = judged_by(&store, sessions, by_rubric("llama-guard-3")).await;
    assert_eq!(end, ExperimentEnd::Completed, "{told:?}");
    let mut counts: BTreeMap<&SessionId, usize> = BTreeMap::new();
    for verdict in verdicts(&told) {
        assert_eq!(
            (verdict.rubric.as_str(), verdict.model.as_str()),
            ("llama-guard-3", "sim")
        );
        assert!(matches!(&verdict.outcome, Outcome::Label(found) if found.label.contains("safe")));
        *counts.entry(&verdict.session).or_default() += 1;
    }
    assert_eq!(counts[&safety], 6);
    let public = store.state(&proposals).turns().len();
    assert!((1..=public).contains(&counts[&proposals]), "{counts:?}");
}

#[tokio::test]
async fn a_pass_that_was_stopped_goes_on_and_asks_nothing_twice() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let stop = StopSignal::new_immediate();
    let stopped = store.experiment(&stop);
    let plan = plan_pass(
        &stopped,
        vec![id.clone()],
        by_own_rules(),
        Default::default(),
    )
    .unwrap();
    let mut pass = RejudgingPass::begin(&stopped, plan).await.unwrap();
    let (_, end) = played(&mut pass, &stopped, |update| {
        if let PassUpdate::Judged(_) = update {
            stop.pause.cancel();
        }
    })
    .await;
    assert_eq!(end, ExperimentEnd::Paused(PauseCause::Stopped));
    let found = read_passes(&store.store.layout, &id).unwrap();
    assert!((1..6).contains(&found.len()), "{}", found.len());
    let pass_id = pass.id().to_owned();
    drop(pass);

    let again = store.experiment(&StopSignal::default());
    let resumed = RejudgingPass::resume(&again, &pass_id, Ceilings::default()).await;
    let (told, end) = played(&mut resumed.unwrap(), &again, |_| {}).await;
    assert_eq!(end, ExperimentEnd::Completed);
    assert!(matches!(
        &told[0],
        PassUpdate::Opened { verdicts: 6, found: there, .. } if *there == found.len()
    ));
    assert_eq!(verdicts(&told).len(), 6 - found.len());
    assert_eq!(read_passes(&store.store.layout, &id).unwrap().len(), 6);
}

#[tokio::test]
async fn a_pass_that_goes_on_elsewhere_is_not_resumed() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let context = store.experiment(&StopSignal::default());
    let plan = plan_pass(&context, vec![id], by_own_rules(), Default::default()).unwrap();
    let pass = RejudgingPass::begin(&context, plan).await.unwrap();
    let refused = RejudgingPass::resume(&context, pass.id(), Ceilings::default()).await;
    assert!(matches!(
        refused.err(),
        Some(WorkspaceError::Store(StoreError::Locked { .. }))
    ));
}

#[tokio::test]
async fn a_session_that_cannot_be_judged_is_named_and_the_others_are_judged() {
    let store = SimulatedStore::new();
    let fine = store.played(&plan("pred")).await;
    let broken = SessionId::new("zz-broken");
    std::fs::write(store.path(&broken), "no journal\n").unwrap();
    let mut with_a_person = plan("pred");
    let person = SeatRequest {
        model: Some("human:ada".to_owned()),
        ..SeatRequest::default()
    };
    with_a_person.cast.seats.insert("evaluator".into(), person);
    let mut judged_by_ada = store.begin(&with_a_person).await;
    store.play_on(&mut judged_by_ada).await;
    let sessions = vec![broken.clone(), judged_by_ada.id.clone(), fine.clone()];
    let (told, end) = judged_by(&store, sessions, by_own_rules()).await;
    assert_eq!(end, ExperimentEnd::WithFailures(1));
    let left_out: Vec<_> = told
        .iter()
        .filter_map(|update| match update {
            PassUpdate::LeftOut { session, why } => Some((session, why.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert_eq!(left_out[0].0, &broken);
    assert_eq!(left_out[1].0, &judged_by_ada.id);
    assert!(left_out[1].1.contains("a person judged"), "{left_out:?}");
    assert_eq!(verdicts(&told).len(), 6);
}

fn refused(store: &SimulatedStore, sessions: Vec<SessionId>, rules: PassRules) -> String {
    let context = store.experiment(&StopSignal::default());
    let planned = plan_pass(&context, sessions, rules, Default::default());
    planned.err().unwrap().to_string()
}

#[tokio::test]
async fn a_pass_without_sessions_rubric_or_model_never_begins() {
    let store = SimulatedStore::new();
    let id = store.begin(&plan("pred")).await.id.clone();
    let none = refused(&store, vec![], by_own_rules());
    assert!(none.contains("choose at least one"), "{none}");
    let gone = refused(&store, vec![SessionId::new("gone")], by_own_rules());
    assert!(gone.contains("no session 'gone'"), "{gone}");
    let rubric = refused(&store, vec![id.clone()], by_rubric("taste"));
    assert!(rubric.contains("no rubric 'taste'"), "{rubric}");
    assert!(rubric.contains("llama-guard-3"), "{rubric}");
    for (model, why) in [("nobody", "no model 'nobody'"), ("human", "models alone")] {
        let model = PassRules::Own {
            model: Some(model.to_owned()),
        };
        let refused = refused(&store, vec![id.clone()], model);
        assert!(refused.contains(why), "{refused}");
    }
    assert!(read_all_passes(&store.store.layout).unwrap().is_empty());
}
