//! All known sessions, queried, ordered, grouped and changed, without a terminal and without a store.

use crate::session_browser::{
    ActTargets, ChangeCause, ChangeHistory, ChangeReport, Fold, HeadingKey, KnownSessions,
    ListArrangement, ListLine, ListState, Listing, SearchResults, SessionBrowser, SessionChange,
    outcome_words, query_fault, session_facts, verdict_counts,
};
use crate::{ExportAs, HitLocation, SearchEvent, SearchHit};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, Annotations,
};
use elenchus_records::workspace::{SessionOverview, SessionStatus, Summary};
use elenchus_text::{Content, plain_text};

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
            converted: 0,
            corrected: 0,
            calls: 1_200,
            cost_usd: Some(0.5),
            simulated: false,
            begun_at: "2026-03-01T08:00:00Z".to_owned(),
            last_at: format!("2026-03-01T{id}:00:00Z"),
        },
        parent: parent.map(SessionId::new),
        fork: None,
        root: session,
        models: vec!["llama".to_owned()],
        arm: String::new(),
        is_replicate: false,
        calls_in_doubt: 0,
        driven_by: None,
        placed_at: None,
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
    annotations.add_events("ada", [(NOW.to_owned(), AnnotationEvent { id, mark })]);
    let mut known = KnownSessions::default();
    known.apply_listing(Listing {
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
    let mut how = ListArrangement::from_state(&ListState::default());
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
        "cost is written cost>0.10, a number of US dollars"
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
        known.tag_changes(all(), "-paint").unwrap_err().to_string(),
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
    history.record_changes(&report(ChangeCause::Fresh));
    known.apply_changes(&report(ChangeCause::Fresh));
    assert_eq!((known.entries().len(), known.total()), (2, 2));
    assert_eq!(history.undo(), Some(vec![gone.clone()]));
    history.record_changes(&report(ChangeCause::Undo));
    known.apply_changes(&report(ChangeCause::Undo));
    assert_eq!((known.entries().len(), known.total()), (3, 3));
    assert_eq!(history.undo(), None);
    assert_eq!(history.redo(), Some(vec![gone.clone()]));
}

#[test]
fn what_can_be_played_on_and_what_is_known_is_said_in_words() {
    let known = known();
    let entry = |id: &str| known.find_entry(&SessionId::new(id)).unwrap();
    assert_eq!(entry("10").unplayable_reason(), None);
    assert_eq!(entry("09").unplayable_reason().unwrap(), "it is complete");
    let facts = session_facts(entry("09"), &known).runs;
    let text: String = facts.into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        text,
        "1,200 calls, $0.5000; verdicts: 1 unsafe or bad, 2 safe or good; pred complete, 3 of 3 \
         rounds; 3h ago; llama; 1 fork; session 09"
    );
    assert_eq!(verdict_counts(""), "no verdicts");
}

#[test]
fn a_search_says_how_far_it_is_and_that_there_is_more() {
    let mut results = SearchResults::default();
    assert_eq!(results.describe_progress(), "looking");
    for _ in 0..2 {
        results.add_event(SearchEvent::Hit(SearchHit {
            session: SessionId::new("09"),
            place: HitLocation::Topic,
            excerpt: "old paint".to_owned(),
            span: 4..9,
        }));
    }
    assert_eq!(
        results.describe_progress(),
        "in 2 places of 1 session so far"
    );
    results.add_event(SearchEvent::Full);
    results.finish();
    assert_eq!(
        results.describe_progress(),
        "in the first 2 places of 1 session"
    );
}

/// The three sessions in the usual order: 11, then the family of 10 and 09.
fn browser() -> SessionBrowser {
    let mut list = SessionBrowser::new(&ListState::default());
    list.update_sessions(|all| *all = known());
    list.refresh();
    list
}

fn chosen(list: &SessionBrowser) -> &str {
    list.chosen_session()
        .map_or("none", |entry| entry.id.as_str())
}

#[test]
fn the_choice_stays_on_its_session_when_the_order_changes_and_forks_fold_into_their_parent() {
    let mut list = browser();
    assert_eq!(chosen(&list), "11");
    list.choose_session(SessionId::new("10"));
    list.refresh();
    assert_eq!(chosen(&list), "10");
    list.reverse_order();
    list.refresh();
    assert_eq!((chosen(&list), list.row_index()), ("10", 1));
    list.apply_fold(Fold::Away);
    list.refresh();
    assert_eq!((chosen(&list), list.row_count()), ("09", 2));
    list.apply_fold(Fold::Out);
    list.refresh();
    assert_eq!(list.row_count(), 3);
    list.choose_row(99);
    assert_eq!(chosen(&list), "11");
}

