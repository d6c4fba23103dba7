//! Full-text search over all sessions.

use crate::engine::DebatePlan;
use crate::tests::simulated::{SimulatedStore, plan, topic};
use elenchus_game::debate::{AttemptId, SessionId, TurnId};
use elenchus_records::workspace::annotations::{Annotation, AnnotationJournal, AnnotationTarget};
use elenchus_records::workspace::{Reopen, fork_point, fork_session};
use elenchus_view::{HitLocation as Where, SearchEvent, SearchHit, SessionSearch};

async fn search(store: &SimulatedStore, text: &str) -> Vec<SearchEvent> {
    let mut search = SessionSearch::start(&store.store.layout, text).unwrap();
    let mut found = Vec::new();
    while let Some(finding) = search.next().await {
        found.push(finding);
    }
    found
}

async fn hits(store: &SimulatedStore, text: &str) -> Vec<SearchHit> {
    let found = search(store, text).await.into_iter();
    found
        .map(|finding| match finding {
            SearchEvent::Hit(hit) => hit,
            SearchEvent::Unread(_) | SearchEvent::Full => panic!("{finding:?}"),
        })
        .filter(|hit| store.path(&hit.session).exists())
        .collect()
}

#[tokio::test]
async fn text_is_found_in_topics_replies_verdicts_lessons_and_notes_whatever_its_case() {
    let store = SimulatedStore::new();
    let id = store.played(&plan("pred")).await;
    let state = store.state(&id);
    let first = AttemptId {
        turn: TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap(),
        attempt: 0,
    };
    let store_context = &store.store;
    let mut book = AnnotationJournal::open(store_context, "ada").unwrap();
    let noted = Annotation::Noted {
        on: AnnotationTarget::from_attempt(id.clone(), &state, &first).unwrap(),
        text: "Compare with the \u{c4}gean.".to_owned(),
    };
    book.record_annotation(noted).await.unwrap();

    let found = hits(&store, "THE SEA SALTY").await;
    let hit = found.iter().find(|hit| hit.place == Where::Topic).unwrap();
    assert_eq!(&hit.excerpt[hit.span.clone()], "the sea salty");
    assert_eq!(hit.session, id);
    let found = hits(&store, "\u{e4}gean").await;
    let by_ada = Where::Note {
        annotator: "ada".to_owned(),
        attempt: Some(first.clone()),
    };
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place, by_ada);

    let sample = |text: &str| -> String { text.chars().take(12).collect() };
    let reply = &state.chosen_attempt(&first.turn).unwrap().1.reply.text;
    let found = hits(&store, &sample(reply).to_uppercase()).await;
    assert!(
        found
            .iter()
            .any(|hit| hit.place == Where::Chosen(first.clone()))
    );
    let lesson = &state.lesson().unwrap().reply.text;
    let found = hits(&store, &sample(lesson)).await;
    assert!(
        found.iter().any(|hit| hit.place == Where::Lesson),
        "{found:?}"
    );
    let (judging, target, by_slot) = state.verdicts().next().unwrap();
    let reply = by_slot.values().next().unwrap().reply.as_ref().unwrap();
    let found = hits(&store, &sample(&reply.text)).await;
    let verdict = Where::Verdict {
        judging: judging.clone(),
        target: target.clone(),
    };
    let told = found.iter().filter(|hit| hit.place == verdict).count();
    assert_eq!(told, 1, "{found:?}");
    assert_eq!(hits(&store, "zebra crossing").await, []);
}

#[tokio::test]
async fn what_a_fork_has_from_its_parent_is_told_once_and_of_the_fork_when_the_parent_is_gone() {
    let store = SimulatedStore::new();
    let parent = store.played(&plan("pred")).await;
    let point = fork_point(&store.records(&parent), &Reopen::Lesson).unwrap();
    let child = fork_session(&store.store, &parent, &point).await.unwrap();
    let topics = |hits: Vec<SearchHit>| -> Vec<SessionId> {
        let topics = hits.into_iter().filter(|hit| hit.place == Where::Topic);
        topics.map(|hit| hit.session).collect()
    };
    let told = topics(hits(&store, "sea salty").await);
    assert_eq!(told.iter().collect::<Vec<_>>(), [&parent]);
    store.store.layout.move_to_trash(parent.as_str()).unwrap();
    let told = topics(hits(&store, "sea salty").await);
    assert_eq!(told.iter().collect::<Vec<_>>(), [&child.id]);
}

#[tokio::test]
async fn a_search_says_what_it_could_not_read_and_goes_on() {
    let store = SimulatedStore::new();
    let id = store.begin(&plan("pred")).await.id.clone();
    std::fs::write(store.path(&SessionId::new("zz")), "the sea salty\n").unwrap();
    let found = search(&store, "sea salty").await;
    assert!(matches!(&found[0], SearchEvent::Unread(unread) if unread.session.as_str() == "zz"));
    assert!(matches!(&found[1], SearchEvent::Hit(hit) if hit.session == id));
    assert!(SessionSearch::start(&store.store.layout, " \n").is_err());
}

#[tokio::test]
async fn a_text_with_quotes_or_line_ends_is_found_as_it_was_typed() {
    let store = SimulatedStore::new();
    let text = "Is \"salt\" a\\b word\nof two lines?";
    store.begin(&DebatePlan::new("pred", topic(text))).await;
    for part in ["\"SALT\" a", "a\\b", "word\nof"] {
        assert_eq!(hits(&store, part).await.len(), 1, "{part}");
    }
}
