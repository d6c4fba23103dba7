//! The tree of forks.

use crate::support::test_screen::TestScreen;
use elenchus::debate::{SessionId, TurnId};
use elenchus::tui::app::Told;
use elenchus::tui::screens::tree::Forks;
use elenchus::workspace::annotations::Annotations;
use elenchus::workspace::{Branch, Divergence, SessionLocation, SessionOverview, Tree};
use elenchus::workspace::{SessionStatus, Summary};
use std::sync::Arc;

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

fn glance(id: &str, state: SessionStatus, verdicts: &str) -> SessionOverview {
    SessionOverview {
        summary: Summary {
            session: SessionId::new(id),
            protocol: "pred".to_owned(),
            topic: "a secret topic".to_owned(),
            category: None,
            run: None,
            state,
            rounds: (2, 3),
            verdicts: verdicts.to_owned(),
            calls: 12,
            cost_usd: Some(0.0123),
            simulated: true,
            begun_at: String::new(),
            last_at: String::new(),
        },
        parent: None,
        root: SessionId::new(id),
        models: Vec::new(),
        arm: String::new(),
        driven_by: None,
    }
}

fn stage() -> TestScreen<Forks> {
    let (screen, effects) = Forks::of(&SessionId::new("02OLDER"), &Annotations::default());
    let mut stage = TestScreen::with(screen, effects);
    stage.tell(Told::Tree(SessionId::new("02OLDER"), Ok(Arc::new(grown()))));
    stage.draw(80, 24);
    stage
}

#[test]
fn forks_stand_below_their_parents_with_where_they_part_and_how_they_went() {
    let mut stage = stage();
    assert_eq!(stage.asked_briefly(), ["Tree", "Sum"]);
    let batch = vec![
        Ok(glance("01ROOT", SessionStatus::Complete, "ssusm?")),
        Ok(glance("02OLDER", SessionStatus::Open, "su")),
        Ok(glance(
            "04GRANDCHILD",
            SessionStatus::Failed,
            &"s".repeat(40),
        )),
    ];
    stage.tell(Told::Summed {
        batch: Arc::new(batch),
        more: false,
    });
    insta::assert_snapshot!("tree_80x24", stage.draw(80, 24));
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
    assert_eq!(
        stage.press("c").asked_briefly(),
        ["show", "Open", "Open", "ReadPasses"]
    );
    let said = stage.press("G Enter").asked();
    assert!(said[0].contains("trash"), "{said:?}");
    let said = stage.press("k Enter").asked();
    assert!(said[0].contains("not in this store"), "{said:?}");
}

#[test]
fn a_tree_that_cannot_be_read_says_why() {
    let (screen, _) = Forks::of(&SessionId::new("s"), &Annotations::default());
    let mut stage = TestScreen::new(screen);
    let why = Err("the folder is gone".to_owned());
    stage.tell(Told::Tree(SessionId::new("s"), why));
    assert!(stage.draw(80, 24).contains("the folder is gone"));
}
