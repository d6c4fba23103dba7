//! Acts on several sessions: marks, and what is done with the marked ones.

use super::screen::{changed, full, glance, order, stage_of};
use elenchus::tui::components::session_acts::ActMessage;
use elenchus::tui::screens::sessions::Message;
use elenchus_annotation::ListingPart;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::WorkspaceError;
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_view::session_browser::{ChangeCause, SessionChange};

fn plays(program: &Program, topic: &str) {
    let played = [
        "run", "--topic", topic, "--rounds", "1", "--model", "sim", "-q",
    ];
    program.run(&played).ended_with(0);
}

/// A store of three sessions; Why is the sky blue? is the oldest.
fn three() -> Program {
    let program = Program::new();
    for topic in [
        "Why is the sky blue?",
        "Why is grass green?",
        "Why is snow white?",
    ] {
        plays(&program, topic);
    }
    program
}

#[test]
fn marks_are_seen_without_colour_and_outlive_filters_sorting_and_refreshing() {
    let mut stage = full();
    stage.draw_with_cursor(120, 40);
    stage.press("m j m");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(drawn.contains("[2 marked]"), "{drawn}");
    let marked = |drawn: &str| {
        drawn
            .lines()
            .filter(|line| line.get(1..2) == Some("*"))
            .count()
    };
    assert_eq!(marked(&drawn), 2, "{drawn}");
    stage.press("s S").press("/").write("town\n");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(drawn.contains("[2 marked, 1 out of sight]"), "{drawn}");
    stage.press("Esc");
    stage.update(Message::List(ListingPart::Summed(vec![Ok(glance(
        "s9", "pred", "another",
    ))])));
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(drawn.contains("[2 marked]"), "{drawn}");
    stage.press("-");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(!drawn.contains("marked") && marked(&drawn) == 0, "{drawn}");
}

#[test]
fn all_that_a_filter_shows_is_marked_at_once() {
    let mut stage = full();
    stage.press("/").write("pred\n").press("+ Esc");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(drawn.contains("[2 marked]"), "{drawn}");
    // A second key on a marked session unmarks it.
    stage.press("Home m");
    assert!(stage.draw_with_cursor(120, 40).contains("[1 marked]"));
}

#[test]
fn deleting_several_asks_once_naming_them_and_what_is_left_out() {
    let mut stage = full();
    stage.draw_with_cursor(120, 40);
    // Examples are marked one by one alone.
    stage.press("+ End m d");
    assert_eq!(stage.asked(), Vec::<String>::new());
    insta::assert_snapshot!("delete_several_80", stage.draw_with_cursor(80, 24));
    stage.press("n");
    assert_eq!(stage.asked(), Vec::<String>::new());
    stage.press("d y");
    assert_eq!(stage.asked(), ["start: change sessions"]);
    let change = SessionChange::Deleted(SessionId::new("s5"));
    stage.update(changed(ChangeCause::Fresh, change, None));
    // What could not be moved stays marked.
    assert!(stage.draw_with_cursor(80, 24).contains("[5 marked]"));
    assert_eq!(order(&mut stage).len(), 6);
}

#[test]
fn what_cannot_be_played_on_is_said_with_the_reason() {
    let mut stage = full();
    stage.draw_with_cursor(120, 40);
    stage.press("R");
    assert_eq!(
        stage.asked(),
        ["say: s5: it is running in process 4242 on atlas (elenchus run)"]
    );
    stage.press("+ R");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(drawn.contains("Play 1 session to the end"), "{drawn}");
    assert!(drawn.contains("4 are left out"), "{drawn}");
    stage.press("y");
    assert_eq!(stage.asked(), ["start: play sessions"]);
    assert!(stage.is_busy());
    stage.update(Message::Act(ActMessage::Played(
        SessionId::new("s3"),
        Err(WorkspaceError::invalid("the server does not answer")),
    )));
    stage.update(Message::Act(ActMessage::PlayOver));
    assert_eq!(
        stage.asked(),
        [
            "say: s3: the server does not answer",
            "start: list sessions"
        ]
    );
}

