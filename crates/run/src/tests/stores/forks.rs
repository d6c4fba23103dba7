//! Forks: how much of the past they keep, and what can be changed in them.

use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_game::debate::event::{Author, Event, Record};
use elenchus_game::debate::{JudgingId, SessionId, State, Target, TurnId};
use elenchus_records::workspace::{
    ForkOmissions, ForkPoint, Reopen, delete_session, fork_point, fork_session, restore_session,
};
use elenchus_records::workspace::{Session, StoreIndex};
use elenchus_store::{StoreError, verify_journal};
use elenchus_view::{SessionLocation, read_tree};

fn turn(text: &str) -> TurnId {
    TurnId::try_from(text.to_owned()).unwrap()
}

/// The state of a fork that keeps so many lines.
fn forked(records: &[Record], lines: u64) -> State {
    let mut kept = records[..usize::try_from(lines).unwrap()].to_vec();
    kept.push(Record {
        event: Event::Forked {
            parent: SessionId::new("parent"),
            parent_head: String::new(),
            session: None,
        },
        ..kept[0].clone()
    });
    State::from_records(&kept).unwrap()
}

#[tokio::test]
async fn a_turn_is_opened_again_with_the_longest_past_that_had_not_seen_it() {
    let store = SimulatedStore::new();
    for protocol in ["pred", "dared", "sred", "pcd-2"] {
        let id = store.played(&plan(protocol)).await;
        let records = store.records(&id);
        let turns: Vec<TurnId> = store.state(&id).turns().keys().cloned().collect();
        assert!(turns.len() >= 4, "{protocol}");
        for turn in turns {
            let lines = fork_point(&records, &Reopen::Turn(turn.clone()))
                .unwrap()
                .lines;
            let kept = forked(&records, lines);
            assert!(kept.turns().contains_key(&turn), "{protocol} {turn}");
            assert!(!kept.is_seen(&turn), "{protocol} {turn}");
            if lines < records.len() as u64 {
                assert!(
                    forked(&records, lines + 1).is_seen(&turn),
                    "{protocol} {turn}"
                );
            }
        }
    }
}

#[tokio::test]
async fn verdicts_on_what_stays_are_kept_whenever_they_came() {
    let store = SimulatedStore::new();
    let mut taken_along = 0;
    for protocol in ["pred", "dared", "sred"] {
        let id = store.played(&plan(protocol)).await;
        let records = store.records(&id);
        let state = store.state(&id);
        for opened in state.turns().keys() {
            let point = fork_point(&records, &Reopen::Turn(opened.clone())).unwrap();
            taken_along += point.later_verdicts.len();
            let fork = fork_session(&store.store, &id, &point).await.unwrap();
            let kept = store.state(&fork.id);
            assert!(
                verify_journal(&store.path(&fork.id), &[])
                    .unwrap()
                    .is_sound()
            );
            assert_eq!(kept.spend().calls, 0, "nothing is paid for twice");
            for (judging, target, verdicts) in state.verdicts() {
                let Target::Attempt(attempt) = target else {
                    continue;
                };
                let stays = attempt.turn != *opened && kept.turns().contains_key(&attempt.turn);
                let found = kept.verdicts_on(judging, target);
                assert_eq!(found.is_some(), stays, "{protocol} {opened}: {target}");
                for (slot, verdict) in found.into_iter().flatten() {
                    assert!(verdict.inherited);
                    assert_eq!(verdict.outcome, verdicts[slot].outcome);
                }
            }
        }
    }
    assert!(taken_along > 0, "all came before what they are kept beside");
}

