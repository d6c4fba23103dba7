//! Forks below their parents, and replicates that are out of sight.

use super::screen::{glance, stage_of};
use crate::tui::test_screen::TestScreen;
use elenchus::tui::screens::sessions::Sessions;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::SessionOverview;
use elenchus_test_support::Pty;
use elenchus_test_support::lessons::{shown_entry, taught};

fn at(id: &str, parent: Option<&str>, time: &str) -> SessionOverview {
    let mut session = glance(id, "pred", &format!("topic {id}"));
    session.summary.last_at = format!("2026-03-01T{time}:00Z");
    session.parent = parent.map(SessionId::new);
    session
}

/// Two families and a session alone; the newest of all is a fork of a fork.
fn family() -> TestScreen<Sessions> {
    let sessions = [
        at("a1", None, "01:00"),
        at("a2", Some("a1"), "02:00"),
        at("a3", Some("a1"), "03:00"),
        at("a4", Some("a2"), "09:00"),
        at("b1", None, "08:00"),
        at("c2", Some("gone"), "07:00"),
    ];
    stage_of(sessions.into_iter().map(Ok).collect())
}

/// Topics with what stands before them, from top to bottom.
fn topics(stage: &mut TestScreen<Sessions>) -> Vec<String> {
    let drawn = stage.draw_with_cursor(120, 40);
    let topic = |line: &str| {
        let from = line.find("pred")? + "pred           ".len();
        let text = line.get(from..line.find("topic ")? + "topic xx".len())?;
        Some(text.to_owned())
    };
    drawn.lines().take(9).filter_map(topic).collect()
}

#[test]
fn forks_stand_below_their_parents_and_a_family_where_its_newest_member_stands() {
    let mut stage = family();
    assert_eq!(
        topics(&mut stage),
        [
            "topic a1",
            "`- topic a2",
            "  `- topic a4",
            "`- topic a3",
            "topic b1",
            "fork topic c2",
        ]
    );
    stage.press("S");
    assert_eq!(
        topics(&mut stage),
        [
            "topic a1",
            "`- topic a2",
            "  `- topic a4",
            "`- topic a3",
            "fork topic c2",
            "topic b1",
        ]
    );
}

#[test]
fn by_any_other_column_each_session_has_its_own_place() {
    let mut stage = family();
    stage.press("s s");
    assert_eq!(
        topics(&mut stage),
        [
            "topic a1",
            "fork topic a2",
            "fork topic a3",
            "fork topic a4",
            "topic b1",
            "fork topic c2",
        ]
    );
}

#[test]
fn forks_fold_and_a_filter_finds_them_all_the_same() {
    let mut stage = family();
    stage.draw_with_cursor(120, 40);
    stage.press("Home Left");
    let folded = ["+ 3 forks topic a1", "topic b1", "fork topic c2"];
    assert_eq!(topics(&mut stage), folded);
    stage.press("/").write("is:fork\n");
    assert_eq!(
        topics(&mut stage),
        [
            "fork topic a2",
            "`- topic a4",
            "fork topic c2",
            "fork topic a3"
        ]
    );
    stage.press("Esc Home Right");
    assert_eq!(topics(&mut stage).len(), 6);
    // From a fork: its parent is folded, and the cursor is there.
    stage.press("j j j Left Enter");
    assert_eq!(topics(&mut stage), folded);
    assert_eq!(stage.asked(), ["open a1"]);
}

#[test]
fn sessions_that_name_each_other_as_parents_are_listed_all_the_same() {
    let mut stage = stage_of(vec![
        Ok(at("a1", Some("a2"), "01:00")),
        Ok(at("a2", Some("a1"), "02:00")),
        Ok(at("b1", None, "03:00")),
    ]);
    assert_eq!(topics(&mut stage).len(), 3);
}

#[test]
fn replicates_of_an_ablation_are_out_of_sight_until_the_filter_asks_for_them() {
    let program = taught();
    let (entry, session) = shown_entry(&program);
    let ablated = [
        "memory",
        "ablate",
        &session,
        "--entry",
        &entry,
        "--replicates",
        "2",
        "--rounds",
        "1",
    ];
    program.run(&ablated).ended_with(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("10 sessions, newest first, 4 replicates out of sight: filter is:replicate");
    pty.press("/");
    pty.type_text("is:replicate");
    pty.wait_for("4 matches");
    pty.wait_for_no("out of sight");
    pty.press("Enter Esc");
    pty.wait_for("4 replicates out of sight");
    pty.quits();
}
