//! All known sessions, queried, ordered, grouped and changed, without a terminal and without a store.

use elenchus::debate::SessionId;
use elenchus::workspace::annotations::{Annotation, AnnotationEvent, AnnotationId, Annotations};
use elenchus::workspace::session_browser::{
    ChangeCause, ChangeHistory, ChangeReport, KnownSessions, ListArrangement, ListLine, ListState,
    Listing, SearchResults, SessionChange, query_fault, session_facts, verdict_counts,
};
use elenchus::workspace::{
    HitLocation, SearchEvent, SearchHit, SessionOverview, SessionStatus, Summary,
};

const NOW: &str = "2026-03-01T12:00:00Z";

fn overview(id: &str, topic: &str, state: SessionStatus, parent: Option<&str>) -> SessionOverview {
    let session = SessionId::new(id);
    SessionOverview {
        summary: Summary {
            session: session.clone(),
            protocol: "pred".to_owned(),
            topic: topic.to_owned(),
            category: None,
            run: None,
            state,
            rounds: (3, 3),
            verdicts: "ssu".to_owned(),
            calls: 1_200,
            cost_usd: Some(0.5),
            simulated: false,
            begun_at: "2026-03-01T08:00:00Z".to_owned(),
            last_at: format!("2026-03-01T{id}:00:00Z"),
        },
        parent: parent.map(SessionId::new),
        root: session,
        models: vec!["llama".to_owned()],
        arm: String::new(),
        is_replicate: false,
        calls_in_doubt: 0,
        driven_by: None,
    }
}

/// Three sessions that are named by the hour of their last event; the second is a fork of the first.
fn known() -> KnownSessions {
    let sessions = [
        overview("09", "old paint", SessionStatus::Complete, None),
        overview("10", "old paint", SessionStatus::Failed, Some("09")),
        overview("11", "a small town", SessionStatus::Open, None),
    ];
    let mut annotations = Annotations::default();
    let mark = Annotation::Tagged {
        session: SessionId::new("11"),
        tag: "pilot".to_owned(),
    };
    let id = AnnotationId::new("m1");
    annotations.add("ada", [(NOW.to_owned(), AnnotationEvent { id, mark })]);
    let mut known = KnownSessions::default();
    known.list(Listing {
        sessions: sessions.iter().map(|one| one.root.clone()).collect(),
        first: sessions.into_iter().map(Ok).collect(),
        annotations,
        now: NOW.to_owned(),
        ..Listing::default()
    });
    known
}

/// Ids of the sessions that a query lets through, each with its depth among forks.
fn listed(query: &str) -> Vec<(String, usize)> {
    let known = known();
    let mut how = ListArrangement::of(&ListState::default());
    query.clone_into(&mut how.filter);
    let list = how.arrange(known.entries(), known.now());
    let lines = list.lines.iter().filter_map(|line| match line {
        ListLine::Session(line) => Some((known.entries()[line.at].id.to_string(), line.depth)),
        ListLine::Heading { .. } => None,
    });
    lines.collect()
}

#[test]
fn forks_stand_below_their_parents_and_a_query_takes_words_fields_and_their_opposites() {
    let all = [("11", 0), ("09", 0), ("10", 1)].map(|(id, depth)| (id.to_owned(), depth));
    assert_eq!(listed(""), all);
    assert_eq!(listed("paint"), all[1..]);
    assert_eq!(listed("state:failed"), [("10".to_owned(), 0)]);
    assert_eq!(listed("-paint tag:pilot"), all[..1]);
    assert_eq!(listed("cost>1"), []);
    assert_eq!(listed("age<2h"), all[..1]);
}

#[test]
fn a_query_that_cannot_be_meant_is_named_with_what_can_be_written() {
    assert_eq!(query_fault("paint state:fai age<2"), None);
    let why = query_fault("state:lost").unwrap();
    assert_eq!(why, "state: is one of open, failed, truncated, complete");
    assert_eq!(
        query_fault("cost>x").unwrap(),
        "cost is written cost>0.10, in US dollars"
    );
}

#[test]
fn tags_and_names_change_only_what_they_would_change() {
    let known = known();
    let all = || ["09", "10", "11"].map(SessionId::new).to_vec();
    assert_eq!(known.tag_changes(all(), "pilot").unwrap().len(), 2);
    assert_eq!(known.tag_changes(all(), "- pilot").unwrap().len(), 1);
    assert_eq!(known.tag_changes(all(), "-").unwrap(), []);
    assert_eq!(
        known.tag_changes(all(), "-paint").unwrap_err(),
        "it has no tag 'paint'"
    );
    assert_eq!(known.name_change(SessionId::new("09"), ""), None);
    let named = known.name_change(SessionId::new("09"), "paint").unwrap();
    assert_eq!(named.describe(1), "named 'paint'");
}

#[test]
fn what_is_deleted_leaves_the_list_and_undo_brings_it_back_with_its_fork() {
    let mut known = known();
    let mut history = ChangeHistory::default();
    let gone = SessionChange::Deleted(SessionId::new("09"));
    let report = |cause| ChangeReport {
        cause,
        done: vec![gone.clone()],
        failed: Vec::new(),
        annotations: None,
    };
    history.note(&report(ChangeCause::Fresh));
    known.take_changes(&report(ChangeCause::Fresh));
    assert_eq!((known.entries().len(), known.total()), (2, 2));
    assert_eq!(history.undo(), Some(vec![gone.clone()]));
    history.note(&report(ChangeCause::Undo));
    known.take_changes(&report(ChangeCause::Undo));
    assert_eq!((known.entries().len(), known.total()), (3, 3));
    assert_eq!(history.undo(), None);
    assert_eq!(history.redo(), Some(vec![gone.clone()]));
}

#[test]
fn what_can_be_played_on_and_what_is_known_is_said_in_words() {
    let known = known();
    let entry = |id: &str| known.entry(&SessionId::new(id)).unwrap();
    assert_eq!(entry("10").why_not_played_on(), None);
    assert_eq!(entry("09").why_not_played_on().unwrap(), "it is complete");
    let facts = session_facts(entry("09"), &known).runs;
    let text: String = facts.into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        text,
        "1,200 calls, $0.5000; verdicts: 1 unsafe or bad, 2 safe or good; pred complete, 3 of 3 \
         rounds; 3h ago; 1 fork; session 09"
    );
    assert_eq!(verdict_counts(""), "no verdicts");
}

#[test]
fn a_search_says_how_far_it_is_and_that_there_is_more() {
    let mut results = SearchResults::default();
    assert_eq!(results.status(), "looking");
    for _ in 0..2 {
        results.take(SearchEvent::Hit(SearchHit {
            session: SessionId::new("09"),
            place: HitLocation::Topic,
            excerpt: "old paint".to_owned(),
            span: 4..9,
        }));
    }
    assert_eq!(results.status(), "in 2 places of 1 session so far");
    results.take(SearchEvent::Full);
    results.end();
    assert_eq!(results.status(), "in the first 2 places of 1 session");
}