#[tokio::test]
async fn a_fork_begins_with_its_parents_bytes_and_goes_on_with_another_text() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let before = std::fs::read(store.path(&id)).unwrap();
    let changed = turn("r1.answer.debater-1");
    let edited = |attempt| Event::Edited {
        turn: changed.clone(),
        attempt,
        text: "Because of the rivers.".to_owned(),
    };
    let at = || store.store.clock.now();
    let ada = || Author::Person("ada".to_owned());

    let mut parent = open(&store, &id);
    assert!(
        parent.record(at(), ada(), edited(1)).await.is_err(),
        "what was seen is never changed in place"
    );
    // The parent stays open in this very process.
    let point = fork_point(&store.records(&id), &Reopen::Turn(changed.clone())).unwrap();
    let mut child = fork_session(&store.store, &id, &point).await.unwrap();
    child.record(at(), ada(), edited(1)).await.unwrap();
    store.play_on(&mut child).await;

    let after = std::fs::read(store.path(&child.id)).unwrap();
    let copied: usize = before
        .split_inclusive(|byte| *byte == b'\n')
        .take(usize::try_from(point.lines).unwrap())
        .map(<[u8]>::len)
        .sum();
    assert_eq!(after[..copied], before[..copied]);
    assert!(
        verify_journal(&store.path(&child.id), &[])
            .unwrap()
            .is_sound()
    );
    assert_eq!(std::fs::read(store.path(&id)).unwrap(), before);
    let state = store.state(&child.id);
    assert_eq!(state, child.state);
    assert_eq!(state.forked_from(), [id]);
    let (_, chosen) = state.chosen_attempt(&changed).unwrap();
    assert_eq!(chosen.reply.text, "Because of the rivers.");
    let later = state
        .chosen_attempt(&turn("r2.answer.debater-0"))
        .unwrap()
        .1;
    assert!(!later.inherited, "what had seen it is played anew");
    assert!(state.find_open_steps().done.is_some());
}

fn open(store: &SimulatedStore, id: &SessionId) -> Session {
    let store_context = &store.store;
    Session::open(&store_context.layout, &store_context.journals(), id).unwrap()
}

#[tokio::test]
async fn a_verdict_or_the_lesson_is_opened_by_leaving_out_it_and_what_came_after() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let records = store.records(&id);
    let state = store.state(&id);
    let verdicts: Vec<(JudgingId, Target)> = state
        .verdicts()
        .map(|(judging, target, _)| (judging.clone(), target.clone()))
        .collect();
    assert_eq!(verdicts.len(), 6);
    for (judging, target) in verdicts {
        let reopen = Reopen::Verdict {
            judging: judging.clone(),
            target: target.clone(),
            slot: None,
        };
        let point = fork_point(&records, &reopen).unwrap();
        let kept = forked(&records, point.lines);
        assert!(kept.verdicts_on(&judging, &target).is_none());
        assert!(matches!(
            &records[usize::try_from(point.lines).unwrap()].event,
            Event::Judged(judged) if judged.target == target
        ));
    }
    assert!(state.lesson().is_some(), "this debate teaches something");
    let point = fork_point(&records, &Reopen::Lesson).unwrap();
    let left_out = ForkOmissions {
        lessons: 1,
        ..ForkOmissions::default()
    };
    assert_eq!(point.left_out, left_out);
    assert!(forked(&records, point.lines).lesson().is_none());
}

#[tokio::test]
async fn forking_after_a_turn_leaves_out_what_comes_later_in_the_game() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let records = store.records(&id);
    let point = fork_point(&records, &Reopen::After(turn("r1.answer.debater-0"))).unwrap();
    let kept = forked(&records, point.lines);
    let rounds: Vec<u32> = kept.turns().keys().map(|turn| turn.round).collect();
    assert_eq!(rounds, [1, 1, 1], "those who spoke beside it stay");
    assert_eq!(point.left_out.turns, 3);
    assert_eq!(point.left_out.lessons, 1);

    let whole = fork_point(&records, &Reopen::Nothing).unwrap();
    let everything = ForkPoint {
        lines: records.len() as u64,
        later_verdicts: Vec::new(),
        left_out: ForkOmissions::default(),
    };
    assert_eq!(whole, everything);
}