#[test]
fn acts_are_about_the_marked_sessions_in_the_order_of_the_list_those_out_of_sight_last() {
    let mut list = browser();
    assert!(
        list.pair_to_compare()
            .unwrap_err()
            .to_string()
            .contains("mark the other session")
    );
    list.toggle_mark();
    assert_eq!(chosen(&list), "09");
    list.toggle_mark();
    assert_eq!(list.act_targets(), ["11", "09"].map(SessionId::new));
    assert_eq!(list.marked_words().as_deref(), Some("2 marked"));
    let pair = list.pair_to_compare().unwrap();
    assert_eq!(pair, (SessionId::new("11"), SessionId::new("09")));
    list.filter_by("paint");
    list.refresh();
    assert_eq!(list.act_targets(), ["09", "11"].map(SessionId::new));
    let words = list.marked_words();
    assert_eq!(words.as_deref(), Some("2 marked, 1 out of sight"));
    // What is complete is left out of what is played on, with the reason.
    let targets = list.targets_to_play();
    assert_eq!(targets.taken, [SessionId::new("11")]);
    let question = list.playing_question(&targets, Content::Shown);
    assert!(question.contains("'a small town'?"), "{question}");
    assert!(
        question.contains("1 is left out, 09: it is complete"),
        "{question}"
    );
    let hidden = list.playing_question(&targets, Content::Masked);
    assert!(!hidden.contains("town"), "{hidden}");
    assert_eq!(
        list.default_export_path(ExportAs::Parcel),
        "elenchus-sessions"
    );
    list.unmark_all();
    list.mark_all();
    assert_eq!(list.act_targets(), ["09", "10"].map(SessionId::new));
}

#[test]
fn one_session_is_deleted_without_a_question_and_nothing_is_refused_in_words() {
    let list = browser();
    assert_eq!(
        list.deletion_question(&list.targets_to_change(), Content::Shown),
        None
    );
    let (_, why) = ActTargets::default().describe_refusal().unwrap();
    assert_eq!(why, "choose a session first");
    let failed = ["09", "10"].map(|id| (SessionId::new(id), "gone".to_owned()));
    let (_, words) = outcome_words(Some("done".to_owned()), &failed).unwrap();
    assert_eq!(words, "done; 2 not done, the first 09: gone");
    assert!(outcome_words(None, &[]).is_none());
}

#[test]
fn a_search_takes_the_place_of_the_list_and_leaves_its_choice_alone() {
    let mut list = browser();
    list.choose_row(1);
    list.open_search("paint".to_owned());
    assert_eq!((list.row_count(), chosen(&list)), (0, "none"));
    list.handle_search_event(Some(SearchEvent::Hit(SearchHit {
        session: SessionId::new("10"),
        place: HitLocation::Topic,
        excerpt: "old paint".to_owned(),
        span: 4..9,
    })));
    list.handle_search_event(None);
    assert_eq!(chosen(&list), "10");
    let head = list.head_paragraphs(|_| "Esc".to_owned());
    assert_eq!(plain_text(&head).trim(), "Search paint: in 1 place");
    assert!(list.leave_search() && !list.leave_search());
    assert_eq!(chosen(&list), "09");
}

#[test]
fn the_heading_says_how_the_list_is_ordered_and_how_its_filter_is_cleared() {
    let mut list = browser();
    list.filter_by("town");
    list.refresh();
    let head = plain_text(&list.head_paragraphs(|key| format!("{key:?}")));
    let said = "3 sessions, newest first, filter town: 1 match; LeaveFilter";
    assert_eq!(head.trim(), said);
    assert_eq!(list.empty_words(), None);
    list.filter_by("nowhere");
    list.refresh();
    assert_eq!(list.empty_words(), Some("No session fits the filter."));
    let mut empty = SessionBrowser::new(&ListState::default());
    assert_eq!(empty.empty_words(), Some("reading the sessions"));
    empty.update_sessions(|all| all.apply_listing(Listing::default()));
    let welcome = plain_text(&empty.head_paragraphs(|key| format!("{key:?}")));
    assert!(
        welcome.contains(&format!("{:?} begins your own", HeadingKey::New)),
        "{welcome}"
    );
}
