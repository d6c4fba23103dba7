//! The list of sessions without a terminal.

use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::{Screen, Ticket, UiState};
use elenchus::tui::components::session_acts::ActMessage;
use elenchus::tui::components::session_search::SearchMessage;
use elenchus::tui::keys::KeyTable;
use elenchus::tui::screens::sessions::{Message, Sessions};
use elenchus::tui::widgets::Content;
use elenchus_annotation::ListingPart;
use elenchus_game::debate::{AttemptId, Chair, RunId, SeatId, SessionId, StageId, TurnId};
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, Annotations,
};
use elenchus_records::workspace::{SessionOverview, UnreadableSession};
use elenchus_records::workspace::{SessionStatus, Summary};
use elenchus_store::LockHolder;
use elenchus_view::session_browser::{
    ChangeCause, ChangeReport, ListState, Listing, SessionChange,
};
use elenchus_view::{HitLocation, SearchEvent, SearchHit};
use std::sync::Arc;

const NOW: &str = "2026-03-01T12:00:00Z";

pub(super) fn glance(id: &str, protocol: &str, topic: &str) -> SessionOverview {
    SessionOverview {
        summary: Summary {
            session: SessionId::new(id),
            protocol: protocol.to_owned(),
            topic: topic.to_owned(),
            category: None,
            run: None,
            state: SessionStatus::Complete,
            rounds: (3, 3),
            verdicts: "sssussss".to_owned(),
            converted: 0,
            corrected: 0,
            calls: 31,
            cost_usd: Some(0.0123),
            simulated: false,
            begun_at: "2026-03-01T08:00:00Z".to_owned(),
            last_at: "2026-03-01T09:00:00Z".to_owned(),
        },
        parent: None,
        fork: None,
        root: SessionId::new(id),
        models: Vec::new(),
        arm: String::new(),
        is_replicate: false,
        calls_in_doubt: 0,
        driven_by: None,
        placed_at: None,
    }
}

/// A list of one session with these verdicts.
pub(super) fn list_with_verdicts(verdicts: &str) -> TestScreen<Sessions> {
    let mut one = glance("s1", "pred", "How are locks made?");
    one.summary.verdicts = verdicts.to_owned();
    stage_of(vec![Ok(one)])
}

fn some() -> Vec<Result<SessionOverview, UnreadableSession>> {
    let mut first = glance("s5", "pred", "How do I dispose of old paint safely?");
    first.summary.state = SessionStatus::Open;
    first.summary.rounds = (2, 3);
    first.summary.verdicts = "ssu?".to_owned();
    first.summary.last_at = "2026-03-01T11:58:00Z".to_owned();
    first.driven_by = Some(LockHolder {
        pid: 4242,
        host: "atlas".to_owned(),
        command: "elenchus run".to_owned(),
    });
    let mut second = glance(
        "s4",
        "dared",
        "Is a shorter working week good for a small town?",
    );
    second.summary.simulated = true;
    second.summary.cost_usd = Some(0.0);
    second.summary.run = Some(RunId::new("r1"));
    second.summary.verdicts = "s".repeat(20) + "uuu?";
    second.summary.last_at = "2026-02-27T11:58:00Z".to_owned();
    let mut third = glance("s3", "pred", "How do I dispose of old paint safely?");
    third.summary.run = Some(RunId::new("r1"));
    third.summary.cost_usd = None;
    third.summary.state = SessionStatus::Failed;
    third.summary.last_at = "2026-01-27T11:58:00Z".to_owned();
    third.parent = Some(SessionId::new("s5"));
    let mut fourth = glance(
        "s2",
        "moderated",
        "漢字の宿題 👩‍🔬 e\u{301} \u{1b}[2J and more than fits",
    );
    fourth.summary.last_at = "2025-01-27T11:58:00Z".to_owned();
    fourth.summary.cost_usd = Some(2.5);
    fourth.summary.verdicts = String::new();
    vec![
        Ok(first),
        Ok(second),
        Ok(third),
        Ok(fourth),
        Err(UnreadableSession {
            session: SessionId::new("s1"),
            why: "sessions/s1.jsonl:7: the line is broken; 'elenchus verify s1' tells more"
                .to_owned(),
        }),
    ]
}

fn annotations() -> Annotations {
    let mut annotations = Annotations::default();
    let marks = [
        Annotation::Named {
            session: SessionId::new("s4"),
            name: Some("the town".to_owned()),
        },
        Annotation::Tagged {
            session: SessionId::new("s4"),
            tag: "pilot".to_owned(),
        },
        Annotation::Tagged {
            session: SessionId::new("s5"),
            tag: "paint".to_owned(),
        },
    ];
    annotations.add_events("ada", stamped(&marks));
    annotations
}

