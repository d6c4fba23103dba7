//! The tree of forks.

use crate::tui::test_screen::TestScreen;
use elenchus::tui::screens::tree::{Forks, Message};
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_records::workspace::annotations::Annotations;
use elenchus_records::workspace::{SessionOverview, SessionStatus, Summary, WorkspaceError};
use elenchus_view::{Branch, Divergence, SessionLocation, Tree};

fn branch(id: &str, parent: Option<(&str, &str)>, location: SessionLocation) -> Branch {
    Branch {
        session: SessionId::new(id),
        depth: 0,
        parting: parent.map(|(parent, turn)| Divergence {
            parent: SessionId::new(parent),
            lines: 9,
            turn: TurnId::try_from(turn.to_owned()).ok(),
        }),
        location,
    }
}

/// A root with two forks, one of which was forked again.
fn grown() -> Tree {
    Tree {
        branches: vec![
            branch("01ROOT", None, SessionLocation::Kept),
            branch(
                "02OLDER",
                Some(("01ROOT", "r1.answer.debater-1")),
                SessionLocation::Kept,
            ),
            branch(
                "03YOUNGER",
                Some(("01ROOT", "r2.answer.debater-0")),
                SessionLocation::Deleted,
            ),
            branch(
                "04GRANDCHILD",
                Some(("02OLDER", "r2.answer.debater-1")),
                SessionLocation::Kept,
            ),
            branch(
                "05LAST",
                Some(("02OLDER", "none")),
                SessionLocation::Missing,
            ),
        ],
    }
}

fn overview(id: &str, fork: Option<&str>, state: SessionStatus, verdicts: &str) -> SessionOverview {
    let summary = Summary {
        session: SessionId::new(id),
        protocol: "pred".to_owned(),
        topic: "a secret topic".to_owned(),
        category: None,
        run: None,
        state,
        rounds: (2, 3),
        verdicts: verdicts.to_owned(),
        converted: 0,
        corrected: 0,
        calls: 12,
        cost_usd: Some(0.0123),
        simulated: true,
        begun_at: String::new(),
        last_at: String::new(),
    };
    SessionOverview {
        summary,
        parent: None,
        fork: fork.map(str::to_owned),
        root: SessionId::new("01ROOT"),
        models: Vec::new(),
        arm: String::new(),
        is_replicate: false,
        calls_in_doubt: 0,
        driven_by: None,
        placed_at: None,
    }
}

fn overviews() -> Vec<SessionOverview> {
    let (edited, played) = (
        "fork of round 1, Debater 2 edited by ada",
        "fork after round 2, Debater 1",
    );
    vec![
        overview("01ROOT", None, SessionStatus::Complete, "ssusm?"),
        overview("02OLDER", Some(edited), SessionStatus::Open, "su"),
        overview(
            "04GRANDCHILD",
            Some(played),
            SessionStatus::Failed,
            &"s".repeat(40),
        ),
    ]
}

fn stage() -> TestScreen<Forks> {
    let screen = Forks::from_session(&SessionId::new("02OLDER"), &Annotations::default());
    let mut stage = TestScreen::new(screen);
    stage.update(Message::Read(Ok((grown(), overviews()))));
    stage.draw(80, 24);
    stage
}

#[test]
fn forks_stand_below_their_parents_with_what_was_changed_in_them_and_how_they_went() {
    insta::assert_snapshot!("tree_80x24", stage().draw(80, 24));
}

#[test]
fn the_cursor_stays_on_its_session_when_another_fork_appears() {
    let mut stage = stage();
    stage.press("j");
    let mut tree = grown();
    let parent = Some(("01ROOT", "r1.answer.debater-0"));
    tree.branches
        .insert(1, branch("01NEWER", parent, SessionLocation::Kept));
    stage.update(Message::Read(Ok((tree, overviews()))));
    assert_eq!(stage.press("Enter").asked(), ["open 04GRANDCHILD instead"]);
}

#[test]
fn a_session_of_the_tree_is_opened_or_compared_with_where_one_is() {
    let mut stage = stage();
    stage.asked();
    assert_eq!(stage.press("Enter").asked(), ["leave"]);
    let said = stage.press("c").asked();
    assert!(said[0].starts_with("say: "), "{said:?}");
    assert_eq!(
        stage.press("j Enter").asked(),
        ["open 04GRANDCHILD instead"]
    );
    assert_eq!(stage.press("c").asked(), ["show"]);
    let said = stage.press("G Enter").asked();
    assert!(said[0].contains("trash"), "{said:?}");
    let said = stage.press("k Enter").asked();
    assert!(said[0].contains("not in this store"), "{said:?}");
}

#[test]
fn a_tree_that_cannot_be_read_says_why() {
    let screen = Forks::from_session(&SessionId::new("s"), &Annotations::default());
    let mut stage = TestScreen::new(screen);
    stage.update(Message::Read(Err(WorkspaceError::invalid(
        "the folder is gone",
    ))));
    assert!(stage.draw(80, 24).contains("the folder is gone"));
}