#[test]
fn one_session_alone_is_acted_on_without_marks() {
    let mut stage = stage_of(vec![Ok(glance("t1", "pred", "one"))]);
    stage.draw_with_cursor(80, 24);
    stage.press("R");
    assert_eq!(stage.asked(), ["say: t1: it is complete"]);
    stage.press("J");
    assert_eq!(stage.asked(), ["start: price judging again"]);
}

#[test]
fn marked_sessions_are_tagged_exported_deleted_and_brought_back_together() {
    let program = three();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("3 sessions");
    pty.press("m m");
    pty.wait_for("2 marked");
    pty.press("t");
    pty.wait_for("tag:");
    pty.type_text("later");
    pty.press("Enter");
    pty.wait_for("2 sessions: tagged 'later', u undoes");
    let tagged = ["ls", "--where", "tag=later", "--json"];
    assert_eq!(program.run_ok(&tagged).lines().count(), 2);
    pty.press("w");
    pty.wait_for("2 journals, to the folder: elenchus-sessions");
    pty.press("Enter");
    pty.wait_for("2 sessions written to elenchus-sessions");
    let folder = program.work().join("elenchus-sessions");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    // Nothing is written over.
    pty.press("w Enter");
    pty.wait_for("2 not done, the first ");
    // What was exported can be taken in elsewhere.
    let other = program.with_store("other");
    other.run_ok(&["import", folder.to_str().unwrap()]);
    assert_eq!(other.sessions().len(), 2);
    pty.press("d");
    pty.wait_for("Move 2 sessions to the trash");
    pty.press("y");
    pty.wait_for("2 sessions: moved to the trash, u undoes");
    pty.wait_for("1 session, newest first");
    assert_eq!(program.sessions().len(), 1);
    pty.press("u");
    pty.wait_for("3 sessions, newest first");
    assert_eq!(program.sessions().len(), 3);
    // The tags go the same way, both at once.
    pty.press("u");
    pty.wait_for("2 sessions: tagged 'later': undone");
    assert_eq!(program.run_ok(&tagged), "");
    pty.quits();
}

#[test]
fn judging_several_again_says_its_price_before_it_begins() {
    let program = three();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("3 sessions");
    pty.press("+");
    pty.wait_for("marked");
    pty.press("J");
    pty.wait_for("verdicts in 3 sessions");
    pty.wait_for("there is no ceiling");
    assert!(program.run_ok(&["judge", "list", "--json"]).is_empty());
    pty.press("Esc");
    pty.wait_for_no("Judge again?");
    pty.press("J");
    pty.wait_for("Judge again?");
    pty.press("y");
    pty.wait_for("judged again");
    let passes = program.run_ok(&["judge", "list", "--json"]);
    assert_eq!(passes.lines().count(), 1, "{passes}");
    pty.quits();
}

#[test]
fn a_comparison_says_the_price_of_judging_both_again_before_it_begins() {
    let program = three();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("3 sessions");
    pty.press("m c");
    pty.wait_for("comparing");
    pty.press("J");
    pty.wait_for("6 verdicts in 2 sessions, by own rules");
    pty.press("Esc");
    pty.wait_for_no("Judge again?");
    assert!(program.run_ok(&["judge", "list", "--json"]).is_empty());
    pty.press("J");
    pty.wait_for("Judge again?");
    pty.press("y");
    pty.wait_for("judged again");
    pty.wait_for("safety again by sim");
    pty.quits();
}

#[test]
fn sessions_that_were_left_are_played_to_the_end_from_the_list() {
    let program = three();
    // Two that never came further than their first event.
    for file in program.session_files().iter().take(2) {
        let text = std::fs::read_to_string(file).unwrap();
        let first = text.lines().next().unwrap();
        std::fs::write(file, format!("{first}\n")).unwrap();
    }
    let heads = program.store().join("heads");
    std::fs::remove_dir_all(heads).unwrap();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("3 sessions");
    pty.press("+ R");
    pty.wait_for("Play 2 sessions to the end");
    pty.wait_for("1 is left out");
    pty.press("y");
    pty.wait_for("2 sessions played to the end");
    pty.wait_until("all are complete", |screen| {
        let rows = screen.rows();
        let marked = rows
            .iter()
            .filter(|row| row.starts_with(" ◆") || row.starts_with("▶◆"));
        marked.filter(|row| row.contains("complete")).count() == 3
    });
    pty.quits();
}