fn stamped(marks: &[Annotation]) -> Vec<(String, AnnotationEvent)> {
    let event = |(at, mark): (usize, &Annotation)| {
        let id = AnnotationId::new(format!("m{at}"));
        let mark = mark.clone();
        (NOW.to_owned(), AnnotationEvent { id, mark })
    };
    marks.iter().enumerate().map(event).collect()
}

fn listing(first: Vec<Result<SessionOverview, UnreadableSession>>) -> Listing {
    let id = |one: &Result<SessionOverview, UnreadableSession>| match one {
        Ok(glance) => glance.summary.session.clone(),
        Err(unread) => unread.session.clone(),
    };
    Listing {
        sessions: first.iter().map(id).collect(),
        first,
        examples: vec![
            glance("x1", "sred", "Should homework be optional?"),
            glance("x2", "pcd-2", "What is the capital of Australia?"),
        ],
        annotations: annotations(),
        configured: "models: sim (simulated), ollama-llama; no key is needed for either".to_owned(),
        elsewhere: None,
        open_here: [SessionId::new("s2")].into(),
        now: NOW.to_owned(),
    }
}

fn stage(listing: Listing) -> TestScreen<Sessions> {
    let keys = Arc::new(KeyTable::default());
    let mut stage = TestScreen::plain(Sessions::new(&ListState::default(), keys));
    stage.update(Message::List(ListingPart::Listed(Ok(Box::new(listing)))));
    stage
}

pub(super) fn full() -> TestScreen<Sessions> {
    stage_of(some())
}

pub(super) fn stage_of(
    sessions: Vec<Result<SessionOverview, UnreadableSession>>,
) -> TestScreen<Sessions> {
    stage(listing(sessions))
}

/// The topics or names in the order in which they are drawn.
pub(super) fn order(stage: &mut TestScreen<Sessions>) -> Vec<&'static str> {
    let drawn = stage.draw_with_cursor(120, 40);
    let known = ["dispose", "town", "漢字", "jsonl", "homework", "Australia"];
    drawn
        .lines()
        .skip(1)
        .take(30)
        .filter_map(|line| known.into_iter().find(|word| line.contains(word)))
        .collect()
}

#[test]
fn the_list_is_readable_at_three_sizes() {
    insta::assert_snapshot!("sessions_80", full().draw_with_cursor(80, 24));
    insta::assert_snapshot!("sessions_120", full().draw_with_cursor(120, 40));
    insta::assert_snapshot!("sessions_60", full().draw_with_cursor(60, 15));
}

#[test]
fn somebody_without_sessions_is_told_what_to_press_and_shown_the_examples() {
    insta::assert_snapshot!(
        "sessions_first_80",
        stage(listing(Vec::new())).draw_with_cursor(80, 24)
    );
    insta::assert_snapshot!(
        "sessions_first_60",
        stage(listing(Vec::new())).draw_with_cursor(60, 15)
    );
}

#[test]
fn sorting_goes_through_the_columns_and_turns_round() {
    let mut stage = full();
    assert_eq!(
        order(&mut stage)[..5],
        ["dispose", "dispose", "town", "漢字", "jsonl"]
    );
    stage.press("S");
    // The fork is older than the session of the town, and its parent comes with it.
    assert_eq!(
        order(&mut stage)[..5],
        ["漢字", "dispose", "dispose", "town", "jsonl"]
    );
    stage.press("s");
    assert!(stage.draw_with_cursor(120, 40).contains("by protocol"));
    assert_eq!(
        order(&mut stage)[..4],
        ["town", "漢字", "dispose", "dispose"]
    );
    stage.press("s s s s s");
    assert!(
        stage
            .draw_with_cursor(120, 40)
            .contains("by cost, descending")
    );
    assert_eq!(
        order(&mut stage)[..5],
        ["漢字", "dispose", "town", "dispose", "jsonl"]
    );
    stage.press("s");
    assert!(stage.draw_with_cursor(120, 40).contains("newest first"));
}

#[test]
fn the_choice_stays_on_its_session_when_the_order_changes_and_others_arrive() {
    let mut stage = full();
    stage.press("j j j");
    stage.press("S");
    stage.press("Enter");
    assert_eq!(stage.asked(), ["open s2"]);
    let more = (10..60).map(|at| Ok(glance(&format!("s{at}"), "pred", "another")));
    stage.update(Message::List(ListingPart::Summed(more.collect())));
    stage.draw_with_cursor(80, 24);
    stage.press("Enter");
    assert_eq!(stage.asked(), ["open s2"]);
}

