//! Setup of a debate: from a plan to the first event.

use crate::engine::seats::{SIM, SeatRequest};
use crate::engine::{DebatePlan, MemoryShown};
use crate::tests::simulated::{SimulatedStore, plan, topic};
use elenchus_game::debate::event::Player;
use elenchus_game::debate::protocol::SettingValue;

#[tokio::test]
async fn a_prepared_debate_says_what_it_costs_and_leaves_no_trace_until_it_begins() {
    let store = SimulatedStore::new();
    let mut plan = plan("pred");
    plan.shown = MemoryShown::Lessons;
    plan.seed = 7;
    let prepared = plan
        .prepare(&store.store, &store.library, &store.seats, Some(SIM))
        .unwrap();
    assert!(prepared.cost_estimate().unwrap().likely.calls >= 12);
    assert_eq!(prepared.created.protocol.rounds, 2);
    assert!(!store.store.layout.root().exists());
    let created = prepared.created.clone();
    assert!(created.memory.reads && created.memory.writes);
    assert_eq!(created.memory.namespace, "default.sim");
    let session = prepared.begin_session(&store.store).await.unwrap();
    assert_eq!(session.created().unwrap(), &created);
    assert_eq!(store.records(&session.id).len(), 1);
}

#[test]
fn people_are_seated_and_naming_four_debaters_makes_a_game_of_four() {
    let store = SimulatedStore::new();
    let mut plan = plan("pred");
    let models = ["human:ada", "sim", "sim", "sim"].map(str::to_owned);
    plan.cast.seats.insert(
        "debater".into(),
        SeatRequest {
            models: models.to_vec(),
            ..SeatRequest::default()
        },
    );
    let prepared = plan
        .prepare(&store.store, &store.library, &store.seats, Some(SIM))
        .unwrap();
    let cast = &prepared.created.cast;
    assert_eq!(prepared.game.protocol.seats[0].count, 4);
    let ada = Player::Human {
        name: Some("ada".to_owned()),
    };
    assert_eq!(cast[0].player, ada);
}

#[test]
fn a_plan_that_cannot_be_played_says_why_before_anything_begins() {
    let store = SimulatedStore::new();
    let refused = |plan: &DebatePlan| {
        let prepared = plan.prepare(&store.store, &store.library, &store.seats, Some(SIM));
        prepared.unwrap_err().to_string()
    };
    let no_game = refused(&DebatePlan::new("chess", topic("Why?")));
    assert!(no_game.contains("no protocol 'chess'"), "{no_game}");
    let mut no_model = plan("pred");
    no_model.cast.model = Some("nobody-knows".to_owned());
    let no_model = refused(&no_model);
    assert!(no_model.contains("no model 'nobody-knows'"), "{no_model}");
    let mut negative = plan("pred");
    negative.budget_usd = Some(-1.0);
    let negative = refused(&negative);
    assert!(negative.contains("must be 0 or more"), "{negative}");
    let mut unseen = plan("pcd-4");
    unseen.shown = MemoryShown::Lessons;
    let unseen = refused(&unseen);
    assert!(
        unseen.contains("no seat of protocol 'pcd-4' sees memory"),
        "{unseen}"
    );
    let mut assigned = plan("two-candidate");
    let shuffled = SettingValue::Text("shuffled".to_owned());
    assigned.settings.insert("stance".to_owned(), shuffled);
    let options = refused(&assigned);
    assert!(options.contains("offers 0 options"), "{options}");
    assert!(!store.store.layout.root().exists());
}
