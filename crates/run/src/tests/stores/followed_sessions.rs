//! Following a session that another process drives.

use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Author, Event};
use elenchus_records::workspace::Tail;
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::StoreError;
use std::io::Write;

#[tokio::test]
async fn a_tail_tells_every_event_once_and_folds_to_what_the_driver_has() {
    let store = SimulatedStore::new();
    let mut session = store.begin(&plan("pred")).await;
    let mut tail = Tail::open(&store.path(&session.id));
    let mut state = State::default();
    let mut follow = |tail: &mut Tail| {
        let records = tail.read_new_records().unwrap();
        for record in &records {
            state.apply_event(record).unwrap();
        }
        (records.len(), state.clone())
    };
    assert_eq!(follow(&mut tail).0, 1);
    assert_eq!(follow(&mut tail).0, 0);
    assert_eq!(tail.driven_by().unwrap().command, "a test");
    session
        .record(store.store.clock.now(), Author::Engine, Event::Resumed {})
        .await
        .unwrap();
    assert_eq!(follow(&mut tail).0, 1);
    store.play_on(&mut session).await;
    let (count, state) = follow(&mut tail);
    assert!(count > 10);
    assert_eq!(state, session.state);
    drop(session);
    assert_eq!(tail.driven_by(), None);
}

#[tokio::test]
async fn half_a_line_waits_for_its_end_and_a_changed_one_is_named() {
    let store = SimulatedStore::new();
    let mut session = store.begin(&plan("pred")).await;
    let path = store.path(&session.id);
    let mut tail = Tail::open(&path);
    tail.read_new_records().unwrap();
    let before = std::fs::read(&path).unwrap().len();
    session
        .record(store.store.clock.now(), Author::Engine, Event::Resumed {})
        .await
        .unwrap();
    drop(session);
    // Its writer is still at it: nobody said yet how far it went.
    std::fs::remove_dir_all(store.store.layout.root().join("heads")).unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..before + 10]).unwrap();
    assert_eq!(tail.read_new_records().unwrap(), []);
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(tail.read_new_records().unwrap().len(), 1);
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(&whole[before..]).unwrap();
    let broken = tail.read_new_records().unwrap_err();
    assert!(broken.to_string().contains(".jsonl:2"), "{broken}");
    std::fs::write(&path, &whole[..before]).unwrap();
    let short = tail.read_new_records().unwrap_err();
    assert!(matches!(
        short,
        WorkspaceError::Store(StoreError::TooShort { .. })
    ));
}
