//! Sessions that this process plays, each under its lock.

use crate::engine::live::{LiveCommand, LiveEvent, Pace};
use crate::engine::seats::{SIM, ServedModels};
use crate::engine::{LiveSessions, PlayDefaults, ReadySession};
use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::event::{EventGroup, Record, TurnEvent};
use elenchus_game::debate::step::Step;
use elenchus_game::debate::{SessionId, Target, TurnId};
use elenchus_records::workspace::annotations::{Revealing, ShownHere, read_unblinding};
use elenchus_records::workspace::{Reopen, Session, StoreContext};
use elenchus_view::OpenedSession;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

/// How long a test waits for something that should be told before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

fn defaults(store: &SimulatedStore) -> PlayDefaults {
    PlayDefaults {
        protocol: "pred".to_owned(),
        model: Some(SIM.to_owned()),
        served: Arc::new(ServedModels::new(&store.seats, store.store.clock, None)),
        budget_usd: None,
        concurrency: 1,
    }
}

/// Waits for a reply, and for what follows it.
async fn replied(told: &mut UnboundedReceiver<(SessionId, LiveEvent)>) {
    let mut is_there = false;
    let rests = async {
        while let Some((_, event)) = told.recv().await {
            match event {
                LiveEvent::Happened(record) => is_there |= turn_of(&record).is_some(),
                LiveEvent::Idle(_) if is_there => return,
                _ => {}
            }
        }
        panic!("the session ended before it was idle");
    };
    tokio::time::timeout(PATIENCE, rests).await.unwrap();
}

/// Returns the turn that a record has the reply of.
fn turn_of(record: &Record) -> Option<TurnId> {
    match record.event.group() {
        EventGroup::Turn(TurnEvent::Replied(replied)) => Some(replied.turn.clone()),
        _ => None,
    }
}

fn is_on(target: &Target, turn: &TurnId) -> bool {
    matches!(target, Target::Attempt(attempt) if attempt.turn == *turn)
}

fn is_locked(store: &SimulatedStore, id: &SessionId) -> bool {
    Session::open(&store.store.layout, &store.store.journals(), id).is_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_comes_while_a_session_is_given_back_is_given_under_a_new_lock() {
    let store = SimulatedStore::new();
    let (tell, mut told) = unbounded_channel();
    let live = LiveSessions::new(tell, None);
    let ready = ReadySession::begin_debate(&store, &defaults(&store), &plan("pred"))
        .await
        .unwrap();
    let (id, opened) = live.open_session(&store, ready).unwrap();
    assert!(live.has_session(&id) && is_locked(&store, &id));
    assert!(opened.state.turns().is_empty());

    let released = live.release_session(&store, id.clone()).unwrap();
    let (given, answer) = oneshot::channel();
    let play = LiveCommand::Play(Pace::Turn);
    live.send_command(&store, id.clone(), play, |result| {
        given.send(result).unwrap()
    });
    assert!(
        live.release_session(&store, id.clone()).is_none(),
        "it moves already"
    );
    released.await;
    answer.await.unwrap().unwrap();
    replied(&mut told).await;
    assert!(live.has_session(&id) && is_locked(&store, &id));

    live.release_session(&store, id.clone()).unwrap().await;
    assert!(!live.has_session(&id) && !is_locked(&store, &id));
    assert_eq!(store.state(&id).turns().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_for_a_session_that_is_not_there_is_answered_with_the_reason() {
    let store = SimulatedStore::new();
    store.store.layout.create_missing_folders().unwrap();
    let (tell, _told) = unbounded_channel();
    let live = LiveSessions::new(tell, None);
    let id = SessionId::new("01jd0000000000000000000000");
    let (given, answer) = oneshot::channel();
    let retry = LiveCommand::Retry;
    live.send_command(&store, id.clone(), retry, |result| {
        given.send(result).unwrap()
    });
    assert!(answer.await.unwrap().is_err());
    assert!(!live.has_session(&id), "nothing is kept of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_after_the_last_turn_of_a_game_reopens_that_turn() {
    let store = SimulatedStore::new();
    let parent = store.played(&plan("pred")).await;
    let last = store.records(&parent).iter().rev().find_map(turn_of);
    let last = last.unwrap();
    let ready =
        ReadySession::fork_session(&store.store, &parent, &Reopen::After(last.clone())).await;
    let ready = ready.unwrap();
    let open = ready.opened.state.find_open_steps();
    assert!(open.done.is_none());
    let judged = |step: &Step| matches!(step, Step::Judge(judge) if is_on(&judge.target, &last));
    assert!(open.steps.iter().all(judged), "{:?}", open.steps);
    assert!(!open.steps.is_empty());
    assert_eq!(ready.opened.state.forked_from().to_vec(), [parent]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_is_recorded_once_and_for_whoever_gives_a_name_afterwards() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let (opened, _) = OpenedSession::read(&store.store, &id).unwrap();
    let all = opened.sessions_shown(&id);
    assert_eq!(all, std::slice::from_ref(&id));
    assert!(!opened.example && opened.driven_by.is_none());

    let ada = store.store.clone();
    let ben = StoreContext {
        person: "ben".to_owned(),
        ..ada.clone()
    };
    let saw = |who: &StoreContext| read_unblinding(&ada.layout, &who.person).unwrap().len();
    let shown = [(id.clone(), Revealing::View.unblindings())];
    for _ in 0..2 {
        let mut here = ShownHere::default();
        here.record(&ada, &shown).await.unwrap();
        here.record(&ada, &shown).await.unwrap();
        assert_eq!((saw(&ada), saw(&ben)), (1, 0));
    }
    let mut here = ShownHere::default();
    here.record(&ada, &shown).await.unwrap();
    here.hand_over(&ben).await.unwrap();
    assert_eq!((saw(&ada), saw(&ben)), (1, 1));
    // What began to be read before the name was given is shown to whoever gave it.
    let other = store.played(&plan("pred")).await;
    let shown = [(other, Revealing::View.unblindings())];
    here.record(&ada, &shown).await.unwrap();
    assert_eq!((saw(&ada), saw(&ben)), (2, 2));
}