#[test]
fn a_list_that_is_still_being_read_says_how_much_of_it_is_there() {
    let mut partial = listing(some());
    partial
        .sessions
        .extend((0..1_000).map(|at| SessionId::new(format!("t{at}"))));
    let mut stage = stage(partial);
    assert!(stage.draw_with_cursor(80, 24).contains("5 of 1,005 read"));
    let all = (0..1_000).map(|at| Ok(glance(&format!("t{at}"), "pred", "another")));
    stage.update(Message::List(ListingPart::Summed(all.collect())));
    assert!(stage.draw_with_cursor(80, 24).contains("1,005 sessions"));
}

#[test]
fn topics_that_begin_alike_are_cut_in_the_middle() {
    let topic =
        |end: &str| format!("Write a persuasive article that argues for a world without {end}");
    let mut stage = stage_of(vec![
        Ok(glance("t2", "pred", &topic("paper"))),
        Ok(glance("t1", "pred", &topic("glass"))),
    ]);
    let drawn = stage.draw_with_cursor(80, 24);
    for end in ["without paper", "without glass"] {
        assert!(drawn.contains("Write a "), "{drawn}");
        let row = drawn.lines().find(|line| line.contains(&end[8..]));
        assert!(row.is_some(), "{end}: {drawn}");
    }
}

#[test]
fn the_cursor_is_on_the_session_that_was_left_once_it_is_listed() {
    let mut stage = full();
    stage.screen.select_session(SessionId::new("s9"));
    stage.draw_with_cursor(80, 24);
    let mut more = some();
    more.insert(0, Ok(glance("s9", "pred", "A fork of the other")));
    stage.update(Message::List(ListingPart::Listed(Ok(Box::new(listing(
        more,
    ))))));
    stage.draw_with_cursor(80, 24);
    assert_eq!(stage.press("Enter").asked(), ["open s9"]);
}

#[test]
fn groups_have_headings_with_counts_that_fold() {
    let mut stage = full();
    stage.press("b");
    insta::assert_snapshot!("sessions_runs_80", stage.draw_with_cursor(80, 24));
    stage.press("b");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(
        drawn.contains("- How do I dispose of old paint safely? 2 sessions"),
        "{drawn}"
    );
    stage.press("Home Left");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(
        drawn.contains("+ How do I dispose of old paint safely? 2 sessions"),
        "{drawn}"
    );
    assert_eq!(order(&mut stage)[..2], ["dispose", "town"]);
}

#[test]
fn a_folded_heading_of_examples_is_remembered() {
    let mut stage = full();
    stage.press("End Up Up Enter");
    assert!(!stage.draw_with_cursor(120, 40).contains("Australia"));
    let mut kept = UiState::default();
    stage.screen.save_state(&mut kept);
    assert!(kept.list.examples_folded);
    let keys = Arc::new(KeyTable::default());
    let mut again = TestScreen::plain(Sessions::new(&kept.list, keys));
    again.update(Message::List(ListingPart::Listed(Ok(Box::new(listing(
        some(),
    ))))));
    assert!(!again.draw_with_cursor(120, 40).contains("Australia"));
}

/// What a task found that changed one session.
pub(super) fn changed(
    cause: ChangeCause,
    change: SessionChange,
    annotations: Option<Annotations>,
) -> Message {
    Message::Act(ActMessage::Changed(ChangeReport {
        cause,
        done: vec![change],
        failed: Vec::new(),
        annotations: annotations.map(Arc::new),
    }))
}

#[test]
fn what_is_deleted_comes_back_by_undo_and_goes_again_by_redo() {
    let change = SessionChange::Deleted(SessionId::new("s5"));
    let mut stage = full();
    stage.draw_with_cursor(80, 24);
    stage.press("d");
    assert_eq!(stage.asked(), ["start: change sessions"]);
    assert!(
        stage.draw_with_cursor(80, 24).contains("2/3"),
        "nothing is gone before it is"
    );
    stage.update(changed(ChangeCause::Fresh, change.clone(), None));
    assert_eq!(stage.asked(), ["say: moved to the trash, u undoes"]);
    assert!(!stage.draw_with_cursor(80, 24).contains("2/3"));
    stage.press("u");
    assert_eq!(stage.asked(), ["start: change sessions"]);
    stage.update(changed(ChangeCause::Undo, change.clone(), None));
    assert!(stage.draw_with_cursor(80, 24).contains("2/3"));
    stage.effects.clear();
    stage.press("U");
    assert_eq!(stage.asked(), ["start: change sessions"]);
    stage.update(Message::Act(ActMessage::Changed(ChangeReport {
        cause: ChangeCause::Redo,
        done: Vec::new(),
        failed: vec![(change, "another process drives it".to_owned())],
        annotations: None,
    })));
    assert_eq!(stage.asked(), ["say: s5: another process drives it"]);
    stage.press("U");
    assert_eq!(stage.asked(), ["start: change sessions"]);
}