#[tokio::test]
async fn what_is_not_there_cannot_be_opened_again() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let records = store.records(&id);
    for reopen in [
        Reopen::Turn(turn("r3.answer.debater-0")),
        Reopen::After(turn("r1.answer.debater-9")),
        Reopen::Verdict {
            judging: JudgingId::new("taste"),
            target: Target::Debate,
            slot: None,
        },
    ] {
        let refused = fork_point(&records, &reopen).unwrap_err().to_string();
        assert!(refused.contains(&reopen.to_string()), "{refused}");
    }
    assert!(
        fork_session(&store.store, &id, &ForkPoint::after_lines(0))
            .await
            .is_err()
    );
    let lines = records.len() as u64 + 1;
    assert!(
        fork_session(&store.store, &id, &ForkPoint::after_lines(lines))
            .await
            .is_err()
    );
    assert_eq!(store.store.layout.list_sessions().unwrap().len(), 1);
}

#[tokio::test]
async fn a_tree_shows_who_was_forked_from_whom_and_where_they_part() {
    let store = SimulatedStore::new();
    let stranger = store.played(&plan("pred")).await;
    let root = store.played(&plan("pred")).await;
    let at =
        |id: &SessionId, reopen: Reopen| fork_point(&store.records(id), &reopen).unwrap().lines;
    let early = at(&root, Reopen::After(turn("r1.answer.debater-0")));
    let mut first = fork_session(&store.store, &root, &ForkPoint::after_lines(early))
        .await
        .unwrap();
    store.play_on(&mut first).await;
    let lesson = at(&root, Reopen::Lesson);
    let second = fork_session(&store.store, &root, &ForkPoint::after_lines(lesson))
        .await
        .unwrap();
    let deep = at(&first.id, Reopen::After(turn("r1.answer.debater-0")));
    let third = fork_session(&store.store, &first.id, &ForkPoint::after_lines(deep))
        .await
        .unwrap();
    let ids = [&root, &first.id, &third.id, &second.id].map(Clone::clone);
    let (first_id, third_id) = (first.id.clone(), third.id.clone());
    drop((first, second, third));

    let drawn = read_tree(&StoreIndex::bypass(&store.store.layout), &third_id).unwrap();
    let sessions: Vec<_> = drawn.branches.iter().map(|one| &one.session).collect();
    assert_eq!(sessions, ids.iter().collect::<Vec<_>>());
    let depths: Vec<_> = drawn.branches.iter().map(|one| one.depth).collect();
    assert_eq!(depths, [0, 1, 2, 1]);
    let parting = drawn.branches[1].parting.as_ref().unwrap();
    assert_eq!((&parting.parent, parting.lines), (&root, early));
    assert_eq!(parting.turn.as_ref().unwrap().round, 2);
    let parting = drawn.branches[3].parting.as_ref().unwrap();
    assert_eq!(parting.turn, None, "only the lesson differs");
    assert_eq!(
        read_tree(&StoreIndex::bypass(&store.store.layout), &root).unwrap(),
        drawn
    );
    let alone = read_tree(&StoreIndex::bypass(&store.store.layout), &stranger).unwrap();
    assert_eq!(alone.branches.len(), 1);

    delete_session(&store.store.layout, &first_id).unwrap();
    let drawn = read_tree(&StoreIndex::bypass(&store.store.layout), &third_id).unwrap();
    let gone = drawn.branches.iter().find(|one| one.session == first_id);
    assert_eq!(gone.unwrap().location, SessionLocation::Deleted);
    assert_eq!(drawn.branches.len(), 4);
}

#[tokio::test]
async fn a_session_is_deleted_unless_somebody_drives_it_and_comes_back() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let layout = &store.store.layout;
    let session = open(&store, &id);
    let refused = delete_session(layout, &id).unwrap_err();
    assert!(refused.to_string().contains("a test"), "{refused}");
    drop(session);
    let before = std::fs::read(store.path(&id)).unwrap();
    delete_session(layout, &id).unwrap();
    assert!(layout.list_sessions().unwrap().is_empty());
    restore_session(layout, &id).unwrap();
    assert_eq!(std::fs::read(store.path(&id)).unwrap(), before);
    let again = restore_session(layout, &id).unwrap_err();
    assert!(matches!(
        again,
        elenchus_records::workspace::WorkspaceError::Store(StoreError::Missing { .. })
    ));
}