#[test]
fn names_are_shown_once_they_are_written_and_tags_that_are_not_there_cannot_go() {
    let mut stage = full();
    stage.draw_with_cursor(80, 24);
    stage.press("r").write("paint").press("Enter");
    assert_eq!(stage.asked(), ["start: change sessions"]);
    let mut annotations = annotations();
    let mark = Annotation::Named {
        session: SessionId::new("s5"),
        name: Some("paint".to_owned()),
    };
    annotations.add_events("bob", stamped(std::slice::from_ref(&mark)));
    let change = SessionChange::Annotated {
        session: SessionId::new("s5"),
        mark,
        written: Some(AnnotationId::new("m0")),
    };
    stage.update(changed(ChangeCause::Fresh, change, Some(annotations)));
    assert_eq!(stage.asked(), ["say: named 'paint', u undoes"]);
    assert!(
        stage
            .draw_with_cursor(80, 24)
            .lines()
            .nth(2)
            .unwrap()
            .contains("paint ")
    );
    stage.press("u");
    assert_eq!(stage.asked(), ["start: change sessions"]);
    stage.press("t").write("-gone").press("Enter");
    assert_eq!(stage.asked(), ["say: it has no tag 'gone'"]);
    stage.press("t").write("-paint").press("Enter");
    assert_eq!(stage.asked(), ["start: change sessions"]);
}

#[test]
fn a_search_lists_places_as_they_come_and_opens_the_session_there() {
    let mut stage = full();
    stage.press("*").write("solvent\n");
    assert_eq!(stage.asked(), ["start: search sessions"]);
    let turn = TurnId {
        round: 2,
        stage: StageId::new("respond"),
        chair: Chair {
            seat: SeatId::new("debater"),
            index: 1,
        },
    };
    let hit = |place| {
        SearchEvent::Hit(SearchHit {
            session: SessionId::new("s5"),
            place,
            excerpt: "keep the solvent in its own can until".to_owned(),
            span: 9..16,
        })
    };
    stage.update(Message::Search(SearchMessage(
        Ticket(1),
        Some(hit(HitLocation::Lesson)),
    )));
    // Of a search that was left.
    stage.update(Message::Search(SearchMessage(
        Ticket(0),
        Some(hit(HitLocation::Topic)),
    )));
    let said = HitLocation::Chosen(AttemptId { turn, attempt: 0 });
    stage.update(Message::Search(SearchMessage(Ticket(1), Some(hit(said)))));
    insta::assert_snapshot!("sessions_search_80", stage.draw_with_cursor(80, 24));
    stage.press("j Enter");
    assert_eq!(stage.asked(), ["open s5 at r2.respond.debater-1"]);
    // Several places of one session are one mark.
    stage.press("+");
    assert!(stage.draw_with_cursor(80, 24).contains("[1 marked]"));
    stage.press("-");
    stage.press("Esc");
    assert!(
        stage
            .draw_with_cursor(80, 24)
            .contains("5 sessions, newest")
    );
}

#[test]
fn a_marked_session_is_compared_with_the_chosen_one() {
    let mut stage = full();
    stage.draw_with_cursor(80, 24);
    stage.press("c");
    assert!(stage.asked()[0].contains("mark the other session first"));
    stage.press("m c");
    assert_eq!(stage.asked(), ["compare s5 with s3"]);
    // Two that are marked, wherever the cursor is.
    stage.press("j m c");
    assert_eq!(stage.asked(), ["compare s5 with s4"]);
    stage.press("m c");
    assert!(stage.asked()[0].contains("3 are marked"));
}

#[test]
fn an_export_offers_a_name_and_the_other_form() {
    let mut stage = full();
    stage.draw_with_cursor(80, 24);
    stage.press("w Tab");
    insta::assert_snapshot!("sessions_export_60", stage.draw_with_cursor(60, 15));
    stage.press("Enter");
    assert_eq!(stage.asked(), ["start: export sessions"]);
}

#[test]
fn masked_content_shows_neither_topic_nor_name() {
    let mut stage = full();
    stage.content = Content::Masked;
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(drawn.contains("[masked:"));
    for word in ["paint safely", "the town", "working week"] {
        assert!(!drawn.contains(word), "{drawn}");
    }
}

#[test]
fn ten_thousand_sessions_are_drawn_by_the_screenful() {
    let many: Vec<_> = (0..10_000)
        .map(|at| {
            Ok(glance(
                &format!("t{at:05}"),
                "pred",
                &format!("topic number {at}"),
            ))
        })
        .collect();
    let mut stage = stage(listing(many));
    stage.press("End");
    assert!(stage.draw_with_cursor(120, 40).contains("Australia"));
    stage.press("/").write("9876");
    let drawn = stage.draw_with_cursor(80, 24);
    assert!(drawn.contains("topic number 9876") && !drawn.contains("number 9875"));
}
